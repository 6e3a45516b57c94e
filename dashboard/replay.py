"""A deal played again for the eye: the record's moves, put back on the shuffled pack, as plain frozen values.

A record holds only moves; hands, tricks and points follow from the key and the rules, and are worked out here anew. Nothing in
this module reads the store or makes HTML. Cards and calls are texts in the record's notation ("JC", "XX", "pass", "4", "H").
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from referee.rules.cards import CARDS, action_text, bits, parse_action
from referee.rules.errors import IllegalAction
from referee.rules.tricks import NO_SUIT, effective_suit, strength

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.rules import Deal, Rules

Texts = tuple[str, ...]

SUITS = "CDHS"
PHASES = (
    "over", "joker", "lay_away", "claim", "auction", "trump", "pick_up", "alone", "dummy", "gift", "play",
)  # fmt: skip
"""Names of the phases, by their number in the protocol."""
TURNED = ("none", "up", "taken", "left", "down")
SPARE = {"ghost-hand": "ghost", "cutthroat": "dummy"}
"""What the hand that nobody sits behind is called."""


class ReplayMismatch(Exception):  # noqa: N818 -- reads as what happened
    """The stored moves do not lead to the stored result: the record is damaged or the rules have changed."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """How a deal begins."""

    number: int
    """The deal's number in its game, from 0."""
    dealer: int
    pack: Sequence[int]
    """The shuffled pack, in the order in which it is dealt."""
    total: tuple[int, ...]
    """Points of the game by side before this deal."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The referee stepped in at a move."""

    seat: int
    cause: str
    answer: str | None
    """What the bot had answered, in the record's words; None: nothing."""
    revoke: bool


@dataclass(frozen=True, slots=True)
class Move:
    """One move before the play, or one card played."""

    number: int
    """Position in the record's list of moves, from 0."""
    seat: int
    phase: str
    action: str
    legal: Texts
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Trick:
    """One finished trick."""

    number: int
    """From 1."""
    leader: int
    plays: tuple[Move, ...]
    """In order of play."""
    winner: int
    taken: tuple[int, ...]
    """Tricks by seat once this one is taken."""
    hands: tuple[Texts, ...]
    """By seat, before the lead."""


@dataclass(frozen=True, slots=True)
class Replay:
    """One deal from first to last."""

    number: int
    dealer: int
    hands: tuple[Texts, ...]
    """By seat, as dealt, sorted for the trump that was made."""
    spare: str | None
    """"ghost" or "dummy" where the variant deals one."""
    spare_hand: Texts
    turned_card: str | None
    turned: str
    """What became of it: none, up, taken, left, down."""
    stock: Texts
    """What was left of the pack, in its order, without the turned card."""
    before: tuple[Move, ...]
    """Every move before the first card is led."""
    play_hands: tuple[Texts, ...]
    """By seat, when the first card is led; empty when thrown in."""
    tricks: tuple[Trick, ...]
    trump: str | None
    maker: int | None
    bid: str | None
    alone: tuple[int, ...]
    out: tuple[int, ...]
    taken: tuple[int, ...]
    points: tuple[int, ...]
    """By side, penalties within them."""
    penalty: tuple[int, ...]
    """By side, 0 or negative."""
    total: tuple[int, ...]
    """By side, this deal counted."""
    thrown_in: bool

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every fault of the deal, in order."""
        return tuple(move.fault for move in self.moves if move.fault)

    @property
    def trumps(self) -> set[str]:
        """The cards that are trumps in this deal, bowers and joker among them; none when thrown in."""
        if self.trump is None:
            return set()
        suit = SUITS.index(self.trump)
        return {card for card in self.cards if effective_suit(parse_action(card), suit) == suit}

    @property
    def cards(self) -> set[str]:
        """Every card that a picture of this deal may show."""
        shown = {card for hand in self.hands for card in hand} | set(self.spare_hand) | set(self.stock)
        return shown | ({self.turned_card} if self.turned_card else set())

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move, in order."""
        return (*self.before, *(play for trick in self.tricks for play in trick.plays))

    def auction(self) -> list[list[tuple[Move, ...]]]:
        """The auction as rounds; each has a cell a seat from the dealer's left, with the calls made there."""
        seats = len(self.hands)
        rounds: list[list[tuple[Move, ...]]] = []
        last = seats
        for move in (move for move in self.before if move.phase == "auction"):
            place = (move.seat - self.dealer - 1) % seats
            if place < last:
                rounds.append([()] * seats)
            rounds[-1][place] += (move,)  # a swap and the bid after it share a cell
            last = place
        return rounds

    def other_moves(self) -> list[Move]:
        """What was decided before the play outside the auction, in order."""
        return [move for move in self.before if move.phase != "auction"]

    def happenings(self) -> list[list[Move]]:
        """The other moves, with the cards thrown away for the dummy taken together."""

        def step(move: Move) -> object:
            return move.phase if move.phase == "dummy" else move.number

        return [list(moves) for _, moves in groupby(self.other_moves(), step)]


