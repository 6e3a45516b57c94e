"""Recurring seasons. Time is handed in: nothing here waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from league.errors import AlreadyExists, BadName, BadSpec, NotFound
from league.model import SeriesSpec
from league.schedule import planned
from league.seasons import Seasons
from league.store_series import following
from tests.league.samples import add_bots, play_missing, spec, variant

if TYPE_CHECKING:
    from league.model import League
    from league.store import Store

DAY = 86_400.0
WEEK = 7 * DAY
START = 1_000 * DAY


def _series(store: Store, name: str = "spring", **others: Any) -> None:
    if not store.bots():
        add_bots(store)
    given = {"period": WEEK, "start": START, "bots": None, "joins": False, **others}
    wanted = spec("", bots=(), sets=1, key=None, variants=(variant("turn-up"),))
    store.create_series(SeriesSpec(name, league=wanted, **given), now=START - DAY)


def _opened(store: Store, now: float) -> League:
    league = store.open_season("spring", now=now)
    assert league is not None
    return league


def test_a_season_is_a_league_of_its_own(store: Store) -> None:
    """It begins when it is due, not before, with the bots that there are by then, their latest versions, and a fresh key."""
    _series(store)
    assert store.open_season("spring", now=START - 1) is None
    store.add_bot("e", "play e")
    store.add_bot("a", "play a better")
    first = _opened(store, START)
    assert (first.name, first.series, first.season) == ("spring-1", "spring", 1)
    assert [str(bot) for bot in first.bots] == ["a v2", "b v1", "c v1", "d v1", "e v1"]
    assert store.open_season("spring", now=START + WEEK - 1) is None
    second = _opened(store, START + WEEK)
    assert (second.name, second.season) == ("spring-2", 2)
    assert second.commitment != first.commitment
    assert (second.sets, second.clock, second.variants) == (first.sets, first.clock, first.variants)


def test_the_season_before_is_ended(store: Store) -> None:
    """When the next begins, what is left of a season is given up and its key published; what was played stands."""
    _series(store)
    first = _opened(store, START)
    store.add_matches(planned(first))
    play_missing(store, "spring-1/turn-up/0")
    _opened(store, START + WEEK)
    ended = store.league("spring-1")
    assert ended.key is not None
    assert ended.revealed_at == START + WEEK
    assert store.progress("spring-1").games_done == 2
    seasons = store.series("spring").seasons
    assert [(one.number, one.league, one.revealed_at) for one in seasons] == [
        (1, "spring-1", START + WEEK),
        (2, "spring-2", None),
    ]


def test_after_a_long_absence_one_season_begins(store: Store) -> None:
    """However many starts were missed one season begins, and the next is due at the first of the times still to come."""
    _series(store)
    _opened(store, START)
    assert _opened(store, START + 5 * WEEK + DAY).season == 2
    assert store.open_season("spring", now=START + 6 * WEEK - 1) is None
    assert _opened(store, START + 6 * WEEK).season == 3


@pytest.mark.parametrize(("now", "wanted"), [(5.0, 10.0), (10.0, 13.0), (12.9, 13.0), (13.0, 16.0), (100.0, 103.0)])
def test_the_time_that_follows(now: float, wanted: float) -> None:
    """The next start lies after the present and a whole number of periods after the first."""
    assert following(10.0, 3.0, now) == wanted


def test_a_season_now(store: Store) -> None:
    """A season may be begun early, which moves no other; a series that was stopped begins none."""
    _series(store)
    early = store.open_season("spring", early=True, now=START - DAY)
    assert early is not None
    assert store.series("spring").next_start == START
    assert _opened(store, START).season == 2
    store.stop_series("spring", now=START + 1)
    assert store.series("spring").stopped_at == START + 1
    assert store.open_season("spring", now=START + 9 * WEEK) is None
    with pytest.raises(BadSpec, match="'spring' has been stopped"):
        store.open_season("spring", early=True)


def test_newcomers_wait_or_join(store: Store) -> None:
    """New bots and versions join the season that is played if the series says so, else the next."""
    _series(store, joins=True)
    _opened(store, START)
    assert store.join_season("spring") == []
    store.add_bot("e", "play e")
    store.add_bot("a", "play a better")
    assert store.join_season("spring", now=START + 1) == ["a v2", "e v1"]
    league = store.league("spring-1")
    assert [str(bot) for bot in league.bots] == ["a v2", "b v1", "c v1", "d v1", "e v1"]
    store.withdraw_league_bot("spring-1", "e")
    assert store.join_season("spring") == []
    _series(store, "autumn")
    store.open_season("autumn", now=START)
    store.add_bot("f", "play f")
    assert store.join_season("autumn") == []


def test_named_bots_only(store: Store) -> None:
    """A series of named bots takes these and no others; one that was removed meanwhile is left out."""
    _series(store, bots=("c", "a", "b"), joins=True)
    store.remove_bot("b")
    assert [bot.bot for bot in _opened(store, START).bots] == ["a", "c"]
    store.add_bot("e", "play e")
    assert store.join_season("spring") == []


def test_a_season_without_bots_is_a_trouble_said_once(store: Store) -> None:
    """A season that cannot begin is said once and begins as soon as it can; the one before goes on until then."""
    _series(store, bots=("a", "b"))
    _opened(store, START)
    store.remove_bot("b")
    now = [START + WEEK + 5]
    seasons = Seasons(store, clock=lambda: now[0])
    assert seasons.tick() == ["the next season of spring cannot begin: turn-up needs at least 2 bots, the league has 1"]
    assert seasons.tick() == []
    assert store.league("spring-1").revealed_at is None
    store.add_bot("b", "play b")
    assert seasons.tick() == ["season 2 of spring has begun: league spring-2, 2 bots"]
    assert seasons.tick() == []
    now[0] += WEEK
    assert seasons.tick() == ["season 3 of spring has begun: league spring-3, 2 bots"]


def test_newcomers_are_announced(store: Store) -> None:
    """Commands that run for long let newcomers join and say so, of one series or of all."""
    _series(store, joins=True)
    _series(store, "autumn", start=START + 5 * WEEK)
    seasons = Seasons(store, clock=lambda: START)
    assert len(seasons.tick()) == 1
    store.add_bot("e", "play e")
    assert Seasons(store, "autumn", clock=lambda: START).tick() == []
    assert seasons.tick() == ["e v1 has joined the season of spring"]


@pytest.mark.parametrize(
    ("others", "error", "said"),
    [
        ({"name": "Spring"}, BadName, "cannot name a series"),
        ({"name": "s" * 27}, BadName, r"too long for a series.*at most 26"),
        ({"period": 30.0}, BadSpec, r"30 seconds cannot be had \(allowed: from 60 s"),
        ({"bots": ("a",)}, BadSpec, "needs at least 2 bots"),
        ({"bots": ("a", "z")}, NotFound, "'z'"),
    ],
)
def test_bad_values_are_refused(store: Store, others: dict[str, Any], error: type[Exception], said: str) -> None:
    """A series whose seasons could not be played is refused with what is allowed."""
    with pytest.raises(error, match=said):
        _series(store, **others)
    assert store.all_series() == []


def test_names_do_not_collide(store: Store) -> None:
    """A series takes no league's name for its seasons, and no other league takes theirs."""
    add_bots(store)
    store.create_league(spec("spring-4"))
    with pytest.raises(AlreadyExists, match="like the league 'spring-4'"):
        _series(store)
    _series(store, "autumn")
    with pytest.raises(BadSpec, match="'autumn-7' is kept for a season of the series 'autumn'"):
        store.create_league(spec("autumn-7"))
    with pytest.raises(AlreadyExists, match="series 'autumn' already"):
        _series(store, "autumn")
    store.create_league(spec("autumn-cup"))
    with pytest.raises(NotFound, match=r"no series 'winter' \(there are: autumn\)"):
        store.series("winter")
