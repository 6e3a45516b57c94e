"""What the store keeps of results that were worked out before: tables of standings, and what bots did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from league.errors import NotFound
from league.store_tabulations import Tabulation
from tests.league.samples import make_league, play_missing

if TYPE_CHECKING:
    from league.store import Store

MADE = Tabulation(format=1, sets=4, members="abc", made_at=100.0, seconds=2.5)


def complete(store: Store, match_id: str) -> float:
    """Play a match; when it was complete."""
    play_missing(store, match_id)
    completed_at = store.match(match_id).completed_at
    assert completed_at is not None
    return completed_at


def test_one_at_a_time_has_a_table_in_hand(store: Store) -> None:
    """Whoever has it in hand keeps others off until it is kept, given up, or the time is over."""
    league = make_league(store).name
    assert not store.tabulating(league)
    assert store.begin_tabulation(league, None, 60.0, now=10.0)
    assert not store.begin_tabulation(league, None, 60.0, now=69.0)
    assert store.tabulating(league, now=69.0)
    assert store.begin_tabulation(league, "turn-up", 60.0, now=11.0), "a variant's table is another"
    assert store.begin_tabulation(league, None, 60.0, now=70.0)
    store.give_up_tabulation(league)
    assert not store.tabulating(league, now=71.0)
    assert store.begin_tabulation(league, None, 60.0, now=71.0)
    assert store.tabulation(league) is None


def test_a_table_takes_the_place_of_the_one_before(store: Store) -> None:
    """Head and parts come back as they were kept; parts of a table that is not there any more do not."""
    league = make_league(store).name
    assert store.begin_tabulation(league, None, 60.0)
    store.save_tabulation(league, None, MADE, {"rows": b"\x00\xff", "arrays": b"old", "history": b"h"})
    assert store.tabulation(league) == MADE
    assert not store.tabulating(league)
    assert store.tabulation(league, "turn-up") is None
    assert store.tabulation_part(league, None, "rows", MADE.made_at) == b"\x00\xff"
    later = Tabulation(1, 6, "abcd", 200.0, 1.0)
    store.save_tabulation(league, None, later, {"rows": b"new", "arrays": b"a"})
    assert store.tabulation(league) == later
    assert store.tabulation_part(league, None, "rows", MADE.made_at) is None
    assert store.tabulation_part(league, None, "rows", later.made_at) == b"new"
    assert store.tabulation_part(league, None, "history", later.made_at) is None


def test_tables_are_of_leagues_that_are_there(store: Store) -> None:
    """Of others nothing is known, and nothing is begun."""
    assert store.tabulation("none") is None
    for act in (lambda: store.begin_tabulation("none", None, 1.0), lambda: store.give_up_tabulation("none")):
        with pytest.raises(NotFound, match="no league 'none'"):
            act()


def test_figures_are_those_of_a_match_as_it_is(store: Store) -> None:
    """They are kept of complete matches alone, in place of what was there, and count only for the games that they are of."""
    league = make_league(store)
    first, second, *_ = store.matches(league.name)
    with pytest.raises(NotFound):
        store.save_habits("none/turn-up/0", 1.0, 1, [])
    assert not store.save_habits(first.id, 1.0, 1, [{}])
    assert store.habits_due(1) == []
    ended = complete(store, first.id)
    complete(store, second.id)
    assert [name for _, name in store.habits_due(1, league.name)] == [first.id, second.id]
    assert not store.save_habits(first.id, ended + 1, 1, [{}])
    for text in ("old", "new"):
        assert store.save_habits(first.id, ended, 1, [{"of": f"{text} {seat}"} for seat in range(len(first.lineup))])
    for seat, bot in enumerate(first.lineup):
        found = {one.match: one.found for one in store.habits(league.name, bot, 1, first.label)}
        assert found[first.id] == {"of": f"new {seat}"}
    assert [name for _, name in store.habits_due(1)] == [second.id]
    ((cursor, _),) = store.habits_due(1)
    assert store.habits_due(1, after=cursor) == []
    assert (store.count_habits(1), store.count_habits(2), store.count_habits(1, "none")) == ((1, 2), (0, 2), (0, 0))
    assert len(store.habits_due(2, limit=1)) == 1
