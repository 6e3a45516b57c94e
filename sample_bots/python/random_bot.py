"""Any legal answer, each as likely as the others.

The dice are seeded from what the bot sees, so that a match can be repeated exactly.
"""

from random import Random
from zlib import crc32

from arena import Answer, Bot, View, run


class RandomBot(Bot):
    """Chooses blindly."""

    name = "random"

    def choose(self, view: View) -> Answer:
        """Throw the dice."""
        seen = (view.variant, view.deal, view.seat, view.dealer, view.phase, view.hand, view.said, view.tricks, view.total)
        return Random(crc32(repr(seen).encode())).choice(view.legal)


if __name__ == "__main__":
    run(RandomBot())
