"""`arena metrics`: figures for Prometheus."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from arena.cli.common import opened, say
from worker.supervise import stopping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import CollectorRegistry

    from league.store import Store
    from worker.settings import Settings

BIND = "127.0.0.1:9464"
_MOST = 65535


@click.command()
@click.option("--bind", default=BIND, show_default=True, metavar="HOST:PORT", help="Where to serve them.")
@click.option("--once", is_flag=True, help="Print them and end.")
def metrics(bind: str, *, once: bool) -> None:
    """Serve figures of the arena for Prometheus at /metrics, until Ctrl-C. docs/operating.md lists them.

    They come from the store and the queue: one of these is enough for all the machines of an arena.
    """
    with opened() as (settings, store), stopping() as stop:
        if once:
            click.echo(page(store, settings), nl=False)
            return
        with serving(store, settings, bind):
            say(f"metrics at http://{bind}/metrics")
            while not stop.wait(3600):
                pass


def page(store: Store, settings: Settings) -> str:
    """The figures as text, as Prometheus reads them."""
    from prometheus_client import generate_latest  # noqa: PLC0415 - loaded where it is used

    return generate_latest(_registry(store, settings)).decode()


@contextmanager
def serving(store: Store, settings: Settings, bind: str) -> Iterator[None]:
    """Serve the figures from a thread for the length of the block.

    Raises:
        click.UsageError: `bind` is no address.
        click.ClickException: it cannot be listened on.
    """
    from prometheus_client import start_http_server  # noqa: PLC0415 - likewise

    host, port = address(bind)
    try:
        server, thread = start_http_server(port, host, _registry(store, settings))
    except OSError as error:
        raise click.ClickException(f"cannot serve metrics at {bind}: {error.strerror or error}") from None
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def address(bind: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`. Raises click.UsageError."""
    host, _, port = bind.rpartition(":")
    if not (host and port.isdecimal() and int(port) <= _MOST):
        raise click.UsageError(f"{bind!r} is no address for metrics (allowed: HOST:PORT, for instance {BIND})")
    return host.strip("[]"), int(port)


def metrics_words(bind: str | None) -> tuple[str, ...]:
    """Words of the referee's command line that have it serve its own figures; none for None. Raises click.UsageError."""
    if bind is None:
        return ()
    address(bind)
    return ("--metrics", bind)


def _registry(store: Store, settings: Settings) -> CollectorRegistry:
    from prometheus_client import CollectorRegistry  # noqa: PLC0415 - likewise

    from arena.metrics import Arena  # noqa: PLC0415 - likewise

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Arena(store, settings))
    return registry
