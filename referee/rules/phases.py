"""The phases of a deal, shared by the variants: each says what is asked of whom and what the answer does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from referee.rules.cards import (
    ALONE,
    ASK,
    BIT,
    CLAIM,
    DUMMY,
    JOKER,
    MOON,
    NAME_CLUBS,
    NAMES,
    NO,
    ORDER,
    PASS,
    SUITS,
    SWAP,
    TOGETHER,
    bits,
)
from referee.rules.deal import (
    NO_CARD,
    NOBODY,
    PHASE_ALONE,
    PHASE_AUCTION,
    PHASE_CLAIM,
    PHASE_DUMMY,
    PHASE_GIFT,
    PHASE_JOKER,
    PHASE_LAY_AWAY,
    PHASE_PICK_UP,
    PHASE_PLAY,
    PHASE_TRUMP,
    TURNED_DOWN,
    TURNED_LEFT,
    TURNED_TAKEN,
    Step,
)
from referee.rules.tricks import best_trump

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.rules.deal import Deal, Terms

_PASS: Final = 1 << PASS
_SWAP: Final = 1 << SWAP
ALONE_OR_TOGETHER: Final = 1 << ALONE | 1 << TOGETHER
PASS_OR_ORDER: Final = _PASS | 1 << ORDER
CLAIM_OR_NO: Final = 1 << CLAIM | 1 << NO
ACES: Final = sum(1 << suit * 8 + 7 for suit in range(len(SUITS)))
FACES: Final = sum(0b111 << suit * 8 + 4 for suit in range(len(SUITS))) | 1 << JOKER


class NameJokerSuit(Step):
    """The dealer names the suit that a turned-up joker stands for (C11)."""

    def begin(self, deal: Deal) -> bool:
        """Ask the dealer, where the joker is up."""
        return deal.turned_card == JOKER and deal.ask(self, PHASE_JOKER, deal.dealer, NAMES)

    def apply(self, deal: Deal, action: int) -> None:
        """Keep the suit."""
        deal.said.append((deal.seat, action))
        deal.joker_suit = action - NAME_CLUBS
        deal.advance()


class LayAway(Step):
    """The dealer takes the twenty-fifth card and lays one away, face down, before anything else (B16)."""

    def begin(self, deal: Deal) -> bool:
        """Ask the dealer for one of seven."""
        dealer = deal.dealer
        deal.add(dealer, deal.stock[0])
        deal.stock = deal.stock[1:]
        return deal.ask(self, PHASE_LAY_AWAY, dealer, deal.hands[dealer])

    def apply(self, deal: Deal, action: int) -> None:
        """Lay it away."""
        deal.lay_away(deal.seat, action)
        deal.advance()


class Claim(Step):
    """Ace, no face: whoever can may show the hand and have the deal thrown in (B15). Only those who can are asked."""

    def begin(self, deal: Deal) -> bool:
        """Ask the first who can claim."""
        return self._ask_from(deal, 0)

    def apply(self, deal: Deal, action: int) -> None:
        """Throw the deal in, or ask the next. A `no` is not said aloud: it would tell what is in the hand (K9)."""
        if action == CLAIM:
            deal.said.append((deal.seat, action))
            deal.throw_in()
        elif not self._ask_from(deal, place_of(deal, deal.seat) + 1):
            deal.advance()

    def _ask_from(self, deal: Deal, place: int) -> bool:
        for later in range(place, deal.terms.seats):
            seat = seat_at(deal, later)
            if can_claim(deal.hands[seat]):
                return deal.ask(self, PHASE_CLAIM, seat, CLAIM_OR_NO)
        return False


def seat_at(deal: Deal, place: int) -> int:
    """The seat that speaks in the given place, 0 = the dealer's left."""
    return (deal.dealer + 1 + place) % deal.terms.seats


def place_of(deal: Deal, seat: int) -> int:
    """The place in which a seat speaks; the dealer is last."""
    return (seat - deal.dealer - 1) % deal.terms.seats


def can_claim(hand: int) -> bool:
    """Whether a hand has an ace and neither jack, queen, king nor joker (B15)."""
    return bool(hand & ACES) and not hand & FACES


