"""`arena bridge`: a program without gRPC plays, by lines of JSON."""

from __future__ import annotations

import sys

import click


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--max-tables",
    default=1,
    show_default=True,
    type=click.IntRange(0, 1000),
    help="Tables at once: with 1, a line holds one ask at most; with more it may hold as many; 0 leaves it to the referee.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def bridge(max_tables: int, command: tuple[str, ...]) -> None:
    """Let COMMAND play: the referee's messages are lines of JSON on its stdin, its answers lines of JSON on its stdout.

    Run as a bot is run, which is how it finds its referee: NAME="python -m arena bridge -- awk -W interactive -f bot.awk".
    """
    from arena.bridge import CannotStartError, run  # noqa: PLC0415 - gRPC is not needed for help

    try:
        code = run(command, max_tables)
    except CannotStartError as error:
        raise click.UsageError(str(error)) from None
    sys.exit(code)
