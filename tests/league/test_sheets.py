"""Games by columns come to the same as games one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from league import store_sums
from league.errors import NotFound
from league.schedule import planned
from league.sheets import read_sheet
from league.standings import standings, table_of
from league.tallies import sheet_of
from tests.league.samples import play_missing, record, same_sheet, spec, variant

if TYPE_CHECKING:
    from league.store import Store

VARIANTS = (variant("turn-up"), variant("ghost-hand"))

FAULTY = [
    {
        "moves": "",
        "faults": [{"move": 0, "seat": seat, "cause": cause} for seat, cause in faults],
        "tricks": [],
        "points": [],
        "total": [],
    }
    for faults in ([(0, "LATE"), (1, "ILLEGAL")], [(1, "ILLEGAL")])
]


def fill(store: Store) -> None:
    """Two leagues of two variants, one of them with a match that is broken off in a set; a bot that never plays."""
    for name in "abcd":
        store.add_bot(name, f"play {name}", now=1.0)
    for name, bots in (("first", "abc"), ("second", "dcb")):
        store.create_league(spec(name, tuple(bots), 2, variants=VARIANTS))
        store.add_matches(planned(store.league(name)))
    faulty, *others = store.matches("second", "ghost-hand")
    for number, seating in store.missing_games(faulty.id):
        store.add_game(faulty.id, number, seating, 0, record(seating, deals=FAULTY, forfeits=[number]))
    for match in [*others, *store.matches("second", "turn-up")]:
        play_missing(store, match.id)
    first, *others = store.matches("first")
    play_missing(store, first.id, 3)
    for match in others:
        play_missing(store, match.id)


@pytest.mark.parametrize("label", [None, "turn-up", "ghost-hand"])
def test_columns_come_to_the_same_as_results(store: Store, label: str | None) -> None:
    """Names, sets, figures, faults and forfeits are those of the results, and so is the table to the last bit."""
    fill(store)
    for league in ("first", "second"):
        found, wanted = read_sheet(store, league, label, ["zoe"]), sheet_of(store.results(league, label), ["zoe"])
        same_sheet(found, wanted)
        assert found.blocks
        assert table_of(found, label).rows == standings(store.results(league, label), ["zoe"], label).rows


def test_faults_and_forfeits_are_counted(store: Store) -> None:
    """Faults by bot and cause and forfeited games, over all games of complete sets."""
    fill(store)
    found = read_sheet(store, "second")
    games = 2 * len(store.matches("second", "ghost-hand")[0].seatings)
    assert sum(causes.get("ILLEGAL", 0) for causes in found.faults.values()) == 2 * games
    assert sum(causes.get("LATE", 0) for causes in found.faults.values()) == games
    assert sum(found.forfeits.values()) == games
    assert all(read_sheet(store, "second", "turn-up").faults.get(bot) is None for bot in "bcd")


def test_a_league_without_games_has_an_empty_sheet(store: Store) -> None:
    """Nothing is played: only the names that are given are there; a league that is not there is an error."""
    for name in "abc":
        store.add_bot(name, f"play {name}")
    store.create_league(spec("new", tuple("abc"), 2, variants=VARIANTS))
    same_sheet(read_sheet(store, "new", bots="abc"), sheet_of([], "abc"))
    with pytest.raises(NotFound, match="no league 'other'"):
        read_sheet(store, "other")


def test_a_part_of_what_stands_between_others(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leagues whose matches came in turn, read a few games at a time, come to what their own results come to."""
    monkeypatch.setattr(store_sums, "_SLICE", 5)
    for name in "abcd":
        store.add_bot(name, "play")
    leagues = [store.create_league(spec(name, tuple("abcd"), 2, variants=VARIANTS)) for name in ("first", "second")]
    for pair in zip(*map(planned, leagues), strict=True):
        for match in pair:
            store.add_matches([match])
    for name, limit in (("first", None), ("second", 3)):
        for match in store.matches(name):
            play_missing(store, match.id, limit)
    for name in ("first", "second"):
        for keep in (True, True, False):
            found = read_sheet(store, name, keep=keep)
            same_sheet(found, sheet_of(store.results(name)))
            assert found.blocks
