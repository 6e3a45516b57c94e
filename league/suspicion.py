"""Whether the bots of one worker are late beyond chance: a permutation test against the other workers. Pure.

The unit is the *attempt* at a match, not the game and not the decision: the sets of a match are played at once by the same
processes, so that one hiccup makes a dozen games late together. For each bot of an attempt it counts whether the bot was late
(or out of bank) at all. A slow bot is late everywhere, so each bot is compared with itself: an attempt scores the sum over its
bots of

    late (0 or 1) - the share of all attempts with this bot, of all workers, in which it was late

and a worker the sum over its attempts. Which worker got which match is chance. Were all of them alike, any way to deal the
attempts of one variant of a league out to the workers would therefore be as likely as the one that happened; the p-value is the
share of such ways (drawn at random, the real one among them) in which the worker scores at least as much. That is exact
whatever makes bots late, and however the bots of an attempt depend on each other (Phipson and Smyth 2010, "Permutation
p-values should never be zero", for the share).

A worker is looked at after 5, 10 and 20 attempts; then these are done with and the next 20 begin, so that one that was good for
months and turns bad is found as soon as another. `FALSE_ALARMS` is shared out evenly among the three looks and the workers there
are (Bonferroni): it bounds the chance that, while each of some equally good workers plays 20 attempts, any of them is accused.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.model import Trial
    from league.tallies import Floats

FALSE_ALARMS = 0.001
LOOKS = (5, 10, 20)
"""Attempts of a worker at which it is looked at."""
LEAST = 3
"""Late bots below which no worker is accused."""
RATIO = 2.0
"""A worker whose bots are late less than so many times as often as elsewhere is not accused, however certain the difference."""
MOST = 300
"""Attempts of other workers, the latest, with which those in hand are compared."""
_GLANCE = 1000  # draws that let most workers go
_CHUNK = 1_000_000  # numbers drawn at a time


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a look at a worker came to."""

    attempts: int
    others: int
    """Attempts of other workers that it was compared with."""
    late: int
    """Bots that were late, summed over its attempts."""
    expected: float
    """As many as would have been late at the other workers' rates of the same bots."""
    p: float
    """Chance of at least so bad a score if all workers are alike; 1 where there is nothing to compare or to accuse."""
    limit: float
    """The p below which it is accused."""

    @property
    def guilty(self) -> bool:
        """Whether this is beyond chance."""
        return self.p <= self.limit

    def __str__(self) -> str:
        return (
            f"bots were late {self.late} times in {self.attempts} attempts at matches; {self.others} attempts of other workers "
            f"let {self.expected:.1f} times be expected (p = {self.p:.1g}, limit {self.limit:.1g})"
        )


def due(attempts: int, looks: int) -> bool:
    """Whether a worker with so many attempts in hand, looked at so many times, is to be looked at again."""
    return looks < len(LOOKS) and attempts >= LOOKS[looks]


def judge(own: Sequence[Trial], others: Sequence[Trial], workers: int, *, alarms: float = FALSE_ALARMS, seed: int = 0) -> Verdict:
    """Look at a worker.

    Args:
        own: Its attempts in hand.
        others: Attempts of other workers from the same time; the latest `MOST` are used.
        workers: Number of workers that are looked at, this one included.
        alarms: Share of rounds of looks with a false alarm.
        seed: Of the drawing.
    """
    strata = {trial.stratum for trial in own}
    others = [trial for trial in others if trial.stratum in strata][-MOST:]
    late, expected = sum(trial.late for trial in own), _expected(own, others)
    limit = alarms / len(LOOKS) / max(1, workers)
    hopeless = not others or late < LEAST or late < RATIO * expected
    p = 1.0 if hopeless else _p(own, others, limit, np.random.default_rng(seed))
    return Verdict(len(own), len(others), late, expected, p, limit)


def _expected(own: Sequence[Trial], others: Sequence[Trial]) -> float:
    """Late bots among `own` at the rates of `others`; a bot that nobody else has played counts as never late."""
    rates = _rates(others)
    return sum(rates.get((trial.stratum, bot), 0.0) for trial in own for bot, _ in trial.bots)


def _rates(trials: Sequence[Trial]) -> dict[tuple[int, int], float]:
    seen: dict[tuple[int, int], list[bool]] = defaultdict(list)
    for trial in trials:
        for bot, late in trial.bots:
            seen[trial.stratum, bot].append(late)
    return {key: sum(values) / len(values) for key, values in seen.items()}


def _p(own: Sequence[Trial], others: Sequence[Trial], limit: float, chance: np.random.Generator) -> float:
    """The p-value. Whoever is clearly no outlier is let go after a few draws; to accuse takes all of them, drawn afresh."""
    glance = _share(own, others, _GLANCE, chance)
    return glance if glance > max(3 / _GLANCE, limit) else _share(own, others, math.ceil(3 / limit), chance)


def _share(own: Sequence[Trial], others: Sequence[Trial], draws: int, chance: np.random.Generator) -> float:
    """Share of random dealings of all attempts, within each stratum, in which as many as `own` score at least as much."""
    rates = _rates([*own, *others])

    def score(trial: Trial) -> float:
        return trial.late - sum(rates[trial.stratum, bot] for bot, _ in trial.bots)

    strata = sorted({trial.stratum for trial in own})
    drawn = np.zeros(draws)
    for stratum in strata:
        mine = sum(trial.stratum == stratum for trial in own)
        scores = np.array([score(trial) for trial in [*own, *others] if trial.stratum == stratum])
        drawn += _sums(scores, mine, draws, chance)
    reached = sum(map(score, own))
    return (1 + int((drawn >= reached - 1e-9).sum())) / (1 + draws)


def _sums(scores: Floats, size: int, draws: int, chance: np.random.Generator) -> Floats:
    """Sums of `size` of the scores, drawn without putting back, `draws` times."""
    step = max(1, _CHUNK // len(scores))
    parts = []
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        order = chance.random((rows, len(scores)), dtype=np.float32).argpartition(size - 1, axis=1)[:, :size]
        parts.append(scores[order].sum(axis=1))
    return np.concatenate(parts)
