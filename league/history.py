"""How ratings came about: a league's sets in the order in which they were complete, and what the first of them said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from league.estimates import Estimate, student
from league.ratings import rate, rate_alone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from league.ratings import Ratings
    from league.tallies import Tally

EARLIER = 0.8
"""The part of the sets that an earlier state of a table consists of."""
FEWEST = 5
"""Sets of a league that has an earlier state."""
POINTS = 12
"""Points of a curve of Elo over time."""
LARGE = 150
"""Bots from which on a curve has half as many points and fewer replicates: refits cost the third power of their number."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A table as it stood before: its ranks by bot, after so many sets, the last of which was complete at `at`."""

    sets: int
    at: float
    ranks: dict[str, int]


@dataclass(frozen=True, slots=True)
class Moment:
    """The ratings after the first `sets` sets, the last of which was complete at `at` (Unix seconds), by bot that had played."""

    sets: int
    at: float
    elo: dict[str, Estimate]


def earlier(sums: Tally) -> Earlier | None:
    """The table after the first four fifths of the sets; None while there are too few."""
    if sums.sets < FEWEST:
        return None
    sets = math.floor(EARLIER * sums.sets)
    ratings = rate_alone(sums.first_sets(sets), len(sums.bots))
    return Earlier(sets, _ended(sums, sets), ranks(_played(sums, ratings).items()))


def ranks(elo: Iterable[tuple[str, float]]) -> dict[str, int]:
    """Ranks by falling Elo; equal Elo, to a millionth, shares the better rank."""
    values = sorted(((round(value, 6), bot) for bot, value in elo), key=lambda pair: -pair[0])
    ranked: dict[float, int] = {}
    return {bot: ranked.setdefault(value, place) for place, (value, bot) in enumerate(values, 1)}


def history(sums: Tally) -> tuple[Moment, ...]:
    """The ratings after equal steps of the sets in the order in which they were complete, with 95 % intervals.

    The interval is the spread of a few replicates with Student's t: enough for a band in a chart.
    """
    large = len(sums.bots) > LARGE
    points, replicates = (POINTS // 2, 30) if large else (POINTS, 100)
    steps = sorted({math.ceil(sums.sets * step / points) for step in range(1, points + 1)} - {0})
    return tuple(_moment(sums, sets, replicates) for sets in steps)


def _moment(sums: Tally, sets: int, replicates: int) -> Moment:
    ratings = rate(sums.first_sets(sets), len(sums.bots), replicates)
    spread = np.std(ratings.replicates, axis=0, ddof=1)
    return Moment(sets, _ended(sums, sets), {bot: _band(value, spread[i], ratings, i) for i, bot, value in _each(sums, ratings)})


def _band(value: float, spread: float, ratings: Ratings, index: int) -> Estimate:
    sets = int(ratings.sets[index])
    if sets < 2:
        return Estimate(value, None, None)
    half = student(sets - 1) * math.sqrt(sets / (sets - 1)) * float(spread)
    return Estimate(value, value - half, value + half)


def _each(sums: Tally, ratings: Ratings) -> list[tuple[int, str, float]]:
    return [(i, bot, float(ratings.elo[i])) for i, bot in enumerate(sums.bots) if ratings.sets[i]]


def _played(sums: Tally, ratings: Ratings) -> dict[str, float]:
    return {bot: value for _, bot, value in _each(sums, ratings)}


def _ended(sums: Tally, sets: int) -> float:
    return float(np.sort(sums.when)[sets - 1])