class Bidding(Step):
    """One turn each from the dealer's left, dealer last: pass or a higher bid; a moon closes (G2, G3, B2, B14, B17)."""

    def __init__(self, ladder: int, *, swap: bool, stick_dealer: bool) -> None:
        self.ladder = ladder
        self.swap = swap
        self.stick_dealer = stick_dealer

    def begin(self, deal: Deal) -> bool:
        """Ask the dealer's left."""
        return self._ask(deal, seat_at(deal, 0), swap=self.swap)

    def apply(self, deal: Deal, action: int) -> None:
        """Swap and ask the same seat again, or take its bid and go on."""
        seat = deal.seat
        deal.said.append((seat, action))
        if action == SWAP:
            self._put_down(deal, seat)
            self._ask(deal, seat, swap=False)
            return
        if action != PASS:
            deal.bid = action
            deal.maker = seat
        if action == MOON or seat == deal.dealer:
            self._close(deal)
        else:
            self._ask(deal, (seat + 1) % deal.terms.seats, swap=self.swap and not _swapped(deal))

    def _ask(self, deal: Deal, seat: int, *, swap: bool) -> bool:
        stuck = self.stick_dealer and seat == deal.dealer and deal.maker == NOBODY
        return deal.ask(self, PHASE_AUCTION, seat, self.calls(deal.bid, swap=swap, stuck=stuck))

    def calls(self, bid: int, *, swap: bool, stuck: bool) -> int:
        """The mask of what may be called over `bid` (-1: none yet), by one who may swap, or may not pass."""
        return self.ladder >> bid + 1 << bid + 1 | (_SWAP if swap else 0) | (0 if stuck else _PASS)

    @staticmethod
    def _put_down(deal: Deal, seat: int) -> None:
        """Exchange the whole hand, unseen, for the ghost, which is dead from now on (G3)."""
        deal.put_away[seat] += bits(deal.hands[seat])
        deal.hands[seat], deal.extra = deal.extra, deal.hands[seat]

    @staticmethod
    def _close(deal: Deal) -> None:
        if deal.maker == NOBODY:
            deal.throw_in()
        else:
            deal.advance()


def _swapped(deal: Deal) -> bool:
    return SWAP in [call for _, call in deal.said]


class NameTrump(Step):
    """The highest bidder names any suit (G5, B4)."""

    def begin(self, deal: Deal) -> bool:
        """Ask the bidder."""
        return deal.ask(self, PHASE_TRUMP, deal.maker, NAMES)

    def apply(self, deal: Deal, action: int) -> None:
        """Set trump."""
        deal.said.append((deal.seat, action))
        deal.trump = action - NAME_CLUBS
        deal.advance()


class OrderTurned(Step):
    """Round 1: pass, or order, which makes the turned suit trump and the speaker the maker (C2, T1)."""

    def begin(self, deal: Deal) -> bool:
        """Ask the dealer's left."""
        return deal.ask(self, PHASE_AUCTION, seat_at(deal, 0), PASS_OR_ORDER)

    def apply(self, deal: Deal, action: int) -> None:
        """Close with the first order, or ask the next; after the dealer's pass the card is turned down."""
        seat = deal.seat
        deal.said.append((seat, action))
        if action == ORDER:
            deal.maker = seat
            deal.trump = turned_suit(deal)
            deal.advance()
        elif seat == deal.dealer:
            deal.turned = TURNED_DOWN
            deal.advance()
        else:
            deal.seat = (seat + 1) % deal.terms.seats  # the question stays as it is


def turned_suit(deal: Deal) -> int:
    """The suit of the turned card; for a joker the one that the dealer named (C11)."""
    return deal.joker_suit if deal.turned_card == JOKER else deal.turned_card >> 3


class PickUp(Step):
    """The dealer takes the turned card and discards, or, where he may, leaves it by "discarding" it (C3, T1)."""

    def __init__(self, *, must: bool) -> None:
        self.must = must

    def begin(self, deal: Deal) -> bool:
        """Ask the dealer, if the card was ordered."""
        if deal.maker == NOBODY:
            return False
        dealer = deal.dealer
        own, turned = deal.hands[dealer], BIT[deal.turned_card]
        deal.hands[dealer] = own | turned
        may_leave = not self.must and deal.maker != dealer
        return deal.ask(self, PHASE_PICK_UP, dealer, own | turned if may_leave else own)

    def apply(self, deal: Deal, action: int) -> None:
        """Take the discard; everybody sees whether the turned card was taken."""
        if action == deal.turned_card:
            deal.remove(deal.seat, action)
            deal.turned = TURNED_LEFT
        else:
            deal.lay_away(deal.seat, action)
            deal.turned = TURNED_TAKEN
        deal.advance()


