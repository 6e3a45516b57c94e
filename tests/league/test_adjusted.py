"""Luck that is taken off: what it leaves is unbiased, narrower where cards explain something, and nothing where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from league.adjusted import FEWEST, adjust, adjust_match

SETS = 40


def matches(slope: float, count: int = 300) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Matches of a bot that is a quarter of a point a deal ahead: points, deals and worth by set, the latter worth `slope`."""
    random = np.random.default_rng(5)
    found = []
    for _ in range(count):
        deals = random.integers(6, 14, SETS).astype(float)
        worth = random.normal(0, np.sqrt(deals)[:, None], (SETS, 2))
        points = 0.25 * deals + worth @ [slope, -slope / 2] + random.normal(0, np.sqrt(deals))
        found.append((points, deals, worth))
    return found


def test_taking_luck_off_changes_no_mean() -> None:
    """Over many matches what is taken off is nothing, to its standard error, and intervals hold the truth as often as before."""
    both = [adjust(*match) for match in matches(1.0)]
    found = [one for one in both if one is not None]
    assert len(found) == 300
    taken, error = np.array([one.luck for one in found]), np.array([one.adjusted.value - 0.25 for one in found])
    for values in (taken, error):
        assert abs(values.mean()) < 3 * values.std() / np.sqrt(len(values))
    assert np.mean([not one.adjusted.excludes(0.25) for one in found]) > 0.91


@pytest.mark.parametrize(("slope", "least", "most"), [(1.0, 0.25, 0.4), (0.0, -0.1, 0.0)])
def test_an_interval_is_as_much_narrower_as_cards_explain(slope: float, least: float, most: float) -> None:
    """Cards that make up 5 ninths of the variance leave two thirds of the length; cards that mean nothing make it no shorter."""
    found = [adjust(*match) for match in matches(slope, 60)]
    narrowed = float(np.mean([one.narrowed for one in found if one is not None]))
    assert least < narrowed < most


def test_a_sets_slope_is_fitted_to_the_others() -> None:
    """What is taken off a set does not hang on its own points."""
    points, deals, worth = matches(1.0, 1)[0]
    before = adjust(points, deals, worth)
    only = np.zeros_like(worth)
    only[3] = 1.0
    after = adjust(points, deals, only)
    assert before is not None
    assert after is not None
    assert after.luck == 0.0  # the other sets say nothing of what such cards are worth


def test_nothing_is_taken_off_without_need() -> None:
    """Few sets, or cards that were the same for all, give nothing; so does a match without games."""
    points, deals, worth = matches(1.0, 1)[0]
    assert adjust(points[: FEWEST - 1], deals[: FEWEST - 1], worth[: FEWEST - 1]) is None
    assert adjust(points, deals, np.zeros_like(worth)) is None
    assert adjust_match([], [], np.zeros((0, 2)), np.zeros((0, 2, 2))) is None


def test_leads_of_two_are_opposite() -> None:
    """Of two bots one leads by what the other is behind, as made and without luck; games of one set are summed."""
    points, deals, worth = matches(1.0, 1)[0]
    sets = [number // 2 for number in range(2 * SETS)]
    both = np.stack([points, -points], axis=1).repeat(2, axis=0)
    found = adjust_match(sets, deals.repeat(2).astype(int).tolist(), both, np.stack([worth, -worth], axis=1).repeat(2, axis=0))
    assert found is not None
    first, second = found
    assert first.lead.sets == SETS
    assert np.isclose(first.lead.adjusted.value, -second.lead.adjusted.value)
    assert np.isclose(first.lead.raw.value, 2 * points.sum() / deals.sum())
    assert first.lead.narrowed > 0.2
