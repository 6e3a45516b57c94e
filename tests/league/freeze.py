"""Freeze the schema of a release with data in it: `python -m tests.league.freeze`, once, on the release's own tree.

Writes three files to tests/league/released: a dump of one small league with everything that a store can hold, from SQLite and
from PostgreSQL, and what the release itself read from it. `test_migrations.py` upgrades the dumps and reads them again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from league.canonical import canonical
from league.export import standings_json
from league.migrate import HEAD
from league.schedule import planned
from league.standings import league_tables
from league.store import Store
from tests.league.samples import play_missing, spec, variant
from tests.postgres import Postgres

if TYPE_CHECKING:
    from league.model import League

RELEASED = Path(__file__).with_name("released")
LEAGUES = ("done", "open")
NOW = 1_790_000_000.0


def fill(store: Store) -> None:
    """A finished league and one that is half played, with whatever else a store holds."""
    for name in "abc":
        store.add_bot(name, f"play {name}", "/srv/bots", now=NOW)
    store.add_bot("a", "play a better", "/srv/bots", now=NOW + 1)
    store.add_remote_bot("far", now=NOW)
    store.add_bot("gone", "play gone", now=NOW)
    store.remove_bot("gone", now=NOW + 2)
    variants = (variant("ghost-hand"), variant("turn-up", stick_dealer=True), variant("bid-euchre", "deals:3", label="bids"))
    for name, bots in (("done", "abc"), ("open", ("a", "b", "far"))):
        store.create_league(spec(name, bots, 3, variants=variants, key=bytes([len(bots[-1])]) * 32), now=NOW + 3)
        store.add_matches(planned(store.league(name)), now=NOW + 4)
    for match in store.matches("done"):
        play_missing(store, match.id)
    store.finish_league("done", now=NOW + 5)
    _half(store)


def _half(store: Store) -> None:
    """The second league: a match played, one broken off twice, one never begun."""
    first, second, *_ = [match.id for match in store.matches("open")]
    play_missing(store, first)
    play_missing(store, second, 3)
    claim = store.claim(second, "host-1-aa", 30.0, host="host", now=NOW + 6)
    assert claim is not None
    store.add_void(claim, "INFRASTRUCTURE", "too slow", 2)
    store.add_log(claim, bot="b", seat=1, seating=(0, 1, 0, 1), exit=1, tail="no model file\n", now=NOW + 7)
    store.release(claim, "infrastructure", "it broke", now=NOW + 8)
    assert store.claim(second, "host-2-bb", 30.0, host="host", now=NOW + 9)


def read(store: Store) -> dict[str, Any]:
    """Everything of these leagues that a user can get to see, as a JSON-able value; estimates to six places."""
    text = json.dumps({name: _read(store, store.league(name)) for name in LEAGUES})
    value: dict[str, Any] = json.loads(text, parse_float=lambda number: round(float(number), 6))
    return value


def _read(store: Store, league: League) -> dict[str, Any]:
    matches = store.matches(league.name, now=NOW + 10)
    return {
        "bots": [[bot.bot, bot.version, bot.run, bot.cwd, len(bot.tokens)] for bot in league.bots],
        "standings": standings_json(league, league_tables(store.results(league.name), [bot.bot for bot in league.bots])),
        "matches": [[match.id, match.state, match.games_done, match.sets_done] for match in matches],
        "missing": [store.missing_games(match.id) for match in matches],
        "records": {match.id: _digest(store, match.id) for match in matches},
        "attempts": [[match.id, one.worker, one.outcome, one.detail] for match in matches for one in store.attempts(match.id)],
        "voids": [[v.cause, v.count, v.detail] for match in matches for one in store.attempts(match.id) for v in one.voids],
        "logs": [[log.bot, log.exit, log.tail] for match in matches for log in store.logs(match.id)],
    }


def _digest(store: Store, match_id: str) -> str:
    return hashlib.sha256("".join(f"{canonical(line)}\n" for line in store.record_lines(match_id)).encode()).hexdigest()


def file(revision: str, kind: str) -> Path:
    """A frozen file of a release."""
    return RELEASED / f"{revision}.{kind}"


def load(url: str, revision: str) -> None:
    """Make the database at a URL, which must be empty, what the release left."""
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            connection.executescript(file(revision, "sqlite.sql").read_text())
        connection.close()
        return
    import psycopg  # noqa: PLC0415

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(file(revision, "postgresql.sql").read_text())  # type: ignore[call-overload]


def _dump_sqlite(folder: Path) -> None:
    path = folder / "arena.db"
    with Store.open(f"sqlite:///{path}") as store:
        fill(store)
        file(HEAD, "json").write_text(json.dumps(read(store), indent=1) + "\n")
    with sqlite3.connect(path) as connection:
        file(HEAD, "sqlite.sql").write_text("\n".join(connection.iterdump()) + "\n")
    connection.close()


def _dump_postgresql() -> None:
    server = Postgres()
    try:
        server.start()
        url = server.create("frozen")
        with Store.open(url) as store:
            fill(store)
            assert read(store) == json.loads(file(HEAD, "json").read_text())
        command = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", "-d", url]
        dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        lines = [line for line in dump.splitlines() if line and not line.startswith(("--", "\\"))]
        file(HEAD, "postgresql.sql").write_text("\n".join(lines) + "\n")
    finally:
        server.stop()


def main() -> int:
    """Write the files; returns the exit code."""
    if file(HEAD, "json").exists():
        sys.stderr.write(f"{HEAD} is frozen already\n")
        return 1
    folder = Path(tempfile.mkdtemp())
    try:
        _dump_sqlite(folder)
        _dump_postgresql()
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
