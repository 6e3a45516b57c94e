"""How far a league has come: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TextIO

    from league.model import Progress as Counts

BAR_SECONDS = 0.5
LINE_SECONDS = 10.0
WIDTH = 30


class Progress:
    """Shows progress on standard error for the length of a `with` block.

    Args:
        name: what is being played.
        read: gives the counts; asked only when something is about to be shown.
        out: where to; a terminal gets a bar.
    """

    def __init__(self, name: str, read: Callable[[], Counts], out: TextIO | None = None) -> None:
        self._name = name
        self._read = read
        self._out = sys.stderr if out is None else out
        self._bar = self._out.isatty()
        self._next = 0.0
        self._began = time.monotonic()
        self._done_before: int | None = None

    def show(self, *, final: bool = False) -> None:
        """Show the present counts if it is time to, or this is the last of them."""
        now = time.monotonic()
        if now < self._next and not final:
            return
        self._next = now + (BAR_SECONDS if self._bar else LINE_SECONDS)
        counts = self._read()
        if self._done_before is None:
            self._done_before = counts.games_done
        text = self._text(counts, now - self._began)
        click.echo(f"\r{text}\033[K" if self._bar else text, file=self._out, nl=not self._bar)

    def say(self, text: str) -> None:
        """Say something else in between."""
        click.echo(f"\r{text}\033[K" if self._bar else text, file=self._out)

    def _text(self, counts: Counts, seconds: float) -> str:
        done, total = counts.games_done, counts.games_total
        matches = sum(entry.matches_complete for entry in counts.variants), sum(entry.matches_total for entry in counts.variants)
        text = f"{self._name}: {done}/{total} games, {matches[0]}/{matches[1]} matches"
        fresh = done - (self._done_before or 0)
        if fresh and seconds > 1:
            rate = fresh / seconds
            text += f", {rate:.1f} games/s" + (f", {duration((total - done) / rate)} left" if done < total else "")
        return f"{bar(done, total)} {text}" if self._bar else text

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar:
            click.echo(file=self._out)


def bar(done: int, total: int) -> str:
    """A bar of text."""
    filled = WIDTH * done // max(1, total)
    return f"[{'#' * filled}{'.' * (WIDTH - filled)}]"


def duration(seconds: float) -> str:
    """A time as h:mm:ss or m:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