class NameSuit(Step):
    """Round 2: pass, or name a suit; the first to name is the maker (C4, T2)."""

    def __init__(self, *, turned_suit: str, stick_dealer: bool) -> None:
        self.turned_suit = turned_suit
        self.stick_dealer = stick_dealer

    def begin(self, deal: Deal) -> bool:
        """Ask the dealer's left, if nobody ordered."""
        return deal.maker == NOBODY and self._ask(deal, seat_at(deal, 0))

    def apply(self, deal: Deal, action: int) -> None:
        """Close with the first suit, ask the next, or throw the deal in."""
        seat = deal.seat
        deal.said.append((seat, action))
        if action != PASS:
            deal.maker = seat
            deal.trump = action - NAME_CLUBS
            deal.advance()
        elif seat == deal.dealer:
            deal.throw_in()
        else:
            self._ask(deal, (seat + 1) % deal.terms.seats)

    def _ask(self, deal: Deal, seat: int) -> bool:
        stuck = self.stick_dealer and seat == deal.dealer
        return deal.ask(self, PHASE_AUCTION, seat, self.calls(turned_suit(deal), stuck=stuck))

    def calls(self, down: int, *, stuck: bool) -> int:
        """The mask of what may be called when suit `down` was turned down, by one who may pass or is stuck."""
        any_suit = self.turned_suit == "yes" or (self.turned_suit == "stuck_only" and stuck)
        barred = 0 if any_suit else 1 << NAME_CLUBS + down
        return NAMES & ~barred | (0 if stuck else _PASS)


class MakerAlone(Step):
    """The maker says whether he plays alone: against the dummy (C5) or without his partner (T3)."""

    def __init__(self, *, dummy: bool) -> None:
        self.calls = 1 << ALONE | 1 << (DUMMY if dummy else TOGETHER)

    def begin(self, deal: Deal) -> bool:
        """Ask the maker."""
        return deal.ask(self, PHASE_ALONE, deal.maker, self.calls)

    def apply(self, deal: Deal, action: int) -> None:
        """A lone maker's partner, where he has one, sits out; who says `dummy` takes it up."""
        seat = deal.seat
        deal.said.append((seat, action))
        if action == ALONE:
            deal.alone += (seat,)
            if deal.terms.sides == 2:
                deal.out |= 1 << (seat ^ 2)
        elif action == DUMMY:
            deal.hands[seat] |= deal.extra
            deal.extra = 0
        deal.advance()


class ThrowDummy(Step):
    """The maker who took the dummy throws five of the ten cards away, one after another (C5)."""

    def begin(self, deal: Deal) -> bool:
        """Ask the maker, if he took the dummy."""
        maker = deal.maker
        return maker not in deal.alone and deal.ask(self, PHASE_DUMMY, maker, deal.hands[maker])

    def apply(self, deal: Deal, action: int) -> None:
        """Throw one away; go on until five are left."""
        seat = deal.seat
        deal.lay_away(seat, action)
        deal.legal = deal.hands[seat]
        if deal.legal.bit_count() == deal.terms.hand_size:
            deal.advance()


class DefendersAlone(Step):
    """Each defender in turn says `alone` or `together`; the first `alone` closes, and the other defender sits out (C6, T4)."""

    def __init__(self, *, from_maker: bool) -> None:
        self.from_maker = from_maker

    def begin(self, deal: Deal) -> bool:
        """Ask the first defender."""
        first, _ = self.defenders(deal.terms, deal.dealer, deal.maker)
        return deal.ask(self, PHASE_ALONE, first, ALONE_OR_TOGETHER)

    def apply(self, deal: Deal, action: int) -> None:
        """Close, or ask the second defender."""
        seat = deal.seat
        first, second = self.defenders(deal.terms, deal.dealer, deal.maker)
        deal.said.append((seat, action))
        if action == ALONE:
            deal.alone += (seat,)
            deal.out |= 1 << (second if seat == first else first)
            deal.advance()
        elif seat == first:
            deal.seat = second  # the question stays as it is
        else:
            deal.advance()

    def defenders(self, terms: Terms, dealer: int, maker: int) -> tuple[int, int]:
        """The two defenders in the order in which they are asked: from the maker's left (C6), or from the dealer's (T4)."""
        return _DEFENDERS[terms.seats][maker if self.from_maker else dealer][maker]


