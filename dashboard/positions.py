"""A deal move by move, for a table that shows what lies where: one position before each move, and one at the end.

Like the replay these are worked out by the rules; the page's script only draws them, and knows no rule itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.replay import PHASES, SUITS, TURNED, Texts, Walk, in_order
from referee.rules.cards import CARDS, action_text, bits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.replay import Dealt, Move
    from referee.rules import Deal, Rules


@dataclass(frozen=True, slots=True)
class Position:
    """What lies where between two moves. By seat, unless it says otherwise; cards and calls in the record's notation."""

    turn: int | None
    """Who moves next; None when the deal is over."""
    phase: str
    legal: Texts
    """What the seat to move may answer."""
    hands: tuple[Texts, ...]
    """Sorted for the trump as it stands."""
    spare: Texts
    """The ghost or dummy; after a swap the hand that was put down for it."""
    away: tuple[Texts, ...]
    """Discarded, face down."""
    passing: tuple[tuple[int, str], ...]
    """Cards between partners: (giver, card), face down."""
    turned: str | None
    """The turned card, while it lies on the table."""
    said: tuple[str | None, ...]
    """The last thing said in the auction; nothing once cards are played."""
    trick: tuple[tuple[int, str], ...]
    """The trick on the table, whole or not: (seat, card) in order of play."""
    winner: int | None
    """Who took it, when it is whole."""
    taken: tuple[int, ...]
    trump: str | None
    maker: int | None
    bid: str | None
    alone: tuple[int, ...]
    """The seats that play alone."""
    out: tuple[int, ...]
    """The seats that sit out."""
    shown: tuple[int, ...]
    """The seats that have shown their whole hand to everybody."""


@dataclass(slots=True)
class _Aside:
    """What lies beside the hands and tricks: told from the moves, for the rules do not keep it in this form."""

    away: list[list[str]]
    said: list[str | None]
    shown: list[int] = field(default_factory=list)
    passing: list[tuple[int, str]] = field(default_factory=list)

    def take(self, move: Move, turned: str | None) -> None:
        """Note what a move puts aside."""
        if move.phase in {"lay_away", "dummy"} or (move.phase == "pick_up" and move.action != turned):
            self.away[move.seat].append(move.action)
        elif move.phase == "gift":
            self.passing = [] if self.passing else [(move.seat, move.action)]
        elif move.phase == "play":
            self.said = [None] * len(self.said)
        elif move.action == "claim":
            self.shown.append(move.seat)
        if move.phase in {"joker", "auction", "trump", "alone"} or move.action == "claim":
            self.said[move.seat] = move.action


class _Watched(Walk):
    """A deal played again with a look at the table after every move."""

    def __init__(self, deal: Deal, entry: Mapping[str, Any]) -> None:
        seats = deal.terms.seats
        self.aside = _Aside([[] for _ in range(seats)], [None] * seats)
        self.turned = action_text(deal.turned_card) if deal.turned_card >= 0 else None
        self.positions = [_look(deal, self.aside, self.turned)]
        super().__init__(deal, entry)

    def step(self, number: int, text: str) -> None:
        """Make a move and look."""
        super().step(number, text)
        self.aside.take(self.moves[-1][0], self.turned)
        self.positions.append(_look(self.deal, self.aside, self.turned))


def _look(deal: Deal, aside: _Aside, turned: str | None) -> Position:
    seats = range(deal.terms.seats)
    trick, winner = _trick(deal)
    lies = turned if PHASES[deal.phase] != "pick_up" and TURNED[deal.turned] != "taken" else None
    return Position(
        turn=deal.seat if deal.seat >= 0 else None,
        phase=PHASES[deal.phase],
        legal=tuple(map(action_text, bits(deal.legal))),
        hands=tuple(in_order(deal.hand(seat), deal.trump) for seat in seats),
        spare=in_order(bits(deal.extra & CARDS), deal.trump),
        away=tuple(map(tuple, aside.away)),
        passing=tuple(aside.passing),
        turned=lies,
        said=tuple(aside.said),
        trick=trick,
        winner=winner,
        taken=tuple(deal.tricks),
        trump=SUITS[deal.trump] if deal.trump >= 0 else None,
        maker=deal.maker if deal.maker >= 0 else None,
        bid=action_text(deal.bid) if deal.bid >= 0 else None,
        alone=tuple(deal.alone),
        out=tuple(seat for seat in seats if deal.out >> seat & 1),
        shown=tuple(aside.shown),
    )


def _trick(deal: Deal) -> tuple[tuple[tuple[int, str], ...], int | None]:
    """The trick of the last card played, and who took it if it is whole."""
    begun = deal.trick_list()
    if not begun:
        return (), None
    leader, cards, winner = begun[-1]
    cells, seat = [], leader
    for card in cards:
        cells.append((seat, action_text(card)))
        seat = deal.next_seat[seat]
    return tuple(cells), winner if winner >= 0 else None


def positions(rules: Rules, dealt: Dealt, entry: Mapping[str, Any]) -> tuple[Position, ...]:
    """Every position of a deal of a record: position k is that before move k, the last one the end.

    Raises:
        IllegalAction, ValueError, ReplayMismatch: the moves are not legal on this pack.
    """
    return tuple(_Watched(rules.deal(dealt.pack, dealt.dealer, dealt.number, dealt.total), entry).positions)
