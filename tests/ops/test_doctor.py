"""`arena doctor` on arenas that are well and on ones that are not: what is wrong is named, with what to do."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena import doctor
from arena.__main__ import main
from league import migrate
from league.store import Store
from tests.worker.arenas import FORGOTTEN

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh data folder, named in the environment."""
    for name in FORGOTTEN:
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("ARENA_DATA", str(folder))
    return folder


def examined() -> tuple[int, dict[str, dict[str, str]]]:
    """Exit code, and the findings by part."""
    done = CliRunner().invoke(main, ["doctor", "--json"])
    found = [json.loads(line) for line in done.output.splitlines()]
    return done.exit_code, {finding["part"]: finding for finding in found}


def test_a_healthy_arena(data: Path) -> None:
    """Everything is looked at, nothing is bad, and nothing is made or changed."""
    Store.open(f"sqlite:///{data}/arena.db").close()
    before = sorted(path.name for path in data.iterdir())
    code, found = examined()
    assert code == 0
    assert {"python", "rules", "data folder", "store", "leagues", "queue", "referee", "isolation: limits"} <= found.keys()
    assert found["store"]["verdict"] == "ok"
    assert migrate.HEAD in found["store"]["text"]
    assert sorted(path.name for path in data.iterdir() if not path.name.endswith(("-wal", "-shm"))) == before


def test_a_fresh_place(data: Path) -> None:
    """Before the first command there is no store; that is said, and not bad."""
    code, found = examined()
    assert code == 0
    assert found["store"]["verdict"] == "warn"
    assert "not there yet" in found["store"]["text"]
    assert list(data.iterdir()) == []


def test_what_does_not_answer(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database, a queue server and a referee that are away are bad, each with advice; passwords are not shown."""
    monkeypatch.setenv("ARENA_STORE", "postgresql://ann:secret@127.0.0.1:1/arena")
    monkeypatch.setenv("REDIS_URL", "redis://:secret@127.0.0.1:1")
    monkeypatch.setenv("ARENA_REFEREE", "127.0.0.1:1")
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 1
    assert "secret" not in done.output
    for part, advice in (("store", "check ARENA_STORE"), ("queue", "check REDIS_URL"), ("referee", "arena referee")):
        bad = done.output[done.output.index(f"BAD   {part}") :]
        assert advice in bad.splitlines()[1]
    assert done.output.endswith("3 bad, 0 worth a look\n")
    assert data.exists()


@pytest.mark.parametrize(("revision", "advice"), [("0001", "migrates"), ("9999", "upgrade")])
def test_a_store_of_another_release(data: Path, revision: str, advice: str) -> None:
    """A schema that is behind or ahead is worth a look; the store is left as it is."""
    Store.open(f"sqlite:///{data}/arena.db").close()
    with sqlite3.connect(data / "arena.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    _, found = examined()
    assert found["store"]["verdict"] == "warn"
    assert revision in found["store"]["text"]
    assert advice in found["store"]["advice"]


def test_one_part_that_breaks_down(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting that makes no sense is bad for its part, and the others are looked at all the same."""
    monkeypatch.setenv("ARENA_STORE", "mysql://here")
    code, found = examined()
    assert code == 1
    assert "'mysql://here' cannot be a store" in found["store"]["text"]
    assert found["queue"]["verdict"] == "ok"
    assert data.exists()


def test_file_systems() -> None:
    """The kind is that of the deepest mount above a folder."""
    from pathlib import Path  # noqa: PLC0415

    assert doctor.filesystem(Path("/proc/self")) == "proc"
    assert doctor.filesystem(Path("/")) != ""
