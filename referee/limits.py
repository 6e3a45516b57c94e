"""Limits against abuse. A limit is keyed to who offends, and none of them touches an answer to an open ask."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one session must keep to."""

    message_bytes: int = 64 * 1024
    """Size of one message to the referee."""
    open_asks: int = 64
    """Asks open at once, which is tables open at once."""
    stray_answers: int = 200
    """Answers a second that name no open ask."""
    streams: int = 5
    """Streams opened with one token within `stream_window`."""
    stream_window: float = 10.0
    """Seconds."""
    notices: int = 2048
    """Notices (tables opened and closed, faults, stale answers) that may wait for a bot that does not read."""
    hello: float = 10.0
    """Seconds from the opening of a stream to its Hello."""
    strangers: int = 256
    """Streams that may be open without having said Hello."""
    stuck: float = 0.1
    """Seconds that a write may block before the clocks of the asks behind it start."""


class Rate:
    """At most `most` events within any `window` seconds. Memory is bounded by `most`."""

    def __init__(self, most: int, window: float) -> None:
        self._window = window
        self._times: deque[float] = deque(maxlen=most)
        self._most = most

    def allow(self, now: float) -> bool:
        """Count an event at `now`; False where it is one too many (which is not counted)."""
        times = self._times
        if len(times) == self._most and now - times[0] < self._window:
            return False
        times.append(now)
        return True

    def wait(self, now: float) -> float:
        """Seconds until the next event would be allowed."""
        if len(self._times) < self._most:
            return 0.0
        return max(0.0, self._window - (now - self._times[0]))
