"""Brings a database to the schema of this release, safely when several processes open it at once."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import event, inspect, text
from sqlalchemy.exc import OperationalError

from league.database import BUSY_TIMEOUT_MS, make_engine
from league.errors import StoreAway, StoreTooNew

if TYPE_CHECKING:
    from collections.abc import Callable

    from alembic.config import Config
    from sqlalchemy import URL, Connection, Engine

HEAD = "0008"
"""The newest revision under migrations/versions."""
_LOCK = 0x_EC_43_E5  # any number that all releases agree on


def migrate(url: URL) -> None:
    """Create or upgrade the schema at ``url``.

    Raises:
        StoreTooNew: A newer release has upgraded the database past what this one knows.
        StoreAway: The database cannot be reached or written.
    """
    if url.get_backend_name() == "sqlite":
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
    engine = make_engine(url, pooled=False)
    try:
        _retry_busy(lambda: _migrate(engine))
    except OperationalError as error:
        raise StoreAway(f"cannot open the store {url.render_as_string()}: {error.orig}") from error
    finally:
        engine.dispose()


def _migrate(engine: Engine) -> None:
    with engine.connect() as connection:
        if current(connection) == HEAD:
            return
    if engine.dialect.name == "sqlite":
        _prepare_file(engine)
    with engine.execution_options(arena_write=True).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        # Another process may have done it all while this one waited for the lock: Alembic then finds nothing to do.
        _upgrade(connection)


def _prepare_file(engine: Engine) -> None:
    """Switch a SQLite file to WAL, which it remembers, outside any transaction."""
    statement = "PRAGMA journal_mode=WAL"
    try:
        with closing(engine.raw_connection()) as raw:
            raw.cursor().execute(statement)
    except sqlite3.OperationalError as error:  # of the driver: SQLAlchemy has not had it in hand
        raise OperationalError(statement, None, error) from error
    # Batch operations rebuild a table by copy and drop; with foreign keys on, the drop would take other rows along.
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA foreign_keys=OFF"))


def _retry_busy(step: Callable[[], None]) -> None:
    """Run ``step`` again while SQLite says "locked": the switch to WAL does not honour the busy time-out."""
    give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            return step()
        except OperationalError as error:
            if "locked" not in str(error.orig) or time.monotonic() > give_up:
                raise
        time.sleep(0.02)


def current(connection: Connection) -> str | None:
    """Return the database's revision, None for an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def revision(url: URL) -> str | None:
    """Return the revision of the database at ``url``, which is left as it is; None for an empty one.

    Raises:
        sqlalchemy.exc.OperationalError: It cannot be reached.
    """
    engine = make_engine(url, pooled=False)
    try:
        with engine.connect() as connection:
            return current(connection)
    finally:
        engine.dispose()


def config() -> Config:
    """Return Alembic's configuration: nothing but where the revisions are."""
    from alembic.config import Config  # noqa: PLC0415 -- a tenth of a second that an up-to-date store need not pay

    made = Config()
    made.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    return made


def _upgrade(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 -- likewise
    from alembic.script import ScriptDirectory  # noqa: PLC0415 -- likewise

    settings = config()
    found = current(connection)
    known = {script.revision for script in ScriptDirectory.from_config(settings).walk_revisions()}
    if found is not None and found not in known:
        raise StoreTooNew(f"the store is at schema {found!r}, this release knows schemas up to {HEAD!r}: upgrade the program")
    settings.attributes["connection"] = connection
    command.upgrade(settings, "head")
