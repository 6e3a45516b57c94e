"""`arena league run`: play a league to its end, here and now."""

from __future__ import annotations

import os
import shlex
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import click
import redis

from arena import services
from arena.cli.common import command_line, opened, say
from arena.cli.progress import Progress
from arena.cli.sandbox import unsandboxed_option
from league.errors import LeagueClosed, StoreAway
from league.seasons import Seasons
from worker import valkey
from worker.scheduler import Reconciler
from worker.supervise import Stopping, Supervisor, stopping

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from arena.settings import Settings
    from league.store import Store

TICK = 0.2
"""Seconds between two looks at children, queue and store."""
REST = 1.0
"""Seconds between two looks while the workers have enough to do: a look reads the league and its matches."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
"""Seconds before a store or queue server that is away is tried again: the first time, and at most."""
LOOK_SECONDS = 2.0
"""Seconds between two looks at what there is to play: new leagues, seasons that are due, remote bots."""
INTERRUPTED = 130
"""Exit code of a run that was stopped before the league's end, as shells have it for Ctrl-C."""


def default_workers() -> int:
    """One worker for each processor that this process may use."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@click.command()
@click.argument("name")
@click.option("--workers", type=click.IntRange(0), help="Workers to start; one a processor unless given, 0 if others play.")
@unsandboxed_option
def run(name: str, workers: int | None) -> None:
    """Play the league NAME to its end, or on from where it was left; or the seasons of the series NAME, one after another.

    Starts what is needed (queue server, workers, a referee for remote bots) and stops it at the end. Stop it at any time:
    nothing is lost, and the same command goes on.
    """
    number = default_workers() if workers is None else workers
    with opened() as (settings, store), stopping() as stop:
        if not _play(settings, store, name, number, stop):
            say(f"stopped; nothing is lost. Go on with:\n  {resume_command(name, workers)}")
            raise SystemExit(INTERRUPTED)


def _play(settings: Settings, store: Store, name: str, workers: int, stop: Stopping) -> bool:
    """Play a league to its end (True), or a series until it is stopped and its last season is over; False: told to stop."""
    if name not in {series.name for series in store.all_series()}:
        store.league(name)
        return Run(settings, store, name, workers, stop).play() and _tell(store, name)
    seasons = Seasons(store, name)
    while not stop:
        _say_all(seasons.tick())
        found = store.series(name)
        present = [season.league for season in found.seasons if season.revealed_at is None]
        if present:
            if Run(settings, store, present[-1], workers, stop, seasons).play():
                _tell(store, present[-1])
        elif found.stopped_at is not None:
            return True
        else:
            stop.wait(LOOK_SECONDS)
    return False


def _tell(store: Store, name: str) -> bool:
    """Print a finished league's standings and say which bots had more trouble than luck; True."""
    from arena.cli.standings import broken_bots, standings_text  # noqa: PLC0415  (numpy: at the end, when all is played)

    click.echo(standings_text(store, name))
    for bot in broken_bots(store, name):
        say(f"warning: {bot} often could not start, crashed or went away; see {command_line('bot', 'log', bot)}")
    return True


def _say_all(lines: list[str]) -> None:
    for line in lines:
        say(line)


def resume_command(name: str, workers: int | None) -> str:
    """The command that goes on with a league, with the environment that decides where it is kept."""
    given = [f"{variable}={shlex.quote(os.environ[variable])}" for variable in KEPT if os.environ.get(variable)]
    words = ["league", "run", name, *([] if workers is None else ["--workers", str(workers)])]
    return " ".join([*given, command_line(*words)])


KEPT = ("ARENA_DATA", "ARENA_STORE", "REDIS_URL", "ARENA_QUEUE")


