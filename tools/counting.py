"""A `random` bot that counts: `python -m tools.counting FOLDER` is its command; `asks_a_message` reads what it counted."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from arena import Answer, View, run
from sample_bots.python.random_bot import RandomBot

if TYPE_CHECKING:
    from collections.abc import Sequence


class Counting(RandomBot):
    """Counts the messages that ask it something, and the asks in them."""

    messages = asks = 0

    def choose_all(self, views: Sequence[View]) -> Sequence[Answer]:
        """Answer as `random` does."""
        self.messages += 1
        self.asks += len(views)
        return super().choose_all(views)


def command(folder: str) -> str:
    """How to start such a bot, which leaves its counts in a folder."""
    return f"python -m tools.counting {folder}"


def asks_a_message(folder: str) -> float:
    """How many asks travelled together on average, by the bots that left their counts in a folder."""
    counts = [path.read_text().split() for path in Path(folder).iterdir()]
    return sum(int(asks) for _, asks in counts) / sum(int(messages) for messages, _ in counts)


if __name__ == "__main__":
    bot = Counting()
    run(bot)
    Path(sys.argv[1], f"{os.getpid()}-{secrets.token_hex(4)}").write_text(f"{bot.messages} {bot.asks}")
