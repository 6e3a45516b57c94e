"""Standings: rows, head to head and the printed table follow from the results and from nothing else."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.results import GameResult
from league.standings import Standing, Table, format_table, league_tables, paired_margin, standings
from league.tallies import grouped
from tests.league.simulated_leagues import game, random_games

if TYPE_CHECKING:
    from collections.abc import Sequence


def row(table: Table, bot: str) -> Standing:
    return next(each for each in table.rows if each.bot == bot)


def numbers(value: object) -> list[float]:
    """Every number anywhere in a table."""
    if isinstance(value, bool | str) or value is None:
        return []
    if isinstance(value, int | float):
        return [float(value)]
    if isinstance(value, np.ndarray):
        return [float(each) for each in value.ravel()]
    if dataclasses.is_dataclass(value):
        return [each for field in dataclasses.fields(value) for each in numbers(getattr(value, field.name))]
    if isinstance(value, dict):
        return numbers(list(value.values()))
    return [each for part in value for each in numbers(part)]


def test_a_row_worked_by_hand() -> None:
    """Points, margin, places, faults and forfeits of a bot must be the sums that one does on paper."""
    results = [
        GameResult("m", "cutthroat", 0, ("ann", "bea", "cid"), (1, 2, 3), (10, 7, 3), 8, ({"LATE": 1}, {}, {}), ()),
        GameResult(
            "m", "cutthroat", 1, ("ann", "bea", "cid"), (3, 1, 1), (2, 10, 10), 12, ({"LATE": 2, "GONE": 1}, {}, {}), (0,)
        ),
    ]
    ann = row(standings(results), "ann")
    assert ann.points.value == pytest.approx(12 / 20)
    assert ann.margin.value == pytest.approx((5 - 8) / 20)
    assert (ann.games, ann.sets, ann.deals, ann.places) == (2, 2, 20, (1, 0, 1))
    assert (ann.faults, ann.forfeits) == ({"GONE": 1, "LATE": 3}, 1)
    assert row(standings(results), "bea").places == (1, 1, 0)


def test_points_interval_worked_by_hand() -> None:
    """With three sets of equally many deals the interval must be the mean's, with Student's t of two degrees."""
    results = [game(f"ann:1:{points} bea:2:0", number) for number, points in enumerate((10, 20, 30))]
    ann = row(standings(results), "ann")
    assert ann.points.value == pytest.approx(2.0)
    assert ann.points.half_width == pytest.approx(4.3027 / math.sqrt(3), rel=1e-3)


def test_ranks() -> None:
    """The stronger bot comes first, equals share the better rank, and who never played comes last without one."""
    results = [game(text, number) for number in range(4) for text in ("ann:1:9 bea:2:1", "ann:1:9 cid:2:1")]
    table = standings(results, ["abe", "cid"])
    assert [(each.rank, each.bot) for each in table.rows] == [(1, "ann"), (2, "bea"), (2, "cid"), (None, "abe")]


def test_bot_that_never_played() -> None:
    """It must be listed with no games and with nothing where there is nothing to know."""
    zoe = row(standings(random_games(1, ["ann", "bea"], 3), ["zoe"]), "zoe")
    assert (zoe.games, zoe.sets, zoe.deals, sum(zoe.places), zoe.forfeits, zoe.faults) == (0, 0, 0, 0, 0, {})
    assert zoe.rank is zoe.elo is zoe.elo_low is zoe.elo_high is zoe.half_width is zoe.group is None
    assert zoe.points is zoe.margin is None


@pytest.mark.parametrize(
    "results",
    [
        pytest.param([], id="nothing"),
        pytest.param([game("ann:1:10 bea:2:0")], id="one game"),
        pytest.param([game("ann:1:10 bea:2:0", number) for number in range(50)], id="all wins"),
        pytest.param([game("ann:1:0 bea:1:0 cid:1:0", number) for number in range(5)], id="all tied"),
        pytest.param([game("ann:1:0 bea:2:0", deals=0), game("ann:1:0 bea:2:0", 1)], id="no deals"),
        pytest.param([game("ann:1:4 bea:2:0"), game("cid:1:4 dan:2:0")], id="two groups"),
        pytest.param([game("ann:1:4 ann:2:1"), game("ann:2:0 bea:1:7")], id="against itself"),
        pytest.param([game("ann:1:4")], id="alone"),
    ],
)
def test_degenerate_leagues_are_finite(results: list[GameResult]) -> None:
    """However little there is, no table may hold a number that is not finite, and all must print."""
    for variant, table in league_tables(results, ["zoe"]).items():
        assert all(map(math.isfinite, numbers(table)))
        assert table.variant == variant
        assert "nan" not in format_table(table)
        assert "inf" not in format_table(table)
        assert len(format_table(table).splitlines()) == len(table.rows) + 1


def test_one_set_has_no_interval_of_points() -> None:
    """A single set cannot tell how much sets differ, so points and margin must come without limits."""
    ann = row(standings([game("ann:1:10 bea:2:4")]), "ann")
    assert (ann.points.value, ann.points.low, ann.points.half_width) == (1.0, None, None)
    assert ann.elo_low < ann.elo < ann.elo_high


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_order_and_line_up_change_nothing(data: st.DataObject) -> None:
    """The same games in another order, with line-ups written another way round, must give equal tables."""
    results = random_games(2, ["ann", "bea", "cid"], 2) + [
        game("ann:1:5 bea:2:3 cid:3:1", number, variant="ghost-hand") for number in range(3)
    ]
    shuffled = [turned(each, data.draw(st.permutations(range(len(each.bots))))) for each in results]
    shuffled = data.draw(st.permutations(shuffled))
    for one, other in zip(league_tables(results).values(), league_tables(shuffled).values(), strict=True):
        assert one.rows == other.rows
        assert one.pairs == other.pairs


def turned(result: GameResult, order: Sequence[int]) -> GameResult:
    """The same game with its line-up in another order."""
    bots, places, points = (tuple(column[i] for i in order) for column in (result.bots, result.places, result.points))
    faults = tuple(result.faults[i] for i in order)
    forfeits = tuple(order.index(i) for i in result.forfeits)
    return dataclasses.replace(result, bots=bots, places=places, points=points, faults=faults, forfeits=forfeits)


def test_variants_apart_and_together() -> None:
    """Each variant has its own table, and the first one, under None, pools all games."""
    results = random_games(3, ["ann", "bea"], 4) + random_games(4, ["ann", "bea"], 6, variant="turn-up")
    tables = league_tables(results, ["zoe"])
    assert list(tables) == [None, "cutthroat", "turn-up"]
    assert [row(table, "ann").sets for table in tables.values()] == [10, 4, 6]
    assert tables["turn-up"].rows == standings(results, ["zoe"], "turn-up").rows
    assert all(row(table, "zoe").games == 0 for table in tables.values())


def test_head_to_head() -> None:
    """Shares are means over sets, a shared place is half, and the other side sees the mirror image."""
    results = [game("ann:1:10 bea:2:6"), game("ann:1:8 bea:1:8"), game("ann:2:0 bea:1:10", 1), game("ann:1:10 bea:2:0", 1)]
    table = standings(results, ["zoe"])
    mine, other = table.pair("ann", "bea"), table.pair("bea", "ann")
    assert (mine.games, mine.sets, mine.a, other.a) == (4, 2, "ann", "bea")
    assert mine.share.value == pytest.approx((0.75 + 0.5) / 2)
    assert mine.margin.value == pytest.approx((4 + 0 - 10 + 10) / 40)
    assert other.share.value == pytest.approx(1 - mine.share.value)
    assert (other.share.low, other.share.high) == pytest.approx((1 - mine.share.high, 1 - mine.share.low))
    assert other.margin.value == pytest.approx(-mine.margin.value)
    assert other.turned() == mine
    assert table.pair("ann", "zoe") is None


def test_separated() -> None:
    """Many clear wins separate two bots, a few even games do not, and an unknown name is told with the known ones."""
    strong = [game("ann:1:9 bea:2:3", number) for number in range(30)]
    assert standings(strong).separated("ann", "bea")
    assert not standings(random_games(5, ["ann", "bea"], 3)).separated("ann", "bea")
    with pytest.raises(ValueError, match=r"no bot 'zoe' in this table \(known: ann, bea\)"):
        standings(strong).difference("ann", "zoe")


def test_paired_margin() -> None:
    """It is the margin a deal over the shared games alone, turns with its bots and is None if they never met."""
    results = [
        game("ann:1:10 bea:2:6 cid:3:0", 0, deals=5),
        game("ann:2:4 bea:1:9 cid:3:1", 1, deals=15),
        game("ann:1:90 dan:2:0", 2),
    ]
    margin = paired_margin(results, "ann", "bea")
    assert margin.value == pytest.approx((4 - 5) / 20)
    assert margin.low < margin.value < margin.high
    assert paired_margin(results, "bea", "ann") == margin.mirrored(0.0)
    assert paired_margin(results, "ann", "dan").low is None
    assert paired_margin(results, "bea", "dan") is None
    assert paired_margin([], "ann", "bea") is None


def test_mirrored_games_narrow_the_margin() -> None:
    """Luck that both games of a set share must not count: the pair's interval shrinks to what differs."""
    luck = np.random.default_rng(6).integers(-50, 50, 20)
    mirrored = [
        game(f"ann:1:{100 + sign * shift + 3} bea:2:{100 - sign * shift}", number)
        for number, shift in enumerate(luck.tolist())
        for sign in (1, -1)
    ]
    apart = [dataclasses.replace(each, set=index) for index, each in enumerate(mirrored)]
    assert paired_margin(mirrored, "ann", "bea").half_width == pytest.approx(0, abs=1e-9)
    assert paired_margin(apart, "ann", "bea").half_width > 1


