"""The child processes that commands run, as services of `worker.supervise`."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from arena.settings import ROOT, address_file, operator_token, token_hash, write_whole
from worker import valkey
from worker.settings import RECYCLE
from worker.supervise import Service, Shared, Stopping, Supervisor

if TYPE_CHECKING:
    from arena.settings import Settings
    from league.store import Store

BROKEN = 4
"""Starts of a service in a row that ended in an error after which a command gives up."""
THREADS = "320"
"""Threads of the dashboard, made as they are needed: 256 streams of events (`dashboard.feeds.MOST`), and pages beside them."""
SYNC_SECONDS = 1.0
"""Seconds between two looks at whether a remote bot's tokens have changed."""


def workers(settings: Settings, number: int) -> list[Service]:
    """So many workers' processes."""
    command, log = [sys.executable, "-m", "worker"], settings.logs
    options: dict[str, Any] = {"cwd": ROOT, "env": settings.env(), "drain": settings.drain, "again": RECYCLE}
    return [Service(f"worker {one}", lambda: command, log=log / f"worker-{one}.log", **options) for one in range(1, number + 1)]


def queue(settings: Settings) -> Shared | None:
    """The embedded queue server; None where REDIS_URL names another."""
    return valkey.keeper(settings)


def local_address(settings: Settings) -> str:
    """Where the referee listens unless told otherwise: a socket in the data folder, or a short path that stands for it."""
    path = valkey.socket_path(settings.data).with_name("referee.sock")
    return f"unix:{path}"


class Referee(Shared):
    """The long-lived referee that remote bots dial into, with its file of tokens kept in step with the store.

    Args:
        settings: of the arena.
        store: whose bots may dial in.
        listen: address; None is a socket in the data folder.
        options: further words of its command line.
        tls: whether the options make it encrypt. Then workers and the bots that they start use the socket in the data folder,
            where it listens as well, and `listen` is for remote bots.
    """

    def __init__(
        self, settings: Settings, store: Store, listen: str | None = None, options: tuple[str, ...] = (), *, tls: bool = False
    ) -> None:
        self.address = local_address(settings) if tls or not listen else listen
        """For workers."""
        self.public = f"tls:{listen}" if tls else self.address
        """For remote bots."""
        self._settings = settings
        self._store = store
        self._tokens = settings.data / "tokens.json"
        self._written = ""
        self._next_sync = 0.0
        where = ["--listen", self.address, *(["--listen", listen] if tls and listen else [])]
        command = [sys.executable, "-m", "referee", "serve", *where, "--tokens", str(self._tokens), *options]
        super().__init__(
            "referee",
            lambda: command,
            lock=settings.data / "referee.lock",
            log=settings.logs / "referee.log",
            cwd=ROOT,
            env=settings.env(),
        )

    def tick(self) -> None:
        """Bring the tokens up to date, then see to the process. Where another command keeps the referee, that does both."""
        if self.ours:
            self._sync()
        super().tick()

    def _start(self) -> None:
        self._sync(now=True)
        super()._start()
        write_whole(address_file(self._settings.data), self.address + "\n")

    def _sync(self, *, now: bool = False) -> None:
        if not now and time.monotonic() < self._next_sync:
            return
        self._next_sync = time.monotonic() + SYNC_SECONDS
        text = tokens(self._settings, self._store)
        if text != self._written or not self._tokens.exists():
            write_whole(self._tokens, text)
            self._written = text


def tokens(settings: Settings, store: Store) -> str:
    """The referee's file of tokens: hashes of the operator's and of every live token of a bot."""
    bots = {sha: {"bot": name} for sha, name in sorted(store.token_hashes().items())}
    return json.dumps({"operators": [token_hash(operator_token(settings))], "bots": bots}, indent=1) + "\n"


def dashboard(settings: Settings, bind: str) -> Service:
    """The dashboard, served by gunicorn's threads: an open stream of events holds one, so there are more than streams allowed."""
    command = [
        *(sys.executable, "-m", "gunicorn", "--worker-class", "gthread", "--threads", THREADS),
        *("--graceful-timeout", "3", "--no-control-socket", "--bind", bind, "--access-logfile", "-", "dashboard:served()"),
    ]
    admin = {"ARENA_QUEUE_URL": valkey.url(settings), "ARENA_ADMIN_SHA256": token_hash(operator_token(settings))}
    return Service("dashboard", lambda: command, cwd=ROOT, env=settings.env() | admin, log=settings.logs / "dashboard.log")


def check(supervisor: Supervisor) -> None:
    """See that no service is broken.

    Raises:
        click.ClickException: one has ended in an error so often in a row that starting it again will not help.
    """
    for service in supervisor.services:
        if service.errors >= BROKEN:
            raise click.ClickException(
                f"{service.name} ends in an error whenever it is started (exit code {service.last_exit}); see {service.log}"
            )


def wait_for_queue(settings: Settings, supervisor: Supervisor, stop: Stopping, *, patient: bool = False) -> None:
    """Wait until the queue server answers; if patient, as long as it takes where `REDIS_URL` names it.

    Raises:
        valkey.NoQueueServer: it does not within 20 s.
        click.ClickException: it ends whenever it is started.
        click.Abort: somebody asks to stop meanwhile.
    """

    def tick() -> None:
        supervisor.tick()
        check(supervisor)
        if stop:
            raise click.Abort

    while True:
        try:
            valkey.wait(settings, tick).close()
        except valkey.NoQueueServer as error:
            if not patient or settings.redis_url is None:
                raise
            click.echo(f"{error} (waiting on)", err=True)
        else:
            return
