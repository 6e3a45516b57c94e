"""Points a deal with the luck of the cards taken off, as far as it is known: a control variate.

What the cards were worth, by measures that know nothing of the players, has mean nothing over honest deals. A multiple of it is
taken off the points of every set: as much as explains them best. The multiples for a set are fitted to the other sets alone
(cross-fitting), so that they are independent of the set's cards, and the mean of what is taken off stays nothing. (S. Lavenberg
and P. Welch, A Perspective on the Use of Control Variables, 1981; for card games M. Zinkevich, M. Bowling, N. Bard, M. Kan and
D. Billings, Optimal Unbiased Estimators for Evaluating Agent Performance, 2006.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from league.estimates import Estimate, ratio_estimates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.tallies import Floats, Ints

FEWEST = 30
"""Sets from which on slopes are fitted: with fewer they are guesses that add more than they take off."""
_NOTHING = 1e-9
_RIDGE = 1e-9


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Points a deal as they were made and with luck taken off, each with its 95 % interval over sets."""

    raw: Estimate
    adjusted: Estimate
    luck: float
    """Points a deal that were taken off."""
    sets: int

    @property
    def narrowed(self) -> float:
        """The part of the interval's length that is gone; below nothing where it has grown."""
        before, after = self.raw.half_width, self.adjusted.half_width
        return 0.0 if not before or after is None else 1 - after / before


def adjust(points: Floats, deals: Floats, worth: Floats) -> Adjusted | None:
    """Take off points what the cards explain of them.

    Args:
        points: (sets,) points, or margin, over all games of each set.
        deals: (sets,) deals of each, at least one.
        worth: (sets, measures) what the set's cards were worth, of mean nothing.

    Returns:
        None with fewer than thirty sets, and where the cards were worth nothing in all of them: with the same deals in every
        seating each bot has had the same cards.
    """
    if len(points) < FEWEST or float(np.abs(worth).max(initial=0.0)) < _NOTHING:
        return None
    off = (_slopes(points, deals, worth) * worth).sum(axis=1)
    raw, adjusted = _ratio(points, deals), _ratio(points - off, deals)
    return Adjusted(raw, adjusted, float(off.sum() / deals.sum()), len(points))


def _ratio(above: Floats, below: Floats) -> Estimate:
    found = ratio_estimates(np.zeros(len(above), np.int64), above, below, 1)[0]
    assert found is not None  # there are deals
    return found


def _slopes(points: Floats, deals: Floats, worth: Floats) -> Floats:
    """For each set the slopes (sets, measures) of points on worth, through the mean points a deal, over the other sets."""
    rate = _others(points) / _others(deals)
    square = _others(worth[:, :, None] * worth[:, None, :])
    scale = np.trace(square, axis1=1, axis2=2)[:, None, None]
    steady = square + np.eye(worth.shape[1]) * np.maximum(_RIDGE * scale, _NOTHING)
    with_points = _others(worth * points[:, None]) - rate[:, None] * _others(worth * deals[:, None])
    found: Floats = np.linalg.solve(steady, with_points[:, :, None])[:, :, 0]
    return found


def _others(values: Floats) -> Floats:
    """The sum over all sets but each."""
    found: Floats = values.sum(axis=0) - values
    return found


@dataclass(frozen=True, slots=True)
class BotLuck:
    """A bot's points a deal, and its lead over the mean of the others, as made and with luck taken off."""

    points: Adjusted
    lead: Adjusted


def adjust_match(sets: Sequence[int], deals: Sequence[int], points: Floats, worth: Floats) -> tuple[BotLuck, ...] | None:
    """Take the luck of the cards off a match, by line-up index; None where :func:`adjust` gives nothing.

    Args:
        sets: the set of each game.
        deals: the deals of each, at least one.
        points: (games, bots) what each bot made.
        worth: (games, bots, measures) what its cards were worth above those of the others.
    """
    if not sets:
        return None
    bots, lead = points.shape[1], (points - points.mean(axis=1, keepdims=True)) * (points.shape[1] / (points.shape[1] - 1))
    of_set = np.unique(np.asarray(sets, np.int64), return_inverse=True)[1]
    of_deals = _by_set(of_set, np.asarray(deals, np.float64))
    found = []
    for bot in range(bots):
        cards = _by_set(of_set, worth[:, bot])
        both = [adjust(_by_set(of_set, values[:, bot]), of_deals, cards) for values in (points, lead)]
        if both[0] is None or both[1] is None:
            return None
        found.append(BotLuck(both[0], both[1]))
    return tuple(found)


def _by_set(of_set: Ints, values: Floats) -> Floats:
    sums = np.zeros((int(of_set.max()) + 1, *values.shape[1:]))
    np.add.at(sums, of_set, values)
    return sums
