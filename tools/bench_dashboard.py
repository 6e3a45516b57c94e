"""How fast the dashboard shows a large league: 1,000 bots, a million games (`make bench`, or `python -m tools.bench_dashboard`).

Makes such a store by plain inserts (some minutes, half a gigabyte; `--store FILE` keeps it), has the standings worked out by the
dashboard's own program, and asks a served dashboard for pages as visitors do, a few at a time. Prints percentiles in ms.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, insert

from league.canonical import canonical
from league.model import LeagueSpec, VariantSpec
from league.store import Store
from league.tables import bot_versions, bots, game_records, games, leagues, match_bots, matches
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

NAME = "big"
BOTS, SETS, PATIENCE = 1000, 1, 3600
"""Bots of the league, duplicate sets a match, and seconds that the first table may take."""
CHUNK = 20_000
RECORD = canonical({"seating": [0, 1, 0, 1], "deals": [], "total": [0, 0], "places": [1, 2], "end": "deals", "forfeits": []})


def make(url: str, count: int, sets: int) -> int:
    """Fill an empty store with a finished round robin of turn-up; returns the number of games."""
    rules = Rules("turn-up")
    variant = VariantSpec(rules.name, rules.options, "deals:8", rules.seats, rules.seatings())
    names = [f"bot-{number:04}" for number in range(count)]
    with Store.open(url) as store:
        engine = create_engine(store.url)
        with engine.begin() as connection:
            connection.execute(insert(bots), [{"id": i, "name": name} for i, name in enumerate(names, 1)])
            versions = [{"id": i, "bot_id": i, "version": 1, "run": "play", "created_at": 0.0} for i in range(1, count + 1)]
            connection.execute(insert(bot_versions), versions)
        store.create_league(LeagueSpec(NAME, (variant,), tuple(names), sets, {"answer": 1.0}, key=bytes(32)))
        with engine.begin() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("PRAGMA synchronous=OFF")
            played = _fill(connection, variant, count, sets)
        engine.dispose()
    return played


def _fill(connection: Connection, variant: VariantSpec, count: int, sets: int) -> int:
    chance = random.Random(1)
    skill = [chance.gauss(0, 0.6) for _ in range(count)]
    league = connection.execute(leagues.select()).one()
    pairs = itertools.combinations(range(count), 2)
    total = 0
    for first in itertools.count(1, CHUNK):
        part = list(itertools.islice(pairs, CHUNK))
        if not part:
            return total
        numbered = list(enumerate(part, first))
        connection.execute(insert(matches), [_match(league, variant, number, sets) for number, _ in numbered])
        seats = [{"match_id": n, "position": i, "bot_version_id": bot + 1} for n, pair in numbered for i, bot in enumerate(pair)]
        connection.execute(insert(match_bots), seats)
        rows = [row for number, (a, b) in numbered for row in _games(chance, number, sets, skill[a] - skill[b])]
        connection.execute(insert(games), rows)
        keys = ("match_id", "set_number", "seating")
        connection.execute(insert(game_records), [{key: row[key] for key in keys} | {"record": RECORD} for row in rows])
        total += len(rows)
    return total


def _match(league: object, variant: VariantSpec, number: int, sets: int) -> dict[str, object]:
    return {
        "id": number,
        "name": f"{NAME}/turn-up/{number - 1}",
        "league_id": league.id,  # type: ignore[attr-defined]
        "league_variant_id": 1,
        "n": number - 1,
        "variant": variant.variant,
        "format": variant.format,
        "options": canonical(dict(variant.options)),
        "clock": league.clock,  # type: ignore[attr-defined]
        "seatings": canonical(variant.seatings),
        "mode": "duplicate",
        "sets": sets,
        "commitment": "00" * 32,
        "games_total": 2 * sets,
        "games_done": 2 * sets,
        "sets_done": sets,
        "created_at": 1.0,
        "completed_at": 2.0 + number,
    }


def _games(chance: random.Random, number: int, sets: int, edge: float) -> Iterator[dict[str, object]]:
    """Games of eight deals whose points lean to the better bot; now and then a fault."""
    for at in range(sets):
        cards = chance.gauss(0, 2.0)
        for seating, sign in ((0, 1), (1, -1)):
            lead = round(2 * edge + sign * cards + chance.gauss(0, 2.5))
            points = [max(0, 5 + lead), max(0, 5 - lead)]
            places = [1, 1] if points[0] == points[1] else [1, 2] if points[0] > points[1] else [2, 1]
            faults = [{"ILLEGAL": 1}, {}] if chance.random() < 0.003 else [{}, {}]
            yield {
                "match_id": number,
                "set_number": at,
                "seating": seating,
                "dealer": 0,
                "points": canonical(points),
                "places": canonical(places),
                "deals": 8,
                "end_reason": "deals",
                "forfeits": "[]",
                "faults": canonical(faults),
                "stored_at": 2.0 + number,
            }


# ---- asking -----------------------------------------------------------------------------------------------------------


def addresses(count: int) -> dict[str, list[str]]:
    """What visitors ask for, by what it is called here."""
    chance = random.Random(2)
    league = f"/leagues/{NAME}"
    some = [f"bot-{chance.randrange(count):04}" for _ in range(8)]
    last = math.comb(count, 2)
    return {
        "standings": [league, f"{league}?page=2", f"{league}?sort=-points", f"{league}?find=07", f"{league}?variant=turn-up"],
        "standings as CSV, all": [f"{league}/standings.csv"],
        "all pairs, a part": [f"{league}/pairs?down=2&across=1", f"{league}/pairs"],
        "a pair": [f"{league}/pairs/{a}/{b}" for a, b in itertools.pairwise(sorted(set(some)))],
        "a bot": [f"{league}/bots/{bot}" for bot in some],
        "matches": [
            f"{league}/matches",
            *(f"{league}/matches?after={chance.randrange(1, last)}" for _ in range(5)),
            *(f"{league}/matches?state={state}" for state in ("waiting", "running", "complete", "dropped")),
            f"{league}/matches?variant=turn-up",
        ],
        "matches of a bot": [f"{league}/matches?bot={bot}" for bot in some],
        "front page": ["/"],
    }


def measure(base: str, paths: Sequence[str], rounds: int, visitors: int) -> tuple[list[float], int]:
    """Milliseconds of each request, and the greatest page's compressed bytes."""
    taken: list[float] = []
    sizes = [0]
    todo = iter([path for _ in range(rounds) for path in paths])
    lock = threading.Lock()

    def visit() -> None:
        while True:
            with lock:
                path = next(todo, None)
            if path is None:
                return
            begun = time.perf_counter()
            with urllib.request.urlopen(base + path) as answer:  # noqa: S310 -- our own server
                body = answer.read()
            taken.append(1000 * (time.perf_counter() - begun))
            sizes.append(len(zlib.compress(body)))

    threads = [threading.Thread(target=visit) for _ in range(visitors)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken, max(sizes)


def serve(url: str, socket: int) -> subprocess.Popen[bytes]:
    """The dashboard as users serve it."""
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-k",
        "gthread",
        "--threads",
        "8",
        "-b",
        f"127.0.0.1:{socket}",
        "dashboard:create_app()",
    ]
    return subprocess.Popen(command, env=os.environ | {"ARENA_STORE": url}, stderr=subprocess.DEVNULL)


