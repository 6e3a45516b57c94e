"""One finished game as the statistics see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class GameResult:
    """The outcome of one game of a complete set (a set counts once all its games are in: nothing else is handed over).

    Every tuple but `forfeits` has one entry a line-up index: `bots` their names, `places` their places (1 is best, ties
    share), `points` their game totals, `faults` how often each cause occurred. `forfeits` lists line-up indexes.
    `(variant, match, set)` names the set; `stored_at` is when the game came in (Unix seconds).

    Raises:
        ValueError: the tuples differ in length, a forfeit names no line-up index, or deals is negative.
    """

    match: str
    variant: str
    set: int
    bots: tuple[str, ...]
    places: tuple[int, ...]
    points: tuple[int, ...]
    deals: int
    faults: tuple[Mapping[str, int], ...]
    forfeits: tuple[int, ...]
    stored_at: float = field(default=0.0, compare=False)  # results are the same whenever they came in

    def __post_init__(self) -> None:
        size = len(self.bots)
        if not len(self.places) == len(self.points) == len(self.faults) == size:
            raise ValueError(
                f"game of {size} bots with {len(self.places)} places, {len(self.points)} points and "
                f"{len(self.faults)} faults: there must be one of each for every bot of the line-up"
            )
        if any(not 0 <= index < size for index in self.forfeits):
            raise ValueError(f"forfeits {self.forfeits}: must be line-up indexes, 0 to {size - 1}")
        if self.deals < 0:
            raise ValueError(f"deals {self.deals}: must not be negative")
