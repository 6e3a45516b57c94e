"""A variant together with its options, resolved: what a match is played by."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from referee.rules.cards import shuffled
from referee.rules.deal import Deal
from referee.rules.options import resolve
from referee.rules.variants import find_variant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.rules.options import Value

_TEAM_SEATINGS = ((0, 1, 0, 1), (1, 0, 1, 0))


class Rules:
    """The rules of a match.

    Raises UnknownVariant or BadOption, whose messages list what is known. `options` holds every option, resolved, as the record's
    header has it.
    """

    def __init__(self, name: str, options: Mapping[str, object] | None = None) -> None:
        self.variant = find_variant(name)
        settled = resolve(name, self.variant.options, options or {})
        self.terms = self.variant.settle(settled)
        self.options: dict[str, Value] = {key: value for key, value in settled.items() if value is not None}
        self.name = name
        self.seats = self.terms.seats
        self.sides = self.terms.sides
        self.pack = self.terms.pack
        self.target = self.terms.target
        self.max_deals = self.terms.max_deals
        self.side = self.terms.side

    @property
    def bots(self) -> int:
        """How many bots a match takes: three, or two that fill a team each."""
        return self.sides

    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """The seatings of a duplicate set: by seat, the index of the bot in the line-up."""
        return tuple(permutations(range(3))) if self.seats == 3 else _TEAM_SEATINGS

    def shuffled(self, draw: Callable[[], float]) -> list[int]:
        """The pack in random order, each order as likely; `draw` gives numbers as `Deal.play_out` has them."""
        return shuffled(self.pack, draw)

    def deal(self, pack: Sequence[int], dealer: int, number: int = 0, total: Sequence[int] = ()) -> Deal:
        """A new deal of a shuffled pack; `number` and `total` (points by side) only tell the seats how the game stands."""
        return Deal(self.terms, pack, dealer, number, total or [0] * self.sides)
