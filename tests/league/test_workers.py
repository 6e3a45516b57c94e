"""Workers in the store: who is alive, who may not play, and what becomes of games that are suspect."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from league.errors import NotFound, Quarantined
from tests.league.samples import make_league, play, play_missing, variant

if TYPE_CHECKING:
    from league.model import Claim
    from league.store import Store

MATCH = "summer/turn-up/0"
OTHER = "summer/turn-up/1"


def register(store: Store, *workers: str) -> None:
    """Workers of these names, each with one process called after it."""
    for number, worker in enumerate(workers):
        store.register_process(f"p-{worker}", worker=worker, host=f"host-{worker}", pid=100 + number, now=10.0 + number)


def claimed(store: Store, match: str, worker: str) -> Claim:
    claim = store.claim(match, f"p-{worker}", 1000.0)
    assert claim is not None
    return claim


def late(record: dict[str, Any], seat: int = 1) -> dict[str, Any]:
    """The same game with a late answer in it."""
    record["deals"][0]["faults"] = [{"move": 0, "seat": seat, "cause": "LATE"}]
    return record


def report(store: Store, claim: Claim, number: int | None = None, *, slow: bool = False) -> None:
    """Play what is missing of a match under a claim, or so many games of it."""
    match, key = store.match(claim.match), store.match_key(claim.match)
    for one, seating in store.missing_games(claim.match)[:number]:
        dealer, record = play(match, key, one, seating)
        assert store.add_game(claim.match, one, seating, dealer, late(record) if slow else record, claim=claim)


def test_processes_of_a_worker(store: Store) -> None:
    """A worker has processes that come and go; being alive is one thing, progress another."""
    make_league(store)
    register(store, "w1", "w2")
    store.register_process("p-w1", worker="w1", host="host-w1", pid=100, now=99.0)
    store.end_process("p-w1", now=20.0)
    store.register_process("p2", worker="w1", host="renamed", pid=7, now=21.0)
    assert store.beat("p2", now=50.0) is True
    first, second = store.workers()
    assert (first.uuid, first.host, first.created_at) == ("w1", "renamed", 10.0)
    assert [(one.name, one.pid, one.started_at, one.heartbeat_at, one.ended_at) for one in first.processes] == [
        ("p2", 7, 21.0, 50.0, None),
        ("p-w1", 100, 10.0, 10.0, 20.0),
    ]
    assert [one.name for one in first.live(now=60.0, seconds=30.0)] == ["p2"]
    assert first.live(now=90.0, seconds=30.0) == second.live(now=60.0, seconds=30.0) == []
    assert (second.matches, second.games, second.late, second.progress_at) == (0, 0, 0, None)


def test_what_a_worker_has_done(store: Store) -> None:
    """Matches, games, late attempts and the time of the last game are counted over all processes of a worker."""
    make_league(store)
    register(store, "w1")
    first = claimed(store, MATCH, "w1")
    report(store, first, slow=True)
    store.release(first, "complete")
    store.register_process("p2", worker="w1", host="host-w1", pid=7)
    second = store.claim(OTHER, "p2", 1000.0)
    assert second is not None
    report(store, second, 1)
    [worker] = store.workers()
    assert (worker.matches, worker.games, worker.late) == (1, 5, 1)
    assert worker.progress_at == store.attempts(OTHER)[0].progress_at


def test_trials(store: Store) -> None:
    """An attempt that is over and reported half its match says which of its bots were late; others say nothing."""
    make_league(store)
    register(store, "w1", "w2")
    one, two, three, four = (claimed(store, f"summer/turn-up/{n}", "w2" if n == 1 else "w1") for n in range(4))
    report(store, one, slow=True)
    report(store, two, 2)
    report(store, three, 1)
    report(store, four)
    store.release(one, "complete")
    store.release(two, "interrupted")
    store.release(three, "interrupted")
    found = store.trials()
    assert [(trial.attempt, trial.worker) for trial in found] == [(one.attempt, "w1"), (two.attempt, "w2")]
    assert [late for _, late in found[0].bots].count(True) > 0
    assert [late for _, late in found[1].bots] == [False, False]
    assert found[0].stratum == found[1].stratum
    assert [trial.attempt for trial in store.trials(limit=1)] == [two.attempt]
    store.quarantine("w1", "bad", "none")
    assert [trial.attempt for trial in store.trials()] == [two.attempt]


def test_in_quarantine_nobody_plays(store: Store) -> None:
    """A quarantined worker loses what it plays at once, gets nothing new, and cannot report; after release it can."""
    make_league(store)
    register(store, "w1", "w2")
    claim = claimed(store, MATCH, "w1")
    report(store, claim, 1)
    assert store.quarantine("w1", "seen sleeping") == 0
    assert store.beat("p-w1") is False
    assert store.heartbeat(claim, 10.0) is False
    assert (store.attempts(MATCH)[0].outcome, store.match(MATCH).state) == ("interrupted", "waiting")
    with pytest.raises(Quarantined, match="w1 is in quarantine: seen sleeping"):
        store.claim(MATCH, "p-w1", 10.0)
    with pytest.raises(Quarantined):
        report(store, claim, 1)
    assert store.match(MATCH).games_done == len(store.games(MATCH)) == 1
    assert store.claim(MATCH, "p-w2", 10.0) is not None
    store.quarantine("w1", "another reason")
    assert store.workers()[0].reason == "seen sleeping"
    store.release_worker("w1")
    assert store.beat("p-w1") is True
    report(store, claimed(store, OTHER, "w1"))
    assert store.workers()[0].block_from == store.attempts(MATCH)[0].id + 0


def test_suspect_games_are_set_aside_and_replayed(store: Store) -> None:
    """The games of attempts in which a bot was late are listed apart and missing from their match, and are played again."""
    make_league(store)
    register(store, "w1", "w2")
    for match, slow in ((MATCH, True), (OTHER, False)):
        claim = claimed(store, match, "w1")
        report(store, claim, slow=slow)
        store.release(claim, "complete")
    assert store.match(MATCH).state == "complete"
    assert store.quarantine("host-w1", "slow") == 4
    assert store.match(OTHER).state == "complete"
    match = store.match(MATCH)
    assert (match.state, match.games_done, match.sets_done, match.completed_at) == ("waiting", 0, 0, None)
    assert len(store.missing_games(MATCH)) == 4
    assert not any(result.match == MATCH for result in store.results("summer"))
    aside = store.set_aside("w1")
    assert [(one.match, one.worker, one.reason, one.replayed) for one in aside] == [(MATCH, "w1", "slow", False)] * 4
    assert store.workers()[0].aside == 4
    report(store, claimed(store, MATCH, "w2"))
    assert store.match(MATCH).state == "complete"
    assert all(one.replayed for one in store.set_aside(match_id=MATCH))
    assert not any(faults for game in store.games(MATCH) for faults in game.faults)


def test_setting_aside_can_be_undone(store: Store) -> None:
    """Restored games count again, whole; where they have been replayed, the replay is set aside in their place."""
    make_league(store)
    register(store, "w1", "w2")
    claim = claimed(store, MATCH, "w1")
    report(store, claim, slow=True)
    store.release(claim, "complete")
    before = [*store.record_lines(MATCH)], store.games(MATCH)
    store.quarantine("w1", "slow")
    report(store, claimed(store, MATCH, "w2"), 1)
    assert store.restore_games("w1") == 4
    assert ([*store.record_lines(MATCH)], store.games(MATCH)) == before
    assert store.match(MATCH).state == "complete"
    assert store.match(MATCH).sets_done == 2
    kept = [one for one in store.set_aside("w1") if one.restored_at is None]
    assert [one.reason for one in kept] == ["a replay; the first result was restored"]
    assert store.attempts(MATCH)[0].games == 1


def test_what_cannot_be_played_again_in_secret_stays(store: Store) -> None:
    """Games of a league whose key is public stay, and those of complete sets with remote bots."""
    store.add_remote_bot("far")
    make_league(store, name="remote", bots=("a", "far"), variants=(variant("turn-up"),))
    make_league(store, name="closed", bots="ab", variants=(variant("turn-up"),))
    register(store, "w1")
    for match in ("remote/turn-up/0", "closed/turn-up/0"):
        claim = claimed(store, match, "w1")
        report(store, claim, slow=True)
        store.release(claim, "complete")
    store.finish_league("closed")
    assert store.quarantine("w1", "slow", "all") == 0
    assert store.match("remote/turn-up/0").state == store.match("closed/turn-up/0").state == "complete"


def test_sets_that_a_remote_bot_may_have_read_stay(store: Store) -> None:
    """Of a match that is still being played too; without anybody remote all of it can be played again."""
    store.add_remote_bot("far")
    make_league(store, name="remote", bots=("a", "far"), variants=(variant("turn-up"),), remote_sets=3)
    make_league(store, name="local", bots="ab", variants=(variant("turn-up"),))
    register(store, "w1")
    for match in ("remote/turn-up/0", "local/turn-up/0"):
        report(store, claimed(store, match, "w1"), len(store.missing_games(match)) - 1)
    open_sets = {number for number, _ in store.missing_games("remote/turn-up/0")}
    kept = [game for game in store.games("remote/turn-up/0") if game.set not in open_sets]
    played = store.match("local/turn-up/0").games_done
    of_open_sets = store.match("remote/turn-up/0").games_done - len(kept)
    assert kept
    assert store.quarantine("w1", "slow", "all") == played + of_open_sets
    assert store.games("remote/turn-up/0") == kept
    assert store.games("local/turn-up/0") == []


def test_all_games_or_those_after_an_attempt(store: Store) -> None:
    """Every game of a worker can be set aside, or only those of attempts after a given one."""
    make_league(store)
    register(store, "w1")
    attempts = []
    for match in (MATCH, OTHER):
        claim = claimed(store, match, "w1")
        report(store, claim)
        store.release(claim, "complete")
        attempts.append(claim.attempt)
    assert store.quarantine("w1", "unplugged", "all", after=attempts[0]) == 4
    assert (store.match(MATCH).state, store.match(OTHER).state) == ("complete", "waiting")
    with pytest.raises(ValueError, match="late, all, none"):
        store.quarantine("w1", "x", "some")  # type: ignore[arg-type]


def test_a_match_that_is_being_finished_by_another(store: Store) -> None:
    """Only the games of the quarantined worker leave a match that several have played; its counts agree with what is there."""
    make_league(store)
    register(store, "w1", "w2")
    claim = claimed(store, MATCH, "w1")
    report(store, claim, 1, slow=True)
    store.release(claim, "interrupted")
    second = claimed(store, MATCH, "w2")
    report(store, second)
    assert store.match(MATCH).state == "complete"
    store.quarantine("w1", "slow")
    match = store.match(MATCH)
    assert (match.games_done, match.sets_done, match.state) == (3, 1, "running")
    assert play_missing(store, MATCH) == 1
    assert dataclasses.replace(store.match(MATCH), completed_at=None).sets_done == 2


def test_names_of_workers(store: Store) -> None:
    """A worker is found by UUID, by the beginning of one, or by a host that is its alone; otherwise all are listed."""
    for uuid, host in (("abc1", "h1"), ("abd2", "h2"), ("xyz3", "h2")):
        store.register_process(f"p{uuid}", worker=uuid, host=host, pid=1)
    for text in ("abc1", "abc", "h1"):
        store.quarantine(text, "x")
        store.release_worker(text)
    with pytest.raises(NotFound, match=r"several workers are called 'ab'.*abc1 on h1, abd2 on h2"):
        store.release_worker("ab")
    with pytest.raises(NotFound, match="several workers are called 'h2'"):
        store.quarantine("h2", "x")
    with pytest.raises(NotFound, match=r"no worker is called 'none'.*abc1 on h1"):
        store.set_aside("none")
