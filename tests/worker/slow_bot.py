"""A sample bot that takes its time, so that there is something to interrupt: `slow_bot.py lowest|random|greedy [FILE SECONDS]`.

It thinks over each answer. With FILE and SECONDS it also rests so long after each game, until FILE is there: then it hurries.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from arena import run
from sample_bots.python.greedy import Greedy
from sample_bots.python.lowest import Lowest
from sample_bots.python.random_bot import RandomBot

if TYPE_CHECKING:
    from arena import Answer, Bot, Result, View

THINKS = 0.02
"""Seconds for each answer."""
STYLES: dict[str, type[Bot]] = {"lowest": Lowest, "random": RandomBot, "greedy": Greedy}


def slowed(style: type[Bot], hurry: Path | None = None, rest: float = 0.0) -> Bot:
    """A bot of this style that thinks, and rests after each game, until the file `hurry` is there."""

    def hurried() -> bool:
        return hurry is not None and hurry.exists()

    class Slow(style):  # type: ignore[misc, valid-type]
        def choose(self, view: View) -> Answer:
            time.sleep(0 if hurried() else THINKS)
            return super().choose(view)  # type: ignore[no-any-return]

        def closed(self, result: Result) -> None:
            end = time.monotonic() + rest
            while time.monotonic() < end and not hurried():
                time.sleep(0.02)

    return Slow()


if __name__ == "__main__":
    run(slowed(STYLES[sys.argv[1]], *(Path(word) for word in sys.argv[2:3]), *map(float, sys.argv[3:4])))
