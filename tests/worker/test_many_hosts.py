"""A league on four worker hosts, with PostgreSQL, Redis and a scheduler on hosts of their own, all of them in trouble."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.worker.many_hosts import KINDS, Size, files_of, stormy, undisturbed

if TYPE_CHECKING:
    from pathlib import Path

SIZE = Size(bots=4, sets=16, milliseconds=20.0)


@pytest.mark.slow
@pytest.mark.needs("netns", "postgresql")
def test_many_hosts_in_a_storm(tmp_path: Path) -> None:
    """Every kind of trouble once: every set is stored once, nobody is blamed, and the export is that of a quiet run."""
    figures = stormy(SIZE, tmp_path, random.Random(7), gap=(0.5, 2.0), limit=len(KINDS))
    assert sum(figures.done.values()) == len(KINDS), "the league was over too soon: make it longer"
    assert (figures.sets, figures.lost, figures.doubled, figures.blamed) == (SIZE.matches * SIZE.sets, 0, 0, 0)
    assert files_of(tmp_path / "wild.export") == undisturbed(SIZE, tmp_path)
