"""`arena league run`: play a league to its end, here and now."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import click
import redis

from arena import services
from arena.cli.common import command_line, opened, say
from arena.cli.progress import Progress
from league.errors import LeagueClosed, StoreAway
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
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
"""Seconds before a store or queue server that is away is tried again: the first time, and at most."""
INTERRUPTED = 130
"""Exit code of a run that was stopped before the league's end, as shells have it for Ctrl-C."""


def default_workers() -> int:
    """One worker for each processor that this process may use."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@click.command()
@click.argument("name")
@click.option("--workers", type=click.IntRange(0), help="Workers to start; one a processor unless given, 0 if others play.")
def run(name: str, workers: int | None) -> None:
    """Play the league NAME to its end, or on from where it was left.

    Starts what is needed (queue server, workers, a referee for remote bots) and stops it at the end. Stop it at any time:
    nothing is lost, and the same command goes on.
    """
    from arena.cli.standings import broken_bots, standings_text  # noqa: PLC0415  (numpy: at the end, when all is played)

    number = default_workers() if workers is None else workers
    with opened() as (settings, store), stopping() as stop:
        store.league(name)
        finished = Run(settings, store, name, number, stop).play()
        if not finished:
            say(f"stopped; nothing is lost. Go on with:\n  {resume_command(name, workers)}")
            raise SystemExit(INTERRUPTED)
        click.echo(standings_text(store, name))
        for bot in broken_bots(store, name):
            say(f"warning: {bot} often could not start, crashed or went away; see {command_line('bot', 'log', bot)}")


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
        if any(bot.remote for bot in self.store.league(self.league).bots) and self.settings.referee is None:
            supervisor.add(services.Referee(self.settings, self.store))
        for worker in services.workers(self.settings, self.workers):
            supervisor.add(worker)

    def _loop(self, supervisor: Supervisor, progress: Progress) -> bool:
        connection = valkey.connect(self.settings)
        turn = Turn(self, Reconciler(self.store, connection, self.settings, self.workers), progress)
        patience = Patience(progress.say)
        while not self.stop:
            with patience:
                supervisor.tick()
                services.check(supervisor)
                if turn.over():
                    return True
            self.stop.wait(patience.pause or TICK)
        supervisor.drain(self.stop.urgent)
        return False

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

    def over(self) -> bool:
        """Do it once; whether the league is finished. Raises click.ClickException where nothing is left to hope for."""
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
