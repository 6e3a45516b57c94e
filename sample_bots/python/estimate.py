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
    """Weights for the logarithm of the odds on taking every trick; none where that hardly ever happened."""
    turned_jack: float = 0.0
    turned_ace: float = 0.0


WEIGHTS = {
    "ghost": Fit(
        (-0.03, 1.20, 0.82, 0.67, 0.58, 0.73, 0.95, 0.24, 0.18, 0.46),
        0.78,
        (-13.11, 1.37, 0.71, 0.70, 0.68, 3.13, 3.47, 0.90, 1.59, 2.70),
    ),
    "bid": Fit(
        (1.48, 0.95, 0.59, 0.51, 0.42, 0.50, 0.59, 0.09, 0.00, 0.33),
        1.11,
        (-5.26, 0.83, 0.45, 0.35, 0.35, 1.00, 1.21, 0.13, 0.01, 0.92),
    ),
    "double": Fit(
        (1.99, 1.23, 0.75, 0.69, 0.60, 0.55, 0.77, 0.09, 0.23, 0.60),
        1.73,
        (-6.31, 0.40, 0.23, 0.30, 0.19, 0.44, 0.46, 0.16, 0.20, 0.68),
    ),
    "ask": Fit(
        (0.74, 1.21, 0.85, 0.74, 0.67, 0.69, 0.83, 0.24, 0.13, 0.20),
        1.05,
        (-8.91, 1.92, 1.41, 1.37, 1.28, 1.80, 2.49, 0.52, 0.52, 0.50),
    ),
    "double lone": Fit(
        (-1.51, 1.60, 1.05, 0.91, 0.76, 0.91, 1.05, 0.33, 0.27, 0.62),
        1.13,
        (),
    ),
    "double ask": Fit(
        (-0.78, 1.63, 1.17, 0.98, 0.90, 0.77, 1.06, 0.28, 0.22, 0.34),
        1.37,
        (),
    ),
    "named": Fit(
        (1.43, 0.81, 0.55, 0.45, 0.33, 0.36, 0.00, 0.06, 0.05, 0.29),
        1.01,
        (-5.42, 1.09, 0.75, 0.66, 0.65, 0.97, 0.00, 0.35, 0.18, 0.72),
    ),
    "lone": Fit(
        (-0.13, 1.12, 0.84, 0.69, 0.56, 0.65, 0.10, 0.18, 0.21, 0.38),
        0.78,
        (-11.36, 1.55, 1.01, 0.97, 0.94, 2.72, 0.00, 0.64, 1.61, 2.16),
    ),
    "order, dealer": Fit(
        (1.32, 0.81, 0.57, 0.47, 0.39, 0.32, 0.20, 0.02, 0.02, 0.29),
        0.98,
        (-6.19, 1.41, 0.91, 0.76, 0.72, 1.04, -0.08, 0.12, 0.12, 0.79),
        0.05,
        0.02,
    ),
    "order, left of dealer": Fit(
        (1.16, 0.85, 0.52, 0.44, 0.30, 0.26, 0.11, 0.02, 0.00, 0.23),
        1.02,
        (-5.99, 0.94, 0.42, 0.34, 0.56, 1.43, 0.00, 0.24, 0.32, 1.25),
        -0.30,
        -0.08,
    ),
    "order, partner deals": Fit(
        (2.22, 0.65, 0.48, 0.36, 0.26, 0.22, 0.13, 0.02, 0.02, 0.18),
        1.08,
        (-3.18, 0.71, 0.60, 0.56, 0.49, 0.51, 0.14, 0.17, 0.15, 0.38),
        0.55,
        0.17,
    ),
    "order, right of dealer": Fit(
        (1.13, 0.77, 0.60, 0.48, 0.32, 0.25, 0.15, 0.06, 0.03, 0.23),
        1.02,
        (-7.19, 1.22, 0.93, 0.83, 0.69, 1.12, 0.00, 0.07, 0.08, 0.75),
        -0.36,
        -0.10,
    ),
    "dummy named": Fit(
        (2.38, 0.87, 0.56, 0.44, 0.36, 0.16, 0.08, 0.00, 0.01, -0.00),
        1.01,
        (-2.89, 1.35, 0.67, 0.60, 0.53, 0.34, 0.96, -0.03, 0.12, 0.06),
    ),
    "dummy, dealer": Fit(
        (2.22, 0.86, 0.57, 0.47, 0.40, 0.16, 0.12, 0.02, 0.03, 0.03),
        1.04,
        (-3.11, 1.56, 0.75, 0.58, 0.58, 0.21, 0.10, -0.01, 0.10, 0.07),
        0.12,
        0.02,
    ),
    "dummy, left of dealer": Fit(
        (1.61, 1.18, 0.74, 0.64, 0.52, 0.18, 0.24, 0.01, 0.03, 0.00),
        1.16,
        (-3.77, 1.66, 0.84, 0.71, 0.66, 0.31, 0.66, 0.05, -0.02, -0.00),
        -0.45,
        -0.05,
    ),
    "dummy, right of dealer": Fit(
        (1.55, 0.99, 0.71, 0.64, 0.47, 0.20, 0.17, -0.00, -0.01, 0.00),
        1.09,
        (-3.07, 0.92, 0.56, 0.49, 0.35, 0.24, -0.58, 0.01, -0.06, 0.06),
        -0.34,
        -0.06,
    ),
    "three alone": Fit(
        (0.07, 1.02, 0.76, 0.65, 0.53, 0.61, 0.06, 0.17, 0.22, 0.43),
        0.76,
        (-11.71, 1.60, 1.16, 1.10, 1.04, 2.85, 0.00, 0.64, 1.58, 2.13),
    ),
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
        return max(self.sweep, tail(count, self.tricks, self.spread))

    def exactly(self, count: int) -> float:
        """The chance of taking just so many."""
        return self.at_least(count) - (self.at_least(count + 1) if count < self.size else 0.0)


def outlook(case: str, hand: Sequence[int], trump: int, pack: Sequence[int], turned: int = -1) -> Outlook:
    """Judge a hand of card codes in the situation that `case`, a key of WEIGHTS, names."""
    fit, counts = WEIGHTS[case], features(hand, trump, pack)
    tricks = sum(weight * count for weight, count in zip(fit.weights, counts, strict=True))
    if turned >= 0:
        tricks += fit.turned_jack * (turned & 7 == JACK) + fit.turned_ace * (turned & 7 == ACE)
    size = TRICKS.get(case, 5)
    if fit.sweep:
        odds = exp(sum(weight * count for weight, count in zip(fit.sweep, counts, strict=True)))
        sweep = odds / (1 + odds)
    else:
        sweep = tail(size, tricks, fit.spread)
    return Outlook(tricks, fit.spread, size, sweep)


def tail(count: int, tricks: float, spread: float) -> float:
    """The chance that a number that is normally distributed about `tricks` rounds to `count` or more."""
    return 0.5 - 0.5 * erf((count - 0.5 - tricks) / (spread * sqrt(2)))
