"""How many tricks a hand should take, and how likely it is to take so many: linear formulas, fitted by simulation.

`tools/fit_bids.py` deals hands at random, has them played out (playout.py) and fits what is in WEIGHTS.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, exp, sqrt

from sample_bots.python.playout import RANKINGS

JACK, ACE = 4, 7
"""Ranks, as a card's code has them in its last three bits."""
FEATURES = ("const", "t0", "t1", "t2", "t3", "ace", "long ace", "second", "bare second", "void")
"""Trumps by how many higher ones are missing (in a double deck: pairs of them), plain suits by what heads them, voids."""


def features(hand: Sequence[int], trump: int, pack: Sequence[int]) -> list[float]:
    """Count what FEATURES names in a hand of card codes."""
    ranking = RANKINGS[trump]
    held = ranking.mask(hand)
    rest = ranking.mask(pack) ^ held
    copies = 2 if len(pack) > 40 else 1
    found = dict.fromkeys(FEATURES, 0.0)
    found["const"] = 1.0
    for suit in range(4):
        own = held & ranking.suits[suit]
        out = rest & ranking.suits[suit]
        missing: list[int] = []
        while own:
            top = own.bit_length()
            missing.append((out >> top).bit_count() // copies)
            own ^= 1 << top - 1
        if suit == trump:
            for above in missing:
                found[f"t{min(above, 3)}"] += 1
        elif missing:
            _head(found, missing)
        else:
            found["void"] += 1
    found["void"] *= bool(held & ranking.trumps)
    return list(found.values())


def _head(found: dict[str, float], missing: list[int]) -> None:
    """Count what heads a plain suit: its ace, or its best card but one, guarded or bare."""
    if missing[0] == 0:
        found["ace" if len(missing) < 3 else "long ace"] += 1
        found["second"] += len(missing) > 1 and missing[1] == 0
    elif missing[0] == 1:
        found["bare second" if len(missing) == 1 else "second"] += 1


@dataclass(frozen=True)
class Fit:
    """What one situation gave: weights for FEATURES, the spread, and what a turned jack or ace adds."""

    weights: tuple[float, ...]
    spread: float
    """Standard deviation of the tricks about the estimate."""
    sweep: tuple[float, ...]
    """Weights for the logarithm of the odds on taking every trick, where the estimate is too hopeful."""
    turned_jack: float = 0.0
    turned_ace: float = 0.0


WEIGHTS = {
    "ghost": Fit((-0.06, 1.21, 0.83, 0.69, 0.60, 0.73, 1.01, 0.25, 0.19, 0.44), 0.78, (-3.0,) + (0.0,) * 9),
    "bid": Fit((1.51, 0.95, 0.58, 0.50, 0.41, 0.49, 0.62, 0.10, -0.01, 0.33), 1.11, (-3.0,) + (0.0,) * 9),
    "double": Fit((2.12, 1.21, 0.73, 0.67, 0.58, 0.54, 0.74, 0.08, 0.25, 0.61), 1.72, (-3.0,) + (0.0,) * 9),
    "ask": Fit((0.73, 1.22, 0.86, 0.74, 0.68, 0.69, 0.88, 0.24, 0.13, 0.18), 1.05, (-3.0,) + (0.0,) * 9),
    "double lone": Fit((-1.70, 1.62, 1.09, 0.92, 0.78, 0.93, 1.08, 0.35, 0.29, 0.64), 1.13, (-3.0,) + (0.0,) * 9),
    "double ask": Fit((-0.92, 1.65, 1.20, 0.99, 0.91, 0.79, 1.08, 0.31, 0.19, 0.38), 1.36, (-3.0,) + (0.0,) * 9),
    "named": Fit((1.43, 0.81, 0.54, 0.44, 0.33, 0.36, 0.32, 0.07, 0.05, 0.29), 1.02, (-3.0,) + (0.0,) * 9),
    "lone": Fit((-0.17, 1.14, 0.85, 0.71, 0.58, 0.65, 1.07, 0.18, 0.21, 0.38), 0.78, (-3.0,) + (0.0,) * 9),
    "order, dealer": Fit((1.35, 0.81, 0.57, 0.47, 0.38, 0.32, 0.21, 0.02, 0.01, 0.28), 0.98, (-3.0,) + (0.0,) * 9, 0.03, 0.01),
    "order, left of dealer": Fit(
        (1.16, 0.85, 0.52, 0.45, 0.30, 0.26, 0.13, 0.02, 0.00, 0.23), 1.02, (-3.0,) + (0.0,) * 9, -0.31, -0.09
    ),
    "order, partner deals": Fit(
        (2.23, 0.65, 0.48, 0.36, 0.26, 0.22, 0.11, 0.02, 0.01, 0.18), 1.08, (-3.0,) + (0.0,) * 9, 0.55, 0.17
    ),
    "order, right of dealer": Fit(
        (1.14, 0.78, 0.60, 0.47, 0.32, 0.26, 0.16, 0.05, 0.02, 0.22), 1.03, (-3.0,) + (0.0,) * 9, -0.37, -0.11
    ),
    "dummy named": Fit((2.42, 0.85, 0.53, 0.42, 0.34, 0.17, 0.20, -0.02, 0.01, 0.01), 1.02, (-3.0,) + (0.0,) * 9),
    "dummy, dealer": Fit((2.24, 0.86, 0.57, 0.47, 0.40, 0.15, 0.11, 0.01, 0.03, 0.02), 1.04, (-3.0,) + (0.0,) * 9, 0.11, 0.01),
    "dummy, left of dealer": Fit(
        (1.65, 1.18, 0.73, 0.63, 0.52, 0.17, 0.22, -0.00, 0.01, -0.00), 1.16, (-3.0,) + (0.0,) * 9, -0.46, -0.05
    ),
    "dummy, right of dealer": Fit(
        (1.55, 0.99, 0.71, 0.63, 0.47, 0.19, 0.17, -0.00, -0.01, 0.01), 1.09, (-3.0,) + (0.0,) * 9, -0.34, -0.06
    ),
    "three alone": Fit((0.02, 1.04, 0.79, 0.67, 0.55, 0.62, 0.58, 0.19, 0.21, 0.41), 0.76, (-3.0,) + (0.0,) * 9),
}


TRICKS = {"ghost": 6, "bid": 6, "ask": 6, "double": 12, "double lone": 12, "double ask": 12}
"""How many tricks there are, where they are not five."""


@dataclass(frozen=True)
class Outlook:
    """What a hand is good for in one situation: tricks about normally distributed, but for the chance of all."""

    tricks: float
    spread: float
    size: int
    """How many tricks there are."""
    sweep: float
    """The chance of taking all of them."""

    def at_least(self, count: int) -> float:
        """The chance of taking `count` tricks or more."""
        if count <= 0:
            return 1.0
        if count >= self.size:
            return self.sweep
        return max(self.sweep, 0.5 - 0.5 * erf((count - 0.5 - self.tricks) / (self.spread * sqrt(2))))

    def exactly(self, count: int) -> float:
        """The chance of taking just so many."""
        return self.at_least(count) - (self.at_least(count + 1) if count < self.size else 0.0)


def outlook(case: str, hand: Sequence[int], trump: int, pack: Sequence[int], turned: int = -1) -> Outlook:
    """Judge a hand of card codes in the situation that `case`, a key of WEIGHTS, names."""
    fit, counts = WEIGHTS[case], features(hand, trump, pack)
    tricks = sum(weight * count for weight, count in zip(fit.weights, counts, strict=True))
    if turned >= 0:
        tricks += fit.turned_jack * (turned & 7 == JACK) + fit.turned_ace * (turned & 7 == ACE)
    odds = exp(sum(weight * count for weight, count in zip(fit.sweep, counts, strict=True)))
    return Outlook(tricks, fit.spread, TRICKS.get(case, 5), odds / (1 + odds))
