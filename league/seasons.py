"""Sees to it that seasons begin when they are due, for commands that run for long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from league.errors import LeagueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from league.model import Series
    from league.store import Store


class Seasons:
    """Opens the seasons of series, and lets newcomers join them.

    Args:
        store: where the series stand.
        only: name of the one series to see to; None: all of them.
        clock: gives the time (Unix seconds).
    """

    def __init__(self, store: Store, only: str | None = None, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._only = only
        self._clock = clock
        self._troubles: dict[str, str] = {}

    def tick(self) -> list[str]:
        """Do what is due now, and return what is to be said of it, a line each. A trouble is said once while it lasts."""
        lines: list[str] = []
        for series in self._series():
            try:
                lines += self._see_to(series)
                self._troubles.pop(series.name, None)
            except LeagueError as error:
                if self._troubles.get(series.name) != str(error):
                    lines.append(f"the next season of {series.name} cannot begin: {error}")
                self._troubles[series.name] = str(error)
        return lines

    def _series(self) -> list[Series]:
        return self._store.all_series() if self._only is None else [self._store.series(self._only)]

    def _see_to(self, series: Series) -> Iterator[str]:
        now = self._clock()
        opened = self._store.open_season(series.name, now=now) if series.next_start <= now else None
        if opened is not None:
            yield f"season {opened.season} of {series.name} has begun: league {opened.name}, {len(opened.bots)} bots"
        if series.joins:
            for newcomer in self._store.join_season(series.name, now):
                if opened is None:
                    yield f"{newcomer} has joined the season of {series.name}"
