"""Tables as bytes, pairs as arrays, and tables as they stood before."""

from __future__ import annotations

import dataclasses

from league.duels import Duels
from league.history import FEWEST, earlier, history, ranks
from league.standings import standings
from league.tabulated import pack_arrays, pack_history, pack_rows, rows_of, unpack_history, unpack_rows, unpack_table
from league.tallies import tally
from tests.league.simulated_leagues import game, random_games


def test_a_table_comes_back_from_its_bytes() -> None:
    """Rows, gaps and the earlier table come back equal; pairs and differences to the digits that are kept."""
    results = random_games(5, ["ann", "bea", "cid"], 8)
    table = standings(results, ["zoe"])
    rows = unpack_rows(pack_rows(rows_of(table)))
    assert rows == rows_of(table)
    back = unpack_table(None, rows, pack_arrays(table))
    assert (back.rows, back.bots, back.earlier) == (table.rows, table.bots, table.earlier)
    for a, b in table.pairs:
        one, other = table.pair(a, b), back.pair(a, b)
        assert one is not None
        assert other is not None
        assert (one.games, one.sets) == (other.games, other.sets)
        assert abs(one.share.value - other.share.value) < 1e-6
        first, second = table.difference(a, b), back.difference(a, b)
        assert first is not None
        assert second is not None
        assert abs(first.value - second.value) < 1e-9
        assert abs((first.low or 0) - (second.low or 0)) < 0.01
    assert back.pair("ann", "zoe") is None


def test_pairs_that_never_met_are_not_there() -> None:
    """Only pairs with a game in common have a duel, whichever of their names comes first."""
    duels = Duels.of(tally([game("ann:1:4 bea:2:0"), game("cid:1:4 dan:2:0", 1)]))
    assert list(duels) == [("ann", "bea"), ("cid", "dan")]
    assert len(duels) == 2
    assert ("bea", "ann") not in duels
    assert duels.seen_from("bea", "ann") == duels["ann", "bea"].turned()
    assert duels.seen_from("ann", "cid") is None
    assert duels.seen_from("ann", "nobody") is None


def test_the_earlier_table_is_that_of_the_first_sets() -> None:
    """It is what the first four fifths of the sets, by when they were complete, say by themselves."""
    results = [dataclasses.replace(one, stored_at=1000.0 - one.set) for one in random_games(6, ["ann", "bea", "cid"], 10)]
    sums = tally(results)
    found = earlier(sums)
    assert found is not None
    assert found.sets == 8 * sums.sets // 10
    first = sorted({(one.stored_at, one.match, one.set) for one in results})[: found.sets]
    part = [one for one in results if (one.stored_at, one.match, one.set) in first]
    assert found.ranks == {row.bot: row.rank for row in standings(part).rows}
    assert found.at == max(one.stored_at for one in part)
    few = [game("ann:1:4 bea:2:0", number) for number in range(FEWEST - 1)]
    assert earlier(tally(few)) is None


def test_equal_elo_shares_a_rank() -> None:
    """Ranks are by falling Elo, equals to a millionth share the better one."""
    assert ranks([("a", 1400.0), ("b", 1600.0), ("c", 1600.0000001), ("d", 1500.0)]) == {"b": 1, "c": 1, "d": 3, "a": 4}


def test_elo_over_time_ends_at_the_table() -> None:
    """The last point of a curve is the rating of the table; steps grow; a bot is on it from its first set on."""
    results = [dataclasses.replace(one, stored_at=float(one.set)) for one in random_games(7, ["ann", "bea"], 10)] + [
        dataclasses.replace(game("ann:1:4 zoe:2:0", 99), stored_at=50.0)
    ]
    sums = tally(results)
    moments = unpack_history(pack_history(history(sums)))
    assert moments == history(sums)
    assert [moment.sets for moment in moments] == sorted({moment.sets for moment in moments})
    assert moments[-1].sets == sums.sets
    for row in standings(results).rows:
        assert abs(moments[-1].elo[row.bot].value - (row.elo or 0)) < 1e-6
    assert "zoe" not in moments[-2].elo
    assert moments[-1].elo["zoe"].low is None