def test_margins_of_a_game_cancel() -> None:
    """Over all bots of a game the margins must sum to nothing, faults or not."""
    table = standings(random_games(7, ["ann", "bea", "cid"], 5))
    assert sum(each.margin.value * each.deals for each in table.rows) == pytest.approx(0)


def test_printed_table() -> None:
    """Columns are aligned, Elo carries half its interval, and what is unknown is a dash."""
    results = [dataclasses.replace(each, faults=({"LATE": 2}, {})) for each in random_games(8, ["ann", "bea"], 9)]
    table = standings(results, ["zoe"])
    head, *lines = format_table(table).splitlines()
    ann = row(table, "ann")
    line = next(each for each in lines if " ann " in each)
    assert line.split()[2:4] == [f"{ann.elo:.0f}", f"{ann.half_width:.0f}"]
    assert line.endswith("LATE:36")
    assert head.index("bot") == line.index("ann")
    assert head.index("Elo") + 3 == line.index(f"{ann.elo:.0f}") + 4
    assert lines[-1].split()[:4] == ["–", "zoe", "–", "–"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"places": (1,)}, "game of 2 bots with 1 places, 2 points and 2 faults"),
        ({"faults": ()}, "2 points and 0 faults"),
        ({"forfeits": (2,)}, "must be line-up indexes, 0 to 1"),
        ({"deals": -1}, "must not be negative"),
    ],
)
def test_impossible_results_are_refused(change: dict[str, object], message: str) -> None:
    """A result whose parts do not fit together must be refused, with what is wrong."""
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(game("ann:1:10 bea:2:6"), **change)


@given(code=st.lists(st.integers(0, 40), min_size=1), size=st.sampled_from([41, 10_000]))
def test_numbers_are_grouped_as_by_sorting(code: list[int], size: int) -> None:
    """The different numbers, ascending, and where each one is among them, whether there are few or many that might be."""
    found, position = grouped(np.array(code), size)
    assert found.tolist() == sorted(set(code))
    assert found[position].tolist() == code
