"""`arena verify`: replay match records from nothing but the rules and the key."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.backup import verified
from arena.cli.common import counted
from league.backup import is_backup
from league.errors import BadBackup
from referee.record import Wrong, read
from referee.record import verify as verify_record


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def verify(files: tuple[str, ...]) -> None:
    """Replay match records, or all that are in a league's backup; says OK, or what is wrong first, with exit code 1."""
    failed = sum(not _verify(file) for file in files)
    if failed:
        raise click.exceptions.Exit(1)


def _verify(file: str) -> bool:
    try:
        if is_backup(Path(file)):
            click.echo(f"{file}: OK {verified(Path(file))}")
            return True
        report = verify_record(read(file))
    except BadBackup as error:
        click.echo(f"{file}: WRONG {str(error).removeprefix(f'{file}: ')}")
        return False
    except Wrong as error:
        click.echo(f"{file}: WRONG {error}")
        return False
    except OSError as error:
        click.echo(f"{file}: WRONG cannot be read ({error.strerror})")
        return False
    counts = ", ".join(counted(*count) for count in ((report.sets, "set"), (report.games, "game"), (report.deals, "deal")))
    click.echo(f"{file}: OK {report.variant}, {counts}")
    return True
