"""The play of the cards in many worlds side by side, every seat by the same simple rules."""

from collections.abc import Sequence

import numpy as np

from sample_bots.python.rollout.layout import Flags, Ints, Layout, Masks, top

_COUNT = 8
"""Bits for the tricks of one place."""


class Tricks:
    """Plays worlds out among the same seats, which are told by their places clockwise, from 0.

    Args:
        layout: of the pack.
        side: by place.
        maker: the side that named trump, for each world or for all.
        hands: ranked masks [place, world]; they are played empty.
        dead: ranked masks of the cards that are in nobody's hand, which nobody knows.
    """

    def __init__(self, layout: Layout, side: Sequence[int], maker: Ints | int, hands: Masks, dead: Masks | int = 0) -> None:
        self._layout = layout
        self._width, self._size = hands.shape
        self._side = np.array(side, np.int64)
        self._maker = np.broadcast_to(np.asarray(maker, np.int64), (self._size,))
        self._hands = hands
        self._dead = np.broadcast_to(np.asarray(dead, np.int64), (self._size,))
        self._columns = np.arange(self._size)
        self._rows = np.arange(self._width)[:, None]
        self._taken: Ints = np.zeros(self._size, np.int64)

    def finish(self, leader: Ints | int, tricks: int, lying: Sequence[Masks] = ()) -> Ints:
        """Play the last `tricks` tricks, to the first of which the cards `lying` were led from `leader` on.

        Returns the tricks taken from now on [place, world].
        """
        lead = np.broadcast_to(np.asarray(leader, np.int64), (self._size,))
        for _ in range(tricks):
            places = (lead + self._rows) % self._width
            hands = self._hands.ravel().take(places * self._size + self._columns)
            winner = self._trick(hands, self._side.take(places), lying)
            self._hands.ravel()[places * self._size + self._columns] = hands
            lead = (lead + winner) % self._width
            self._taken += np.left_shift(1, _COUNT * lead)
            lying = ()
        return self._taken >> _COUNT * self._rows & (1 << _COUNT) - 1

    def _trick(self, hands: Masks, side: Ints, lying: Sequence[Masks]) -> Ints:
        """Play a trick; rows are places from its leader on. Returns the row that took it."""
        layout = self._layout
        first = lying[0] if lying else self._lead(hands, side)
        if not lying:
            hands[0] ^= first
        left: Masks = np.bitwise_or.reduce(hands, axis=0) | self._dead
        place = np.bitwise_count(first - 1)
        follow, above, best = layout.follow.take(place), layout.above.take(place), first
        winner: Ints = np.zeros(self._size, np.int64)
        for row in range(1, self._width):
            if row < len(lying):
                card = lying[row]
            else:
                mate = side[row] == side[winner, self._columns]
                last = row == self._width - 1
                card = self._follow(hands[row], left & ~hands[row], follow, above, best, mate, last=last)
                hands[row] ^= card
                left ^= card
            took = card & above != 0
            best = np.where(took, card, best)
            above = np.where(took, layout.above.take(np.bitwise_count(card - 1)), above)
            winner[took] = row
        return winner

    def _follow(  # noqa: PLR0913, PLR0917 - all of them arrays of one trick, in its innermost loop
        self, hand: Masks, rest: Masks, follow: Masks, above: Masks, best: Masks, mate: Flags, *, last: bool
    ) -> Masks:
        """The card to follow with: the lowest where the trick is lost or safe with a mate; else one that takes it."""
        layout = self._layout
        legal = hand & follow
        void = legal == 0
        np.copyto(legal, hand, where=void)
        low = self._low(hand, legal, void)
        winners = legal & above
        cheap = winners & -winners
        if last:
            return np.where((winners == 0) | mate, low, cheap)
        sure = (best & (layout.aces | layout.trumps) != 0) | (above & rest & layout.plain == 0)
        plain, out = winners & layout.plain, rest & follow
        # A trump is spent as low as it may be; a plain card if no higher one is out, and no higher than that takes.
        high = plain & ~(2 * top(out) - 1)
        taking = np.where(plain == 0, cheap, np.where(high != 0, high & -high, low))
        return np.where((winners == 0) | (mate & sure), low, taking)

    def _low(self, hand: Masks, legal: Masks, void: Flags) -> Masks:
        """The card missed least: the lowest, but who is out of the suit led and has trumps parts with a bare card."""
        bare = self._layout.bare(legal) & ~self._layout.aces
        spared = void & (hand & self._layout.trumps != 0) & (bare != 0)
        low: Masks = np.where(spared, bare, legal)
        found: Masks = low & -low
        return found

    def _lead(self, hands: Masks, side: Ints) -> Masks:
        """The card to lead: trumps to draw others', as maker; else a plain card that is high; else the lowest."""
        layout = self._layout
        own, rest = hands[0], np.bitwise_or.reduce(hands[1:], axis=0) | self._dead
        high: Masks = np.zeros_like(own)
        for suit in layout.suits[:3]:
            mine = own & suit
            high |= np.where(mine > rest & suit, top(mine), 0)
        card = np.where(high != 0, high & -high, own & -own)
        trumps, others = own & layout.trumps, rest & layout.trumps
        rivals = np.bitwise_or.reduce(np.where(side[1:] != side[0], hands[1:], 0), axis=0) & layout.trumps
        strong = (trumps > others) | (np.bitwise_count(trumps) >= 3)
        draw = (side[0] == self._maker) & strong & (trumps != 0) & (rivals != 0)
        only = (trumps > others) & (own == trumps)
        return np.where(draw | only, top(trumps), card)
