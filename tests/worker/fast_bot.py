"""A fast bot that always does the same in the same position, each number in its own way: `fast_bot.py NUMBER [MILLISECONDS]`."""

from __future__ import annotations

import sys
import time
from random import Random
from zlib import crc32

from arena import Answer, Bot, View, run


class FastBot(Bot):
    """Throws dice that are seeded by what it sees and by its number; may take its time over it."""

    name = "fast"

    def __init__(self, number: int, seconds: float) -> None:
        self._number = number
        self._seconds = seconds

    def choose(self, view: View) -> Answer:
        """Throw the dice."""
        if self._seconds:
            time.sleep(self._seconds)
        seen = (self._number, view.deal, view.seat, view.dealer, view.phase, view.hand, view.said, view.tricks, view.total)
        return Random(crc32(repr(seen).encode())).choice(view.legal)


if __name__ == "__main__":
    run(FastBot(int(sys.argv[1]), float(sys.argv[2]) / 1000 if len(sys.argv) > 2 else 0.0))
