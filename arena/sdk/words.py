"""Cards, calls, suits and phases as a bot author writes them.

Every value is a string in the notation of the match record ("JC", "XX", "pass", "5", "moon", "H"), so that
`card == "JC"` and `print(view.hand)` just work, and each exists once, so that comparing and hashing are cheap.
"""

from enum import StrEnum
from typing import Final, Literal, Self, TypeAlias, get_args

from referee.rules.cards import JOKER, action_text, card_text
from referee.rules.tricks import effective_suit, strength

Suit: TypeAlias = Literal["C", "D", "H", "S"]
SUITS: Final[tuple[Suit, ...]] = get_args(Suit)

# The rules number suits 0..3 and write -1 for "no trump yet"; a tuple with None in its last place turns both into our words.
SUIT_BY_CODE: Final[tuple[Suit | None, ...]] = (*SUITS, None)
CODE_BY_SUIT: Final[dict[str | None, int]] = {suit: code for code, suit in enumerate(SUITS)} | {None: -1}

CALL_BASE: Final = 40  # in the rules an action is a card or this plus the number of a call


class Phase(StrEnum):
    """What kind of decision is asked for; the order is that of a deal."""

    UNKNOWN = "unknown"
    JOKER = "joker"
    LAY_AWAY = "lay_away"
    CLAIM = "claim"
    AUCTION = "auction"
    TRUMP = "trump"
    PICK_UP = "pick_up"
    ALONE = "alone"
    DUMMY = "dummy"
    GIFT = "gift"
    PLAY = "play"


class Turned(StrEnum):
    """What became of the card that was turned up."""

    NONE = "none"
    UP = "up"
    TAKEN = "taken"
    LEFT = "left"
    DOWN = "down"


PHASES: Final = tuple(Phase)
TURNED: Final = tuple(Turned)


class Card(str):
    """One card: `Card("JC")` is the jack of clubs, `Card("XX")` the joker."""

    __slots__ = ("code", "rank", "suit")

    code: int
    """The card's number in the rules: 8 × suit + rank, 32 for the joker."""
    rank: str
    """One of 7 8 9 T J Q K A, or X for the joker."""
    suit: Suit | None
    """The suit printed on the card; None for the joker. See `suit_in` for the one that counts."""

    def __new__(cls, text: str) -> Self:
        """Return the one card of that name.

        Raises:
            ValueError: There is no such card; the message lists all of them.
        """
        card = _CARD_BY_TEXT.get(text)
        if card is None:
            raise ValueError(f"{text!r} is no card (cards are {' '.join(_CARD_BY_TEXT)})")
        return card  # type: ignore[return-value]  # nobody derives from Card, so Self is Card

    @property
    def is_joker(self) -> bool:
        """Whether this is the joker."""
        return self.code == JOKER

    @property
    def is_jack(self) -> bool:
        """Whether this is one of the four jacks."""
        return self.rank == "J"

    def suit_in(self, trump: Suit | None) -> Suit | None:
        """Return the suit that the card belongs to when `trump` is trump: both bowers and the joker are trumps."""
        return SUIT_BY_CODE[effective_suit(self.code, CODE_BY_SUIT[trump])]

    def is_trump(self, trump: Suit | None) -> bool:
        """Whether the card is a trump when `trump` is trump."""
        return trump is not None and self.suit_in(trump) == trump

    def is_right(self, trump: Suit | None) -> bool:
        """Whether this is the right bower, the jack of trumps."""
        return self.rank == "J" and self.suit == trump

    def is_left(self, trump: Suit | None) -> bool:
        """Whether this is the left bower, the other jack of the trumps' colour."""
        return self.rank == "J" and self.suit != trump and self.is_trump(trump)

    def is_bower(self, trump: Suit | None) -> bool:
        """Whether this is the right or the left bower."""
        return self.rank == "J" and self.is_trump(trump)

    def strength(self, trump: Suit | None, led: Suit | None = None) -> int:
        """Return how strong the card is in a trick: higher wins, 0 cannot win.

        `led` is the suit that was led; without it the card counts as led itself.
        """
        own = self.suit_in(trump) if led is None else led
        return strength(self.code, CODE_BY_SUIT[trump], CODE_BY_SUIT[own])


class Call(str):
    """Something that a seat can say: `Call("pass")`, "order", a suit, a bid such as "4", "moon" and so on."""

    __slots__ = ("bid", "number", "suit")

    number: int
    """The call's number in the protocol."""
    bid: int | None
    """The number of tricks of a plain bid; None for every other call, `ask` and `moon` among them."""
    suit: Suit | None
    """The suit that the call names, if it names one."""

    def __new__(cls, text: str) -> Self:
        """Return the one call of that name.

        Raises:
            ValueError: There is no such call; the message lists all of them.
        """
        call = _CALL_BY_TEXT.get(text)
        if call is None:
            raise ValueError(f"{text!r} is no call (calls are {' '.join(_CALL_BY_TEXT)})")
        return call  # type: ignore[return-value]  # as in Card


Move: TypeAlias = Card | Call


def _card(code: int) -> Card:
    text = card_text(code)
    card = str.__new__(Card, text)
    card.code, card.rank = code, text[0]
    card.suit = None if code == JOKER else SUITS[code // 8]
    return card


def _call(number: int, text: str) -> Call:
    call = str.__new__(Call, text)
    call.number = number
    call.bid = int(text) if text.isdigit() else None
    call.suit = next((suit for suit in SUITS if suit == text), None)
    return call


CARDS: Final[tuple[Card, ...]] = tuple(map(_card, range(JOKER + 1)))
"""Every card, at the place of its code."""
CALLS: Final[tuple[Call, ...]] = tuple(_call(number, action_text(CALL_BASE + number)) for number in range(1, 24))
"""Every call that this version knows, in the order of the protocol's enum."""

_CARD_BY_TEXT: Final[dict[str, Card]] = {str(card): card for card in CARDS}
_CALL_BY_TEXT: Final[dict[str, Call]] = {str(call): call for call in CALLS}
_CALL_BY_NUMBER: Final[dict[int, Call]] = {call.number: call for call in CALLS}


def call_numbered(number: int) -> Call:
    """Return the call with that number; one that is newer than this version can still be chosen by its number."""
    call = _CALL_BY_NUMBER.get(number)
    if call is None:
        call = _CALL_BY_NUMBER[number] = _call(number, f"call-{number}")
        _CALL_BY_TEXT[str(call)] = call
    return call


def move_numbered(action: int) -> Move:
    """Return the card or call that is `action` in the rules."""
    return CARDS[action] if action < CALL_BASE else call_numbered(action - CALL_BASE)


def parse_move(text: str) -> Move:
    """Return the card or call that `text` writes.

    Raises:
        ValueError: It is neither; the message lists what is known.
    """
    move = _CARD_BY_TEXT.get(text) or _CALL_BY_TEXT.get(text)
    if move is None:
        known = " ".join((*_CARD_BY_TEXT, *_CALL_BY_TEXT))
        raise ValueError(f"{text!r} is neither a card nor a call (known: {known})")
    return move
