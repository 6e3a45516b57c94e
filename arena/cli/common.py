"""What several commands need: the store with the sample bots in it, and tables of text."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.settings import from_env
from league.errors import StoreAway
from league.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.settings import Settings
    from worker.supervise import Stopping

SAMPLES = {
    "random": "python -m sample_bots.python.random_bot",
    "lowest": "python -m sample_bots.python.lowest",
    "greedy": "python -m sample_bots.python.greedy",
    "counter": "python -m sample_bots.python.counter",
    "monte-carlo": "python -m sample_bots.python.monte_carlo",
}
"""The sample bots that a new store starts with, and their command lines."""


AWAY_SECONDS = 2.0
"""Seconds between two tries to reach a store that a service waits for."""


@contextmanager
def opened(settings: Settings | None = None, wait: Stopping | None = None) -> Iterator[tuple[Settings, Store]]:
    """The settings and the store, made where missing, with the sample bots in it if it is new.

    Args:
        settings: those of the environment unless given.
        wait: given by services: they wait for a store that does not answer yet, until somebody asks to stop (`click.Abort`).
    """
    settings = settings or from_env()
    settings.data.mkdir(parents=True, exist_ok=True)
    with _open(settings.store_url, wait) as store:
        yield settings, store


def _open(url: str, wait: Stopping | None) -> Store:
    said = False
    while True:
        try:
            store = Store.open(url)
            if not store.bots(removed=True):
                for name, command in SAMPLES.items():
                    store.add_bot(name, command)
        except StoreAway as error:
            if wait is None or url.startswith("sqlite"):
                raise
            if not said:
                say(f"waiting for the store: {error}")
            said = True
            if wait.wait(AWAY_SECONDS):
                raise click.Abort from error
        else:
            return store


def table(header: Sequence[str], rows: Sequence[Sequence[object]], left: int = 1) -> str:
    """A table of text; the first `left` columns are flush left, the others flush right."""
    cells = [list(map(str, row)) for row in [header, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return "\n".join(_line(row, widths, left) for row in cells)


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    pairs = enumerate(zip(row, widths, strict=True))
    return "  ".join(text.ljust(width) if column < left else text.rjust(width) for column, (text, width) in pairs).rstrip()


def command_line(*words: str) -> str:
    """The command that a user types to run `arena` with these arguments in the same way as now."""
    program = Path(sys.argv[0])
    start = [_short(Path(sys.executable)), "-m", "arena"] if program.name == "__main__.py" else [_short(program)]
    return shlex.join([*start, *words])


def _short(program: Path) -> str:
    """A program as one types it here: by a path from this folder where it lies below."""
    return str(program.relative_to(Path.cwd())) if program.is_relative_to(Path.cwd()) else str(program)


def say(text: str) -> None:
    """A line for the person at the terminal, beside a command's real output."""
    click.echo(text, err=True)


def counted(number: int, thing: str) -> str:
    """A number of things: "1 set", "2 sets"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