_SUIT_ORDER = {NO_SUIT: -1, 3: 0, 2: 1, 0: 2, 1: 3}
"""Spades, hearts, clubs, diamonds: dark and light in turn."""


def in_order(cards: Iterable[int], trump: int) -> Texts:
    """Trumps first, then suit by suit, each from high to low."""

    def rank(card: int) -> tuple[bool, int, int]:
        suit = effective_suit(card, trump)
        return suit != trump, _SUIT_ORDER[suit], -strength(card, trump, suit)

    return tuple(action_text(card) for card in sorted(cards, key=rank))


class Walk:
    """Plays one deal of a record again and writes down what happened."""

    def __init__(self, deal: Deal, entry: Mapping[str, Any]) -> None:
        self.deal = deal
        self.faults = {int(fault["move"]): fault for fault in entry.get("faults", ())}
        self.seats = range(deal.terms.seats)
        self.moves: list[tuple[Move, list[list[int]]]] = []
        for number, text in enumerate(str(entry["moves"]).split()):
            self.step(number, text)

    def step(self, number: int, text: str) -> None:
        """Make the next move of the record."""
        deal = self.deal
        action = parse_action(text)
        hands = [deal.hand(seat) for seat in self.seats]
        fault = self._fault(number)
        move = Move(number, deal.seat, PHASES[deal.phase], text, tuple(map(action_text, bits(deal.legal))), fault)
        if fault and fault.revoke and fault.answer:
            made = deal.revoke(parse_action(fault.answer))
            if made != action:
                raise ReplayMismatch(f"move {number}: a revoke leads to {action_text(made)}, not to {text}")
        else:
            deal.apply(action)
        self.moves.append((move, hands))

    def _fault(self, number: int) -> Fault | None:
        stored = self.faults.get(number)
        if stored is None:
            return None
        answer = stored.get("answer")
        return Fault(int(stored["seat"]), str(stored["cause"]), answer, self._is_revoke(answer))

    def _is_revoke(self, answer: object) -> bool:
        try:
            return self.deal.is_revoke(parse_action(str(answer)))
        except ValueError:
            return False


def _tricks(walk: Walk) -> tuple[Trick, ...]:
    deal, plays = walk.deal, [entry for entry in walk.moves if entry[0].phase == "play"]
    taken = [0] * len(walk.seats)
    tricks = []
    at = 0
    for number, (leader, cards, winner) in enumerate(deal.trick_list(), 1):
        mine = plays[at : at + len(cards)]
        at += len(cards)
        taken[winner] += 1
        hands = tuple(in_order(hand, deal.trump) for hand in mine[0][1])
        tricks.append(Trick(number, leader, tuple(move for move, _ in mine), winner, tuple(taken), hands))
    return tuple(tricks)


def _compare(entry: Mapping[str, Any], **worked_out: Sequence[int]) -> None:
    for what, values in worked_out.items():
        if list(entry[what]) != list(values):
            raise ReplayMismatch(f"{what} are {list(values)} by the rules, {list(entry[what])} in the record")


def replay(rules: Rules, dealt: Dealt, entry: Mapping[str, Any]) -> Replay:
    """Play one deal of a record again.

    Args:
        rules: The variant with its options.
        dealt: The cards and who deals them.
        entry: The deal as the record has it: moves, faults, tricks, points, total.

    Raises:
        ReplayMismatch: the moves are not legal on this pack, or lead to another result than the stored one.
    """
    deal = rules.deal(dealt.pack, dealt.dealer, dealt.number, dealt.total)
    hands = [deal.hand(seat) for seat in range(rules.seats)]
    extra, stock = bits(deal.extra & CARDS), list(deal.stock)
    try:
        walk = Walk(deal, entry)
        points = deal.points()
    except (IllegalAction, ValueError) as error:
        raise ReplayMismatch(str(error)) from error
    total = [old + new for old, new in zip(dealt.total, points, strict=True)]
    _compare(entry, tricks=deal.tricks, points=points, total=total)
    tricks = _tricks(walk)
    turned = deal.turned_card
    return Replay(
        number=dealt.number,
        dealer=dealt.dealer,
        hands=tuple(in_order(hand, deal.trump) for hand in hands),
        spare=SPARE.get(rules.name) if extra else None,
        spare_hand=in_order(extra, deal.trump),
        turned_card=action_text(turned) if turned >= 0 else None,
        turned=TURNED[deal.turned],
        stock=tuple(map(action_text, stock[1:] if turned >= 0 else stock)),
        before=tuple(move for move, _ in walk.moves if move.phase != "play"),
        play_hands=tricks[0].hands if tricks else (),
        tricks=tricks,
        trump=SUITS[deal.trump] if deal.trump >= 0 else None,
        maker=deal.maker if deal.maker >= 0 else None,
        bid=action_text(deal.bid) if deal.bid >= 0 else None,
        alone=tuple(deal.alone),
        out=tuple(seat for seat in range(rules.seats) if deal.out >> seat & 1),
        taken=tuple(deal.tricks),
        points=tuple(points),
        penalty=tuple(deal.penalty),
        total=tuple(total),
        thrown_in=deal.thrown_in,
    )
