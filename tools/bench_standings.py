"""What a table of standings costs, against one pass in SQL over the same games (`python -m tools.bench standings`).

For 10, 100, 200 and 1,000 bots: the whole table from the games; the same when one match has changed since and the store has
kept the sums of the others; and a pass that sums games, deals, points and wins by bot. They are measured in turn, by processor
time. Stores take some minutes to make; `python -m tools.bench_standings FOLDER` makes them there, or uses those that are there.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, text

from league.sheets import read_sheet
from league.standings import table_of
from league.store import Store
from tools.bench_dashboard import NAME, make

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

SIZES = ((10, 25), (100, 25), (200, 25), (1000, 1))
"""Bots, and duplicate sets of two games between any two of them."""
PASS = text(
    """
    WITH played AS (
        SELECT match_id, count(*) AS games, sum(deals) AS deals, sum(points->>0) AS first, sum(points->>1) AS second,
            sum((places->>0) = 1) AS first_won, sum((places->>1) = 1) AS second_won
        FROM games GROUP BY match_id
    )
    SELECT bot_version_id, sum(games), sum(deals), sum(CASE position WHEN 0 THEN first ELSE second END),
        sum(CASE position WHEN 0 THEN first_won ELSE second_won END)
    FROM played JOIN match_bots USING (match_id) GROUP BY bot_version_id
    """
)


def seconds(work: Callable[[], object]) -> float:
    """Processor time that something takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def table(store: Store, *, keep: bool) -> None:
    """Work out the standings with intervals, from all games or from kept sums."""
    table_of(read_sheet(store, NAME, None, [bot.bot for bot in store.league(NAME).bots], keep=keep))


def change(engine: Engine) -> None:
    """Have a match counted as changed, so that its part of the league is read again, as after a new set of it."""
    with engine.begin() as connection:
        connection.execute(text("UPDATE matches SET changes = changes + 1 WHERE id = (SELECT max(id) / 2 + 1 FROM matches)"))


def measure(url: str, rounds: int) -> tuple[list[float], list[float], list[float]]:
    """Seconds of the whole table, of one after a change, and of the pass, in turn."""
    engine = create_engine(url)

    def one_pass() -> None:
        with engine.connect() as connection:
            connection.execute(PASS).all()

    with Store.open(url) as store:
        table(store, keep=True)
        one_pass()
        whole, update, passed = [], [], []
        for _ in range(rounds):
            whole.append(seconds(lambda: table(store, keep=False)))
            change(engine)
            update.append(seconds(lambda: table(store, keep=True)))
            passed.append(seconds(one_pass))
    engine.dispose()
    return whole, update, passed


def show(title: str, ours: list[float], theirs: list[float]) -> None:
    """Print medians in milliseconds, their ratio and its spread."""
    ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
    mine, other = 1e3 * statistics.median(ours), 1e3 * statistics.median(theirs)
    print(
        f"{title:<68} {mine:>11,.0f} {other:>11,.0f} {'ms':<12} {statistics.median(ratios):>6.2f} x  "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f})",
        flush=True,
    )


def bench(rounds: int, folder: Path) -> None:
    """Measure leagues of every size, with stores in a folder, and how the table grows from one to the next."""
    before: tuple[int, float] | None = None
    for count, sets in SIZES:
        file = folder / f"standings-{count}.db"
        if not file.exists():
            make(f"sqlite:///{file}", count, sets)
        whole, update, passed = measure(f"sqlite:///{file}", rounds)
        what = f"{count:,} bots, {count * (count - 1) * sets:,} games"
        show(f"{what}: the table, against a pass in SQL", whole, passed)
        show(f"{what}: the table after one new set", update, passed)
        median = statistics.median(whole)
        if before is not None:
            power = math.log(median / before[1]) / math.log(count / before[0])
            print(f"the time of a table grows from {before[0]:,} to {count:,} bots with their number to the power {power:.2f}")
        before = count, median


def bench_standings(rounds: int) -> None:
    """The same with stores that are made for it and removed."""
    with tempfile.TemporaryDirectory() as folder:
        bench(rounds, Path(folder))


if __name__ == "__main__":
    bench(5, Path(sys.argv[1]))
