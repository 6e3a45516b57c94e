"""Many deals side by side, as arrays: what `referee.rules.Deal` holds of one deal, a column a deal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.rules.cards import JOKER, SWAP
from referee.rules.tricks import NO_TRUMP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.rules import Deal
    from referee.rules.deal import Terms

Masks: TypeAlias = NDArray[np.uint64]
"""Sets of actions, as in `referee.rules.cards`."""
Ints: TypeAlias = NDArray[np.intp]
Cards: TypeAlias = NDArray[np.int8]
Flags: TypeAlias = NDArray[np.bool_]

ONE: Final = np.uint64(1)
BIT: Final[Masks] = ONE << np.arange(64, dtype=np.uint64)
"""[action]: the mask of it alone."""
NONE: Final[Ints] = np.empty(0, np.intp)

_HALF: Final = np.uint64(32)


def choose(legal: Masks, chance: np.random.Generator) -> Masks:
    """One bit of each mask, each as likely as the others (to one part in 2**28). No mask may be empty."""
    count = np.bitwise_count(legal)
    drawn = chance.integers(0, 1 << 32, legal.shape, np.uint32)
    skip = np.multiply(drawn, count, dtype=np.uint64)
    skip >>= _HALF
    left = legal.copy()
    for _ in range(int(count.max(initial=1)) - 1):  # drop the lowest bit where some are still to be skipped
        step = np.minimum(skip, ONE)
        skip -= step
        np.subtract(left, step, out=step)
        left &= step
    left &= -left
    return left


def action_of(bit: Masks) -> NDArray[np.uint8]:
    """The action that a mask of one bit stands for."""
    action: NDArray[np.uint8] = np.bitwise_count(bit - ONE)
    return action


class Record:
    """Every move of a batch: by deal and move number, who was asked, what was legal and what was answered."""

    def __init__(self, size: int, most: int) -> None:
        self.actions: Cards = np.full((size, most), -1, np.int8)
        self.seats: Cards = np.full((size, most), -1, np.int8)
        self.legal: Masks = np.zeros((size, most), np.uint64)

    def note(self, deals: Ints, number: Ints, seats: Ints, legal: Masks, actions: NDArray[np.uint8]) -> None:
        """Note the move of each of `deals`, which is its `number`th."""
        self.seats[deals, number] = seats
        self.legal[deals, number] = legal
        self.actions[deals, number] = actions

    @classmethod
    def joined(cls, parts: Sequence[Record]) -> Record | None:
        """The records of several batches as one; None of none."""
        if not parts:
            return None
        whole = cls(0, 0)
        whole.actions = np.concatenate([part.actions for part in parts])
        whole.seats = np.concatenate([part.seats for part in parts])
        whole.legal = np.concatenate([part.legal for part in parts])
        return whole


class Batch:
    """Deals side by side. `hands[seat, deal]` is a mask, `twice` that of the cards held in two copies; the rest are columns."""

    def __init__(self, terms: Terms, size: int, chance: np.random.Generator) -> None:
        def ints(value: int) -> Ints:
            return np.full(size, value, np.intp)

        self.terms = terms
        self.size = size
        self.chance = chance
        self.double = terms.double
        self.hands: Masks = np.zeros((terms.seats, size), np.uint64)
        self.twice: Masks = np.zeros((terms.seats, size), np.uint64) if self.double else np.zeros((0, 0), np.uint64)
        self.extra: Masks = np.zeros(size, np.uint64)
        self.stock = ints(-1)
        self.dealer = ints(0)
        self.turned_card = ints(-1)
        self.joker_suit = ints(NO_TRUMP)
        self.trump = ints(NO_TRUMP)
        self.maker = ints(-1)
        self.bid = ints(-1)
        self.swapped: Flags = np.zeros(size, bool)
        self.alone = ints(0)
        self.first_alone = ints(-1)
        self.out = ints(0)
        self.set_aside = ints(-1)
        self.seat = ints(-1)
        self.legal: Masks = np.zeros(size, np.uint64)
        self.live: Flags = np.ones(size, bool)
        """Not thrown in; of deals that were begun elsewhere, nor over."""
        self.thrown_in: Flags = np.zeros(size, bool)
        self.tricks: Ints = np.zeros((terms.seats, size), np.intp)
        self.moves = ints(0)
        """How many were made in the batch."""
        # of deals that were begun elsewhere: the step that they are in; of one in its tricks who leads, how many cards lie on the
        # table, which ones [place, deal], and how many tricks are to be played, this one counted
        self.begun = ints(-1)
        self.leader = self.lying = self.to_play = self.begun
        self.table: Cards = np.empty((0, size), np.int8)
        self.record: Record | None = None

    # ---- cards --------------------------------------------------------------------------------------------------------

    def hand(self, deals: Ints, seats: Ints) -> Masks:
        """The hands of one seat in each of some deals."""
        return self.hands.ravel().take(seats * self.size + deals)

    def add(self, deals: Ints, seats: Ints, cards: Ints) -> None:
        """Put a card into a hand of each deal."""
        bit = BIT.take(cards)
        if self.double:
            self.twice[seats, deals] |= self.hands[seats, deals] & bit
        self.hands[seats, deals] |= bit

    def remove(self, deals: Ints, seats: Ints, cards: Ints) -> None:
        """Take one copy of a card out of a hand of each deal (B17)."""
        bit = BIT.take(cards)
        if self.double:
            second = self.twice[seats, deals] & bit
            self.twice[seats, deals] ^= second
            bit ^= second
        self.hands[seats, deals] ^= bit

    # ---- asking -------------------------------------------------------------------------------------------------------

    def ask(self, deals: Ints, seats: Ints, legal: Masks | int) -> Ints:
        """Put a question in each of `deals`; returns them."""
        self.seat[deals] = seats
        self.legal[deals] = legal
        return deals

    def answer(self, deals: Ints) -> Ints:
        """Choose an action in each of `deals`, note it and return it."""
        legal = self.legal.take(deals)
        action = action_of(choose(legal, self.chance))
        if self.record is not None:
            self.record.note(deals, self.moves.take(deals), self.seat.take(deals), legal, action)
        self.moves[deals] += 1
        return action.astype(np.intp)

    def throw_in(self, deals: Ints) -> None:
        """End deals without a score (K8)."""
        self.live[deals] = False
        self.thrown_in[deals] = True

    def turned_suit(self, deals: Ints) -> Ints:
        """The suit of the turned card; for a joker the one that the dealer named (C11)."""
        card = self.turned_card.take(deals)
        return np.where(card == JOKER, self.joker_suit.take(deals), card >> 3)


def deal_out(terms: Terms, packs: Cards, dealers: Ints, chance: np.random.Generator) -> Batch:
    """Deals of packs, given as [card of the pack, deal]: a card at a time from the dealer's left, the ghost or dummy last."""
    batch = Batch(terms, packs.shape[1], chance)
    batch.dealer[:] = dealers
    dealt, size = terms.hand_size * terms.receivers, batch.size
    bits = BIT.take(packs[:dealt]).reshape(terms.hand_size, terms.receivers, size)
    once = np.bitwise_or.reduce(bits, axis=0)
    # place 0 is the dealer's left: by seat, where its hand lies in the rows of places
    places = (np.arange(terms.seats)[:, None] - 1 - dealers) % terms.seats
    places = places * size + np.arange(size)
    batch.hands[:] = once.ravel().take(places)
    if batch.double:
        batch.twice[:] = _twice(bits).ravel().take(places)
    if terms.receivers > terms.seats:
        batch.extra[:] = once[terms.seats]
    if packs.shape[0] > dealt:
        batch.stock[:] = packs[dealt]
    if terms.turns_up:
        batch.turned_card[:] = packs[dealt]
    return batch


