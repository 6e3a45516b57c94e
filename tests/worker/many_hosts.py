"""A league on many hosts that suffer: hosts killed, links cut, Redis emptied, PostgreSQL restarted, all of it over and over.

`python -m tests.worker.many_hosts` plays a week's worth of sets, one a minute, needs root, PostgreSQL and Valkey, and prints its
figures; `--bots` and `--sets` make it shorter. `test_many_hosts.py` plays a small one.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from arena import spec
from league.store import Store
from referee.clock import Clock
from tests.worker.hosts import HOSTS, WORKERS, Centre
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

BOT = Path(__file__).with_name("fast_bot.py")
KEY = bytes([0x4D]) * 32
LEAGUE = "week"
KINDS = (
    "kill worker",
    "cut worker",
    "cut db",
    "empty redis",
    "kill scheduler",
    "restart db",
    "cut redis",
    "crash db",
    "cut scheduler",
)
"""What is done to it; in turn, in an order drawn anew for each round."""


@dataclass(frozen=True)
class Size:
    """How large a league is, and how fast its bots answer."""

    bots: int
    sets: int
    """Of each match."""
    milliseconds: float = 0.0

    @property
    def matches(self) -> int:
        """Matches: one for each two bots."""
        return self.bots * (self.bots - 1) // 2


def make(url: str, size: Size) -> None:
    """Make the league: two teams, one deal a game, and a clock that nobody can break."""
    clock = Clock(answer=120.0, start=300.0, bank=1200.0).as_json()
    names = tuple(f"fast-{number:02}" for number in range(size.bots))
    with Store.open(url) as store:
        for number, name in enumerate(names):
            store.add_bot(name, f"python {BOT} {number} {size.milliseconds}", str(ROOT))
        store.create_league(spec.league_spec(LEAGUE, [("turn-up", {})], names, size.sets, fmt="deals:1", clock=clock, key=KEY))


def arena(url: str, data: Path, *words: str) -> None:
    """Run `arena` to its end, which must be a good one."""
    env = {**os.environ, "ARENA_STORE": url, "ARENA_DATA": str(data), "ARENA_LAG_SECONDS": "60", "PYTHONPATH": str(ROOT)}
    env.pop("REDIS_URL", None)
    done = subprocess.run([sys.executable, "-m", "arena", *words], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def exported(url: str, data: Path) -> dict[str, bytes]:
    """The export of the league, file by file; its records verify."""
    folder = data.with_name(f"{data.name}.export")
    arena(url, data, "league", "export", LEAGUE, "--to", str(folder))
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    arena(url, data, "verify", *(str(folder / name) for name in files if name.endswith(".jsonl")))
    return files


def undisturbed(size: Size, folder: Path, workers: int = 2) -> dict[str, bytes]:
    """The export of the same league, played in peace on this machine with SQLite and the embedded queue server."""
    data = folder / "calm"
    data.mkdir()
    url = f"sqlite:///{data}/arena.db"
    make(url, size)
    arena(url, data, "league", "run", LEAGUE, "--workers", str(workers))
    return exported(url, data)


@dataclass
class Storm:
    """Does things to a centre while it plays.

    Args:
        centre: what suffers.
        chance: decides what, when and for how long.
        gap: least and most seconds between two things done.
        limit: number of things done at most; None: until the league is finished.
    """

    centre: Centre
    chance: random.Random
    gap: tuple[float, float]
    limit: int | None = None
    done: Counter[str] = field(default_factory=Counter)
    _later: list[tuple[float, int, str, Callable[[], None]]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)

    def blow(self) -> None:
        """Go on until the league is finished or the limit is reached; then everything is whole again."""
        kinds: list[str] = []
        while not self.centre.finished(LEAGUE) and (self.limit is None or self.done.total() < self.limit):
            if not kinds:
                kinds = self.chance.sample(KINDS, len(KINDS))
            self._strike(kinds.pop())
            self._wait(self.chance.uniform(*self.gap))
        while self._later:
            self._wait(1.0)

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            while self._later and self._later[0][0] <= time.monotonic():
                heapq.heappop(self._later)[3]()
            time.sleep(0.05)

    def _mend(self, target: str, seconds: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._later, (time.monotonic() + seconds, next(self._order), target, action))

    def _strike(self, kind: str) -> None:
        word, what = kind.split()
        broken = {target for _, _, target, _ in self._later}
        targets = [name for name in (WORKERS if what == "worker" else (what.replace("scheduler", "s"),)) if name not in broken]
        if not targets:
            return
        target = self.chance.choice(targets)
        getattr(self, f"_{word}")(target, self.chance.choice((0.5, 2.0, 6.0, 15.0)))
        self.done[word if word != "kill" else "kill host"] += 1

    def _kill(self, target: str, seconds: float) -> None:
        self.centre.kill_host(target)
        self._mend(target, min(seconds, 4.0), lambda: self.centre.start_host(target))

    def _cut(self, target: str, seconds: float) -> None:
        self.centre.network.cut(target)
        self._mend(target, seconds, lambda: self.centre.network.heal(target))

    def _empty(self, target: str, seconds: float) -> None:
        self.centre.kill_redis()
        self._mend(target, min(seconds, 4.0), self.centre.start_redis)

    def _restart(self, target: str, seconds: float) -> None:
        self._stop_database(target, seconds, signal.SIGINT)

    def _crash(self, target: str, seconds: float) -> None:
        self._stop_database(target, seconds, signal.SIGQUIT)

    def _stop_database(self, target: str, seconds: float, how: signal.Signals) -> None:
        self.centre.stop_database(how)
        self._mend(target, min(seconds, 4.0), self.centre.start_database)


@dataclass(frozen=True)
class Figures:
    """What came of a storm."""

    done: dict[str, int]
    sets: int
    games: int
    lost: int
    """Games that ought to be stored and are not."""
    doubled: int
    """Games that are stored more than once."""
    blamed: int
    """Faults that bots were charged with."""
    attempts: dict[str, int]
    seconds: float


def wait_for_database(centre: Centre) -> None:
    """Wait until PostgreSQL takes connections."""
    end = time.monotonic() + 120
    ready = ["pg_isready", "-q", "-d", centre.store_url]
    while subprocess.run(ready, check=False).returncode != 0:
        assert time.monotonic() < end, (centre.folder / "db.log").read_text()[-2000:]
        time.sleep(0.1)


def stormy(size: Size, folder: Path, chance: random.Random, gap: tuple[float, float], limit: int | None = None) -> Figures:
    """Play the league on many hosts in a storm; its export is left in `folder`/wild.export."""
    started = time.monotonic()
    with Centre(folder) as centre:
        wait_for_database(centre)
        make(centre.store_url, size)
        for host in HOSTS:
            centre.start_host(host)
        _wait_until(lambda: bool(centre.games_done(LEAGUE)), "no game was stored")
        storm = Storm(centre, chance, gap, limit)
        storm.blow()
        _wait_until(lambda: centre.finished(LEAGUE), "the league was not finished")
        seconds = time.monotonic() - started
        (folder / "wild").mkdir()
        exported(centre.store_url, folder / "wild")
        with Store(centre.store_url) as store:
            return _figures(store, size, dict(storm.done), seconds)


def _wait_until(done: Callable[[], bool], complaint: str, seconds: float = 1800.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, complaint
        time.sleep(0.2)


def _figures(store: Store, size: Size, done: dict[str, int], seconds: float) -> Figures:
    matches = store.matches(LEAGUE, limit=10_000)
    games = [(match.id, game.set, game.seating) for match in matches for game in store.games(match.id)]
    wanted = {(match.id, number, seating) for match in matches for number in range(match.sets) for seating in match.seatings}
    assert len(matches) == size.matches
    return Figures(
        done=done,
        sets=sum(match.sets_done for match in matches),
        games=len(games),
        lost=len(wanted - set(games)),
        doubled=len(games) - len(set(games)),
        blamed=sum(bool(faults) for match in matches for game in store.games(match.id) for faults in game.faults),
        attempts=dict(Counter(str(one.outcome) for match in matches for one in store.attempts(match.id))),
        seconds=round(seconds, 1),
    )


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of an export."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def main() -> int:
    """Play, compare, print; returns 0 if nothing was lost, doubled or different."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=7)
    parser.add_argument("--sets", type=int, default=480, help="of each of the bots * (bots - 1) / 2 matches")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gap", type=float, nargs=2, default=(2.0, 8.0), help="seconds between two things done")
    given = parser.parse_args()
    size = Size(given.bots, given.sets)
    with tempfile.TemporaryDirectory(prefix="arena-week-") as name:
        folder = Path(name)
        figures = stormy(size, folder, random.Random(given.seed), tuple(given.gap))
        print(json.dumps(vars(figures), indent=1), flush=True)
        started = time.monotonic()
        calm = undisturbed(size, folder)
        same = calm == files_of(folder / "wild.export")
    print(f"undisturbed run: {time.monotonic() - started:.1f} s; {len(calm)} exported files {'equal' if same else 'DIFFERENT'}")
    return 0 if same and not (figures.lost or figures.doubled or figures.blamed) else 1


if __name__ == "__main__":
    sys.exit(main())
