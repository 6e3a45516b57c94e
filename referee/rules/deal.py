"""One deal: a mutable object that knows who moves, what is legal, what a seat may see and what it scored.

A deal walks through the steps of its variant (claims, auction, trump, discards, alone, gift, play). A step sets `seat` and
`legal` when it begins and at each action; when it has nothing left to ask it calls `advance`. The tricks, where most moves are
made, are played by the deal itself once the step `Play` has begun them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from referee.rules.cards import (
    ALONE,
    BIT,
    CARDS,
    DUMMY,
    HIGH,
    LOW,
    NO,
    PASS,
    TOGETHER,
    action_text,
    bits,
    mask_of,
    pick,
    texts,
)
from referee.rules.errors import IllegalAction
from referee.rules.tricks import LED, NO_TRUMP, lowest
from referee.rules.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOBODY: Final = -1
NO_CARD: Final = -1

PHASE_JOKER: Final = 1
PHASE_LAY_AWAY: Final = 2
PHASE_CLAIM: Final = 3
PHASE_AUCTION: Final = 4
PHASE_TRUMP: Final = 5
PHASE_PICK_UP: Final = 6
PHASE_ALONE: Final = 7
PHASE_DUMMY: Final = 8
PHASE_GIFT: Final = 9
PHASE_PLAY: Final = 10

TURNED_UP: Final = 1
TURNED_TAKEN: Final = 2
TURNED_LEFT: Final = 3
TURNED_DOWN: Final = 4

_FALLBACKS: Final = (PASS, NO, TOGETHER, ALONE, DUMMY)


class Step:
    """A phase of a deal: what is asked of whom, and what the answer does."""

    def begin(self, deal: Deal) -> bool:
        """Ask the first question; False where the phase has nothing to ask in this deal."""
        raise NotImplementedError

    def apply(self, deal: Deal, action: int) -> None:
        """Take the answer of `deal.seat`, which is legal."""
        raise NotImplementedError


@dataclass(frozen=True)
class Terms:
    """A variant with its options settled: everything that a deal needs to run."""

    variant: str
    seats: int
    sides: int
    hand_size: int
    receivers: int
    """Hands dealt: the seats, and the ghost or dummy."""
    turns_up: bool
    """Whether the first card of the stock is turned up."""
    pack: tuple[int, ...]
    """The canonical pack: suits C D H S, low to high, each card twice running in a double deck, the joker last."""
    target: int
    max_deals: int
    revoke_stands: bool
    revoke_points: int
    steps: tuple[Step, ...]
    score: Callable[[Deal], list[int]]
    double: bool = False
    """Whether each card is in the pack twice."""

    def side(self, seat: int) -> int:
        """The side of a seat: itself with three players, else team 0+2 or team 1+3."""
        return seat if self.sides == 3 else seat & 1


class Deal:
    """A deal in progress.

    Public to read: `seat` (to move, -1 when over), `legal` (mask), `phase`, `moves`, `tricks` (by seat), `trump`, `maker`, `bid`,
    `thrown_in`, `penalty` (by side). `hands[seat]` is the mask of the cards held, `twice[seat]` of those held in two copies.
    """

    __slots__ = (
        "alone", "asker", "best", "bid", "called", "dealer", "double", "extra", "follow", "hands", "joker_suit", "leader",
        "legal", "maker", "moves", "next_seat", "number", "out", "penalty", "phase", "put_away", "received", "said", "seat",
        "set_aside", "step", "stock", "terms", "thrown_in", "to_come", "total", "tricks", "trump", "turned", "turned_card",
        "twice", "width", "winner", "winners", "worth",
    )  # fmt: skip

    def __init__(self, terms: Terms, pack: Sequence[int] | None, dealer: int, number: int, total: Sequence[int]) -> None:
        """A deal of a shuffled pack; without one it is blank, for who fills it in."""
        seats = terms.seats
        self.terms = terms
        self.dealer = dealer
        self.number = number
        self.total = total
        self.seat = NOBODY
        self.legal = 0
        self.phase = 0
        self.moves: list[int] = []
        self.double = terms.double
        self.hands = [0] * seats
        self.twice = [0] * seats
        self.put_away: list[tuple[int, ...]] = [()] * seats
        self.received = [NO_CARD] * seats
        self.extra = 0
        self.stock: tuple[int, ...] = ()
        self.set_aside = NO_CARD
        self.turned_card = NO_CARD
        self.turned = 0
        self.joker_suit = NO_TRUMP
        self.said: list[tuple[int, int]] = []
        self.trump = NO_TRUMP
        self.maker = NOBODY
        self.bid = -1
        self.alone: tuple[int, ...] = ()
        self.out = 0
        self.tricks = [0] * seats
        self.winners: list[int] = []
        self.penalty = [0] * terms.sides
        self.thrown_in = False
        # of the tricks, set when play begins: who leads first, how many moves came before, clockwise neighbour in the deal,
        # cards a trick, cards still to come in this one (0 until then, and after the last)
        self.leader = NOBODY
        self.called = 0
        self.next_seat: tuple[int, ...] = ()
        self.width = seats
        self.to_come = 0
        # of the trick being played: what follows (0 until a card lies), what each card is worth, the best so far and whose it is
        self.follow = 0
        self.worth: tuple[int, ...] = ()
        self.best = 0
        self.winner = NOBODY
        self.step = -1
        if pack is not None:
            self._deal_out(pack)
            self.advance()

    def _deal_out(self, pack: Sequence[int]) -> None:
        """Deal one card at a time from the dealer's left, the ghost or dummy last."""
        terms = self.terms
        receivers, seats = terms.receivers, terms.seats
        dealt = terms.hand_size * receivers
        hands, seat = self.hands, self.dealer
        for place in range(seats):
            seat = (seat + 1) % seats
            hand = 0
            for card in pack[place:dealt:receivers]:  # mask_of, without the call
                hand |= BIT[card]
            hands[seat] = hand
            if self.double:
                self.twice[seat] = _in_two_copies(pack[place:dealt:receivers])
        if receivers > seats:
            self.extra = mask_of(pack[seats:dealt:receivers])
        self.stock = tuple(pack[dealt:])
        if terms.turns_up:
            self.turned_card = self.stock[0]
            self.turned = TURNED_UP

    def copy(self) -> Deal:
        """A copy that is played on by itself."""
        other = Deal(self.terms, None, self.dealer, self.number, self.total)
        other.seat, other.legal, other.phase, other.step, other.asker = self.seat, self.legal, self.phase, self.step, self.asker
        other.moves, other.said, other.stock = self.moves[:], self.said[:], self.stock
        other.hands, other.twice, other.extra = self.hands[:], self.twice[:], self.extra
        other.put_away, other.received, other.set_aside = self.put_away[:], self.received[:], self.set_aside
        other.turned_card, other.turned, other.joker_suit = self.turned_card, self.turned, self.joker_suit
        other.trump, other.maker, other.bid, other.alone, other.out = self.trump, self.maker, self.bid, self.alone, self.out
        other.tricks, other.winners, other.leader, other.called = self.tricks[:], self.winners[:], self.leader, self.called
        other.penalty, other.thrown_in = self.penalty[:], self.thrown_in
        other.next_seat, other.width, other.to_come = self.next_seat, self.width, self.to_come
        other.follow, other.worth, other.best, other.winner = self.follow, self.worth, self.best, self.winner
        return other

    # ---- moving -----------------------------------------------------------------------------------------------------

    def turn(self) -> int:
        """The seat to move, or -1 when the deal is over."""
        return self.seat

    def apply(self, action: int) -> None:
        """Make the move of the seat to move; raises IllegalAction and changes nothing where it is not legal.

        Most moves are cards of a trick (K3, K4): they are made here, without a call, and all others by the step that asked.
        """
        try:
            bit = self.legal & BIT[action]
        except (IndexError, OverflowError):
            bit = 0
        if not bit or action < 0:
            raise IllegalAction(self._complaint(action))
        self.moves.append(action)
        to_come = self.to_come
        if not to_come:
            self.asker.apply(self, action)
            return
        seat, hands = self.seat, self.hands
        if self.double and self.twice[seat] & bit:
            self.twice[seat] -= bit
        else:
            hands[seat] = hands[seat] - bit
        follow = self.follow
        if follow:
            worth = self.worth[action]
            if worth > self.best:
                self.best = worth
                self.winner = seat
        else:
            follow, worths = LED[self.trump][action]
            self.follow = follow
            self.worth = worths
            self.best = worths[action]
            self.winner = seat
        if to_come > 1:
            self.to_come = to_come - 1
            self.seat = seat = self.next_seat[seat]
            hand = hands[seat]
            self.legal = hand & follow or hand
        else:
            self._close_trick(self.winner)

    def _close_trick(self, winner: int) -> None:
        """Give the trick to its winner, who leads next."""
        self.tricks[winner] += 1
        self.winners.append(winner)
        self.follow = 0
        hand = self.hands[winner]
        if hand:
            self.to_come = self.width
            self.seat = winner
            self.legal = hand
        else:
            self.to_come = 0
            self.advance()

    def play_out(self, draw: Callable[[], float]) -> None:
        """Play on to the end, each move as likely as every other legal one.

        `draw` gives a number from 0 up to but not including 1, such as `random.Random(7).random`; it is asked once for each move
        that is not forced. Cards lie where they are: who may not know that deals the unseen ones out first.
        """
        while self.seat != NOBODY:
            self.apply(pick(self.legal, draw))

    def _complaint(self, action: int) -> str:
        if self.seat == NOBODY:
            return "the deal is over"
        try:
            name = action_text(action)
        except KeyError:
            name = f"action {action}"
        return f"seat {self.seat} may not answer {name} (allowed: {' '.join(texts(self.legal))})"

    def advance(self) -> None:
        """Go on to the next step that has something to ask, or end the deal."""
        steps = self.terms.steps
        step = self.step + 1
        while step < len(steps):
            if steps[step].begin(self):
                self.step = step
                return
            step += 1
        self.step = step
        self.finish()

    def ask(self, step: Step, phase: int, seat: int, legal: int) -> bool:
        """Put a question, for steps; returns True so that `begin` may return it."""
        self.asker = step
        self.phase = phase
        self.seat = seat
        self.legal = legal
        return True

    def throw_in(self) -> None:
        """End the deal without a score (K8)."""
        self.thrown_in = True
        self.step = len(self.terms.steps)
        self.finish()

    def finish(self) -> None:
        """Nobody is to move any more."""
        self.seat = NOBODY
        self.legal = 0
        self.phase = 0

    def is_revoke(self, action: int) -> bool:
        """Whether the action is a card that the seat to move holds and may not play (G9, B9, C10)."""
        if self.phase != PHASE_PLAY or not 0 <= action <= 32:
            return False
        return bool(self.hands[self.seat] & ~self.legal & 1 << action)

    def revoke(self, card: int) -> int:
        """Book the price of a revoke and make the move that counts: `card` itself where revokes stand, else the lowest legal.

        Returns the card played; raises IllegalAction where `card` is no revoke.
        """
        if not self.is_revoke(card):
            raise IllegalAction(self._complaint(card))
        terms = self.terms
        self.penalty[terms.side(self.seat)] -= terms.revoke_points
        made = card if terms.revoke_stands else lowest(self.legal, self.trump)
        self.legal |= 1 << made
        self.apply(made)
        return made

    def fallback(self) -> int:
        """What the referee answers for a seat: pass, no, together, alone, dummy, the first call, or the lowest card."""
        legal = self.legal
        if legal & CARDS:
            return lowest(legal & CARDS, self.trump)
        for call in _FALLBACKS:
            if legal >> call & 1:
                return call
        return (legal & -legal).bit_length() - 1

    # ---- cards, for steps ---------------------------------------------------------------------------------------------

    def add(self, seat: int, card: int) -> None:
        """Put a card into a hand."""
        bit = 1 << card
        self.twice[seat] |= self.hands[seat] & bit
        self.hands[seat] |= bit

    def remove(self, seat: int, card: int) -> None:
        """Take one copy of a card out of a hand (B17)."""
        bit = 1 << card
        if self.twice[seat] & bit:
            self.twice[seat] ^= bit
        else:
            self.hands[seat] ^= bit

    def lay_away(self, seat: int, card: int) -> None:
        """Take a card out of a hand and out of play, unseen by others."""
        self.remove(seat, card)
        self.put_away[seat] += (card,)

    # ---- reading ------------------------------------------------------------------------------------------------------

    def hand(self, seat: int) -> list[int]:
        """The cards that a seat holds, ascending, each copy listed."""
        cards = bits(self.hands[seat])
        twice = self.twice[seat]
        return sorted(cards + bits(twice)) if twice else list(cards)

    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions, ascending; empty when the deal is over."""
        legal = self.legal
        try:
            return LOW[legal & 0xFFFF] + HIGH[legal >> 16]  # bits, without the call
        except KeyError:
            return bits(legal)

    def points(self) -> list[int]:
        """What each side scored, penalties within it; raises IllegalAction while the deal is not over."""
        if self.seat != NOBODY:
            raise IllegalAction(f"the deal is not over: seat {self.seat} is to move")
        if self.thrown_in:
            return list(self.penalty)
        points = self.terms.score(self)
        if any(self.penalty):
            for side, lost in enumerate(self.penalty):
                points[side] += lost
        return points

    def taken_by_side(self) -> list[int]:
        """Tricks by side."""
        if self.terms.sides == 3:
            return list(self.tricks)
        return [self.tricks[0] + self.tricks[2], self.tricks[1] + self.tricks[3]]

    def plays(self) -> list[int]:
        """The cards played, in order."""
        return self.moves[self.called :] if self.leader >= 0 else []

    def trick_list(self) -> list[tuple[int, list[int], int]]:
        """(leader, cards in order of play, winner or -1) of each trick begun."""
        plays, width = self.plays(), self.width
        leaders, winners = [self.leader, *self.winners], [*self.winners, NOBODY]
        starts = range(0, len(plays), width)
        return [(leaders[index], plays[start : start + width], winners[index]) for index, start in enumerate(starts)]

    def view(self, seat: int) -> View:
        """All that the seat may know, and no more (K9)."""
        return View(
            seat=seat,
            variant=self.terms.variant,
            deal=self.number,
            dealer=self.dealer,
            phase=self.phase,
            # the dealer names the joker's suit before looking at his hand (C11)
            hand=[] if self.phase == PHASE_JOKER and seat == self.dealer else self.hand(seat),
            turned_card=self.turned_card,
            turned=self.turned,
            joker_suit=self.joker_suit,
            said=list(self.said),
            trump=self.trump,
            maker=self.maker,
            bid=self.bid,
            alone=list(self.alone),
            out=[other for other in range(self.terms.seats) if self.out >> other & 1],
            tricks=self.trick_list(),
            taken=list(self.tricks),
            total=list(self.total),
            penalty=list(self.penalty),
            target=self.terms.target,
            put_away=list(self.put_away[seat]),
            received=self.received[seat],
        )


def _in_two_copies(cards: Sequence[int]) -> int:
    """The mask of the cards that are there twice."""
    once = twice = 0
    for card in cards:
        twice |= once & BIT[card]
        once |= BIT[card]
    return twice
