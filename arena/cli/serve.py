"""`arena worker`, `arena referee`, `arena dashboard`: one part of the arena each, until Ctrl-C."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena import services
from arena.cli.common import opened, say
from arena.cli.sandbox import unsandboxed_option
from arena.settings import address_file
from worker.supervise import Supervisor, stopping

if TYPE_CHECKING:
    from collections.abc import Callable

    from worker.supervise import Stopping

TICK = 0.2
DASHBOARD = "127.0.0.1:8000"


_TLS = {
    "tls_cert": "Certificate in PEM. HOST:PORT of --listen is then encrypted, and may be any address.",
    "tls_key": "The certificate's key.",
    "tls_client_ca": "Remote bots must show a certificate that is signed by one of these.",
}


def tls_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of encryption to a command with `listen`, which gets them as words for the referee, `tls`, or none."""

    @wraps(command)
    def wrapped(*args: Any, **given: Any) -> None:  # noqa: ANN401 - click's parameters
        files = {name: given.pop(name) for name in _TLS}
        _check_tls(given["listen"], files)
        words = [(f"--{name.replace('_', '-')}", str(file.resolve())) for name, file in files.items() if file]
        command(*args, tls=tuple(word for pair in words for word in pair), **given)

    for name, text in reversed(_TLS.items()):
        file = click.Path(exists=True, dir_okay=False, path_type=Path)
        wrapped = click.option(f"--{name.replace('_', '-')}", type=file, help=text)(wrapped)
    return wrapped


def _check_tls(listen: str | None, files: dict[str, Path | None]) -> None:
    if any(files.values()) and not (files["tls_cert"] and files["tls_key"]):
        raise click.UsageError("--tls-cert and --tls-key go together, and --tls-client-ca needs both")
    if files["tls_cert"] and (listen is None or listen.startswith("unix:")):
        raise click.UsageError("--tls-cert needs --listen HOST:PORT: a socket is not encrypted")


def watch(supervisor: Supervisor, stop: Stopping) -> None:
    """Look after services until somebody asks to stop."""
    while not stop:
        supervisor.tick()
        services.check(supervisor)
        stop.wait(TICK)


@click.command()
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="How many.")
@unsandboxed_option
def worker(workers: int) -> None:
    """Run workers that play queued matches, until Ctrl-C.

    They take from the queue of REDIS_URL, or of the embedded server of this data folder, which is started if it does not run yet.
    """
    with opened() as (settings, _), stopping() as stop, Supervisor() as supervisor:
        supervisor.add(services.queue(settings))
        services.wait_for_queue(settings, supervisor, stop)
        for one in services.workers(settings, workers):
            supervisor.add(one)
        say(f"{workers} workers; logs in {settings.logs}")
        watch(supervisor, stop)


@click.command()
@click.option("--listen", metavar="ADDRESS", help="unix:/path or HOST:PORT; a socket in the data folder unless given.")
@click.option("--insecure-any-address", is_flag=True, help="Listen beyond this machine, though tokens then travel in the clear.")
@tls_options
def referee(listen: str | None, insecure_any_address: bool, tls: tuple[str, ...]) -> None:
    """Run the long-lived referee that remote bots dial into, until Ctrl-C."""
    options = ("--insecure-any-address",) if insecure_any_address else ()
    with opened() as (settings, store), stopping() as stop, Supervisor() as supervisor:
        service = services.Referee(settings, store, listen, options + tls, tls=bool(tls))
        service.tick()
        if not service.ours:
            where = address_file(settings.data)
            known = where.read_text(encoding="utf-8").strip() if where.exists() else "an address not written yet"
            raise click.ClickException(f"a referee runs on this data folder already, at {known}")
        supervisor.add(service)
        say(f"referee at {service.public}; log in {service.log}")
        watch(supervisor, stop)


@click.command()
@click.option("--bind", default=DASHBOARD, show_default=True, metavar="HOST:PORT", help="Where to serve.")
def dashboard(bind: str) -> None:
    """Serve the dashboard, until Ctrl-C."""
    with opened() as (settings, _), stopping() as stop, Supervisor() as supervisor:
        supervisor.add(services.dashboard(settings, bind))
        say(f"dashboard at http://{bind}; log in {settings.logs / 'dashboard.log'}")
        watch(supervisor, stop)
