"""`arena up`: everything at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from arena import services
from arena.cli.common import opened, say
from arena.cli.run import TICK, brief, default_workers, reconcile
from arena.cli.sandbox import unsandboxed_option
from arena.cli.serve import DASHBOARD, tls_options
from worker import valkey
from worker.scheduler import Reconciler
from worker.supervise import Supervisor, stopping

if TYPE_CHECKING:
    from arena.settings import Settings
    from league.store import Store

LOOK_SECONDS = 2.0
"""Seconds between two looks at whether there is a new league."""


@click.command()
@click.option("--workers", type=click.IntRange(0), help="Workers to start; one a processor unless given.")
@click.option("--bind", default=DASHBOARD, show_default=True, metavar="HOST:PORT", help="Where the dashboard is served.")
@click.option("--listen", metavar="ADDRESS", help="Where the referee listens; a socket in the data folder unless given.")
@tls_options
@unsandboxed_option
def up(workers: int | None, bind: str, listen: str | None, tls: tuple[str, ...]) -> None:
    """Run everything until Ctrl-C: queue, referee, workers, dashboard. Leagues that are not finished are played."""
    number = default_workers() if workers is None else workers
    with opened() as (settings, store), stopping() as stop, Supervisor() as supervisor:
        supervisor.add(services.queue(settings))
        services.wait_for_queue(settings, supervisor, stop)
        referee = services.Referee(settings, store, listen, tls, tls=bool(tls))
        for service in (referee, *services.workers(settings, number), services.dashboard(settings, bind)):
            supervisor.add(service)
        say(f"dashboard at http://{bind}, referee at {referee.public}, {number} workers; logs in {settings.logs}")
        leagues = OpenLeagues(settings, store, number)
        while not stop:
            supervisor.tick()
            services.check(supervisor)
            leagues.tick()
            stop.wait(TICK)
    say("all stopped")


class OpenLeagues:
    """Plays every league that is not finished, new ones too, and says what happens to them."""

    def __init__(self, settings: Settings, store: Store, workers: int) -> None:
        self._store = store
        self._reconciler = Reconciler(store, valkey.connect(settings), settings, workers)
        self._names: list[str] = []
        self._next_look = 0.0
        self._said: set[str] = set()

    def tick(self) -> None:
        """Bring the queue up to date for each of them."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_SECONDS
            self._names = [league.name for league in self._store.leagues() if league.revealed_at is None]
        for name in list(self._names):
            if reconcile(self._reconciler, name):
                self._names.remove(name)
                say(f"league {name} is finished")
        for match in self._reconciler.stuck.keys() - self._said:
            self._said.add(match)
            say(f"{match} is left alone: {brief(self._reconciler.stuck[match].detail)}")
