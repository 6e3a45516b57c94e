"""How likely what was said and laid away is in each guess, had the others called as a sound bidder does."""

from collections.abc import Sequence

import numpy as np

from arena import View
from arena.sdk.words import CODE_BY_SUIT
from sample_bots.python.rollout.bidder import LADDER, Bidder
from sample_bots.python.rollout.layout import Floats, Masks
from sample_bots.python.rollout.worlds import Hidden, Worlds

SURE = 0.35
"""Points that must lie between two calls for the better one to be 2.7 times as likely."""
SUITS_SURE = 0.35
"""The same in tricks, for the suit that is named."""
SLIPS = 0.05
"""The share of calls that nobody understands."""
THROWN_TRUMP, THROWN_ACE = -2.5, -1.0
"""What a trump or an ace among the cards laid away counts, as the logarithm of a chance."""


def plausibility(view: View, hidden: Hidden, worlds: Worlds, bidder: Bidder) -> Floats:
    """The logarithm of the chance of what the others did in the auction and when they laid cards away, by guess."""
    return _Story(view, hidden, worlds, bidder).likelihood()


class _Story:
    """What was said, event by event, with the hands that the speakers had in each guess."""

    def __init__(self, view: View, hidden: Hidden, worlds: Worlds, bidder: Bidder) -> None:
        self.view = view
        self.hidden = hidden
        self.worlds = worlds
        self.bidder = bidder
        self.found = np.zeros(worlds.size)
        took_dummy = any(call == "dummy" for _, call in view.said)
        self.unknown = {view.seat, view.maker if took_dummy else None}
        """Seats whose first hands are not guessed: oneself, and a maker who took up the dummy."""

    def likelihood(self) -> Floats:
        """Of everything."""
        if self.view.turned_card is not None:
            self._turned()
        else:
            self._bids()
        self._parted()
        return self.found

    def hand(self, seat: int) -> Masks:
        """What a seat holds and has played."""
        return self.worlds.cards[seat] | self.hidden.played[seat]

    # --- with a turned card -------------------------------------------------------------------------------------------

    def _turned(self) -> None:
        for number, (seat, call) in enumerate(self.view.said):
            if seat in self.unknown or call in ("dummy", "together") or (call in ("C", "D", "H", "S") and seat < 0):
                continue
            if call == "alone":
                self._alone(seat)
            elif number < self.view.seats and not call.suit:
                self._ordered(seat, order=call == "order")
            else:
                self._named(seat, call)

    def _ordered(self, seat: int, *, order: bool) -> None:
        hands = self.hand(seat)
        if seat == self.view.dealer and not order:
            hands = self.bidder.kept(hands)
        gap = self.bidder.ordering(seat, hands)
        self.found += _log_chance(gap if order else -gap, SURE)

    def _named(self, seat: int, call: str) -> None:
        down = self.bidder.turned_suit
        worth = self.bidder.naming(seat, self.hand(seat), [suit for suit in range(4) if suit != down])
        options = np.vstack([worth, np.zeros(self.worlds.size)])
        self.found += _log_share(options, CODE_BY_SUIT.get(call, 4), SURE)

    def _alone(self, seat: int) -> None:
        if seat == self.view.maker and self.view.trump:
            trumps = np.full(self.worlds.size, CODE_BY_SUIT[self.view.trump], np.int64)
            self.found += _log_chance(self.bidder.alone(self.hand(seat), trumps), SURE)

    # --- with bids ----------------------------------------------------------------------------------------------------

    def _bids(self) -> None:
        bidder, bid, swapped = -1, None, False
        for seat, call in self.view.said:
            if seat != self.view.seat and call in ("claim", "alone", "together"):
                continue
            if seat != self.view.seat:
                self._said(seat, call, bidder, bid, swap=self.view.seats == 3 and not swapped)
            swapped = swapped or call == "swap"
            if call in LADDER:
                bidder, bid = seat, call

    def _said(self, seat: int, call: str, bidder: int, bid: str | None, *, swap: bool) -> None:
        if call in CODE_BY_SUIT:
            self.found += _log_share(self.bidder.suits(self.hand(seat), self.view.bid or ""), CODE_BY_SUIT[call], SUITS_SURE)
            return
        hands = self.worlds.cards["extra"] if call == "swap" and "extra" in self.worlds.cards else self.hand(seat)
        calls = ["pass", *plain_bids(self.bidder, bid), *["swap"] * swap]
        calls += [call] * (call not in calls)
        worth = self.bidder.bidding(self.bidder.promises(hands), calls, seat, bidder, bid)
        self.found += _log_share(worth, calls.index(call), SURE)

    # --- cards laid away ----------------------------------------------------------------------------------------------

    def _parted(self) -> None:
        if self.view.trump is None:
            return
        layout = self.hidden.layout
        for name in ("discard", "thrown"):
            if name in self.worlds.cards:
                ranked = layout.ranked(self.worlds.cards[name], CODE_BY_SUIT[self.view.trump])
                trumps = np.bitwise_count(ranked & layout.trumps)
                aces = np.bitwise_count(ranked & layout.aces)
                self.found += THROWN_TRUMP * trumps + THROWN_ACE * aces


def plain_bids(bidder: Bidder, bid: str | None) -> Sequence[str]:
    """The plain bids over a bid, low to high."""
    highest = 11 if bidder.double else 5
    least = 3 if bid is None else int(bid) + 1 if bid.isdigit() else 99
    return [str(tricks) for tricks in range(least, highest + 1)]


def _log_chance(gap: Floats, sure: float) -> Floats:
    """The logarithm of the chance of a choice that is better than the other by `gap`."""
    found: Floats = np.log(SLIPS / 2 + (1 - SLIPS) / (1 + np.exp(-np.clip(gap / sure, -30, 30))))
    return found


def _log_share(worth: Floats, chosen: int, sure: float) -> Floats:
    """The logarithm of the chance of one of several choices, given what each is worth [choice, guess]."""
    odds = np.exp((worth - worth.max(axis=0)) / sure)
    found: Floats = np.log(SLIPS / len(worth) + (1 - SLIPS) * odds[chosen] / odds.sum(axis=0))
    return found
