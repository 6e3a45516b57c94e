"""Cards and calls as the tests write them, worked out apart from the code under test."""

from __future__ import annotations

RANKS = "789TJQKA"
SUITS = "CDHS"
SAME_COLOUR = {"C": "S", "S": "C", "D": "H", "H": "D"}
CALLS = (
    "pass order C D H S 3 4 5 6 7 8 9 10 11 ask moon swap alone together dummy claim no".split()  # noqa: SIM905 - reads as said
)
PHASES = "over,joker,lay away,claim,auction,trump,pick up,alone,dummy,gift,play".split(",")  # noqa: SIM905
TURNED = {"up": 1, "taken": 2, "left": 3, "down": 4}
FIRST_CALL = 41


def action(text: str) -> int:
    """The number of a card ("JC", "XX") or a call ("pass", "H", "10")."""
    if text == "XX":
        return 32
    if text in CALLS:
        return FIRST_CALL + CALLS.index(text)
    rank, suit = text
    return SUITS.index(suit) * 8 + RANKS.index(rank)


def text(number: int) -> str:
    """The inverse of `action`."""
    if number >= FIRST_CALL:
        return CALLS[number - FIRST_CALL]
    return "XX" if number == 32 else RANKS[number % 8] + SUITS[number // 8]


def actions(line: str) -> list[int]:
    """The numbers of all the cards or calls in a line, in its order."""
    return [action(word) for word in line.split()]


def texts(numbers: object) -> str:
    """A list of numbers as a line."""
    return " ".join(text(number) for number in numbers)  # type: ignore[attr-defined]


def members(mask: int) -> list[int]:
    """The members of a mask, ascending."""
    return [bit for bit in range(64) if mask >> bit & 1]


def mask(numbers: object) -> int:
    """The mask of a list of numbers."""
    result = 0
    for number in numbers:  # type: ignore[attr-defined]
        result |= 1 << number
    return result


def suit_of(card: int, trump: int) -> int:
    """The suit that a card belongs to, 0..3 (K2)."""
    if card == 32:
        return trump
    suit = SUITS[card // 8]
    if trump >= 0 and card % 8 == 4 and SAME_COLOUR[suit] == SUITS[trump]:
        return trump
    return card // 8


def power(card: int, trump: int) -> int:
    """Strength within the card's suit (K1)."""
    if card == 32:
        return 30
    if card % 8 == 4 and suit_of(card, trump) == trump:
        return 20 if card // 8 == trump else 19
    return card % 8
