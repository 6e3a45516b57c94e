"""Elo by maximum likelihood (Bradley and Terry) with intervals that resample duplicate sets.

One observation is one set and pair of bots: the share of the set's games in which one placed above the other, weight 1
however many games the set has. A prior of half a set won and half a set lost against a virtual average player keeps
every rating finite. docs/ratings.md says why, and what the intervals have been measured to cover.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from league.estimates import Estimate, tail
from league.refits import Layers, Problem, Walk, Weights
from league.tallies import grouped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from league.tallies import Floats, Ints, PairRows

    Numbers = NDArray[np.floating[Any]]

MEAN = 1500.0
SCALE = 400 / math.log(10)
"""Elo points in one unit of log odds: 400 points are odds of 10 to 1."""
PRIOR = 0.5
"""Sets won, and as many lost, against a virtual player of average strength."""
REPLICATES = 1000
"""Refits behind the intervals of a league."""
REPLICATES_OF_LARGE = 400
"""The same for a league with so many different results (`LARGE` rows) that time matters more than the last per cent."""
LARGE = 50_000

MANY = 60
"""Bots from which on refits share one matrix: Newton's own costs the third power of their number for every refit."""

# A replicate's prior weight is not let below this: it bounds what an interval may claim of an unbeaten bot (odds of 100
# to 1 for each set that it won) and keeps Newton's method on safe ground.
_LEAST_PRIOR = 0.01
_SEED = 0x5EED
_LONGEST_STEP = 2.0
_ITERATIONS = 60
# Numbers held at once by a batch of replicates: about 32 MB; with one matrix for all a quarter of it, which stays in the cache.
_BATCH = 4_000_000
_SMALL_BATCH = 1_000_000


@dataclass(frozen=True, slots=True)
class Ratings:
    """Fitted ratings of `bots` bots by index.

    `elo` (bots,) averages 1500 over each `group`: bots that are linked by games, directly or through others; -1 for a
    bot that never met another, whose elo is 1500 and means nothing. `sets` (bots,) counts the sets behind each rating,
    `replicates` (replicates, bots) holds the refits.
    """

    elo: Floats
    sets: Ints
    group: Ints
    replicates: Floats

    def estimates(self) -> list[Estimate | None]:
        """Elo of each bot with its 95 % interval, relative to its group's mean; None for a bot that never played."""
        return [
            _limits(self.elo[bot], self.replicates[:, bot], int(self.sets[bot])) if self.sets[bot] else None
            for bot in range(len(self.elo))
        ]

    def difference(self, a: int, b: int) -> Estimate | None:
        """Elo of bot a minus bot b with its 95 % interval; None where no chain of games links the two."""
        if self.group[a] < 0 or self.group[a] != self.group[b]:
            return None
        sets = int(min(self.sets[a], self.sets[b]))
        return _limits(self.elo[a] - self.elo[b], self.replicates[:, a] - self.replicates[:, b], sets)

    def separated(self, a: int, b: int) -> bool:
        """Whether the interval of the difference leaves out zero."""
        difference = self.difference(a, b)
        return difference is not None and difference.excludes(0.0)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Distinct sets with how often each occurred, as rows sorted by pair.

    A set with the same pairs and shares as another is not told from it, and the weights of `times` sets add up to a
    Gamma(times) weight: this makes a million games small. times (kinds,); kind, share (rows,); start, first, second
    (pairs,), start being the first row of each pair.
    """

    bots: int
    times: Floats
    kind: Ints
    share: Floats
    start: Ints
    first: Ints
    second: Ints

    def totals(self, weights: Numbers) -> tuple[Numbers, Numbers]:
        """Wins of first and of second (batch, pairs) under weights (batch, kinds) of the kinds of sets."""
        rows = weights[:, self.kind]
        if len(self.start) == len(self.kind):  # one kind of set a pair: nothing is to be summed
            wins = rows * self.share.astype(rows.dtype)
            return wins, rows - wins
        sets = np.add.reduceat(rows, self.start, axis=1)
        wins = np.add.reduceat(rows * self.share.astype(rows.dtype), self.start, axis=1)
        return wins, np.maximum(sets - wins, 0.0)


def rate(pairs: PairRows, bots: int, replicates: int | None = None) -> Ratings:
    """Fit `bots` bots to all sets of `pairs`, pooled; equal rows give equal ratings and intervals, to the last bit.

    The replicates are a Bayesian bootstrap of the sets (D. Rubin 1981): every set has an Exponential(1) weight that all
    its pairs share, and the prior's half sets have Gamma(1/2) weights (E. Fong, S. Lyddon, C. Holmes 2019), so that for
    single-game sets against an average player the interval is Jeffreys' interval.
    """
    sets = _count_sets(pairs, bots)
    played = np.flatnonzero(sets)
    if not len(played):
        return _of(np.zeros((2, 0)), played, sets, np.zeros(0, np.int64))
    evidence = _collapse(pairs, played)
    fit = _fit(evidence)
    refits = _refit(evidence, fit, replicates or (REPLICATES if len(evidence.kind) < LARGE else REPLICATES_OF_LARGE))
    return _of(np.concatenate([fit, refits]), played, sets, _components(evidence))


def rate_alone(pairs: PairRows, bots: int) -> Ratings:
    """The same ratings to a millionth, without replicates: where nobody asks for intervals."""
    sets = _count_sets(pairs, bots)
    played = np.flatnonzero(sets)
    if not len(played):
        return _of(np.zeros((1, 0)), played, sets, np.zeros(0, np.int64))
    evidence = _summed(pairs, played)
    return _of(_fit(evidence), played, sets, _components(evidence))


def _of(theta: Numbers, played: Ints, sets: Ints, label: Ints) -> Ratings:
    """Ratings from log odds (1 + replicates, played) of the bots that played and the labels of these."""
    everyone, group = np.full((len(theta), len(sets)), MEAN), np.full(len(sets), -1)
    if len(played):
        group[played] = played[label]
        everyone[:, played] = _to_elo(theta, group[played])
    return Ratings(everyone[0], sets, group, everyone[1:])


def _count_sets(pairs: PairRows, bots: int) -> Ints:
    """Number of sets in which each bot met another."""
    if bool((pairs.set[1:] > pairs.set[:-1]).all()):  # a pair a set
        return np.bincount(pairs.first, minlength=bots) + np.bincount(pairs.second, minlength=bots)
    both = np.sort(np.concatenate([pairs.set * bots + pairs.first, pairs.set * bots + pairs.second]))
    each = both[np.diff(both, prepend=-1) > 0]  # as np.unique, ten times as fast
    return np.bincount(each % max(bots, 1), minlength=bots).astype(np.int64)


def _components(evidence: _Evidence) -> Ints:
    """Label of each bot's connected component: the lowest index in it."""
    label = np.arange(evidence.bots)
    while True:
        least = np.minimum(label[evidence.first], label[evidence.second])
        new = label.copy()
        np.minimum.at(new, evidence.first, least)
        np.minimum.at(new, evidence.second, least)
        if np.array_equal(new, label):
            return label
        label = new


