"""Leagues of known strength, and short ways to write results down."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from league.ratings import SCALE
from league.results import GameResult
from league.tallies import Floats, PairRows

if TYPE_CHECKING:
    from collections.abc import Sequence


def game(text: str, number: int = 0, *, variant: str = "cutthroat", deals: int = 10) -> GameResult:
    """A game from "ann:1:10 bea:2:6" (bot, place, points) in set `number` of the match between those bots."""
    entries = [entry.split(":") for entry in text.split()]
    bots = tuple(name for name, _, _ in entries)
    match = f"test/{variant}/{'-'.join(sorted(bots))}"
    places, points = (tuple(int(entry[column]) for entry in entries) for column in (1, 2))
    return GameResult(match, variant, number, bots, places, points, deals, tuple({} for _ in bots), ())


def random_games(seed: int, bots: Sequence[str], sets: int, *, variant: str = "cutthroat") -> list[GameResult]:
    """Sets of two games of every two bots, the earlier of them a little stronger, with plenty of shared places."""
    random = np.random.default_rng(seed)
    results = []
    for a, b in itertools.combinations(bots, 2):
        for number, _ in itertools.product(range(sets), range(2)):
            mine, other = random.integers(0, 6) + 1, random.integers(0, 6)
            places = f"{a}:{1 + (mine < other)}:{mine} {b}:{1 + (other < mine)}:{other}"
            results.append(game(places, number, variant=variant, deals=int(random.integers(5, 15))))
    return results


def simulate(random: np.random.Generator, elos: Sequence[float], size: int, sets: int, games: int) -> PairRows:
    """A round robin of line-ups of `size` bots that plays `sets` sets of `games` games for each.

    Within one game a bot's performance is its strength plus Gumbel noise, which makes every pair of places follow
    Bradley and Terry exactly. Within one set a part of the noise is common to its games, as the cards are.
    """
    lineups = np.repeat(np.array(list(itertools.combinations(range(len(elos)), size))), sets, axis=0)
    common = random.standard_normal((len(lineups), 1, size))
    own = random.standard_normal((len(lineups), games, size))
    noise = -np.log(-np.log(ndtr(np.sqrt(0.4) * common + np.sqrt(0.6) * own)))
    performance = (np.array(elos) / SCALE)[lineups][:, None, :] + noise
    return _pair_rows(lineups, performance)


def _pair_rows(lineups: np.ndarray, performance: Floats) -> PairRows:
    rows = [
        (number, lineup[i], lineup[j], (performance[number, :, i] > performance[number, :, j]).sum())
        for number, lineup in enumerate(lineups.tolist())
        for i, j in itertools.combinations(range(len(lineup)), 2)
    ]
    sets, first, second, score = np.array(rows, np.int64).T
    games = np.full(len(rows), float(performance.shape[1]))
    return PairRows(sets, first, second, games, score.astype(np.float64), np.zeros(len(rows)), games)
