"""The sample bot in Rust: built from the .proto, legal in every game, better than chance, and back after a lost connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.polyglot import common, scripted
from tests.rules import settings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.needs("cargo"), pytest.mark.slow]
FOLDER = common.SAMPLES / "rust"


@pytest.fixture(scope="session")
def bot() -> Path:
    """The program, built as its README says."""
    common.build(FOLDER, ["cargo", "build", "--release", "--locked", "--target-dir", "build"])
    return FOLDER / "build/release/euchre-bot"


@pytest.mark.parametrize("setting", common.SETTINGS, ids=settings.name)
def test_every_variant_and_option_is_played_without_a_fault(tmp_path: Path, bot: Path, setting: settings.Setting) -> None:
    """Nothing that it answers is illegal or late."""
    assert common.play(tmp_path, "rust", bot, setting, rival="greedy", sets=2, deals=4).faults() == 0


@pytest.mark.parametrize("variant", ["ghost-hand", "turn-up"])
def test_it_beats_random(tmp_path: Path, bot: Path, variant: str) -> None:
    """Over twenty sets, the whole interval of its margin over `random` is above zero."""
    assert common.play(tmp_path, "rust", bot, (variant, {}), rival="random", sets=20, deals=8).low("rust", "random") > 0


def test_it_comes_back_and_takes_the_goodbye(bot: Path) -> None:
    """Lost streams are opened again with the token; goodbye ends it with 0."""
    scripted.check_reconnects(bot)


def test_a_refusal_ends_it(bot: Path) -> None:
    """A status that is the referee's word is told on stderr and ends it with 1."""
    scripted.check_refused(bot)
