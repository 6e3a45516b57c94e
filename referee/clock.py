"""Time: the settings of a clock, and the only place where the referee reads one.

All times are in seconds as floats, on the monotonic clock of this machine; everything else takes `now` as an argument.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Final

from referee.errors import BadClock

if TYPE_CHECKING:
    from collections.abc import Mapping

now: Final = time.monotonic
"""The present moment, in seconds since some moment in the past."""

_DAY: Final = 86_400.0
_BOUNDS: Final = {"answer": (0.01, _DAY), "bank": (0.0, _DAY), "start": (0.01, _DAY), "grace": (0.0, _DAY), "faults": (1, 1000)}


@dataclass(frozen=True)
class Clock:
    """What bots are allowed: seconds, and a number of faults. Raises BadClock where a value is out of bounds."""

    answer: float = 1.0
    """For one answer."""
    bank: float = 10.0
    """For a whole game, drawn on by slow answers."""
    start: float = 20.0
    """From the order to the bot's Hello."""
    grace: float = 5.0
    """For a lost stream to come back."""
    faults: int = 3
    """How many faults forfeit a game."""

    def __post_init__(self) -> None:
        for name, (low, high) in _BOUNDS.items():
            value = getattr(self, name)
            if not math.isfinite(value) or not low <= value <= high:
                raise BadClock(f"clock {name}: {value} (allowed: {low} to {high})")
        if self.faults != int(self.faults):
            raise BadClock(f"clock faults: {self.faults} (allowed: a whole number)")

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Clock:
        """The clock that JSON describes; settings left out take their defaults. Raises BadClock."""
        known = [field.name for field in fields(cls)]
        settings: dict[str, float] = {}
        for name, value in given.items():
            if name not in known:
                raise BadClock(f"unknown clock setting {name!r} (known: {', '.join(known)})")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise BadClock(f"clock {name}: {value!r} is no number")
            settings[name] = value
        return cls(**settings)  # type: ignore[arg-type]  # faults is checked to be whole

    def as_json(self) -> dict[str, float]:
        """Every setting by name."""
        return asdict(self)
