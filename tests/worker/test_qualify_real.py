"""Qualification end to end: real workers, the real check, real matches; one good bot and three bad ones."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

import pytest

from league.store import Store
from tests.worker.arenas import Arena
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from league.model import Submission

pytestmark = [pytest.mark.slow, pytest.mark.needs("bubblewrap")]

BOTS = ROOT / "tests" / "bots" / "hosted"
PATIENCE = 600.0


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    made = Arena(tmp_path)
    yield made
    made.close()


def settled(store: Store, names: tuple[str, ...]) -> dict[str, Submission]:
    """Wait until nothing of these bots is to be qualified any more."""
    end = time.monotonic() + PATIENCE
    while True:
        found = {name: store.submission(name) for name in names}
        if not any(one.pending for one in found.values()):
            return found
        assert time.monotonic() < end, {name: (one.state, one.note) for name, one in found.items()}
        time.sleep(0.2)


def test_one_good_bot_and_three_bad_ones(arena: Arena) -> None:
    """Workers that `arena up` runs find what was submitted, qualify the good bot, fail the others, and say why."""
    names = ("good", "illegal", "crash", "nobuild")
    arena("owner", "add", "ann")
    for name in names:
        assert f"{name} v1 submitted" in arena("submit", str(BOTS / name), "--owner", "ann", "--no-wait")
    arena.start("up", "--workers", "2", "--bind", "127.0.0.1:0")
    with Store(arena.store_url) as store:
        found = settled(store, names)
        assert {name: one.state for name, one in found.items()} == {
            "good": "qualified", "illegal": "failed", "crash": "failed", "nobuild": "failed",
        }, {name: one.reason for name, one in found.items()}  # fmt: skip
        assert [step["name"] for step in found["good"].report] == ["check", "turn-up"]
        assert "Answers a question, legally and in time" in found["illegal"].reason
        assert "Starts in time and says Hello" in found["crash"].reason
        assert found["nobuild"].reason.startswith("the build failed")
        assert store.bot("good").promoted == 1
    assert "no such file: weights.bin" in arena("submission", "log", "crash")
    assert "I play what I like" in arena("submission", "log", "illegal")
    assert "no compiler" in arena("submission", "log", "nobuild")


def test_a_killed_worker_loses_nothing(arena: Arena, tmp_path: Path) -> None:
    """A submission whose worker is killed with -9 is qualified by the next; the league then plays it as it was scheduled."""
    from tests.worker.arenas import kill  # noqa: PLC0415

    arena.env["ARENA_LEASE_SECONDS"] = "3"
    arena("owner", "add", "ann")
    arena("submit", str(BOTS / "good"), "--owner", "ann", "--no-wait")
    arena.start("up", "--workers", "1", "--bind", "127.0.0.1:0")
    with Store(arena.store_url) as store:
        end = time.monotonic() + PATIENCE
        while store.submission("good").state != "qualifying":
            assert time.monotonic() < end, store.submission("good")
            time.sleep(0.05)
        for pid in arena.find("worker"):
            kill(pid)
        assert settled(store, ("good",))["good"].state == "qualified"
        arena("league", "create", "cup", "--variants", "turn-up", "--bots", "good,lowest", "--sets", "1", "--format", "deals:2")
        changed = shutil.copytree(BOTS / "good", tmp_path / "changed")
        (changed / "bot.py").write_text((changed / "bot.py").read_text() + "# version 2\n")
        arena("submit", str(changed), "--owner", "ann", "--no-wait")
        assert settled(store, ("good",))["good"].version == 2
        while store.league("cup").revealed_at is None:
            assert time.monotonic() < end, store.progress("cup")
            time.sleep(0.2)
        assert {bot.version for match in store.matches("cup") for bot in match.lineup if bot.bot == "good"} == {1}
        assert [result.faults for result in store.results("cup") if any(result.faults)] == []
