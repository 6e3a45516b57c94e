"""Hostile names and texts through every page and all of the JSON, and what neither visitors nor logs may ever be told."""

from __future__ import annotations

import http.client
import re
import socket
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import pytest
from sqlalchemy import create_engine, update

from dashboard import openapi
from league.store import Store
from league.tables import attempts, bots, league_variants, owners, submissions
from tests.dashboard.site import addresses, copy, inhabit
from tests.dashboard.visitors import Visitor, bearer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

EVIL = "\"'><img src=x onerror=alert(1)></script><script>alert(2)</script>{{7*7}}\u202etac"
ROOT = Path(__file__).parents[2]


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def hostile(store_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Flask, str, Visitor]]:
    """A dashboard in whose store every name and text that others choose is an attack; an owner's key and browser."""
    url = copy(Path(store_url.removeprefix("sqlite:///")), tmp_path_factory.mktemp("hostile") / "arena.db")
    app, key = inhabit(url)
    engine = create_engine(url)
    report = '[{"name": %s, "title": %s, "status": "failed", "detail": %s, "seconds": 1, "output": %s}]'
    quoted = '"' + EVIL.replace('"', '\\"') + '"'
    with engine.begin() as connection:
        connection.execute(update(bots).where(bots.c.name == "ann").values(name=EVIL))
        connection.execute(update(bots).where(bots.c.name == "zoes").values(name=f"z{EVIL}"))
        connection.execute(update(league_variants).where(league_variants.c.label == "turn-up").values(label=EVIL))
        connection.execute(update(owners).values(name=EVIL))
        connection.execute(update(attempts).values(worker=EVIL, detail=EVIL))
        connection.execute(update(submissions).values(reason=EVIL, note=EVIL, report=report % ((quoted,) * 4)))
    engine.dispose()
    visitor = Visitor(app)
    visitor.sign_in(key)
    yield app, key, visitor
    app.extensions["arena-store"].close()


def test_hostile_texts_are_text_on_every_page(hostile: tuple[Flask, str, Visitor]) -> None:
    """Whatever others have named or written, no page gets a tag, a script or a handler by it, and it can be read on many."""
    app, _, visitor = hostile
    shown = 0
    for url in addresses(app, bot=quote(EVIL), a=quote(EVIL)):
        answer = visitor.get(url)
        assert answer.status_code in {200, 403, 404}, (url, answer.status_code)
        page = Tags(answer.text)
        assert not [one for one in page.tags if any(name.startswith("on") or name == "style" for name in one[1])], url
        assert all(one[1].get("src", "").startswith("/static/") for one in page.tags if one[0] in {"script", "img"}), url  # type: ignore[union-attr]
        assert "49" not in re.findall(r"</script>(\S+?)\u202etac", answer.text), url
        shown += EVIL in page.text
    assert shown >= 8


def test_hostile_texts_are_no_page_in_the_json(hostile: tuple[Flask, str, Visitor]) -> None:
    """JSON, records and files with such texts are never taken for a page, whatever a browser thinks of them."""
    app, key, _ = hostile
    client = app.test_client()
    values = {
        "league": "four",
        "variant": "cutthroat",
        "n": 0,
        "set": 0,
        "seating": "012",
        "deal": 1,
        "submission": 1,
        "bot": EVIL,
        "name": "cid",
    }
    shown = 0
    for path, methods in openapi.described()["paths"].items():
        if "get" in methods:
            with client.get(path.format(**values), headers=bearer(key)) as answer:
                assert answer.status_code == 200, path
                assert answer.mimetype in {"application/json", "application/jsonl"}
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
                shown += "onerror" in answer.text
    assert shown >= 8
    assert client.get(f"/api/v1/leagues/{quote(EVIL)}").mimetype == "application/problem+json"


def test_no_page_shows_its_inside_when_it_breaks(hostile: tuple[Flask, str, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever page meets an error that nobody foresaw says so plainly, and tells nothing of it."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the password is swordfish")

    app, _, visitor = hostile
    for name in ("leagues", "league", "match", "games", "progress", "results", "submissions", "submission_by_id"):
        monkeypatch.setattr(Store, name, broken)
    failed = 0
    for url in [*addresses(app), "/api/v1/leagues", "/api/v1/matches/four/cutthroat/0/sets"]:
        answer = visitor.get(url)
        assert not re.search(r"swordfish|Traceback|RuntimeError|\.py\b", answer.text), url
        failed += answer.status_code == 500
    assert failed >= 12


def test_the_servers_log_holds_no_secret(tmp_path: Path) -> None:
    """A real server's log has neither keys nor sessions nor forms' tokens, wherever they were sent, even in an address."""
    url = f"sqlite:///{tmp_path}/arena.db"
    with Store.open(url) as store:
        key = store.add_owner("ann")
    sock = str(tmp_path / "s")
    log = tmp_path / "log"
    command = [sys.executable, "-m", "gunicorn", "--worker-class", "gthread", "--no-control-socket", "--bind", f"unix:{sock}"]
    with log.open("wb") as stream:
        server = subprocess.Popen(
            [*command, "--access-logfile", "-", "--log-level", "debug", "dashboard:served()"],
            env={"PATH": "/usr/bin:/bin", "ARENA_STORE": url, "ARENA_LOG_LEVEL": "DEBUG"},
            cwd=ROOT,
            stdout=stream,
            stderr=stream,
        )
        try:
            secrets = _visit(sock, key, server)
        finally:
            server.terminate()
            server.wait()
    text = log.read_text()
    assert text.count('"GET /owner') >= 3, text
    assert f"{key[:15]}…" in text, "what a key is known by may stand there"
    assert [secret for secret in (*secrets, key[20:]) if secret in text] == []


class _Unix(http.client.HTTPConnection):
    """HTTP through a socket in a folder."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


def _ask(path: str, method: str, url: str, body: str | None = None, **headers: str) -> tuple[str, str]:
    connection = _Unix(path)
    connection.request(method, url, body, headers)
    answer = connection.getresponse()
    found = answer.read().decode(), answer.headers.get("Set-Cookie", "")
    connection.close()
    return found


def _visit(path: str, key: str, server: subprocess.Popen[bytes]) -> list[str]:
    """Sign in, use the session and the key, and put the key where it does not belong; the secrets that went over."""
    while not _answers(path):
        assert server.poll() is None, "the server has ended"
    page, cookie = _ask(path, "GET", "/owner/sign-in")
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token
    first = cookie.split(";")[0]
    body = urlencode({"key": key, "csrf_token": token[1]})
    form = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": first, "Referer": "http://localhost/owner/sign-in"}
    _, cookie = _ask(path, "POST", "/owner/sign-in", body, **form)
    session = cookie.split(";")[0]
    assert "signed in as" in _ask(path, "GET", "/owner/", Cookie=session)[0]
    _ask(path, "GET", "/api/v1/owner", Authorization=f"Bearer {key}")
    _ask(path, "GET", f"/owner/sign-in?key={key}", Referer=f"http://localhost/?key={key}")
    _ask(path, "GET", f"/api/v1/owner/submissions?key={key}", Authorization=f"Bearer {key}")
    _ask(path, "GET", f"/{key}")
    return [one.partition("=")[2] for one in (first, session)] + [token[1]]
