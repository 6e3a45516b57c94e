"""A worker's process: how it stops, how it makes way for a fresh one, and what it does while nothing answers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from league.errors import StoreAway
from league.schedule import planned
from league.store import Store
from worker import jobs, serving, valkey
from worker.jobs import Drain, Player, play_match
from worker.pulse import Pulse, worker_id
from worker.queueing import Matches
from worker.settings import RECYCLE, ROOT, BadSetting, from_env
from worker.supervise import Service, Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from redis import Redis

    from worker.settings import Settings


def until(done: Callable[[], object], seconds: float = 180.0) -> None:
    """Wait for something that must happen."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def calm() -> Iterator[None]:
    """Nobody is told to stop, before and after."""
    events = (jobs.STOP, jobs.DRAIN, jobs.QUARANTINE)
    for event in events:
        event.clear()
    yield
    for event in events:
        event.clear()


def program(script: str, counter: Path) -> str:
    """A worker with the double in the referee's place."""
    return (
        "import sys; from worker import attempt, __main__;"
        f"attempt.COMMAND = (sys.executable, '-m', 'tests.worker.fake_referee', {script!r}, {str(counter)!r});"
        "sys.exit(__main__.main())"
    )


def start(settings: Settings, script: str, counter: Path) -> subprocess.Popen[bytes]:
    """`python -m worker` with the double in the referee's place."""
    code = program(script, counter)
    with (settings.data / "worker.log").open("ab") as log:
        return subprocess.Popen([sys.executable, "-c", code], env={**os.environ, **settings.env()}, cwd=ROOT, stderr=log)


# ---- stopping ---------------------------------------------------------------------------------------------------------


def test_the_games_in_hand() -> None:
    """Asked to stop, an attempt ends with the seating that is being played, or when that takes too long."""
    games = [(0, (0, 1)), (1, (0, 1)), (0, (1, 0)), (1, (1, 0))]
    drain, late = Drain(games, 60.0), Drain(games, 0.0)
    assert drain.reason() is None
    drain.played(*games[0])
    jobs.DRAIN.set()
    assert drain.reason() is None
    drain.played(*games[2])
    assert drain.reason() is None
    drain.played(*games[1])
    assert "has played the games in hand" in (drain.reason() or "")
    late.reason()
    time.sleep(0.01)
    assert "ARENA_DRAIN_SECONDS" in (late.reason() or "")


def test_sigterm_lets_the_games_in_hand_be_played(
    store: Store, match: str, settings: Settings, connection: Redis, tmp_path: Path
) -> None:
    """After SIGTERM a worker plays on, within its time, then gives the claim back at once and ends with 0."""
    patient = replace(settings, drain=2.0, lease=60.0)
    Matches(connection, patient).put(match)
    process = start(patient, "hang:3,ok", tmp_path / "runs")
    until(lambda: len(store.games(match)) == 3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(300) == 0
    attempt = store.attempts(match)[0]
    assert (attempt.outcome, attempt.games) == ("interrupted", 3)
    assert "ARENA_DRAIN_SECONDS" in attempt.detail
    assert store.match(match).state == "waiting"
    assert store.workers()[0].processes[0].ended_at is not None


@pytest.mark.parametrize("signals", [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT,)], ids=["twice", "ctrl-c"])
def test_a_second_signal_is_at_once(
    store: Store, match: str, settings: Settings, connection: Redis, tmp_path: Path, signals: tuple[signal.Signals, ...]
) -> None:
    """A second SIGTERM, or SIGINT, does not wait for the games in hand; the claim is given back all the same."""
    patient = replace(settings, drain=3600.0, lease=60.0)
    Matches(connection, patient).put(match)
    process = start(patient, "hang:1", tmp_path / "runs")
    until(lambda: len(store.games(match)) == 1)
    process.send_signal(signals[0])
    while signals[1:] and store.attempts(match)[0].outcome is None:
        process.send_signal(signals[1])  # again and again: two of a kind at the same moment are one
        time.sleep(0.3)
    assert process.wait(300) == 0
    assert [(one.outcome, one.detail) for one in store.attempts(match)] == [("interrupted", "the worker was told to stop")]


