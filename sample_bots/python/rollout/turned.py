"""Contracts in the games with a turned card: it is ordered or a suit is named, and the maker plays alone or with help."""

from collections.abc import Sequence

import numpy as np

from arena import Phase
from arena.sdk.words import CODE_BY_SUIT
from sample_bots.python.rollout.contract import Contract
from sample_bots.python.rollout.layout import Ints
from sample_bots.python.rollout.worlds import hand_size


class Turned(Contract):
    """Orders, pick-ups, names, and dummies."""

    def settle(self) -> None:
        """Give the answers; then everybody speaks, exchanges and lays away as the bidder would."""
        match self.view.phase:
            case Phase.AUCTION:
                self._speak()
            case Phase.ALONE:
                self._alone()
            case Phase.PICK_UP | Phase.DUMMY:
                self._lay_away()
        self._take_turned()
        self._settle_alone()

    def _speak(self) -> None:
        """The options are calls in the first round or in the second."""
        for option, lanes in self.each():
            if option == "order":
                self._make(lanes, self.view.seat, self.bidder.turned_suit)
                self.ordered[lanes] = True
            elif option != "pass":
                self._make(lanes, self.view.seat, CODE_BY_SUIT[option])
        if "order" in self.view.legal:
            self._order(self.after_me)
            self._name(self.speakers)
        else:
            self._name(self.after_me)

    def _lay_away(self) -> None:
        """The options are cards to part with; of a hand with a dummy the rest goes by the bidder's rule."""
        for option, lanes in self.each():
            self.part(option, lanes)
        if self.view.phase is Phase.DUMMY:
            me = self.view.seat
            self.hands[me] = self.bidder.keep(self.hands[me], self.trump, hand_size(self.view))

    def _make(self, lanes: slice | Ints, seat: int, trump: int | Ints) -> None:
        self.maker[lanes] = seat
        self.trump[lanes] = trump

    def _order(self, seats: Sequence[int]) -> None:
        """Each of the seats passes or orders, where nobody has."""
        for seat in seats:
            free = np.flatnonzero(self.maker < 0)
            hands = self.hands[seat, free]
            if seat == self.view.dealer:
                hands = self.bidder.kept(hands)
            chosen = free[self.bidder.ordering(seat, hands) > 0]
            self._make(chosen, seat, self.bidder.turned_suit)
            self.ordered[chosen] = True

    def _name(self, seats: Sequence[int]) -> None:
        """Each of the seats passes or names a suit, where nobody has."""
        down = self.bidder.turned_suit
        any_suit = self.view.options["round2_turned_suit"]
        for seat in seats:
            free = np.flatnonzero(self.maker < 0)
            stuck = seat == self.view.dealer and self.view.table.is_on("stick_dealer")
            suits = [suit for suit in range(4) if suit != down or any_suit == "yes" or (any_suit == "stuck_only" and stuck)]
            worth = self.bidder.naming(seat, self.hands[seat, free], suits)
            chosen = (worth.max(axis=0) > 0) | stuck
            self._make(free[chosen], seat, worth.argmax(axis=0)[chosen])

    def _take_turned(self) -> None:
        """The dealer takes the turned card and discards, where it was ordered."""
        dealer, lanes = self.view.dealer, np.flatnonzero(self.ordered)
        self.hands[dealer, lanes] = self.bidder.kept(self.hands[dealer, lanes])

    def _alone(self) -> None:
        """The options are to play alone or not, as the maker or a defender."""
        for option, lanes in self.each():
            if option == "alone":
                self.alone[lanes] |= 1 << self.view.seat
            elif option == "dummy":
                self._take_dummy(self.columns[lanes])

    def _settle_alone(self) -> None:
        """Where it has not been said, the maker plays alone or with partner or dummy; defenders stay together."""
        if self.view.phase in {Phase.ALONE, Phase.DUMMY}:
            return
        open_lanes = np.flatnonzero(self.maker >= 0)
        makers = self.maker[open_lanes]
        alone = self.bidder.alone(self.hands[makers, open_lanes], self.trump[open_lanes]) > 0
        self.alone[open_lanes[alone]] |= np.left_shift(1, makers[alone])
        if self.view.seats == 3:
            self._take_dummy(open_lanes[~alone])

    def _take_dummy(self, lanes: Ints) -> None:
        makers = self.maker[lanes]
        ten = self.hands[makers, lanes] | self.extra[lanes]
        self.hands[makers, lanes] = self.bidder.keep(ten, self.trump[lanes], 5)
