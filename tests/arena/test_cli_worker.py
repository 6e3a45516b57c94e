"""`arena worker list|quarantine|release|aside`: what an operator sees and does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from arena.__main__ import main
from arena.cli.worker import STUCK, state
from league.store import Store
from tests.league.samples import make_league, play
from worker.settings import from_env

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MATCH = "summer/turn-up/0"


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs `arena worker` with these words on a fresh data folder."""
    monkeypatch.delenv("ARENA_STORE", raising=False)
    monkeypatch.setenv("ARENA_DATA", str(tmp_path / "data"))
    return lambda *words: CliRunner().invoke(main, ["worker", *words])


@pytest.fixture
def store(arena: Callable[..., Result]) -> Iterator[Store]:
    """A store in which the worker "w1" has played a match with a late bot, and "w2" has done nothing."""
    with Store.open(from_env().store_url) as opened:
        make_league(opened)
        for number in (1, 2):
            opened.register_process(f"p{number}", worker=f"w{number}", host=f"host{number}", pid=number)
        claim = opened.claim(MATCH, "p1", 100.0)
        assert claim is not None
        match, key = opened.match(MATCH), opened.match_key(MATCH)
        for number, seating in opened.missing_games(MATCH):
            dealer, record = play(match, key, number, seating)
            record["deals"][0]["faults"] = [{"move": 0, "seat": 0, "cause": "BANK_EMPTY"}]
            opened.add_game(MATCH, number, seating, dealer, record, claim=claim)
        opened.release(claim, "complete")
        yield opened


def test_live_and_progressing(arena: Callable[..., Result], store: Store) -> None:
    """The list tells who is heard from and who gets on, by columns of their own."""
    lines = [line.split() for line in arena("list").output.splitlines()]
    assert lines[0][:5] == ["worker", "host", "state", "processes", "heard"]
    assert lines[1][:4] == ["w1", "host1", "progressing", "1"]
    assert lines[2][:4] == ["w2", "host2", "live", "1"]
    assert lines[1][-4:] == ["1", "4", "1", "0"]
    assert "never" in lines[2]


def test_states(store: Store) -> None:
    """A worker is gone when it is silent, live when it is heard from, progressing when games come in."""
    first = store.workers()[0]
    now = time.time()
    assert state(first, now) == "progressing"
    assert state(first, now + 1000) == "gone"
    store.beat("p1", now=now + STUCK + 50)
    assert state(store.workers()[0], now + STUCK + 60) == "live"


def test_quarantine_and_back(arena: Callable[..., Result], store: Store) -> None:
    """A worker is put in quarantine, its games are set aside and listed, and all of it is undone."""
    said = arena("quarantine", "host1", "--reason", "thermal throttling")
    assert (said.exit_code, said.stdout) == (0, "host1 is in quarantine; 4 games set aside\n")
    assert "worker release host1 --restore" in said.stderr
    listed = arena("list").output
    assert "quarantined" in listed
    assert "w1 has been in quarantine for 0 s: thermal throttling" in listed
    aside = arena("aside").output.splitlines()
    assert len(aside) == 5
    assert aside[1].startswith(MATCH)
    assert aside[1].endswith("to be played again")
    assert store.match(MATCH).games_done == 0
    said = arena("release", "w1", "--restore")
    assert said.stdout == "w1 may play again; 4 games restored\n"
    assert store.match(MATCH).state == "complete"
    assert all(line.endswith("restored") for line in arena("aside", "w1").output.splitlines()[1:])
    assert arena("release", "w1").stdout == "w1 may play again\n"


def test_games_may_stay(arena: Callable[..., Result], store: Store) -> None:
    """A worker can be stopped without touching what it has played."""
    assert arena("quarantine", "w1", "--games", "none").stdout == "w1 is in quarantine; 0 games set aside\n"
    assert store.match(MATCH).state == "complete"


def test_mistakes(arena: Callable[..., Result], store: Store) -> None:
    """An unknown worker is a failure that lists those there are; an unknown choice of games is a mistake in the words."""
    unknown = arena("quarantine", "nobody")
    assert (unknown.exit_code, "w1 on host1, w2 on host2" in unknown.output) == (1, True)
    assert arena("quarantine", "w1", "--games", "some").exit_code == 2
    assert arena("dismiss").exit_code == 2
