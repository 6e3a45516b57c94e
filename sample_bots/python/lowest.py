"""Says as little as it may and plays the lowest legal card: what a bot must beat to be worth anything."""

from arena import Answer, Bot, View, run

SHY = ("pass", "no", "together", "dummy")


class Lowest(Bot):
    """Never takes a risk, and never takes a trick that it can help."""

    name = "lowest"

    def choose(self, view: View) -> Answer:
        """Pass if that is legal, else make the smallest call; play the lowest card."""
        if view.legal_cards:
            return view.lowest()
        return next((call for call in view.legal_calls if call in SHY), view.legal_calls[0])


if __name__ == "__main__":
    run(Lowest())
