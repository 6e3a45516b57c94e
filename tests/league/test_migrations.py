"""Creating and upgrading the schema."""

from __future__ import annotations

import itertools
import multiprocessing
import sqlite3
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from league.database import BUSY_TIMEOUT_MS, make_engine, parse_url
from league.errors import StoreAway, StoreError, StoreTooNew
from league.migrate import HEAD, config, current
from league.schedule import planned
from league.store import Store
from league.tables import metadata
from league.tabulate import tabulate
from tests.league.samples import make_league, play_missing

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlalchemy import Connection


def _connect(url: str) -> AbstractContextManager[Connection]:
    return make_engine(parse_url(url), pooled=False).execution_options(arena_write=True).begin()


def test_head_is_the_newest_revision() -> None:
    """What the code takes for the newest revision is the newest revision."""
    assert ScriptDirectory.from_config(config()).get_heads() == [HEAD]


def test_revisions_make_the_tables(empty_url: str) -> None:
    """The revisions, run on an empty database, leave nothing that differs from the tables in the code."""
    Store.open(empty_url)
    with _connect(empty_url) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "render_as_batch": True})
        assert compare_metadata(context, metadata) == []
        assert current(connection) == HEAD


def test_downgrade_leaves_nothing(empty_url: str) -> None:
    """All revisions can be taken back, and run again."""
    Store.open(empty_url)
    settings = config()
    with _connect(empty_url) as connection:
        settings.attributes["connection"] = connection
        command.downgrade(settings, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
    with Store.open(empty_url) as store:
        assert store.leagues() == []


def test_a_store_of_the_first_schema_keeps_its_data(empty_url: str) -> None:
    """Bots, versions and leagues of the first schema are there after the upgrade, and play on as the organiser's own."""
    settings = config()
    with _connect(empty_url) as connection:
        settings.attributes["connection"] = connection
        command.upgrade(settings, "0001")
        for row in (
            "INSERT INTO bots (id, name) VALUES (1, 'a'), (2, 'b')",
            "INSERT INTO bot_versions (id, bot_id, version, run, created_at) VALUES (1, 1, 1, 'x', 1), (2, 1, 2, 'y', 2)",
            "INSERT INTO bot_versions (id, bot_id, version, run, created_at) VALUES (3, 2, 1, 'z', 3)",
            "INSERT INTO leagues VALUES (1, 'old', 'k', 'c', 1, '{}', 0, 4, NULL)",
            "INSERT INTO league_variants VALUES (1, 1, 'turn-up', 'turn-up', 'game', '{}', 4, '[[0,1,0,1],[1,0,1,0]]')",
            "INSERT INTO league_bots VALUES (1, 1), (1, 3)",
        ):
            connection.execute(text(row))
    with Store.open(empty_url) as store:
        assert [(bot.name, bot.owner, bot.current, bot.latest.run) for bot in store.bots()] == [
            ("a", None, store.bot("a").versions[1], "y"),
            ("b", None, store.bot("b").versions[0], "z"),
        ]
        assert [(bot.bot, bot.version, bot.tree, bot.state) for bot in store.league("old").bots] == [
            ("a", 1, None, None),
            ("b", 1, None, None),
        ]


def test_statistics_are_had_again_after_a_downgrade(url: str) -> None:
    """The revision with statistics goes and comes in a store with data: results stay, what follows from them is due again."""
    settings = config()
    with Store.open(url) as store:
        league = make_league(store)
        for match in store.matches(league.name, limit=2):
            play_missing(store, match.id)
            completed_at = store.match(match.id).completed_at
            assert completed_at is not None
            assert store.save_habits(match.id, completed_at, 1, [{"games": seat} for seat, _ in enumerate(match.lineup)])
        assert tabulate(store, league.name)
        results = list(store.results(league.name))
    with _connect(url) as connection:
        settings.attributes["connection"] = connection
        command.downgrade(settings, "0006")
        assert not {"tabulations", "tabulation_parts", "match_habits"} & set(inspect(connection).get_table_names())
        command.upgrade(settings, "head")
    with Store.open(url) as store:
        assert list(store.results(league.name)) == results
        assert (store.count_habits(1), store.tabulation(league.name)) == ((0, 2), None)
        assert tabulate(store, league.name)
        found = store.tabulation(league.name)
        assert found is not None
        assert found.sets == sum(entry.sets_done for entry in store.progress(league.name).variants)


def test_opening_again_changes_nothing(url: str) -> None:
    """A store that is up to date is opened as it is."""
    with Store.open(url) as store:
        league = make_league(store)
    with Store.open(url) as store:
        assert store.leagues() == [league]


def test_newer_store_is_refused(url: str) -> None:
    """A database of a newer release is refused by name of both revisions, and left as it is."""
    with _connect(url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreTooNew, match=rf"'9999'.*up to '{HEAD}'.*upgrade"):
        Store.open(url)
    with _connect(url) as connection:
        assert current(connection) == "9999"


@pytest.mark.parametrize("times", [3, None])
def test_a_switch_that_meets_a_lock_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int | None) -> None:
    """Of processes that make a file at once some are told "locked" whatever the time-out; in the end the store is away."""
    calls = itertools.count()
    real = Engine.raw_connection

    def locked(engine: Engine) -> object:
        number, switching = divmod(next(calls), 2)  # each try looks at the revision first
        if switching and (times is None or number < times):
            raise sqlite3.OperationalError("database is locked")
        return real(engine)

    monkeypatch.setattr(Engine, "raw_connection", locked)
    url = f"sqlite:///{tmp_path}/arena.db"
    if times is None:
        monkeypatch.setattr("league.migrate.BUSY_TIMEOUT_MS", 200)
        with pytest.raises(StoreAway, match="database is locked"):
            Store.open(url)
    else:
        with Store.open(url) as store:
            assert store.leagues() == []


