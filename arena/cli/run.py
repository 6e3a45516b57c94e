"""`arena league run`: play a league to its end, here and now."""

from __future__ import annotations

import os
import shlex
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import redis
import sqlalchemy.exc

from arena import services
from arena.cli.common import command_line, opened, say
from arena.cli.progress import Progress
from arena.cli.sandbox import unsandboxed_option
from league.errors import LeagueClosed
from worker import valkey
from worker.scheduler import Reconciler
from worker.supervise import Stopping, Supervisor, stopping

if TYPE_CHECKING:
    from arena.settings import Settings
    from league.store import Store

TICK = 0.2
"""Seconds between two looks at children, queue and store."""
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
        reconciler = Reconciler(self.store, connection, self.settings, self.workers)
        said = ""
        while not self.stop:
            supervisor.tick()
            services.check(supervisor)
            if reconcile(reconciler, self.league):
                progress.show(final=True)
                return True
            self._give_up_if_hopeless(reconciler)
            if reconciler.trouble != said:
                said = reconciler.trouble
                progress.say(f"trouble, and not the bots': {brief(said)} (the match is played on later)")
            progress.show()
            self.stop.wait(TICK)
        return False

    def _give_up_if_hopeless(self, reconciler: Reconciler) -> None:
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


def reconcile(reconciler: Reconciler, league: str) -> bool:
    """One tick of the reconciler; a queue server or a store that is away for the moment is tried again at the next."""
    try:
        return reconciler.tick(league)
    except (redis.RedisError, LeagueClosed):  # closed: by another command, as the next look will find
        return False
    except sqlalchemy.exc.OperationalError as error:
        say(f"the store is busy: {error.orig}")
        time.sleep(1)
        return False
