"""The referee's own slowness: measured, credited to whoever waits, and reason to void games when it is too much."""

from __future__ import annotations

import contextlib
import math
import os
from collections import deque
from typing import TYPE_CHECKING, Final

from referee.errors import BadClock

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT: Final = 0.1
"""Seconds: when the 99th percentile of the referee's own part of decisions is above this, games in play are void."""
WINDOW: Final = 2000
"""The percentile is that of the last so many decisions …"""
SECONDS: Final = 30.0
"""… within so many seconds …"""
LEAST: Final = 100
"""… once there are so many."""
USUAL: Final = 0.002
"""Seconds by which the pulse may be late before that counts."""
_KEPT: Final = 64


class Lag:
    """How late the event loop runs: summed up, which is not charged to a bot that is waited for, and at the worst.

    It is measured by a pulse that says when it is `due` and catches up when it runs. What comes first after a stall may be an
    answer, not the pulse: therefore an overdue pulse counts already.
    """

    __slots__ = ("_total", "_worst", "due")

    def __init__(self) -> None:
        self.due = math.inf
        self._total = 0.0
        self._worst: deque[tuple[float, float]] = deque(maxlen=_KEPT)  # falling: what was topped later is forgotten

    def catch_up(self, now: float) -> float:
        """The pulse runs: note how late it is, and return it; 0 where that is no more than usual."""
        late = self._overdue(now)
        self.due = math.inf
        self.add(late, now)
        return late

    def add(self, late: float, now: float) -> None:
        """Note that something ran `late` seconds after its time."""
        if late <= 0:
            return
        self._total += late
        worst = self._worst
        while worst and worst[-1][1] <= late:
            worst.pop()
        worst.append((now, late))

    def _overdue(self, now: float) -> float:
        late = now - self.due
        return late if late > USUAL else 0.0

    def total(self, now: float) -> float:
        """All lateness so far, in seconds."""
        return self._total + self._overdue(now)

    def free(self, now: float) -> float:
        """The time with all lateness taken out: two of these differ by what bots really had."""
        return now - self.total(now)

    def worst(self, since: float, now: float) -> float:
        """The longest single lateness since a moment."""
        if not self._worst or self._worst[-1][0] < since:  # as nearly always
            return self._overdue(now)
        return max(self._overdue(now), next((late for at, late in self._worst if at >= since), 0.0))


def limit_of(env: Mapping[str, str]) -> float:
    """Seconds of a referee's own time that are too many: what ARENA_LAG_SECONDS says, for machines that do other things too.

    Raises:
        BadClock: it is no positive number.
    """
    text = env.get("ARENA_LAG_SECONDS")
    if not text:
        return LIMIT
    with contextlib.suppress(ValueError):
        if float(text) > 0:
            return float(text)
    raise BadClock(f"ARENA_LAG_SECONDS: {text!r} is no time (allowed: seconds, more than 0; by default {LIMIT:g})")


class Watch:
    """Whether the referee lags: the 99th percentile of its own times over a sliding window.

    It is kept as a count of slow decisions. One stall delays every table that waits at that moment; those decisions count as
    one slow one, or a single hiccup would void all the games of a busy referee, although no bot was charged for it.
    """

    def __init__(self, limit: float | None = None, window: int = WINDOW, seconds: float = SECONDS, least: int = LEAST) -> None:
        self.limit = limit_of(os.environ) if limit is None else limit
        self._window = window
        self._seconds = seconds
        self._least = least
        self._times: deque[tuple[float, bool]] = deque()
        self._slow = 0
        self._stall = -math.inf
        """When the last slow decision that counted ended."""

    def add(self, own: float, now: float) -> None:
        """Note the referee's own part of a decision, in seconds, whose answer came `now`."""
        slow = own > self.limit and now - own >= self._stall
        if slow:
            self._stall = now
        self._times.append((now, slow))
        self._slow += slow
        if len(self._times) > self._window:
            self._forget()

    def _forget(self) -> None:
        self._slow -= self._times.popleft()[1]

    def lags(self, now: float) -> bool:
        """Whether more than one in a hundred of the decisions in the window was slow."""
        while self._times and now - self._times[0][0] > self._seconds:
            self._forget()
        return len(self._times) >= self._least and self._slow * 100 > len(self._times)

    def clear(self) -> None:
        """Begin anew, when the games that were measured are void."""
        self._times.clear()
        self._slow = 0
