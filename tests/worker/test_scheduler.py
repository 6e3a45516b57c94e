"""The reconciler: the queue follows the store, whatever happens to the queue."""

from __future__ import annotations

import json
import time
import zlib
from typing import TYPE_CHECKING

import pytest

from worker import scheduler
from worker.jobs import play_match
from worker.queueing import MARGIN, Matches, job_id
from worker.scheduler import Reconciler

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from redis import Redis

    from league.store import Store
    from worker.settings import Settings


@pytest.fixture
def reconciler(store: Store, connection: Redis, settings: Settings) -> Reconciler:
    """A reconciler that counts on one worker: it keeps two matches queued."""
    return Reconciler(store, connection, settings, workers=1)


def queued(connection: Redis, settings: Settings) -> list[str]:
    """Ids of the queued jobs, in order."""
    return Matches(connection, settings).queue.job_ids


def ids(store: Store) -> list[str]:
    """Jobs that the stored matches have."""
    return [job_id(match.id) for match in store.matches("small")]


def play(match: str, store: Store, connection: Redis, settings: Settings) -> None:
    """What a worker does: take the first job and play its match."""
    Matches(connection, settings).queue.remove(job_id(match))
    Matches(connection, settings).forget(match)
    play_match(match)


def test_matches_are_made_when_they_are_queued(
    reconciler: Reconciler, store: Store, connection: Redis, settings: Settings
) -> None:
    """Only about two matches a worker are made and queued ahead; looking again changes nothing."""
    assert reconciler.tick("small") is False
    assert len(store.matches("small")) == 2
    assert queued(connection, settings) == ids(store)
    reconciler.tick("small")
    assert queued(connection, settings) == ids(store)


def test_a_league_to_its_end(
    reconciler: Reconciler, store: Store, connection: Redis, settings: Settings, script: Callable[[str], Path]
) -> None:
    """As matches are played others follow, each once, and after the last the league is finished and its key public."""
    script("ok")
    rounds = 0
    while not reconciler.tick("small"):
        for match in store.matches("small", state="waiting"):
            play(match.id, store, connection, settings)
        rounds += 1
        assert rounds < 10
    assert [match.state for match in store.matches("small")] == ["complete"] * 4
    assert store.league("small").key is not None
    assert reconciler.tick("small") is True


def test_a_flushed_queue_is_filled_again(reconciler: Reconciler, store: Store, connection: Redis, settings: Settings) -> None:
    """Whatever the queue has lost is back after the next look, and nothing is queued twice."""
    reconciler.tick("small")
    connection.flushall()
    assert queued(connection, settings) == []
    reconciler.tick("small")
    assert queued(connection, settings) == ids(store)


def test_a_new_reconciler_goes_on(reconciler: Reconciler, store: Store, connection: Redis, settings: Settings) -> None:
    """A second command on the same league makes the matches that are left, and neither skips nor repeats one."""
    reconciler.tick("small")
    Reconciler(store, connection, settings, workers=2).tick("small")
    made = [match.id for match in store.matches("small")]
    assert made == ["small/cutthroat/0", "small/turn-up/0", "small/turn-up/1", "small/turn-up/2"]
    assert queued(connection, settings) == ids(store)


def test_a_job_taken_by_a_worker_that_died(
    reconciler: Reconciler, store: Store, connection: Redis, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that is neither queued nor claimed for a while is queued again, though the server still has its remains."""
    monkeypatch.setattr(scheduler, "ORPHAN_SECONDS", 600.0)
    reconciler.tick("small")
    taken = queued(connection, settings)[0]
    connection.lrem(f"rq:queue:{settings.queue}", 1, taken)
    connection.hset(f"rq:job:{taken}", "status", "started")
    reconciler.tick("small")
    assert taken not in queued(connection, settings)
    monkeypatch.setattr(scheduler, "ORPHAN_SECONDS", 0.0)
    time.sleep(0.01)
    reconciler.tick("small")
    assert taken in queued(connection, settings)


def test_the_stump_of_a_job(
    reconciler: Reconciler, store: Store, connection: Redis, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker writes of its job into a server that came back empty does not keep the match from the queue."""
    monkeypatch.setattr(scheduler, "ORPHAN_SECONDS", 0.0)
    reconciler.tick("small")
    connection.flushall()
    connection.hset(f"rq:job:{ids(store)[0]}", "last_heartbeat", "2026-01-01T00:00:00Z")
    for _ in range(2):
        reconciler.tick("small")
        time.sleep(0.01)
    assert sorted(queued(connection, settings)) == sorted(ids(store))


def test_a_claimed_match_is_left_to_its_worker(
    reconciler: Reconciler, store: Store, connection: Redis, settings: Settings
) -> None:
    """While a lease is live its match is not queued; once it has run out it is."""
    reconciler.tick("small")
    match = store.matches("small")[0].id
    connection.flushall()
    claim = store.claim(match, "somebody", 600.0)
    assert claim is not None
    reconciler.tick("small")
    assert job_id(match) not in queued(connection, settings)
    assert store.heartbeat(claim, 0.001)
    time.sleep(0.01)
    reconciler.tick("small")
    assert job_id(match) in queued(connection, settings)


def test_a_hopeless_match_is_left_alone(
    reconciler: Reconciler,
    store: Store,
    connection: Redis,
    settings: Settings,
    script: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A match that breaks down again and again is left alone, the others are played, and then nothing but it is left."""
    monkeypatch.setattr(scheduler, "HOPELESS", 3)
    monkeypatch.setattr(scheduler, "FIRST_PAUSE", 0.0)
    reconciler.tick("small")
    script("some:0")
    bad = store.matches("small")[0].id
    play(bad, store, connection, settings)
    script("ok")
    for _ in range(6):
        reconciler.tick("small")
        for match in store.matches("small", state="waiting"):
            if job_id(match.id) in queued(connection, settings):
                play(match.id, store, connection, settings)
    assert set(reconciler.stuck) == {bad}
    assert "exited with code 3" in reconciler.stuck[bad].detail
    assert reconciler.hopeless("small")
    assert not Reconciler(store, connection, settings, workers=1).hopeless("small")
    assert [match.id for match in store.matches("small", state="open")] == [bad]


def test_the_queue_waits_longer_than_the_job(reconciler: Reconciler, connection: Redis, settings: Settings) -> None:
    """RQ's time-out is later than the job's own deadline, the result is not kept, and nothing in the job is pickled."""
    reconciler.tick("small")
    job = Matches(connection, settings).queue.jobs[0]
    assert job.timeout == settings.match_seconds + MARGIN > settings.match_seconds
    assert job.result_ttl == 0
    assert list(job.args) == ["small/cutthroat/0"]
    raw = connection.hget(job.key, "data")
    assert json.loads(zlib.decompress(raw))[0] == "worker.jobs.play_match"


def test_job_ids() -> None:
    """A match has one job id, of letters, digits, '_' and '-' only, and no two matches share one."""
    names = ["a/cutthroat/1", "a/cutthroat/11", "a-b/turn-up/1", "a/b-turn-up/1", "l/bid-euchre.2/0", "l/bid-euchre/2"]
    made = [job_id(name) for name in names]
    assert len(set(made)) == len(names)
    assert all(set(one) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") for one in made)
    assert made == [job_id(name) for name in names]
