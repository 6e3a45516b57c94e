"""The queue's pages: for the operator only, to look at only, over a real queue with a match in it."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

import pytest

from dashboard import create_app
from tests.worker.arenas import until
from worker import valkey
from worker.queueing import Matches, job_id
from worker.settings import from_env
from worker.supervise import Supervisor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

TOKEN = "the-operator"
PAGES = ("/", "/0/view/queues", "/0/view/workers", "/0/view/jobs", "/0/data/queues.json", "/0/data/workers.json")


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a queue server with one match waiting."""
    settings = from_env({"ARENA_DATA": str(tmp_path_factory.mktemp("admin") / "data")})
    with Supervisor() as supervisor:
        supervisor.add(valkey.keeper(settings))
        connection = valkey.wait(settings, supervisor.tick, 60)
        assert Matches(connection, settings).put("spring/turn-up/0")
        connection.close()
        yield valkey.url(settings)


@pytest.fixture
def client(queue: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FlaskClient]:
    monkeypatch.setenv("ARENA_QUEUE_URL", queue)
    monkeypatch.setenv("ARENA_ADMIN_SHA256", hashlib.sha256(TOKEN.encode()).hexdigest())
    app = create_app(f"sqlite:///{tmp_path}/arena.db")
    yield app.test_client()
    app.extensions["arena-store"].close()


def signed(token: str = TOKEN) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"admin:{token}".encode()).decode()}


def test_the_operator_sees_the_queue(client: FlaskClient) -> None:
    """Every page is there, and the waiting match is told by name; no page may be framed."""
    for path in PAGES:
        answer = client.get(f"/admin/queue{path}", headers=signed(), follow_redirects=True)
        assert answer.status_code == 200, path
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    jobs = client.get("/admin/queue/0/data/jobs/matches/queued/8/asc/1.json", headers=signed()).get_json()
    assert [job["id"] for job in jobs["jobs"]] == [job_id("spring/turn-up/0")]
    one = client.get(f"/admin/queue/0/view/job/{job_id('spring/turn-up/0')}", headers=signed())
    assert one.status_code == 200
    assert b"spring/turn-up/0" in client.get(f"/admin/queue/0/data/job/{job_id('spring/turn-up/0')}.json", headers=signed()).data


@pytest.mark.parametrize("headers", [{}, signed("guess"), {"Authorization": "Basic x"}, {"Authorization": "Bearer " + TOKEN}])
def test_nobody_else_does(client: FlaskClient, headers: dict[str, str]) -> None:
    """Without the token every page is 401 and says what is asked for; the arena's own pages are open."""
    for path in (*PAGES, "/requeue/matches", "/static/css/main.css"):
        answer = client.get(f"/admin/queue{path}", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Basic")
        assert b"spring" not in answer.data
    assert client.get("/").status_code == 200


def test_nothing_can_be_changed(client: FlaskClient, queue: str) -> None:
    """Even the operator only looks: what would change the queue is 405, by GET too, and the match still waits."""
    where = job_id("spring/turn-up/0")
    changes = [f"/job/{where}/delete", f"/job/{where}/requeue", "/queue/matches/queued/empty", "/queue/matches/compact"]
    for path in [*changes, "/requeue/matches"]:
        assert client.post(f"/admin/queue{path}", headers=signed()).status_code == 405
    assert client.get("/admin/queue/requeue/matches", headers=signed()).status_code == 405
    connection = valkey.connect(from_env({"ARENA_DATA": "unused", "REDIS_URL": queue}))
    until(lambda: connection.lrange("rq:queue:matches", 0, -1) == [where.encode()], 10)
    connection.close()


def test_without_an_operator_there_are_no_such_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dashboard that is not told who may look shows them to nobody."""
    monkeypatch.delenv("ARENA_ADMIN_SHA256", raising=False)
    monkeypatch.delenv("ARENA_QUEUE_URL", raising=False)
    app = create_app(f"sqlite:///{tmp_path}/arena.db")
    assert app.test_client().get("/admin/queue/", headers=signed()).status_code == 404
    app.extensions["arena-store"].close()
