"""The round robin."""

from __future__ import annotations

import dataclasses
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.model import BotVersion, League, LeagueVariant, Mode
from league.schedule import expected, games_a_match, games_a_set, planned, planned_count, sets_planned
from referee.rules import Rules

THREE = Rules("ghost-hand").seatings()
TWO = Rules("turn-up").seatings()


def _league(bots: int, *, remote: int = 0, sets: int = 2, remote_sets: bool = False) -> League:
    names = [f"bot{number:03}" for number in range(bots)]
    versions = [BotVersion(name, 1, None if i < remote else "play") for i, name in enumerate(names)]
    entries = (
        LeagueVariant("ghost", "ghost-hand", {}, "game", 3, THREE),
        LeagueVariant("turn-up", "turn-up", {}, "game", 4, TWO),
    )
    return League("cup", "", sets, {}, entries, tuple(versions), remote_sets, 0.0)


@given(st.integers(3, 9))
def test_every_triple_and_every_pair_meets_once(bots: int) -> None:
    """Each triple of bots has one match with three seats and each pair one with two teams; ids count from 0."""
    league = _league(bots)
    matches = list(planned(league))
    for label, size in (("ghost", 3), ("turn-up", 2)):
        of_variant = [match for match in matches if match.label == label]
        names = [tuple(bot.bot for bot in match.lineup) for match in of_variant]
        assert names == list(itertools.combinations([bot.bot for bot in league.bots], size))
        assert [match.id for match in of_variant] == [f"cup/{label}/{n}" for n in range(math.comb(bots, size))]
        assert planned_count(league, label) == len(of_variant)
    assert planned_count(league) == len(matches)


def test_order_of_bots_changes_nothing() -> None:
    """The schedule follows the names of the bots, not the order in which they are listed."""
    league = _league(5)
    turned = dataclasses.replace(league, bots=league.bots[::-1])
    assert list(planned(turned)) == list(planned(league))


def test_variants_take_turns() -> None:
    """Matches of all variants come along together, as long as each has some."""
    labels = [match.label for match in planned(_league(4))]
    assert labels == ["ghost", "turn-up"] * 4 + ["turn-up"] * 2


def test_schedule_is_lazy() -> None:
    """The first matches of a league of a thousand bots are there without the other 166 million."""
    first = list(itertools.islice(planned(_league(1000)), 3))
    assert [match.id for match in first] == ["cup/ghost/0", "cup/turn-up/0", "cup/ghost/1"]
    assert planned_count(_league(1000)) == math.comb(1000, 3) + math.comb(1000, 2)


def test_unknown_label_lists_known_ones() -> None:
    """Counting the matches of a variant that the league has not names those it has."""
    with pytest.raises(KeyError, match="ghost, turn-up"):
        planned_count(_league(3), "whist")


@given(st.integers(3, 7), st.data(), st.integers(1, 4), st.booleans())
def test_sums_agree_with_the_matches(bots: int, data: st.DataObject, sets: int, remote_sets: bool) -> None:
    """The sums that progress is measured by are those of the matches, with any number of remote bots."""
    remote = data.draw(st.integers(0, bots))
    league = _league(bots, remote=remote, sets=sets, remote_sets=remote_sets)
    matches = list(planned(league))
    for entry in league.variants:
        of_variant = [match for match in matches if match.label == entry.label]
        assert sets_planned(league, entry) == sum(match.sets for match in of_variant)
        for match in of_variant:
            games = list(expected(match.sets, entry.seatings, match.mode))
            assert len(games) == len(set(games)) == games_a_match(league, entry)
            assert len(games) == match.sets * games_a_set(entry.seatings, match.mode)


@pytest.mark.parametrize("mode", ["duplicate", "single"])
def test_seatings_are_played_one_after_another(mode: Mode) -> None:
    """All sets of one seating come before the next seating, in every mode; single sets take the seatings in turn."""
    games = list(expected(8, TWO, mode))
    assert [position for position, _ in itertools.groupby(position for _, position in games)] == [0, 1]
    if mode == "single":
        assert games == [(0, 0), (2, 0), (4, 0), (6, 0), (1, 1), (3, 1), (5, 1), (7, 1)]
    else:
        assert games == [(number, position) for position in (0, 1) for number in range(8)]
