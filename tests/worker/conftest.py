"""A store with a small league in it, and a referee that does as it is told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena import spec
from league.schedule import planned
from league.store import Store
from worker import attempt, jobs, valkey
from worker.settings import Settings, from_env
from worker.supervise import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redis import Redis

KEY = bytes(range(32))
FAKE = Path(__file__).with_name("fake_referee.py")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a fresh data folder, in the environment too; leases are so long that none runs out by itself."""
    for name in ("ARENA_STORE", "REDIS_URL", "ARENA_QUEUE", "ARENA_MATCH_SECONDS", "ARENA_REFEREE", "ARENA_OPERATOR_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARENA_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ARENA_LEASE_SECONDS", "600")
    (tmp_path / "data").mkdir()
    return from_env()


@pytest.fixture
def connection(settings: Settings) -> Iterator[Redis]:
    """A client of a fresh embedded server."""
    with Supervisor() as supervisor:
        supervisor.add(valkey.keeper(settings))
        client = valkey.wait(settings, supervisor.tick)
        yield client
        client.close()


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    """A store with three bots and the league "small": two variants, one match of 12 and three matches of 4 games."""
    with Store.open(settings.store_url) as opened:
        for name in ("ann", "bea", "cid"):
            opened.add_bot(name, f"python {name}.py")
        variants: list[tuple[str, spec.Options]] = [("cutthroat", {}), ("turn-up", {})]
        opened.create_league(spec.league_spec("small", variants, ("ann", "bea", "cid"), 2, fmt="deals:2", key=KEY))
        yield opened


@pytest.fixture
def match(store: Store) -> str:
    """Id of the league's first match (12 games), stored."""
    first = next(planned(store.league("small")))
    store.add_matches([first])
    return first.id


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Replace the referee's process by the double, with this script; gives the file that counts its runs."""
    counter = tmp_path / "runs"

    def use(text: str) -> Path:
        monkeypatch.setattr(attempt, "COMMAND", (sys.executable, "-m", "tests.worker.fake_referee", text, str(counter)))
        return counter

    monkeypatch.setattr(jobs, "FIRST_PAUSE", 0.01)
    jobs.STOP.clear()
    yield use
    jobs.STOP.clear()
