"""Effective suit, strength and trick winner: the bowers and the joker live here and nowhere else (clauses K1–K4, K11).

Every table is indexed by trump first: 0..3, or -1 while there is none (the last row).
"""

from __future__ import annotations

from typing import Final

from referee.rules.cards import JOKER, bits

NO_TRUMP: Final = -1
NO_SUIT: Final = 4
"""The suit of a joker while there are no trumps."""

_JACK: Final = 4
_SAME_COLOUR: Final = (3, 2, 1, 0)
_LEFT, _RIGHT, _BEST = 18, 19, 20


def right_bower(trump: int) -> int:
    """The jack of trumps (K1)."""
    return trump * 8 + _JACK


def left_bower(trump: int) -> int:
    """The other jack of the same colour, a card of the trump suit (K1, K2)."""
    return _SAME_COLOUR[trump] * 8 + _JACK


def _effective_suit(card: int, trump: int) -> int:
    if card == JOKER:
        return NO_SUIT if trump == NO_TRUMP else trump
    if trump != NO_TRUMP and card == left_bower(trump):
        return trump
    return card >> 3


def _rank(card: int, trump: int) -> int:
    """Strength within the card's effective suit; trumps lie above all plain cards."""
    if card == JOKER:
        return _BEST
    if trump == NO_TRUMP or _effective_suit(card, trump) != trump:
        return (card & 7) + 1
    if card == right_bower(trump):
        return _RIGHT
    if card == left_bower(trump):
        return _LEFT
    return (card & 7) + 10


_TRUMPS: Final = (0, 1, 2, 3, NO_TRUMP)
_DECK: Final = range(JOKER + 1)

SUIT_OF: Final = tuple(tuple(_effective_suit(card, trump) for card in _DECK) for trump in _TRUMPS)
"""[trump][card]: effective suit."""

SUIT_MASK: Final = tuple(
    tuple(sum(1 << card for card in _DECK if SUIT_OF[trump][card] == suit) for suit in range(5)) for trump in _TRUMPS
)
"""[trump][suit]: the mask of the cards of that effective suit."""

FOLLOW: Final = tuple(tuple(SUIT_MASK[trump][SUIT_OF[trump][card]] for card in _DECK) for trump in _TRUMPS)
"""[trump][card led]: the mask of the cards that follow it (K3)."""

RANK: Final = tuple(tuple(_rank(card, trump) for card in _DECK) for trump in _TRUMPS)
"""[trump][card]: strength within its effective suit, 1..20; trumps are 10 and more."""

STRENGTH: Final = tuple(
    tuple(tuple(RANK[trump][card] if SUIT_OF[trump][card] in (trump, led) else 0 for card in _DECK) for led in range(5))
    for trump in _TRUMPS
)
"""[trump][suit led][card]: what it is worth in the trick; 0 cannot win (K4)."""

LED: Final = tuple(tuple((FOLLOW[trump][card], STRENGTH[trump][SUIT_OF[trump][card]]) for card in _DECK) for trump in _TRUMPS)
"""[trump][card led]: the mask of the cards that follow it, and what each card is worth in the trick."""


def _from_low(trump: int) -> tuple[int, ...]:
    """Every card: plain before trumps, then the weaker, then C D H S (K11)."""
    return tuple(sorted(_DECK, key=lambda card: (SUIT_OF[trump][card] == trump, RANK[trump][card], card)))


_LOW_FIRST: Final = tuple(_from_low(trump) for trump in _TRUMPS)


def effective_suit(card: int, trump: int) -> int:
    """The suit that the card belongs to, 0..3; NO_SUIT for a joker without trumps (K2)."""
    return SUIT_OF[trump][card]


def suit_mask(trump: int, suit: int) -> int:
    """The mask of the cards of an effective suit."""
    return SUIT_MASK[trump][suit]


def strength(card: int, trump: int, led: int) -> int:
    """What a card is worth in a trick in which suit `led` was led; 0 cannot win (K4)."""
    return STRENGTH[trump][led][card]


def legal_plays(hand: int, led_card: int, trump: int) -> int:
    """The mask of what may be played from `hand` after `led_card` (K3)."""
    return hand & FOLLOW[trump][led_card] or hand


def lowest(mask: int, trump: int) -> int:
    """The lowest card of a mask: plain before trumps, then the weaker, then C D H S (K11); raises ValueError when empty."""
    for card in _LOW_FIRST[trump]:
        if mask >> card & 1:
            return card
    raise ValueError("no card to choose from")


def best_trump(mask: int, trump: int) -> int:
    """The highest trump of a mask, or -1 (B5)."""
    trumps = bits(mask & SUIT_MASK[trump][trump])
    return max(trumps, key=RANK[trump].__getitem__) if trumps else -1


def trick_winner(cards: list[int], trump: int) -> int:
    """The index in `cards`, in order of play, of the card that takes the trick; the first of equals (K4)."""
    worth = STRENGTH[trump][SUIT_OF[trump][cards[0]]]
    return max(range(len(cards)), key=lambda index: (worth[cards[index]], -index))
