"""Standings as a visitor wants them: sorted, filtered by name, a page at a time; and the same rows as CSV and JSON."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flask import abort, request

from dashboard.filters import iso

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dashboard.tables import Row, TableView
    from league.estimates import Estimate

ROWS_A_PAGE = 200
LONGEST_NAME = 60


def _points(row: Row) -> float | None:
    return None if row.standing.points is None else row.standing.points.value


SORTS: dict[str, tuple[Callable[[Row], float | str | None], bool]] = {
    "rank": (lambda row: row.standing.rank, False),
    "move": (lambda row: row.moved, True),
    "bot": (lambda row: row.standing.bot, False),
    "elo": (lambda row: row.standing.elo, True),
    "gap": (lambda row: None if row.gap is None else row.gap.value, True),
    "points": (_points, True),
    "games": (lambda row: row.standing.games, True),
    "faults": (lambda row: sum(row.standing.faults.values()) + row.standing.forfeits, True),
}
"""By what rows may be sorted, and whether the first click puts the greatest first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a visitor asks to see of a table."""

    sort: str
    falling: bool
    name: str
    """Part of the name of the bots to be shown."""
    page: int | None
    """From 1; None: all rows."""

    @property
    def text(self) -> str:
        """The sort as it stands in an address."""
        return f"-{self.sort}" if self.falling else self.sort

    def turned(self, sort: str) -> str:
        """What the address of a column's head says: its own sort, or the other way round if that is the present one."""
        falling = not self.falling if sort == self.sort else SORTS[sort][1]
        return f"-{sort}" if falling else sort

    def aria(self, sort: str) -> str:
        """How a column is sorted, for its `aria-sort`."""
        if sort != self.sort:
            return "none"
        return "descending" if self.falling else "ascending"

    def every(self) -> dict[str, str]:
        """The part of an address that asks for all pages of this."""
        return {"sort": self.text, "find": self.name} if self.name else {"sort": self.text}

    def at(self, page: int) -> dict[str, str | int]:
        """The part of an address that asks for a page of this."""
        return {**self.every(), "page": page}

    def sorted_by(self, sort: str) -> dict[str, str]:
        """The part of the address behind a column's head."""
        return {**self.every(), "sort": self.turned(sort)}


@dataclass(frozen=True, slots=True)
class Arranged:
    """The rows to be shown of a table."""

    wanted: Wanted
    rows: tuple[Row, ...]
    found: int
    """Rows that fit the name, on all pages."""
    pages: int


def read(*, all_pages: bool = False) -> Wanted:
    """What the request asks for; 404 for a sort that there is not. `all_pages`: without a page, all rows are meant."""
    text = request.args.get("sort") or "rank"
    sort = text.removeprefix("-")
    if sort not in SORTS:
        abort(404, f"Standings cannot be sorted by {sort!r} (by: {', '.join(SORTS)}; a minus in front turns the order round).")
    page = request.args.get("page", None if all_pages else 1, type=int)
    return Wanted(sort, text.startswith("-"), request.args.get("find", "")[:LONGEST_NAME].strip(), page)


def arrange(view: TableView, wanted: Wanted) -> Arranged:
    """The rows that are wanted, in the order wanted; 404 for a page that is not there."""
    part = wanted.name.casefold()
    rows = [row for row in view.rows if part in row.standing.bot.casefold()]
    value, _ = SORTS[wanted.sort]
    known = [row for row in rows if value(row) is not None]
    known.sort(key=value, reverse=wanted.falling)  # type: ignore[arg-type]  # of one type each, and none is None
    rows = known + [row for row in rows if value(row) is None]
    pages = max(1, -(-len(rows) // ROWS_A_PAGE))
    if wanted.page is None:
        return Arranged(wanted, tuple(rows), len(rows), pages)
    if not 1 <= wanted.page <= pages:
        abort(404, f"There is no page {wanted.page} (there are {pages}).")
    shown = rows[(wanted.page - 1) * ROWS_A_PAGE : wanted.page * ROWS_A_PAGE]
    return Arranged(wanted, tuple(shown), len(rows), pages)


# ---- the same as data -------------------------------------------------------------------------------------------------


def as_json(league: str, label: str | None, view: TableView, arranged: Arranged) -> dict[str, Any]:
    """The rows shown, with what they were worked out from."""
    return {
        "league": league,
        "variant": label,
        "sets": view.sets,
        "as_of": iso(view.made_at),
        "movement_since": view.since or None,
        "sort": arranged.wanted.text,
        "find": arranged.wanted.name,
        "bots": arranged.found,
        "rows": [_as_json(row) for row in arranged.rows],
    }


def _interval(found: Estimate | None) -> dict[str, float | None] | None:
    return None if found is None else {"value": found.value, "low": found.low, "high": found.high}


def _as_json(row: Row) -> dict[str, Any]:
    of = row.standing
    return {
        "rank": of.rank,
        "rank_before": row.before,
        "moved": row.moved,
        "bot": of.bot,
        "version": row.version,
        "withdrawn": row.withdrawn,
        "elo": None if of.elo is None else {"value": of.elo, "low": of.elo_low, "high": of.elo_high},
        "above_next": _interval(row.gap),
        "clearly_above_next": None if row.gap is None else row.clear,
        "points_a_deal": _interval(of.points),
        "games": of.games,
        "sets": of.sets,
        "deals": of.deals,
        "places": list(of.places),
        "faults": of.faults,
        "forfeits": of.forfeits,
        "group": of.group,
    }


def as_csv(view: TableView, arranged: Arranged) -> str:
    """The rows shown, a line each; what is unknown is empty. Columns for places and causes are those of the whole table."""
    places = max((len(row.standing.places) for row in view.rows), default=0)
    causes = sorted({cause for row in view.rows for cause in row.standing.faults})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    numbered = [f"place_{number}" for number in range(1, places + 1)]
    writer.writerow([*_COLUMNS, *numbered, *(f"fault_{cause}" for cause in causes)])
    writer.writerows(_line(row, places, causes) for row in arranged.rows)
    return text.getvalue()


_COLUMNS = (
    "rank", "rank_before", "bot", "version", "withdrawn", "elo", "elo_low", "elo_high",
    "above_next", "above_next_low", "above_next_high", "clearly_above_next",
    "points_per_deal", "points_per_deal_low", "points_per_deal_high", "games", "sets", "deals", "forfeits",
)  # fmt: skip


def _line(row: Row, places: int, causes: Iterable[str]) -> list[object]:
    of = row.standing
    return [
        *(of.rank, row.before, of.bot, row.version, int(row.withdrawn), of.elo, of.elo_low, of.elo_high),
        *(*_three(row.gap), None if row.gap is None else int(row.clear)),
        *(*_three(of.points), of.games, of.sets, of.deals, of.forfeits),
        *(*of.places, *[0] * (places - len(of.places))),
        *(of.faults.get(cause, 0) for cause in causes),
    ]


def _three(estimate: Estimate | None) -> Sequence[float | None]:
    return (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)
