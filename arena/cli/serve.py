"""`arena referee`, `arena dashboard`: one part of the arena each, until Ctrl-C."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena import services
from arena.cli.common import opened, say
from arena.cli.metrics import metrics_words
from arena.cli.run import TICK, Patience
from arena.settings import address_file
from worker.supervise import Supervisor, stopping

if TYPE_CHECKING:
    from collections.abc import Callable

    from worker.supervise import Stopping

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
    """Look after services until somebody asks to stop, and let them finish what they have in hand if there is time."""
    patience = Patience(say)
    while not stop:
        with patience:
            supervisor.tick()
            services.check(supervisor)
        stop.wait(patience.pause or TICK)
    supervisor.drain(stop.urgent)


@click.command()
@click.option("--listen", metavar="ADDRESS", help="unix:/path or HOST:PORT; a socket in the data folder unless given.")
@click.option("--insecure-any-address", is_flag=True, help="Listen beyond this machine, though tokens then travel in the clear.")
@click.option("--metrics", metavar="HOST:PORT", help="Where figures for Prometheus are served; nowhere unless given.")
@tls_options
def referee(listen: str | None, insecure_any_address: bool, metrics: str | None, tls: tuple[str, ...]) -> None:
    """Run the long-lived referee that remote bots dial into, until Ctrl-C."""
    options = (*(("--insecure-any-address",) if insecure_any_address else ()), *metrics_words(metrics))
    with stopping() as stop, opened(wait=stop) as (settings, store), Supervisor() as supervisor:
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
    with stopping() as stop, opened(wait=stop) as (settings, _), Supervisor() as supervisor:
        supervisor.add(services.dashboard(settings, bind))
        say(f"dashboard at http://{bind}; log in {settings.logs / 'dashboard.log'}")
        watch(supervisor, stop)
