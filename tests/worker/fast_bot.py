"""A fast bot that always does the same in the same position, each number in its own way: `fast_bot.py NUMBER [MILLISECONDS]`."""

from __future__ import annotations

import sys
import time
from zlib import crc32

from arena import Answer, Bot, View, run


class FastBot(Bot):
    """Throws dice that are seeded by what it sees and by its number; may take its time over it."""

    name = "fast"

    def __init__(self, number: int, seconds: float) -> None:
        self._number = number
        self._seconds = seconds

    def choose(self, view: View) -> Answer:
        """Throw the dice: a checksum will do, and costs next to nothing beside what is measured with this bot."""
        if self._seconds:
            time.sleep(self._seconds)
        seen = f"{self._number} {view.deal} {view.seat} {view.total} {len(view.said)} {' '.join(view.hand)}"
        return view.legal[crc32(seen.encode()) % len(view.legal)]


if __name__ == "__main__":
    run(FastBot(int(sys.argv[1]), float(sys.argv[2]) / 1000 if len(sys.argv) > 2 else 0.0))
