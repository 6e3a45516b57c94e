"""Ratings: they agree with independent fits, and their intervals cover what they claim."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from league import ratings
from league.estimates import ratio_estimates, share_estimates, student, tail
from league.ratings import MEAN, PRIOR, SCALE, Ratings, rate
from league.tallies import PairRows, tally
from tests.league.simulated_leagues import game, random_games, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.results import GameResult


def rate_games(results: Sequence[GameResult], bots: Sequence[str] = ()) -> tuple[dict[str, int], Ratings]:
    sums = tally(results, bots)
    return {name: index for index, name in enumerate(sums.bots)}, rate(sums.pairs, len(sums.bots))


def win_matrix(pairs: PairRows, bots: int) -> np.ndarray:
    """Sets won by row over column, with the virtual player as the last."""
    wins = np.zeros((bots + 1, bots + 1))
    np.add.at(wins, (pairs.first, pairs.second), pairs.share)
    np.add.at(wins, (pairs.second, pairs.first), 1 - pairs.share)
    wins[:bots, bots] = wins[bots, :bots] = PRIOR
    return wins


def slopes(log_odds: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """Derivative of the log likelihood by each player's log odds."""
    chance = 1 / (1 + np.exp(log_odds[None, :] - log_odds[:, None]))
    return (wins * (1 - chance) - wins.T * chance).sum(axis=1)


@pytest.mark.parametrize(("size", "games"), [(2, 2), (3, 6)])
def test_agrees_with_the_fit_of_another_library(size: int, games: int) -> None:
    """Choix, given the prior as games against one more player, must find the same Elo to less than 0.1."""
    pairs = simulate(np.random.default_rng(1), [-300, -90, 0, 60, 330], size, 4, games)
    other = SCALE * choix.ilsr_pairwise_dense(win_matrix(pairs, 5), tol=1e-12)[:5]
    assert np.abs(rate(pairs, 5, 1).elo - MEAN - (other - other.mean())).max() < 0.1


@pytest.mark.parametrize("sets", [1, 7])
def test_agrees_with_direct_minimisation(sets: int) -> None:
    """Minimising the penalised likelihood itself must find the same Elo to less than 0.1, with an unbeaten bot too."""
    pairs = simulate(np.random.default_rng(2), [-900, 0, 0, 900], 2, sets, 2)
    wins = win_matrix(pairs, 4)

    def loss(x: np.ndarray) -> float:
        log_odds = np.append(x, 0.0)
        return float((wins * np.logaddexp(0, log_odds[None, :] - log_odds[:, None])).sum())

    other = SCALE * optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-7}).x
    assert np.abs(rate(pairs, 4, 1).elo - MEAN - (other - other.mean())).max() < 0.1


def covered(elos: Sequence[float], size: int, sets: int, games: int, leagues: int = 400) -> tuple[float, float]:
    """Share of intervals, of bots and of differences, that contain the truth in so many simulated leagues."""
    random = np.random.default_rng(20)
    truth = np.array(elos) - np.mean(elos) + MEAN
    couples = list(itertools.combinations(range(len(elos)), 2))
    single, double = [], []
    for _ in range(leagues):
        fitted = rate(simulate(random, elos, size, sets, games), len(elos))
        single += [not each.excludes(elo) for each, elo in zip(fitted.estimates(), truth, strict=True)]
        double += [not fitted.difference(a, b).excludes(truth[a] - truth[b]) for a, b in couples]
    return float(np.mean(single)), float(np.mean(double))


@pytest.mark.parametrize(
    ("elos", "size", "sets", "games"),
    [
        pytest.param([-200, -120, -40, 40, 120, 200], 2, 10, 2, id="six bots, pairs"),
        pytest.param([-150, -50, 50, 150], 3, 10, 6, id="four bots, triples"),
        pytest.param([-450, -150, 150, 450], 2, 20, 2, id="four bots far apart"),
    ],
)
def test_intervals_cover_the_truth(elos: list[float], size: int, sets: int, games: int) -> None:
    """Over 400 leagues of known strength 93 to 97 % of the 95 % intervals must contain the true value."""
    single, double = covered(elos, size, sets, games)
    assert 0.93 <= single <= 0.97
    assert 0.93 <= double <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize(
    ("elos", "size", "sets", "games", "most"),
    [
        pytest.param([-100, 100], 2, 3, 2, 1.0, id="two bots, three sets"),
        pytest.param([-100, 100], 2, 10, 2, 0.97, id="two bots, ten sets"),
        pytest.param([-100, 100], 2, 40, 2, 0.97, id="two bots, forty sets"),
        pytest.param([-100, 100], 2, 40, 1, 0.97, id="two bots, forty single games"),
        pytest.param([-150, -50, 50, 150], 2, 3, 2, 0.99, id="four bots, three sets a pair"),
        pytest.param([-100, 0, 100], 3, 10, 6, 0.97, id="three bots, ten sets"),
        pytest.param([-200, -100, 0, 100, 200], 3, 4, 6, 0.97, id="five bots, triples"),
        pytest.param([0, 0, 0, 0], 2, 20, 2, 0.97, id="four equal bots"),
        pytest.param([-150, -50, 50, 150], 2, 200, 2, 0.97, id="four bots, many sets"),
    ],
)
def test_intervals_cover_the_truth_in_other_leagues(elos: list[float], size: int, sets: int, games: int, most: float) -> None:
    """Coverage must hold over 1,000 leagues of other shapes, and where sets are few err on the wide side only."""
    single, double = covered(elos, size, sets, games, 1000)
    print(f"{single:.1%} {double:.1%}")
    assert 0.93 <= single <= most
    assert 0.93 <= double <= most


