"""A match in figures: its sets with their games side by side, and what each bot made of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from league.schedule import expected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.model import Attempt, BotVersion, Game, Match, Seating


@dataclass(frozen=True, slots=True)
class SetRow:
    """One set: a row a seating, with its game where it has been played."""

    number: int
    games: tuple[tuple[Seating, Game | None], ...]

    @property
    def complete(self) -> bool:
        """Whether every game is in, so that the set is rated."""
        return all(game for _, game in self.games)

    @property
    def compared(self) -> bool:
        """Whether it is complete and has the same deals in more than one seating."""
        return self.complete and len(self.games) > 1


@dataclass(frozen=True, slots=True)
class BotSum:
    """One bot over all stored games of a match."""

    bot: BotVersion
    games: int
    deals: int
    points: int
    places: tuple[int, ...]
    """How often each place was taken, the best first."""
    faults: Counter[str]
    forfeits: int

    @property
    def points_per_deal(self) -> float | None:
        """Mean points a deal; None before the first."""
        return self.points / self.deals if self.deals else None


@dataclass(frozen=True, slots=True)
class Times:
    """How long the decisions of a match took, in microseconds."""

    decisions: int
    median: float
    """Median over games and seats of their medians."""
    worst: float
    """The greatest 99th percentile of a game."""
    referee: float | None
    """The greatest 99th percentile of the referee's own share."""


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """Everything that the page of a match shows beside the match itself."""

    sets: tuple[SetRow, ...]
    bots: tuple[BotSum, ...]
    times: Times | None
    attempts: tuple[Attempt, ...]


def sum_up(match: Match, games: Sequence[Game], attempts: Sequence[Attempt]) -> MatchSummary:
    """Sum up the stored games of a match and its attempts."""
    bots = tuple(_bot(bot, index, games, len(match.lineup)) for index, bot in enumerate(match.lineup))
    return MatchSummary(tuple(_sets(match, games)), bots, _times(games), tuple(attempts))


def _sets(match: Match, games: Sequence[Game]) -> list[SetRow]:
    stored = {(game.set, game.seating): game for game in games}
    rows: dict[int, list[tuple[Seating, Game | None]]] = {}
    for number, position in expected(match.sets, match.seatings, match.mode):
        seating = match.seatings[position]
        rows.setdefault(number, []).append((seating, stored.get((number, seating))))
    return [SetRow(number, tuple(row)) for number, row in sorted(rows.items())]


def _bot(bot: BotVersion, index: int, games: Sequence[Game], places: int) -> BotSum:
    taken = Counter(game.places[index] for game in games)
    faults: Counter[str] = Counter()
    for game in games:
        faults.update(game.faults[index])
    return BotSum(
        bot=bot,
        games=len(games),
        deals=sum(game.deals for game in games),
        points=sum(game.points[index] for game in games),
        places=tuple(taken[place] for place in range(1, places + 1)),
        faults=faults,
        forfeits=sum(index in game.forfeits for game in games),
    )


def _times(games: Sequence[Game]) -> Times | None:
    timed = [game.times for game in games if game.times]
    rest = [entry for times in timed for entry in _entries(times.get("rest_us"))]
    if not rest:
        return None
    own = [entry for times in timed for entry in _entries(times.get("own_us"))]
    decisions = sum(sum(_numbers(times.get("decisions"))) for times in timed)
    referee = max((entry["p99"] for entry in own), default=None)
    return Times(decisions, median(entry["median"] for entry in rest), max(entry["p99"] for entry in rest), referee)


def _entries(found: object) -> list[dict[str, float]]:
    """Median and 99th percentile, of one or of each seat; those of seats that were never asked (zero) are left out."""
    entries: list[Any] = found if isinstance(found, list) else [found]
    return [entry for entry in entries if isinstance(entry, dict) and entry.get("p99")]


def _numbers(found: object) -> list[int]:
    return [int(number) for number in found] if isinstance(found, list) else []
