"""Any legal answer, each as likely as the others.

The dice are thrown by what the bot sees, so that a match can be repeated exactly.
"""

from zlib import crc32

from arena import Answer, Bot, View, run


class RandomBot(Bot):
    """Chooses blindly."""

    name = "random"

    def choose(self, view: View) -> Answer:
        """Throw the dice: a checksum is as good as any, and takes a tenth of the time of a generator that must be seeded."""
        seen = f"{view.deal} {view.seat} {view.total} {len(view.said)} {' '.join(view.hand)}"
        return view.legal[crc32(seen.encode()) % len(view.legal)]


if __name__ == "__main__":
    run(RandomBot())