def test_games_within_a_set_are_no_new_evidence() -> None:
    """Every game played twice within its set must change nothing; every set played twice must narrow the intervals."""
    once = random_games(3, ["ann", "bea", "cid"], 8)
    _, first = rate_games(once)
    _, within = rate_games([*once, *once])
    again = [game_of(result, result.set + 100) for result in once]
    _, apart = rate_games([*once, *again])
    assert first.estimates() == within.estimates()
    for single, double in zip(first.estimates(), apart.estimates(), strict=True):
        assert 0.6 < double.half_width / single.half_width < 0.8


def game_of(result: GameResult, number: int) -> GameResult:
    """The same game in another set."""
    return type(result)(
        result.match,
        result.variant,
        number,
        result.bots,
        result.places,
        result.points,
        result.deals,
        result.faults,
        result.forfeits,
    )


def test_mirrored_pair_of_games_is_one_observation() -> None:
    """Sets that always split must give narrower intervals than the same games taken as independent sets."""
    games = [("ann:1:10 bea:2:5", number) for number in range(20)] + [("ann:2:5 bea:1:10", number) for number in range(20)]
    _, paired = rate_games([game(text, number) for text, number in games])
    _, single = rate_games([game(text, 2 * number + k // 20) for k, (text, number) in enumerate(games)])
    assert paired.estimates()[0].half_width < 0.5 * single.estimates()[0].half_width


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_order_of_results_changes_nothing(data: st.DataObject) -> None:
    """Any order of finishing must give the same ratings and intervals, to the last bit."""
    results = random_games(4, ["ann", "bea", "cid"], 3) + random_games(5, ["bea", "dan"], 2, variant="turn-up")
    _, one = rate_games(results)
    _, other = rate_games(data.draw(st.permutations(results)))
    assert np.array_equal(one.elo, other.elo)
    assert np.array_equal(one.replicates, other.replicates)


outcomes = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("ghijab"), st.sampled_from([-1, 0, 1]), st.integers(1, 40)),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(outcomes)
def test_any_league_has_finite_ratings_at_the_top_of_the_likelihood(rows: list[tuple[str, str, int, int]]) -> None:
    """Lopsided, split or empty: ratings are finite, average 1500 in each group, solve the fit and lie in their interval."""
    results = [
        game(f"{a}:{1 + (sign < 0)}:0 {b}:{1 + (sign > 0)}:0", number)
        for a, b, sign, repeats in rows
        if a != b
        for number in range(repeats)
    ]
    names, fitted = rate_games(results, ["zoe"])
    assert np.isfinite(fitted.replicates).all()
    for group in set(fitted.group.tolist()) - {-1}:
        assert fitted.elo[fitted.group == group].mean() == pytest.approx(MEAN)
        assert fitted.replicates[:, fitted.group == group].mean(axis=1) == pytest.approx(MEAN)
    for estimate in filter(None, fitted.estimates()):
        assert estimate.low <= estimate.value <= estimate.high
    assert fitted.estimates()[names["zoe"]] is None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1, 30, 1000]), st.floats(0.01, 3.0), st.floats(0.01, 3.0))
def test_newton_reaches_the_top_from_anywhere(seed: int, sets: int, won: float, lost: float) -> None:
    """Whatever the start, the slope of the likelihood must vanish where Newton's method stops."""
    random = np.random.default_rng(seed)
    matrix = np.triu(random.integers(-1, 2, (5, 5)), 1)
    first, second = np.nonzero(matrix)
    if not len(first):
        return
    wins = (matrix[first, second] > 0) * float(sets)
    kinds = np.arange(len(first))
    evidence = ratings._Evidence(5, np.ones(len(first)), kinds, wins / sets, kinds, first, second)
    weights = ratings._Weights(wins[None], sets - wins[None], np.full((1, 5), won), np.full((1, 5), lost))
    theta = ratings._newton(evidence, weights, random.normal(0, 6, (1, 5)), 1e-4)
    table = np.zeros((6, 6))
    table[first, second], table[second, first] = wins, sets - wins
    table[:5, 5], table[5, :5] = won, lost
    assert np.abs(slopes(np.append(theta[0], 0.0), table)).max() < 1e-4 * sets


def test_unbeaten_bot_has_a_rating_and_a_wide_interval() -> None:
    """All wins must give a finite rating that grows with the wins, and an interval that does not collapse."""
    short = rate_games([game("ann:1:10 bea:2:0", number) for number in range(3)])[1].estimates()[0]
    long = rate_games([game("ann:1:10 bea:2:0", number) for number in range(30)])[1].estimates()[0]
    assert MEAN < short.value < long.value < 2200
    assert short.half_width > 150
    assert long.low > MEAN + 100


