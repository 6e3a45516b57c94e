"""The reconciler while bots join and leave, and in leagues that are played in rounds; a series as a user runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena import spec
from league.store import Store
from tests.worker.arenas import SLOW, Arena, until
from tests.worker.conftest import KEY
from worker.jobs import play_match
from worker.queueing import Matches, job_id
from worker.scheduler import Reconciler
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from redis import Redis

    from worker.settings import Settings


@pytest.fixture
def reconciler(store: Store, connection: Redis, settings: Settings, script: Callable[[str], Path]) -> Reconciler:
    """A reconciler of one worker's arena; matches are played by the rules' fallback."""
    script("ok")
    return Reconciler(store, connection, settings, workers=1)


def play_round(reconciler: Reconciler, league: str) -> list[str]:
    """What workers do: play whatever is queued of a league; the matches played."""
    played = []
    queue = Matches(reconciler.connection, reconciler.settings)
    for match in reconciler.store.matches(league, state="waiting"):
        if job_id(match.id) in queue.waiting():
            queue.queue.remove(job_id(match.id))
            queue.forget(match.id)
            play_match(match.id)
            played.append(match.id)
    return played


def to_the_end(reconciler: Reconciler, league: str) -> list[str]:
    """Play a league to its end; the matches played, in order."""
    played: list[str] = []
    for _ in range(40):
        if reconciler.tick(league):
            return played
        played += play_round(reconciler, league)
    raise AssertionError(f"{league} does not end: {played}")


def test_a_bot_joins_and_another_leaves(reconciler: Reconciler, store: Store) -> None:
    """The scheduler notices both: the newcomer's matches are played too, the leaver's are not, and the league ends."""
    reconciler.tick("small")
    store.add_bot("dan", "python dan.py")
    store.add_league_bot("small", "dan")
    first = play_round(reconciler, "small")
    store.withdraw_league_bot("small", "ann")
    played = first + to_the_end(reconciler, "small")
    assert first == ["small/cutthroat/0", "small/turn-up/0"]
    assert len(played) == len(set(played))
    left = {match.id: {bot.bot for bot in match.lineup} for match in store.matches("small") if match.id not in first}
    assert sorted(names for names in map(sorted, left.values())) == [
        ["bea", "cid"],
        ["bea", "cid", "dan"],
        ["bea", "dan"],
        ["cid", "dan"],
    ]
    assert store.league("small").key == KEY


def test_who_joins_a_plan_that_was_made_whole(reconciler: Reconciler, store: Store) -> None:
    """A bot that joins when all matches are made and played is scheduled, and only then is the league finished."""
    while len(store.matches("small", state="complete")) < 4:
        reconciler.tick("small")
        play_round(reconciler, "small")
    store.add_bot("dan", "python dan.py")
    store.add_league_bot("small", "dan")
    assert reconciler.tick("small") is False
    to_the_end(reconciler, "small")
    assert len(store.matches("small", bot="dan", state="complete")) == 3 + 3


def test_a_league_in_rounds(reconciler: Reconciler, store: Store, settings: Settings, connection: Redis) -> None:
    """The next round is queued when the last match of the one before is in, also by another scheduler, until all stop."""
    wanted = spec.league_spec("cup", [("turn-up", {})], ("ann", "bea", "cid"), 1, fmt="deals:1", key=KEY, precision=5, max_sets=3)
    store.create_league(wanted)
    reconciler.tick("cup")
    queue = Matches(connection, settings)
    assert queue.waiting() == {job_id(f"cup/turn-up/{n}") for n in range(3)}
    assert len(play_round(reconciler, "cup")) == 3
    second = Reconciler(store, connection, settings, workers=1)
    played = to_the_end(second, "cup")
    assert played == [f"cup/turn-up/{n}" for n in range(3, 9)]
    assert [len(one.matches) for one in store.rounds("cup")] == [3, 3, 3, 0]
    assert store.league("cup").key == KEY


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    """A fresh arena."""
    (tmp_path / "data").mkdir()
    made = Arena(tmp_path / "data")
    yield made
    made.close()


def test_a_series_is_run(arena: Arena) -> None:
    """`arena league run SERIES` begins the season that is due, plays it to its end, waits for the next, and ends when stopped."""
    with Store.open(arena.store_url) as store:
        for style in ("lowest", "greedy"):
            store.add_bot(style, f"python {SLOW} {style}", str(ROOT))
    words = ("--variants", "turn-up", "--sets", "1", "--format", "deals:1", "--answer", "60")
    arena("league", "season", "create", "spring", "--every", "7d", *words)
    run = arena.start("league", "run", "spring", "--workers", "1")
    until(lambda: "#  bot" in arena.out.read_text() or run.poll() is not None, 300)
    assert run.poll() is None, arena.err.read_text()
    assert "season 1 of spring has begun: league spring-1, 2 bots" in arena.err.read_text()
    with Store(arena.store_url) as store:
        assert store.league("spring-1").key is not None
        assert len(store.series("spring").seasons) == 1
    arena("league", "season", "stop", "spring")
    assert run.wait(120) == 0
    until(lambda: not arena.survivors())
