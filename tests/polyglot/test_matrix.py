"""All samples in one league: every language against every other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.polyglot import common, plays

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.needs("buf", "c++ grpc", "cargo", "go", "maven", "node"), pytest.mark.slow]

RUST = ("cargo", "build", "--release", "--locked", "--target-dir", "build")


@pytest.fixture(scope="module")
def commands() -> dict[str, str]:
    """The command that starts each language's sample, once all are built."""
    samples = common.SAMPLES
    common.build(samples / "go", ["go", "generate"], ["go", "build", "-o", "build/bot"])
    common.build(samples / "rust", RUST)
    return {
        "go": str(samples / "go/build/bot"),
        "rust": str(samples / "rust/build/release/euchre-bot"),
        "typescript": f"node {plays.build('typescript', 'dist/bot.js', 'npm ci', 'npm run build')}",
        "cpp": str(plays.build("cpp", "build/bot", "make")),
        "java": f"java -XX:TieredStopAtLevel=1 -jar {plays.build('java', 'target/bot.jar', 'mvn -q -B package')}",
        "awk": f"arena bridge --max-tables 16 -- awk -W interactive -f {samples / 'awk/bot.awk'}",
    }


def arena(folder: Path, *words: str) -> str:
    environment = {**os.environ, "ARENA_DATA": str(folder / "var")}
    command = [sys.executable, "-m", "arena", *words]
    done = subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    arena(folder, "league", "export", name, "--to", str(folder / "out"))
    tables = json.loads((folder / "out/standings.json").read_text(encoding="utf-8"))["tables"]
    return {row["bot"]: row for row in tables[0]["rows"]}


def test_all_languages_play_one_league(tmp_path: Path, commands: dict[str, str]) -> None:
    """A league of all samples, `greedy` and `random` ends with no fault, and every sample stands above `random`."""
    for name, command in commands.items():
        arena(tmp_path, "bot", "add", name, "--run", command)
    bots = ",".join([*commands, "greedy", "random"])
    made = ("--variants", "turn-up", "--bots", bots, "--sets", "3", "--format", "deals:6", "--key", common.KEY)
    arena(tmp_path, "league", "create", "tongues", *made, *plays.PATIENT)
    print(arena(tmp_path, "league", "run", "tongues", "--workers", "2"))
    standings = rows(tmp_path, "tongues")
    assert set(standings) == {*commands, "greedy", "random"}
    assert {name: row["faults"] for name, row in standings.items()} == {name: {} for name in standings}
    for name in commands:
        assert standings[name]["elo"] > standings["random"]["elo"], name
