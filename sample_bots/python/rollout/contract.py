"""From a decision before the play to the points: the rest of the auction, exchanges and the play, in many worlds at once.

What is still to be said is said by the `Bidder`, cards are parted with by its rule, and the tricks are played by `Tricks`.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from arena import Card, View
from arena.sdk.words import CODE_BY_SUIT
from sample_bots.python.rollout.bidder import LADDER, Bidder
from sample_bots.python.rollout.layout import Floats, Ints, Masks
from sample_bots.python.rollout.scores import SLAMS, Scores
from sample_bots.python.rollout.tricks import Tricks
from sample_bots.python.rollout.worlds import Hidden, Worlds, hand_size

NOBODY = -1
NUMBERS = {call: SLAMS.get(call) or int(call) for call in LADDER}
"""Bids as numbers."""
RUNGS = {number: rung for rung, number in enumerate(NUMBERS.values())} | {0: -1}
"""How high a bid stands, by its number."""


class Contract:
    """Worlds side by side on their way from one seat's decision to the points.

    Args:
        view: of the decision.
        hidden: what it leaves open.
        worlds: the guesses; each is played once for each option.
        bidder: who calls for everybody from now on.
        options: the answers to be compared.
    """

    def __init__(self, view: View, hidden: Hidden, worlds: Worlds, bidder: Bidder, options: Sequence[str]) -> None:
        self.view = view
        self.bidder = bidder
        self.layout = bidder.layout
        self.options = options
        self.count = worlds.size
        size = self.size = worlds.size * len(options)

        def ints(value: int) -> Ints:
            return np.full(size, value, np.int64)

        times = len(options)
        self.hands: Masks = np.zeros((view.seats, size), np.int64)
        for seat in range(view.seats):
            self.hands[seat] = hidden.hand if seat == view.seat else np.tile(worlds.cards[seat], times)
        self.extra = np.tile(worlds.cards["extra"], times) if "extra" in worlds.cards else ints(0)
        self.maker = ints(NOBODY if view.maker is None else view.maker)
        self.trump = ints(CODE_BY_SUIT[view.trump])
        self.bid = ints(NUMBERS[view.bid] if view.bid else 0)
        self.alone = ints(sum(1 << seat for seat in view.alone))
        self.ordered = ints(0) != 0
        """Where the dealer has still to take the turned card."""
        self.swapped = np.full(size, any(call == "swap" for _, call in view.said))
        """Where the ghost has been taken."""
        self.closed = ints(0) != 0
        """Where nobody speaks any more."""
        self.columns = np.arange(size)

    def worth(self) -> Floats:
        """[option, world]: points over the average opponent."""
        self.settle()
        return self._points().reshape(len(self.options), self.count)

    def settle(self) -> None:
        """Give the answers, and go on until the tricks begin."""
        raise NotImplementedError

    def lanes(self, option: int) -> slice:
        """The columns of an option."""
        return slice(option * self.count, (option + 1) * self.count)

    def each(self) -> Iterator[tuple[str, slice]]:
        """Each option with its columns."""
        for number, option in enumerate(self.options):
            yield option, self.lanes(number)

    @property
    def speakers(self) -> list[int]:
        """The seats in the order in which they speak, the dealer last."""
        return [(self.view.dealer + 1 + place) % self.view.seats for place in range(self.view.seats)]

    @property
    def after_me(self) -> list[int]:
        """The seats that speak later in this round."""
        return self.speakers[self.speakers.index(self.view.seat) + 1 :]

    def part(self, option: str, lanes: slice) -> None:
        """Take a card out of one's own hand."""
        bit = self.layout.mask([Card(option).code])
        mine = int(self.hands[self.view.seat, lanes.start])
        self.hands[self.view.seat, lanes] &= ~(bit if mine & bit else bit << 1)

    # --- the play -----------------------------------------------------------------------------------------------------

    def _points(self) -> Floats:
        found = np.zeros(self.size)
        out = self._out()
        made = self.maker >= 0
        for each in np.unique(out[made]).tolist():
            lanes = np.flatnonzero(made & (out == each))
            tricks = self._play(lanes, each)
            scores = Scores(self.view)
            found[lanes] = scores.worth(tricks, self.maker[lanes], self.bid[lanes], self.alone[lanes])
        return found

    def _out(self) -> Ints:
        """The mask of the seats that sit out, by world: a lone player's partner, or beside a lone defender the other one."""
        made = np.maximum(self.maker, 0)
        out: Ints = np.zeros(self.size, np.int64)
        if self.view.seats == 4:
            lone = self.alone | np.where(self.bid < 0, np.left_shift(1, made), 0)
            for seat in range(4):
                out |= np.where(lone >> seat & 1, 1 << (seat ^ 2), 0)
            return out
        for seat in range(3):
            defends = (self.alone >> seat & 1 != 0) & (made != seat)
            out |= np.where(defends, 7 ^ 1 << seat ^ np.left_shift(1, made), 0)
        return out

    def _play(self, lanes: Ints, out: int) -> Ints:
        """Play worlds in which the same seats sit out; returns the tricks by seat."""
        view = self.view
        seats = [seat for seat in range(view.seats) if not out >> seat & 1]
        hands = np.array([self.layout.ranked(self.hands[seat, lanes], self.trump[lanes]) for seat in seats])
        dead = self.layout.full & ~self.bidder.turned_bit & ~np.bitwise_or.reduce(self.hands[seats][:, lanes], axis=0)
        unseen = self.layout.ranked(dead, self.trump[lanes])
        side = [view.side_of(seat) for seat in seats]
        maker = self.maker[lanes]
        sides = maker & 1 if view.seats == 4 else maker
        leader = np.searchsorted(seats, self._leader(lanes, out))
        taken = np.zeros((view.seats, len(lanes)), np.int64)
        taken[seats] = Tricks(self.layout, side, sides, hands, unseen).finish(leader, hand_size(view))
        return taken

    def _leader(self, lanes: Ints, out: int) -> Ints:
        """Who leads first: the bidder; with a turned card left of the dealer, or of a lone player among three."""
        maker = self.maker[lanes]
        if self.bidder.turned < 0:
            return maker
        start = np.full(len(lanes), self.view.dealer, np.int64)
        if self.view.seats == 3:
            alone = self.alone[lanes]
            lone = np.where(alone >> maker & 1 != 0, maker, np.bitwise_count((alone & -alone) - 1).astype(np.int64))
            start = np.where(alone != 0, lone, start)
        following = np.array([_next(seat, self.view.seats, out) for seat in range(self.view.seats)])
        found: Ints = following[start]
        return found


def _next(seat: int, seats: int, out: int) -> int:
    seat = (seat + 1) % seats
    return _next(seat, seats, out) if out >> seat & 1 else seat
