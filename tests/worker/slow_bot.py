"""A sample bot that takes its time, so that there is something to interrupt: `slow_bot.py lowest|random|greedy`."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from arena import run
from sample_bots.python.greedy import Greedy
from sample_bots.python.lowest import Lowest
from sample_bots.python.random_bot import RandomBot

if TYPE_CHECKING:
    from arena import Answer, Bot, View

THINKS = 0.02
"""Seconds for each answer."""
STYLES: dict[str, type[Bot]] = {"lowest": Lowest, "random": RandomBot, "greedy": Greedy}


def slowed(style: type[Bot]) -> Bot:
    """A bot of this style that thinks."""

    class Slow(style):  # type: ignore[misc, valid-type]
        def choose(self, view: View) -> Answer:
            time.sleep(THINKS)
            return super().choose(view)  # type: ignore[no-any-return]

    return Slow()


if __name__ == "__main__":
    run(slowed(STYLES[sys.argv[1]]))
