"""Whole arenas as processes, for tests that start, kill and count them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arena import spec
from league.store import Store
from referee.clock import Clock
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

KEY = bytes([0x5E]) * 32
STYLES = ("lowest", "random", "greedy")
SLOW = Path(__file__).with_name("slow_bot.py")
KINDS = {
    "worker": ("-m\0worker",),
    "referee": ("-m\0referee\0match",),
    "queue": ("valkey-server", "redis-server"),
    "run": ("league\0run",),
    "serve": ("-m\0referee\0serve",),
    "dashboard": ("gunicorn",),
}
"""What the command line of each kind of process has in it."""
FORGOTTEN = ("ARENA_STORE", "REDIS_URL", "ARENA_QUEUE", "ARENA_MATCH_SECONDS", "ARENA_REFEREE", "ARENA_OPERATOR_TOKEN")


def until(done: Callable[[], object], seconds: float = 600.0) -> None:
    """Wait for something that must happen."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


class Arena:
    """An arena in a data folder of its own; leases are short where something is killed that somebody has to take up again.

    Its slow bots take their time until the file `hurry` is there, so that a league lasts for as long as a test needs it to.
    """

    def __init__(self, data: Path, lease: float = 60.0) -> None:
        self.data = data
        self.hurry = data.with_name("hurry")
        self.store_url = f"sqlite:///{data}/arena.db"
        self.out = data.with_name(f"{data.name}.out")
        self.err = data.with_name(f"{data.name}.err")
        kept = {name: value for name, value in os.environ.items() if name not in FORGOTTEN}
        self.env = {**kept, "ARENA_DATA": str(data), "ARENA_LEASE_SECONDS": str(lease), "PYTHONPATH": str(ROOT)}
        self.command = (sys.executable, "-m", "arena")
        self.seen: set[tuple[int, str]] = set()
        self._started: list[subprocess.Popen[bytes]] = []

    def __call__(self, *words: str) -> str:
        """Run `arena` to its end, which must be a good one, and return its output."""
        done = subprocess.run([sys.executable, "-m", "arena", *words], env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `arena` as a shell would, leader of a process group, its outputs in files."""
        with self.out.open("ab") as out, self.err.open("ab") as err:
            command = [sys.executable, "-m", "arena", *words]
            self._started.append(subprocess.Popen(command, env=self.env, stdout=out, stderr=err, process_group=0))
            return self._started[-1]

    def close(self) -> None:
        """Kill whatever is left, after a test that failed."""
        for pid in self.survivors():
            with suppress(ProcessLookupError):
                kill(pid)
        for process in self._started:
            process.wait()

    def find(self, kind: str) -> list[int]:
        """Processes of a kind that belong to this arena."""
        marks = KINDS[kind]
        return [pid for pid, command in self._mine() if any(mark in command for mark in marks)]

    def _mine(self) -> Iterator[tuple[int, str]]:
        mark = f"ARENA_DATA={self.data}\0".encode()
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                if mark in (folder / "environ").read_bytes():
                    yield int(folder.name), (folder / "cmdline").read_bytes().decode(errors="replace")
            except (OSError, ValueError):
                continue

    def games_done(self) -> int:
        """Games of its league that the store has."""
        with Store(self.store_url) as store:
            return store.progress("cup").games_done

    def look(self) -> None:
        """Take note of every process that there is now, the bots' too, which have a clean environment."""
        family = {pid for pid, _ in self._mine()}
        parents = {pid: parent for pid, parent, _ in processes()}
        for pid, _, started in processes():
            line = pid
            while line in parents and line not in family:
                line = parents[line]
            if line in family:
                self.seen.add((pid, started))

    def survivors(self) -> list[int]:
        """Those of all the processes noted that are still there, and whatever else belongs to this arena."""
        there = {(pid, started) for pid, _, started in processes()}
        return sorted({pid for pid, _ in self.seen & there} | {pid for pid, _ in self._mine()})


def processes() -> list[tuple[int, int, str]]:
    """Every process but zombies: its id, its parent's and the time of its start."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in {"Z", "X"}:
            found.append((int(path.parent.name), int(fields[1]), fields[19]))
    return found


def kill(pid: int) -> None:
    """Kill a process with -9, as the kernel would for want of memory."""
    os.kill(pid, signal.SIGKILL)


def league(
    arena: Arena,
    styles: Sequence[str] = STYLES,
    variants: Sequence[str] = ("turn-up",),
    sets: int = 1,
    deals: int = 2,
    rest: float = 600.0,
) -> None:
    """Make the league "cup" of bots that rest after each game until they are to hurry, with a clock that nobody can break."""
    arena.data.mkdir(parents=True, exist_ok=True)
    clock = Clock(answer=600.0, start=600.0, bank=600.0, grace=60.0).as_json()
    with Store.open(arena.store_url) as store:
        for style in styles:
            store.add_bot(f"slow-{style}", f"python {SLOW} {style} {arena.hurry} {rest}", str(ROOT))
        entries: list[tuple[str, spec.Options]] = [(variant, {}) for variant in variants]
        names = tuple(f"slow-{style}" for style in styles)
        store.create_league(spec.league_spec("cup", entries, names, sets, fmt=f"deals:{deals}", clock=clock, key=KEY))
