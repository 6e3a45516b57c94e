"""Bots that join and leave a league while it is played."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import pytest

from league.errors import AlreadyExists, BadSpec, LeagueClosed, LeagueOpen, MatchDropped, NotFound
from league.model import BotVersion, Entry, League, LeagueVariant
from league.schedule import numbered, planned, planned_count
from league.standings import standings
from referee.rules import Rules
from tests.league.samples import add_bots, make_league, play_missing, spec, variant

if TYPE_CHECKING:
    from league.store import Store


def _entries(*stages: int) -> tuple[Entry, ...]:
    names = "nmlkjihg"
    return tuple(Entry(BotVersion(names[place], 1, "play"), stage) for place, stage in enumerate(stages))


@pytest.mark.parametrize("size", [2, 3])
def test_numbers_of_matches_never_collide(size: int) -> None:
    """However many bots join later, every choice of bots has one number, and the numbers leave out none."""
    entries = _entries(0, 0, 0, 1, 2, 3)
    found = dict(numbered(entries, size))
    assert sorted(found) == list(range(math.comb(6, size)))
    lineups = {tuple(sorted(entry.bot.bot for entry in chosen)) for chosen in found.values()}
    assert lineups == {tuple(sorted(names)) for names in itertools.combinations("ijklmn", size)}


@pytest.mark.parametrize("size", [2, 3])
def test_joining_renumbers_nothing(size: int) -> None:
    """The matches before a bot joined keep their numbers and their line-ups."""
    for there in (3, 4, 5):
        before, after = _entries(0, 0, 0, 1, 2, 3)[:there], _entries(0, 0, 0, 1, 2, 3)[: there + 1]
        assert list(numbered(after, size))[: math.comb(there, size)] == list(numbered(before, size))


def test_a_withdrawn_bot_is_not_planned() -> None:
    """The plan leaves out whoever is withdrawn, and the others keep their numbers."""
    entry = LeagueVariant("turn-up", "turn-up", {}, "game", 4, Rules("turn-up").seatings())
    entries = _entries(0, 0, 0, 0)
    gone = (entries[0], Entry(entries[1].bot, 0, None, 5.0), *entries[2:])

    def plan(entries: tuple[Entry, ...]) -> dict[str, set[str]]:
        bots = tuple(one.bot for one in entries if one.active)
        league = League("cup", "", 1, {}, (entry,), bots, False, 0.0, entries=entries)
        assert planned_count(league) == len(list(planned(league)))
        return {match.id: {bot.bot for bot in match.lineup} for match in planned(league)}

    assert plan(gone) == {match: names for match, names in plan(entries).items() if "m" not in names}


def test_a_bot_joins_in_mid_season(store: Store) -> None:
    """Whoever joins gets its missing matches; those there were stay, with their keys, and the league ends after all of them."""
    make_league(store, bots="abc", variants=(variant("turn-up"),), sets=1)
    play_missing(store, "summer/turn-up/0")
    before = {match.id: match.commitment for match in store.matches("summer")}
    store.add_bot("d", "play d")
    league = store.add_league_bot("summer", "d", now=7.0)
    assert [bot.bot for bot in league.bots] == ["a", "b", "c", "d"]
    assert (league.entries[-1].stage, league.entries[-1].added_at) == (1, 7.0)
    assert store.progress("summer").games_total == 12
    assert store.add_matches(planned(league)) == 3
    new = [match for match in store.matches("summer") if match.id not in before]
    assert [match.id for match in new] == ["summer/turn-up/3", "summer/turn-up/4", "summer/turn-up/5"]
    assert [{bot.bot for bot in match.lineup} for match in new] == [{"a", "d"}, {"b", "d"}, {"c", "d"}]
    assert before.items() <= {match.id: match.commitment for match in store.matches("summer")}.items()
    with pytest.raises(LeagueOpen):
        store.finish_league("summer")
    for match in store.matches("summer"):
        play_missing(store, match.id)
    assert store.progress("summer").complete
    assert store.finish_league("summer").key is not None


def test_who_joins_when_all_is_played_opens_the_league_again(store: Store) -> None:
    """A league whose games are all in takes a bot as long as its key is secret, and no bot afterwards."""
    make_league(store, bots="ab", variants=(variant("turn-up"),), sets=1)
    play_missing(store, "summer/turn-up/0")
    assert store.progress("summer").complete
    add_bots(store, "cd")
    store.add_league_bot("summer", "c")
    assert not store.progress("summer").complete
    store.finish_league("summer", abandon=True)
    for attempt in (lambda: store.add_league_bot("summer", "d"), lambda: store.withdraw_league_bot("summer", "a")):
        with pytest.raises(LeagueClosed, match=r"'summer' is finished and its key public: no bot can join or leave"):
            attempt()


def test_what_cannot_join(store: Store) -> None:
    """Unknown bots, versions and leagues, and a bot that is there already, are refused by name, and change nothing."""
    league = make_league(store)
    with pytest.raises(NotFound, match="'z'"):
        store.add_league_bot("summer", "z")
    with pytest.raises(NotFound, match="no league 'winter'"):
        store.add_league_bot("winter", "a")
    store.add_bot("a", "play a better")
    with pytest.raises(NotFound, match=r"no version 3 of bot 'a' \(there are: 1, 2\)"):
        store.add_league_bot("summer", "a", 3)
    with pytest.raises(AlreadyExists, match="b v1 plays in this league already"):
        store.add_league_bot("summer", "b")
    with pytest.raises(AlreadyExists, match="a v1 plays in this league; v2 can only take its place"):
        store.add_league_bot("summer", "a")
    assert store.league("summer") == league


def test_a_new_version_takes_the_place_of_the_old(store: Store) -> None:
    """What the old version played stays under its version's number; the new one has every match before it."""
    make_league(store, bots="abc", variants=(variant("turn-up"),), sets=1)
    play_missing(store, "summer/turn-up/0")
    store.add_bot("a", "play a better")
    league = store.add_league_bot("summer", "a", replace=True)
    assert [str(bot) for bot in league.bots] == ["a v2", "b v1", "c v1"]
    store.add_matches(planned(league))
    for match in store.matches("summer", state="open"):
        play_missing(store, match.id)
    assert store.progress("summer").complete
    assert (store.progress("summer").games_total, store.progress("summer").variants[0].matches_complete) == (8, 4)
    table = standings(store.results("summer"), [bot.bot for bot in league.bots])
    assert {row.bot: row.sets for row in table.rows} == {"a": 2, "a v1": 1, "b": 3, "c": 2}


