"""The referee's own slowness: measured, credited to whoever waits, and reason to void games when it is too much."""

from __future__ import annotations

from collections import deque
from typing import Final

LIMIT: Final = 0.1
"""Seconds: when the 99th percentile of the referee's own part of decisions is above this, games in play are void."""
WINDOW: Final = 2000
"""The percentile is that of the last so many decisions …"""
SECONDS: Final = 30.0
"""… within so many seconds …"""
LEAST: Final = 100
"""… once there are so many."""


class Lag:
    """How late the event loop has run, summed up. What accrues while a bot is waited for is not charged to it."""

    __slots__ = ("total",)

    def __init__(self) -> None:
        self.total = 0.0

    def add(self, late: float) -> None:
        """Note that something ran `late` seconds after its time."""
        if late > 0:
            self.total += late


class Watch:
    """Whether the referee lags: the 99th percentile of its own times over a sliding window, kept as a count of slow ones."""

    def __init__(self, limit: float = LIMIT, window: int = WINDOW, seconds: float = SECONDS, least: int = LEAST) -> None:
        self.limit = limit
        self._window = window
        self._seconds = seconds
        self._least = least
        self._times: deque[tuple[float, bool]] = deque()
        self._slow = 0

    def add(self, own: float, now: float) -> None:
        """Note the referee's own part of a decision, in seconds."""
        slow = own > self.limit
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
