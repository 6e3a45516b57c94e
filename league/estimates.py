"""Values with 95 % intervals whose unit of resampling is the duplicate set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.tallies import Floats, Ints

CONFIDENCE = 0.95
_UPPER = (1 + CONFIDENCE) / 2
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval; the limits are None together, where the data allow no interval."""

    value: float
    low: float | None
    high: float | None

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def excludes(self, value: float) -> bool:
        """Whether the interval exists and leaves `value` out."""
        return self.low is not None and self.high is not None and not self.low <= value <= self.high

    def mirrored(self, total: float) -> Estimate:
        """The estimate of `total` minus this quantity: the same pair seen from the other side."""
        low = None if self.high is None else total - self.high
        high = None if self.low is None else total - self.low
        return Estimate(total - self.value, low, high)


def student(freedom: int) -> float:
    """Upper 97.5 % point of Student's t, to 3 digits (Abramowitz and Stegun 26.7.5; closed forms for 1 and 2).

    Raises:
        ValueError: fewer than one degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom: Student's t needs at least 1")
    if freedom == 1:
        return math.tan(math.pi * (_UPPER - 0.5))
    if freedom == 2:
        return CONFIDENCE * math.sqrt(2 / (1 - CONFIDENCE**2))
    z = _NORMAL.inv_cdf(_UPPER)
    terms: tuple[float, ...] = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))


def tail(sets: int) -> float:
    """Lower quantile level of the expanded percentile interval for `sets` clusters (0.025 for many, 0 for one).

    Plain percentile limits are too narrow for few clusters by sqrt((n-1)/n) and by the normal in place of Student's t;
    the level is moved out by as much (T. Hesterberg, What Teachers Should Know About the Bootstrap, 2015).
    """
    if sets < 2:
        return 0.0
    return _NORMAL.cdf(-math.sqrt(sets / (sets - 1)) * student(sets - 1))


def ratio_columns(group: Ints, above: Floats, below: Floats, groups: int) -> Floats:
    """Sum of `above` over sum of `below` for each group, with the delete-one-set jackknife and Student's t.

    One row a set and group. Returns (groups, 3): value, low, high; NaN where `below` sums to nothing; no limits where only
    one set is there, or where leaving one out leaves nothing. (J. Tukey 1958.)
    """
    sets = np.bincount(group, minlength=groups)
    top, bottom = (np.bincount(group, column, groups) for column in (above, below))
    rest = bottom[group] - below
    usable = np.bincount(group, rest <= 0, groups) == 0
    left_out = (top[group] - above) / np.where(rest > 0, rest, 1.0)
    mean = np.bincount(group, left_out, groups) / np.maximum(sets, 1)
    spread = np.bincount(group, (left_out - mean[group]) ** 2, groups)
    error = np.sqrt(spread * np.maximum(sets - 1, 0) / np.maximum(sets, 1))
    value = np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)
    half = np.where(usable, _students(sets - 1) * error, np.nan)
    return np.stack([value, value - half, value + half], axis=1)


def share_columns(group: Ints, share: Floats, groups: int) -> Floats:
    """Mean of per-set shares (0 to 1) for each group, limits from the sets' spread.

    Returns (groups, 3): value, low, high; NaN for a group without sets. Half a set won and half a set lost are added for
    the limits alone, as in the ratings, so that a pair with nothing but wins has an interval too; the value is the plain mean.
    """
    sets = np.bincount(group, minlength=groups)
    total, squares = (np.bincount(group, column, groups) for column in (share, share**2))
    centre = (total + 0.5) / (sets + 1)
    variance = (squares + 0.5) / (sets + 1) - centre**2
    half = _students(sets) * np.sqrt(np.maximum(variance, 0) / np.maximum(sets, 1))
    value = np.where(sets > 0, total / np.maximum(sets, 1), np.nan)
    low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    return np.stack([value, np.minimum(low, value), np.maximum(high, value)], axis=1)


def ratio_estimates(group: Ints, above: Floats, below: Floats, groups: int) -> list[Estimate | None]:
    """What :func:`ratio_columns` works out, group by group; None where there is no value."""
    return [estimate_of(row) for row in ratio_columns(group, above, below, groups).tolist()]


def share_estimates(group: Ints, share: Floats, groups: int) -> list[Estimate | None]:
    """What :func:`share_columns` works out, group by group; None for a group without sets."""
    return [estimate_of(row) for row in share_columns(group, share, groups).tolist()]


def estimate_of(row: Sequence[float]) -> Estimate | None:
    """An estimate from value, low and high, of which NaN means that there is none."""
    value, low, high = row
    if math.isnan(value):
        return None
    return Estimate(value, None, None) if math.isnan(low) else Estimate(value, low, high)


def _students(freedom: Ints) -> Floats:
    """`student` of each number of degrees of freedom; NaN where there is none."""
    values, index = np.unique(freedom, return_inverse=True)
    found: Floats = np.array([student(one) if one >= 1 else math.nan for one in values.tolist()], np.float64)[index]
    return found
