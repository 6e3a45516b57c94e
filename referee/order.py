"""An order: some sets of one match in one seating, checked before anything is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from referee.errors import BadOrder
from referee.game import BadFormat, deals_of
from referee.shuffle import KEY_BYTES

if TYPE_CHECKING:
    from referee.clock import Clock
    from referee.rules import Rules

MOST_SETS: Final = 100_000
_DIGEST: Final = 32


@dataclass(frozen=True)
class OrderSeat:
    """Who plays one seat: the SHA-256 of the bot's token, and the bot's name for logs."""

    token: bytes
    bot: str


@dataclass(frozen=True)
class Order:
    """What to play. Raises BadOrder where a part of it cannot be."""

    match: str
    rules: Rules
    format: str
    key: bytes
    sets: tuple[int, ...]
    seating: tuple[int, ...]
    seats: tuple[OrderSeat, ...]
    clock: Clock

    def __post_init__(self) -> None:
        self._check_game()
        self._check_seats()

    def _check_game(self) -> None:
        try:
            deals_of(self.format)
        except BadFormat as error:
            raise BadOrder(str(error)) from None
        if len(self.key) != KEY_BYTES:
            raise BadOrder(f"match key of {len(self.key)} bytes (allowed: {KEY_BYTES})")
        if not self.sets or len(self.sets) > MOST_SETS or len(set(self.sets)) != len(self.sets):
            raise BadOrder(f"{len(self.sets)} sets (allowed: 1 to {MOST_SETS}, each once)")

    def _check_seats(self) -> None:
        seats = self.rules.seats
        if self.seating not in self.rules.seatings():
            raise BadOrder(f"seating {list(self.seating)} (allowed: {[list(one) for one in self.rules.seatings()]})")
        if len(self.seats) != seats:
            raise BadOrder(f"{len(self.seats)} seats (allowed: {seats} for {self.rules.name})")
        if any(len(seat.token) != _DIGEST for seat in self.seats):
            raise BadOrder(f"a token digest is not {_DIGEST} bytes long (allowed: SHA-256)")
        if len({seat.token for seat in self.seats}) != seats:
            raise BadOrder("two seats have the same token (allowed: a token of its own for each: no process may see two hands)")
