"""A starting bot: a few sound rules for every variant. Change them, and see what it brings."""

from arena import Answer, Bot, Call, Card, Phase, Suit, View, run
from arena.sdk.words import SUITS

ENOUGH = 2.5
"""What a hand must be worth to name trump."""


def worth(hand: tuple[Card, ...], trump: Suit | None) -> float:
    """Roughly the tricks that a hand takes with a trump suit."""
    tricks = 0.0
    for card in hand:
        if card.is_joker or card.is_right(trump):
            tricks += 1.0
        elif card.is_trump(trump):
            tricks += 0.6
        elif card.rank == "A":
            tricks += 0.5
    return tricks


class Starter(Bot):
    """Names trump on a good hand, leads what wins, and takes tricks cheaply."""

    name = "starter"

    def choose(self, view: View) -> Answer:
        """Return one of `view.legal`, alone or with a note on why."""
        if view.phase is Phase.PLAY:
            return self.play(view)
        if view.legal_cards:  # lay away, discard, throw or give a card
            return view.lowest()
        return self.speak(view)

    def speak(self, view: View) -> Answer:
        """Order, name or bid on a good hand; else say as little as is allowed."""
        best = max(SUITS, key=lambda suit: worth(view.hand, suit))
        calls = [call for call in view.legal_calls if self.is_good(call, view, best)]
        shy = [call for call in view.legal_calls if call in ("pass", "no", "together")]
        return (calls or shy or view.legal)[0]

    @staticmethod
    def is_good(call: Call, view: View, best: Suit) -> bool:
        """Whether a call fits the hand."""
        if call == "order":
            return worth(view.hand, view.turned_suit) >= ENOUGH
        if call.suit:
            return call.suit == best and (worth(view.hand, best) >= ENOUGH or "pass" not in view.legal)
        if call.bid:
            return call.bid <= worth(view.hand, best)
        return call == "alone" and worth(view.hand, view.trump) >= 4

    @staticmethod
    def play(view: View) -> Answer:
        """Lead an ace, else low; take a trick as cheaply as possible unless it is partner's."""
        if view.is_leading:
            aces = [card for card in view.legal_cards if card.rank == "A" and not view.is_trump(card)]
            return aces[0] if aces else view.lowest()
        winners = view.winners()
        if not winners or view.partner_is_winning:
            return view.lowest()
        return winners[0], "takes the trick for as little as that"


if __name__ == "__main__":
    run(Starter())
