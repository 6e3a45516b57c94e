"""Standings of a league: from finished games to tables, all computed afresh from results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from league.duels import Duels, HeadToHead, margins
from league.estimates import Estimate, ratio_estimates
from league.history import Earlier, earlier
from league.ratings import Ratings, rate
from league.tallies import sheet_of, sum_up, tally

__all__ = ["HeadToHead", "Standing", "Table", "format_table", "league_tables", "paired_margin", "standings", "table_of"]

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from league.results import GameResult
    from league.tallies import PairRows, Sheet, Tally


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's row. What cannot be known from the games so far is None, never a made-up number.

    `points` and `margin` (own points minus the mean of the others') are per deal. `places[i]` counts games that ended in
    place i + 1, `faults` faults by cause, `forfeits` games forfeited. `group` numbers the bots that are linked by
    games: ratings compare only within one group.
    """

    rank: int | None
    bot: str
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    points: Estimate | None
    margin: Estimate | None
    games: int
    sets: int
    deals: int
    places: tuple[int, ...]
    faults: dict[str, int]
    forfeits: int
    group: int | None

    @property
    def half_width(self) -> float | None:
        """Half the length of the Elo interval."""
        return None if self.elo_low is None or self.elo_high is None else (self.elo_high - self.elo_low) / 2


@dataclass(frozen=True, slots=True)
class Table:
    """Standings of one variant, or of all together (`variant` None).

    Rows come best first; `pairs` has each pair that met once, under its names in alphabetical order; `bots` are the
    names by index of `ratings`; `earlier` is what the table looked like before, None while there are few sets.
    """

    variant: str | None
    rows: tuple[Standing, ...]
    pairs: Duels
    bots: tuple[str, ...]
    ratings: Ratings
    earlier: Earlier | None = None

    def pair(self, a: str, b: str) -> HeadToHead | None:
        """Head to head of a against b, from a's side; None if they never met."""
        return self.pairs.seen_from(a, b)

    def difference(self, a: str, b: str) -> Estimate | None:
        """Elo of a minus Elo of b; None where no chain of games links them.

        Raises:
            ValueError: a name that is not in the table.
        """
        return self.ratings.difference(self._index(a), self._index(b))

    def separated(self, a: str, b: str) -> bool:
        """Whether the difference of the two bots' Elo has an interval that leaves out zero."""
        return self.ratings.separated(self._index(a), self._index(b))

    def _index(self, bot: str) -> int:
        if bot not in self.bots:
            raise ValueError(f"no bot {bot!r} in this table (known: {', '.join(self.bots)})")
        return self.bots.index(bot)


def standings(results: Iterable[GameResult], bots: Iterable[str] = (), variant: str | None = None) -> Table:
    """The table of one variant, or of all variants pooled: every set counts the same, whatever its variant.

    `bots` are listed even if they never played; so is whoever played, listed or not. The order of results is irrelevant.
    """
    return table_of(sheet_of((game for game in results if variant in {None, game.variant}), bots), variant)


def table_of(sheet: Sheet, variant: str | None = None, sums: Tally | None = None) -> Table:
    """The table of games that are arrays already; `sums` is what they come to, if that is known."""
    summed = sum_up(sheet) if sums is None else sums
    ratings = rate(summed.pairs, len(summed.bots))
    rows = _rank(_rows(summed, ratings, sheet))
    return Table(variant, rows, Duels.of(summed), summed.bots, ratings, earlier(summed))


def league_tables(results: Iterable[GameResult], bots: Iterable[str] = ()) -> dict[str | None, Table]:
    """Tables by variant in name order, under None first that of all variants together."""
    games, names = list(results), list(bots)
    variants: list[str | None] = [None, *sorted({game.variant for game in games})]
    return {variant: standings(games, names, variant) for variant in variants}


def paired_margin(results: Iterable[GameResult], a: str, b: str) -> Estimate | None:
    """Points of a minus points of b per deal, over the games that both played; None if there is no such deal.

    The interval leaves out whole sets in turn, so it needs two.
    """
    pairs = tally(game for game in results if a in game.bots and b in game.bots)
    chosen = _between(pairs, a, b)
    if not len(chosen.set):
        return None
    margin = margins(chosen, np.zeros_like(chosen.set), 1)[0]
    return margin if margin is None or a < b else margin.mirrored(0.0)


def _between(sums: Tally, a: str, b: str) -> PairRows:
    names = {name: index for index, name in enumerate(sums.bots)}
    low, high = sorted((names.get(a, -1), names.get(b, -1)))
    keep = (sums.pairs.first == low) & (sums.pairs.second == high)
    return sums.pairs.take(keep)


def _rows(sums: Tally, ratings: Ratings, sheet: Sheet) -> list[Standing]:
    seats, size = sums.seats, len(sums.bots)
    played, deals = (np.bincount(seats.bot, column, size) for column in (seats.games, seats.deals))
    sets = np.bincount(seats.bot, minlength=size)
    points = ratio_estimates(seats.bot, seats.points, seats.deals, size)
    margin = ratio_estimates(seats.bot, seats.margin, seats.deals, size)
    groups = {label: number for number, label in enumerate(sorted(set(ratings.group.tolist()) - {-1}), 1)}
    return [
        Standing(
            None,
            bot,
            *_limits(elo),
            points[i],
            margin[i],
            int(played[i]),
            int(sets[i]),
            int(deals[i]),
            tuple(sums.places[i].tolist()),
            dict(sorted(sheet.faults.get(bot, {}).items())),
            sheet.forfeits.get(bot, 0),
            groups.get(int(ratings.group[i])),
        )
        for i, (bot, elo) in enumerate(zip(sums.bots, ratings.estimates(), strict=True))
    ]


def _limits(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)


def _rank(rows: Iterable[Standing]) -> tuple[Standing, ...]:
    """Rows by falling Elo, the unrated last and without a rank; equal Elo shares the better rank."""
    ordered = sorted(rows, key=lambda row: (row.elo is None, -_shown(row), row.bot))
    first: dict[float, int] = {}
    return tuple(
        row if row.elo is None else replace(row, rank=first.setdefault(_shown(row), place))
        for place, row in enumerate(ordered, 1)
    )


def _shown(row: Standing) -> float:
    """Elo to a millionth: what rounding errors leave between equal bots is no difference."""
    return 0.0 if row.elo is None else round(row.elo, 6)


def format_table(table: Table) -> str:
    """The table as aligned plain text, one bot a line, intervals as ± half their length, what is unknown as a dash."""
    head = ["#", "bot", "Elo", "±", "pts/deal", "±", "margin", "±", "games", "sets", "places", "forfeits", "faults"]
    grid = [head, *(_cells(row) for row in table.rows)]
    return _align(grid, left={"bot", "faults"})


def _cells(row: Standing) -> list[str]:
    return [
        _number(row.rank, 0),
        row.bot,
        _number(row.elo, 0),
        _number(row.half_width, 0),
        *_pair_cells(row.points),
        *_pair_cells(row.margin),
        str(row.games),
        str(row.sets),
        "/".join(map(str, row.places)) or "–",
        str(row.forfeits),
        " ".join(f"{cause}:{count}" for cause, count in row.faults.items()) or "–",
    ]


def _pair_cells(estimate: Estimate | None) -> tuple[str, str]:
    return ("–", "–") if estimate is None else (_number(estimate.value, 2), _number(estimate.half_width, 2))


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:z.{digits}f}"


def _align(grid: Sequence[Sequence[str]], left: set[str]) -> str:
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    sides = ["<" if title in left else ">" for title in grid[0]]
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
        for line in grid
    )
