"""What hands are good for, many at once: the formulas of estimate.py, looked up by what a hand holds of each suit.

The formulas add up suit by suit, so a table for each suit's holdings gives the same numbers as counting a hand's features.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from referee.rules.cards import JOKER
from referee.rules.tricks import RANK
from sample_bots.python.estimate import ACE, FEATURES, JACK, WEIGHTS
from sample_bots.python.rollout.layout import NEXT, ORDERS, Floats, Ints, Masks

_PLACE = {name: number for number, name in enumerate(FEATURES)}


class Outlooks(NamedTuple):
    """What hands are good for in one situation, a number a hand."""

    tricks: Floats
    sweep: Floats
    """The chance of taking every trick."""
    spread: float

    def at_least(self, count: int, size: int) -> Floats:
        """The chance of taking `count` tricks or more of `size`."""
        if count >= size:
            return self.sweep
        return np.maximum(self.sweep, normal((self.tricks - count + 0.5) / self.spread))


def normal(x: Floats) -> Floats:
    """The normal distribution function, to 2 in 10,000 (H. Page, 1977, by a logistic curve)."""
    return 1 / (1 + np.exp(-1.5976 * x - 0.070565 * x**3))


class Judge:
    """Judges hands of a pack, given as plain masks."""

    def __init__(self, pack: Sequence[int]) -> None:
        self._double = len(set(pack)) < len(pack)
        self._joker = JOKER in pack
        self._copies = 2 if self._double else 1
        suited = [card for card in pack if card != JOKER]
        self._length = len(suited) // 4
        self._first = suited[: self._length]
        """The cards of the first suit, low to high."""
        self._jack = [card & 7 for card in self._first].index(JACK)
        self._none = (1 << self._length) - 1
        self._jacks = (1 << self._copies) - 1
        left = self._first[self._jack] + 8 * NEXT[0]
        self._trumps = [*self._first, *[left] * self._copies, *[JOKER] * self._joker]
        """The trumps, clubs being trumps, as a holding has them: the suit, the left bower, the joker."""
        self._strength = [list(range(self._length)), [RANK[0][card] for card in self._trumps]]
        """By place in the holding of a plain suit, and of trumps."""
        self._trump_features = self._features_of_trumps()
        self._next_features = self._features_of_plain(jack=False)
        self._other_features = self._features_of_plain(jack=True)
        self._tables = lru_cache(maxsize=None)(self._tables_of)
        self._best_parts = lru_cache(maxsize=None)(self._parts_of)

    def __call__(self, case: str, hands: Masks, trump: int, turned: int = -1) -> Outlooks:
        """Judge hands in the situation that `case`, a key of estimate.WEIGHTS, names; `turned` is the card ordered."""
        fit = WEIGHTS[case]
        holdings = self.holdings(hands, trump)
        tables, sweeps = self._tables(case)
        tricks = self._sum(tables, holdings)
        if turned >= 0:
            tricks += fit.turned_jack * (turned & 7 == JACK) + fit.turned_ace * (turned & 7 == ACE)
        if sweeps is None:
            size = 12 if "double" in case else 5
            return Outlooks(tricks, normal((tricks - size + 0.5) / fit.spread), fit.spread)
        return Outlooks(tricks, 1 / (1 + np.exp(-self._sum(sweeps, holdings))), fit.spread)

    def best(self, case: str, hands: Masks, trumps: Ints, size: int) -> Masks:
        """The best `size` cards of each hand, given its trump suit: trumps first, then the plain cards that go best together."""
        found: Masks = np.zeros_like(hands)
        for trump in np.unique(trumps).tolist():
            here = np.flatnonzero(trumps == trump)
            found[here] = self._best(case, hands[here], trump, size)
        return found

    def _best(self, case: str, hands: Masks, trump: int, size: int) -> Masks:
        holdings = self.holdings(hands, trump)
        kept, worth = self._best_parts(case, size)
        lengths = np.bitwise_count(holdings[3])
        chosen = [kept[3][np.minimum(lengths, size), holdings[3]], *(np.zeros_like(hands) for _ in range(3))]
        for plain in range(size + 1):  # so many plain cards there is room for
            here = np.flatnonzero(np.maximum(size - lengths, 0) == plain)
            ways = [way for way in product(range(plain + 1), repeat=3) if sum(way) == plain]
            mine = [holding[here] for holding in holdings[:3]]
            sums = np.array([sum(worth[suit][way[suit], mine[suit]] for suit in range(3)) for way in ways])
            counts = np.array(ways)[sums.argmax(axis=0)].reshape(-1, 3)
            for suit in range(3):
                chosen[suit + 1][here] = kept[suit][counts[:, suit], mine[suit]]
        return self._plain(chosen[1:], chosen[0], trump)

    def _plain(self, suits: Sequence[Ints], trumps: Ints, trump: int) -> Masks:
        """The plain masks of hands given by holdings."""
        order = ORDERS[trump]
        found = (trumps & self._none) << self._length * trump
        for suit, holding in zip(order, suits, strict=False):
            found |= holding << self._length * suit
        found |= (trumps >> self._length & self._jacks) << self._length * NEXT[trump] + self._jack
        return found | (trumps >> self._length + self._copies) << 4 * self._length

    def _parts_of(self, case: str, size: int) -> tuple[list[Ints], list[Floats]]:
        """By relation: [count, holding] the highest so many cards of a holding, and for plain suits what they are worth."""
        tables, _ = self._tables(case)
        kept = [self._highest(table, suit, size) for suit, table in enumerate(tables[:4])]
        worth = []
        for suit in range(3):
            short = np.bitwise_count(kept[suit]) < np.arange(size + 1)[:, None]
            worth.append(np.where(short, -np.inf, (tables[suit] + tables[4 + suit])[kept[suit]]))
        return kept, worth

    def _highest(self, table: Floats, suit: int, size: int) -> Ints:
        """[count, holding]: the highest cards of a suit, a bit a card as the tables have it."""
        length = len(table).bit_length() - 1
        jacks = self._jacks << self._jack if suit == 0 else 0
        order = sorted(range(length), key=lambda place: self._strength[suit == 3][place], reverse=True)
        found = np.zeros((size + 1, len(table)), np.int64)
        holdings = np.arange(len(table)) & ~jacks
        for place in order:
            held = holdings & 1 << place
            room = np.bitwise_count(found) < np.arange(size + 1)[:, None]
            found |= np.where(room, held, 0)
        return found

    def holdings(self, hands: Masks, trump: int) -> list[Ints]:
        """What each hand holds by relation to the trump suit, as the tables number it."""
        plain = [hands >> self._length * suit & self._none for suit in range(4)]
        found = [plain[suit] for suit in ORDERS[trump]]
        left = plain[NEXT[trump]] >> self._jack & self._jacks
        found[3] = found[3] | left << self._length
        if self._joker:
            found[3] |= (hands >> 4 * self._length & 1) << self._length + self._copies
        return found

    @staticmethod
    def _sum(tables: Sequence[Floats], holdings: Sequence[Ints]) -> Floats:
        plain = [table[holding] for table, holding in zip(tables, holdings, strict=False)]
        # A void is worth something only to who has a trump.
        voids = [table[holding] for table, holding in zip(tables[4:], holdings[:3], strict=True)]
        found: Floats = plain[0] + plain[1] + plain[2] + plain[3]
        found += np.where(holdings[3] != 0, voids[0] + voids[1] + voids[2], 0.0)
        return found

    def _tables_of(self, case: str) -> tuple[list[Floats], list[Floats] | None]:
        fit = WEIGHTS[case]
        return self._weighted(fit.weights), self._weighted(fit.sweep) if fit.sweep else None

    def _weighted(self, weights: Sequence[float]) -> list[Floats]:
        """Tables of the three plain suits and of trumps, then what a void of each plain suit adds."""
        plain = np.array(weights)
        plain[_PLACE["void"]] = 0.0
        void = np.zeros_like(plain)
        void[_PLACE["void"]] = weights[_PLACE["void"]]
        suits = (self._next_features, self._other_features, self._other_features)
        return [*(features @ plain for features in (*suits, self._trump_features)), *(features @ void for features in suits)]

    def _features_of_trumps(self) -> Floats:
        """[holding, feature] of the trump suit."""
        strength = self._strength[1]
        found = _none_of(len(strength))
        found[:, _PLACE["const"]] = 1.0
        holdings = np.arange(len(found))
        for place, own in enumerate(strength):
            above = sum(1 << other for other, its in enumerate(strength) if its >= own) & ~(1 << place)
            missing = np.bitwise_count(~holdings & above) // self._copies
            for count in range(4):
                found[:, _PLACE[f"t{count}"]] += (holdings >> place & 1) * (np.minimum(missing, 3) == count)
        return found

    def _features_of_plain(self, *, jack: bool) -> Floats:
        """[holding, feature] of a plain suit, whose jack is a trump unless told."""
        found = _none_of(self._length)
        jacks = 0 if jack else self._jacks << self._jack
        for holding in range(len(found)):
            cards = [place for place in range(self._length) if holding >> place & 1 and not jacks >> place & 1]
            out = ~holding & ~jacks & self._none
            above = [out >> place // self._copies * self._copies for place in cards[::-1]]
            self._head(found[holding], [cards.bit_count() // self._copies for cards in above])
        return found

    @staticmethod
    def _head(row: Floats, missing: Sequence[int]) -> None:
        """What heads a suit, as estimate.py has it; `missing` tells how many higher cards are out, from the top."""
        if not missing:
            row[_PLACE["void"]] = 1
        elif missing[0] == 0:
            row[_PLACE["ace" if len(missing) < 3 else "long ace"]] = 1
            row[_PLACE["second"]] = len(missing) > 1 and missing[1] == 0
        elif missing[0] == 1:
            row[_PLACE["bare second" if len(missing) == 1 else "second"]] = 1


def _none_of(cards: int) -> Floats:
    return np.zeros((1 << cards, len(FEATURES)))


@lru_cache(maxsize=16)
def judge_of(pack: tuple[int, ...]) -> Judge:
    """The judge of a pack, made once."""
    return Judge(pack)
