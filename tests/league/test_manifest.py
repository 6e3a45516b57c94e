"""bot.toml: what may stand in it, and what is said of what may not."""

from __future__ import annotations

import pytest

from league import manifest
from league.errors import BadManifest

VARIANTS = ("ghost-hand", "turn-up")
LEAST = 'name = "ann"\nrun = "python ann.py"\n'


def test_the_least_is_two_lines() -> None:
    """A name and a command are enough: then there is nothing to build, and every variant is played."""
    found = manifest.parse(LEAST.encode(), VARIANTS)
    assert found.as_json() == {
        "name": "ann", "run": "python ann.py", "build": "", "variants": ["ghost-hand", "turn-up"], "description": "",
    }  # fmt: skip


def test_everything() -> None:
    """Every key is taken as it is written."""
    text = LEAST + 'build = "make all"\nvariants = ["turn-up"]\ndescription = """Counts cards.\nNever bluffs."""\n'
    found = manifest.parse(text.encode(), VARIANTS)
    assert found.build == "make all"
    assert found.variants == ("turn-up",)
    assert found.description == "Counts cards.\nNever bluffs."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LEAST + 'varients = ["turn-up"]', r"unknown key 'varients' \(allowed: name, run, build, variants, description\)"),
        ('name = "ann"', "lacks run"),
        ("", "lacks name and run"),
        (LEAST + 'variants = ["whist"]', r"no variant 'whist' \(allowed: ghost-hand, turn-up\)"),
        (LEAST + 'variants = ["turn-up", "turn-up"]', "named twice"),
        (LEAST + 'variants = "turn-up"', "Expected a list, got a string for variants"),
        (LEAST + "build = 7", "Expected a string, got int for build"),
        ('name = "Ann Smith"\nrun = "x"', "'Ann Smith' cannot name a bot"),
        ('name = "../ann"\nrun = "x"', "cannot name a bot"),
        ('name = "ann"\nrun = "  "', "run is empty"),
        ('name = "ann"\nrun = "python \'ann.py"', "cannot be split into words"),
        ('name = "ann"\nrun = "a\\nb"', "one line"),
        ('name = "ann"\nrun = "a\\u001b[2J"', "one line"),
        (LEAST + f'build = "{"x" * 1001}"', "at most 1000"),
        (LEAST + f'description = "{"x" * 501}"', "at most 500"),
        ('name = "ann', "is not TOML"),
    ],
)
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    """An error says where it is wrong, and what is allowed."""
    with pytest.raises(BadManifest, match=said):
        manifest.parse(text.encode(), VARIANTS)


def test_none_and_no_text() -> None:
    """No bot.toml, and one that is no UTF-8, are told apart from one that is wrong."""
    with pytest.raises(BadManifest, match=r"no bot\.toml.*at least two lines"):
        manifest.parse(None, VARIANTS)
    with pytest.raises(BadManifest, match="not TOML"):
        manifest.parse(b"\xff\xfe", VARIANTS)


def test_renamed() -> None:
    """Another name is held to the same rule."""
    found = manifest.parse(LEAST.encode(), VARIANTS)
    assert manifest.renamed(found, "bea").name == "bea"
    with pytest.raises(BadManifest, match="cannot name a bot"):
        manifest.renamed(found, "B E A")
