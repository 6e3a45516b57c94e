"""A store with finished, unfinished and empty leagues, and the dashboard over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dashboard import create_app
from league.store import Store
from referee import habits
from tests.dashboard.play import create, play_match, queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

FOUR = [("ghost-hand", {}), ("cutthroat", {}), ("bid-euchre", {}), ("turn-up", {})]
ODD = [
    ("bid-euchre", {"double_deck": True}),
    ("bid-euchre", {"joker": True, "ace_no_face": True, "stick_dealer": True}),
    ("cutthroat", {"deck": 25}),
    ("turn-up", {"lone_defender": True}),
    ("ghost-hand", {"revoke": "stand"}),
]


def fill(store: Store) -> None:
    """`four` is finished, `odd` complete, `live` half played, `empty` not begun."""
    for match in queue(store, create(store, "four", FOUR, sets=2, fmt="deals:8")):
        play_match(store, match.id, slips=0.01)
    store.finish_league("four")
    for match in queue(store, create(store, "odd", ODD, sets=2, fmt="deals:12")):
        play_match(store, match.id, slips=0.008)
    live = queue(store, create(store, "live", [("cutthroat", {}), ("turn-up", {})], sets=2))
    play_match(store, live[0].id, games=7)
    play_match(store, "live/turn-up/0")
    create(store, "empty", [("turn-up", {})])
    for _, match_id in store.habits_due(habits.FORMAT, limit=1000):  # as workers do
        completed_at = store.match(match_id).completed_at
        assert completed_at is not None
        store.save_habits(
            match_id, completed_at, habits.FORMAT, habits.of_record(store.record_lines(match_id), store.match_key(match_id))
        )


@pytest.fixture(scope="session")
def store_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('dashboard')}/arena.db"
    with Store.open(url) as store:
        fill(store)
    return url


@pytest.fixture(scope="session")
def app(store_url: str) -> Iterator[Flask]:
    app = create_app(store_url)
    yield app
    app.extensions["arena-store"].close()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with Store(store_url) as store:
        yield store


@pytest.fixture
def own(tmp_path: object) -> Iterator[tuple[Store, FlaskClient]]:
    """A store of the test's own, empty, and a client of the dashboard over it."""
    url = f"sqlite:///{tmp_path}/own.db"
    app = create_app(url)
    with Store(url) as store:
        yield store, app.test_client()
    app.extensions["arena-store"].close()
