"""Sets an hour with one, two and four workers, bots that answer at once and bots that think: `python -m tools.bench_workers`.

Every figure is a whole league from nothing: SQLite store, embedded queue, so many worker processes, a referee and fresh bot
processes for each seating. The league of one line is the same for each number of workers. Ratios to one worker are what counts;
the sets an hour are this machine's.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from arena import spec
from league.store import Store
from referee.clock import Clock

ROOT = Path(__file__).resolve().parent.parent
BOT = ROOT / "tests" / "worker" / "fast_bot.py"
WORKERS = (1, 2, 4)


@dataclass(frozen=True)
class Line:
    """One kind of league that is measured."""

    title: str
    milliseconds: float
    """That a bot thinks over each answer."""
    bots: int
    sets: int
    """Of each match."""

    @property
    def all_sets(self) -> int:
        """Sets of the whole league."""
        return self.sets * self.bots * (self.bots - 1) // 2


def measure(line: Line, workers: int) -> float:
    """Sets an hour of a whole league."""
    data = Path(tempfile.mkdtemp(prefix="arena-bench-"))
    try:
        url = f"sqlite:///{data}/arena.db"
        _make(line, url)
        started = time.perf_counter()
        run_league(url, data, workers)
        return line.all_sets / (time.perf_counter() - started) * 3600
    finally:
        shutil.rmtree(data)


def run_league(url: str, data: Path, workers: int) -> None:
    """Run the league "bench" of a store to its end."""
    env = {**os.environ, "ARENA_STORE": url, "ARENA_DATA": str(data), "ARENA_LAG_SECONDS": "60", "PYTHONPATH": str(ROOT)}
    env.pop("REDIS_URL", None)
    command = [sys.executable, "-m", "arena", "league", "run", "bench", "--workers", str(workers)]
    subprocess.run(command, env=env, check=True, capture_output=True, cwd=ROOT)


def _make(line: Line, url: str) -> None:
    names = tuple(f"fast-{number}" for number in range(line.bots))
    clock = Clock(answer=120.0, start=300.0, bank=1200.0).as_json()
    with Store.open(url) as store:
        for number, name in enumerate(names):
            store.add_bot(name, f"python {BOT} {number} {line.milliseconds}", str(ROOT))
        store.create_league(spec.league_spec("bench", [("turn-up", {})], names, line.sets, fmt="deals:1", clock=clock))


def main() -> None:
    """Measure in turn, so that a machine that gets slower or faster does so for all alike; print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sets", type=int, default=100, help="of each of the six matches")
    given = parser.parse_args()
    lines = (Line("bots that answer at once", 0.0, 4, given.sets), Line("bots that think 5 ms", 5.0, 4, given.sets))
    print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}, {lines[0].all_sets} sets of one deal")
    for line in lines:
        rounds = [[measure(line, workers) for workers in WORKERS] for _ in range(given.rounds)]
        for place, workers in enumerate(WORKERS):
            rate = statistics.median(row[place] for row in rounds)
            ratios = sorted(row[place] / row[0] for row in rounds)
            spread = f"{statistics.median(ratios):.2f} x  ({ratios[0]:.2f} to {ratios[-1]:.2f})"
            print(f"{line.title:<26} {workers} workers {rate:>9,.0f} sets/hour {spread:>24}", flush=True)


if __name__ == "__main__":
    main()
