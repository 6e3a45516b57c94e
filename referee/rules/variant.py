"""A variant: its name, its seats, its options, and how they settle into the terms of a deal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.rules.options import Choice, Flag, Number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.rules.deal import Terms
    from referee.rules.options import Option, Value


@dataclass(frozen=True)
class Variant:
    """One line of VARIANTS. `settle` gets every option of `options`, in order, and fills in those that are None."""

    name: str
    title: str
    seats: int
    options: tuple[Option, ...]
    settle: Callable[[dict[str, Value | None]], Terms]

    @property
    def teams(self) -> bool:
        """Whether seats 0+2 and 1+3 are partners."""
        return self.seats == 4


def common_options(target: int, revoke_points: int) -> tuple[Option, ...]:
    """The options that every variant has."""
    return (
        Number("target", target, range(1, 1001), "the points that win the game (K7)"),
        Number("max_deals", 100, range(1, 10001), "the deals after which the game ends as it stands (K8)"),
        Choice(
            "revoke",
            ("replace", "stand"),
            "whether the lowest legal card is played instead, or the revoke stands (G9, B9)",
        ),
        Number("revoke_points", revoke_points, range(101), "what a revoke costs its side (G9, B9, C10)"),
    )


STICK_DEALER = Flag("stick_dealer", "the dealer may not pass when all the others have (B14, C4, T2)")

BID_OPTIONS: tuple[Option, ...] = (
    STICK_DEALER,
    Flag("ace_no_face", "a hand with an ace and no face card may be shown and throws the deal in (B15)"),
    Flag("joker", "25 cards with the joker, the highest trump; the dealer gets a seventh card and lays one away (B16)"),
)
"""The options of the variants with bids."""

TURN_OPTIONS: tuple[Option, ...] = (
    STICK_DEALER,
    Choice("round2_turned_suit", ("no", "yes", "stuck_only"), "whether round 2 may name the turned-down suit (C4, T2)"),
)
"""The options of the variants that turn a card up."""


def single_pack(lowest: str = "9", *, joker: bool = False) -> tuple[int, ...]:
    """The canonical pack from rank `lowest` up: suits C D H S, low to high, the joker last."""
    first = "789TJQKA".index(lowest)
    cards = tuple(suit * 8 + rank for suit in range(4) for rank in range(first, 8))
    return (*cards, 32) if joker else cards


def number(options: Mapping[str, Value | None], name: str) -> int:
    """The value of a numeric option."""
    value = options[name]
    assert isinstance(value, int)
    return value
