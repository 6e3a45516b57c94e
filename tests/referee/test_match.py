"""The match run as its caller sees it: a program with an order on stdin and events on stdout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.errors import BadClock, BadOrder
from referee.launch import ROOT
from referee.match import parse
from tests.referee.matches import WIDTHS, Outcome, bad, finish, order, run, start
from tests.referee.processes import bots, marked, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="et-", dir="/tmp") as made:
        yield made


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"variant": "canasta"}, "canasta"),
        ({"options": {"colour": "red"}}, "unknown option 'colour'"),
        ({"format": "deals:none"}, "bad format"),
        ({"key": "00"}, "match key of 1 bytes"),
        ({"key": "xyz"}, "cannot be read"),
        ({"lineup": []}, "0 bots in the line-up"),
        ({"games": []}, "no games"),
        ({"games": [[0, [0, 0, 0]]]}, "seating"),
        ({"games": [[0, [0, 1, 7]]]}, "not in the line-up of 3"),
        ({"clock": {"answer": -1}}, "clock answer"),
        ({"speed": 1}, "unknown part of the order: speed"),
    ],
)
def test_a_bad_order_is_refused_by_name(change: dict[str, Any], told: str) -> None:
    """Every part of an order that cannot be played is named, before a bot is started."""
    with pytest.raises((BadOrder, BadClock), match=told):
        parse({**order(), **change})


def test_an_order_that_lacks_something_is_refused() -> None:
    """A missing part, and a bot that is neither a command nor connected, are named."""
    given = order()
    del given["key"]
    with pytest.raises(BadOrder, match="lacks 'key'"):
        parse(given)
    given = order()
    del given["lineup"][1]["run"]
    with pytest.raises(BadOrder, match="bot1: no run command and 0 token digests"):
        parse(given)


def test_the_program_tells_a_bad_order_and_exits_2() -> None:
    """The program prints one sentence and exits with 2, and no event."""
    for line in (json.dumps({**order(), "variant": "canasta"}), "no json", ""):
        ended = subprocess.run(
            [sys.executable, "-m", "referee", "match"], cwd=ROOT, input=line + "\n", capture_output=True, text=True, check=False
        )
        assert ended.returncode == 2
        assert ended.stdout == ""
        assert ended.stderr.startswith("referee: ")


def test_an_order_from_a_file_is_played() -> None:
    """When stdin ends right after the order, as with a file or echo, the match is played all the same."""
    ended = subprocess.run(
        [sys.executable, "-m", "referee", "match"],
        cwd=ROOT,
        input=json.dumps(order()) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0
    assert json.loads(ended.stdout.splitlines()[-1]) == {"event": "done"}


def test_events_have_what_was_agreed() -> None:
    """A game's event carries its set, seating, record and times by seat, medians and 99th percentiles in microseconds."""
    outcome = run(order())
    event = outcome.events[0]
    assert event["event"] == "game"
    assert (event["set"], event["seating"]) == (0, [0, 1, 2])
    assert event["record"]["seating"] == [0, 1, 2]
    assert len(event["record"]["deals"]) == 2
    times = event["times"]
    assert len(times["decisions"]) == len(times["rest_us"]) == 3
    assert all(count > 0 for count in times["decisions"])
    assert all(0 < seat["median"] <= seat["p99"] for seat in times["rest_us"])
    assert 0 < times["own_us"]["median"] <= times["own_us"]["p99"]


@pytest.mark.parametrize("variant", ["ghost-hand", "bid-euchre"])
def test_deterministic_bots_give_the_same_games(variant: str) -> None:
    """The same key and the same deterministic bots give the same records, whatever the timing."""
    lots = [bad("lot")] * (3 if variant == "ghost-hand" else 2)
    one, two = (run(order(*lots, variant=variant, sets=3, seatings=2)) for _ in range(2))
    assert one.games == two.games
    assert len(one.games) == 6


