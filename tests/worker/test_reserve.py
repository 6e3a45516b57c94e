from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.referee.matches import bad, order
from tests.referee.processes import marked, wait_until
from worker import jobs, reserve
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


def ahead(given: str, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A referee that loads everything first, and what it makes of an order."""
    return subprocess.run(
        [*MATCH, "--ahead", *words], input=given, capture_output=True, text=True, cwd=ROOT, check=False,
        env={**os.environ, "TMPDIR": str(folder)},
    )  # fmt: skip


# ---- the referee that waits -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [(), ("--nursery",)])
def test_it_plays_the_order_that_comes(tmp_path: Path, words: Sequence[str]) -> None:
    """Whatever it has made ready, it plays what is ordered; nothing of it is left."""
    done = ahead(json.dumps(order(bad("gentle"), sets=2)) + "\n", *words, folder=tmp_path)
    events = [json.loads(line)["event"] for line in done.stdout.splitlines()]
    assert (done.returncode, events.count("game"), events[-1]) == (0, 2, "done"), done.stderr
    assert marked(str(tmp_path)) == []


@pytest.mark.parametrize("words", [(), ("--nursery",)])
def test_it_ends_well_without_an_order(tmp_path: Path, words: Sequence[str]) -> None:
    """Its stdin is closed: it says nothing, and leaves nothing."""
    done = ahead("", *words, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert marked(str(tmp_path)) == []


@pytest.mark.parametrize(("given", "why"), [("null\n", "cannot be read"), ("{\n", "Expecting"), ("{}\n", "lacks")])
def test_what_is_no_order_is_refused_as_ever(tmp_path: Path, given: str, why: str) -> None:
    """Exit code 2, with the reason, by whichever way it was started."""
    done = ahead(given, "--nursery", folder=tmp_path)
    fresh = subprocess.run(MATCH, input=given, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == fresh.returncode == 2
    assert done.stderr == fresh.stderr
    assert marked(str(tmp_path)) == []


# ---- the reserve ------------------------------------------------------------------------------------------------------


def test_the_next_match_is_played_by_the_one_in_reserve(
    store: Store, settings: Settings, match: str, script: Callable[[str], Path], held: Reserve
) -> None:
    """When a match nears its end the next one's referee is started, once, and it is that which plays."""
    runs = script("some:6,ok")
    assert Player(store, settings).play(match) == "complete"
    assert runs.read_text() == "2"
    first = int(runs.with_suffix(".pid").read_text())
    waiting = held.take()
    assert waiting is not None
    assert waiting.poll() is None
    assert waiting.pid != first, "the second run was played by the reserve of the first, which made another"
    assert runs.read_text() == "2", "no order has come"
    waiting.kill()
    waiting.communicate()


def test_one_that_has_died_is_not_taken(held: Reserve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while it waits, it is replaced when it is needed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    held.prepare(MATCH, order())
    held.prepare(MATCH, order())
    waiting = [pid for pid in marked(str(tmp_path)) if _is_match(pid)]
    assert len(waiting) == 1
    os.kill(waiting[0], signal.SIGKILL)
    assert wait_until(lambda: not _is_match(waiting[0]))
    assert held.take() is None
    assert wait_until(lambda: marked(str(tmp_path)) == [])


def _is_match(pid: int) -> bool:
    with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123 - of a process that may be a zombie
        return b"--ahead" in file.read()


@pytest.mark.parametrize("idle", [0.0, 600.0])
def test_it_ends_where_no_match_follows(held: Reserve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idle: float) -> None:
    """After a while without a match, with all that it has started."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(reserve, "IDLE", idle)
    held.prepare(MATCH, order())
    assert wait_until(lambda: len(marked(str(tmp_path))) == 3), "the referee, its launcher and the nursery"
    held.rest()
    assert (marked(str(tmp_path)) == []) == (idle == 0)
    held.end()
    assert marked(str(tmp_path)) == []


def test_a_nursery_is_for_python_outside_a_sandbox(held: Reserve) -> None:
    """What the bots of the match in play are is what the next one is made ready for."""
    told = ("sh", "-c", 'echo "$@"; read order', "sh")
    for python, words in (({"run": "python bot.py"}, b"--ahead --nursery\n"), ({}, b"--ahead\n")):
        held.prepare(told, {"lineup": [{"run": "./bot"}, {"run": "python bot.py", "sandbox": {"tree": "/x"}}, python]})
        child = held.take()
        assert child is not None
        assert child.communicate(b"no\n")[0] == words


def test_a_referee_that_cannot_be_started_is_no_matter(held: Reserve) -> None:
    """It is tried again when it is needed, and told then."""
    held.prepare(("/no/such/program",), {"lineup": []})
    assert held.take() is None
