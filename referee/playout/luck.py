"""What the cards of a deal were worth to each side, by two measures that know the cards and nobody's play.

One is how the deal goes between players who move at random, the other how strong the best hand of a side is. Between honest deals
the sides change places, so that the mean of what a side has more than the others is nothing, whoever plays. That makes both
control variates: what is taken off for good cards is given back, in the long run, for bad ones.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from referee.playout.run import CHUNK, playout
from referee.rules import Rules
from referee.rules.cards import JOKER, bits
from referee.rules.tricks import STRENGTH, SUIT_OF
from referee.shuffle import shuffled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from referee.rules import Deal

    Floats = NDArray[np.float64]

TIMES: Final = 128
"""How often a deal is played at random. More would bring its mean little closer to how real players fare."""
MEASURES: Final = 2
_TOGETHER: Final = 8
_REFERENCE: Final = 1 << 17
"""Honest deals behind the mean that is taken off."""
_TRUMP, _STEP, _ACE = 0.7, 0.13, 0.8
"""Tricks that the lowest trump, each rank above it, and the best card of another suit are good for, about."""

Game = tuple[int, "Sequence[int]", int, int]
"""Set, seating, first dealer and number of deals of a game."""


def luck_of_games(rules: Rules, key: bytes, games: Sequence[Game]) -> Floats:
    """What each bot's cards were worth above those of the others, over all deals of each game: [game, line-up index, measure].

    Follows from the match's key: whoever has a record can work it out again, whatever part of the match's games it has.
    """
    longest: dict[tuple[int, int], int] = {}
    for number, _, dealer, deals in games:
        longest[number, dealer] = max(deals, longest.get((number, dealer), 0))
    of_set = {place: np.cumsum(_of_set(rules, key, *place, deals), axis=0) for place, deals in longest.items()}
    found = [_by_bot(rules, seating, of_set[number, dealer], deals) for number, seating, dealer, deals in games]
    return np.array(found).reshape(-1, rules.sides, MEASURES)


def _of_set(rules: Rules, key: bytes, number: int, first: int, deals: int) -> Floats:
    packs = [shuffled(key, number, deal, rules.pack) for deal in range(deals)]
    return luck(rules, packs, [(first + deal) % rules.seats for deal in range(deals)], key + number.to_bytes(8, "big"))


def _by_bot(rules: Rules, seating: Sequence[int], so_far: Floats, deals: int) -> Floats:
    """The sum over the first deals, by line-up index and measure, from sums by side (deals, sides, measures)."""
    side = {bot: rules.side(seat) for seat, bot in enumerate(seating)}
    found: Floats = so_far[deals - 1, [side[bot] for bot in range(rules.sides)]] if deals else np.zeros((rules.sides, MEASURES))
    return found


def luck(rules: Rules, packs: Sequence[Sequence[int]], dealers: Sequence[int], seed: bytes) -> Floats:
    """What the cards of each deal were worth to a side above the mean of the others: [deal, side, measure].

    The first measure is in points: each deal is played 128 times from its start by uniformly random legal moves, and the mean
    of honest deals by the same dealer is taken off. The second is in tricks or so: that of the better hand of a side, with the
    trumps that suit it best. The same arguments give the same figures; more deals after them change nothing in those before.

    Args:
        rules: of the match.
        packs: [deal, card], as `Rules.deal` takes them.
        dealers: who dealt each.
        seed: what the random moves follow from.

    Raises:
        ValueError: A pack or dealer that the rules do not know.
    """
    if not len(packs):
        return np.zeros((0, rules.sides, MEASURES))
    cards, seats = np.asarray(packs, np.int8), np.asarray(dealers, np.int64)
    parts = [
        _played(rules, cards[start : start + _TOGETHER], seats[start : start + _TOGETHER], seed + start.to_bytes(8, "big"))
        for start in range(0, len(seats), _TOGETHER)
    ]
    played = np.concatenate(parts) - _expected(rules)[seats]
    dealt = [rules.deal(pack, dealer) for pack, dealer in zip(cards.tolist(), seats.tolist(), strict=True)]
    strength = np.array([_strengths(rules, deal) for deal in dealt])
    found = np.stack([played, strength], axis=2)
    above: Floats = (found - found.mean(axis=1, keepdims=True)) * (rules.sides / (rules.sides - 1))
    return above


# ---- how it goes at random ----------------------------------------------------------------------------------------------


def _played(rules: Rules, cards: NDArray[np.int8], seats: NDArray[np.int64], seed: bytes) -> Floats:
    """Mean points by side, [deal, side]. A batch is always full, so that the deals that are there do not depend on the others."""
    chance = np.random.default_rng(int.from_bytes(hashlib.sha256(b"luck" + seed).digest(), "big"))
    short = _TOGETHER - len(seats)
    cards = np.concatenate([cards, np.repeat(cards[:1], short, axis=0)])
    seats = np.concatenate([seats, np.repeat(seats[:1], short)])
    played = playout(rules, packs=np.repeat(cards, TIMES, axis=0), dealers=np.repeat(seats, TIMES), rng=chance)
    found: Floats = played.points.reshape(_TOGETHER, TIMES, rules.sides).mean(axis=1)[: _TOGETHER - short]
    return found


def _expected(rules: Rules) -> Floats:
    """Mean points by side between random players, [dealer, side]: those of seat 0's deals, turned round the table."""
    first = _when_first_deals(rules.name, json.dumps(rules.options, sort_keys=True))
    return np.array([[first[(side - dealer) % rules.sides] for side in range(rules.sides)] for dealer in range(rules.seats)])


@lru_cache(maxsize=64)
def _when_first_deals(name: str, options: str) -> Floats:
    rules, chance, dealers = Rules(name, json.loads(options)), np.random.default_rng(1), np.zeros(CHUNK, np.int64)
    parts = [playout(rules, CHUNK, dealers=dealers, rng=chance).points.mean(axis=0) for _ in range(_REFERENCE // CHUNK)]
    found: Floats = np.mean(parts, axis=0)
    return found


# ---- how strong the hands are -------------------------------------------------------------------------------------------


def _strengths(rules: Rules, deal: Deal) -> list[float]:
    """By side, that of its best hand."""
    best = [0.0] * rules.sides
    for seat in range(rules.seats):
        cards = [*bits(deal.hands[seat]), *bits(deal.twice[seat])]
        best[rules.side(seat)] = max(best[rules.side(seat)], float(_good_for()[:, cards].sum(axis=1).max()))
    return best


@cache
def _good_for() -> Floats:
    """Tricks that each card is good for, about: [trump, card]."""
    found = np.zeros((4, JOKER + 1))
    for trump, suit in product(range(4), range(4)):
        cards = [card for card in range(JOKER + 1) if SUIT_OF[trump][card] == suit]
        cards.sort(key=STRENGTH[trump][suit].__getitem__)
        if suit == trump:
            found[trump, cards] = _TRUMP + _STEP * np.arange(len(cards))
        else:
            found[trump, cards[-1]] = _ACE
    return found
