"""Progress as it is shown: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from arena.cli.progress import Progress, bar, duration
from arena.cli.run import brief, resume_command
from league.model import Progress as Counts
from league.model import VariantProgress

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    """A file that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def counts(done: int, total: int = 12) -> Counts:
    """Counts of a league of one match."""
    return Counts("cup", (VariantProgress("turn-up", "turn-up", 1, int(done == total), 1, total, done, 6, done // 2),))


def test_lines_now_and_then() -> None:
    """Where there is no terminal a line comes at once and at the end, and not for every look in between."""
    out = io.StringIO()
    with Progress("cup", lambda: counts(3), out) as progress:
        for _ in range(5):
            progress.show()
        progress.say("something else")
        progress.show(final=True)
    assert out.getvalue() == "cup: 3/12 games, 0/1 matches\nsomething else\ncup: 3/12 games, 0/1 matches\n"


def test_a_bar_on_a_terminal() -> None:
    """On a terminal one line is written over and over, and ended at the end."""
    out = Terminal()
    with Progress("cup", lambda: counts(6), out) as progress:
        progress.show()
        progress.show(final=True)
    assert out.getvalue() == ("\r[###############...............] cup: 6/12 games, 0/1 matches\033[K" * 2) + "\n"


def test_bars_and_durations() -> None:
    """A bar is as full as the work is done, also of no work at all; times read as people write them."""
    assert bar(0, 0) == bar(0, 7) == "[" + "." * 30 + "]"
    assert bar(7, 7) == "[" + "#" * 30 + "]"
    assert [duration(seconds) for seconds in (0, 59.6, 61, 3661)] == ["0:00", "1:00", "1:01", "1:01:01"]


def test_the_resume_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that goes on carries the environment that says where the league is, and the program as it was called."""
    for name in ("ARENA_STORE", "REDIS_URL", "ARENA_QUEUE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARENA_DATA", "/my data")
    monkeypatch.setattr("sys.argv", [".venv/bin/arena"])
    assert resume_command("cup", 3) == "ARENA_DATA='/my data' .venv/bin/arena league run cup --workers 3"
    monkeypatch.delenv("ARENA_DATA")
    monkeypatch.setattr("sys.argv", ["/somewhere/arena/__main__.py"])
    assert resume_command("cup", None).endswith("-m arena league run cup")


def test_long_details_are_cut() -> None:
    """Of a long failure the first and the last line are shown."""
    assert brief("one\ntwo") == "one\ntwo"
    assert brief("what\nTraceback\n  File\nwhy") == "what … why"
