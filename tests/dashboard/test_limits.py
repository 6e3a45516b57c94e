"""How often one may ask: by address, by key, at the door; told to programs, and in the environment's words."""

from __future__ import annotations

import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from dashboard import create_app
from dashboard.limits import read
from league.store import Store
from tests.dashboard.visitors import Visitor, bearer
from worker.valkey import binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from flask import Flask
    from werkzeug.test import TestResponse

API = "/api/v1/leagues"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Flask]]:
    """Make a dashboard over the test's store, with limits given by the environment's names."""
    made: list[Flask] = []

    def build(**given: str) -> Flask:
        for name, text in given.items():
            monkeypatch.setenv(name, text)
        made.append(create_app(f"sqlite:///{tmp_path}/arena.db"))
        return made[-1]

    monkeypatch.delenv("REDIS_URL", raising=False)
    yield build
    for app in made:
        app.extensions["arena-store"].close()


def ask(app: Flask, address: str = "192.0.2.1", headers: dict[str, str] | None = None, path: str = API) -> TestResponse:
    return app.test_client().get(path, headers=headers, environ_overrides={"REMOTE_ADDR": address})


def test_who_asks_too_often_is_told_when_to_ask_again(make: Callable[..., Flask]) -> None:
    """Every answer says what is left; past it the answer is 429 with the time, in the head and in the body; others go on."""
    app = make(ARENA_RATE_ADDRESS="3 per hour")
    for left in (2, 1, 0):
        answer = ask(app)
        assert answer.status_code == 200
        assert answer.headers["RateLimit-Policy"] == '"address";q=3;w=3600'
        assert answer.headers["RateLimit"].startswith(f'"address";r={left};t=')
    late = ask(app)
    assert (late.status_code, late.mimetype) == (429, "application/problem+json")
    problem = late.get_json()
    assert (problem["type"], problem["status"]) == ("/api/v1/docs#too-many-requests", 429)
    assert (problem["limit"], problem["remaining"]) == (3, 0)
    assert 3000 < problem["reset"] == int(late.headers["Retry-After"]) <= 3600
    assert f"Ask again in {problem['reset']} seconds" in problem["detail"]
    assert late.headers["Content-Security-Policy"]
    assert ask(app, "192.0.2.2").status_code == 200
    assert ask(app, path="/").status_code == 200, "pages are not counted"
    assert ask(app, path=f"{API}/none/progress").status_code == 404, "nor is what they poll"


def test_every_address_of_the_json_counts(make: Callable[..., Flask]) -> None:
    """Whatever is asked for counts, what is refused and the former addresses too."""
    app = make(ARENA_RATE_ADDRESS="4 per hour")
    statuses = [ask(app, path=path).status_code for path in (API, f"{API}/none", "/api/leagues", "/api/v1/owner", API)]
    assert statuses == [200, 404, 200, 401, 429]


def test_a_good_key_counts_for_itself(make: Callable[..., Flask], tmp_path: Path) -> None:
    """A key has its own allowance, from wherever it is used; one that is not good leaves the address to pay."""
    app = make(ARENA_RATE_ADDRESS="1 per hour", ARENA_RATE_KEY="2 per hour")
    with Store(f"sqlite:///{tmp_path}/arena.db") as store:
        key = store.add_owner("ann")
    assert ask(app).status_code == 200
    assert [ask(app, headers=bearer(f"arena-00000000-{n}")).status_code for n in range(2)] == [429, 429]
    answers = [ask(app, address, bearer(key)) for address in ("192.0.2.1", "192.0.2.7", "192.0.2.8")]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert answers[0].headers["RateLimit-Policy"] == '"key";q=2;w=3600'


def test_an_ipv6_network_is_one_visitor(make: Callable[..., Flask]) -> None:
    """Addresses of one /64 count together, those of another for themselves."""
    app = make(ARENA_RATE_ADDRESS="1 per hour")
    where = ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")
    assert [ask(app, address).status_code for address in where] == [200, 429, 200]


def test_keys_cannot_be_tried_without_end(make: Callable[..., Flask], tmp_path: Path) -> None:
    """Past its limit the door stays shut for a good key too, with a page that says for how long; then a session goes on."""
    app = make(ARENA_RATE_SIGN_IN="2 per hour")
    with Store(f"sqlite:///{tmp_path}/arena.db") as store:
        key = store.add_owner("ann")
    known, guesser = Visitor(app), Visitor(app)
    assert known.sign_in(key).status_code == 302
    assert guesser.sign_in("guess").status_code == 403
    answer = guesser.sign_in(key)
    assert (answer.status_code, "Ask again in" in answer.text) == (429, True)
    assert int(answer.headers["Retry-After"]) > 3000
    assert known.get("/owner/").status_code == 200


def test_limits_can_be_switched_off(make: Callable[..., Flask]) -> None:
    """Without a limit nothing is counted and nothing told."""
    app = make(ARENA_RATE_ADDRESS="off")
    assert "RateLimit" not in ask(app).headers


@pytest.mark.parametrize("text", ["many", "10", "0.5 per minute", "-1 per minute", "10 per fortnight"])
def test_a_limit_that_cannot_be_read(make: Callable[..., Flask], text: str) -> None:
    """The dashboard does not start with a limit that says nothing, and names it."""
    with pytest.raises(ValueError, match=r"ARENA_RATE_ADDRESS is .* it must be off, or a limit such as '1200 per minute'"):
        make(ARENA_RATE_ADDRESS=text)


def test_processes_count_together(make: Callable[..., Flask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With REDIS_URL what one process has answered counts for the next; while that server is away, answers still come."""
    sock = tmp_path / "v.sock"
    server = subprocess.Popen(
        [str(binary()), "--port", "0", "--unixsocket", str(sock), "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        while True:
            with socket.socket(socket.AF_UNIX) as probe:
                if sock.exists() and probe.connect_ex(str(sock)) == 0:
                    break
        monkeypatch.setenv("REDIS_URL", f"redis+unix://{sock}")
        one, other = (make(ARENA_RATE_ADDRESS="2 per hour") for _ in range(2))
        assert [ask(app).status_code for app in (one, other, one)] == [200, 200, 429]
    finally:
        server.terminate()
        server.wait()
    assert ask(one, "192.0.2.9").status_code == 200


def test_the_defaults_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds unless said otherwise is a limit."""
    for name in ("ARENA_RATE_ADDRESS", "ARENA_RATE_KEY", "ARENA_RATE_SIGN_IN"):
        monkeypatch.delenv(name, raising=False)
        assert read(name).endswith("per minute")