def _twice(bits: Masks) -> Masks:
    """Of masks [card, hand, deal], those that come twice in a hand."""
    once: Masks = np.zeros_like(bits[0])
    twice: Masks = np.zeros_like(bits[0])
    for card in bits:
        twice |= once & card
        once |= card
    return twice


def shuffle(pack: Sequence[int], size: int, drawn: int, chance: np.random.Generator) -> Cards:
    """Packs [card, deal] of which the first `drawn` cards are in random order, every order as likely (to one part in 2**26)."""
    cards = len(pack)
    packs: Cards = np.empty((cards, size), np.int8)
    packs[:] = np.array(pack, np.int8)[:, None]
    flat, column = packs.ravel(), np.arange(size)
    numbers = chance.integers(0, 1 << 32, (min(drawn, cards - 1), size), np.uint32)
    for place, number in enumerate(numbers):  # Fisher and Yates, from the top
        other = number.astype(np.intp)
        other *= cards - place
        other >>= 32
        other += place
        other *= size
        other += column
        taken = flat.take(other)
        flat[other] = packs[place]
        packs[place] = taken
    return packs


def gather(deals: Sequence[Deal], terms: Terms, times: int, chance: np.random.Generator) -> Batch:
    """The batch of deals that were begun elsewhere, each `times` times running."""

    def repeated(values: Sequence[object], kind: type = np.intp) -> NDArray[Any]:
        column: NDArray[Any] = np.repeat(np.array(values, kind), times, axis=0)
        return column

    batch = Batch(terms, len(deals) * times, chance)
    for name in ("dealer", "turned_card", "joker_suit", "trump", "maker", "bid", "out", "set_aside", "seat", "legal", "extra"):
        column = getattr(batch, name)
        column[:] = repeated([getattr(deal, name) for deal in deals], column.dtype)
    batch.begun[:] = repeated([deal.step for deal in deals])
    batch.hands[:] = repeated([deal.hands for deal in deals], np.uint64).T
    batch.tricks[:] = repeated([deal.tricks for deal in deals]).T
    if batch.double:
        batch.twice[:] = repeated([deal.twice for deal in deals], np.uint64).T
    batch.stock[:] = repeated([deal.stock[0] if deal.stock else -1 for deal in deals])
    batch.swapped[:] = repeated([any(call == SWAP for _, call in deal.said) for deal in deals], bool)
    batch.alone[:] = repeated([sum(1 << seat for seat in deal.alone) for deal in deals])
    batch.first_alone[:] = repeated([deal.alone[0] if deal.alone else -1 for deal in deals])
    batch.live[:] = batch.seat >= 0
    batch.thrown_in[:] = repeated([deal.thrown_in for deal in deals], bool)
    lying = [deal.plays()[len(deal.winners) * deal.width :] for deal in deals]
    batch.leader = repeated([deal.winners[-1] if deal.winners else deal.leader for deal in deals])
    batch.lying = repeated([len(cards) for cards in lying])
    batch.to_play = repeated([terms.hand_size - len(deal.winners) for deal in deals])
    batch.table = repeated([[*cards, -1, -1, -1, -1][:4] for cards in lying], np.int8).T
    return batch
