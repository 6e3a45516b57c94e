"""How much a league loses to people who watch it: `python -m tools.bench_spectators`.

Whole leagues from nothing, in turn without and with spectators: the dashboard as `arena dashboard` starts it, on the same machine
and the same store, and so many open streams of the league's events. Spectators are read by this program, whose work for it is
counted against the league too. The ratio is what counts: a league's games a second with spectators to those without.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from arena import spec
from league.store import Store
from referee.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
BOT = ROOT / "tests" / "worker" / "fast_bot.py"
LEAGUE = "bench"
LOSS = 0.05
"""The share of its speed that a league may lose."""


@dataclass
class Crowd:
    """Open streams of a league's events, read in a thread of their own."""

    port: int
    size: int
    bytes: list[int] = field(default_factory=list)
    """Received, by stream."""
    error: Exception | None = None

    async def _watch(self, number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET /leagues/{LEAGUE}/live/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n", 1)[0]:
            raise RuntimeError(f"stream {number} was refused: {head.splitlines()[0]!r}")
        while data := await reader.read(65536):
            self.bytes[number] += len(data)

    async def _all(self) -> None:
        tasks = [asyncio.create_task(self._watch(number)) for number in range(self.size)]
        await self._stop.wait()
        for task in tasks:
            if task.done():
                task.result()
            task.cancel()

    def _run(self) -> None:
        async def main() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            self._ready.set()
            await self._all()

        try:
            asyncio.run(main())
        except (OSError, RuntimeError, asyncio.IncompleteReadError) as error:
            self.error = error

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch meanwhile; raises RuntimeError if a stream was refused, or told nothing."""
        self.bytes = [0] * self.size
        self._ready = threading.Event()
        thread = threading.Thread(target=self._run)
        thread.start()
        self._ready.wait()
        yield
        self._loop.call_soon_threadsafe(self._stop.set)
        thread.join()
        if self.error or not all(self.bytes):
            raise RuntimeError(f"{sum(map(bool, self.bytes))} of {self.size} streams were told anything") from self.error


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def dashboard(env: dict[str, str], port: int) -> Iterator[None]:
    """The dashboard, as the arena starts it."""
    command = [sys.executable, "-m", "arena", "dashboard", "--bind", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while not _answers(port):
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError("the dashboard does not answer")
            time.sleep(0.1)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/fair-play").close()
    except OSError:
        return False
    return True


@dataclass(frozen=True)
class Run:
    """One league, played to its end."""

    speed: float
    """Games a second."""
    league: float
    """Processor time of the league's processes, seconds."""
    watching: float
    """Processor time of the dashboard and of those who watch, seconds."""


def _used() -> float:
    """Processor time of all child processes that have ended, seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(spectators: int, sets: int) -> Run:
    """A whole league with so many spectators."""
    data = Path(tempfile.mkdtemp(prefix="arena-bench-"))
    try:
        games = _make(f"sqlite:///{data}/arena.db", sets)
        env = {**os.environ, "ARENA_STORE": f"sqlite:///{data}/arena.db", "ARENA_DATA": str(data), "ARENA_LAG_SECONDS": "60"}
        env.pop("REDIS_URL", None)
        port, own, before = free_port(), time.process_time(), _used()
        with dashboard(env, port), Crowd(port, spectators).watching():
            started = time.perf_counter()
            command = [sys.executable, "-m", "arena", "league", "run", LEAGUE, "--workers", "1"]
            subprocess.run(command, env=env, check=True, capture_output=True, cwd=ROOT)
            took, played = time.perf_counter() - started, _used()
        return Run(games / took, played - before, _used() - played + time.process_time() - own)
    finally:
        shutil.rmtree(data)


def _make(url: str, sets: int) -> int:
    """Make the league; returns its number of games."""
    names = ("fast-0", "fast-1", "fast-2")
    clock = Clock(answer=120.0, start=300.0, bank=1200.0).as_json()
    with Store.open(url) as store:
        for number, name in enumerate(names):
            store.add_bot(name, f"python {BOT} {number} 0", str(ROOT))
        store.create_league(spec.league_spec(LEAGUE, [("turn-up", {})], names, sets, fmt="deals:8", clock=clock))
    return 3 * 2 * sets


def main() -> int:
    """Measure in turn, so that a machine that gets slower or faster does so for both alike; 1 if the loss is too great."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sets", type=int, default=60, help="of each of the three matches")
    parser.add_argument("--spectators", type=int, default=100)
    given = parser.parse_args()
    print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}, {6 * given.sets} games of eight deals")
    ratios, shares = [], []
    for number in range(given.rounds):
        order = (0, given.spectators) if number % 2 == 0 else (given.spectators, 0)
        runs = {spectators: measure(spectators, given.sets) for spectators in order}
        alone, watched = runs[0], runs[given.spectators]
        ratios.append(watched.speed / alone.speed)
        shares.append((watched.watching - alone.watching) / watched.league)
        print(
            f"  alone {alone.speed:.1f} games/s, watched by {given.spectators} {watched.speed:.1f}: ratio {ratios[-1]:.3f}; "
            f"processor: league {watched.league:.1f} s, watching {watched.watching:.1f} s ({alone.watching:.1f} s by nobody)",
            flush=True,
        )
    ratio = statistics.median(ratios)
    print(f"ratio {ratio:.3f} (median of {given.rounds}): a loss of {100 * (1 - ratio):.1f} %")
    print(f"spectators cost {100 * statistics.median(shares):.1f} % of the processor time that the league takes")
    return int(ratio < 1 - LOSS)


if __name__ == "__main__":
    raise SystemExit(main())
