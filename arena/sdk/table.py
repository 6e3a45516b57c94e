"""What surrounds a decision: the table, the tricks, what was said, and what the referee reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.sdk.lazy import cached_property
from arena.sdk.words import CARDS, Call, Card, Move, Suit
from referee.rules import Rules, find_variant


class Said(NamedTuple):
    """Something said aloud: by whom, and what."""

    seat: int
    call: Call


class Trick(NamedTuple):
    """A trick, finished or not."""

    leader: int
    plays: tuple[tuple[int, Card], ...]
    """(seat, card) in the order of play."""
    winner: int | None
    """The seat that took it; None while it is being played."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order of play."""
        return tuple(card for _, card in self.plays)

    def led(self, trump: Suit | None) -> Suit | None:
        """The suit that was led, the left bower and the joker counting as trumps; None before the lead."""
        return self.plays[0][1].suit_in(trump) if self.plays else None


def trick_of(leader: int, cards: tuple[Card, ...], winner: int | None, active: Sequence[int]) -> Trick:
    """The trick in which the active seats, given in ascending order, played `cards` from the leader on."""
    start = active.index(leader)
    around = (*active[start:], *active[:start])
    return Trick(leader, tuple(zip(around, cards, strict=False)), winner)


@dataclass(eq=False)
class Table:
    """A table at which the bot has a seat, for the length of one game."""

    number: int
    """The table's number, different from that of every other open table."""
    match: str
    """The match that the game belongs to."""
    variant: str
    """The variant's name, such as "ghost-hand"."""
    options: Mapping[str, str]
    """Every option of the variant, resolved, as text ("on", "off", "32" …)."""
    seat: int
    """The bot's seat, 0-based and clockwise."""
    seats: int
    """How many seats there are."""
    format: str = "game"
    """"game", or "deals:N" for exactly N deals."""
    commitment: str = ""
    """SHA-256 of the match key, in hex; the key is published when the match has ended."""
    time: float = 0.0
    """Seconds for one answer."""
    bank: float = 0.0
    """Seconds in the bank at the start of the game."""
    faults: int = 0
    """The number of faults that forfeits the game."""
    memory: dict[str, object] = field(default_factory=dict)
    """Yours: whatever the bot wants to remember about this table. It is lost with the process."""

    @cached_property
    def pack(self) -> tuple[Card, ...]:
        """Every card of the pack, low to high by suit; in a double deck each card twice.

        Options that are newer than this version are passed over.
        """
        known = {option.name for option in find_variant(self.variant).options}
        options = {name: value for name, value in self.options.items() if name in known}
        return tuple(CARDS[code] for code in Rules(self.variant, options).pack)

    def option(self, name: str) -> str:
        """The value of an option as text; raises KeyError that lists the options of this variant."""
        try:
            return self.options[name]
        except KeyError:
            raise KeyError(f"{self.variant} has no option {name!r} (it has {', '.join(sorted(self.options))})") from None

    def is_on(self, name: str) -> bool:
        """Whether the variant has this option and it is on."""
        return self.options.get(name) == "on"


@dataclass(frozen=True)
class Fault:
    """The referee stepped in for the bot: its answer was late, illegal or missing."""

    table: Table
    cause: str
    """"ILLEGAL", "LATE", "BANK_EMPTY", "SILENT" …"""
    move: Move | None
    """What was played or said instead."""
    detail: str
    """What was wrong, and what would have been allowed."""
    waited: float
    """How long the referee had waited, in seconds."""
    count: int
    """How many faults this side now has in this game; `table.faults` of them forfeit it."""


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    table: Table
    points: tuple[int, ...]
    """Points by side."""
    places: tuple[int, ...]
    """Places by side, 1 is best; empty if the game was broken off."""
    end: str
    """"won", "deals", "max_deals", "forfeit" or "void"."""
