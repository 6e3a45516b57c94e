"""Works out the standings of a large league and keeps them: `python -m league.tabulate LEAGUE [LABEL]`, store in `ARENA_STORE`.

A program of its own, since it takes minutes of a processor for a million games: whoever shows pages goes on meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from typing import TYPE_CHECKING

from league.canonical import canonical
from league.errors import LeagueError
from league.history import history
from league.sheets import read_sheet
from league.standings import table_of
from league.store import Store
from league.store_tabulations import Tabulation
from league.tabulated import FORMAT, pack_arrays, pack_history, pack_rows, rows_of
from league.tallies import sum_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.model import Entry, Progress

LEASE = 900.0
"""Seconds after which a table that is being worked out is taken for given up."""


def members_of(entries: Sequence[Entry]) -> str:
    """A stamp of who plays or has played in a league."""
    told = [[entry.bot.bot, entry.bot.version, entry.active] for entry in entries]
    return hashlib.sha256(canonical(told).encode()).hexdigest()


def sets_of(progress: Progress, label: str | None) -> int:
    """Complete sets of a league, or of a variant of it."""
    return sum(entry.sets_done for entry in progress.variants if label in {None, entry.label})


def tabulate(store: Store, name: str, label: str | None = None) -> bool:
    """Work out a league's table and keep it; False if somebody else is at it.

    Raises:
        NotFound: There is no such league.
    """
    if not store.begin_tabulation(name, label, LEASE):
        return False
    try:
        _work_out(store, name, label)
    except BaseException:
        store.give_up_tabulation(name, label)
        raise
    return True


def _work_out(store: Store, name: str, label: str | None) -> None:
    begun = time.time()
    league, sets = store.league(name), sets_of(store.progress(name), label)
    sheet = read_sheet(store, name, label, [bot.bot for bot in league.bots], keep=True)
    sums = sum_up(sheet)
    table = table_of(sheet, label, sums)
    parts = {"rows": pack_rows(rows_of(table)), "arrays": pack_arrays(table), "history": pack_history(history(sums))}
    made = Tabulation(FORMAT, sets, members_of(league.entries), time.time(), time.time() - begun)
    store.save_tabulation(name, label, made, parts)  # type: ignore[arg-type]  # the keys are the parts' names


def main(words: Sequence[str]) -> int:
    """Run from the command line; returns the exit code."""
    url = os.environ.get("ARENA_STORE")
    if not 1 <= len(words) <= 2 or not url:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    os.nice(10)
    try:
        with Store(url) as store:
            tabulate(store, words[0], words[1] if len(words) == 2 else None)
    except LeagueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
