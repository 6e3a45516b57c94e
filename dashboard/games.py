"""One stored game made ready for the eye: who sits where, and every deal of it played again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.positions import Position, positions
from dashboard.replay import Dealt, Replay, ReplayMismatch, replay
from referee.rules import Rules, RulesError
from referee.shuffle import first_dealer, shuffled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from league.model import BotVersion, Game, Match, Seating


@dataclass(frozen=True, slots=True)
class Seat:
    """One chair of a game and who sits in it."""

    number: int
    bot: str
    version: int
    side: int


@dataclass(frozen=True, slots=True)
class Side:
    """Who scores together: one seat of three, or two partners."""

    number: int
    bot: str
    seats: tuple[int, ...]
    place: int
    total: int
    forfeited: bool


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game with its seats and sides, whose deals can be played again one by one."""

    match: Match
    game: Game
    rules: Rules
    seats: tuple[Seat, ...]
    sides: tuple[Side, ...]
    key: bytes
    record: Mapping[str, Any]
    """The game's entry of the match record."""

    @property
    def teams(self) -> bool:
        """Whether partners play together."""
        return len(self.sides) < len(self.seats)

    @property
    def count(self) -> int:
        """Number of deals."""
        return len(self.record["deals"])

    def deal(self, number: int) -> Replay:
        """Play deal `number` again, from 0 on.

        Raises:
            IndexError: the game has no such deal.
            ReplayMismatch: the stored deal does not follow from the key and the rules.
        """
        try:
            return replay(self.rules, self._dealt(number), self.record["deals"][number])
        except ReplayMismatch as error:
            raise ReplayMismatch(f"deal {number}: {error}") from error

    def positions(self, number: int) -> tuple[Position, ...]:
        """Every position of deal `number`, which replays: that before each move, and the end."""
        return positions(self.rules, self._dealt(number), self.record["deals"][number])

    def _dealt(self, number: int) -> Dealt:
        """The cards of deal `number`, by the key."""
        entries = self.record["deals"]
        total = tuple(entries[number - 1]["total"]) if number else (0,) * self.rules.sides
        dealer = (first_dealer(self.key, self.game.set, self.rules.seats) + number) % self.rules.seats
        return Dealt(number, dealer, shuffled(self.key, self.game.set, number, self.rules.pack), total)

    def by_side(self, tricks: tuple[int, ...]) -> tuple[int, ...]:
        """Tricks by side from tricks by seat."""
        return tuple(sum(tricks[seat] for seat in side.seats) for side in self.sides)

    def from_left(self, dealer: int) -> tuple[Seat, ...]:
        """The seats from the dealer's left, the dealer last: the order in which they speak."""
        return tuple(self.seats[(dealer + 1 + step) % len(self.seats)] for step in range(len(self.seats)))


def seats_of(lineup: tuple[BotVersion, ...], seating: Seating) -> tuple[Seat, ...]:
    """Who sits at each seat; with four seats the sides are the two teams."""
    teams = len(seating) == 4
    return tuple(
        Seat(number, lineup[index].bot, lineup[index].version, number & 1 if teams else number)
        for number, index in enumerate(seating)
    )


def _sides(seats: tuple[Seat, ...], record: Mapping[str, Any]) -> tuple[Side, ...]:
    sides = []
    for number, (place, total) in enumerate(zip(record["places"], record["total"], strict=True)):
        mine = tuple(seat for seat in seats if seat.side == number)
        forfeited = number in record["forfeits"]
        sides.append(Side(number, mine[0].bot, tuple(seat.number for seat in mine), place, total, forfeited))
    return tuple(sides)


def play_again(match: Match, game: Game, record: Mapping[str, Any], key: bytes) -> PlayedGame:
    """Make a stored game ready to be played again.

    Args:
        match: The match of the game.
        game: The game as stored.
        record: The same game's entry of the match record.
        key: The match key.

    Raises:
        ReplayMismatch: these rules do not know the match's variant or options.
    """
    try:
        rules = Rules(match.variant, match.options)
    except RulesError as error:
        raise ReplayMismatch(str(error)) from error
    seats = seats_of(match.lineup, game.seating)
    return PlayedGame(match, game, rules, seats, _sides(seats, record), key, record)
