"""The tricks of a batch. Deals with as many cards a trick and as many tricks to come are played together, a trick at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from referee.playout.state import Masks, action_of, choose
from referee.playout.tables import Tabulated
from referee.rules.deal import Deal
from referee.rules.phases import next_seats
from referee.rules.tricks import FOLLOW, STRENGTH, SUIT_OF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from referee.playout.state import Batch, Cards, Ints
    from referee.rules.deal import Terms
    from referee.rules.phases import Play

_CARDS: Final = 33
_FOLLOW: Final[Masks] = np.array([FOLLOW[trump] for trump in range(4)], np.uint64).ravel()
"""[trump, card led]: what follows it."""
_WORTH: Final[NDArray[np.int8]] = np.array([STRENGTH[trump] for trump in range(4)], np.int8).ravel() * np.int8(4)
"""[trump, suit led, card]: four times what it is worth, so that the place in the trick can be added to it."""
_WORTHS: Final[Ints] = np.array([[(trump * 5 + suit) * _CARDS for suit in SUIT_OF[trump]] for trump in range(4)]).ravel()
"""[trump, card led]: where in _WORTH the cards' worth begins."""


class Tricks:
    """The play of the cards (K3, K4)."""

    def __init__(self, step: Play, terms: Terms) -> None:
        self._terms = terms
        seats = terms.seats
        model = Deal(terms, terms.pack, 0, 0, [0] * terms.sides)

        def lead(maker: int, dealer: int, out: int, first_alone: int) -> list[int]:
            model.maker, model.dealer, model.out = maker, dealer, out
            model.alone = (first_alone - 1,) if first_alone else ()
            model.next_seat = next_seats(seats, out)
            return [step.lead(model)]

        def order(out: int, leader: int) -> list[int]:
            after, found = next_seats(seats, out), [leader]
            while len(found) < seats - out.bit_count():
                found.append(after[found[-1]])
            return found + [0] * out.bit_count()

        self._lead = Tabulated(lead, (seats, seats, 1 << seats, seats + 1), 1)
        self._order = Tabulated(order, (1 << seats, seats), seats)

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Who leads to the first trick of each deal."""
        found = self._lead(batch.maker[deals], batch.dealer[deals], batch.out[deals], batch.first_alone[deals] + 1)
        leaders: Ints = found[0].astype(np.intp)
        return leaders

    def play(self, batch: Batch, deals: Ints, leaders: Ints, tricks: int, table: Cards) -> None:
        """Play the last `tricks` tricks of each deal; of the first of them the cards of `table` [place, deal] lie there."""
        sitting = np.bitwise_count(batch.out[deals])
        for width in range(2, self._terms.seats + 1):
            here = np.flatnonzero(sitting == self._terms.seats - width)
            if here.size:
                group = _Group(batch, deals[here], self._order(batch.out[deals[here]], leaders[here])[:width].astype(np.intp))
                group.play(tricks, table[:, here])


class _Group:
    """Deals with as many cards a trick. Rows are seats, first those of `order` and then, in every trick, from its leader on."""

    def __init__(self, batch: Batch, deals: Ints, order: Ints) -> None:
        self._batch, self._deals, self._order = batch, deals, order
        self._width, self._size = order.shape
        self._places = order * batch.size + deals
        self._hands = batch.hands.ravel().take(self._places)
        self._twice = batch.twice.ravel().take(self._places) if batch.double else None
        self._trump = batch.trump[deals] * _CARDS
        self._column = np.arange(self._size)
        self._rows = np.arange(self._width)[:, None]
        self._later = (3 - np.arange(self._width, dtype=np.int8))[:, None]
        self._modulo = np.arange(2 * self._width) % self._width
        self._offset = np.zeros(self._size, np.intp)
        """By how many places of `order` the leader of the trick is away from its start."""

    def play(self, tricks: int, table: Cards) -> None:
        """Play as many tricks, the first of them with what lies on the table, and count them."""
        taken = np.zeros(self._size, np.int64)
        for left in range(tricks, 0, -1):
            winner = self._winner(self._trick(table))
            table = table[:0]
            self._offset = self._modulo.take(self._offset + winner)
            taken += 1 << 4 * self._offset
            if left > 1:
                self._turn(winner)
        won = taken >> 4 * self._rows & 15
        self._batch.tricks.ravel()[self._places] += won

    def _trick(self, table: Cards) -> NDArray[np.uint8]:
        """The cards of a trick, in order of play, chosen where they do not lie there already."""
        cards: NDArray[np.uint8] = np.empty((self._width, self._size), np.uint8)
        there = len(table)
        cards[:there] = table
        if not there:
            self._put(cards, 0, 1, choose(self._hands[:1], self._batch.chance), self._hands[:1])
            there = 1
        hands = self._hands[there:]
        legal = hands & _FOLLOW.take(self._trump + cards[0])
        np.copyto(legal, hands, where=legal == 0)
        self._put(cards, there, self._width, choose(legal, self._batch.chance), legal)
        return cards

    def _put(self, cards: NDArray[np.uint8], first: int, end: int, chosen: Masks, legal: Masks) -> None:
        """Play a card from each of some rows."""
        cards[first:end] = action_of(chosen)
        if self._batch.record is not None:
            self._note(cards, first, end, legal)
        if self._twice is not None:
            second = self._twice[first:end] & chosen
            self._twice[first:end] ^= second
            chosen ^= second
        self._hands[first:end] ^= chosen
        self._batch.moves[self._deals] += end - first

    def _note(self, cards: NDArray[np.uint8], first: int, end: int, legal: Masks) -> None:
        assert self._batch.record is not None
        rows = self._rows[first:end]
        seats = self._order[self._modulo.take(self._offset + rows), self._column]
        self._batch.record.note(self._deals, self._batch.moves[self._deals] + rows - first, seats, legal, cards[first:end])

    def _winner(self, cards: NDArray[np.uint8]) -> Ints:
        """The place of the card that takes the trick; the first of equals (K4)."""
        worth = _WORTH.take(_WORTHS.take(self._trump + cards[0]) + cards)
        worth += self._later
        best = np.maximum.reduce(worth, axis=0)
        winner: Ints = np.subtract(3, best & np.int8(3), dtype=np.intp)
        return winner

    def _turn(self, winner: Ints) -> None:
        """Turn the rows so that the winner's is the first."""
        places = self._modulo.take(self._rows + winner)
        places *= self._size
        places += self._column
        self._hands = self._hands.ravel().take(places)
        if self._twice is not None:
            self._twice = self._twice.ravel().take(places)
