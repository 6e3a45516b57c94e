"""The steps of a deal, each for a whole batch: `begin` and `apply` as in `referee.rules.phases`, with arrays of deals.

What may be answered, and every number that a variant's option sets, is asked of the rules' own step; what an answer does is said
here a second time, and the tests replay every move through the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from referee.playout.state import BIT, NONE, Masks
from referee.rules import phases
from referee.rules.cards import ALONE, ASK, CLAIM, DUMMY, JOKER, MOON, NAME_CLUBS, NAMES, ORDER, PASS, SWAP, bits
from referee.rules.tricks import RANK, SUIT_MASK

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.playout.state import Batch, Flags, Ints
    from referee.rules.deal import Step, Terms


class BatchStep:
    """A step of the deals of a batch."""

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the first question; returns those of `deals` in which there is something to ask."""
        raise NotImplementedError

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Take an answer in each of `deals`; returns those in which the step asks again."""
        raise NotImplementedError


class NameJokerSuit(BatchStep):
    """The dealer names the suit of a turned-up joker (C11)."""

    def __init__(self, _step: phases.NameJokerSuit, _terms: Terms) -> None:
        pass

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Where the joker is up."""
        deals = deals[batch.turned_card[deals] == JOKER]
        return batch.ask(deals, batch.dealer[deals], NAMES)

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Keep the suit."""
        batch.joker_suit[deals] = actions - NAME_CLUBS
        return NONE


class LayAway(BatchStep):
    """The dealer takes the twenty-fifth card and lays one away (B16)."""

    def __init__(self, _step: phases.LayAway, _terms: Terms) -> None:
        pass

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """One of seven."""
        dealers = batch.dealer[deals]
        batch.add(deals, dealers, batch.stock[deals])
        return batch.ask(deals, dealers, batch.hand(deals, dealers))

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Lay it away."""
        batch.remove(deals, batch.seat[deals], actions)
        return NONE


class Claim(BatchStep):
    """Ace, no face (B15)."""

    def __init__(self, _step: phases.Claim, terms: Terms) -> None:
        self._seats = terms.seats

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the first who can claim."""
        return self._ask_from(batch, deals, np.zeros(deals.size, np.intp))

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Throw the deal in, or ask the next."""
        claimed = actions == CLAIM
        batch.throw_in(deals[claimed])
        deals = deals[~claimed]
        return self._ask_from(batch, deals, (batch.seat[deals] - batch.dealer[deals] - 1) % self._seats + 1)

    def _ask_from(self, batch: Batch, deals: Ints, places: Ints) -> Ints:
        asked: Flags = np.zeros(deals.size, bool)
        for place in range(self._seats):
            seats = (batch.dealer[deals] + 1 + place) % self._seats
            here = ~asked & (places <= place) & _can_claim(batch.hand(deals, seats))
            batch.ask(deals[here], seats[here], phases.CLAIM_OR_NO)
            asked |= here
        return deals[asked]


def _can_claim(hands: Masks) -> Flags:
    aces, faces = np.uint64(phases.ACES), np.uint64(phases.FACES)
    found: Flags = ((hands & aces) != 0) & ((hands & faces) == 0)
    return found


