"""The demo: what a newcomer sees first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.worker.arenas import Arena

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_the_demo(tmp_path: Path) -> None:
    """The demo plays the quick samples in all variants without a fault, verifies all records, shows the same again at once."""
    arena = Arena(tmp_path / "data", lease=600.0)
    first = arena("demo")
    for word in ("all variants", "ghost-hand", "cutthroat", "bid-euchre", "turn-up", "arena dashboard"):
        assert word in first
    rows = [line.split() for line in first.splitlines() if line[:1].isdigit() and "games verified" not in line]
    assert sorted({row[1] for row in rows}) == ["counter", "greedy", "lowest", "random"]
    assert len(rows) == 20
    assert {row[-1] for row in rows} == {"–"}
    assert "432 games verified" in first
    second = arena("demo")
    assert [line for line in second.splitlines() if "verified" not in line] == [
        line for line in first.splitlines() if "verified" not in line
    ]
