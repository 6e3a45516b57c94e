"""Hands as bit masks, a column a world: in the order of the pack, and as the cards rank under a trump suit.

In a *plain* mask bit i stands for the card `pack[i]`. In a *ranked* mask the cards lie from low to high, plain suits before
trumps, and the suits are told by how they stand to trumps: 0 the suit of the same colour, 1 and 2 the others, 3 trumps. So a
ranked mask looks the same whatever suit is trump, and worlds with different trumps can be played side by side.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.sdk.words import CARDS
from referee.rules.tricks import RANK, SUIT_OF

Masks: TypeAlias = NDArray[np.int64]
Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

NEXT = (3, 2, 1, 0)
"""By suit: the other one of its colour."""
TRUMPS = 3
"""The trump suit's number in a ranked mask."""
_CHUNK = 8


def relation(suit: int, trump: int) -> int:
    """How a suit stands to the trump suit: 0 to 3, as in a ranked mask."""
    if suit == trump:
        return TRUMPS
    others = [each for each in range(4) if each not in (trump, NEXT[trump])]
    return 0 if suit == NEXT[trump] else 1 + others.index(suit)


ORDERS = [[*(suit for stands in range(4) for suit in range(4) if relation(suit, trump) == stands)] for trump in range(4)]
"""By trump suit: the suits by how they stand to it."""


def top(masks: Masks) -> Masks:
    """The highest bit of each mask, 0 of an empty one. Masks have fewer than 53 bits, so that floats hold them."""
    exponents = (masks.astype(np.float64).view(np.int64) >> 52) - 1023
    return np.where(masks != 0, np.left_shift(1, np.maximum(exponents, 0)), 0)


class Layout:
    """Where the cards of a pack lie in masks."""

    def __init__(self, pack: Sequence[int]) -> None:
        self.pack = tuple(pack)
        self.size = len(self.pack)
        self.full = (1 << self.size) - 1
        orders = [sorted(range(self.size), key=lambda place: self._key(place, trump)) for trump in range(4)]
        self._place = np.zeros((4, self.size), np.int64)
        """[trump, place in the pack]: place in a ranked mask."""
        for trump, order in enumerate(orders):
            self._place[trump, order] = np.arange(self.size)
        ranked = [CARDS[self.pack[place]].code for place in orders[0]]
        suits = [relation(SUIT_OF[0][code], 0) for code in ranked]
        strengths = [RANK[0][code] for code in ranked]
        self.suits = [sum(1 << place for place, suit in enumerate(suits) if suit == wanted) for wanted in range(4)]
        """By relation: the ranked mask of a suit."""
        self.trumps = self.suits[TRUMPS]
        self.plain = self.full ^ self.trumps
        self.aces = sum(1 << place for place, code in enumerate(ranked) if code & 7 == 7 and code < 32 and suits[place] != TRUMPS)
        self.bowers = sum(1 << place for place, code in enumerate(ranked) if strengths[place] >= 18)
        self.follow: Masks = np.array([self.suits[suit] for suit in suits], np.int64)
        """By place: the cards of its suit."""
        self.above: Masks = np.array([self._above(place, suits, strengths) for place in range(self.size)], np.int64)
        """By place: the cards that beat it once it is winning; not its own copy."""
        self._tables = self._chunks(self._place)
        self._back = self._chunks(np.argsort(self._place, axis=1))

    def _key(self, place: int, trump: int) -> tuple[int, int, int]:
        code = self.pack[place]
        return RANK[trump][code], relation(SUIT_OF[trump][code], trump), place

    def _above(self, place: int, suits: Sequence[int], strengths: Sequence[int]) -> int:
        return sum(
            1 << other
            for other in range(self.size)
            if strengths[other] > strengths[place] and suits[other] in (suits[place], TRUMPS)
        )

    def _chunks(self, places: Ints) -> Masks:
        """[trump, byte of a mask, value of that byte]: the mask with each bit moved to its place."""
        count = -(-self.size // _CHUNK)
        tables: Masks = np.zeros((4, count, 1 << _CHUNK), np.int64)
        values = np.arange(1 << _CHUNK)
        for trump in range(4):
            for place in range(self.size):
                chunk, bit = divmod(place, _CHUNK)
                tables[trump, chunk] |= (values >> bit & 1) << places[trump, place]
        return tables

    def mask(self, codes: Iterable[int]) -> int:
        """A plain mask of cards; of a second copy the second bit."""
        mask = 0
        for code in codes:
            place = self.pack.index(code)
            mask |= 1 << place if not mask >> place & 1 else 2 << place
        return mask

    def bits(self, mask: int) -> list[int]:
        """The bits of a mask, ascending."""
        return [1 << place for place in range(self.size) if mask >> place & 1]

    def codes(self, mask: int) -> list[int]:
        """The cards of a plain mask."""
        return [self.pack[place] for place in range(self.size) if mask >> place & 1]

    def ranked(self, masks: Masks, trumps: Ints | int) -> Masks:
        """Plain masks as ranked ones, by the trump suit of each column, or of all."""
        return self._moved(self._tables, masks, trumps)

    def unranked(self, masks: Masks, trumps: Ints | int) -> Masks:
        """Ranked masks as plain ones."""
        return self._moved(self._back, masks, trumps)

    @staticmethod
    def _moved(tables: Masks, masks: Masks, trumps: Ints | int) -> Masks:
        found: Masks = np.zeros_like(masks)
        for chunk in range(tables.shape[1]):
            found |= tables[trumps, chunk, masks >> _CHUNK * chunk & (1 << _CHUNK) - 1]
        return found

    def bare(self, ranked: Masks) -> Masks:
        """The plain cards of ranked hands that are alone in their suit."""
        found: Masks = np.zeros_like(ranked)
        for suit in self.suits[:3]:
            own = ranked & suit
            found |= np.where(own & own - 1 == 0, own, 0)
        return found

    def ranked_one(self, mask: int, trump: int) -> int:
        """One plain mask as a ranked one."""
        return int(self.ranked(np.array([mask], np.int64), trump)[0])


@lru_cache(maxsize=16)
def layout_of(pack: tuple[int, ...]) -> Layout:
    """The layout of a pack, made once."""
    return Layout(pack)