class Bidding(BatchStep):
    """One turn each from the dealer's left: swap, pass or a higher bid; a moon closes (G2, G3, B2, B14, B17)."""

    def __init__(self, step: phases.Bidding, terms: Terms) -> None:
        self._seats = terms.seats
        self._swap = step.swap
        self._stick = step.stick_dealer
        answers = [
            step.calls(bid, swap=swap, stuck=stuck)
            for bid in range(-1, MOON)
            for swap in (False, True)
            for stuck in (False, True)
        ]
        self._calls: Masks = np.array(answers, np.uint64)

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the dealer's left."""
        return self._ask(batch, deals, (batch.dealer[deals] + 1) % self._seats)

    def _ask(self, batch: Batch, deals: Ints, seats: Ints) -> Ints:
        case = (batch.bid[deals] + 1) * 4
        if self._swap:
            case += 2 * ~batch.swapped[deals]
        if self._stick:
            case += (seats == batch.dealer[deals]) & (batch.maker[deals] < 0)
        return batch.ask(deals, seats, self._calls.take(case))

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Swap and ask the same seat again, or take its bid and go on."""
        seats, swaps = batch.seat[deals], actions == SWAP
        self._put_down(batch, deals[swaps], seats[swaps])
        bids = ~swaps & (actions != PASS)
        batch.bid[deals[bids]] = actions[bids]
        batch.maker[deals[bids]] = seats[bids]
        closes = (actions == MOON) | (~swaps & (seats == batch.dealer[deals]))
        closed = deals[closes]
        batch.throw_in(closed[batch.maker[closed] < 0])
        later = ~closes
        return self._ask(batch, deals[later], (seats[later] + ~swaps[later]) % self._seats)

    @staticmethod
    def _put_down(batch: Batch, deals: Ints, seats: Ints) -> None:
        """Exchange the whole hand for the ghost (G3)."""
        batch.hands[seats, deals], batch.extra[deals] = batch.extra[deals], batch.hands[seats, deals]
        batch.swapped[deals] = True


class NameTrump(BatchStep):
    """The highest bidder names any suit (G5, B4)."""

    def __init__(self, _step: phases.NameTrump, _terms: Terms) -> None:
        pass

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the bidder."""
        return batch.ask(deals, batch.maker[deals], NAMES)

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Set trump."""
        batch.trump[deals] = actions - NAME_CLUBS
        return NONE


class OrderTurned(BatchStep):
    """Round 1: pass, or order (C2, T1)."""

    def __init__(self, _step: phases.OrderTurned, terms: Terms) -> None:
        self._seats = terms.seats

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the dealer's left."""
        return batch.ask(deals, (batch.dealer[deals] + 1) % self._seats, phases.PASS_OR_ORDER)

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Close with the first order, or ask the next; the dealer is last."""
        seats, orders = batch.seat[deals], actions == ORDER
        ordered = deals[orders]
        batch.maker[ordered] = seats[orders]
        batch.trump[ordered] = batch.turned_suit(ordered)
        later = ~orders & (seats != batch.dealer[deals])
        return batch.ask(deals[later], (seats[later] + 1) % self._seats, phases.PASS_OR_ORDER)


class PickUp(BatchStep):
    """The dealer takes the turned card and discards, or, where he may, leaves it (C3, T1)."""

    def __init__(self, step: phases.PickUp, _terms: Terms) -> None:
        self._must = step.must

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the dealer, where the card was ordered."""
        deals = deals[batch.maker[deals] >= 0]
        dealers, cards = batch.dealer[deals], batch.turned_card[deals]
        legal = batch.hand(deals, dealers)
        batch.add(deals, dealers, cards)
        if not self._must:
            legal |= np.where(batch.maker[deals] != dealers, BIT.take(cards), 0)
        return batch.ask(deals, dealers, legal)

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Take the discard."""
        batch.remove(deals, batch.seat[deals], actions)
        return NONE


class NameSuit(BatchStep):
    """Round 2: pass, or name a suit (C4, T2)."""

    def __init__(self, step: phases.NameSuit, terms: Terms) -> None:
        self._seats = terms.seats
        self._stick = step.stick_dealer
        self._calls: Masks = np.array([step.calls(suit, stuck=stuck) for suit in range(4) for stuck in (False, True)], np.uint64)

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the dealer's left, where nobody ordered."""
        deals = deals[batch.maker[deals] < 0]
        return self._ask(batch, deals, (batch.dealer[deals] + 1) % self._seats)

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Close with the first suit, ask the next, or throw the deal in."""
        seats, names = batch.seat[deals], actions != PASS
        named = deals[names]
        batch.maker[named] = seats[names]
        batch.trump[named] = actions[names] - NAME_CLUBS
        last = seats == batch.dealer[deals]
        batch.throw_in(deals[last & ~names])
        later = ~(names | last)
        return self._ask(batch, deals[later], (seats[later] + 1) % self._seats)

    def _ask(self, batch: Batch, deals: Ints, seats: Ints) -> Ints:
        case = batch.turned_suit(deals) * 2
        if self._stick:
            case += seats == batch.dealer[deals]
        return batch.ask(deals, seats, self._calls.take(case))


class MakerAlone(BatchStep):
    """The maker says whether he plays alone (C5, T3)."""

    def __init__(self, step: phases.MakerAlone, terms: Terms) -> None:
        self._calls = step.calls
        self._teams = terms.sides == 2

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the maker."""
        return batch.ask(deals, batch.maker[deals], self._calls)

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """A lone maker's partner, where he has one, sits out; who says `dummy` takes it up."""
        lone, dummy = deals[actions == ALONE], deals[actions == DUMMY]
        makers = batch.maker[lone]
        batch.alone[lone] = 1 << makers
        batch.first_alone[lone] = makers
        if self._teams:
            batch.out[lone] |= 1 << (makers ^ 2)
        batch.hands[batch.maker[dummy], dummy] |= batch.extra[dummy]
        return NONE


