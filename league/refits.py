"""Random weights of many sets, and the fit of one weighting of them: what intervals of large leagues are made of.

Both are inner loops: a league of 200 bots has 80,000 different results, and each gets 400 weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from league.tallies import Floats, Ints

    Numbers = NDArray[np.floating[Any]]

BITS = 12
"""A weight is one of two to this power equally likely values."""
_POINTS = 1 << BITS
_CLOSED = 32
_ROWS = 128
_STEPS = 20
_TOLERANCE = 5e-5


@lru_cache(maxsize=512)
def gamma_values(shape: int) -> Floats:
    """4,096 equally likely values in ascending order that stand for a Gamma(shape) variable: same mean and variance.

    The middles of as many equal parts of the distribution, for a whole `shape` from 1: that of Wilson and Hilferty (1931), up
    to 32 improved by Newton's method on the closed form of the distribution function.
    """
    found = _exponential() if shape == 1 else _wilson_hilferty(shape)
    if 1 < shape <= _CLOSED:
        found = _improved(shape, found)
    scaled: Floats = shape + (found - found.mean()) * (math.sqrt(shape) / found.std())
    return np.maximum(scaled, 0.0)


def _exponential() -> Floats:
    found: Floats = -np.log1p(-_middles())
    return found


def _wilson_hilferty(shape: int) -> Floats:
    z = _normal()
    found: Floats = shape * np.maximum(1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape)), 1e-3) ** 3
    return found


@cache
def _normal() -> Floats:
    normal = NormalDist()
    return np.array([normal.inv_cdf(middle) for middle in _middles().tolist()])


def _middles() -> Floats:
    middles: Floats = (np.arange(_POINTS) + 0.5) / _POINTS
    return middles


def _improved(shape: int, found: Floats) -> Floats:
    for _ in range(8):
        density = np.exp(-found + (shape - 1) * np.log(found) - math.lgamma(shape))
        term, total = np.exp(-found), np.zeros(len(found))
        for k in range(shape):
            total += term
            term = term * found / (k + 1)
        step = (1 - total - _middles()) / np.maximum(density, 1e-12)
        found = np.clip(found - step, found / 2, found * 2)
    return found


@dataclass(frozen=True, slots=True)
class Layers:
    """Rows of evidence so arranged that they are summed by pair without an index: the n-th row of every pair is in layer n.

    Pairs with more rows come first, so that a layer is a stretch of them from the first. `back` (pairs,) gives the pairs in
    their own order; `kind` (rows,) the kind of set of each row, `share` (rows,) what first had of it; `ends` where layers end.
    """

    kind: Ints
    share: Numbers
    ends: tuple[int, ...]
    back: Ints | None

    @classmethod
    def of(cls, kind: Ints, share: Floats, start: Ints) -> Layers:
        """Arrange rows that are sorted by pair, `start` being the first of each."""
        count = np.diff(start, append=len(kind))
        order = np.argsort(-count, kind="stable")
        layers = [start[order[: int((count > depth).sum())]] + depth for depth in range(int(count.max()))]
        rows = np.concatenate(layers)
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        ends = tuple(np.cumsum([len(one) for one in layers]).tolist())
        in_order = bool((order[1:] > order[:-1]).all())
        return cls(kind[rows], share[rows].astype(np.float32), ends, None if in_order else back)

    def totals(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """Wins of first and of second (batch, pairs) under weights of the rows (batch, rows)."""
        wins, sets = rows[:, : self.ends[0]] * self.share[: self.ends[0]], rows[:, : self.ends[0]].copy()
        for begin, end in zip(self.ends, self.ends[1:], strict=False):
            wins[:, : end - begin] += rows[:, begin:end] * self.share[begin:end]
            sets[:, : end - begin] += rows[:, begin:end]
        sets -= wins
        np.maximum(sets, 0, out=sets)
        return (wins, sets) if self.back is None else (np.take(wins, self.back, axis=1), np.take(sets, self.back, axis=1))


class Weights:
    """Draws weights of rows of evidence: that of `times` sets of a kind is a Gamma(times) variable, the same for all its rows.

    Args:
        times: (kinds,) whole numbers from 1.
        kind: (rows,) kind of each row; each kind is there.
        random: what to draw with.
    """

    def __init__(self, times: Floats, kind: Ints, random: np.random.Generator) -> None:
        self._kind = None if len(kind) == len(times) else kind
        times = times[kind] if self._kind is None else times
        shapes, which = np.unique(times.astype(np.int64), return_inverse=True)
        self._values = np.concatenate([gamma_values(shape) for shape in shapes.tolist()]).astype(np.float32)
        self._offset = which.astype(np.int64) * _POINTS
        self._random = random

    def draw(self, batch: int) -> Numbers:
        """Weights (batch, rows)."""
        kinds = len(self._offset)
        words = -(-batch * kinds // 4)
        drawn = self._random.integers(0, 1 << 64, size=words, dtype=np.uint64).view(np.uint16)[: batch * kinds]
        at = np.add(drawn.reshape(batch, kinds) >> (16 - BITS), self._offset)
        weights = np.take(self._values, at, mode="clip")
        return weights if self._kind is None else np.take(weights, self._kind, axis=1)


@dataclass(frozen=True, slots=True)
class Problem:
    """One weighting of a league's sets: wins of first and of second (pairs,), and the prior's wins and losses (bots,)."""

    wins: Numbers
    losses: Numbers
    prior_won: Numbers
    prior_lost: Numbers


class Walk:
    """Solves one problem after another by steps with one matrix; whole matrices are made once, and used again.

    Args:
        cell: (pairs,) place of each pair in a flattened matrix (bots, bots), above its diagonal.
        fit: (bots,) log odds to begin with.
        inverse: (bots, bots) of the matrix of second derivatives there.
    """

    def __init__(self, cell: Ints, fit: Numbers, inverse: Numbers) -> None:
        self._cell, self._inverse, self._fit = cell, inverse.astype(np.float32), fit.astype(np.float32)
        self._wins, self._sets = np.zeros((2, len(fit), len(fit)), np.float32)

    def solve(self, problem: Problem) -> Floats | None:
        """Log odds (bots,) of a problem; None if it does not come to rest in a few steps.

        They are done when what is left is a quarter of `_TOLERANCE`, supposing that steps go on shrinking as the last one did.
        """
        self._wins.ravel()[self._cell], self._sets.ravel()[self._cell] = problem.wins, problem.wins + problem.losses
        won = self._wins.sum(axis=1) - self._wins.sum(axis=0)
        prior, theta, before = problem.prior_won + problem.prior_lost, self._fit.copy(), 0.0
        with np.errstate(all="ignore"):  # steps that lead away end in infinities, and so without a result
            for _ in range(_STEPS):
                share = 1 / (1 + np.exp(-theta))
                rest, slope = problem.prior_won - prior * share, prior * share * (1 - share)
                step = self._inverse @ (won - _expected(self._sets, theta) + rest)
                # A step of all together is for the prior alone to decide, of which the matrix of the fit knows least.
                step += (rest.sum() - slope @ step) / slope.sum()
                theta += step
                longest = float(np.abs(step).max())
                if longest <= _TOLERANCE or (longest < before / 2 and longest**2 / (before - longest) <= _TOLERANCE / 4):
                    return theta.astype(np.float64)
                before = longest
        return None


def _expected(sets: Numbers, theta: Numbers) -> Numbers:
    """Expected wins (bots,) over the later bots, less what the earlier ones are expected to win over each.

    By strengths, whose share of a sum of two is the expected one, there is no exponential to a pair. A stretch of rows at a time,
    and only what is not left of the diagonal: that stays in the cache, and is half of the whole.
    """
    strength, ones = np.exp(theta), np.ones_like(theta)
    won, lost = np.empty_like(theta), np.zeros_like(theta)
    for begin in range(0, len(theta), _ROWS):
        end = begin + _ROWS
        share = strength[begin:end, None] + strength[None, begin:]
        np.divide(sets[begin:end, begin:], share, out=share)
        won[begin:end] = share @ ones[begin:]
        lost[begin:] += strength[begin:end] @ share
    return strength * won - lost
