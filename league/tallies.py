"""Results as arrays: what every statistic of a league is computed from.

Rows come out sorted by set key and bot name, and everything summed here is a whole or a half number, so the order in
which results come changes nothing, to the last bit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from league.results import GameResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SeatRows:
    """One row a set and bot, sorted by (set, bot): sums over the bot's games of that set.

    `margin` is own points minus the mean of the others' points. `deals` counts a deal once for each line-up entry of
    the bot.
    """

    set: Ints
    bot: Ints
    games: Floats
    points: Floats
    margin: Floats
    deals: Floats


@dataclass(frozen=True, slots=True)
class PairRows:
    """One row a set and pair of different bots, sorted by (set, first, second), first < second.

    `score` counts the games in which first placed above second, a shared place as half; `margin` sums first's points
    minus second's.
    """

    set: Ints
    first: Ints
    second: Ints
    games: Floats
    score: Floats
    margin: Floats
    deals: Floats

    @property
    def share(self) -> Floats:
        """Share of the set's games in which first placed above second, 0 to 1."""
        return self.score / self.games

    def take(self, keep: NDArray[np.bool_]) -> PairRows:
        """The rows for which `keep` (rows,) is true."""
        return PairRows(*(getattr(self, field.name)[keep] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class Tally:
    """All bots by name, sorted; the number of sets; places[bot, place - 1] counts games; rows by set.

    `when` (sets,) is the time at which each set was complete, in Unix seconds.
    """

    bots: tuple[str, ...]
    sets: int
    places: Ints
    seats: SeatRows
    pairs: PairRows
    when: Floats

    def first_sets(self, count: int) -> PairRows:
        """The pairs of the first `count` sets in the order in which they were complete."""
        position = np.empty(self.sets, np.int64)
        position[np.argsort(self.when, kind="stable")] = np.arange(self.sets)
        return self.pairs.take(position[self.pairs.set] < count)


@dataclass(frozen=True, slots=True)
class Block:
    """Games with equally long line-ups: set, deals, stored (games,), the rest (games, line-up)."""

    set: Ints
    deals: Floats
    bots: Ints
    places: Ints
    points: Floats
    stored: Floats


@dataclass(frozen=True, slots=True)
class Sheet:
    """Games of complete sets as arrays; bots by name, sorted, sets by variant, match and number; blocks by line-up length.

    `faults` counts faults by bot and cause, `forfeits` forfeited games by bot.
    """

    bots: tuple[str, ...]
    sets: int
    blocks: tuple[Block, ...]
    faults: Mapping[str, Mapping[str, int]]
    forfeits: Mapping[str, int]


def sheet_of(results: Iterable[GameResult], bots: Iterable[str] = ()) -> Sheet:
    """Results one by one as arrays; `bots` adds names that may not have played."""
    games = list(results)
    lineups = {game.bots for game in games}
    names = sorted({*bots, *(name for lineup in lineups for name in lineup)})
    keys = sorted({(game.variant, game.match, game.set) for game in games})
    blocks = _blocks(games, {name: i for i, name in enumerate(names)}, {key: i for i, key in enumerate(keys)})
    return Sheet(tuple(names), len(keys), tuple(blocks), *_count_faults(games))


def tally(results: Iterable[GameResult], bots: Iterable[str] = ()) -> Tally:
    """Sum results by set and bot, and by set and pair; `bots` adds names that may not have played."""
    return sum_up(sheet_of(results, bots))


def sum_up(sheet: Sheet) -> Tally:
    """Sum games by set and bot, and by set and pair."""
    blocks, size = sheet.blocks, len(sheet.bots)
    places, seats, pairs = _count_places(blocks, size), _seats(blocks, size), _pairs(blocks, size)
    return Tally(sheet.bots, sheet.sets, places, seats, pairs, _completion(blocks, sheet.sets))


def _count_faults(games: Iterable[GameResult]) -> tuple[dict[str, Counter[str]], Counter[str]]:
    faults: dict[str, Counter[str]] = {}
    forfeits: Counter[str] = Counter()
    for game in games:
        for bot, causes in zip(game.bots, game.faults, strict=True):
            if causes:
                faults.setdefault(bot, Counter()).update(causes)
        forfeits.update(game.bots[index] for index in game.forfeits)
    return faults, forfeits


def _completion(blocks: Sequence[Block], sets: int) -> Floats:
    when = np.zeros(sets)
    for block in blocks:
        np.maximum.at(when, block.set, block.stored)
    return when


def _blocks(games: Sequence[GameResult], bots: dict[str, int], sets: dict[tuple[str, str, int], int]) -> list[Block]:
    by_size: dict[int, list[GameResult]] = {}
    for game in games:
        by_size.setdefault(len(game.bots), []).append(game)
    return [_block(by_size[size], bots, sets) for size in sorted(by_size)]


def _block(games: Sequence[GameResult], bots: dict[str, int], sets: dict[tuple[str, str, int], int]) -> Block:
    lineups = {lineup: [bots[name] for name in lineup] for lineup in {game.bots for game in games}}
    return Block(
        np.array([sets[game.variant, game.match, game.set] for game in games], np.int64),
        np.array([game.deals for game in games], np.float64),
        np.array([lineups[game.bots] for game in games], np.int64),
        np.array([game.places for game in games], np.int64),
        np.array([game.points for game in games], np.float64),
        np.array([game.stored_at for game in games], np.float64),
    )


def _count_places(blocks: Sequence[Block], bots: int) -> Ints:
    width = max((int(block.places.max()) for block in blocks), default=0)
    counts = np.zeros((bots, width), np.int64)
    for block in blocks:
        np.add.at(counts, (block.bots, block.places - 1), 1)
    return counts


def _seats(blocks: Sequence[Block], bots: int) -> SeatRows:
    rows = [_seat(block, index) for block in blocks for index in range(block.bots.shape[1])]
    sets, columns = _concatenate(rows, 2, 4)
    keys, (games, points, margin, deals) = _sum_by(sets[0] * bots + sets[1], columns)
    return SeatRows(keys // max(bots, 1), keys % max(bots, 1), games, points, margin, deals)


def _seat(block: Block, index: int) -> tuple[tuple[Ints, ...], tuple[Floats, ...]]:
    own = block.points[:, index]
    size = block.points.shape[1]
    # With two or three bots this is a whole or half number, so sums are exact in any order.
    margin = (size * own - block.points.sum(axis=1)) / max(size - 1, 1)
    return (block.set, block.bots[:, index]), (np.ones_like(own), own, margin, block.deals)


def _pairs(blocks: Sequence[Block], bots: int) -> PairRows:
    rows = [_pair(block, i, j) for block in blocks for i, j in combinations(range(block.bots.shape[1]), 2)]
    (sets, first, second), columns = _concatenate(rows, 3, 4)
    different = first != second
    code = ((sets * bots + first) * bots + second)[different]
    keys, (games, score, margin, deals) = _sum_by(code, tuple(column[different] for column in columns))
    size = max(bots, 1)
    return PairRows(keys // size**2, keys // size % size, keys % size, games, score, margin, deals)


def _pair(block: Block, i: int, j: int) -> tuple[tuple[Ints, ...], tuple[Floats, ...]]:
    a, b = block.bots[:, i], block.bots[:, j]
    sign = np.where(a < b, 1.0, -1.0)
    score = 0.5 + 0.5 * sign * np.sign(block.places[:, j] - block.places[:, i])
    margin = sign * (block.points[:, i] - block.points[:, j])
    return (block.set, np.minimum(a, b), np.maximum(a, b)), (np.ones_like(score), score, margin, block.deals)


def _concatenate(
    rows: Sequence[tuple[tuple[Ints, ...], tuple[Floats, ...]]], keys: int, columns: int
) -> tuple[tuple[Ints, ...], tuple[Floats, ...]]:
    no_keys, no_columns = np.zeros(0, np.int64), np.zeros(0)
    return (
        tuple(np.concatenate([no_keys, *(row[0][k] for row in rows)]) for k in range(keys)),
        tuple(np.concatenate([no_columns, *(row[1][c] for row in rows)]) for c in range(columns)),
    )


def _sum_by(code: Ints, columns: Sequence[Floats]) -> tuple[Ints, list[Floats]]:
    keys, group = np.unique(code, return_inverse=True)
    return keys, [np.bincount(group, column, len(keys)).astype(np.float64) for column in columns]
