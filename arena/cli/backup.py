"""`arena league backup` and `restore`: a league as one file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common import command_line, counted, opened, say
from league.backup import Backup
from referee.record import Wrong, verify

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command()
@click.argument("name")
@click.option(
    "--to", "file", type=click.Path(dir_okay=False, path_type=Path), required=True, help="File to write; it is replaced."
)
def backup(name: str, file: Path) -> None:
    """Write the league NAME to one file, with all that it needs to be played on; also while it is played.

    Until a league is finished the file holds its secret key: whoever reads it knows every deal to come.
    """
    with opened() as (_, store):
        saved = store.backup_league(name, file)
        progress = store.progress(name)
    click.echo(f"league {name} in {file}, {counted(progress.games_done, 'game')}")
    if saved.revealed_at is None:
        say(f"warning: {file} holds the secret key of league {name}; keep it to yourself until the league is finished")
    say(f"check it with: {command_line('verify', str(file))}")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--as", "name", metavar="NAME", help="Another name for the league; its deals and records stay what they are.")
def restore(file: Path, name: str | None) -> None:
    """Store the league in FILE, a backup, with its bots, matches and results. It can be played on."""
    with opened() as (_, store), Backup(file) as opened_file:
        made = store.restore_league(opened_file, name)
        progress = store.progress(made.name)
    click.echo(f"league {made.name}: {progress.games_done} of {progress.games_total} games, {len(made.bots)} bots")
    if made.revealed_at is None:
        say(f"go on with: {command_line('league', 'run', made.name)}")


def verified(file: Path) -> str:
    """Check a backup and replay every complete record in it; returns what it holds.

    Raises:
        BadBackup: it is damaged, or its keys do not fit together.
        Wrong: a record in it is wrong; says which.
    """
    with Backup(file) as found:
        found.check_keys()
        reports = list(_reports(found))
        name, matches = found.manifest["league"]["name"], found.manifest["matches"]["stored"]
    games = sum(games for games, _ in reports)
    whole = sum(complete for _, complete in reports)
    rest = f", {counted(matches - whole, 'match').replace('matchs', 'matches')} not complete" if matches > whole else ""
    return f"backup of league {name}, {counted(whole, 'record')} of complete matches with {counted(games, 'game')}{rest}"


def _reports(found: Backup) -> Iterator[tuple[int, bool]]:
    """Games in each record, and whether it is of a complete match; others are not to be replayed without their key."""
    for name, lines in found.records():
        if "end" not in lines[-1]:
            yield 0, False
            continue
        try:
            yield verify(lines).games, True
        except Wrong as error:
            raise Wrong(f"{name}: {error.where}", error.what) from None
