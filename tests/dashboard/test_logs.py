"""The logs of a bot: for its owner, and nobody else, and not before the match is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dashboard import create_app
from league.store import Store
from tests.dashboard.play import create, play_match, queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.testing import FlaskClient

    from league.model import Claim

ASK = {"id": 7, "view": {"hand": ["CARD_JH", "CARD_9C"]}, "legal_cards": ["CARD_JH"], "legal_calls": []}
LOG = {
    "seat": 1,
    "deal": 2,
    "move": 9,
    "cause": "ILLEGAL",
    "detail": "9C is not legal (allowed: JH)",
    "exchanges": [{"ask": ASK, "answer": {"ask": 7, "card": "CARD_9C", "call": "CALL_UNSPECIFIED", "note": "<b>trust me</b>"}}],
}


def _log(store: Store, claim: Claim, bot: str) -> None:
    store.add_log(claim, bot=bot, seat=1, seating=(0, 1, 2), exit=3, tail="secret of <ann>")
    assert store.add_fault_log(claim, bot=bot, set=0, seating=(0, 1, 2), log=LOG)


@pytest.fixture
def match(tmp_path: object) -> Iterator[tuple[str, str, Store]]:
    """A store, its match that is complete, and one that is not; a bot in both has logs."""
    url = f"sqlite:///{tmp_path}/logs.db"
    with Store.open(url) as store:
        first, second = queue(
            store, create(store, "cup", [("cutthroat", {}), ("cutthroat", {"deck": 32})], sets=1, fmt="deals:2")
        )[:2]
        for one in (first, second):
            claim = store.claim(one.id, "w", 30)
            assert claim is not None
            _log(store, claim, one.lineup[1].bot)
            store.release(claim, "partial")
        play_match(store, first.id)
        yield first.id, second.id, store


def _client(store: Store, owned: str | None) -> FlaskClient:
    return create_app(str(store.url), may_read_logs=(lambda bot: bot == owned) if owned else None).test_client()


def test_the_owner_reads_them(match: tuple[str, str, Store]) -> None:
    """Output, cause, what was asked and answered; all of it escaped, none of it kept by browsers; and a link that leads there."""
    complete, _, store = match
    bot = store.match(complete).lineup[1].bot
    client = _client(store, bot)
    response = client.get(f"/matches/{complete}/logs/{bot}")
    assert response.status_code == 200
    for text in ("secret of &lt;ann&gt;", "9C is not legal", "hand JH 9C; allowed: JH -&gt; 9C (&lt;b&gt;trust me&lt;/b&gt;)"):
        assert text in response.text
    assert response.headers["Cache-Control"] == "no-store"
    assert f"/matches/{complete}/logs/{bot}" in client.get(f"/matches/{complete}").text


def test_nobody_else_does(match: tuple[str, str, Store]) -> None:
    """Neither the owner of another bot, nor anybody where nobody signs in; whether there are logs is not told either."""
    complete, _, store = match
    bot, other = store.match(complete).lineup[1].bot, store.match(complete).lineup[0].bot
    for client in (_client(store, other), _client(store, None)):
        for path in (f"/matches/{complete}/logs/{bot}", "/matches/cup/nothing/0/logs/nobody"):
            response = client.get(path)
            assert response.status_code == 403
            assert "secret" not in response.text
        page = client.get(f"/matches/{complete}").text
        assert f"/logs/{bot}" not in page
        assert "secret" not in page


def test_not_before_the_match_is_complete(match: tuple[str, str, Store]) -> None:
    """What a seat knew in one seating would tell its owner what comes in the next."""
    _, running, store = match
    bot = store.match(running).lineup[1].bot
    response = _client(store, bot).get(f"/matches/{running}/logs/{bot}")
    assert response.status_code == 403
    assert "sealed" in response.text
    assert "secret" not in response.text


def test_a_bot_that_does_not_play_there(match: tuple[str, str, Store]) -> None:
    """404, with the names of those who do."""
    complete, _, store = match
    assert "does not play" in _client(store, "zed").get(f"/matches/{complete}/logs/zed").text
