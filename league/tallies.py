"""Results as arrays: what every statistic of a league is computed from.

Rows come out sorted by set key and bot name, and everything summed here is a whole or a half number, so the order in
which results come changes nothing, to the last bit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from league.results import GameResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DENSE = 16


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
    """Sums over games of the same set and line-up, one row each, for equally long line-ups.

    set, games, deals, stored (rows,); bots, points (rows, line-up); score (rows, pairs) counts, for each pair of positions in
    the order of `combinations`, the games in which the first placed above the second, a shared place as half. `stored` is
    when the last of the games came in.
    """

    set: Ints
    games: Floats
    deals: Floats
    bots: Ints
    points: Floats
    score: Floats
    stored: Floats

    def in_order(self) -> Block:
        """The same with every line-up in the order of its bots."""
        if bool((self.bots[:, 1:] >= self.bots[:, :-1]).all()):
            return self
        order = np.argsort(self.bots, axis=1, kind="stable")
        bots, points = np.take_along_axis(self.bots, order, axis=1), np.take_along_axis(self.points, order, axis=1)
        return replace(self, bots=bots, points=points, score=self._turned(order))

    def _turned(self, order: Ints) -> Floats:
        size, rows = self.bots.shape[1], np.arange(len(self.bots))
        square = np.zeros((len(rows), size, size))
        for pair, (i, j) in enumerate(combinations(range(size), 2)):
            square[:, i, j], square[:, j, i] = self.score[:, pair], self.games - self.score[:, pair]
        pairs = [square[rows, order[:, i], order[:, j]] for i, j in combinations(range(size), 2)]
        return np.stack(pairs, axis=1) if pairs else self.score


@dataclass(frozen=True, slots=True)
class Sheet:
    """Complete sets as arrays; bots by name, sorted, sets by variant, match and number; blocks by line-up length.

    `places` (bots, places) counts games by bot and place, `faults` faults by bot and cause, `forfeits` forfeited games by bot.
    """

    bots: tuple[str, ...]
    sets: int
    blocks: tuple[Block, ...]
    places: Ints
    faults: Mapping[str, Mapping[str, int]]
    forfeits: Mapping[str, int]


def sheet_of(results: Iterable[GameResult], bots: Iterable[str] = ()) -> Sheet:
    """Results one by one as arrays; `bots` adds names that may not have played."""
    games = list(results)
    lineups = {game.bots for game in games}
    names = sorted({*bots, *(name for lineup in lineups for name in lineup)})
    keys = sorted({(game.variant, game.match, game.set) for game in games})
    index = {name: i for i, name in enumerate(names)}
    blocks = _blocks(games, index, {key: i for i, key in enumerate(keys)})
    return Sheet(tuple(names), len(keys), tuple(blocks), _count_places(games, index), *_count_faults(games))


def tally(results: Iterable[GameResult], bots: Iterable[str] = ()) -> Tally:
    """Sum results by set and bot, and by set and pair; `bots` adds names that may not have played."""
    return sum_up(sheet_of(results, bots))


def sum_up(sheet: Sheet) -> Tally:
    """Sum up by set and bot, and by set and pair."""
    blocks, size = [block.in_order() for block in sheet.blocks], len(sheet.bots)
    seats, pairs = _seats(blocks, size), _pairs(blocks, size)
    return Tally(sheet.bots, sheet.sets, sheet.places, seats, pairs, _completion(blocks, sheet.sets))


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
    numbers = [sets[game.variant, game.match, game.set] for game in games]
    order = sorted(range(len(games)), key=numbers.__getitem__)
    ordered = [games[at] for at in order]
    places = np.array([game.places for game in ordered], np.int64)
    return Block(
        np.array(numbers, np.int64)[order],
        np.ones(len(games)),
        np.array([game.deals for game in ordered], np.float64),
        np.array([lineups[game.bots] for game in ordered], np.int64),
        np.array([game.points for game in ordered], np.float64),
        np.stack([*_scores(places)], axis=1) if places.shape[1] > 1 else np.zeros((len(games), 0)),
        np.array([game.stored_at for game in ordered], np.float64),
    )


def _scores(places: Ints) -> Iterator[Floats]:
    for i, j in combinations(range(places.shape[1]), 2):
        yield 0.5 + 0.5 * np.sign(places[:, j] - places[:, i])


def _count_places(games: Sequence[GameResult], bots: Mapping[str, int]) -> Ints:
    counts = np.zeros((len(bots), max((place for game in games for place in game.places), default=0)), np.int64)
    for game in games:
        for bot, place in zip(game.bots, game.places, strict=True):
            counts[bots[bot], place - 1] += 1
    return counts


def _seats(blocks: Sequence[Block], bots: int) -> SeatRows:
    rows = [_seat(block, bots) for block in blocks]
    codes, columns = _concatenate(rows, 4)
    keys, (games, points, margin, deals) = _sum_by(codes, columns)
    return SeatRows(keys // max(bots, 1), keys % max(bots, 1), games, points, margin, deals)


def _seat(block: Block, bots: int) -> tuple[Ints, tuple[Floats, ...]]:
    size = block.points.shape[1]
    # With two or three bots this is a whole or half number, so sums are exact in any order.
    margin = (size * block.points - block.points.sum(axis=1, keepdims=True)) / max(size - 1, 1)
    code = block.set[:, None] * bots + block.bots
    games, deals = (np.repeat(column, size) for column in (block.games, block.deals))
    return code.ravel(), (games, block.points.ravel(), margin.ravel(), deals)


def _pairs(blocks: Sequence[Block], bots: int) -> PairRows:
    rows = [_pair(block, bots) for block in blocks if block.bots.shape[1] > 1]
    codes, columns = _concatenate(rows, 4)
    keys, (games, score, margin, deals) = _sum_by(codes, columns)
    size = max(bots, 1)
    return PairRows(keys // size**2, keys // size % size, keys % size, games, score, margin, deals)


def _pair(block: Block, bots: int) -> tuple[Ints, tuple[Floats, ...]]:
    i, j = (np.array(side) for side in zip(*combinations(range(block.bots.shape[1]), 2), strict=True))
    first, second = block.bots[:, i], block.bots[:, j]
    code = (block.set[:, None] * bots + first) * bots + second
    margin = block.points[:, i] - block.points[:, j]
    games, deals = (np.repeat(column, len(i)) for column in (block.games, block.deals))
    different = (first != second).ravel()
    columns = (games, block.score.ravel(), margin.ravel(), deals)
    if different.all():
        return code.ravel(), columns
    return code.ravel()[different], tuple(column[different] for column in columns)


def _concatenate(rows: Sequence[tuple[Ints, tuple[Floats, ...]]], columns: int) -> tuple[Ints, tuple[Floats, ...]]:
    if len(rows) == 1:
        return rows[0]
    no_codes, no_columns = np.zeros(0, np.int64), np.zeros(0)
    return (
        np.concatenate([no_codes, *(row[0] for row in rows)]),
        tuple(np.concatenate([no_columns, *(row[1][c] for row in rows)]) for c in range(columns)),
    )


def _sum_by(code: Ints, columns: Sequence[Floats]) -> tuple[Ints, list[Floats]]:
    if bool((code[1:] > code[:-1]).all()):  # each is there once, and in its place
        return code, list(columns)
    keys, group = np.unique(code, return_inverse=True)
    return keys, [np.bincount(group, column, len(keys)).astype(np.float64) for column in columns]


def grouped(code: Ints, size: int) -> tuple[Ints, Ints]:
    """The different ones of numbers from 0 to below `size`, ascending, and the position among them of each number.

    As np.unique, without sorting where there are not many more numbers than rows.
    """
    if size > _DENSE * len(code):
        return np.unique(code, return_inverse=True)
    there = np.zeros(size, np.bool_)
    there[code] = True
    found = np.flatnonzero(there)
    position = np.empty(size, np.int64)
    position[found] = np.arange(len(found))
    return found, position[code]
