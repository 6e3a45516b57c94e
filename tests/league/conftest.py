"""Stores to test on: a SQLite file, and a real PostgreSQL where the machine has its server."""

from __future__ import annotations

import itertools
import shutil
from typing import TYPE_CHECKING

import pytest

from league.store import Store
from tests.postgres import SHARED, Postgres

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A running PostgreSQL server with one migrated database."""
    server = Postgres()
    try:
        server.start()
        Store.open(server.create(SHARED)).close()
        yield server
    finally:
        server.stop()


BACKENDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgresql")))


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without anything in it, on each backend."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/arena.db"
    server: Postgres = request.getfixturevalue("postgres")
    return server.create(f"empty_{next(_numbers)}")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty store."""
    made = tmp_path_factory.mktemp("template") / "arena.db"
    Store.open(f"sqlite:///{made}").close()
    return made


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest, tmp_path: Path, sqlite_template: Path) -> str:
    """The URL of an empty store, on each backend."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(sqlite_template, tmp_path / 'arena.db')}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.emptied()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """An empty store, on each backend."""
    with Store(url) as opened:
        yield opened