def test_an_idle_worker_stops_at_once(store: Store, settings: Settings, connection: Redis, tmp_path: Path) -> None:
    """A worker without a match has nothing to wait for."""
    process = start(replace(settings, drain=3600.0), "ok", tmp_path / "runs")
    until(lambda: connection.keys("rq:worker:*"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(300) == 0


# ---- recycling --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [{"worker_matches": 2}, {"worker_hours": 1e-9}], ids=["matches", "hours"])
def test_a_worker_makes_way_for_a_fresh_one(
    store: Store, settings: Settings, connection: Redis, tmp_path: Path, limit: dict[str, float]
) -> None:
    """After its share of matches, or hours, a process ends; its supervisor starts the next at once and counts no failure."""
    store.add_matches(planned(store.league("small")))
    matches = [one.id for one in store.matches("small")][1:]
    some = replace(settings, **limit)  # type: ignore[arg-type]
    for one in matches:
        Matches(connection, some).put(one)
    counter = tmp_path / "runs"
    code = program("ok", counter)
    service = Service(
        "it", lambda: (sys.executable, "-c", code), log=tmp_path / "log", cwd=ROOT, env=some.env(), drain=1.0, again=RECYCLE
    )
    with Supervisor() as supervisor:
        supervisor.add(service)

        def over() -> bool:
            supervisor.tick()
            return all(store.match(one).state == "complete" for one in matches) and service.starts > 1

        until(over, 900.0)
    assert (service.failures, service.errors) == (0, 0)
    [worker] = store.workers()
    assert len(worker.processes) > 1
    assert worker.matches == len(matches)


def test_settings_of_recycling() -> None:
    """Numbers that make no sense are named, with what is allowed."""
    for name, text, said in (
        ("ARENA_WORKER_MATCHES", "0", "whole number above 0"),
        ("ARENA_WORKER_MATCHES", "ten", "whole number above 0"),
        ("ARENA_WORKER_HOURS", "-1", "number of hours above 0"),
        ("ARENA_DRAIN_SECONDS", "x", "number of seconds above 0"),
    ):
        with pytest.raises(BadSetting, match=f"{name}.*{said}"):
            from_env({name: text})


# ---- quarantine -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_quarantined_worker_stops_and_waits(
    store: Store, match: str, settings: Settings, connection: Redis, tmp_path: Path
) -> None:
    """In quarantine a worker drops its match, takes no other however long the queue is, and plays on once released."""
    Matches(connection, settings).put(match)
    process = start(replace(settings, lease=15.0), "hang:1,ok", tmp_path / "runs")  # it hears of it at its next heartbeat
    try:
        until(lambda: len(store.games(match)) == 1)
        name = worker_id(settings.data)
        store.quarantine(name, "bad memory")
        until(lambda: not connection.keys("rq:worker:*"))
        Matches(connection, settings).forget(match)
        Matches(connection, settings).put(match)
        assert [one.outcome for one in store.attempts(match)] == ["interrupted"]
        store.release_worker(name)
        until(lambda: store.match(match).state == "complete")
        assert store.attempts(match)[0].worker == store.workers()[0].processes[0].name
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 0


def test_the_identity_of_a_worker(tmp_path: Path) -> None:
    """A data folder is one worker, whoever asks and however often."""
    names: list[str] = []
    threads = [threading.Thread(target=lambda: names.append(worker_id(tmp_path / "data"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(names)) == 1
    assert worker_id(tmp_path / "other") != names[0]


def test_signs_of_life(store: Store, settings: Settings) -> None:
    """A process is registered, heard from again and again, and signs off."""
    with Pulse(replace(settings, lease=0.1), "me"):
        until(store.workers)
        first = store.workers()[0].processes[0].heartbeat_at
        until(lambda: store.workers()[0].processes[0].heartbeat_at > first)
        assert len(store.workers()[0].live(time.time(), 60.0)) == 1
    assert store.workers()[0].live(time.time(), 60.0) == []


# ---- a store that is away ---------------------------------------------------------------------------------------------


class Flaky(Store):
    """A store that does not answer every other call of the kind that a match makes."""

    calls = 0

    def _stumble(self) -> None:
        type(self).calls += 1
        if self.calls % 2:
            raise StoreAway("the store does not answer: gone")

    def match_key(self, match_id: str) -> bytes:
        self._stumble()
        return super().match_key(match_id)

    def add_game(self, *args: object, **more: object) -> bool:
        self._stumble()
        return super().add_game(*args, **more)  # type: ignore[arg-type]

    def release(self, *args: object, **more: object) -> bool:
        self._stumble()
        return super().release(*args, **more)  # type: ignore[arg-type]


def test_a_store_that_is_away_for_moments(
    store: Store, match: str, settings: Settings, script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match is played in one attempt though the store does not answer every other time."""
    monkeypatch.setattr(jobs, "STORE_PAUSES", (0.01, 0.01))
    script("ok")
    with Flaky(settings.store_url) as flaky:
        assert Player(flaky, replace(settings, lease=60.0)).play(match) == "complete"
    assert Flaky.calls >= 2 * 12
    assert [(one.outcome, one.games) for one in store.attempts(match)] == [("complete", 12)]


def test_a_store_that_stays_away(
    store: Store, match: str, settings: Settings, script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the lease has run out before the store is back the attempt is given up, and what is missing is played later."""
    monkeypatch.setattr(jobs, "STORE_PAUSES", (0.05, 0.05))
    script("ok")

    class Gone(Store):
        def add_game(self, *_args: object, **_more: object) -> bool:
            raise StoreAway("the store does not answer: gone")

    with Gone(settings.store_url) as gone, monkeypatch.context() as patch:
        patch.setattr(jobs.Heart, "_beat", lambda _self: None)
        assert Player(gone, replace(settings, lease=3.0)).play(match) in {"interrupted", "infrastructure"}
    until(lambda: store.match(match).state == "waiting")
    assert play_match(match) == "complete"


def test_exit_codes() -> None:
    """The code that asks for a fresh process is none that programs end with by accident."""
    assert RECYCLE not in {0, 1, 2, 130, 137, 143}
    assert serving.WORKER_TTL > valkey.DEAD_LINK
