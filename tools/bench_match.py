"""How long a match takes beside its parts: `python -m tools.bench_match`.

A league of one match of 20 sets, two `random` bots at turn-up, is run from nothing. Its time is from the start of the job to the
stored result. Its parts: the asks and answers, at the pace of a bare echo of the same bytes, ten to a message; and the start of
its bots' processes, twice four, of which the second time overlaps with play. All are measured in turn.
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
from tools.bench import ROOT, echo
from tools.bench_workers import run_league

if TYPE_CHECKING:
    from league.model import Attempt

SETS = 20
PER_MESSAGE = 10
"""Asks that travel together where bots answer at once."""


def match(sets: int) -> tuple[float, int]:
    """Seconds from the start of the job to the stored result, and the decisions of the match."""
    data = Path(tempfile.mkdtemp(prefix="arena-bench-"))
    try:
        url = f"sqlite:///{data}/arena.db"
        with Store.open(url) as store:
            names = ("one", "two")
            for name in names:
                store.add_bot(name, SAMPLES["random"], str(ROOT))
            store.create_league(spec.league_spec("bench", [("turn-up", {})], names, sets))
        run_league(url, data, 1)
        with Store.open(url) as store:
            (found,) = [attempt for one in store.matches("bench") for attempt in store.attempts(one.id)]
            (figures,) = store.attempt_figures()
        return _taken(found), figures.decisions
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


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    exchange = echo(1000, PER_MESSAGE)
    rows: list[tuple[float, float, float, int]] = []
    for _ in range(rounds):
        taken, decisions = match(SETS)
        rows.append((taken, decisions / exchange(), started(), decisions))
    taken, wire, start, _ = (statistics.median(column) for column in zip(*rows, strict=True))
    ratios = sorted(row[0] / (row[1] + row[2]) for row in rows)
    print(f"{os.cpu_count()} cores, medians of {rounds}; {rows[0][3]:,} decisions")
    print(f"a match of {SETS} sets, start of the job to stored result   {taken:.2f} s")
    print(f"its asks and answers at the pace of the echo           {wire:.2f} s")
    print(f"start of its four bots                                 {start:.2f} s")
    print(f"ratio {statistics.median(ratios):.2f} x  ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
