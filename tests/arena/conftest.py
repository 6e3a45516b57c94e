"""The command line on a data folder of the test's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs `arena` with these words on a fresh data folder."""
    for name in ("ARENA_STORE", "REDIS_URL", "ARENA_QUEUE", "ARENA_REFEREE", "ARENA_OPERATOR_TOKEN", "ARENA_LEASE_SECONDS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARENA_DATA", str(tmp_path / "data"))
    return lambda *words: CliRunner().invoke(main, list(words))
