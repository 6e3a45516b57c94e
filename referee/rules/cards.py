"""Cards, calls and their notation.

A card is an int, suit * 8 + rank, with suits C D H S = 0..3 and ranks 7 8 9 T J Q K A = 0..7; the joker is 32. A call is 40 + its
number in the protocol's enum. Both together are actions. A set of actions, such as a hand or the legal moves, is an int whose bit
a stands for action a: in ascending order that gives the cards C D H S from low to high, then the calls as the enum lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RANKS: Final = "789TJQKA"
SUITS: Final = "CDHS"

BIT: Final = tuple(1 << action for action in range(64))
"""[action]: the mask of it alone."""
JOKER: Final = 32
CARDS: Final = (1 << 33) - 1
"""The mask of every card."""

PASS: Final = 41
ORDER: Final = 42
NAME_CLUBS: Final = 43
NAME_SPADES: Final = 46
BID_3: Final = 47
BID_4: Final = 48
BID_5: Final = 49
BID_11: Final = 55
ASK: Final = 56
MOON: Final = 57
SWAP: Final = 58
ALONE: Final = 59
TOGETHER: Final = 60
DUMMY: Final = 61
CLAIM: Final = 62
NO: Final = 63

NAMES: Final = 0b1111 << NAME_CLUBS
"""The mask of the four calls that name a suit."""

_CARD_TEXT: Final = (*(rank + suit for suit in SUITS for rank in RANKS), "XX")
_CALL_TEXT: Final = (
    "pass", "order", *SUITS, *(str(tricks) for tricks in range(3, 12)),
    "ask", "moon", "swap", "alone", "together", "dummy", "claim", "no",
)  # fmt: skip
_TEXT: Final[dict[int, str]] = {**dict(enumerate(_CARD_TEXT)), **dict(enumerate(_CALL_TEXT, PASS))}
_ACTION: Final = {text: action for action, text in _TEXT.items()}


def card(text: str) -> int:
    """The card that `text` names, such as "JC" or "XX"; raises ValueError."""
    action = parse_action(text)
    if action > JOKER:
        raise ValueError(f"{text!r} is a call, not a card")
    return action


def action_text(action: int) -> str:
    """The notation of an action in the match record: "9C", "XX", "pass", "4", "H"; raises KeyError."""
    return _TEXT[action]


card_text = action_text


def parse_action(text: str) -> int:
    """The inverse of `action_text`; raises ValueError that lists what is known."""
    try:
        return _ACTION[text]
    except KeyError:
        calls = " ".join(_CALL_TEXT)
        raise ValueError(f"unknown move {text!r} (known: rank {RANKS} + suit {SUITS}, XX, {calls})") from None


def _actions_of(mask: int) -> tuple[int, ...]:
    """The actions of a mask, ascending, one bit after the other."""
    found: list[int] = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


LOW: Final[dict[int, tuple[int, ...]]] = {}
HIGH: Final[dict[int, tuple[int, ...]]] = {}
"""The actions by the lower sixteen bits of a mask, and by the rest of it, shifted down. Filled as masks come up: with 24 cards at
most 4,096 each, and the calls. A table of whole masks would save an addition, and be too large to stay in a processor's cache."""


def bits(mask: int) -> tuple[int, ...]:
    """The actions of a mask, ascending."""
    low, high = mask & 0xFFFF, mask >> 16
    if low not in LOW:
        LOW[low] = _actions_of(low)
    if high not in HIGH:
        HIGH[high] = _actions_of(high << 16)
    return LOW[low] + HIGH[high]


def pick(mask: int, draw: Callable[[], float]) -> int:
    """One of the actions of a mask, each as likely; `draw` as `Deal.play_out` has it, not asked where there is no choice."""
    more = mask & mask - 1
    if not more:
        return mask.bit_length() - 1
    count = 1
    while more:
        more &= more - 1
        count += 1
    for _ in range(int(draw() * count)):  # drop the lowest
        mask &= mask - 1
    return (mask & -mask).bit_length() - 1


def shuffled(cards: Sequence[int], draw: Callable[[], float]) -> list[int]:
    """Cards in random order, each order as likely; `draw` as `Deal.play_out` has it."""
    pack = list(cards)
    for left in range(len(pack) - 1, 0, -1):  # Fisher and Yates
        other = int(draw() * (left + 1))
        pack[left], pack[other] = pack[other], pack[left]
    return pack


def mask_of(actions: Sequence[int]) -> int:
    """The mask that holds `actions`, each once."""
    mask = 0
    for action in actions:
        mask |= BIT[action]
    return mask


def texts(mask: int) -> list[str]:
    """The notation of each action of a mask, ascending."""
    return [_TEXT[action] for action in bits(mask)]
