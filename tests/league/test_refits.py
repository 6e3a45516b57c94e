"""The refits of large leagues: their random weights, their sums by pair, their solutions, their intervals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from league import ratings
from league.ratings import SCALE, rate, rate_alone
from league.refits import Layers, Problem, Walk, Weights, gamma_values
from league.tallies import PairRows

BOTS = 70


def round_robin(sets: int, seed: int = 1) -> PairRows:
    """So many sets of two games of each pair of bots, which differ in strength."""
    random = np.random.default_rng(seed)
    skill = random.normal(0, 0.8, BOTS)
    first, second = (np.repeat(side, sets) for side in np.array([*itertools.combinations(range(BOTS), 2)]).T)
    won = random.binomial(2, 1 / (1 + np.exp(skill[second] - skill[first])))
    games, nothing = np.full(len(first), 2.0), np.zeros(len(first))
    return PairRows(np.arange(len(first)), first, second, games, won.astype(np.float64), nothing, games)


@pytest.mark.parametrize("shape", [1, 2, 5, 32, 33, 200])
def test_weights_are_gamma_distributed(shape: int) -> None:
    """Mean, variance, skewness and the quantiles between 1 and 99 per cent are those of the distribution."""
    values = gamma_values(shape)
    assert np.isclose(values.mean(), shape)
    assert np.isclose(values.var(), shape)
    assert abs(((values - shape) ** 3).mean() / shape**1.5 - 2 / shape**0.5) < 0.02
    drawn = np.quantile(np.random.default_rng(1).standard_gamma(shape, 400_000), [0.01, 0.1, 0.5, 0.9, 0.99])
    assert np.abs(np.quantile(values, [0.01, 0.1, 0.5, 0.9, 0.99]) - drawn).max() < 0.02 * shape**0.5 + 0.01


def test_a_kind_has_one_weight_in_all_its_rows() -> None:
    """Rows of the same kind of set get the same weight, different kinds unrelated ones."""
    kind = np.array([0, 1, 0, 2, 1])
    drawn = Weights(np.array([1.0, 5.0, 40.0]), kind, np.random.default_rng(1)).draw(20_000)
    assert np.array_equal(drawn[:, 0], drawn[:, 2])
    assert np.array_equal(drawn[:, 1], drawn[:, 4])
    assert np.allclose(drawn.mean(axis=0), [1, 5, 1, 40, 5], rtol=0.05)
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 3])[0, 1]) < 0.05


def test_layers_sum_rows_by_pair() -> None:
    """Wins and losses by pair are the weighted shares and what they leave of one, whatever the number of rows of a pair."""
    random = np.random.default_rng(1)
    count = random.integers(1, 6, 40)
    pair, kind = np.repeat(np.arange(40), count), np.arange(count.sum())
    share = random.random(len(pair))
    layers = Layers.of(kind, share, np.concatenate([[0], np.cumsum(count)[:-1]]))
    weights = random.random((3, len(pair)))
    wins, losses = layers.totals(weights[:, layers.kind].astype(np.float32))
    for row in range(3):
        assert np.allclose(wins[row], np.bincount(pair, weights[row] * share), atol=1e-5)
        assert np.allclose(losses[row], np.bincount(pair, weights[row] * (1 - share)), atol=1e-5)


def test_a_walk_ends_where_newtons_method_does() -> None:
    """Steps with the matrix of the fit solve a weighted problem to less than 0.05 Elo; a hopeless one is given back."""
    evidence = ratings._collapse(round_robin(5), np.arange(BOTS))
    fit = ratings._fit(evidence)
    inverse = np.linalg.inv(ratings._hessian_at(evidence, fit))
    layers, random = Layers.of(evidence.kind, evidence.share, evidence.start), np.random.default_rng(2)
    drawn = ratings._draw(evidence, layers, Weights(evidence.times, layers.kind, random).draw(20), random)
    exact = ratings._newton(evidence, drawn, np.repeat(fit, 20, axis=0), 1e-9)
    cell = evidence.first * BOTS + evidence.second
    walk = Walk(cell, fit[0], inverse)
    for row, wanted in enumerate(exact):
        problem = Problem(drawn.wins[row], drawn.losses[row], drawn.won[row], drawn.lost[row])
        found = walk.solve(problem)
        assert found is not None
        assert np.abs(found - wanted).max() * SCALE < 0.05
        assert Walk(cell, fit[0], -inverse).solve(problem) is None


def test_intervals_are_those_of_a_small_league(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to refit give the same widths, but for what 1,000 draws leave to chance."""
    pairs = round_robin(6)
    large = rate(pairs, BOTS).replicates.std(axis=0)
    monkeypatch.setattr(ratings, "MANY", BOTS + 1)
    small = rate(pairs, BOTS).replicates.std(axis=0)
    assert np.abs(large / small - 1).max() < 0.15
    assert abs((large / small).mean() - 1) < 0.02


@pytest.mark.parametrize("seed", [1, 2])
def test_ratings_alone_are_those_with_intervals(seed: int) -> None:
    """What is fitted without replicates is the same fit, of the same bots in the same groups."""
    pairs = round_robin(3, seed)
    pairs = pairs.take((pairs.first < BOTS // 2) == (pairs.second < BOTS // 2))  # two groups
    pairs = pairs.take((pairs.first != 4) & (pairs.second != 4))  # and a bot that did not play
    whole, alone = rate(pairs, BOTS), rate_alone(pairs, BOTS)
    assert np.abs(alone.elo - whole.elo).max() < 1e-6
    assert np.array_equal(alone.group, whole.group)
    assert np.array_equal(alone.sets, whole.sets)
    assert sorted(set(whole.group.tolist())) == [-1, 0, BOTS // 2]
    assert len(alone.replicates) == 0


def test_no_ratings_of_nobody() -> None:
    """Without a set nobody is rated, with intervals or without."""
    nothing = round_robin(1).take(np.zeros(BOTS * (BOTS - 1) // 2, np.bool_))
    for ratings_ in (rate(nothing, 3), rate_alone(nothing, 3)):
        assert ratings_.group.tolist() == [-1, -1, -1]
        assert ratings_.elo.tolist() == [1500.0] * 3
