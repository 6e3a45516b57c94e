"""Standings ready to be shown, worked out from the store once for each number of complete sets.

Working out a table resamples every set of the league, so a league that is being played is not worked out anew for every
set and reader: a table that is behind is kept for a few times as long as it took to make. Nobody waits for a table but the first
who looks at a small league: until a new one is there, the one before is shown, and says so. A small league's is made by a thread
of this process, a large league's by a program of its own, which keeps it in the store (`league.tabulate`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from flask import current_app

from dashboard import charts, data
from dashboard.data import LARGE_BOTS, LARGE_GAMES, PATIENCE
from league.errors import LeagueError
from league.history import Moment, history
from league.sheets import read_sheet
from league.standings import table_of
from league.tabulate import members_of, sets_of
from league.tabulated import FORMAT, Rows, rows_of, unpack_history, unpack_rows, unpack_table
from league.tallies import sheet_of, sum_up

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Flask

    from dashboard.charts import Scale
    from league.estimates import Estimate
    from league.model import Entry, League, Progress
    from league.standings import HeadToHead, Standing, Table
    from league.store import Store
    from league.store_tabulations import Tabulation

MEAN = 1500.0
WAIT = 3.0
"""Seconds that a reader is let wait for the first table of a large league."""
_NAME = "arena-tables"

T = TypeVar("T")


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
    gap: Estimate | None = None
    """Its Elo minus that of the next in rank; None for the last, and where nothing links the two."""
    before: int | None = None
    """Its rank in the table that movement is measured from."""

    @property
    def clear(self) -> bool:
        """Whether it is above the next in rank beyond the luck of the cards."""
        return self.gap is not None and self.gap.excludes(0.0)

    @property
    def moved(self) -> int | None:
        """Ranks won since then (lost, if negative); None if it has no rank, or had none."""
        return None if self.before is None or self.standing.rank is None else self.before - self.standing.rank


@dataclass(frozen=True)
class TableView:
    """A table of standings, with the scale that its intervals are drawn on."""

    rows: tuple[Row, ...]
    scale: Scale
    sets: int
    """Complete sets behind it."""
    load: Callable[[], Table]
    """Gives what is behind the rows."""
    entries: tuple[Entry, ...] = ()
    """Who played or had played when it was made."""
    made_at: float = 0.0
    """When (Unix seconds)."""
    since: str = ""
    """What movement is measured from, in words; empty where there is nothing yet."""
    pending: bool = False
    """Whether it is the first one of a large league, which is still being worked out."""

    @cached_property
    def table(self) -> Table:
        """What is behind the rows: pairs, and differences of any two bots."""
        return self.load()

    @property
    def tied(self) -> bool:
        """Whether any two neighbours are not separated."""
        return any(row.tied for row in self.rows)

    @property
    def split(self) -> bool:
        """Whether bots fall into groups that never met, so that their Elo cannot be compared."""
        return len({row.standing.group for row in self.rows if row.standing.group is not None}) > 1

    def row(self, bot: str) -> Row | None:
        """The line of a bot; None where it has none (yet)."""
        return next((row for row in self.rows if row.standing.bot == bot), None)

    def duel(self, a: str, b: str) -> HeadToHead | None:
        """Bot a against bot b, seen from a; None where they never met."""
        return self.table.pair(a, b)

    def gap(self, a: str, b: str) -> Estimate | None:
        """Elo of a minus Elo of b; None where nothing links the two, or one is not in the table (yet)."""
        return self.table.difference(a, b) if {a, b} <= set(self.table.bots) else None


AT_WORK = Lock()
"""Held by whoever works something out that nobody waits for: one at a time in a process, so that pages are still served."""


@dataclass(slots=True)
class Kept(Generic[T]):
    """The newest of something that follows from the store, and a lock that lets one thread at a time make it."""

    lock: Lock = field(default_factory=Lock)
    value: T | None = None
    key: object = None
    made_at: float = 0.0
    cost: float = 0.0
    job: Thread | None = None
    """Makes the next one while this one is shown."""

    def get(self, key: object, make: Callable[[], T], *, behind: bool = False) -> T:
        """The value for this key: made, or what there is if it is right, or young for what it takes to make.

        With `behind` nobody waits for it if there is an older one: that is returned, and the next one made meanwhile.
        """
        with self.lock:
            if self.value is not None and (self.key == key or time.monotonic() < self.made_at + PATIENCE * self.cost):
                return self.value
            if self.value is not None and behind:
                self._begin(key, make)
                return self.value
            return self._keep(key, *_timed(make))

    def _begin(self, key: object, make: Callable[[], T]) -> None:
        if self.job is None or not self.job.is_alive():
            self.job = Thread(target=self._work, args=(key, make), daemon=True)
            self.job.start()

    def _work(self, key: object, make: Callable[[], T]) -> None:
        try:
            with AT_WORK:
                made = _timed(make)
        except LeagueError:  # the store is away, or the league gone: whoever looks next learns of it
            return
        with self.lock:
            self._keep(key, *made)

    def _keep(self, key: object, value: T, cost: float) -> T:
        self.value, self.key, self.cost, self.made_at = value, key, cost, time.monotonic()
        return value


def _timed(make: Callable[[], T]) -> tuple[T, float]:
    """What is made, and how many seconds that took."""
    begun = time.monotonic()
    return make(), time.monotonic() - begun


@dataclass(slots=True)
class _Shelf:
    """All that is kept of one league and variant."""

    view: Kept[TableView] = field(default_factory=Kept)
    history: Kept[tuple[Moment, ...]] = field(default_factory=Kept)
    job: Thread | None = None
    """Works out the table of a large league."""


def init_app(app: Flask) -> None:
    """Give the application its cache."""
    app.extensions[_NAME] = {}
    app.add_template_global(charts.bar, "bar")
    app.jinja_env.globals["share_scale"] = charts.scale((0.0, 100.0), 50.0)


def standings_of(league: League, progress: Progress, label: str | None = None) -> TableView:
    """The standings of a league, or of one variant of it by its label."""
    label = _pooled(league, label)
    store, shelf, sets = data.store(), _shelf(league, label), sets_of(progress, label)
    season = _season_before(league, label)
    if not is_large(league, progress):
        return shelf.view.get((sets, league.entries), lambda: _small(store, league, label, sets, season), behind=True)
    head = _stored(store, shelf, league, label, sets)
    if head is None:
        return _view(league, Rows((), (), None), sets=0, load=_nothing, pending=True)
    return shelf.view.get((head.made_at, league.entries), lambda: _large(store, league, label, head, season))


def history_of(league: League, progress: Progress, label: str | None = None) -> tuple[Moment, ...]:
    """Elo over time of all bots of a league, or of one variant of it; empty where it is still to be worked out."""
    label = _pooled(league, label)
    store, shelf, sets = data.store(), _shelf(league, label), sets_of(progress, label)
    if not is_large(league, progress):
        return shelf.history.get(sets, lambda: history(sum_up(read_sheet(store, league.name, label))), behind=True)
    head = _stored(store, shelf, league, label, sets)
    return () if head is None else shelf.history.get(head.made_at, lambda: _stored_history(store, league, label, head))


def is_large(league: League, progress: Progress) -> bool:
    """Whether a league's tables are worked out ahead and kept in the store."""
    return progress.games_done > LARGE_GAMES or len(league.entries) > LARGE_BOTS


