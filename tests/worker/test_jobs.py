"""The job of a match: what it stores, whom it blames, and that it can be run twice, stopped and killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena import spec
from league.schedule import planned
from referee import habits
from worker import jobs, order
from worker.jobs import Player, play_match

if TYPE_CHECKING:
    from collections.abc import Callable

    from league.store import Store
    from worker.settings import Settings


def outcomes(store: Store, match: str) -> list[tuple[str | None, int]]:
    """Outcome and number of games of each attempt, oldest first."""
    return [(attempt.outcome, attempt.games) for attempt in reversed(store.attempts(match))]


def gone(counter: Path) -> bool:
    """Whether the referee's process that ran last is no more; it may have been stopped before it could say which it is."""
    file = counter.with_suffix(".pid")
    return not file.exists() or not Path(f"/proc/{file.read_text()}").exists()


def test_a_match_is_played(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """A job stores every game of its match, and the match is complete."""
    script("ok")
    assert play_match(match) == "complete"
    assert store.match(match).state == "complete"
    assert store.missing_games(match) == []
    assert outcomes(store, match) == [("complete", 12)]


def test_what_the_bots_did_is_kept_with_a_complete_match(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """The job that completes a match works out its bots' figures from its record; one that does not leaves none."""
    script("some:5,hang:2,ok")
    when(lambda: len(store.games(match)) == 7, jobs.STOP.set)
    assert play_match(match) == "interrupted"
    assert store.count_habits(habits.FORMAT) == (0, 0)
    jobs.STOP.clear()
    assert play_match(match) == "complete"
    assert store.count_habits(habits.FORMAT) == (1, 1)
    league, wanted = store.match(match).league, habits.of_record(store.record_lines(match), store.match_key(match))
    for position, bot in enumerate(store.match(match).lineup):
        (kept,) = store.habits(league, bot, habits.FORMAT)
        assert (kept.match, kept.found) == (match, json.loads(json.dumps(wanted[position])))
        assert wanted[position]["games"] == 12


def test_figures_that_cannot_be_had_cost_no_result(
    store: Store, match: str, script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A match is complete even where nothing can be made of its record; the log says so."""

    def fail(*_: object) -> None:
        raise ValueError("the cards are wet")

    script("ok")
    monkeypatch.setattr(habits, "of_record", fail)
    assert play_match(match) == "complete"
    assert store.match(match).state == "complete"
    assert store.count_habits(habits.FORMAT) == (0, 1)
    assert "could not be worked out: the cards are wet" in caplog.text


def test_a_repeated_job_changes_nothing(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """A job of a match that is complete starts no referee and leaves no trace."""
    counter = script("ok")
    play_match(match)
    before = [store.games(match), store.attempts(match), list(store.record_lines(match))]
    assert play_match(match) == "claimed"
    assert [store.games(match), store.attempts(match), list(store.record_lines(match))] == before
    assert counter.read_text() == "1"


def test_two_jobs_at_once(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """While one attempt holds the lease, a second job of the same match returns at once and plays nothing."""
    counter = script("ok")
    claim = store.claim(match, "another worker", 60.0)
    assert claim is not None
    assert play_match(match) == "claimed"
    assert not counter.exists()
    assert store.release(claim, "interrupted")
    assert play_match(match) == "complete"


def test_only_what_is_missing_is_played_again(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """A referee that breaks down is run again for the games that are missing, and the games before it broke down stand."""
    script("some:5,some:0,ok")
    assert play_match(match) == "complete"
    assert outcomes(store, match) == [("infrastructure", 5), ("infrastructure", 0), ("complete", 7)]
    assert "exited with code 3" in store.attempts(match)[-1].detail
    assert "it is all too much" in store.attempts(match)[-1].detail


def test_a_match_that_keeps_breaking_down_is_given_back(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """After so many failures the job ends, the claim is free, and no bot has been charged with anything."""
    counter = script("some:0")
    assert play_match(match) == "infrastructure"
    assert counter.read_text() == str(jobs.TRIES)
    assert store.match(match).state == "waiting"
    assert store.games(match) == []


@pytest.mark.parametrize(
    ("word", "said"), [("noise", "no event"), ("nodone", None), ("void", "too slow")], ids=["noise", "nodone", "void"]
)
def test_a_broken_contract_is_the_infrastructure(
    store: Store, match: str, script: Callable[[str], Path], word: str, said: str | None
) -> None:
    """Noise instead of events, an end without "done" and void games are failures of the attempt, each with its reason."""
    counter = script(f"{word},ok")
    assert play_match(match) == "complete"
    first = store.attempts(match)[-1]
    if said is None:  # every game had come in before it left
        assert outcomes(store, match) == [("complete", 12)]
    else:
        assert first.outcome == "infrastructure"
        assert said in first.detail + "".join(void.detail for void in first.voids)
    assert gone(counter)


def test_void_games_and_logs_are_kept_with_the_attempt(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """Void games are counted at the attempt, and a bot's output is kept in its log; neither is a result."""
    script("void,ok")
    play_match(match)
    first = store.attempts(match)[-1]
    assert [(void.cause, void.count) for void in first.voids] == [("INFRASTRUCTURE", 12)]
    assert [(log.bot, log.tail, log.exit) for log in store.logs(match)] == [("ann", "oh dear", 1)]


def test_told_to_stop(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """A worker that is told to stop ends the referee, gives the claim back as interrupted, and keeps the games that are done."""
    counter = script("hang:4")
    when(lambda: len(store.games(match)) == 4, jobs.STOP.set)
    assert play_match(match) == "interrupted"
    assert outcomes(store, match) == [("interrupted", 4)]
    assert store.match(match).state == "waiting"
    assert gone(counter)


def test_a_referee_that_will_not_stop_is_killed(
    store: Store, match: str, script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A referee that ignores SIGTERM is killed, and the attempt still ends in good order."""
    monkeypatch.setattr("worker.attempt.GRACE", 0.3)
    counter = script("stubborn")
    when(lambda: len(store.games(match)) == 1, jobs.STOP.set)
    assert play_match(match) == "interrupted"
    assert outcomes(store, match) == [("interrupted", 1)]
    assert gone(counter)


def test_a_lost_lease_stops_the_attempt(
    store: Store, match: str, script: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever loses the lease stops at once, and the one who took it over plays on."""
    monkeypatch.setenv("ARENA_LEASE_SECONDS", "3")
    counter = script("hang:1,ok")
    taken: list[object] = []

    def take_over() -> None:
        taken.append(store.claim(match, "another worker", 60.0, now=time.time() + 3600))

    when(lambda: len(store.games(match)) == 1, take_over)
    assert play_match(match) == "interrupted"
    assert taken[0] is not None
    assert outcomes(store, match)[0] == ("lost", 1)
    assert store.match(match, now=time.time() + 1800).state == "running"
    assert gone(counter)


def test_the_job_has_a_deadline_of_its_own(store: Store, match: str, settings: Settings, script: Callable[[str], Path]) -> None:
    """A job that runs out of time gives the match back by itself, before RQ would interfere."""
    counter = script("hang:2")
    assert Player(store, replace(settings, match_seconds=1.0)).play(match) == "interrupted"
    assert outcomes(store, match) == [("interrupted", len(store.games(match)))]
    assert "ARENA_MATCH_SECONDS" in store.attempts(match)[0].detail
    assert not counter.with_suffix(".pid").exists() or gone(counter)


def test_matches_that_cannot_be_played(store: Store, match: str, script: Callable[[str], Path]) -> None:
    """A job of a match that is not stored, or of a league that has ended, says so and plays nothing."""
    counter = script("ok")
    assert play_match("small/cutthroat/99") == "unknown"
    store.finish_league("small", abandon=True)
    assert play_match(match) == "closed"
    assert not counter.exists()


def test_remote_bots_need_a_referee(store: Store, settings: Settings, script: Callable[[str], Path]) -> None:
    """A match with a remote bot is told of the long-lived referee; without one the attempt fails and says what to start."""
    store.add_remote_bot("far")
    store.create_league(spec.league_spec("remote", [("turn-up", {})], ("ann", "far"), 1, fmt="deals:1"))
    plan = next(planned(store.league("remote")))
    store.add_matches([plan])
    script("ok")
    assert play_match(plan.id) == "infrastructure"
    assert "arena referee" in store.attempts(plan.id)[0].detail
    known = replace(settings, referee="unix:/somewhere", operator_token="secret")
    told = order.make(store.match(plan.id), bytes(32), [(0, (0, 1, 0, 1))], known, {})
    assert told["referee"] == {"address": "unix:/somewhere", "token": "secret"}
    assert [sorted(entry) for entry in told["lineup"]] == [["bot", "run", "version"], ["bot", "tokens", "version"]]


def test_the_referee_dies_with_its_worker(store: Store, match: str, settings: Settings, tmp_path: Path) -> None:
    """When a worker is killed in mid-match its referee is stopped too, and after the lease somebody else plays on."""
    counter = tmp_path / "runs"
    code = (
        "import sys; from worker import attempt, jobs;"
        f"attempt.COMMAND = (sys.executable, '-m', 'tests.worker.fake_referee', 'hang:3', {str(counter)!r});"
        f"jobs.play_match({match!r})"
    )
    lease = {"ARENA_LEASE_SECONDS": "3"}
    with subprocess.Popen([sys.executable, "-c", code], env={**os.environ, **settings.env(), **lease}) as worker:
        until(lambda: len(store.games(match)) == 3)
        worker.kill()
    until(lambda: gone(counter))
    until(lambda: store.match(match).state == "waiting")
    assert store.claim(match, "another worker", 60.0) is not None
    assert outcomes(store, match)[0] == ("lost", 3)


def when(ready: Callable[[], bool], act: Callable[[], object]) -> None:
    """Act, from a thread of its own, as soon as something is so."""

    def wait() -> None:
        until(ready)
        act()

    threading.Thread(target=wait).start()


def until(done: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait for something that must happen."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
