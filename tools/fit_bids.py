"""Fit the sample bots' estimates of tricks (sample_bots/python/estimate.py) by simulation, and print them to be pasted.

python tools/fit_bids.py [DEALS [CASE ...]]
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sample_bots.python.estimate import FEATURES, features
from sample_bots.python.playout import RANKINGS, Playout

JACK, KING, ACE = 4, 6, 7
SINGLE = tuple(suit * 8 + rank for suit in range(4) for rank in range(2, 8))
DOUBLE = tuple(card for card in SINGLE for _ in range(2))
RIDGE = 20.0
ENOUGH = 50
"""Sweeps without which their chance is not fitted."""
STRONG = {5: 0.72, 6: 0.72, 12: 0.6}
"""The share of the tricks that a hand must promise to be among the strong ones, by hand size."""
Array: TypeAlias = NDArray[np.float64]
SIDES = {3: (0, 1, 2), 4: (0, 1, 0, 1)}
# Who plays after each seat; in LONE seat 2 sits out.
THREE, FOUR, LONE = (1, 2, 0), (1, 2, 3, 0), (1, 3, 3, 0)


@dataclass(frozen=True)
class Case:
    """A situation of seat 0, who is the maker."""

    name: str
    pack: tuple[int, ...]
    size: int
    following: tuple[int, ...]
    prepare: Callable[["Dealt"], None] = lambda dealt: None
    ordered: bool = False
    """Whether the turned card, the first of the stock, makes trump."""
    leaders: tuple[int, ...] = (0,)
    """Who may lead, one of them at random: it was found to make no difference to the maker's tricks."""


@dataclass
class Dealt:
    """The cards of one simulated deal."""

    hands: list[list[int]]
    stock: list[int]
    trump: int
    leader: int
    judged: list[int]
    """What seat 0 sees when it decides."""
    turned: int


def likely_trump(hand: list[int], rng: Random) -> int:
    """A suit in which the hand might be played: mostly the best, at times another."""
    return max(range(4), key=lambda suit: sum(1 + card / 60 for card in trumps_of(hand, suit)) + 2 * rng.random())


def trumps_of(hand: list[int], trump: int) -> list[int]:
    """The trumps of a hand, as their places in the ranking, low to high."""
    ranking = RANKINGS[trump]
    places = [ranking.place[card] for card in hand]
    return sorted(place for place in places if ranking.trumps >> place & 1)


def value(card: int, trump: int, hand: list[int]) -> float:
    """What a card is worth keeping: trumps, then aces, guarded kings, and nothing that could make a void."""
    ranking = RANKINGS[trump]
    place = ranking.place[card]
    if ranking.trumps >> place & 1:
        return 100.0 + place
    rank = card & 7
    suit = ranking.follow[1 << place]
    mates = sum(suit >> ranking.place[other] & 1 for other in hand) - 1
    return 9.0 if rank == ACE else rank / 2 + (1.5 if mates else 0.0) + (2.0 if rank == KING and mates else 0.0)


def keep(hand: list[int], size: int, trump: int) -> list[int]:
    """Throw away the least valuable cards, one after another."""
    hand = list(hand)
    while len(hand) > size:
        hand.remove(min(hand, key=lambda card: value(card, trump, hand)))
    return hand


def take_dummy(dealt: Dealt) -> None:
    """The maker keeps five of his own and the dummy's cards (C5)."""
    dealt.hands[0] = keep(dealt.hands[0] + dealt.stock[1:6], 5, dealt.trump)


def ask(dealt: Dealt) -> None:
    """The maker exchanges a card for his partner's best trump (B5)."""
    ranking = RANKINGS[dealt.trump]
    trumps = [card for card in dealt.hands[2] if ranking.trumps >> ranking.place[card] & 1]
    if trumps:
        best = max(trumps, key=ranking.place.__getitem__)
        dealt.hands[0] = [*keep(dealt.hands[0], len(dealt.hands[0]) - 1, dealt.trump), best]
    dealt.hands[2] = []


def sit_out(dealt: Dealt) -> None:
    """The maker's partner sits out."""
    dealt.hands[2] = []


def pick_up(dealer: int) -> Callable[[Dealt], None]:
    """The turned card makes trump and goes to the dealer, who discards."""

    def prepare(dealt: Dealt) -> None:
        hand = [*dealt.hands[dealer], dealt.stock[0]]
        dealt.hands[dealer] = keep(hand, len(hand) - 1, dealt.trump)
        if dealer == 0:
            dealt.judged = dealt.hands[0]

    return prepare


def then(*steps: Callable[[Dealt], None]) -> Callable[[Dealt], None]:
    """One after another."""

    def prepare(dealt: Dealt) -> None:
        for step in steps:
            step(dealt)

    return prepare


