"""What a seat sees, as a vector of fixed size: a function of its View and of nothing else, the same for every variant.

Seats and sides are counted from the seat that looks: 0 is itself, 1 the seat on its left, and so on. LAYOUT names the parts.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np

from referee.rules.cards import JOKER, PASS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from referee.rules import View

ACTIONS: Final = 64
"""Actions are the ints of the rules: cards 0..32, calls 41..63 (referee.rules.cards); the numbers between name nothing."""

_SEATS, _CARDS, _CALLS, _PHASES, _TRICKS = 4, JOKER + 1, ACTIONS - PASS, 11, 12

PARTS: Final[tuple[tuple[str, int, str], ...]] = (
    ("phase", _PHASES, "one-hot: what is decided, as in the protocol's Phase; 0 once the deal is over"),
    ("dealer", _SEATS, "one-hot by seat"),
    ("hand", _CARDS, "by card: how many copies the seat holds"),
    ("turned_card", _CARDS, "one-hot by card, zeros where none was turned"),
    ("turned", 5, "one-hot: 0 nothing turned, 1 lies there, 2 taken, 3 left, 4 turned down"),
    ("joker_suit", 4, "one-hot C D H S"),
    ("said", _SEATS * _CALLS, "by seat, then call: how often it was said; speakers take turns clockwise from the dealer's left"),
    ("trump", 4, "one-hot C D H S"),
    ("maker", _SEATS, "one-hot by seat"),
    ("bid", _CALLS, "one-hot by call: the highest bid"),
    ("alone", _SEATS, "by seat: plays alone"),
    ("out", _SEATS, "by seat: sits out"),
    ("played", _SEATS * _CARDS, "by seat, then card: the number of the trick, from 1, in which it played its first copy"),
    ("played_again", _SEATS * _CARDS, "the same for a second copy (double deck)"),
    ("trick", _SEATS * _CARDS, "by seat, then card: its card in the trick being played"),
    ("leaders", _TRICKS * _SEATS, "by trick, then seat: who led"),
    ("winners", _TRICKS * _SEATS, "by trick, then seat: who took it"),
    ("taken", _SEATS, "by seat: tricks taken in this deal"),
    ("total", 3, "by side: points before this deal"),
    ("penalty", 3, "by side: penalties in this deal"),
    ("target", 1, "the points that win the game"),
    ("deal", 1, "the number of the deal in the game, from 0"),
    ("put_away", _CARDS, "by card: copies that the seat itself laid or threw away, put down in a swap, or gave"),
    ("received", _CARDS, "one-hot by card: what its partner gave it"),
)
"""(name, length, meaning) of each part, in order."""

_ENDS = list(accumulate(length for _, length, _ in PARTS))
SIZE: Final = _ENDS[-1]
LAYOUT: Final = {name: slice(end - length, end) for (name, length, _), end in zip(PARTS, _ENDS, strict=True)}
"""Where each part lies: `vector[LAYOUT["hand"]]`."""

_AT: Final = {name: part.start for name, part in LAYOUT.items()}


def mask(legal: int) -> NDArray[np.int8]:
    """The rules' mask of legal actions as an array of 64 zeros and ones."""
    return np.unpackbits(np.array([legal], "<u8").view(np.uint8), bitorder="little").view(np.int8)


def encode(view: View, seats: int) -> NDArray[np.float32]:
    """A view as a vector of SIZE floats, unscaled; `seats` is the table's number of seats."""
    vector = np.zeros(SIZE, np.float32)
    _Encoder(vector, view, seats).write()
    return vector


class _Encoder:
    """Writes one view into a vector of zeros."""

    def __init__(self, vector: NDArray[np.float32], view: View, seats: int) -> None:
        self.vector = vector
        self.view = view
        self.seats = seats

    def write(self) -> None:
        self._cards()
        self._auction()
        self._tricks()
        self._points()

    def _seat(self, absolute: int) -> int:
        return (absolute - self.view.seat) % self.seats

    def _one(self, part: str, index: int, least: int = 0) -> None:
        """One-hot, nothing where the index is below `least`."""
        if index >= least:
            self.vector[_AT[part] + index - least] = 1

    def _seats_in(self, part: str, absolute: Iterable[int]) -> None:
        for seat in absolute:
            self.vector[_AT[part] + self._seat(seat)] = 1

    def _cards(self) -> None:
        view, vector = self.view, self.vector
        for part, cards in (("hand", view.hand), ("put_away", view.put_away)):
            for card in cards:
                vector[_AT[part] + card] += 1
        self._one("turned_card", view.turned_card)
        self._one("received", view.received)

    def _auction(self) -> None:
        view = self.view
        self._one("phase", view.phase)
        self._one("turned", view.turned)
        self._one("joker_suit", view.joker_suit)
        self._one("trump", view.trump)
        self._one("bid", view.bid, PASS)
        for seat, call in view.said:
            self.vector[_AT["said"] + self._seat(seat) * _CALLS + call - PASS] += 1
        self._seats_in("dealer", (view.dealer,))
        self._seats_in("maker", (view.maker,) if view.maker >= 0 else ())
        self._seats_in("alone", view.alone)
        self._seats_in("out", view.out)

    def _tricks(self) -> None:
        vector = self.vector
        for number, (leader, cards, winner) in enumerate(self.view.tricks):
            vector[_AT["leaders"] + number * _SEATS + self._seat(leader)] = 1
            if winner >= 0:
                vector[_AT["winners"] + number * _SEATS + self._seat(winner)] = 1
            for seat, card in zip(self._players(leader), cards, strict=False):
                self._play(number, self._seat(seat) * _CARDS + card)
                if winner < 0:
                    vector[_AT["trick"] + self._seat(seat) * _CARDS + card] = 1

    def _players(self, leader: int) -> list[int]:
        """Who plays to a trick, in order."""
        order = [(leader + step) % self.seats for step in range(self.seats)]
        return [seat for seat in order if seat not in self.view.out]

    def _play(self, number: int, cell: int) -> None:
        first = _AT["played"] + cell
        self.vector[_AT["played_again"] + cell if self.vector[first] else first] = number + 1

    def _points(self) -> None:
        view, vector = self.view, self.vector
        for seat, tricks in enumerate(view.taken):
            vector[_AT["taken"] + self._seat(seat)] = tricks
        sides = len(view.total)
        for part, points in (("total", view.total), ("penalty", view.penalty)):
            for side, value in enumerate(points):
                vector[_AT[part] + (side - view.seat) % sides] = value
        vector[_AT["target"]] = view.target
        vector[_AT["deal"]] = view.deal