def _renumbered(pairs: PairRows, played: Ints) -> Ints:
    """A number for each row's pair, with the bots that played renumbered from 0."""
    index = np.empty(int(played[-1]) + 1 if len(played) else 0, np.int64)
    index[played] = np.arange(len(played))
    return index[pairs.first] * len(played) + index[pairs.second]


def _summed(pairs: PairRows, played: Ints) -> _Evidence:
    """All sets of a pair as one row: enough to fit, not to weigh them."""
    bots = len(played)
    codes, group = grouped(_renumbered(pairs, played), bots**2)
    times = np.bincount(group, minlength=len(codes)).astype(np.float64)
    share = np.bincount(group, pairs.share, len(codes)) / times
    each = np.arange(len(codes))
    return _Evidence(bots, times, each, share, each, *np.divmod(codes, max(bots, 1)))


def _collapse(pairs: PairRows, played: Ints) -> _Evidence:
    """Gather equal sets, with the bots that played renumbered from 0."""
    bots = len(played)
    shares, share = _shares(pairs)
    cell = _renumbered(pairs, played) * len(shares) + share
    cells, kinds, times, offset = [], [], [], 0
    for table in _by_length(pairs.set, cell):
        distinct, count = _distinct(table, bots**2 * len(shares))
        cells.append(distinct.ravel())
        kinds.append(np.repeat(np.arange(offset, offset + len(count)), table.shape[1]))
        times.append(count.astype(np.float64))
        offset += len(count)
    all_cells, kind = np.concatenate(cells), np.concatenate(kinds)
    order = np.argsort(all_cells, kind="stable")
    pair, value = np.divmod(all_cells[order], len(shares))
    start = np.flatnonzero(np.diff(pair, prepend=-1))
    codes = pair[start]
    return _Evidence(bots, np.concatenate(times), kind[order], shares[value], start, codes // bots, codes % bots)


def _shares(pairs: PairRows) -> tuple[Floats, Ints]:
    """The different shares of a set's games that a bot had, ascending, and which of them each row has."""
    width = int(2 * pairs.games.max()) + 1  # scores are whole or half numbers, from 0 to the games
    codes, group = grouped((pairs.games * width + 2 * pairs.score).astype(np.int64), width**2)
    games, score = np.divmod(codes, width)
    shares, index = np.unique(score / 2 / games, return_inverse=True)
    return shares, index[group]


def _by_length(sets: Ints, cell: Ints) -> list[Ints]:
    """The cells of each set as one row of a table, a table (sets, cells) for each number of cells."""
    length = np.diff(np.flatnonzero(np.diff(sets, prepend=-1)), append=len(sets))
    sizes = np.flatnonzero(np.bincount(length)).tolist()
    return [
        cell.reshape(-1, size) if len(sizes) == 1 else cell[np.repeat(length, length) == size].reshape(-1, size) for size in sizes
    ]


def _distinct(table: Ints, size: int) -> tuple[Ints, Ints]:
    """Distinct rows of a table of numbers below `size`, and how often each occurs."""
    code = np.zeros(len(table), np.int64)
    values: Ints = np.zeros(1, np.int64)
    for column in table.T:
        found, value = grouped(column, size)
        values, code = grouped(code * len(found) + value, len(values) * len(found))
    count = np.bincount(code, minlength=len(values))
    index = np.empty(len(values), np.int64)
    index[code[::-1]] = np.arange(len(code) - 1, -1, -1)
    return table[index], count


@dataclass(frozen=True, slots=True)
class _Weights:
    """A batch of problems: wins of first and of second (batch, pairs), prior wins and losses (batch, bots)."""

    wins: Numbers
    losses: Numbers
    won: Numbers
    lost: Numbers

    def take(self, rows: Ints) -> _Weights:
        """The problems `rows` of the batch."""
        return _Weights(self.wins[rows], self.losses[rows], self.won[rows], self.lost[rows])


def _fit(evidence: _Evidence) -> Floats:
    wins, losses = evidence.totals(evidence.times[None, :])
    prior = np.full((1, evidence.bots), PRIOR)
    return _newton(evidence, _Weights(wins, losses, prior, prior), np.zeros((1, evidence.bots)), 1e-10)


def _refit(evidence: _Evidence, fit: Floats, replicates: int) -> Floats:
    if evidence.bots >= MANY:
        return _refit_many(evidence, fit, replicates)
    random = np.random.default_rng(_SEED)
    size = max(len(evidence.kind), evidence.bots**2)
    step = max(1, min(replicates, _BATCH // size))
    batches = [min(step, replicates - done) for done in range(0, replicates, step)]
    return np.concatenate([_refit_batch(evidence, fit, random, batch) for batch in batches])


def _refit_batch(evidence: _Evidence, fit: Floats, random: np.random.Generator, batch: int) -> Floats:
    wins, losses = evidence.totals(random.gamma(evidence.times, size=(batch, len(evidence.times))))
    won, lost = np.maximum(random.gamma(PRIOR, size=(2, batch, evidence.bots)), _LEAST_PRIOR)
    return _newton(evidence, _Weights(wins, losses, won, lost), np.repeat(fit, batch, axis=0), 1e-4)


def _refit_many(evidence: _Evidence, fit: Floats, replicates: int) -> Floats:
    """The refits of many bots: Newton's method with one matrix for all of them, that of the fit, inverted once.

    The weights move a replicate's own matrix little from it where every bot has many sets, so that a few steps do; a replicate
    that these do not bring home (few sets, or hardly linked) starts anew with Newton's method. Single precision is enough
    for steps: what is left at the end is a ten-thousandth of a unit (0.02 Elo) either way.
    """
    random = np.random.default_rng(_SEED)
    walk = Walk(evidence.first * evidence.bots + evidence.second, fit[0], np.linalg.inv(_hessian_at(evidence, fit)))
    layers = Layers.of(evidence.kind, evidence.share, evidence.start)
    weights = Weights(evidence.times, layers.kind, random)
    step = max(1, min(replicates, _SMALL_BATCH // max(len(evidence.kind), evidence.bots**2)))
    refits = np.empty((replicates, evidence.bots))
    for done in range(0, replicates, step):
        drawn = _draw(evidence, layers, weights.draw(min(step, replicates - done)), random)
        theta, missed = _chord(drawn, walk)
        if len(missed):
            theta[missed] = _newton(evidence, drawn.take(missed), np.repeat(fit, len(missed), axis=0), 1e-4)
        refits[done : done + len(theta)] = theta
    return refits


def _draw(evidence: _Evidence, layers: Layers, weights: Numbers, random: np.random.Generator) -> _Weights:
    """Problems in single precision from weights (batch, rows)."""
    wins, losses = layers.totals(weights)
    prior = random.standard_gamma(PRIOR, size=(2, len(weights), evidence.bots), dtype=np.float32)
    won, lost = np.maximum(prior, np.float32(_LEAST_PRIOR))
    return _Weights(wins, losses, won, lost)


def _hessian_at(evidence: _Evidence, fit: Numbers) -> Numbers:
    wins, losses = evidence.totals(evidence.times[None, :])
    prior = np.full((1, evidence.bots), PRIOR)
    hessian: Numbers = _system(evidence, fit, _Weights(wins, losses, prior, prior))[1][0]
    return hessian


def _chord(weights: _Weights, walk: Walk) -> tuple[Numbers, Ints]:
    """Log odds (batch, bots) of each problem, and which of them did not come to rest: what is given of these means nothing."""
    problems = zip(weights.wins, weights.losses, weights.won, weights.lost, strict=True)
    found = [walk.solve(Problem(*one)) for one in problems]
    missed = [at for at, theta in enumerate(found) if theta is None]
    return np.stack([np.zeros(weights.won.shape[1]) if theta is None else theta for theta in found]), np.array(missed, np.int64)


def _newton(evidence: _Evidence, weights: _Weights, start: Floats, tolerance: float) -> Floats:
    """Log odds (batch, bots) that maximise the penalised likelihood of each problem, from `start`.

    Capping the steps is enough to make Newton's method safe here: the likelihood is concave and its slopes are bounded.
    """
    theta = start.copy()
    active = np.arange(len(theta))
    for _ in range(_ITERATIONS):
        step = _step(evidence, theta[active], weights.take(active))
        longest = np.abs(step).max(axis=1)
        theta[active] += step * np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))[:, None]
        active = active[longest > tolerance]
        if not len(active):
            break
    return theta


def _step(evidence: _Evidence, theta: Numbers, weights: _Weights) -> Numbers:
    """Newton's step (batch, bots)."""
    gradient, hessian = _system(evidence, theta, weights)
    step: Numbers = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
    return step


def _system(evidence: _Evidence, theta: Numbers, weights: _Weights) -> tuple[Numbers, Numbers]:
    """Gradient (batch, bots) and the negative of the matrix of second derivatives (batch, bots, bots)."""
    gradient, games, expected = _gradient(evidence, theta, weights)
    average = _logistic(theta)
    hessian = _square(evidence, -games * expected * (1 - expected), 1.0)
    diagonal = np.arange(evidence.bots)
    hessian[:, diagonal, diagonal] = (weights.won + weights.lost) * average * (1 - average) - hessian.sum(axis=2)
    return gradient, hessian


def _gradient(evidence: _Evidence, theta: Numbers, weights: _Weights) -> tuple[Numbers, Numbers, Numbers]:
    """Gradient (batch, bots), games and expected shares of first (batch, pairs)."""
    games = weights.wins + weights.losses
    expected = _logistic(theta[:, evidence.first] - theta[:, evidence.second])
    slope = _square(evidence, weights.wins - games * expected, -1.0).sum(axis=2)
    return slope + weights.won - (weights.won + weights.lost) * _logistic(theta), games, expected


def _square(evidence: _Evidence, values: Numbers, mirror: float) -> Numbers:
    """Values by pair (batch, pairs) as matrices (batch, bots, bots), mirrored with a factor across the diagonal."""
    matrix = np.zeros((len(values), evidence.bots, evidence.bots), values.dtype)
    matrix[:, evidence.first, evidence.second] = values
    matrix[:, evidence.second, evidence.first] = mirror * values
    return matrix


def _logistic(x: Numbers) -> Numbers:
    result: Numbers = 1 / (1 + np.exp(-x))
    return result


def _to_elo(theta: Numbers, group: Ints) -> Floats:
    """Elo (batch, bots) with mean 1500 in every group."""
    labels, index = np.unique(group, return_inverse=True)
    member = index == np.arange(len(labels))[:, None]
    mean = (theta @ member.T) / member.sum(axis=1)
    elo: Floats = MEAN + SCALE * (theta - mean[:, index])
    return elo


def _limits(value: float, refits: Floats, sets: int) -> Estimate:
    level = tail(sets)
    low, high = np.quantile(refits, (level, 1 - level))
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))
