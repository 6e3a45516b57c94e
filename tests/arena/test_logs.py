"""`arena logs`: from a bot that really fails to what its owner reads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from league.store import Store
from tests.league.samples import make_league
from tests.referee.matches import Outcome, bad, order, run

if TYPE_CHECKING:
    from pathlib import Path

MATCH = "summer/ghost-hand/0"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """A match with a bot whose answers are illegal."""
    return run(order(bad("illegal", "card"), clock={"faults": 3}))


def logged(outcome: Outcome) -> list[dict[str, Any]]:
    return [log for event in outcome.events if event["event"] == "game" for log in event.get("fault_logs", ())]


def test_a_fault_comes_with_what_went_before(outcome: Outcome) -> None:
    """Deal, move and cause as in the record, the ask as it was sent, and the answer that was none of those allowed."""
    logs = logged(outcome)
    game = outcome.games[0, (0, 1, 2)]
    faults = [
        (deal, fault["move"], fault["seat"], fault["cause"])
        for deal, played in enumerate(game["deals"])
        for fault in played["faults"]
    ]
    assert [(log["deal"], log["move"], log["seat"], log["cause"]) for log in logs] == faults
    assert len(faults) == 3
    for log in logs:
        last = log["exchanges"][-1]
        allowed = last["ask"]["legal_cards"] + last["ask"]["legal_calls"]
        assert allowed
        assert not {last["answer"]["card"], last["answer"]["call"]} & set(allowed)
        assert "is not legal" in log["detail"]
        assert last["ask"]["view"]["seat"] == log["seat"]
        assert 1 <= len(log["exchanges"]) <= 4
        assert all(entry["answer"]["ask"] == entry["ask"]["id"] for entry in log["exchanges"])


def test_a_bot_that_is_silent_has_an_ask_and_no_answer() -> None:
    """The ask of the fault is the last one."""
    logs = logged(run(order(bad("silent_after", 2), clock={"answer": 0.5, "bank": 0.0, "faults": 1})))
    assert [len(log["exchanges"]) for log in logs] == [3]
    assert [entry["answer"] is None for entry in logs[0]["exchanges"]] == [False, False, True]


def arena(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ARENA_DATA": str(folder)}
    return subprocess.run([sys.executable, "-m", "arena", *words], check=False, env=environment, capture_output=True, text=True)


def test_the_owner_reads_them(outcome: Outcome, tmp_path: Path) -> None:
    """All of them in short, one of them in full, or as JSON; a number that is too high and a bot that is not there are told."""
    with Store.open(f"sqlite:///{tmp_path}/arena.db") as store:
        make_league(store)
        claim = store.claim(MATCH, "w", 60)
        assert claim is not None
        bot = store.match(MATCH).lineup[0].bot
        for log in logged(outcome):
            store.add_fault_log(claim, bot=bot, set=0, seating=(0, 1, 2), log=log)
        for event in outcome.logs:
            store.add_log(
                claim, bot=bot, seat=event["seat"], seating=(0, 1, 2), exit=event["exit"], tail="Traceback: what I wrote"
            )
    short = arena(tmp_path, "logs", MATCH, bot)
    assert short.returncode == 0, short.stderr
    for text in (
        "== output, seating 012, seat 0",
        "Traceback: what I wrote",
        "== fault 1: ILLEGAL, set 0",
        "allowed:",
        "1 output, 3 faults",
    ):
        assert text in short.stdout
    full = arena(tmp_path, "logs", MATCH, bot, "--fault", "2")
    assert "== fault 2: ILLEGAL" in full.stdout
    assert '"legal_calls"' in full.stdout
    assert "fault 1:" not in full.stdout
    lines = arena(tmp_path, "logs", MATCH, bot, "--json").stdout.splitlines()
    assert [json.loads(line)["fault"] for line in lines] == [1, 2, 3]
    assert arena(tmp_path, "logs", MATCH, bot, "--fault", "4").returncode == 2
    missing = arena(tmp_path, "logs", MATCH, "zed")
    assert missing.returncode == 1
    assert "does not play" in missing.stderr