def _pooled(league: League, label: str | None) -> str | None:
    """The label of the table to show: that of the only variant of a league is the table of all variants."""
    return None if len(league.variants) == 1 else label


def _shelf(league: League, label: str | None) -> _Shelf:
    shelves = cast("dict[tuple[str, str | None], _Shelf]", current_app.extensions[_NAME])
    return shelves.setdefault((league.name, label), _Shelf())


# ---- small leagues: here and now --------------------------------------------------------------------------------------


def _small(store: Store, league: League, label: str | None, sets: int, season: _Season | None) -> TableView:
    table = table_of(read_sheet(store, league.name, label, [bot.bot for bot in league.bots]), label)
    return _view(league, rows_of(table), sets=sets, load=lambda: table, season=season)


# ---- large leagues: by a program of its own ---------------------------------------------------------------------------


def _stored(store: Store, shelf: _Shelf, league: League, label: str | None, sets: int) -> Tabulation | None:
    """What the store has of a table, be it behind; None if the first one is not there in time."""
    head = store.tabulation(league.name, label)
    if head is not None and head.format != FORMAT:
        head = None
    if head is None or _is_due(head, league, sets):
        _begin(store, shelf, league, label)
    patience = time.monotonic() + WAIT
    while head is None and time.monotonic() < patience:
        time.sleep(0.05)
        head = store.tabulation(league.name, label)
    return head