def test_one_game_says_little() -> None:
    """A single game must leave the two bots' intervals wide and the bots not separated."""
    names, fitted = rate_games([game("ann:1:10 bea:2:3")])
    assert fitted.elo[names["ann"]] - fitted.elo[names["bea"]] == pytest.approx(2 * (fitted.elo[names["ann"]] - MEAN))
    assert all(estimate.half_width > 200 for estimate in fitted.estimates())
    assert not fitted.separated(names["ann"], names["bea"])


def test_everything_tied() -> None:
    """Shared places throughout must put everybody on 1500 with a small, not empty, interval."""
    _, fitted = rate_games([game("ann:1:5 bea:1:5 cid:1:5", number) for number in range(10)])
    assert fitted.elo == pytest.approx(np.full(3, MEAN))
    assert all(5 < estimate.half_width < 100 for estimate in fitted.estimates())


def test_bots_without_a_link_are_not_compared() -> None:
    """Two groups that never met are each centred on 1500, and no difference across them is offered."""
    results = random_games(6, ["ann", "bea"], 9) + random_games(7, ["cid", "dan"], 9)
    names, fitted = rate_games(results, ["eve"])
    assert fitted.elo[names["ann"]] + fitted.elo[names["bea"]] == pytest.approx(2 * MEAN)
    assert fitted.difference(names["ann"], names["bea"]) is not None
    assert fitted.difference(names["ann"], names["cid"]) is None
    assert fitted.difference(names["eve"], names["eve"]) is None
    assert not fitted.separated(names["ann"], names["dan"])


def test_no_games_at_all() -> None:
    """A league of bots without a game must give neither an error nor a rating; so must one without bots."""
    _, fitted = rate_games([], ["ann", "bea"])
    assert fitted.estimates() == [None, None]
    assert rate_games([])[1].estimates() == []


def test_difference_turns_with_its_bots() -> None:
    """B minus a must be a minus b with the sign and the limits turned, and clear strength must separate."""
    fitted = rate(simulate(np.random.default_rng(8), [-150, 150, 0], 2, 40, 2), 3)
    one, other = fitted.difference(0, 1), fitted.difference(1, 0)
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))
    assert fitted.separated(0, 1)
    assert not fitted.separated(2, 2)


def test_equal_sets_are_gathered_without_a_trace() -> None:
    """A thousand equal sets must count as a thousand sets."""
    pairs = simulate(np.random.default_rng(9), [-100, 0, 100], 3, 1000, 1)
    fitted = rate(pairs, 3)
    assert list(fitted.sets) == [1000] * 3
    assert len(ratings._collapse(pairs, np.arange(3)).times) == 6
    assert all(5 < estimate.half_width < 25 for estimate in fitted.estimates())


def test_quantiles_of_student() -> None:
    """The quantiles of Student's t must agree with scipy's to 1 %, and refuse no degrees of freedom."""
    for freedom in (1, 2, 3, 4, 7, 20, 1000):
        assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=0.01)
    with pytest.raises(ValueError, match="at least 1"):
        student(0)


def test_tail_level_approaches_the_nominal_one() -> None:
    """Few sets must push the limits outwards, many must leave them at 2.5 %."""
    levels = [tail(sets) for sets in (1, 2, 5, 20, 10**6)]
    assert levels[0] == 0
    assert levels == sorted(levels)
    assert levels[-1] == pytest.approx(0.025, abs=1e-5)


def test_ratio_interval_is_the_jackknife() -> None:
    """The interval of a ratio must be what leaving out one set at a time gives, written out with a loop."""
    random = np.random.default_rng(10)
    above, below = random.normal(2, 3, 12), random.integers(5, 20, 12).astype(float)
    left_out = np.array([np.delete(above, i).sum() / np.delete(below, i).sum() for i in range(12)])
    error = np.sqrt(11 / 12 * ((left_out - left_out.mean()) ** 2).sum())
    estimate = ratio_estimates(np.zeros(12, np.int64), above, below, 1)[0]
    assert estimate.value == pytest.approx(above.sum() / below.sum())
    assert estimate.half_width == pytest.approx(stats.t.ppf(0.975, 11) * error, rel=1e-3)


def test_share_intervals_cover_the_truth() -> None:
    """The interval of a share of games must contain the truth 93 to 98 % of the time, with games of a set alike."""
    random = np.random.default_rng(11)
    common, own = random.standard_normal((4000, 30, 1)), random.standard_normal((4000, 30, 2))
    shares = (stats.norm.cdf(np.sqrt(0.3) * common + np.sqrt(0.7) * own) < 0.7).mean(axis=2).ravel()
    estimates = share_estimates(np.repeat(np.arange(4000), 30), shares, 4000)
    assert 0.93 < np.mean([not estimate.excludes(0.7) for estimate in estimates]) < 0.98