def test_each_seat_of_each_seating_is_a_fresh_process(tmp_path: Path) -> None:
    """No process plays two seatings or two seats: every seating starts one process a seat, with a home of its own."""
    log = tmp_path / "homes"
    bots = [f"sh -c 'echo $$ $HOME >> {log}; exec {sys.executable} -m tests.bots.first_legal'"] * 2
    outcome = run(order(*bots, variant="turn-up", sets=2, seatings=2))
    assert outcome.faults() == []
    lines = [line.split() for line in log.read_text().splitlines()]
    assert len(lines) == 8
    assert len({pid for pid, _ in lines}) == len({home for _, home in lines}) == 8


def test_output_is_kept_in_the_log_folder(tmp_path: Path) -> None:
    """With a log folder every bot's captured output is in it, failed or not."""
    bots = [bad("noisy"), bad("exits", "start")]
    run(order(*bots, log_dir=str(tmp_path / "logs")))
    texts = {path.name: path.read_text() for path in (tmp_path / "logs").iterdir()}
    assert texts.keys() == {f"bot{index}.012.seat{index}.log" for index in range(3)}
    assert "xxxx" in texts["bot0.012.seat0.log"]
    assert "cannot find my brain" in texts["bot1.012.seat1.log"]


LONG: dict[str, Any] = {"fmt": "deals:20", "sets": 5000}
"""More than any test waits for."""


@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "stdin closed", "SIGKILL", "launcher killed"])
def test_however_a_match_ends_its_bots_end(how: str, folder: str) -> None:
    """A match that is stopped, left by its parent or killed outright leaves no process, daemons included."""
    process = start(order(bad("daemon", "left-behind"), **LONG), TMPDIR=folder)
    assert process.stdout is not None
    assert process.stdout.readline()
    assert len(bots(folder)) >= 4
    if how.startswith("SIG"):
        process.send_signal(signal.Signals[how])
    elif how == "launcher killed":
        launcher = next(pid for pid in marked("referee.launcher") if pid in marked(folder))
        os.kill(launcher, signal.SIGKILL)
    else:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    outcome = finish(process)
    assert outcome.exit not in (0, None)
    assert not outcome.done
    assert "Traceback" not in outcome.stderr
    assert wait_until(lambda: not marked(folder))
    if how != "launcher killed":
        assert wait_until(lambda: list(Path(folder).iterdir()) == [])


def test_a_parent_that_is_killed_takes_the_match_along(folder: str) -> None:
    """When the process that started a match dies, the match and its bots go, even if somebody else holds its stdin open."""
    held, write = os.pipe()
    given = json.dumps(order(**LONG))
    program = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-m', 'referee', 'match']); time.sleep(99)"
    parent = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=held, stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": folder}
    )
    os.write(write, given.encode() + b"\n")
    try:
        assert wait_until(lambda: len(bots(folder)) >= 3)
    finally:
        parent.kill()
        parent.wait()
    assert wait_until(lambda: not marked(folder))
    os.close(held)
    os.close(write)


def test_a_reader_that_goes_away_ends_the_match(folder: str) -> None:
    """When nobody reads the events any more the match stops."""
    process = start(order(sets=30, seatings=6), TMPDIR=folder)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.wait(300)
    assert process.stderr is not None
    process.stderr.close()
    assert process.stdin is not None
    process.stdin.close()
    assert process.returncode != 0
    assert wait_until(lambda: not marked(folder))


def stopped(given: dict[str, Any], seconds: float, folder: str) -> Outcome:
    """Play a match whose referee is stopped thrice for so long."""
    process = start(given, TMPDIR=folder)
    assert wait_until(lambda: len(bots(folder)) >= 3)
    for _ in range(3):
        time.sleep(0.5)
        process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        process.send_signal(signal.SIGCONT)
    return finish(process)


def test_a_referee_that_stood_still_charges_nobody(folder: str) -> None:
    """When the referee itself is stopped for much longer than an answer may take, no bot loses on time for it."""
    for width in WIDTHS:
        outcome = stopped(order(fmt="deals:300", sets=8, clock={"answer": 0.5 * width, "bank": 0.0}), 1.0 * width, folder)
        if outcome.faults() == []:  # otherwise the bots may have been too slow by themselves
            break
    assert outcome.done
    assert outcome.voids == []
    assert len(outcome.games) == 8
    assert outcome.faults() == []
