"""Standings ready to be shown, worked out from the store once for each number of complete sets.

Working out a table resamples every set of the league, so a league that is being played is not worked out anew for every
set and reader: a table that is behind is kept for a few times as long as it took to make.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, cast

from flask import current_app

from dashboard import charts, data
from league.standings import standings

if TYPE_CHECKING:
    from flask import Flask

    from dashboard.charts import Scale
    from league.model import Entry, League, Progress
    from league.standings import HeadToHead, Standing, Table

MEAN = 1500.0
PATIENCE = 5.0
"""A table that is behind is kept for this many times what it took to make it."""
_NAME = "arena-tables"


@dataclass(frozen=True, slots=True)
class Row:
    """One bot's line in a table of standings."""

    standing: Standing
    bot: str
    """Its name as its matches have it: without the version that tells a former version from the present one."""
    version: int | None
    tied: bool
    """Whether the interval of the difference to the bot above contains zero."""
    withdrawn: bool = False
    """Whether it plays no more."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table of standings, with the scale that its intervals are drawn on."""

    table: Table
    rows: tuple[Row, ...]
    scale: Scale
    sets: int
    """Complete sets behind it."""
    entries: tuple[Entry, ...] = ()
    """Who played or had played when it was made."""

    @property
    def tied(self) -> bool:
        """Whether any two neighbours are not separated."""
        return any(row.tied for row in self.rows)

    @property
    def split(self) -> bool:
        """Whether bots fall into groups that never met, so that their Elo cannot be compared."""
        return len({row.standing.group for row in self.rows if row.standing.group is not None}) > 1

    def duel(self, a: str, b: str) -> HeadToHead | None:
        """Bot a against bot b, seen from a; None where they never met."""
        return self.table.pair(a, b)


@dataclass(slots=True)
class _Slot:
    """The newest table of one league and variant, and a lock that lets one thread at a time make it."""

    lock: Lock = field(default_factory=Lock)
    view: TableView | None = None
    made_at: float = 0.0
    cost: float = 0.0

    def fresh(self, sets: int, entries: tuple[Entry, ...], now: float) -> TableView | None:
        """The table, if it is of these bots and counts this many sets or is young."""
        if self.view and self.view.entries == entries and (self.view.sets == sets or now < self.made_at + PATIENCE * self.cost):
            return self.view
        return None


def init_app(app: Flask) -> None:
    """Give the application its cache."""
    app.extensions[_NAME] = {}


def standings_of(league: League, progress: Progress, label: str | None = None) -> TableView:
    """The standings of a league, or of one variant of it by its label."""
    slots = cast("dict[tuple[str, str | None], _Slot]", current_app.extensions[_NAME])
    slot = slots.setdefault((league.name, label), _Slot())
    sets = sum(entry.sets_done for entry in progress.variants if label in {None, entry.label})
    with slot.lock:
        view = slot.fresh(sets, league.entries, time.monotonic())
        if view is None:
            begun = time.monotonic()
            view = slot.view = _view(league, label, sets)
            slot.made_at = time.monotonic()
            slot.cost = slot.made_at - begun
        return view


def _tied(table: Table, above: str, below: str) -> bool:
    """Whether two bots that games link are not separated."""
    difference = table.difference(above, below)
    return difference is not None and not difference.excludes(0.0)


def _row(standing: Standing, entry: Entry | None, *, tied: bool) -> Row:
    """A line; without an entry the bot joined after the league was read, and the next look knows more of it."""
    if entry is None:
        return Row(standing, standing.bot, None, tied)
    return Row(standing, entry.bot.bot, entry.bot.version, tied, not entry.active)


def _view(league: League, label: str | None, sets: int) -> TableView:
    names = [bot.bot for bot in league.bots]
    table = standings(data.store().results(league.name, label), names, label)
    entries = {league.shown(entry.bot): entry for entry in league.entries}
    rows = []
    above: Standing | None = None
    for standing in table.rows:
        tied = above is not None and _tied(table, above.bot, standing.bot)
        rows.append(_row(standing, entries.get(standing.bot), tied=tied))
        above = standing
    values = [value for row in table.rows for value in (row.elo, row.elo_low, row.elo_high)]
    return TableView(table, tuple(rows), charts.scale(values, MEAN), sets, league.entries)
