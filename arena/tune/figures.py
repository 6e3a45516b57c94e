"""What the first bot of a line-up is ahead of another, with intervals over sets, as standings have them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from league.estimates import Estimate, student

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arena.tune.series import SetResult


@dataclass(frozen=True)
class Margins:
    """What the first bot is ahead of one opponent, one number a set; seats of one opponent are averaged."""

    points: NDArray[np.float64]
    """Points over the set."""
    deals: NDArray[np.float64]
    games: NDArray[np.float64]
    """The share of the games in which it placed above, less below."""


def margins_of(results: Sequence[SetResult], names: Sequence[str]) -> dict[str, Margins]:
    """The margins over every opponent, by name, from the sets of one line-up."""
    points = np.array([each.points for each in results], np.float64).reshape(-1, len(names))
    games = np.array([each.games for each in results], np.float64).reshape(-1, len(names))
    deals = np.array([each.deals for each in results], np.float64)
    found: dict[str, Margins] = {}
    for name in dict.fromkeys(names[1:]):
        same = [index for index in range(1, len(names)) if names[index] == name]
        found[name] = Margins(points[:, 0] - points[:, same].mean(axis=1), deals, games[:, same].mean(axis=1))
    return found


def points_margin(margins: Margins) -> Estimate:
    """Points a deal that the first bot is ahead; the interval leaves out a set at a time, and there is none of a single set."""
    return _jackknife(_ratio(margins), _ratios_without(margins))


def games_margin(margins: Margins) -> Estimate:
    """Games placed above less games placed below, as a share of all, by sets."""
    size = len(margins.games)
    mean = float(margins.games.mean())
    return _jackknife(mean, (mean * size - margins.games) / max(1, size - 1))


def difference(margins: Margins, base: Margins) -> Estimate:
    """The points a deal by which one margin is ahead of another on the same sets: what the sets have in common cancels."""
    return _jackknife(_ratio(margins) - _ratio(base), _ratios_without(margins) - _ratios_without(base))


def _ratio(margins: Margins) -> float:
    return float(margins.points.sum() / margins.deals.sum())


def _ratios_without(margins: Margins) -> NDArray[np.float64]:
    """Points a deal without each of the sets in turn."""
    rest: NDArray[np.float64] = margins.deals.sum() - margins.deals
    left: NDArray[np.float64] = (margins.points.sum() - margins.points) / np.where(rest > 0, rest, math.nan)
    return left


def _jackknife(value: float, without: NDArray[np.float64]) -> Estimate:
    """A value with the interval that its values without each set in turn give (J. Tukey 1958), by Student's t."""
    size = len(without)
    if size < 2:
        return Estimate(value, None, None)
    error = math.sqrt(float(((without - without.mean()) ** 2).sum()) * (size - 1) / size)
    half = student(size - 1) * error
    return Estimate(value, value - half, value + half)
