"""`arena league`: create leagues, run them, and read what came of them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena import spec
from arena.cli.backup import backup, restore
from arena.cli.common import command_line, counted, opened, say, table
from arena.cli.league_options import league_options
from arena.cli.league_show import show
from arena.cli.run import run
from arena.cli.season import season
from referee import habits as referee_habits
from referee.rules import RulesError

if TYPE_CHECKING:
    from league.model import League, LeagueSpec, Progress
    from league.store import Store


@click.group()
def league() -> None:
    """Create and run leagues; standings and export.

    A league is a round robin: every three of its bots (or two, where two fill a team each) play one match in each of its
    variants.
    """


for command in (run, show, season, backup, restore):
    league.add_command(command)


@league.command()
@click.argument("name")
@click.option("--bots", required=True, metavar="A,B,…", help="Bots that take part, each with its latest version.")
@league_options
@click.option("--key", metavar="HEX", help="The league's secret key, 32 bytes; drawn unless given.")
def create(name: str, bots: str, key: str | None, wanted: LeagueSpec) -> None:
    """Create the league NAME. Its options and clock are fixed from now on; nothing is played yet."""
    try:
        secret = spec.key(key)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    with opened() as (_, store):
        made = store.create_league(replace(wanted, name=name, bots=spec.names(bots), key=secret))
        progress = store.progress(name)
    matches = f"{sum(entry.matches_total for entry in progress.variants)} matches, {progress.games_total} games"
    if made.precision is not None:
        most = counted(made.max_sets or 0, "set")
        matches = f"rounds of {counted(made.sets, 'set')} a pairing, to ± {made.precision:g} Elo or {most}"
    click.echo(f"league {name}: {matches}; key committed to as {made.commitment}")
    say(f"run it with: {command_line('league', 'run', name)}")


@league.command()
@click.argument("name", required=False)
def habits(name: str | None) -> None:
    """Work out how the bots of the league NAME, or of all leagues, bid and played: what their pages on the dashboard show.

    Workers do so when a match is complete. This does the rest: matches of earlier releases, and what was interrupted.
    """
    with opened() as (_, store):
        if name is not None:
            store.league(name)
        done, broken = _work_out(store, name)
    click.echo(f"{done} {'match' if done == 1 else 'matches'} worked out")
    for line in broken:
        say(line)


def _work_out(store: Store, league: str | None) -> tuple[int, list[str]]:
    """Work out every match that is due; how many, and what was wrong with the others. May be broken off and begun again."""
    done, cursor, broken = 0, 0, list[str]()
    while due := store.habits_due(referee_habits.FORMAT, league, after=cursor):
        for cursor, match_id in due:  # noqa: B007 -- the next look begins after the last one
            try:
                found = referee_habits.of_record(store.record_lines(match_id), store.match_key(match_id))
                completed_at = store.match(match_id).completed_at
                done += completed_at is not None and store.save_habits(match_id, completed_at, referee_habits.FORMAT, found)
            except (RulesError, ValueError) as error:
                broken.append(f"{match_id}: {error}")
    return done, broken


@league.command("list")
def list_leagues() -> None:
    """List the leagues, the newest first."""
    with opened() as (_, store):
        rows = [_row(store, entry) for entry in store.leagues()]
    click.echo(table(["league", "created", "variants", "bots", "sets", "games", "state"], rows, left=3))


def _row(store: Store, entry: League) -> list[object]:
    progress = store.progress(entry.name)
    created = time.strftime("%Y-%m-%d %H:%M", time.gmtime(entry.created_at))
    variants = " ".join(variant.label for variant in entry.variants)
    games = f"{progress.games_done}/{progress.games_total}"
    return [entry.name, created, variants, len(entry.bots), entry.sets, games, state(entry, progress)]


def state(entry: League, progress: Progress) -> str:
    """A league's state in a word."""
    if entry.revealed_at is not None:
        return "finished" if progress.complete else "abandoned"
    return "running" if any(variant.matches_running for variant in progress.variants) else "open"


