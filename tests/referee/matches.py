"""Runs `python -m referee match` as a worker does, and checks what must hold of every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.launch import ROOT
from referee.record import Header, complete, set_line, verify
from referee.rules import Rules
from referee.shuffle import first_dealer
from tests.referee.processes import marked

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD = "python -m tests.bots.first_legal"
KEY = "5a" * 32
CLOCK = {"answer": 30.0, "bank": 60.0, "start": 120.0, "grace": 30.0, "faults": 3}
"""Nobody is late on it because the machine is busy."""
WIDTHS = (1.0, 4.0, 16.0)
"""Of clocks on which somebody has to be late."""


def bad(kind: str, *arguments: object) -> str:
    return " ".join(["python -m tests.bots.bad", kind, *map(str, arguments)])


@dataclass
class Outcome:
    """What a run reported. `games[set, seating]` are the records of finished games."""

    exit: int
    stderr: str
    events: list[dict[str, Any]]
    games: dict[tuple[int, tuple[int, ...]], dict[str, Any]] = field(default_factory=dict)
    voids: list[dict[str, Any]] = field(default_factory=list)
    logs: list[dict[str, Any]] = field(default_factory=list)
    done: bool = False

    def __post_init__(self) -> None:
        for event in self.events:
            if event["event"] == "game":
                self.games[event["set"], tuple(event["seating"])] = event["record"]
        self.voids = [event for event in self.events if event["event"] == "void"]
        self.logs = [event for event in self.events if event["event"] == "log"]
        self.done = bool(self.events) and self.events[-1]["event"] == "done"

    def faults(self) -> list[tuple[int, str]]:
        """(line-up index, cause) of every fault."""
        return [
            (seating[fault["seat"]], fault["cause"])
            for (_, seating), game in sorted(self.games.items())
            for deal in game["deals"]
            for fault in deal["faults"]
        ]

    def causes(self) -> set[tuple[int, str]]:
        """(line-up index, cause), each once."""
        return set(self.faults())

    def tail(self, index: int = 0) -> str:
        """The captured output of a bot that was worth a log."""
        return "\n".join(log["tail"] for log in self.logs if log["bot"] == f"bot{index}")


def verify_all(given: dict[str, Any], outcome: Outcome) -> None:
    """Make a record of a match that was played in every seating, and verify it."""
    rules = Rules(given["variant"], given["options"])
    key = bytes.fromhex(given["key"])
    header = Header(given["match"], rules, given["format"], given["lineup"], key, given["clock"])
    numbers = sorted({number for number, _ in outcome.games})
    assert len(outcome.games) == len(numbers) * len(rules.seatings())
    sets = [
        set_line(number, first_dealer(key, number, rules.seats), [game for at, game in outcome.games.items() if at[0] == number])
        for number in numbers
    ]
    assert verify(complete(header, sets)).games == len(outcome.games)


def order(
    *bots: str, variant: str = "cutthroat", fmt: str = "deals:2", sets: int = 1, seatings: int = 1, **rest: Any
) -> dict[str, Any]:
    """An order for a match of `bots`, filled up with good ones."""
    options = rest.pop("options", {"stick_dealer": "on"})
    rules = Rules(variant, options)
    lineup = [*bots, *[GOOD] * (rules.sides - len(bots))]
    chosen = [list(seating) for seating in rules.seatings()[:seatings]]
    return {
        "match": "test/match/1",
        "variant": variant,
        "format": fmt,
        "options": options,
        "lineup": [{"bot": f"bot{index}", "version": 1, "run": run, "cwd": ROOT} for index, run in enumerate(lineup)],
        "key": KEY,
        "clock": {**CLOCK, **rest.pop("clock", {})},
        "games": [[number, seating] for number in range(sets) for seating in chosen],
        "referee": None,
        "log_dir": None,
        "lag": 600.0,  # these tests share their machine with others
        **rest,
    }


def start(given: dict[str, Any], **environment: str) -> subprocess.Popen[str]:
    """A running match whose stdin stays open."""
    process = subprocess.Popen(
        [sys.executable, "-m", "referee", "match"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(given) + "\n")
    process.stdin.flush()
    return process


def finish(process: subprocess.Popen[str], patience: float = 120.0) -> Outcome:
    """Wait for the end of a match."""
    try:
        out, err = "", ""
        assert process.stdout is not None
        assert process.stderr is not None
        out = process.stdout.read()
        err = process.stderr.read()
        process.wait(patience)
    finally:
        process.kill()
        process.communicate()
    # of a run that failed the last line may be cut short
    lines = out.splitlines() if process.returncode == 0 else [line for line in out.splitlines() if line.endswith("}")]
    return Outcome(process.returncode, err, [json.loads(line) for line in lines])


def only_bot_0_was_late(outcome: Outcome) -> bool:
    """Whether no good bot was late: the other bots of a match are good, so that only the machine can have made them so."""
    return all(index == 0 for index, _ in outcome.faults()) and outcome.voids == []


def run_in_time(make: Callable[[float], dict[str, Any]], fine: Callable[[Outcome], bool] = only_bot_0_was_late) -> Outcome:
    """Play a match whose clock is tight because bot 0 has to be late on it.

    `make(width)` gives the order, all times in it multiplied by `width`. Where the outcome is not `fine`, the machine may have
    been too busy for so tight a clock: then it is played anew on a wider one. What is wrong with the referee is wrong on
    every clock; the last outcome counts, whatever it is.
    """
    for width in WIDTHS:
        outcome = run(make(width))
        if fine(outcome):
            break
    return outcome


def run(given: dict[str, Any]) -> Outcome:
    """Play a match to its end: it must end well, report every game once, and leave no process and no file."""
    with tempfile.TemporaryDirectory(prefix="et-", dir="/tmp") as folder:
        outcome = finish(start(given, TMPDIR=folder))
        assert outcome.exit == 0, outcome.stderr
        assert outcome.done
        ordered = [(number, tuple(seating)) for number, seating in given["games"]]
        reported = [(event["set"], tuple(event["seating"])) for event in outcome.events if event["event"] in ("game", "void")]
        assert sorted(reported) == sorted(ordered)
        assert marked(folder) == []
        assert list(Path(folder).iterdir()) == []
    return outcome