CASES = (
    Case("ghost", SINGLE, 6, THREE),
    Case("bid", SINGLE, 6, FOUR),
    Case("double", DOUBLE, 12, FOUR),
    Case("ask", SINGLE, 6, LONE, ask),
    Case("double lone", DOUBLE, 12, LONE, sit_out),
    Case("double ask", DOUBLE, 12, LONE, ask),
    Case("named", SINGLE, 5, FOUR, leaders=(0, 1, 2, 3)),
    Case("lone", SINGLE, 5, LONE, sit_out, leaders=(0, 1, 3)),
    Case("order, dealer", SINGLE, 5, FOUR, pick_up(0), ordered=True, leaders=(1,)),
    Case("order, left of dealer", SINGLE, 5, FOUR, pick_up(3), ordered=True, leaders=(0,)),
    Case("order, partner deals", SINGLE, 5, FOUR, pick_up(2), ordered=True, leaders=(3,)),
    Case("order, right of dealer", SINGLE, 5, FOUR, pick_up(1), ordered=True, leaders=(2,)),
    Case("dummy named", SINGLE, 5, THREE, take_dummy, leaders=(0, 1, 2)),
    Case("dummy, dealer", SINGLE, 5, THREE, then(pick_up(0), take_dummy), ordered=True, leaders=(1,)),
    Case("dummy, left of dealer", SINGLE, 5, THREE, then(pick_up(2), take_dummy), ordered=True, leaders=(0,)),
    Case("dummy, right of dealer", SINGLE, 5, THREE, then(pick_up(1), take_dummy), ordered=True, leaders=(2,)),
    Case("three alone", SINGLE, 5, THREE, leaders=(1,)),
)


def deal(case: Case, rng: Random) -> Dealt:
    """One random deal of a case, ready to be played."""
    cards = rng.sample(case.pack, len(case.pack))
    seats = len(case.following)
    hands = [cards[seat * case.size : (seat + 1) * case.size] for seat in range(seats)]
    stock = cards[seats * case.size :]
    trump = stock[0] >> 3 if case.ordered else likely_trump(hands[0], rng)
    return Dealt(hands, stock, trump, rng.choice(case.leaders), list(hands[0]), stock[0] if stock else -1)


def sample(case: Case, rng: Random, wanted: Array | None = None) -> tuple[list[float], int]:
    """Features of what seat 0 saw, and the tricks that its side took.

    With `wanted`, weights of an estimate, a hand that is not nearly worth all the tricks is not played: -1 tricks.
    """
    dealt = deal(case, rng)
    case.prepare(dealt)
    row = features(dealt.judged, dealt.trump, case.pack)
    if case.ordered:
        turned = dealt.turned & 7
        row += [float(turned == JACK), float(turned == ACE)]
    if wanted is not None and float(np.dot(row, wanted)) < case.size * STRONG[case.size]:
        return row, -1
    side = SIDES[len(case.following)]
    tricks = [0] * len(side)
    ranking = RANKINGS[dealt.trump]
    hands = [ranking.mask(hand) for hand in dealt.hands]
    Playout(ranking, case.following, side, 0).finish(hands, dealt.leader, (), tricks)
    return row, sum(count for seat, count in enumerate(tricks) if side[seat] == 0)


def fit(case: Case, deals: int) -> None:
    """Simulate, fit and print one case: the tricks from deals at large, the sweep from strong hands only."""
    rng = Random(case.name)
    found = [sample(case, rng) for _ in range(deals)]
    x, y = np.array([row for row, _ in found]), np.array([tricks for _, tricks in found])
    weights = least_squares(x, y)
    spread = float((y - x @ weights).std())
    rows, swept = strong(case, rng, weights, deals // 4)
    sweep = f"({listed(logistic(rows, swept))})" if swept.sum() >= ENOUGH else "()"
    turned = "".join(f", {weight:.2f}" for weight in weights[len(FEATURES) :])
    print(f'    "{case.name}": Fit(({listed(weights)}), {spread:.2f}, {sweep}{turned}),', flush=True)


def strong(case: Case, rng: Random, weights: Array, deals: int) -> tuple[Array, Array]:
    """Hands that come near to taking every trick, and whether they did."""
    rows: list[list[float]] = []
    swept: list[bool] = []
    while len(rows) < deals:
        row, tricks = sample(case, rng, weights)
        if tricks >= 0:
            rows.append(row[: len(FEATURES)])
            swept.append(tricks == case.size)
    return np.array(rows), np.array(swept, dtype=float)


def least_squares(x: Array, y: Array) -> Array:
    """Linear weights, drawn a little towards 0 so that what is rare gets no wild weight."""
    return np.asarray(np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y))


def logistic(x: Array, y: Array) -> Array:
    """Weights whose sum is the logarithm of the odds, likewise drawn towards 0; by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - chance) - weights
        weights += np.linalg.solve((x * (chance * (1 - chance))[:, None]).T @ x + np.eye(x.shape[1]), slope)
    return weights


def listed(weights: Array) -> str:
    """Weights as source text."""
    return ", ".join(f"{weight:.2f}" for weight in weights[: len(FEATURES)])


def main() -> None:
    """Fit every case, or those that are named."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 24000
    for case in CASES:
        if case.name in sys.argv[2:] or not sys.argv[2:]:
            fit(case, deals)


if __name__ == "__main__":
    main()