def _open(url: str, gate: multiprocessing.synchronize.Barrier, answers: multiprocessing.Queue[object]) -> None:
    gate.wait()
    try:
        with Store.open(url) as store:
            answers.put(len(store.leagues()))
    except Exception as error:  # noqa: BLE001 -- whatever it is, the parent must hear of it
        answers.put(repr(error))


def test_several_processes_may_open_a_new_store(empty_url: str) -> None:
    """Processes that open an empty database at the same moment all get the schema, made once."""
    context = multiprocessing.get_context("forkserver")
    gate, answers = context.Barrier(4), context.Queue()
    processes = [context.Process(target=_open, args=(empty_url, gate, answers)) for _ in range(4)]
    for process in processes:
        process.start()
    found = [answers.get(timeout=300) for _ in processes]
    for process in processes:
        process.join()
    assert found == [0] * 4
    with _connect(empty_url) as connection:
        assert connection.execute(text("SELECT count(*) FROM alembic_version")).scalar() == 1


def test_folder_is_made(tmp_path: Path) -> None:
    """The folder of a SQLite store is made with it; what cannot be made is an error that names the store."""
    Store.open(f"sqlite:///{tmp_path}/new/folder/arena.db").close()
    assert (tmp_path / "new" / "folder" / "arena.db").is_file()
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreError, match=r"cannot open the store sqlite.*folder\.db"):
        Store.open(f"sqlite:///{tmp_path}/folder.db")


def test_sqlite_is_set_up(tmp_path: Path) -> None:
    """Every connection to a SQLite store has WAL, normal synchronisation, a busy time-out and foreign keys."""
    with Store.open(f"sqlite:///{tmp_path}/arena.db") as store, store._read() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
        }
    assert found == {"journal_mode": "wal", "synchronous": 1, "busy_timeout": BUSY_TIMEOUT_MS, "foreign_keys": 1}


def test_a_league_of_the_first_schema_goes_on(empty_url: str) -> None:
    """A league stored under the first schema keeps its bots, matches and ids, and can do what later releases can."""
    settings = config()
    with _connect(empty_url) as connection:
        settings.attributes["connection"] = connection
        command.upgrade(settings, "0001")
        for statement in _FIRST:
            connection.execute(text(statement), {"key": bytes(32)})
    with Store.open(empty_url) as store:
        league = store.league("old")
        assert [(str(entry.bot), entry.stage, entry.active) for entry in league.entries] == [("a v1", 0, True), ("b v1", 0, True)]
        assert (league.precision, league.series, store.progress("old").games_total) == (None, None, 4)
        assert [(match.id, match.state) for match in store.matches("old")] == [("old/turn-up/0", "waiting")]
        store.add_bot("c", "play c")
        assert len(store.add_league_bot("old", "c").bots) == 3
        assert store.add_matches(planned(store.league("old"))) == 2


_SEATINGS = "[[0,1,0,1],[1,0,1,0]]"
_FIRST = (
    "INSERT INTO bots (name) VALUES ('a'), ('b')",
    "INSERT INTO bot_versions (bot_id, version, run, created_at) VALUES (1, 1, 'play a', 1), (2, 1, 'play b', 1)",
    """INSERT INTO leagues (name, key, commitment, sets, clock, remote_sets, created_at)
       VALUES ('old', :key, '', 2, '{}', 0, 1)""",
    f"""INSERT INTO league_variants (league_id, label, variant, format, options, seats, seatings)
        VALUES (1, 'turn-up', 'turn-up', 'deals:1', '{{}}', 4, '{_SEATINGS}')""",
    "INSERT INTO league_bots (league_id, bot_version_id) VALUES (1, 1), (1, 2)",
    f"""INSERT INTO matches (name, league_id, league_variant_id, n, variant, format, options, clock, seatings, mode,
                             sets, commitment, games_total, games_done, sets_done, created_at)
        VALUES ('old/turn-up/0', 1, 1, 0, 'turn-up', 'deals:1', '{{}}', '{{}}', '{_SEATINGS}', 'duplicate',
                2, '', 4, 0, 0, 1)""",
    "INSERT INTO match_bots (match_id, position, bot_version_id) VALUES (1, 0, 1), (1, 1, 2)",
)