def test_a_withdrawn_bot_plays_no_more(store: Store) -> None:
    """Its matches that are not complete are dropped, also the one being played; what is complete stays and counts."""
    make_league(store, bots="abcd", variants=(variant("turn-up"),), sets=2)
    play_missing(store, "summer/turn-up/0")
    play_missing(store, "summer/turn-up/1", 3)
    claim = store.claim("summer/turn-up/2", "worker", 60.0)
    assert claim is not None
    league = store.withdraw_league_bot("summer", "a", now=9.0)
    assert [bot.bot for bot in league.bots] == ["b", "c", "d"]
    assert {match.id: match.state for match in store.matches("summer")} == {
        "summer/turn-up/0": "complete",
        "summer/turn-up/1": "dropped",
        "summer/turn-up/2": "dropped",
        **{f"summer/turn-up/{n}": "waiting" for n in (3, 4, 5)},
    }
    assert store.heartbeat(claim, 60.0) is False
    assert [(attempt.outcome, attempt.detail) for attempt in store.attempts("summer/turn-up/2")] == [
        ("interrupted", "a bot of the match was withdrawn")
    ]
    with pytest.raises(MatchDropped, match="withdrawn"):
        play_missing(store, "summer/turn-up/1")
    with pytest.raises(MatchDropped):
        store.claim("summer/turn-up/1", "worker", 60.0)
    assert store.progress("summer").games_total == 3 * 4 + 4
    for n in (3, 4, 5):
        play_missing(store, f"summer/turn-up/{n}")
    assert store.progress("summer").complete
    rows = {row.bot: row.sets for row in standings(store.results("summer"), "bcd").rows}
    assert rows == {"a": 3, "b": 6, "c": 5, "d": 4}
    assert store.finish_league("summer").revealed_at is not None


def test_who_was_withdrawn_may_come_back(store: Store) -> None:
    """The same version again takes up its matches where they were left, under their old ids."""
    made = make_league(store, bots="abcd", variants=(variant("turn-up"),), sets=2)
    play_missing(store, "summer/turn-up/1", 3)
    store.withdraw_league_bot("summer", "a")
    league = store.add_league_bot("summer", "a")
    assert [entry.bot for entry in league.entries] == [entry.bot for entry in made.entries]
    assert list(planned(league)) == list(planned(made))
    assert {match.state for match in store.matches("summer")} == {"waiting"}
    assert play_missing(store, "summer/turn-up/1") == 1


def test_too_few_bots_would_be_left(store: Store) -> None:
    """The last bots that a variant needs cannot be withdrawn."""
    make_league(store, bots="abc")
    with pytest.raises(BadSpec, match=r"needs 3 bots: without 'a' there would be 2"):
        store.withdraw_league_bot("summer", "a")
    with pytest.raises(NotFound, match=r"no bot 'z' plays in league 'summer' \(there are: a, b, c\)"):
        store.withdraw_league_bot("summer", "z")


def test_a_plan_made_before_a_bot_left_adds_no_match_of_it(store: Store) -> None:
    """Whoever lists the plan before a withdrawal and stores it afterwards stores no match of the bot."""
    add_bots(store)
    plan = list(planned(store.create_league(spec())))
    store.withdraw_league_bot("summer", "a")
    store.add_matches(plan)
    assert store.matches("summer", bot="a") == []
    assert len(store.matches("summer")) == 1 + 3
