"""What a sound bidder would call with each of many hands: `counter`'s rules, as arrays.

Used in two ways: guesses in which a seat would hardly have called what it did count for less, and what is still to be called
when a guess is played out is called so.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from arena import View
from arena.sdk.words import CODE_BY_SUIT
from sample_bots.python.counter import PASS_BEHIND_PARTNER, PASS_BEHIND_RIVAL, PASS_ROUND_2, PASS_TURNED, SWAP_WORTH
from sample_bots.python.rollout.holdings import Judge, Outlooks, judge_of, normal
from sample_bots.python.rollout.layout import Floats, Ints, Layout, Masks, layout_of
from sample_bots.python.stakes import march_points, slam_stakes

LADDER = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "ask", "moon")
"""The bids, low to high."""
LAID = "three alone"
"""The situation by which it is judged what to keep."""
SLAM_FROM = 0.6
"""The share of the tricks that a hand must promise before anybody looks at its chance of all of them."""
BARRED = -99.0
"""The worth of what may not be called."""


class Promises(NamedTuple):
    """What hands promise, a number a hand."""

    tricks: Floats
    """With the best suit."""
    chances: dict[str, Floats]
    """By bid of all the tricks: the chance of taking them."""

    def take(self, columns: Ints) -> "Promises":
        """Those of some hands."""
        return Promises(self.tricks[columns], {call: chances[columns] for call, chances in self.chances.items()})


class Bidder:
    """A sound bidder at the table of a view. Hands are plain masks; a call's worth is in points over the average opponent."""

    def __init__(self, view: View) -> None:
        self.layout: Layout = layout_of(tuple(card.code for card in view.table.pack))
        self.judge: Judge = judge_of(self.layout.pack)
        self.seats = view.seats
        self.dealer = view.dealer
        self.rivals = 1 if view.seats == 4 else 2
        self.options = view.options
        self.double = view.table.is_on("double_deck")
        self.size = 12 if self.double else 6
        self.slams = ("moon",) if view.seats == 3 else ("ask", "moon")
        self.turned = view.turned_card.code if view.turned_card else -1
        self.turned_bit = self.layout.mask([self.turned]) if view.turned_card else 0
        self.turned_suit = CODE_BY_SUIT[view.turned_suit] if view.turned_card else -1
        self.named = "named" if view.seats == 4 else "dummy named"
        self.lone = "lone" if view.seats == 4 else "three alone"
        self.lone_march = march_points(view.options, self.rivals, alone=True)
        self.march = march_points(view.options, self.rivals, alone=False)

    # --- with a turned card -------------------------------------------------------------------------------------------

    def making(self, hands: Outlooks, march: float) -> Floats:
        """What naming trump is worth: a point for three tricks, more for all five, two lost for fewer."""
        made = hands.at_least(3, 5)
        return 3 * made - 2 + (march - 1) * hands.at_least(5, 5)

    def helped(self, hands: Masks, trump: int) -> Floats:
        """Naming trump with partner or dummy."""
        return self.making(self.judge(self.named, hands, trump), self.march)

    def by_oneself(self, hands: Masks, trump: int) -> Floats:
        """Naming trump and playing alone."""
        return self.making(self.judge(self.lone, hands, trump), self.lone_march)

    def ordering(self, seat: int, hands: Masks) -> Floats:
        """What ordering the turned card is worth more than passing; a dealer's hand is what he keeps."""
        kind = "order" if self.seats == 4 else "dummy"
        place = (seat - self.dealer) % self.seats
        if self.seats == 4:
            case = ("order, dealer", "order, left of dealer", "order, partner deals", "order, right of dealer")[place]
        else:
            case = f"{kind}, {('dealer', 'left of dealer', 'right of dealer')[place]}"
        outlooks = self.judge(case, hands, self.turned_suit, self.turned)
        return self.making(outlooks, self.march) - PASS_TURNED[self.seats][place]

    def kept(self, hands: Masks) -> Masks:
        """What a dealer with each of these hands keeps once he has taken the turned card."""
        return self.judge.best(LAID, hands | self.turned_bit, np.full(len(hands), self.turned_suit, np.int64), 5)

    def naming(self, seat: int, hands: Masks, suits: Sequence[int]) -> Floats:
        """[suit, hand]: what naming a suit is worth more than passing; BARRED where it is not among `suits`."""
        found = np.full((4, len(hands)), BARRED)
        passing = PASS_ROUND_2[self.seats][(seat - self.dealer) % self.seats]
        for suit in suits:
            found[suit] = np.maximum(self.helped(hands, suit), self.by_oneself(hands, suit)) - passing
        return found

    def alone(self, hands: Masks, trumps: Ints) -> Floats:
        """What playing alone is worth more than with help, by the trump suit of each hand."""
        found = np.zeros(len(hands))
        for trump in np.unique(trumps).tolist():
            here = np.flatnonzero(trumps == trump)
            found[here] = self.by_oneself(hands[here], trump) - self.helped(hands[here], trump)
        return found

    # --- with bids ----------------------------------------------------------------------------------------------------

    def tricks(self, hands: Masks) -> Floats:
        """[suit, hand]: the tricks to be expected with each suit as trumps, with a partner if there is one."""
        return np.array([self.judge(self._case("3"), hands, suit).tricks for suit in range(4)])

    def sweeps(self, hands: Masks, call: str) -> Floats:
        """[suit, hand]: the chance of taking all the tricks."""
        return np.array([self.judge(self._case(call), hands, suit).sweep for suit in range(4)])

    def suits(self, hands: Masks, call: str) -> Floats:
        """[suit, hand]: what speaks for each suit as trumps after a bid, in tricks."""
        if call not in ("ask", "moon"):
            return self.tricks(hands)
        return np.array([self.judge(self._case(call), hands, suit).tricks for suit in range(4)])

    def _case(self, call: str) -> str:
        if self.seats == 3:
            return "ghost"
        if call == "moon":
            return "double lone" if self.double else "ghost"
        return ("double ask" if self.double else "ask") if call == "ask" else "double" if self.double else "bid"

    def promises(self, hands: Masks) -> "Promises":
        """What hands promise to a bidder, each different hand looked at once."""
        different, which = np.unique(hands, return_inverse=True)
        tricks = self.tricks(different).max(axis=0)
        found = {call: self._chances(different, call, tricks)[which] for call in self.slams}
        return Promises(tricks[which], found)

    def _chances(self, hands: Masks, call: str, tricks: Floats) -> Floats:
        """The chance of all the tricks with the best suit, looked at where a hand promises many."""
        chances = np.zeros(len(hands))
        strong = np.flatnonzero(tricks > SLAM_FROM * self.size)
        if strong.size:
            chances[strong] = self.sweeps(hands[strong], call).max(axis=0)
        return chances

    def bidding(self, promises: "Promises", calls: Sequence[str], seat: int, bidder: int, bid: str | None) -> Floats:
        """[call, hand]: what each of the legal calls is worth to a seat, over the bid of `bidder` (-1: none)."""
        found = np.zeros((len(calls), len(promises.tricks)))
        for row, call in enumerate(calls):
            if call == "pass":
                found[row] = self.passing(seat, bidder)
            elif call == "swap":
                found[row] = SWAP_WORTH.get(int(bid) if bid and bid.isdigit() else 0, 0.0)
            elif call in self.slams:
                found[row] = self._slam(promises.chances[call], call)
            else:
                found[row] = np.interp(promises.tricks, *_worth_of_bid(int(call), self.size, self.rivals, self._spread()))
        return found

    def passing(self, seat: int, bidder: int) -> float:
        """What passing is worth."""
        if bidder < 0:
            return 0.0
        return PASS_BEHIND_PARTNER if self.seats == 4 and (seat - bidder) % 4 == 2 else PASS_BEHIND_RIVAL[self.rivals]

    def _spread(self) -> float:
        return self.judge(self._case("3"), np.zeros(1, np.int64), 0).spread

    def _slam(self, chances: Floats, call: str) -> Floats:
        award, cost = slam_stakes(self.options, call, self.size)
        return chances * award - (1 - chances) * (cost + 1.5 / self.rivals)

    # --- cards to part with -------------------------------------------------------------------------------------------

    def keep(self, hands: Masks, trumps: Ints, size: int) -> Masks:
        """What is left when each hand has parted with all but `size` of its cards, given its trump suit."""
        if not self.double:
            return self.judge.best(LAID, hands, trumps, size)
        ranked = self.layout.ranked(hands, trumps)
        while len(ranked) and (np.bitwise_count(ranked) > size).any():
            ranked = ranked & ~self._spare(ranked)
        return self.layout.unranked(ranked, trumps)

    def _spare(self, ranked: Masks) -> Masks:
        """The card of each ranked hand that is missed least: a bare plain card that is no ace, else the lowest."""
        bare = self.layout.bare(ranked) & ~self.layout.aces
        low = ranked & self.layout.plain & ~self.layout.aces
        chosen: Masks = np.where(bare != 0, bare, np.where(low != 0, low, ranked))
        found: Masks = chosen & -chosen
        return found


@lru_cache(maxsize=64)
def _worth_of_bid(bid: int, size: int, rivals: int, spread: float) -> tuple[Floats, Floats]:
    """The worth of a plain bid over the tricks to be expected: a point a trick if it is made, less the bid if not."""
    tricks = np.linspace(-2, size + 2, 121)
    outlooks = Outlooks(tricks, normal((tricks - size + 0.5) / spread), spread)
    least = [np.ones(121), *(outlooks.at_least(count, size) for count in range(1, size + 1)), np.zeros(121)]
    worth = np.zeros(121)
    for count in range(size + 1):
        points = (count if count >= bid else -bid) - (size - count) / rivals
        worth += (least[count] - least[count + 1]) * points
    return tricks, worth