def _defenders(seats: int, start: int, maker: int) -> tuple[int, int]:
    """The two seats that are not on the maker's side, the first clockwise after `start` before the other."""
    order = [(start + step) % seats for step in range(1, seats + 1)]
    first, second = [seat for seat in order if seat != maker and (seats == 3 or seat & 1 != maker & 1)]
    return first, second


_DEFENDERS: Final = {
    seats: tuple(tuple(_defenders(seats, start, maker) for maker in range(seats)) for start in range(seats)) for seats in (3, 4)
}
"""[seats][where one starts][maker]: the two defenders in order."""


class Gift(Step):
    """After an ask, bidder and partner exchange one card each, face down, neither seeing the other's first (B5).

    The partner of a bidder who asked or shoots the moon then sits out (B6).
    """

    def begin(self, deal: Deal) -> bool:
        """Ask the bidder for his card, after an ask."""
        if deal.bid in (ASK, MOON):
            deal.out |= 1 << (deal.maker ^ 2)
        return deal.bid == ASK and deal.ask(self, PHASE_GIFT, deal.maker, deal.hands[deal.maker])

    def apply(self, deal: Deal, action: int) -> None:
        """Set the bidder's card aside and ask the partner, or exchange."""
        seat = deal.seat
        deal.lay_away(seat, action)
        if seat == deal.maker:
            deal.set_aside = action
            self._ask_partner(deal, seat ^ 2)
            return
        self._receive(deal, deal.maker, action)
        self._receive(deal, seat, deal.set_aside)
        deal.set_aside = NO_CARD
        deal.advance()

    def _ask_partner(self, deal: Deal, partner: int) -> None:
        """His best trump, or with no trump any card he likes."""
        best = best_trump(deal.hands[partner], deal.trump)
        deal.ask(self, PHASE_GIFT, partner, deal.hands[partner] if best == NO_CARD else 1 << best)

    @staticmethod
    def _receive(deal: Deal, seat: int, card: int) -> None:
        deal.add(seat, card)
        deal.received[seat] = card


class Play(Step):
    """The tricks (K3, K4): who plays, and who leads first. The cards are played by `Deal.apply` itself."""

    def __init__(self, lead: Callable[[Deal], int]) -> None:
        self.lead = lead

    def begin(self, deal: Deal) -> bool:
        """Ask for the first lead."""
        deal.next_seat, deal.width = _SEATING[deal.terms.seats][deal.out]
        deal.to_come = deal.width
        deal.called = len(deal.moves)
        leader = deal.leader = self.lead(deal)
        return deal.ask(self, PHASE_PLAY, leader, deal.hands[leader])


def next_seats(seats: int, out: int) -> tuple[int, ...]:
    """By seat, the next one clockwise that plays; `out` is the mask of those who sit out."""
    return _SEATING[seats][out][0]


def _next_in(seat: int, seats: int, out: int) -> int:
    """The next seat clockwise that plays."""
    seat = (seat + 1) % seats
    return _next_in(seat, seats, out) if out >> seat & 1 else seat


def _seating(seats: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    return tuple(
        (tuple(_next_in(seat, seats, out) for seat in range(seats)), seats - out.bit_count()) for out in range((1 << seats) - 1)
    )


_SEATING: Final = {seats: _seating(seats) for seats in (3, 4)}
"""[seats][who sits out]: by seat, the next one clockwise that plays; and how many play."""


def lead_by_maker(deal: Deal) -> int:
    """The bidder leads (G5, B4)."""
    return deal.maker


def lead_from_dealer(deal: Deal) -> int:
    """The dealer's left, or the next who is in the deal (T5)."""
    return deal.next_seat[deal.dealer]


def lead_from_lone(deal: Deal) -> int:
    """Left of the lone player, the maker before a defender; of the dealer where nobody is alone (C7)."""
    return deal.next_seat[deal.alone[0] if deal.alone else deal.dealer]
