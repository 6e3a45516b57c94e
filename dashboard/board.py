"""What the card table of a replay is drawn from: a deal with its positions, as plain values for the page and its script."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dashboard import faces, telling

if TYPE_CHECKING:
    from dashboard.games import PlayedGame, Seat
    from dashboard.positions import Position
    from dashboard.replay import Move, Replay

Json = dict[str, Any]

AROUND = {3: ("s", "w", "e"), 4: ("s", "w", "n", "e")}
"""Where the seats sit, clockwise from whoever sits nearest."""


@dataclass(frozen=True, slots=True)
class Board:
    """A deal on the table."""

    near: int
    """The seat that sits nearest, at the bottom."""
    view: int | None
    """The seat whose view it is; None: all hands are open."""
    data: Json
    """Everything that the script needs, JSON-able."""
    seats: tuple[Seat, ...]

    def place(self, seat: int) -> str:
        """Where a seat sits: s, w, n or e."""
        count = len(self.seats)
        return AROUND[count][(seat - self.near) % count]

    def hidden(self, seat: int) -> bool:
        """Whether the hand of a seat is shown from behind."""
        return self.view is not None and seat != self.view


def board(played: PlayedGame, deal: Replay, view: int | None) -> Board:
    """Lay a deal out.

    Args:
        played: its game.
        deal: the deal, played again.
        view: the seat from which it is looked at; None for all hands open, seat 0 nearest.
    """
    found = played.positions(deal.number)
    data = {
        "seats": [seat.bot for seat in played.seats],
        "teams": played.teams,
        "around": AROUND[len(played.seats)],
        "dealer": deal.dealer,
        "spare": deal.spare,
        "turned": deal.turned_card,
        "stock": deal.stock,
        "thrownIn": deal.thrown_in,
        "ending": ending(played, deal),
        "moves": [_move(move, deal, played) for move in deal.moves],
        "positions": [_position(position) for position in found],
    }
    return Board(view or 0, view, data, played.seats)


def _move(move: Move, deal: Replay, played: PlayedGame) -> Json:
    return {
        "seat": move.seat,
        "phase": move.phase,
        "action": move.action,
        "tells": telling.tell(move, deal, played),
        "fault": telling.tell_fault(move, played),
    }


def _position(position: Position) -> Json:
    told = asdict(position)
    told["said"] = [call and telling.bubble(call) for call in position.said]
    return told


def ending(played: PlayedGame, deal: Replay) -> str:
    """How the deal came out, in a sentence."""
    if deal.thrown_in:
        return "The deal is thrown in and scores nothing."
    points = ", ".join(f"{side.bot} {deal.points[side.number]:+d}" for side in played.sides)
    return f"The deal is over: {points}.".replace("-", "−").replace("+0", "0")


def contract(deal: Replay) -> str:
    """What was to be made: "4 in hearts", "moon in clubs", "spades, alone"; empty where the deal was thrown in."""
    if deal.trump is None:
        return ""
    trump = faces.SUIT_NAMES[deal.trump]
    bid = f"{deal.bid} in {trump}" if deal.bid else trump
    return f"{bid}, alone" if deal.maker in deal.alone else bid
