"""Guesses at the hidden cards: each unseen card dealt to one of the places where it may be, many times over.

A card may not be with a seat that has shown to be out of its suit, and the card that the dealer took is nowhere but with him;
otherwise every way to deal the cards is as likely, up to a weight that each guess carries.
"""

from dataclasses import dataclass, replace

import numpy as np

from arena import Card, Phase, Turned, View
from arena.sdk.words import CARDS
from sample_bots.python.rollout.layout import Flags, Floats, Layout, Masks

_TINY = 1e-9


@dataclass(frozen=True)
class Place:
    """Where unseen cards may be."""

    name: int | str
    """A seat, "discard" (laid away by the dealer, or thrown with a dummy), "extra" (ghost or dummy) or "rest"."""
    needs: int
    """How many of them are there."""
    barred: frozenset[str] = frozenset()
    """The suits that it cannot have."""


@dataclass
class Worlds:
    """Guesses, a column each: the unseen cards of each place as plain masks, and the logarithm of each guess's weight."""

    cards: dict[int | str, Masks]
    weights: Floats

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.weights)

    def take(self, columns: Masks) -> "Worlds":
        """Some of them, each with the same weight."""
        return Worlds({name: masks[columns] for name, masks in self.cards.items()}, np.zeros(len(columns)))


class Hidden:
    """What a view leaves open: which cards are unseen, and where they may be."""

    def __init__(self, view: View, layout: Layout) -> None:
        self.layout = layout
        self.seen = self._seen(view)
        """The bit of each card that was seen, by place in `_seen`'s order: hand, put away, played, and a card on the table."""
        self.hand = sum(self.seen[: len(view.hand)])
        """The seat's own hand, as a plain mask."""
        self.played = self._played(view)
        """By seat: what it has played, as a plain mask."""
        unseen = layout.full ^ sum(self.seen)
        self.places = places_of(view, unseen.bit_count())
        held = view.dealer_holds
        at_dealer = held is not None and any(place.name == view.dealer for place in self.places)
        self.held = self._unseen_bit(held, unseen) if held is not None and at_dealer else 0
        self.dealer = view.dealer
        self.unseen = layout.bits(unseen ^ self.held)
        self._allowed = self._may_be(view)

    def _seen(self, view: View) -> list[int]:
        cards = [*view.hand, *view.put_away, *view.played]
        if view.turned_card is not None and view.turned is not Turned.TAKEN and view.turned_card not in view.hand:
            cards.append(view.turned_card)
        taken: list[int] = []
        mask = 0
        for card in cards:
            bit = self.layout.mask([card.code])
            taken.append(bit << 1 if mask & bit else bit)
            mask |= taken[-1]
        return taken

    def _played(self, view: View) -> list[int]:
        played = [0] * view.seats
        bits = iter(self.seen[len(view.hand) + len(view.put_away) :])
        for trick in view.tricks:
            for seat, _ in trick.plays:
                played[seat] |= next(bits)
        return played

    def _unseen_bit(self, card: Card, unseen: int) -> int:
        bit = self.layout.mask([card.code])
        return bit if unseen & bit else bit << 1

    def _may_be(self, view: View) -> Flags:
        """[unseen card, place]: whether the card may be there."""
        suits = [view.suit(CARDS[self.layout.codes(bit)[0]]) for bit in self.unseen]
        return np.array([[suit not in place.barred for place in self.places] for suit in suits], bool)

    def deal(self, size: int, chance: np.random.Generator) -> Worlds:
        """Guess so many times; guesses that came to nothing have weight 0, and are few."""
        needs = np.array([place.needs - (self.held != 0 and place.name == self.dealer) for place in self.places])
        room = np.repeat(needs[:, None].astype(np.float64), size, axis=1)
        dealt: Masks = np.zeros((len(self.places), size), np.int64)
        weights, columns = np.zeros(size), np.arange(size)
        # Whatever may be in fewest places is dealt first, so that a guess seldom comes to nothing.
        order = sorted(range(len(self.unseen)), key=lambda card: int(self._allowed[card].sum()))
        for card in order:
            open_room = room * self._allowed[card][:, None]
            below = np.cumsum(open_room, axis=0)
            if not self._allowed[card].all():
                weights += np.log(np.maximum(below[-1], _TINY))
            place = (chance.random(size) * below[-1] >= below[:-1]).sum(axis=0)
            dealt[place, columns] |= self.unseen[card]
            room[place, columns] -= 1
        weights[(room < 0).any(axis=0)] = -np.inf
        found = {place.name: dealt[row] for row, place in enumerate(self.places)}
        if self.held:
            found[self.dealer] = found[self.dealer] | self.held
        return Worlds(found, weights)


def places_of(view: View, unseen: int) -> list[Place]:
    """Where the unseen cards may be, so many in all."""
    hands = _hands(view)
    away = _away(view)
    places = [*hands, *(place for place in away if place.needs)]
    spare = unseen - sum(place.needs for place in places)
    if spare < 0:  # a card that the seat gave to a partner who sits out is seen
        places = [replace(place, needs=place.needs + spare) if place.name in view.out else place for place in places]
    return [*places, Place("rest", max(0, spare))]


def _hands(view: View) -> list[Place]:
    """The hands of the other seats, those in the play first."""
    if view.phase is not Phase.PLAY:
        return [Place(seat, hand_size(view)) for seat in range(view.seats) if seat != view.seat]
    playing = [Place(seat, needs, view.voids[seat]) for seat, needs in view.cards_left.items()]
    return playing + [Place(seat, hand_size(view)) for seat in view.out if seat != view.seat]


def _away(view: View) -> list[Place]:
    """What was laid away or thrown by others, and the ghost or dummy."""
    laid = view.turned is Turned.TAKEN or (view.table.is_on("joker") and view.phase is not Phase.LAY_AWAY)
    discards = int(laid and not view.is_dealer)
    thrown = any(call == "dummy" for _, call in view.said)
    by_other = thrown and view.maker != view.seat and view.phase in {Phase.PLAY, Phase.ALONE}
    extra = hand_size(view) if view.seats == 3 and not thrown and not _swapped(view) else 0
    return [Place("discard", discards), Place("thrown", 5 * by_other), Place("extra", extra)]


def _swapped(view: View) -> bool:
    return (view.seat, "swap") in view.said


def hand_size(view: View) -> int:
    """How many cards a hand has when the play begins."""
    if view.variant in ("cutthroat", "turn-up"):
        return 5
    return 12 if view.table.is_on("double_deck") else 6
