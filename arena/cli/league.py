"""`arena league`: create leagues, run them, and read what came of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena import spec
from arena.cli.clock import clock_options
from arena.cli.common import command_line, opened, say, table
from arena.cli.run import run
from referee.rules import VARIANTS

if TYPE_CHECKING:
    from league.model import League, Progress
    from league.store import Store


@click.group()
def league() -> None:
    """Create and run leagues; standings and export.

    A league is a round robin: every three of its bots (or two, where two fill a team each) play one match in each of its
    variants.
    """


league.add_command(run)


@league.command()
@click.argument("name")
@click.option(
    "--variants",
    required=True,
    metavar="V[:o=v;o=v],…",
    help=f"Variants to play, with options if any: {', '.join(variant.name for variant in VARIANTS)}.",
)
@click.option("--bots", required=True, metavar="A,B,…", help="Bots that take part, each with its latest version.")
@click.option("--sets", type=click.IntRange(1), required=True, help="Duplicate sets a match.")
@click.option("--format", "fmt", default="game", show_default=True, metavar="game|deals:N", help="Whole games, or N deals.")
@click.option("--option", "options", multiple=True, metavar="VARIANT.OPTION=VALUE", help="An option of a variant; repeatable.")
@clock_options
@click.option("--remote-sets", is_flag=True, help="Duplicate sets for remote bots too, though they could remember a deal.")
@click.option("--key", metavar="HEX", help="The league's secret key, 32 bytes; drawn unless given.")
def create(  # noqa: PLR0913, PLR0917  (one parameter an option)
    name: str,
    variants: str,
    bots: str,
    sets: int,
    fmt: str,
    options: tuple[str, ...],
    remote_sets: bool,
    key: str | None,
    clock: dict[str, float],
) -> None:
    """Create the league NAME. Its bots' versions, options and clock are fixed from now on; nothing is played yet."""
    try:
        words = spec.spread(spec.variant_words(variants), options)
        wanted = spec.league_spec(
            name,
            words,
            spec.names(bots),
            sets,
            fmt=fmt,
            clock=clock,
            key=spec.key(key),
            remote_sets=remote_sets,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    with opened() as (_, store):
        made = store.create_league(wanted)
        progress = store.progress(name)
    matches = sum(entry.matches_total for entry in progress.variants)
    click.echo(f"league {name}: {matches} matches, {progress.games_total} games; key committed to as {made.commitment}")
    say(f"run it with: {command_line('league', 'run', name)}")


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


@league.command()
@click.argument("name")
@click.confirmation_option(prompt="Its key becomes public, and it can never be played on. Abandon it?")
def abandon(name: str) -> None:
    """End the league NAME before all is played, and publish its key."""
    with opened() as (_, store):
        store.finish_league(name, abandon=True)
    click.echo(f"league {name} abandoned")
