"""Every schema that was ever released, with data in it, is upgraded and says what it said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from league.database import make_engine, parse_url
from league.migrate import HEAD, current
from league.store import Store
from league.tables import metadata
from tests.league.freeze import RELEASED, load, read
from tests.league.samples import play_missing

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection


def _connect(url: str) -> AbstractContextManager[Connection]:
    return make_engine(parse_url(url), pooled=False).connect()


@pytest.mark.parametrize("revision", sorted(path.stem for path in RELEASED.glob("*.json")))
def test_upgrade_of_a_released_store(empty_url: str, revision: str) -> None:
    """A store that a release left, with data in it, is upgraded: all that it said it says still, and play goes on in it."""
    load(empty_url, revision)
    with _connect(empty_url) as connection:
        assert current(connection) == revision
    with Store.open(empty_url) as store:
        with _connect(empty_url) as connection:
            assert current(connection) == HEAD
            context = MigrationContext.configure(connection, opts={"compare_type": True, "render_as_batch": True})
            assert compare_metadata(context, metadata) == []
        assert read(store) == json.loads((RELEASED / f"{revision}.json").read_text())
        for match in store.matches("open"):
            play_missing(store, match.id)
        assert store.finish_league("open").key is not None
        assert store.add_bot("new", "play new").version == 1
    with Store.open(empty_url) as store:
        assert store.progress("open").complete