def _is_due(head: Tabulation, league: League, sets: int) -> bool:
    behind = head.sets != sets or head.members != members_of(league.entries)
    return behind and time.time() > head.made_at + PATIENCE * head.seconds


def _begin(store: Store, shelf: _Shelf, league: League, label: str | None) -> None:
    """Have a table worked out, unless that is under way; the store sees to it that no two processes do so."""
    if (shelf.job is None or not shelf.job.is_alive()) and not store.tabulating(league.name, label):
        words = [sys.executable, "-m", "league.tabulate", league.name, *([] if label is None else [label])]
        environment = os.environ | {"ARENA_STORE": store.url.render_as_string(hide_password=False), "OPENBLAS_NUM_THREADS": "1"}
        shelf.job = Thread(target=_run, args=(words, environment), daemon=True)
        shelf.job.start()


def _run(words: list[str], environment: Mapping[str, str]) -> None:
    subprocess.run(words, env=environment, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def _large(store: Store, league: League, label: str | None, head: Tabulation, season: _Season | None) -> TableView:
    found = store.tabulation_part(league.name, label, "rows", head.made_at)
    if found is None:  # another one has taken its place a moment ago
        return _view(league, Rows((), (), None), sets=0, load=_nothing, pending=True)
    rows = unpack_rows(found)

    def load() -> Table:
        arrays = store.tabulation_part(league.name, label, "arrays", head.made_at)
        return _nothing() if arrays is None else unpack_table(label, rows, arrays)

    return _view(league, rows, sets=head.sets, load=load, season=season, made_at=head.made_at)


def _stored_history(store: Store, league: League, label: str | None, head: Tabulation) -> tuple[Moment, ...]:
    found = store.tabulation_part(league.name, label, "history", head.made_at)
    return () if found is None else unpack_history(found)


def _nothing() -> Table:
    return table_of(sheet_of([]))


# ---- both -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Season:
    """The season before: its number and its ranks by bot."""

    number: int
    ranks: dict[str, int]


def _season_before(league: League, label: str | None) -> _Season | None:
    """The final table of the season before, if there was one with complete sets."""
    if league.series is None or league.season is None or league.season < 2:
        return None
    store = data.store()
    past = [season for season in store.series(league.series).seasons if season.number < league.season]
    if not past:
        return None
    before = store.league(past[-1].league)
    if label is not None and label not in {entry.label for entry in before.variants}:
        return None
    rows = standings_of(before, data.progress(before), label).rows
    ranks = {row.bot: row.standing.rank for row in rows if row.standing.rank is not None}
    return _Season(past[-1].number, ranks) if ranks else None


def _row(standing: Standing, entry: Entry | None, *, tied: bool, gap: Estimate | None, before: int | None) -> Row:
    """A line; without an entry the bot joined after the league was read, and the next look knows more of it."""
    if entry is None:
        return Row(standing, standing.bot, None, tied, gap=gap, before=before)
    return Row(standing, entry.bot.bot, entry.bot.version, tied, not entry.active, gap, before)


def _view(  # noqa: PLR0913 -- what a table is made of
    league: League,
    found: Rows,
    *,
    sets: int,
    load: Callable[[], Table],
    season: _Season | None = None,
    made_at: float | None = None,
    pending: bool = False,
) -> TableView:
    entries = {league.shown(entry.bot): entry for entry in league.entries}
    ranks, since = _movement(found, season)
    rows = []
    above: Estimate | None = None
    for standing, gap in zip(found.rows, found.gaps, strict=True):
        tied = above is not None and not above.excludes(0.0)
        rows.append(_row(standing, entries.get(standing.bot), tied=tied, gap=gap, before=ranks.get(standing.bot)))
        above = gap
    values = [value for row in found.rows for value in (row.elo, row.elo_low, row.elo_high)]
    stamp = time.time() if made_at is None else made_at
    return TableView(tuple(rows), charts.scale(values, MEAN), sets, load, league.entries, stamp, since, pending)


def _movement(found: Rows, season: _Season | None) -> tuple[dict[str, int], str]:
    """The ranks that movement is measured from, and what they are in words."""
    if season is not None:
        return season.ranks, f"the end of season {season.number}"
    if found.earlier is not None:
        return found.earlier.ranks, f"the first {found.earlier.sets} sets"
    return {}, ""
