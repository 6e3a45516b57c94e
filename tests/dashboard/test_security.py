"""What the dashboard must never do: tell a secret early, run a stranger's script, show its inside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dashboard import create_app
from league.store import Store
from tests.dashboard.play import create, league_key, play_match, queue

if TYPE_CHECKING:
    from flask.testing import FlaskClient

SEALED = [
    "/matches/live/cutthroat/0/sets/0",
    "/matches/live/cutthroat/0/sets/0/deals/0",
    "/matches/live/cutthroat/0/record.jsonl",
    "/matches/live/cutthroat/0/sets/0/games/012",
    "/matches/live/cutthroat/0/sets/0/games/012/deals/0",
    "/api/matches/live/cutthroat/0/record",
    "/api/matches/live/cutthroat/0/sets/0/games/012",
    "/api/matches/live/cutthroat/0/sets/0/games/012/deals/0",
]
OPEN = [
    "/", "/fair-play", "/leagues/four", "/leagues/live", "/leagues/live/matches", "/matches/live/cutthroat/0",
    "/matches/four/cutthroat/0", "/matches/four/cutthroat/0/sets/0/games/012",
    "/matches/four/cutthroat/0/sets/0/games/012/deals/0",
    "/matches/four/cutthroat/0/record.jsonl", "/api", "/api/leagues", "/api/leagues/live/standings", "/static/style.css",
    "/matches/four/cutthroat/0/sets/0", "/matches/four/cutthroat/0/sets/0/deals/0", "/leagues/live/live", "/static/verify.mjs",
    "/static/arena.js", "/owner/sign-in", "/api/v1/owner", "/nowhere", "/api/nowhere", *SEALED,
]  # fmt: skip


@pytest.mark.parametrize("url", SEALED)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_deals_of_an_unfinished_match_are_sealed(client: FlaskClient, url: str, method: str) -> None:
    """Neither a page, nor the JSON, nor the record, nor a HEAD tells anything of deals that are still to be played."""
    answer = client.open(url, method=method)
    assert answer.status_code == 403
    assert not re.search(r"\b[789TJQKA][CDHS]\b", answer.text)
    if method == "GET":
        assert re.search(r"sealed until its last game is in \((7 of 12|4 of 6) so far\)", answer.text)


def test_a_sealed_match_does_not_tell_which_games_exist_by_its_errors(client: FlaskClient) -> None:
    """Games played and games missing are answered alike while a match is sealed."""
    for seating in ("012", "210"):
        assert client.get(f"/matches/live/cutthroat/0/sets/1/games/{seating}/deals/0").status_code == 403


def test_no_page_of_a_running_league_holds_a_key(client: FlaskClient, store: Store) -> None:
    """The league's key, and the key of a match that is not complete, are on no page and in no JSON."""
    secrets = [league_key("live").hex(), league_key("odd").hex(), store.match_key("live/cutthroat/0").hex()]
    for url in OPEN:
        with client.get(url) as answer:
            assert not any(secret in answer.text for secret in secrets), url
    live = next(entry for entry in client.get("/api/leagues").get_json()["leagues"] if entry["name"] == "live")
    assert live["key"] is None


def test_deals_open_with_the_last_game(own: tuple[Store, FlaskClient]) -> None:
    """A replay is refused before the last game of its match is stored, and shown after it."""
    store, client = own
    (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=1))
    url = f"/matches/{match.id}/sets/0/games/0101/deals/0"
    play_match(store, match.id, games=1)
    assert client.get(url).status_code == 403
    play_match(store, match.id)
    assert client.get(url).status_code == 200


def test_an_abandoned_league_is_open(own: tuple[Store, FlaskClient]) -> None:
    """Once the league's key is public its deals are no secret, whether or not their match was finished."""
    store, client = own
    (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=1))
    play_match(store, match.id, games=1)
    store.finish_league("cup", abandon=True)
    assert client.get(f"/matches/{match.id}/sets/0/games/0101/deals/0").status_code == 200
    assert client.get(f"/matches/{match.id}/sets/0/games/1010/deals/0").status_code == 404
    assert "abandoned" in client.get("/leagues/cup").text


@pytest.mark.parametrize("url", OPEN)
def test_every_response_carries_the_headers(client: FlaskClient, url: str) -> None:
    """Pages, JSON, files and errors alike forbid foreign content, framing and sniffing."""
    with client.get(url) as answer:
        headers = answer.headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_https_is_kept_to(client: FlaskClient) -> None:
    """Who has come by https is told to stay with it; by plain http that would say nothing and is not said."""
    assert client.get("/", base_url="https://arena.example.org").headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in client.get("/").headers


@pytest.mark.parametrize("url", OPEN)
def test_no_page_needs_what_the_policy_forbids(client: FlaskClient, url: str) -> None:
    """No page has an inline style, an inline script, a handler, or anything from another host."""
    with client.get(url) as answer:
        text = answer.text if answer.mimetype == "text/html" else ""
    assert not re.search(r"<[^>]*\sstyle=", text)
    assert "<style" not in text
    assert not re.search(r"<[^>]*\son[a-z]+=", text)
    assert re.findall(r"<script(?![^>]*\ssrc=)", text) == []
    assert re.findall(r'(?:src|href|action)="(?:https?:)?//', text) == []


def test_an_error_shows_nothing_of_the_inside(own: tuple[Store, FlaskClient], monkeypatch: pytest.MonkeyPatch) -> None:
    """An unforeseen error is a plain page or plain JSON with status 500; the cause goes to the log alone."""

    def broken(*_: object) -> None:
        raise RuntimeError("the password is swordfish")

    _, client = own
    monkeypatch.setattr(Store, "leagues", broken)
    for url in ("/", "/api/leagues"):
        answer = client.get(url)
        assert answer.status_code == 500
        assert "swordfish" not in answer.text
        assert "Traceback" not in answer.text
        assert "Content-Security-Policy" in answer.headers
    assert client.get("/api/leagues").get_json()["status"] == 500


def test_nobody_but_owners_can_write(client: FlaskClient) -> None:
    """Every route that does more than read is an owner's, and does nothing for somebody who shows no key."""
    for rule in client.application.url_map.iter_rules():
        assert rule.methods is not None
        if rule.methods <= {"GET", "HEAD", "OPTIONS"}:
            continue
        assert rule.rule.startswith(("/owner/", "/api/v1/owner/"))
        url = rule.rule.replace("<name>", "ann")
        answer = client.post(url, data={"csrf_token": "made up"})
        assert answer.status_code == (401 if url.startswith("/api/") else 400), url


def test_the_store_comes_from_the_environment(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an argument the application opens ARENA_STORE, else arena.db in ARENA_DATA."""
    by_folder = ("ARENA_DATA", str(tmp_path), f"{tmp_path}/arena.db")
    by_url = ("ARENA_STORE", f"sqlite:///{tmp_path}/b.db", f"{tmp_path}/b.db")
    for name, value, url in (by_folder, by_url):
        monkeypatch.setenv(name, value)
        app = create_app()
        assert url in str(app.extensions["arena-store"].url)
        assert app.test_client().get("/").status_code == 200
        app.extensions["arena-store"].close()