class ThrowDummy(BatchStep):
    """The maker who took the dummy throws five cards away (C5)."""

    def __init__(self, _step: phases.ThrowDummy, terms: Terms) -> None:
        self._size = terms.hand_size

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Where the maker is not alone."""
        return self._ask(batch, deals[batch.first_alone[deals] < 0])

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Throw one away; go on until five are left."""
        makers = batch.maker[deals]
        batch.remove(deals, makers, actions)
        return self._ask(batch, deals[np.bitwise_count(batch.hand(deals, makers)) > self._size])

    @staticmethod
    def _ask(batch: Batch, deals: Ints) -> Ints:
        makers = batch.maker[deals]
        return batch.ask(deals, makers, batch.hand(deals, makers))


class DefendersAlone(BatchStep):
    """Each defender in turn says `alone` or `together`; the first `alone` closes (C6, T4)."""

    def __init__(self, step: phases.DefendersAlone, terms: Terms) -> None:
        seats = range(terms.seats)
        self._defenders: Ints = np.array(
            [[step.defenders(terms, dealer, maker) for maker in seats] for dealer in seats], np.intp
        ).reshape(terms.seats, terms.seats, 2)

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the first defender."""
        return batch.ask(deals, self._of(batch, deals)[:, 0], phases.ALONE_OR_TOGETHER)

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Close, or ask the second defender."""
        seats, defenders, lone = batch.seat[deals], self._of(batch, deals), actions == ALONE
        alone, speakers = deals[lone], seats[lone]
        batch.alone[alone] |= 1 << speakers
        batch.first_alone[alone] = np.where(batch.first_alone[alone] < 0, speakers, batch.first_alone[alone])
        batch.out[alone] |= 1 << (defenders[lone].sum(axis=1) - speakers)
        later = ~lone & (seats == defenders[:, 0])
        return batch.ask(deals[later], defenders[later, 1], phases.ALONE_OR_TOGETHER)

    def _of(self, batch: Batch, deals: Ints) -> Ints:
        return self._defenders[batch.dealer[deals], batch.maker[deals]]


def _from_best(trump: int) -> list[int]:
    """The trumps, the highest first."""
    return sorted(bits(SUIT_MASK[trump][trump]), key=lambda card: -RANK[trump][card])


_BEST_FIRST: Final[Masks] = BIT[np.array([_from_best(trump) for trump in range(4)])].T.copy()
"""[place][trump]: the mask of the trump in that place, from the best down."""


class Gift(BatchStep):
    """After an ask, bidder and partner exchange one card each (B5); the partner of a lone bidder then sits out (B6)."""

    def __init__(self, _step: phases.Gift, _terms: Terms) -> None:
        pass

    def begin(self, batch: Batch, deals: Ints) -> Ints:
        """Ask the bidder for his card, after an ask."""
        lone = deals[(batch.bid[deals] == ASK) | (batch.bid[deals] == MOON)]
        batch.out[lone] |= 1 << (batch.maker[lone] ^ 2)
        asked = lone[batch.bid[lone] == ASK]
        return batch.ask(asked, batch.maker[asked], batch.hand(asked, batch.maker[asked]))

    def apply(self, batch: Batch, deals: Ints, actions: Ints) -> Ints:
        """Set the bidder's card aside and ask the partner, or exchange."""
        seats = batch.seat[deals]
        batch.remove(deals, seats, actions)
        first = seats == batch.maker[deals]
        given, partners = deals[~first], seats[~first]
        batch.add(given, batch.maker[given], actions[~first])
        batch.add(given, partners, batch.set_aside[given])
        batch.set_aside[deals[first]] = actions[first]
        return self._ask_partner(batch, deals[first])

    @staticmethod
    def _ask_partner(batch: Batch, deals: Ints) -> Ints:
        """His best trump, or with no trump any card he likes."""
        partners, trumps = batch.maker[deals] ^ 2, batch.trump[deals]
        hands = batch.hand(deals, partners)
        best = np.zeros_like(hands)
        for place in _BEST_FIRST:
            np.copyto(best, hands & place.take(trumps), where=best == 0)
        return batch.ask(deals, partners, np.where(best == 0, hands, best))


BATCH_STEPS: Final[dict[type[Step], Callable[..., BatchStep]]] = {
    phases.NameJokerSuit: NameJokerSuit,
    phases.LayAway: LayAway,
    phases.Claim: Claim,
    phases.Bidding: Bidding,
    phases.NameTrump: NameTrump,
    phases.OrderTurned: OrderTurned,
    phases.PickUp: PickUp,
    phases.NameSuit: NameSuit,
    phases.MakerAlone: MakerAlone,
    phases.ThrowDummy: ThrowDummy,
    phases.DefendersAlone: DefendersAlone,
    phases.Gift: Gift,
}
"""The batch form of each step but the tricks, which `referee.playout.tricks` plays."""