def used(pid: int) -> float:
    """Milliseconds of processor that a process and its children have used so far (Linux)."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if pid in {int(file.parent.name), int(fields[1])}:
            ticks += int(fields[11]) + int(fields[12])
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")


def wait_for(base: str, path: str, want: str, patience: float) -> float:
    """Ask until a page has a text; how many seconds that took. TimeoutError."""
    begun = time.monotonic()
    while time.monotonic() < begun + patience:
        try:
            with urllib.request.urlopen(base + path) as answer:  # noqa: S310 -- our own server
                if want in answer.read().decode():
                    return time.monotonic() - begun
        except OSError:
            pass
        time.sleep(0.5)
    raise TimeoutError(f"{path} has no {want!r} after {patience:g} s")


def report(base: str, pid: int, count: int, rounds: int, visitors: int) -> None:
    """Ask for every kind of page and print what it took, by the clock and of the server's processor."""
    heads = f"{'median':>8} {'95 %':>8} {'worst':>8} {'processor':>9} {'KB, compressed':>15}"
    print(f"{'page':<26} {'requests':>8} {heads}   (ms)", flush=True)
    for name, paths in addresses(count).items():
        measure(base, paths[:1], 1, 1)
        begun = used(pid)
        taken, size = measure(base, paths, max(1, rounds // len(paths)), visitors)
        each = (used(pid) - begun) / len(taken)
        late = statistics.quantiles(taken, n=20)[-1] if len(taken) > 1 else taken[0]
        print(
            f"{name:<26} {len(taken):>8} {statistics.median(taken):>8.1f} {late:>8.1f} {max(taken):>8.1f} {each:>9.1f}"
            f" {size / 1024:>15.1f}",
            flush=True,
        )


def main(words: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=BOTS, help=f"bots of the league ({BOTS})")
    parser.add_argument("--sets", type=int, default=SETS, help=f"duplicate sets a match ({SETS})")
    parser.add_argument("--rounds", type=int, default=100, help="requests for each kind of page (100)")
    parser.add_argument("--visitors", type=int, default=2, help="requests at a time (2)")
    parser.add_argument("--port", type=int, default=8931, help="port on the loopback to serve at (8931)")
    parser.add_argument("--store", type=Path, help="SQLite file to keep, or to use again if it is there")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        file = given.store or Path(folder) / "arena.db"
        url = f"sqlite:///{file.absolute()}"
        if not file.exists():
            begun = time.monotonic()
            played = make(url, given.bots, given.sets)
            print(
                f"{given.bots} bots, {played:,} games in {time.monotonic() - begun:.0f} s, {file.stat().st_size / 2**20:.0f} MiB",
                flush=True,
            )
        server, base = serve(url, given.port), f"http://127.0.0.1:{given.port}"
        try:
            wait_for(base, "/fair-play", "<h1", 60)
            for path in (f"/leagues/{NAME}", f"/leagues/{NAME}?variant=turn-up"):
                seconds = wait_for(base, path, 'class="standings"', PATIENCE)
                print(f"first table of {path}: {seconds:.0f} s", flush=True)
            report(base, server.pid, given.bots, given.rounds, given.visitors)
        finally:
            server.terminate()
            server.wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
