"""`arena up`: everything at once."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import click
import redis
import sqlalchemy.exc

from arena import services
from arena.cli.common import opened, say
from arena.cli.metrics import metrics_words, serving
from arena.cli.run import LOOK_SECONDS, TICK, Patience, brief, default_workers, reconcile
from arena.cli.sandbox import unsandboxed_option, warn_without_isolation
from arena.cli.serve import DASHBOARD, tls_options
from league.seasons import Seasons
from worker import valkey
from worker.scheduler import Reconciler
from worker.supervise import Supervisor, stopping

if TYPE_CHECKING:
    from arena.settings import Settings
    from league.store import Store
    from worker.supervise import Stopping


@click.command()
@click.option("--workers", type=click.IntRange(0), help="Workers to start; one a processor unless given.")
@click.option("--bind", default=DASHBOARD, show_default=True, metavar="HOST:PORT", help="Where the dashboard is served.")
@click.option("--listen", metavar="ADDRESS", help="Where the referee listens; a socket in the data folder unless given.")
@click.option("--metrics", metavar="HOST:PORT", help="Where figures for Prometheus are served; nowhere unless given.")
@click.option("--referee-metrics", metavar="HOST:PORT", help="The same for those of the referee's own process.")
@tls_options
@unsandboxed_option
def up(  # noqa: PLR0913 - one argument an option
    workers: int | None, bind: str, listen: str | None, *, metrics: str | None, referee_metrics: str | None, tls: tuple[str, ...]
) -> None:
    """Run everything until Ctrl-C: queue, referee, workers, dashboard.

    Leagues that are not finished are played, and seasons are begun when they are due.
    """
    number = default_workers() if workers is None else workers
    with stopping() as stop, opened(wait=stop) as (settings, store), Supervisor() as supervisor, ExitStack() as stack:
        if metrics is not None:
            stack.enter_context(serving(store, settings, metrics))
        supervisor.add(services.queue(settings))
        services.wait_for_queue(settings, supervisor, stop, patient=True)
        referee = services.Referee(settings, store, listen, (*tls, *metrics_words(referee_metrics)), tls=bool(tls))
        for service in (referee, *services.workers(settings, number), services.dashboard(settings, bind)):
            supervisor.add(service)
        say(f"dashboard at http://{bind}, referee at {referee.public}, {number} workers; logs in {settings.logs}")
        if number:
            warn_without_isolation()
        play_open(settings, store, supervisor, stop, number)
        supervisor.drain(stop.urgent)
    say("all stopped")


@click.command()
def scheduler() -> None:
    """Keep the queue filled for every league that is not finished, until Ctrl-C; workers elsewhere play them.

    One is needed; a second one, on another host, does no harm and takes over where the first ends.
    """
    with stopping() as stop, opened(wait=stop) as (settings, store), Supervisor() as supervisor:
        supervisor.add(services.queue(settings))
        services.wait_for_queue(settings, supervisor, stop, patient=True)
        say(f"scheduling for {settings.queue} at {valkey.shown(settings)}")
        play_open(settings, store, supervisor, stop, 0)
    say("stopped; what is queued is played on")


def play_open(settings: Settings, store: Store, supervisor: Supervisor, stop: Stopping, workers: int) -> None:
    """Look after services and every league that is not finished, until somebody asks to stop."""
    leagues, patience = OpenLeagues(settings, store, workers), Patience(say)
    while not stop:
        with patience:
            supervisor.tick()
            services.check(supervisor)
            leagues.tick()
        stop.wait(patience.pause or TICK)


class OpenLeagues:
    """Plays every league that is not finished, new ones too, has what was submitted qualified, and says what happens to them."""

    def __init__(self, settings: Settings, store: Store, workers: int) -> None:
        self._store = store
        self._reconciler = Reconciler(store, valkey.connect(settings), settings, workers)
        self._seasons = Seasons(store)
        self._names: list[str] = []
        self._next_look = 0.0
        self._said: set[str] = set()

    def tick(self) -> None:
        """Bring the queue up to date for each of them."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_SECONDS
            for line in self._seasons.tick():
                say(line)
            self._names = [league.name for league in self._store.leagues() if league.revealed_at is None]
        with suppress(redis.RedisError, sqlalchemy.exc.OperationalError):  # away for the moment: at the next look
            self._reconciler.tick_submissions()
        for name in list(self._names):
            if reconcile(self._reconciler, name):
                self._names.remove(name)
                say(f"league {name} is finished")
        while self._reconciler.quarantined:
            say(self._reconciler.quarantined.pop(0))
        for match in self._reconciler.stuck.keys() - self._said:
            self._said.add(match)
            say(f"{match} is left alone: {brief(self._reconciler.stuck[match].detail)}")
