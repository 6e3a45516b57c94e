"""All samples in one league: every language against every other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.polyglot import samples

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.needs(*sorted({need for needs in samples.NEEDS.values() for need in needs})), pytest.mark.slow]


@pytest.fixture(scope="module")
def commands() -> dict[str, str]:
    """The command that starts each language's sample, once all are built."""
    awk = f"arena bridge --max-tables 16 -- awk -W interactive -f {samples.ROOT}/sample_bots/awk/bot.awk"
    return {name: samples.build(name) for name in samples.NEEDS} | {"awk": awk}


def rows(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    samples.arena(folder, "league", "export", name, "--to", str(folder / "out"))
    tables = json.loads((folder / "out/standings.json").read_text(encoding="utf-8"))["tables"]
    return {row["bot"]: row for row in tables[0]["rows"]}


def test_all_languages_play_one_league(tmp_path: Path, commands: dict[str, str]) -> None:
    """A league of all samples, `greedy` and `random` ends with no fault, and every sample stands above `random`."""
    for name, command in commands.items():
        samples.arena(tmp_path, "bot", "add", name, "--run", command)
    bots = ",".join([*commands, "greedy", "random"])
    made = ("--variants", "turn-up", "--bots", bots, "--sets", "3", "--format", "deals:6", "--key", samples.KEY)
    samples.arena(tmp_path, "league", "create", "tongues", *made, *samples.PATIENT)
    print(samples.arena(tmp_path, "league", "run", "tongues", "--workers", "2"))
    standings = rows(tmp_path, "tongues")
    assert set(standings) == {*commands, "greedy", "random"}
    assert {name: row["faults"] for name, row in standings.items()} == {name: {} for name in standings}
    for name in commands:
        assert standings[name]["elo"] > standings["random"]["elo"], name