@league.command()
@click.argument("name")
def status(name: str) -> None:
    """Say how far the league NAME has come, and what has gone wrong in it."""
    with opened() as (_, store):
        entry, progress = store.league(name), store.progress(name)
        rows = [
            [
                *(one.label, f"{one.matches_complete}/{one.matches_total}", one.matches_running),
                *(f"{one.sets_done}/{one.sets_total}", f"{one.games_done}/{one.games_total}"),
            ]
            for one in progress.variants
        ]
        troubles = _troubles(store, name)
    click.echo(f"league {name}: {state(entry, progress)}")
    click.echo(f"commitment {entry.commitment}")
    click.echo(f"key        {entry.key.hex() if entry.key is not None else 'secret until the league is finished'}")
    click.echo(table(["variant", "matches", "running", "sets", "games"], rows))
    for line in troubles:
        click.echo(line)


def _troubles(store: Store, name: str) -> list[str]:
    """A line for every match under way whose last attempt failed."""
    lines = []
    for match in store.matches(name, state="open"):
        ended = [attempt for attempt in store.attempts(match.id) if attempt.ended_at is not None]
        if ended and ended[0].outcome in {"infrastructure", "lost"}:
            lines.append(f"{match.id}: last attempt ({ended[0].worker}) {ended[0].outcome}: {ended[0].detail or 'no word'}")
    return lines


@league.command()
@click.argument("name")
@click.option("--variant", "label", help="One variant of the league only; all together and each by itself unless given.")
def standings(name: str, label: str | None) -> None:
    """Print the standings of the league NAME, from all sets that are complete."""
    from arena.cli.standings import standings_text  # noqa: PLC0415  (numpy: not for every command)

    with opened() as (_, store):
        click.echo(standings_text(store, name, label))


@league.command()
@click.argument("name")
@click.option("--to", "folder", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to write to.")
def export(name: str, folder: Path) -> None:
    """Write the league NAME to a folder: standings and results as CSV and JSON, and the record of every complete match."""
    from league.export import export_league  # noqa: PLC0415  (numpy: not for every command)

    with opened() as (_, store):
        files = export_league(store, name, folder)
    click.echo(f"{len(files)} files in {folder}")


@league.command("add-bot")
@click.argument("name", metavar="LEAGUE")
@click.argument("bot")
@click.option("--version", type=click.IntRange(1), help="Version of the bot; the latest unless given.")
@click.option("--replace", "replacing", is_flag=True, help="Take the place of another version of it, which is withdrawn.")
def add_bot(name: str, bot: str, version: int | None, replacing: bool) -> None:
    """Let BOT join LEAGUE while it is played: it gets its missing matches, and nobody else's change."""
    with opened() as (_, store):
        before = store.progress(name)
        joined = store.add_league_bot(name, bot, version, replace=replacing)
        after = store.progress(name)
    member = next(entry for entry in joined.bots if entry.bot == bot)
    more = after.games_total - before.games_total
    what = "its first round comes next" if joined.precision is not None else f"{more:+} games to play"
    click.echo(f"{member} plays in league {name}: {what}")


@league.command("withdraw-bot")
@click.argument("name", metavar="LEAGUE")
@click.argument("bot")
def withdraw_bot(name: str, bot: str) -> None:
    """Take BOT out of LEAGUE while it is played: what it has played stays, its other matches are dropped."""
    with opened() as (_, store):
        left = store.withdraw_league_bot(name, bot)
    click.echo(f"{bot} is withdrawn from league {name}; {len(left.bots)} bots play on")


@league.command()
@click.argument("name")
@click.confirmation_option(prompt="Its key becomes public, and it can never be played on. Abandon it?")
def abandon(name: str) -> None:
    """End the league NAME before all is played, and publish its key."""
    with opened() as (_, store):
        store.finish_league(name, abandon=True)
    click.echo(f"league {name} abandoned")
