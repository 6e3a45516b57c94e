"""Bids what its hand looks worth and takes tricks as cheaply as it can, looking no further than the trick on the table.

It remembers nothing, not even what was played; it does know its partner.
"""

from arena import Answer, Bot, Call, Card, Phase, Suit, View, run
from arena.sdk.words import SUITS

NEEDED = 2.5
"""What a hand must be worth to name trump for three tricks; partner or dummy are good for the rest."""


def worth(hand: tuple[Card, ...], trump: Suit) -> float:
    """Roughly the tricks that a hand takes with a trump suit: bowers, trump length, aces, and voids to ruff in."""
    trumps = [card for card in hand if card.is_trump(trump)]
    tricks = 0.0
    for card in trumps:
        tricks += 1.0 if card.is_right(trump) or card.is_joker else 0.85 if card.is_left(trump) else 0.6
    plain = [card for card in hand if not card.is_trump(trump)]
    tricks += sum(0.6 for card in plain if card.rank == "A") + sum(0.15 for card in plain if card.rank == "K")
    void_suits = 3 - len({card.suit for card in plain})
    return tricks + 0.2 * min(void_suits, max(0, len(trumps) - 1))


def best_suit(hand: tuple[Card, ...]) -> Suit:
    """The suit in which a hand is worth most."""
    return max(SUITS, key=lambda suit: worth(hand, suit))


class Greedy(Bot):
    """Simple, sound rules."""

    name = "greedy"

    def choose(self, view: View) -> Answer:
        """Decide by the phase."""
        if view.phase is Phase.PLAY:
            return self.play(view)
        if view.legal_cards:
            return self.part_with(view)
        if view.phase is Phase.ALONE:
            return self.alone(view)
        if view.phase is Phase.AUCTION:
            return self.speak(view)
        if view.phase is Phase.CLAIM:
            return "claim"
        return max(view.legal_calls, key=lambda call: worth(view.hand, call.suit or "C"))

    # --- calls --------------------------------------------------------------------------------------------------------

    def speak(self, view: View) -> Call:
        """Say the best of what the hand is good for, else pass."""
        calls = {str(call): call for call in view.legal_calls}
        if "order" in calls:
            return calls["order"] if self.turned_worth(view) >= NEEDED else calls["pass"]
        named = [call for call in view.legal_calls if call.suit]
        if named:
            best = max(named, key=lambda call: worth(view.hand, call.suit or "C"))
            good = worth(view.hand, best.suit or "C") >= NEEDED
            return best if good or "pass" not in calls else calls["pass"]
        return self.bid(view, calls)

    @staticmethod
    def turned_worth(view: View) -> float:
        """The worth of the hand if the turned card is ordered; only a dealer counts it in."""
        card, trump = view.turned_card, view.turned_suit
        assert card is not None and trump is not None  # noqa: PT018 - "order" is legal only with a turned card
        hand = sorted((*view.hand, card) if view.is_dealer else view.hand, key=lambda each: each.strength(trump))
        return worth(tuple(hand[-len(view.hand) :]), trump)

    @staticmethod
    def bid(view: View, calls: dict[str, Call]) -> Call:
        """Bid no more than needed, up to the tricks that the hand with some help should take."""
        size = len(view.hand)
        tricks = worth(view.hand, best_suit(view.hand))
        tricks += size / 8 if view.partner is not None else 0.0
        if "moon" in calls and tricks >= size + (0.3 if view.partner is not None else -0.5):
            return calls["moon"]
        if "swap" in calls and tricks < 2:
            return calls["swap"]
        bids = [call for call in calls.values() if call.bid]
        if bids and ((bids[0].bid or 0) <= tricks or "pass" not in calls):
            return bids[0]
        return calls.get("pass", view.legal_calls[0])

    @staticmethod
    def alone(view: View) -> Call:
        """Play alone on a hand that takes nearly every trick by itself."""
        strong = view.trump is not None and worth(view.hand, view.trump) >= (4.0 if view.is_maker else 4.5)
        return next(call for call in view.legal_calls if (call == "alone") == strong)

    # --- cards --------------------------------------------------------------------------------------------------------

    @staticmethod
    def part_with(view: View) -> Card:
        """Lay away, give or throw a card: a bare plain card that is no ace, to ruff in its suit later, else the lowest."""
        if view.phase is Phase.GIFT and view.seat != view.maker:
            return view.highest()
        trump = view.trump or best_suit(view.hand)
        plain = [card for card in view.legal_cards if not card.is_trump(trump)]
        bare = [card for card in plain if card.rank != "A" and [other.suit for other in plain].count(card.suit) == 1]
        return min(bare or plain or view.legal_cards, key=lambda card: card.strength(trump))

    def play(self, view: View) -> Card:
        """Lead what wins; take a trick as cheaply as possible; throw low where it cannot be taken, or is partner's."""
        if view.is_leading:
            return self.lead(view)
        winners = view.winners()
        safe = not view.to_follow or (view.winning is not None and view.strength(view.winning[1]) > 7)
        if not winners or (view.partner_is_winning and safe):
            return view.lowest()
        # With somebody still to play, only a high card of the suit led will hold; a trump is spent as low as it may be.
        return winners[0] if not view.to_follow or view.is_trump(winners[0]) else winners[-1]

    @staticmethod
    def lead(view: View) -> Card:
        """Draw trumps with a bower as maker, then aces, then a low card."""
        trumps = view.trumps(view.legal_cards)
        if view.is_maker and len(trumps) > 1 and trumps[-1].is_bower(view.trump):
            return trumps[-1]
        aces = [card for card in view.legal_cards if card.rank == "A" and not view.is_trump(card)]
        return aces[0] if aces else view.lowest()


if __name__ == "__main__":
    run(Greedy())
