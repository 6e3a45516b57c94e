"""Contracts in the games with bids: the highest bidder names trump, and may exchange a card with a partner."""

from collections.abc import Sequence

import numpy as np

from arena import Phase
from arena.sdk.words import CODE_BY_SUIT
from sample_bots.python.rollout.bidder import Promises
from sample_bots.python.rollout.contract import NUMBERS, RUNGS, Contract
from sample_bots.python.rollout.layout import Ints, Masks, top
from sample_bots.python.rollout.scores import SLAMS
from sample_bots.python.rollout.worlds import hand_size


class Bids(Contract):
    """Bids, swaps, trumps and gifts."""

    def settle(self) -> None:
        """Give the answers; then everybody speaks, exchanges and lays away as the bidder would."""
        match self.view.phase:
            case Phase.AUCTION:
                self._call()
                self._go_on(self.after_me)
            case Phase.LAY_AWAY | Phase.CLAIM:
                self._begin()
                self._go_on(self.speakers)
            case Phase.TRUMP:
                for option, lanes in self.each():
                    self.trump[lanes] = CODE_BY_SUIT[option]
        self._name_trumps()
        self._exchange()

    def _begin(self) -> None:
        """The options are what to lay away, or whether the deal is thrown in."""
        for option, lanes in self.each():
            if option == "claim":
                self.closed[lanes] = True
            elif option != "no":
                self.part(option, lanes)

    def _go_on(self, seats: Sequence[int]) -> None:
        for seat in seats:
            self._auction(seat, self.columns)

    def _call(self) -> None:
        """The options are calls in the auction."""
        me = self.view.seat
        for option, lanes in self.each():
            if option == "swap":
                self._swap(me, self.columns[lanes])
                self._auction(me, self.columns[lanes], swap=False)
            elif option != "pass":
                self._raise(lanes, me, option)

    def _raise(self, lanes: slice | Ints, seat: int, call: str) -> None:
        self.maker[lanes] = seat
        self.bid[lanes] = NUMBERS[call]
        if call == "moon":
            self.closed[lanes] = True

    def _auction(self, seat: int, lanes: Ints, *, swap: bool = True) -> None:
        """A seat speaks in some worlds; where it swaps, once more."""
        lanes = lanes[~self.closed[lanes]]
        promises = self.bidder.promises(self.hands[seat, lanes])
        case = (self.bid[lanes] + 2) * 16 + (self.maker[lanes] + 1) * 2 + self.swapped[lanes]
        for each in np.unique(case).tolist():
            among = np.flatnonzero(case == each)
            self._say(seat, lanes[among], promises.take(among), swap=swap)

    def _say(self, seat: int, lanes: Ints, promises: Promises, *, swap: bool) -> None:
        """A seat speaks over one and the same bid."""
        bid, maker, swapped = (int(each[lanes[0]]) for each in (self.bid, self.maker, self.swapped))
        calls = self._sensible(seat, bid, maker)
        calls += ["swap"] * (swap and self.view.seats == 3 and not swapped)
        if not calls:
            return
        spoken = next((call for call, number in NUMBERS.items() if number == bid), None)
        best = self.bidder.bidding(promises, calls, seat, maker, spoken).argmax(axis=0)
        for number, call in enumerate(calls):
            chosen = lanes[best == number]
            if call == "swap" and chosen.size:
                self._swap(seat, chosen)
                self._auction(seat, chosen, swap=False)
            elif call != "pass" and chosen.size:
                self._raise(chosen, seat, call)

    def _swap(self, seat: int, lanes: Ints) -> None:
        self.hands[seat, lanes], self.extra[lanes] = self.extra[lanes], self.hands[seat, lanes]
        self.swapped[lanes] = True

    def _sensible(self, seat: int, bid: int, maker: int) -> list[str]:
        """The calls that a seat may think of: the lowest bid, those of all the tricks, and to pass if it may."""
        bids = self._calls(bid)
        stuck = seat == self.view.dealer and maker < 0 and self.view.table.is_on("stick_dealer")
        return [call for call in bids if call == bids[0] or call in self.bidder.slams] + ["pass"] * (not stuck)

    def _calls(self, bid: int) -> list[str]:
        """The bids over a bid that this game has, low to high."""
        highest = 11 if self.bidder.double else 5
        ladder = [*map(str, range(3, highest + 1)), *self.bidder.slams]
        return [call for call in ladder if RUNGS[NUMBERS[call]] > RUNGS[bid]]

    def _name_trumps(self) -> None:
        """The maker names the suit that promises most."""
        open_lanes = np.flatnonzero((self.maker >= 0) & (self.trump < 0))
        for bid in np.unique(self.bid[open_lanes]).tolist():
            here = open_lanes[self.bid[open_lanes] == bid]
            call = next(call for call, number in NUMBERS.items() if number == bid)
            self.trump[here] = self.bidder.suits(self.hands[self.maker[here], here], call).argmax(axis=0)

    def _exchange(self) -> None:
        """After an ask bidder and partner exchange a card; whatever the partner gets, he sits out."""
        asked = np.flatnonzero((self.maker >= 0) & (self.bid == SLAMS["ask"]))
        if self.view.seats == 3 or not asked.size:
            return
        gifts = self._gifts(asked)
        maker = self.maker[asked]
        if self.view.phase is Phase.GIFT and self.view.seat == self.view.maker:
            for option, lanes in self.each():
                self.part(option, lanes)
        else:
            self.hands[maker, asked] = self.bidder.keep(self.hands[maker, asked], self.trump[asked], hand_size(self.view) - 1)
        self.hands[maker, asked] |= gifts

    def _gifts(self, lanes: Ints) -> Masks:
        """What the bidder's partner gives: the best trump, else the highest card, unless that is the question."""
        partner = self.maker[lanes] ^ 2
        if self.view.phase is Phase.GIFT and self.view.seat != self.view.maker:
            before = self.hands[self.view.seat].copy()
            for option, columns in self.each():
                self.part(option, columns)
            given: Masks = before & ~self.hands[self.view.seat]
            return given
        theirs = self.layout.ranked(self.hands[partner, lanes], self.trump[lanes])
        return self.layout.unranked(top(theirs), self.trump[lanes])
