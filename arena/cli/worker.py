"""`arena worker`: run workers, see what they do, and put those in quarantine that cannot be trusted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from arena import services
from arena.cli.common import command_line, counted, opened, say, table
from arena.cli.sandbox import unsandboxed_option, warn_without_isolation
from arena.cli.serve import watch
from worker.pulse import LONGEST_BEAT, worker_id
from worker.supervise import Supervisor, stopping

if TYPE_CHECKING:
    from league.model import SetAside, Worker
    from league.store_quarantine import Suspects

SILENCE = 3 * LONGEST_BEAT
"""Seconds without a sign of life after which a process does not count as live."""
STUCK = 600.0
"""Seconds without a new game after which a live worker is shown as not progressing."""


@click.group(invoke_without_command=True)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="How many processes.")
@unsandboxed_option
@click.pass_context
def worker(context: click.Context, workers: int) -> None:
    """Run processes that play queued matches, until they are stopped; the commands below tell of all workers.

    They take from the queue of REDIS_URL, or of the embedded server of this data folder, which is started if it does not run yet.

    SIGTERM lets them finish the games in hand (at most ARENA_DRAIN_SECONDS) and give the rest back at once; a second SIGTERM,
    or Ctrl-C, stops them where they are. Either way nothing is lost. Each process makes way for a fresh one after
    ARENA_WORKER_MATCHES matches or ARENA_WORKER_HOURS hours.
    """
    if context.invoked_subcommand is None:
        _run(workers)


def _run(workers: int) -> None:
    with stopping() as stop, opened(wait=stop) as (settings, _), Supervisor() as supervisor:
        supervisor.add(services.queue(settings))
        services.wait_for_queue(settings, supervisor, stop, patient=True)
        for one in services.workers(settings, workers):
            supervisor.add(one)
        name = worker_id(settings.data)
        say(f"worker {name}, {workers} process{'es' if workers > 1 else ''}; logs in {settings.logs}")
        warn_without_isolation()
        watch(supervisor, stop)


@worker.command("list")
def list_workers() -> None:
    """List the workers: whether they are live, whether they progress, and whether they are in quarantine.

    Live is who has been heard from within half a minute; progress is the time since the last game that it reported.
    """
    now = time.time()
    with opened() as (_, store):
        found = store.workers()
    header = ["worker", "host", "state", "processes", "heard", "progress", "matches", "games", "late", "set aside"]
    click.echo(table(header, [_row(one, now) for one in found], left=3))
    for one in found:
        if one.quarantined_at is not None:
            click.echo(f"{one.uuid} has been in quarantine for {_ago(one.quarantined_at, now)}: {one.reason}")


def _row(one: Worker, now: float) -> list[object]:
    heard = max((process.heartbeat_at for process in one.processes), default=None)
    live = len(one.live(now, SILENCE))
    facts = [one.uuid, one.host, state(one, now), live, _ago(heard, now), _ago(one.progress_at, now)]
    return [*facts, one.matches, one.games, one.late, one.aside]


def state(one: Worker, now: float) -> str:
    """A worker's state in a word: quarantined, gone, live (heard from, but no game for long, or ever), or progressing."""
    if one.quarantined_at is not None:
        return "quarantined"
    if not one.live(now, SILENCE):
        return "gone"
    return "progressing" if one.progress_at is not None and now - one.progress_at < STUCK else "live"


def _ago(then: float | None, now: float) -> str:
    if then is None:
        return "never"
    seconds = max(0, round(now - then))
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


@worker.command()
@click.argument("name")
@click.option("--reason", default="by hand", show_default=True, help="Why, for whoever lists the workers.")
@click.option(
    "--games",
    type=click.Choice(["late", "all", "none"]),
    default="late",
    show_default=True,
    help="Which of its games to set aside and play again: those of attempts in which a bot was too late, all, or none.",
)
def quarantine(name: str, reason: str, games: Suspects) -> None:
    """Forbid the worker NAME (UUID, the beginning of one, or its host) to play, and set its suspect games aside.

    They stop to count, stay listed (`arena worker aside`), and are played again with the same deals. Games of finished leagues
    stay, and those of complete sets with remote bots, which may know the deals by now.
    """
    with opened() as (_, store):
        count = store.quarantine(name, reason, games)
    click.echo(f"{name} is in quarantine; {counted(count, 'game')} set aside")
    say(f"undo with: {command_line('worker', 'release', name, '--restore')}")


@worker.command()
@click.argument("name")
@click.option("--restore", is_flag=True, help="Let its games count again; their replays are set aside instead.")
def release(name: str, restore: bool) -> None:
    """Let the worker NAME play again."""
    with opened() as (_, store):
        store.release_worker(name)
        count = store.restore_games(name) if restore else 0
    click.echo(f"{name} may play again; {counted(count, 'game')} restored" if restore else f"{name} may play again")


@worker.command()
@click.argument("name", required=False)
def aside(name: str | None) -> None:
    """List the games that were set aside, of the worker NAME or of all."""
    with opened() as (_, store):
        rows = [
            [game.match, game.set, "".join(map(str, game.seating)), game.worker, _when(game.set_aside_at), _fate(game)]
            for game in store.set_aside(name)
        ]
    click.echo(table(["match", "set", "seating", "worker", "set aside", "now"], rows, left=1))


def _when(then: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(then))


def _fate(game: SetAside) -> str:
    if game.restored_at is not None:
        return "restored"
    return "played again" if game.replayed else "to be played again"