@dataclass
class Run:
    """One run of a league."""

    settings: Settings
    store: Store
    league: str
    workers: int
    stop: Stopping
    seasons: Seasons | None = None
    """The series that this league is a season of: it ends when the next begins."""

    def play(self) -> bool:
        """Play until the league is finished (True) or somebody asks to stop (False).

        Raises:
            click.ClickException: nothing is left but matches that break down whenever they are played, or a service is broken.
        """
        if self.store.league(self.league).revealed_at is not None:
            return True
        with Supervisor() as supervisor:
            self._start(supervisor)
            with Progress(self.league, lambda: self.store.progress(self.league)) as progress:
                return self._loop(supervisor, progress)

    def _start(self, supervisor: Supervisor) -> None:
        supervisor.add(services.queue(self.settings))
        services.wait_for_queue(self.settings, supervisor, self.stop)
        self._see_to_referee(supervisor)
        for worker in services.workers(self.settings, self.workers):
            supervisor.add(worker)

    def _see_to_referee(self, supervisor: Supervisor) -> None:
        """Start the long-lived referee once a remote bot plays; one may join later."""
        there = self.settings.referee is not None or any(isinstance(one, services.Referee) for one in supervisor.services)
        if not there and any(bot.remote for bot in self.store.league(self.league).bots):
            supervisor.add(services.Referee(self.settings, self.store))

    def _loop(self, supervisor: Supervisor, progress: Progress) -> bool:
        connection = valkey.connect(self.settings)
        turn = Turn(self, Reconciler(self.store, connection, self.settings, self.workers), progress)
        patience = Patience(progress.say)
        next_look = 0.0
        while not self.stop:
            with patience:
                supervisor.tick()
                services.check(supervisor)
                if time.monotonic() >= next_look:
                    next_look = time.monotonic() + LOOK_SECONDS
                    self._look(supervisor, progress)
                if turn.over():
                    return True
            self.stop.wait(patience.pause or TICK)
        supervisor.drain(self.stop.urgent)
        return False

    def _look(self, supervisor: Supervisor, progress: Progress) -> None:
        self._see_to_referee(supervisor)
        for line in [] if self.seasons is None else self.seasons.tick():
            progress.say(line)

    def give_up_if_hopeless(self, reconciler: Reconciler) -> None:
        """Stop where nothing is left but matches that break down. Raises click.ClickException with what they said."""
        if reconciler.hopeless(self.league):
            lines = [f"  {stuck.match} ({stuck.failures} failures): {brief(stuck.detail)}" for stuck in reconciler.stuck.values()]
            raise click.ClickException(
                "what is left breaks down whenever it is played, by nobody's fault in the games:\n"
                + "\n".join(lines)
                + f"\nWhen that is put right, go on with:\n  {resume_command(self.league, self.workers)}"
            )


def brief(detail: str) -> str:
    """The first and the last line of a failure's details; the log has the rest."""
    lines = detail.splitlines()
    return detail if len(lines) < 3 else f"{lines[0]} … {lines[-1]}"


@dataclass
class Turn:
    """What a run does again and again: look after the queue, and tell what there is to tell."""

    run: Run
    reconciler: Reconciler
    progress: Progress
    said: str = ""
    due: float = 0.0
    """When to look again at the latest."""

    def over(self) -> bool:
        """Do it once; whether the league is finished. Raises click.ClickException where nothing is left to hope for."""
        if time.monotonic() < self.due and self.reconciler.supplied():
            self.progress.show()
            return False
        self.due = time.monotonic() + REST
        if reconcile(self.reconciler, self.run.league):
            self.progress.show(final=True)
            return True
        self.run.give_up_if_hopeless(self.reconciler)
        self._tell()
        self.progress.show()
        return False

    def _tell(self) -> None:
        while self.reconciler.quarantined:
            self.progress.say(self.reconciler.quarantined.pop(0))
        if self.reconciler.trouble != self.said:
            self.said = self.reconciler.trouble
            self.progress.say(f"trouble, and not the bots': {brief(self.said)} (the match is played on later)")


def reconcile(reconciler: Reconciler, league: str) -> bool:
    """One tick of the reconciler; a league that another command has closed is found so at the next."""
    try:
        return reconciler.tick(league)
    except LeagueClosed:
        return False


class Patience:
    """Bears with a store or a queue server that is away: the `with` block is left, and may be entered again later.

    Args:
        say: told when it begins to be away, and when it is back.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._away = ""
        self.pause = 0.0
        """Seconds to wait before the next try; 0 while all is well."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if isinstance(error, (StoreAway, redis.RedisError)):
            what = "the store" if isinstance(error, StoreAway) else "the queue server"
            if self._away != what:
                self._say(f"{what} is away, waiting for it: {error}")
            self._away, self.pause = what, min(LONGEST_PAUSE, 2 * self.pause or FIRST_PAUSE)
            return True
        if self._away and error is None:
            self._say(f"{self._away} is back")
            self._away, self.pause = "", 0.0
        return False
