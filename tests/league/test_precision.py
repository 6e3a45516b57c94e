"""Leagues that are played in rounds towards a precision."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from league.errors import BadSpec, LeagueOpen
from league.precision import DOUBT, extend
from league.schedule import planned
from league.standings import standings
from tests.league.samples import KEY, add_bots, record, spec, variant
from tools.precision import Case, adaptive, end, plain_sets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from league.model import League, Round
    from league.store import Store

PRECISION = 110.0
STRENGTH = {"a": 0.0, "b": 0.1, "c": 0.1, "d": 4.0}


def _create(store: Store, **others: Any) -> League:
    add_bots(store)
    wanted = {"variants": (variant("turn-up"),), "sets": 4, "precision": PRECISION, "max_sets": 40, **others}
    return store.create_league(spec(**wanted))


def _play(store: Store, match_id: str) -> None:
    """Play a match whose stronger bot wins more often, the same whenever it is played."""
    match = store.match(match_id)
    for number, seating in store.missing_games(match_id):
        chance = random.Random(f"{match_id.removeprefix(match.league)} {number} {seating}")
        ranks = [chance.gauss(STRENGTH[match.lineup[index].bot], 1.0) for index in dict.fromkeys(seating)]
        total = [10 + sorted(ranks).index(rank) for rank in ranks]
        store.add_game(match_id, number, seating, 0, record(seating, total))


def _to_the_end(store: Store, league: str, order: random.Random | None = None) -> list[Round]:
    """Play a league as the scheduler does, the matches of each round in any order."""
    while True:
        extend(store, store.league(league), now=1.0)
        ids = [match.id for match in store.matches(league, state="open", limit=1000)]
        if not ids:
            return store.rounds(league)
        if order is not None:
            order.shuffle(ids)
        for match_id in ids:
            _play(store, match_id)


def test_rounds_until_every_pairing_stops(store: Store) -> None:
    """Each pairing is played until its interval is small enough or its order beyond doubt, and it says which; not longer."""
    league = _create(store)
    first = extend(store, league)
    assert first == [match.id for match in planned(league)]
    rounds = _to_the_end(store, "summer")
    assert [one.number for one in rounds] == list(range(len(rounds)))
    assert len(rounds) > 2
    assert not rounds[-1].matches
    assert len(rounds[-1].stopped) == 6
    table = standings(store.results("summer"))
    whys = {one.lineup: one.why for one in rounds[-1].stopped}
    for (a, b), why in whys.items():
        gap = table.difference(a, b)
        assert gap is not None
        assert gap.half_width is not None
        assert (gap.half_width <= PRECISION) == (why == "precision")
        near = gap.value - (gap.low or 0.0) if gap.value > 0 else (gap.high or 0.0) - gap.value
        assert why != "order" or abs(gap.value) >= DOUBT * near
    assert {why for pair, why in whys.items() if "d" in pair} == {"order"}
    with_d = sum(match.sets for match in store.matches("summer", bot="d", limit=1000))
    assert with_d < sum(match.sets for match in store.matches("summer", bot="a", limit=1000))
    assert store.progress("summer").complete
    assert store.finish_league("summer").key == KEY


def test_the_order_of_finishing_changes_nothing(store: Store) -> None:
    """The same results give the same decisions and the same matches, in whatever order the matches of a round end."""
    _create(store)
    store.create_league(spec("winter", variants=(variant("turn-up"),), sets=4, precision=PRECISION, max_sets=40))
    first, second = _to_the_end(store, "summer"), _to_the_end(store, "winter", random.Random(1))
    assert len(first) > 2
    assert [one.matches for one in first] == [one.matches for one in second]
    assert [one.stopped for one in first] == [one.stopped for one in second]


def test_nothing_is_decided_before_a_round_is_over(store: Store) -> None:
    """A variant waits for the last match of its round; another variant does not wait for it."""
    _create(store, variants=(variant("turn-up"), variant("ghost-hand")), bots="abc")
    made = extend(store, store.league("summer"))
    assert len(made) == 4
    assert extend(store, store.league("summer")) == []
    for match_id in made[1:]:
        _play(store, match_id)
    assert store.rounds_due("summer") == ["ghost-hand"]
    assert all(match.startswith("summer/ghost-hand/") for match in extend(store, store.league("summer")))
    assert not store.progress("summer").complete
    _play(store, made[0])
    assert store.rounds_due("summer") == ["turn-up"]


def test_a_decision_is_stored_once(store: Store) -> None:
    """Two schedulers that decide the same round make its matches once."""
    _create(store)
    league = store.league("summer")
    made = extend(store, league)
    decided = store.rounds("summer")[0]
    assert store.add_round("summer", decided) == []
    assert [match.id for match in store.matches("summer")] == made


def test_the_most_sets_are_kept(store: Store) -> None:
    """No pairing gets more than its most sets, the last round being shorter, and it says that this is why it stopped."""
    _create(store, bots="abc", sets=4, max_sets=10, precision=5.0)
    rounds = _to_the_end(store, "summer")
    assert [[match.sets for match in one.matches] for one in rounds] == [[4] * 3, [4] * 3, [2] * 3, []]
    assert {one.why for one in rounds[-1].stopped} == {"limit"}


def test_a_league_is_not_finished_while_rounds_may_come(store: Store) -> None:
    """A league between two rounds, with all its games in, is not over."""
    _create(store)
    with pytest.raises(LeagueOpen):
        store.finish_league("summer")
    for match_id in extend(store, store.league("summer")):
        _play(store, match_id)
    progress = store.progress("summer")
    assert progress.games_done == progress.games_total == 48
    assert not progress.complete
    with pytest.raises(LeagueOpen):
        store.finish_league("summer")


def test_a_bot_that_joins_gets_a_round_with_everybody(store: Store) -> None:
    """Whoever joins plays each of the others, even when all that were there have stopped; numbers go on."""
    _create(store, bots="abd", precision=200.0)
    before = _to_the_end(store, "summer")
    store.add_league_bot("summer", "c")
    assert not store.progress("summer").complete
    made = extend(store, store.league("summer"))
    used = sum(len(one.matches) for one in before)
    assert made == [f"summer/turn-up/{used + number}" for number in range(3)]
    assert all("c" in {bot.bot for bot in store.match(match_id).lineup} for match_id in made)
    assert not _to_the_end(store, "summer")[-1].matches


def test_a_withdrawn_bot_holds_nobody_up(store: Store) -> None:
    """The rounds go on without whoever is withdrawn in the midst of one."""
    _create(store)
    made = extend(store, store.league("summer"))
    _play(store, made[0])
    store.withdraw_league_bot("summer", "d")
    rounds = _to_the_end(store, "summer")
    assert all("d" not in {bot.bot for bot in match.lineup} for one in rounds[1:] for match in one.matches)
    assert store.progress("summer").complete
    assert store.finish_league("summer").revealed_at is not None


@pytest.mark.parametrize(
    ("precision", "max_sets", "said"),
    [
        (1.0, 40, r"1 Elo cannot be played for \(allowed: 5 to 400\)"),
        (float("nan"), 40, r"nan Elo cannot"),
        (50.0, None, r"from the 4 of a round to 100000, not none"),
        (50.0, 3, r"from the 4 of a round to 100000, not 3"),
        (None, 40, r"only where there is a precision"),
    ],
)
def test_bad_values_are_refused(store: Store, precision: float | None, max_sets: int | None, said: str) -> None:
    """What makes no sense is refused with what is allowed, and nothing is stored."""
    with pytest.raises(BadSpec, match=said):
        _create(store, precision=precision, max_sets=max_sets)
    assert store.leagues() == []


def _covered(case: Case, leagues: Sequence[int]) -> float:
    return float(np.mean([end(case, seed).held for seed in leagues]))


CASE = Case("five bots", (-200, -90, -60, 60, 260), 60)


def test_sets_are_spent_where_the_ranking_is_in_doubt() -> None:
    """A league with a precision takes fewer sets than the plain round robin that would stop all the same pairings."""
    seeds = range(6)
    spent = sum(adaptive(CASE, seed).sets for seed in seeds)
    assert spent < 0.85 * sum(plain_sets(CASE, seed, 1000.0)[0] for seed in seeds)


@pytest.mark.slow
def test_the_looks_leave_the_intervals_nearly_what_they_say() -> None:
    """At the end of leagues with a precision the 95 % intervals of differences hold the truth in 92 % or more."""
    assert _covered(CASE, range(150)) > 0.92
