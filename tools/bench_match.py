"""How long a match takes beside its parts: `python -m tools.bench_match`.

A league of four `random` bots at turn-up is run from nothing by one worker, six matches of 20 sets. A match's time is from the
start of the job to the stored result; the first match, which begins beside the worker's own start, is left out. Its parts: the
asks and answers, at the pace of a bare echo of the same bytes with as many clients and as many asks a message as in the match,
where those are counted; and the start of its bots as fresh processes, twice four, of which the second time overlaps with play.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from arena import spec
from arena.cli.common import SAMPLES
from league.store import Store
from tools import counting
from tools.bench import ROOT, echo
from tools.bench_workers import run_league

if TYPE_CHECKING:
    from league.model import Attempt

SETS = 20
BOTS = ("one", "two", "three", "four")
SEATS = 4


def matches(sets: int, command: str) -> tuple[list[float], int]:
    """Seconds from the start of the job to the stored result, match by match, and the decisions of a match on average."""
    data = Path(tempfile.mkdtemp(prefix="arena-bench-"))
    try:
        url = f"sqlite:///{data}/arena.db"
        with Store.open(url) as store:
            for name in BOTS:
                store.add_bot(name, command, str(ROOT))
            store.create_league(spec.league_spec("bench", [("turn-up", {})], BOTS, sets))
        run_league(url, data, 1)
        with Store.open(url) as store:
            found = [attempt for one in store.matches("bench") for attempt in store.attempts(one.id)]
            decisions = sum(figures.decisions for figures in store.attempt_figures())
        found.sort(key=lambda attempt: attempt.started_at)
        return [_taken(attempt) for attempt in found], decisions // len(found)
    finally:
        shutil.rmtree(data)


def _taken(attempt: Attempt) -> float:
    assert attempt.ended_at is not None
    return attempt.ended_at - attempt.started_at


def started() -> float:
    """Seconds from the start of four bots at once to the last one's Hello."""
    code = "import asyncio; from tools.launch_time import together; print(asyncio.run(together(4)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return float(done.stdout)


def together() -> float:
    """How many asks travel together, over all the messages of a league."""
    with tempfile.TemporaryDirectory() as folder:
        matches(SETS, counting.command(folder))
        return counting.asks_a_message(folder)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    asks = together()
    exchange = echo(1000, round(asks), SEATS)
    rows = []
    for _ in range(given.rounds):
        (_, *taken), decisions = matches(SETS, SAMPLES["random"])
        rows.append((statistics.median(taken), decisions / exchange(), started(), decisions))
    taken, wire, start, decisions = (statistics.median(column) for column in zip(*rows, strict=True))
    ratios = sorted(row[0] / (row[1] + row[2]) for row in rows)
    print(f"{os.cpu_count()} cores, medians of {given.rounds}; {decisions:,.0f} decisions, {asks:.1f} asks a message")
    print(f"a match of {SETS} sets, start of the job to stored result   {taken:.2f} s")
    print(f"its asks and answers at the pace of the echo           {wire:.2f} s")
    print(f"start of its four bots as fresh processes              {start:.2f} s")
    print(f"ratio {statistics.median(ratios):.2f} x  ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
