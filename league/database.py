"""One engine a process, made when it is first needed, for SQLite (a file) or PostgreSQL.

Reads see one snapshot for as long as they last. Writes take SQLite's write lock at once (``BEGIN IMMEDIATE``): a
transaction that reads first and upgrades later would fail as busy whatever the time-out. WAL needs a local disk;
several machines need PostgreSQL.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.pool import NullPool

from league.errors import BadStoreUrl, StoreAway

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection, Engine, Table
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

BUSY_TIMEOUT_MS = 30_000
_WRITE = "arena_write"
_DEAD_LINK = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""How a client of PostgreSQL finds out within some 12 s that nobody is at the other end; TCP alone takes a quarter of an hour."""
_DEAD_CLIENT = (
    "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
    " -c idle_in_transaction_session_timeout=300000"
)
"""The same for the server's end: a host that died in a transaction must not keep its locks."""


def parse_url(text: str) -> URL:
    """Return the SQLAlchemy URL of a store; BadStoreUrl says what a store's URL may be."""
    wanted = "wanted sqlite:///path/to/file.db or postgresql://user@host/database"
    try:
        url = make_url(text)
    except ArgumentError:
        raise BadStoreUrl(f"{text!r} is no database URL ({wanted})") from None
    backend = url.get_backend_name()
    if backend == "sqlite" and url.database not in {None, "", ":memory:"}:
        return url.set(drivername="sqlite+pysqlite")
    if backend in {"postgresql", "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    raise BadStoreUrl(f"{url.render_as_string()!r} cannot be a store ({wanted})")


def _prepare_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401 -- a DBAPI connection has no public type
    for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get(_WRITE)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def make_engine(url: URL, *, pooled: bool = True) -> Engine:
    """Return an engine that has not connected yet; the driver begins nothing by itself, only the events above do."""
    pool: dict[str, Any] = {} if pooled else {"poolclass": NullPool}
    if url.get_backend_name() == "postgresql":
        # What the URL itself says comes first.
        arguments = {name: value for name, value in {**_DEAD_LINK, "options": _DEAD_CLIENT}.items() if name not in url.query}
        return create_engine(url, pool_pre_ping=pooled, connect_args=arguments, **pool)
    engine = create_engine(url, connect_args={"isolation_level": None}, **pool)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


class Database:
    """Base of the store: a URL, and transactions on it from any thread of any process that holds the object."""

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        self._lock = threading.Lock()
        self._pid = 0
        self._reader: Engine | None = None
        self._writer: Engine | None = None

    def close(self) -> None:
        """Drop every pooled connection; the object may be used again."""
        with self._lock:
            if self._reader is not None:
                # A connection that was inherited by fork still belongs to the parent: it is forgotten, not closed.
                self._reader.dispose(close=self._pid == os.getpid())
            self._reader = self._writer = None

    def _engines(self) -> tuple[Engine, Engine]:
        """Return this process's reading and writing engine (two faces of one pool)."""
        if self._pid != os.getpid():
            # The lock may have been held by a thread of the parent that does not exist here.
            self._lock = threading.Lock()
            self.close()
            self._pid = os.getpid()
        with self._lock:
            if self._reader is None or self._writer is None:
                engine = make_engine(self.url)
                self._writer = engine.execution_options(**{_WRITE: True})
                snapshot: dict[str, Any] = {}
                if engine.dialect.name == "postgresql":
                    snapshot = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
                self._reader = engine.execution_options(**snapshot)
            return self._reader, self._writer

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        """Open a transaction that sees one snapshot of the database; StoreAway if it does not answer."""
        with _answering(), self._engines()[0].connect() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        """Open a transaction that is committed at the end of the block, or rolled back by an exception.

        StoreAway if the database does not answer. Then nothing was written, unless the answer to the commit was what got
        lost: whatever is written must bear being written twice.
        """
        with _answering(), self._engines()[1].begin() as connection:
            yield connection


@contextmanager
def _answering() -> Iterator[None]:
    """Turn what the driver raises when it gets no answer into StoreAway."""
    try:
        yield
    except DBAPIError as error:
        if isinstance(error, (OperationalError, InterfaceError)) or error.connection_invalidated:
            raise StoreAway(f"the store does not answer: {str(error.orig).splitlines()[0]}") from error
        raise


def insert(connection: Connection, table: Table) -> SqliteInsert | PostgresInsert:
    """Return an insert of this connection's dialect, which knows ``on_conflict_do_nothing`` and ``…_do_update``."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
