"""`arena verify`: replay match records from nothing but the rules and the key."""

from __future__ import annotations

import click

from arena.cli.common import counted
from referee.record import Wrong, read
from referee.record import verify as verify_record


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def verify(files: tuple[str, ...]) -> None:
    """Replay match records; says OK, or the first thing that is wrong, with exit code 1."""
    failed = sum(not _verify(file) for file in files)
    if failed:
        raise click.exceptions.Exit(1)


def _verify(file: str) -> bool:
    try:
        report = verify_record(read(file))
    except Wrong as error:
        click.echo(f"{file}: WRONG {error}")
        return False
    except OSError as error:
        click.echo(f"{file}: WRONG cannot be read ({error.strerror})")
        return False
    counts = ", ".join(counted(*count) for count in ((report.sets, "set"), (report.games, "game"), (report.deals, "deal")))
    click.echo(f"{file}: OK {report.variant}, {counts}")
    return True
