"""The scheduler's look at workers: who makes bots late is stopped, what it played is played again, and nobody else is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from league.store import Store
from league.suspicion import LOOKS
from tests.league.samples import make_league, record, variant
from worker.inspection import Inspector

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORKERS = ("bad", "w1", "w2", "w3")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A league of 45 matches of one set, and four workers."""
    with Store.open(f"sqlite:///{tmp_path}/arena.db") as opened:
        make_league(opened, bots="abcdefghij", sets=1, variants=(variant("turn-up"),))
        for worker in WORKERS:
            opened.register_process(f"p-{worker}", worker=worker, host=f"on-{worker}", pid=1)
        yield opened


def play(store: Store, worker: str, match: str, *, late: bool) -> None:
    """Report a whole match, in which every bot is late once or none is."""
    claim = store.claim(match, f"p-{worker}", 1000.0)
    assert claim is not None
    for number, seating in store.missing_games(match):
        game = record(seating, (4, 1))
        game["deals"][0]["faults"] = [{"move": i, "seat": i, "cause": "LATE"} for i in range(2)] if late else []
        store.add_game(match, number, seating, 0, game, claim=claim)
    store.release(claim, "complete")


def test_a_bad_worker_is_stopped(store: Store) -> None:
    """A worker on which every bot is late, where others have none, is in quarantine after a look; its games are played again."""
    matches = [match.id for match in store.matches("summer")]
    for number, match in enumerate(matches[:24]):
        worker = WORKERS[number % 4]
        play(store, worker, match, late=worker == "bad")
    inspector = Inspector(store)
    [told] = inspector.inspect()
    assert told.startswith("worker bad on on-bad is in quarantine, 12 games of it are played again: bots were late 12 times in 6")
    bad, *good = store.workers()
    assert bad.quarantined_at is not None
    assert bad.aside == 12
    assert all(worker.quarantined_at is None for worker in good)
    waiting = [match.id for match in store.matches("summer", state="waiting")]
    assert waiting == sorted({*matches[:24:4], *matches[24:]}, key=matches.index)
    assert inspector.inspect() == []
    for match in matches[:24:4]:
        play(store, "w1", match, late=False)
    assert not any(any(result.faults[0]) for result in store.results("summer"))


def test_bots_that_are_late_everywhere(store: Store) -> None:
    """Where bots are late on every worker, no worker is to blame."""
    for number, match in enumerate(store.matches("summer")):
        play(store, WORKERS[number % 4], match.id, late=number % 3 == 0)
    inspector = Inspector(store)
    assert [inspector.inspect() for _ in LOOKS] == [[]] * len(LOOKS)
    assert all(worker.quarantined_at is None for worker in store.workers())


def test_looks_are_noted(store: Store) -> None:
    """A look is taken once for each number of attempts, whoever inspects; after the last the next attempts begin anew."""
    matches = [match.id for match in store.matches("summer")]
    for match in matches[:1]:
        play(store, "w2", match, late=False)
    for match in matches[1:6]:
        play(store, "w1", match, late=False)
    Inspector(store).inspect()
    Inspector(store).inspect()
    assert [(worker.looks, worker.block_from) for worker in store.workers()][:2] == [(0, 0), (1, 0)]
    for match in matches[6:21]:
        play(store, "w1", match, late=False)
    Inspector(store).inspect()
    Inspector(store).inspect()
    assert store.workers()[1].looks == 0
    assert store.workers()[1].block_from == store.attempts(matches[20])[0].id


def test_a_single_worker_is_not_judged(store: Store) -> None:
    """With nobody to compare it with, a worker is left alone however late its bots are."""
    for match in store.matches("summer"):
        play(store, "bad", match.id, late=True)
    assert Inspector(store).inspect() == []


def test_now_and_then(store: Store) -> None:
    """A scheduler that ticks several times a second does not inspect as often."""
    inspector = Inspector(store, seconds=3600.0)
    looks: list[int] = []
    inspector.inspect = lambda: looks.append(1) or ["told"]  # type: ignore[method-assign, func-returns-value, assignment]
    assert [inspector.tick() for _ in range(3)] == [["told"], [], []]
    assert len(looks) == 1
