"""Packs that deal wanted hands."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

    from referee.rules import Rules


def hand_size(rules: Rules) -> int:
    """Cards a receiver gets (G1, C1, B1, B17, T1)."""
    if rules.options.get("double_deck"):
        return 12
    return {"ghost-hand": 6, "bid-euchre": 6, "cutthroat": 5, "turn-up": 5}[rules.name]


def receivers(rules: Rules, dealer: int) -> list[int]:
    """Who is dealt to, in order: the seats from the dealer's left, the dealer last, then the ghost or dummy as -1."""
    seats = [(dealer + 1 + place) % rules.seats for place in range(rules.seats)]
    return [*seats, -1] if rules.seats == 3 else seats


def stacked(
    rules: Rules,
    dealer: int,
    rng: random.Random,
    hands: Mapping[int, Sequence[int]] | None = None,
    stock: Sequence[int] = (),
) -> list[int]:
    """A whole pack in dealing order that gives `hands` (by seat; -1 is the ghost or dummy) and begins the stock as told.

    What is not told is filled from the rest of the pack as `rng` likes.
    """
    size, order = hand_size(rules), receivers(rules, dealer)
    places: list[int | None] = [None] * len(rules.pack)
    for seat, cards in (hands or {}).items():
        assert len(cards) <= size, f"{len(cards)} cards for a hand of {size}"
        for row, card in enumerate(cards):
            places[row * len(order) + order.index(seat)] = card
    for offset, card in enumerate(stock):
        places[size * len(order) + offset] = card
    rest = Counter(rules.pack)
    rest.subtract(Counter(card for card in places if card is not None))
    assert min(rest.values()) >= 0, "a card is wanted more often than the pack has it"
    fill = sorted(rest.elements())
    rng.shuffle(fill)
    return [fill.pop() if card is None else card for card in places]
