"""Whole leagues on PostgreSQL: played by `arena league run`, also while the database is restarted under it."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from arena import spec
from league.store import Store
from referee.clock import Clock
from tests.postgres import Postgres
from tests.worker.arenas import KEY, SLOW, Arena, until
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.needs("postgresql")


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server of this test's own, which may be restarted."""
    made = Postgres()
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture
def arena(server: Postgres, tmp_path: Path) -> Iterator[Arena]:
    """An arena on a database of that server, which the environment names."""
    (tmp_path / "data").mkdir()
    made = Arena(tmp_path / "data")
    made.store_url = server.create("league")
    made.env["ARENA_STORE"] = made.store_url
    yield made
    made.close()


def league(arena: Arena, sets: int, deals: int = 1) -> None:
    clock = Clock(answer=60.0, start=120.0, bank=600.0).as_json()
    with Store.open(arena.store_url) as store:
        for style in ("lowest", "random"):
            store.add_bot(style, f"python {SLOW} {style}", str(ROOT))
        wanted = spec.league_spec(
            "cup", [("turn-up", {})], ("lowest", "random"), sets, fmt=f"deals:{deals}", clock=clock, key=KEY
        )
        store.create_league(wanted)


def test_a_league_from_nothing_to_its_standings(arena: Arena, tmp_path: Path) -> None:
    """Everything that a league is for works with ARENA_STORE=postgresql://…: run, standings, status, export, verify."""
    league(arena, sets=2)
    assert "slow" not in arena("league", "run", "cup", "--workers", "1")
    assert not (arena.data / "arena.db").exists()
    assert "finished" in arena("league", "status", "cup")
    assert "lowest" in arena("league", "standings", "cup")
    arena("league", "export", "cup", "--to", str(tmp_path / "out"))
    arena("verify", *map(str, (tmp_path / "out" / "records").iterdir()))
    listed = arena("worker", "list")
    assert "gone" in listed
    assert arena.games_done() == 4


def restart(server: Postgres, how: signal.Signals) -> None:
    assert server.process is not None
    server.process.send_signal(how)
    server.process.wait()
    server.serve()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["fast", "immediate"])
def test_the_database_is_restarted(arena: Arena, server: Postgres, how: signal.Signals) -> None:
    """A run whose database goes away and comes back waits for it, says so, goes on, and stores every game once."""
    league(arena, sets=6, deals=3)
    run = arena.start("league", "run", "cup", "--workers", "1")
    until(lambda: arena.games_done() > 0)
    restart(server, how)
    assert run.wait(600) == 0, arena.err.read_text()
    with Store(arena.store_url) as store:
        [match] = store.matches("cup")
        games = [(game.set, game.seating) for game in store.games(match.id)]
        assert len(games) == len(set(games)) == match.games_done == match.games_total == 12
        assert {one.outcome for one in store.attempts(match.id)} <= {"complete", "lost", "infrastructure", "interrupted"}


def test_services_wait_for_the_store(arena: Arena, server: Postgres) -> None:
    """A worker that is started before its database waits for it, and one command that needs it now fails with a sentence."""
    assert server.process is not None
    server.process.send_signal(signal.SIGINT)
    server.process.wait()
    worker = arena.start("worker")
    until(lambda: "waiting for the store" in arena.err.read_text())
    failed = subprocess.run([*arena.command, "league", "list"], env=arena.env, capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert failed.stderr.startswith("Error: cannot open the store postgresql")
    assert "Traceback" not in failed.stderr
    server.serve()
    until(lambda: "1 process" in arena.err.read_text())
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(120) == 0
