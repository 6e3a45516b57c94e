"""Owners and other visitors of the dashboard, as browsers and programs."""

from __future__ import annotations

import io
import re
import tarfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from league.store import Store

TOML = b'name = "mine"\nrun = "python bot.py"\nvariants = ["turn-up"]\n'
HTTPS = "https://arena.example.org"


def archive(content: bytes = b"pass", toml: bytes = TOML) -> io.BytesIO:
    """A bot, packed."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as packed:
        for name, data in (("bot.toml", toml), ("bot.py", content)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    made.seek(0)
    return made


class Visitor:
    """A browser: it keeps cookies and sends the forms' tokens."""

    def __init__(self, app: Flask, base: str = HTTPS) -> None:
        self._client: FlaskClient = app.test_client()
        self._base = base

    def get(self, path: str) -> TestResponse:
        return self._client.get(path, base_url=self._base)

    def post(self, path: str, page: str = "/owner/", **fields: Any) -> TestResponse:
        """Send a form that stands on a page."""
        token = re.search(r'name="csrf_token" value="([^"]+)"', self.get(page).text)
        assert token is not None
        given = {**fields, "csrf_token": token[1]}
        return self._client.post(path, data=given, base_url=self._base, headers={"Referer": f"{self._base}{page}"})

    def sign_in(self, key: str) -> TestResponse:
        return self.post("/owner/sign-in", "/owner/sign-in", key=key)

    def upload(self, content: bytes = b"pass", toml: bytes = TOML, name: str = "bot.tar.gz", **fields: Any) -> TestResponse:
        return self.post("/owner/submissions", archive=(archive(content, toml), name), **{"promote": "1", **fields})


def settle(store: Store, bot: str, reason: str | None = None) -> None:
    """Do what a worker does with the newest version of a bot."""
    found = store.submission(bot)
    claim = store.claim_submission(found.id, 30)
    assert claim is not None
    assert store.submission_built(claim, found.tree)
    step = {"name": "check", "title": "arena check", "status": "failed" if reason else "passed", "seconds": 1.5}
    line = {"step": 3, "title": "Answers", "status": "failed", "detail": "<b>not legal</b>", "sent": ["{}"], "output": "oops"}
    if reason:
        assert store.unqualified(claim, reason, [step | {"steps": [line]}])
    else:
        assert store.qualified(claim, [step])


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
