"""What an attempt has come to so far, for monitoring: decisions, faults by cause, times."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class Tally:
    """Figures of the games that were stored, and of one more that may be.

    A game that another attempt has stored already must not count again: `with_game` gives the figures with a game, and `keep`
    makes them the figures so far.
    """

    figures: dict[str, Any] = field(default_factory=dict)
    _next: dict[str, Any] = field(default_factory=dict)

    def with_game(self, record: Mapping[str, Any], latency: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Any]:
        """The figures with this game: its record, and the referee's counts of its decision times if it told them."""
        told = latency or {}
        self._next = {
            "decisions": self.figures.get("decisions", 0) + sum(told.get("bot", {}).get("counts", ())),
            "faults": dict(Counter(self.figures.get("faults", {})) + _faults(record)),
            "latency": {part: _sum(self.figures.get("latency", {}).get(part), counts) for part, counts in told.items()},
        }
        return self._next

    def keep(self) -> None:
        """The game of the last `with_game` was stored."""
        self.figures = self._next


def _faults(record: Mapping[str, Any]) -> Counter[str]:
    return Counter(fault["cause"] for deal in record["deals"] for fault in deal.get("faults", ()))


def _sum(one: Mapping[str, Any] | None, other: Mapping[str, Any]) -> dict[str, Any]:
    if one is None:
        return dict(other)
    counts = [here + there for here, there in zip(one["counts"], other["counts"], strict=True)]
    return {"counts": counts, "sum_us": one["sum_us"] + other["sum_us"]}
