"""The games of one set beside each other: what the cards were worth, and what each bot made of them.

The cards of a seat are worth what whoever sat there came to on average over the seatings (their *par*). A bot's points beyond
that are its *gain*: over a whole set, in which everybody has held every hand, the luck of the cards is the same for all and only
the gains differ. Gains add up to zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from league.model import Game, Seating


@dataclass(frozen=True, slots=True)
class Cell:
    """What one bot came to in one seating, on one deal or over a game."""

    side: int
    points: int
    par: float
    """Mean points of its side over the seatings compared."""

    @property
    def gain(self) -> float:
        """Points beyond what the cards were worth."""
        return self.points - self.par


@dataclass(frozen=True, slots=True)
class Row:
    """One deal, or the whole game, in every seating; `cells[seating][bot]` by line-up index, None where it was not played."""

    number: int
    cells: tuple[tuple[Cell, ...] | None, ...]

    @property
    def compared(self) -> bool:
        """Whether it was played in more than one seating, so that there is something to compare."""
        return sum(cells is not None for cells in self.cells) > 1

    def gain(self, bot: int) -> float:
        """What a bot gained in all seatings together."""
        return sum(cells[bot].gain for cells in self.cells if cells)

    @property
    def swing(self) -> float:
        """The greatest gain of any bot."""
        return max(self.gain(bot) for bot in range(len(next(cells for cells in self.cells if cells))))


@dataclass(frozen=True, slots=True)
class Share:
    """A bot's game taken apart: its points are what its cards were worth and what it gained on them."""

    points: int
    cards: float
    play: float
    alone: int
    """Points of deals that no other seating came to, with which nothing can be compared; they count as cards."""


def compare(number: int, seatings: Sequence[Seating], points: Sequence[Sequence[int] | None]) -> Row:
    """Set points of the same cards in several seatings beside each other.

    Args:
        number: what to call it, such as the deal's number.
        seatings: line-up index at each seat.
        points: by seating, by side; None where it was not played there.
    """
    played = [entry for entry in points if entry is not None]
    pars = [sum(side) / len(played) for side in zip(*played, strict=True)]
    rows = (None if entry is None else _cells(seating, entry, pars) for seating, entry in zip(seatings, points, strict=True))
    return Row(number, tuple(rows))


def _cells(seating: Seating, points: Sequence[int], pars: Sequence[float]) -> tuple[Cell, ...]:
    """By line-up index: side i sits at seat i (and, in a team, opposite)."""
    sides = {bot: side for side, bot in reversed(list(enumerate(seating)))}
    return tuple(Cell(sides[bot], points[sides[bot]], pars[sides[bot]]) for bot in sorted(sides))


def by_deal(seatings: Sequence[Seating], records: Sequence[Mapping[str, Any]]) -> list[Row]:
    """A row a deal, as far as the longest game goes, from the games' entries in the match record."""
    deals = [record["deals"] for record in records]
    return [
        compare(number, seatings, [entries[number]["points"] if number < len(entries) else None for entries in deals])
        for number in range(max(map(len, deals)))
    ]


def shares(rows: Sequence[Row], seating: int) -> list[Share]:
    """Take the game of one seating (by position) apart, for each bot by line-up index."""
    played = [(row.compared, cells) for row in rows if (cells := row.cells[seating])]
    return [_share([(compared, cells[bot]) for compared, cells in played]) for bot in range(len(played[0][1]))]


def _share(cells: Sequence[tuple[bool, Cell]]) -> Share:
    return Share(
        points=sum(cell.points for _, cell in cells),
        cards=sum(cell.par for _, cell in cells),
        play=sum(cell.gain for _, cell in cells),
        alone=sum(cell.points for compared, cell in cells if not compared),
    )


def by_game(games: Sequence[tuple[Seating, Game]]) -> Row:
    """The finished games of a set beside each other, by their final points."""
    points = [[game.points[bot] for bot in seating[: len(game.points)]] for seating, game in games]
    return compare(games[0][1].set, [seating for seating, _ in games], points)
