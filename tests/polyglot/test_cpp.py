"""The sample bot in C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.polyglot import plays

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs("c++ grpc")


@pytest.fixture(scope="module")
def bot() -> str:
    """The command that starts it, once it is built."""
    return str(plays.build("cpp", "build/bot", "make"))


@pytest.mark.parametrize(("variant", "options"), plays.TOGETHER)
def test_it_plays_every_variant(tmp_path: Path, bot: str, variant: str, options: str) -> None:
    """No fault in any variant, with the options that bring the most phases about."""
    plays.assert_plays(tmp_path, bot, variant, options)


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "options"), plays.APART)
def test_it_plays_every_option(tmp_path: Path, bot: str, variant: str, options: str) -> None:
    """No fault with the other options that change the play."""
    plays.assert_plays(tmp_path, bot, variant, options)


@pytest.mark.slow
@pytest.mark.parametrize("variant", plays.WON)
def test_it_beats_random(tmp_path: Path, bot: str, variant: str) -> None:
    """Its rules are worth something."""
    plays.assert_beats_random(tmp_path, bot, variant)


def test_it_keeps_its_stream(tmp_path: Path, bot: str) -> None:
    """It comes back when the stream is lost, answers together what was asked together, and goes at goodbye."""
    plays.assert_keeps_its_stream(tmp_path, bot)


def test_it_takes_no_for_an_answer(tmp_path: Path, bot: str) -> None:
    """It does not come back where it is not wanted."""
    plays.assert_takes_no_for_an_answer(tmp_path, bot)
