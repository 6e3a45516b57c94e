"""`arena league run` as a user has it: real queue, real workers, real referee, real bots."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import redis

from arena import spec
from league.store import Store
from referee.clock import Clock
from tests.worker.arenas import SLOW, Arena, kill, league, until
from worker import valkey
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


PAIR = ("lowest", "random")
PATIENT = Clock(answer=600.0, start=600.0, bank=600.0).as_json()


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    """A fresh arena."""
    (tmp_path / "data").mkdir()
    made = Arena(tmp_path / "data")
    yield made
    made.close()


def store(arena: Arena) -> Store:
    """The arena's store."""
    return Store.open(arena.store_url)


def test_a_league_from_nothing_to_its_standings(arena: Arena, tmp_path: Path) -> None:
    """A run plays every game, prints the standings, publishes the key, and leaves no process; its records verify."""
    league(arena)
    run = arena.start("league", "run", "cup", "--workers", "2")
    until(lambda: arena.find("referee"))
    arena.look()
    arena.hurry.touch()
    assert run.wait(600) == 0
    until(lambda: not arena.survivors())
    out = arena.out.read_text()
    assert all(f"slow-{style}" in out for style in ("lowest", "random", "greedy"))
    assert "6/6 games" in arena.err.read_text()
    with store(arena) as opened:
        assert opened.league("cup").key is not None
        assert all(attempt.outcome == "complete" for match in opened.matches("cup") for attempt in opened.attempts(match.id))
    arena("league", "export", "cup", "--to", str(tmp_path / "out"))
    records = sorted(map(str, (tmp_path / "out" / "records").iterdir()))
    assert len(records) == 3
    arena("verify", *records)
    assert "finished" in arena("league", "status", "cup")


def test_ctrl_c_and_go_on(arena: Arena) -> None:
    """Ctrl-C ends everything, prints the command that goes on, and that command plays the rest; what was played stands."""
    league(arena, PAIR, sets=4, deals=4)
    run = arena.start("league", "run", "cup", "--workers", "1")
    until(lambda: arena.games_done() > 0)
    arena.look()
    run.send_signal(signal.SIGINT)
    assert run.wait(600) == 130
    until(lambda: not arena.survivors())
    done = arena.games_done()
    assert 0 < done < 8
    said = arena.err.read_text()
    assert "nothing is lost" in said
    assert re.search(rf"ARENA_DATA={re.escape(str(arena.data))} \S+ -m arena league run cup --workers 1$", said, re.MULTILINE)
    with store(arena) as opened:
        assert not opened.matches("cup", state="running")
    arena.hurry.touch()
    arena("league", "run", "cup", "--workers", "1")
    assert arena.games_done() == 8


def test_a_killed_worker(arena: Arena) -> None:
    """When a worker is killed in mid-match its supervisor starts another, and the match is played on once the lease is over."""
    arena.env["ARENA_LEASE_SECONDS"] = "3"
    league(arena, PAIR, sets=2, deals=4)
    run = arena.start("league", "run", "cup", "--workers", "1")
    until(lambda: arena.find("referee"))
    first = arena.find("worker")
    kill(first[0])
    arena.hurry.touch()
    assert run.wait(600) == 0
    assert arena.games_done() == 4
    with store(arena) as opened:
        outcomes = [attempt.outcome for match in opened.matches("cup") for attempt in opened.attempts(match.id)]
    assert outcomes.count("complete") == 1
    assert outcomes.count("lost") == len(outcomes) - 1 >= 1  # on a slow machine a live worker may lose so short a lease too


@pytest.mark.parametrize("how", ["flushed", "lost"])
def test_an_emptied_queue(arena: Arena, how: str) -> None:
    """A queue that is flushed, or whose server comes back with nothing, is filled again, and the league ends as ever."""
    league(arena, PAIR, sets=2, deals=4)
    run = arena.start("league", "run", "cup", "--workers", "1")
    until(lambda: arena.find("referee"))
    if how == "lost":
        folder = arena.data / "queue" / "appendonlydir"
        folder.rename(arena.data / "away")  # before the server is killed: its supervisor starts another at once
        kill(arena.find("queue")[0])
    else:
        with redis.Redis(unix_socket_path=str(valkey.socket_path(arena.data))) as connection:
            connection.flushall()
    arena.hurry.touch()
    assert run.wait(600) == 0
    assert arena.games_done() == 4


def test_another_worker_helps(arena: Arena) -> None:
    """A run without workers of its own is played by those of `arena worker` on the same data folder, over one queue server."""
    league(arena, PAIR)
    run = arena.start("league", "run", "cup", "--workers", "0")
    until(lambda: arena.find("queue"))
    helper = arena.start("worker")
    arena.hurry.touch()
    assert run.wait(600) == 0
    assert arena.games_done() == 2
    until(lambda: len(arena.find("queue")) == 1)  # the helper keeps the server now
    arena.look()
    helper.send_signal(signal.SIGTERM)
    assert helper.wait(600) == 0
    until(lambda: not arena.survivors())


def test_what_breaks_down_for_ever(arena: Arena) -> None:
    """Workers that cannot start end the run with exit code 1 and the place of their log, not in an endless loop."""
    league(arena, PAIR)
    broken = arena.data / "broken"
    broken.mkdir()
    (broken / "rq.py").write_text("raise SystemExit('rq is broken')\n")
    command = (
        "import os, sys; from arena.__main__ import main; from worker import supervise;"
        "supervise.GOOD_LIFE = 600; os.environ['PYTHONPATH'] = sys.argv.pop(1); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", command, str(broken), "league", "run", "cup", "--workers", "1"],
        env=arena.env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1
    assert "worker 1 ends in an error whenever it is started (exit code 1)" in done.stderr
    assert "worker-1.log" in done.stderr
    assert "rq is broken" in (arena.data / "log" / "worker-1.log").read_text()
    until(lambda: not arena.survivors())


def test_a_bot_that_cannot_start(arena: Arena) -> None:
    """A bot whose program fails loses its games, the run ends well, says so, and the bot's own words can be read."""
    with store(arena) as opened:
        for name, code in (("good", f"{SLOW} lowest"), ("bad", "-c 'raise SystemExit(\"no model file\")'")):
            opened.add_bot(name, f"python {code}", str(ROOT))
        opened.create_league(spec.league_spec("cup", [("turn-up", {})], ("good", "bad"), 1, fmt="deals:1", clock=PATIENT))
    arena.start("league", "run", "cup", "--workers", "1").wait(600)
    assert "warning: bad often could not start" in arena.err.read_text()
    assert "no model file" in arena("bot", "log", "bad")
    assert "bad" in arena("league", "standings", "cup")
    with store(arena) as opened:
        results = list(opened.results("cup"))
    assert [[result.bots[index] for index in result.forfeits] for result in results] == [["bad"]] * 2
