from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.referee.matches import bad, order
from tests.referee.processes import bots, marked, wait_until
from worker import attempt, jobs, reserve
from worker.jobs import Player
from worker.reserve import Reserve
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from league.store import Store
    from worker.settings import Settings

MATCH = (sys.executable, "-m", "referee", "match")


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reserve]:
    """What this process holds in reserve."""
    found = Reserve()
    monkeypatch.setattr(jobs, "RESERVE", found)
    yield found
    found.end()


def played(held: Reserve, **more: Any) -> list[dict[str, Any]]:
    """The events of a match that is played by the one in reserve."""
    events: list[dict[str, Any]] = []
    given: Any = order(sets=2, **more)
    ending = attempt.run(given, events.append, lambda: None, held)
    assert ending.kind == "done", ending.detail
    return events


# ---- the referee that stays -------------------------------------------------------------------------------------------


def test_it_plays_order_after_order(tmp_path: Path) -> None:
    """Each match as a fresh one would, whatever bots the others had; it ends well when its stdin does, and leaves nothing."""
    orders = [order(sets=2), order(bad("gentle"), sets=1, variant="turn-up"), order("./no-such-bot", sets=1), order(sets=2)]
    done = subprocess.run(
        [*MATCH, "--stay"], input="".join(json.dumps(one) + "\n" for one in orders[:1]), capture_output=True, text=True, cwd=ROOT,
        check=False, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    with subprocess.Popen(
        [*MATCH, "--stay"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for one in orders:
            child.stdin.write(json.dumps(one) + "\n")
            child.stdin.flush()
            events = []
            while not events or events[-1]["event"] != "done":
                events.append(json.loads(child.stdout.readline()))
            assert events[-1] == {"event": "done", "stays": True}
            assert sum(event["event"] in ("game", "void") for event in events) == len(one["games"])
        child.stdin.close()
        assert child.wait(300) == 0
    assert marked(str(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


HASTY = "import sys, referee.__main__ as command; command.ONE_SHOT = command.ORPHAN_CHECK = 0; sys.exit(command.main())"
"""The referee's command, looking all the time whether its parent is there."""


@contextmanager
def that_has_played(command: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A referee whose first match is done, by what it said just now."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(order(sets=1)) + "\n")
        child.stdin.flush()
        while json.loads(child.stdout.readline())["event"] != "done":
            pass
        yield child


@pytest.mark.parametrize("more", [[], ["--stay"]])
def test_the_end_of_stdin_is_no_death_once_a_match_is_played(tmp_path: Path, more: list[str]) -> None:
    """It ends well then, however often it looks whether its parent is there."""
    with that_has_played([sys.executable, "-c", HASTY, "match", *more], tmp_path) as child:
        out, err = child.communicate("", 300)
    assert (child.returncode, out, err) == (0, "", "")
    assert marked(str(tmp_path)) == []


@pytest.mark.parametrize(("given", "why"), [("null\n", "a JSON object, not null"), ("{\n", "Expecting"), ("{}\n", "lacks")])
def test_a_later_order_that_is_none_ends_it(tmp_path: Path, given: str, why: str) -> None:
    """It says what was wrong, by its exit code too, and leaves nothing."""
    with that_has_played([*MATCH, "--stay"], tmp_path) as child:
        out, err = child.communicate(given, 300)
    assert (child.returncode, out) == (1, "")
    assert "BadOrder" in err
    assert why in err
    assert marked(str(tmp_path)) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_one_that_waits_can_be_stopped(
    held: Reserve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """By a signal too, and then another is started when one is needed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    played(held)
    first = held.take(MATCH)
    held.keep(first)
    first.child.send_signal(number)
    assert first.child.wait(300) != 0
    assert wait_until(lambda: marked(str(tmp_path)) == [])
    assert len(played(held)) == 2
    second = held.take(MATCH)
    assert second.child.pid != first.child.pid
    second.end()


# ---- the reserve ------------------------------------------------------------------------------------------------------


def test_matches_are_played_by_the_same_referee(held: Reserve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it has played its share; every match has bots of its own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(reserve, "MATCHES", 3)
    seen = []
    for number in range(4):
        games = [event for event in played(held, match=f"match {number}") if event["event"] == "game"]
        assert len(games) == 2
        seen.append({pid for pid in marked(str(tmp_path)) if _is_match(pid)})
        assert bots(str(tmp_path)) == [], "those of this match are gone"
    assert seen[0] == seen[1]
    assert seen[2] == set(), "it has played three"
    assert len(seen[3] - seen[0]) == 1


def test_a_match_that_is_broken_off_keeps_nobody(held: Reserve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A referee that was told to stop, or whose games cannot be taken in, ends with its match."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def refuse(_event: dict[str, Any]) -> None:
        raise attempt.Broken("no room")

    given: Any = order(sets=200)
    events: list[object] = []
    assert attempt.run(given, events.append, lambda: "enough" if events else None, held).kind == "stopped"
    assert marked(str(tmp_path)) == []
    assert attempt.run(given, refuse, lambda: None, held).detail.startswith("no room")
    assert marked(str(tmp_path)) == []


def test_the_double_that_does_not_stay_is_waited_for(
    store: Store, settings: Settings, match: str, script: Callable[[str], Path], held: Reserve
) -> None:
    """A referee that does not say that it stays has to end in good order, and each run has one of its own."""
    runs = script("some:6,ok")
    assert Player(store, settings).play(match) == "complete"
    assert runs.read_text() == "2"


def _is_match(pid: int) -> bool:
    with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123 - of a process that may be a zombie
        return b"--stay" in file.read()


@pytest.mark.parametrize("idle", [0.0, 600.0])
def test_it_ends_where_no_match_follows(held: Reserve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idle: float) -> None:
    """After a while without a match, with all that it has started."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(reserve, "IDLE", idle)
    played(held)
    assert len(marked(str(tmp_path))) == 3, "the referee, its launcher and the nursery"
    held.rest()
    assert (marked(str(tmp_path)) == []) == (idle == 0)
    held.end()
    assert marked(str(tmp_path)) == []


def test_a_referee_that_cannot_be_started_is_told(held: Reserve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attempt fails, with the reason."""
    monkeypatch.setattr(attempt, "COMMAND", ("/no/such/program",))
    given: Any = order()
    assert "cannot be started" in attempt.run(given, print, lambda: None, held).detail
