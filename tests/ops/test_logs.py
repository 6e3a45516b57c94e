"""Logs with the match on every line, as text and as JSON, and dumps of what a process is doing."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from referee import logs
from tests.referee.matches import order
from tests.referee.processes import wait_until
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def root_logger() -> Iterator[None]:
    """Leave the root logger as it was."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)


def written(form: str) -> str:
    out = io.StringIO()
    logs.configure(stream=out, env={"ARENA_LOG": form})
    with logs.about(match="spring/turn-up/3"):
        with logs.about(attempt="7"):
            logging.getLogger("worker.jobs").info("it ends: %s", "complete", extra={"games": 4})
        logging.getLogger("worker.jobs").warning("after")
    logging.getLogger("worker.jobs").debug("too little")
    logging.getLogger("worker.jobs").info("outside")
    return out.getvalue()


def test_text_names_the_match() -> None:
    """Within `about` every line ends with the facts; outside it none does; what is below the level is not written."""
    lines = written("text").splitlines()
    assert [line.partition(": ")[2] for line in lines] == [
        "it ends: complete match=spring/turn-up/3 attempt=7",
        "after match=spring/turn-up/3",
        "outside",
    ]


def test_json_has_the_match_as_a_field() -> None:
    """One object a line, with time, level, logger, message, the facts and the extras."""
    first, second, third = map(json.loads, written("json").splitlines())
    assert first.pop("time")
    assert first == {
        "level": "INFO",
        "process": os.getpid(),
        "logger": "worker.jobs",
        "message": "it ends: complete",
        "match": "spring/turn-up/3",
        "attempt": "7",
        "games": 4,
    }
    assert second["match"] == "spring/turn-up/3"
    assert "attempt" not in second
    assert "match" not in third


def test_json_has_the_trace_of_an_error() -> None:
    """What an exception leaves is inside the object: a line stays a line."""
    out = io.StringIO()
    logs.configure(stream=out, env={"ARENA_LOG": "json"})
    try:
        raise ValueError("one\ntwo")
    except ValueError:
        logging.getLogger("a").exception("failed")
    (line,) = out.getvalue().splitlines()
    assert "ValueError: one\ntwo" in json.loads(line)["exc_info"]


@pytest.mark.parametrize(("name", "value"), [("ARENA_LOG", "xml"), ("ARENA_LOG_LEVEL", "loud")])
def test_unknown_settings_are_refused(name: str, value: str) -> None:
    """The message names the variable and what is allowed; a worker and a referee end with 2 for it."""
    with pytest.raises(logs.BadLogSetting, match=rf"{name} is '{value}' \(allowed: "):
        logs.configure(env={name: value})
    for module in ("worker", "referee"):
        words = [sys.executable, "-m", module, *(["match"] if module == "referee" else [])]
        done = subprocess.run(words, cwd=ROOT, env={**os.environ, name: value}, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert f"{name} is '{value}'" in done.stderr


def test_a_dump_on_request(tmp_path: Path) -> None:
    """SIGUSR1 has a referee that plays write its threads and its tasks, and play on to the end."""
    given = order(variant="turn-up", fmt="deals:400")
    err = tmp_path / "err"
    with err.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "referee", "match"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(given).encode() + b"\n")
        process.stdin.flush()
        # the handlers stand before the launcher is heard: a bot below a keeper below it means that they do
        assert wait_until(lambda: any(_children(keeper) for launcher in _children(process.pid) for keeper in _children(launcher)))
        process.send_signal(signal.SIGUSR1)
        assert wait_until(lambda: "asyncio tasks" in err.read_text(), 60)
        out = process.stdout.read()  # its stdin stays open meanwhile: to close that would be to die, as it sees it
        process.communicate(timeout=120)
    assert process.returncode == 0
    assert out.splitlines()[-1] == b'{"event":"done"}'
    text = err.read_text()
    assert "most recent call first" in text
    assert "_watch_parent" in text


def _children(pid: int) -> list[int]:
    from referee.launcher import parents  # noqa: PLC0415

    return [child for child, parent in parents().items() if parent == pid]
