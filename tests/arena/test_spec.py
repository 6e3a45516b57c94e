"""Words of the command line as leagues: variants, options, keys."""

from __future__ import annotations

import pytest

from arena import spec


def test_variants_with_options() -> None:
    """Variants are separated by commas, options by semicolons, and a comma before a digit belongs to an option's value."""
    assert spec.variant_words("cutthroat,turn-up:target=5;deck=24,bid-euchre:awards=12,24") == [
        ("cutthroat", {}),
        ("turn-up", {"target": "5", "deck": "24"}),
        ("bid-euchre", {"awards": "12,24"}),
    ]


def test_options_are_spread() -> None:
    """An option goes to every entry of the variant that it names, or to all; what was there already gives way."""
    variants = [("a", {"x": "1"}), ("b", {}), ("a", {"z": "9"})]
    assert spec.spread(variants, ["a.x=2", "y=3"]) == [
        ("a", {"x": "2", "y": "3"}),
        ("b", {"y": "3"}),
        ("a", {"z": "9", "x": "2", "y": "3"}),
    ]
    assert variants[0] == ("a", {"x": "1"})


@pytest.mark.parametrize("text", ["x", "=1", ""])
def test_what_is_no_option(text: str) -> None:
    """An option is written name=value."""
    with pytest.raises(spec.BadWord, match="name=value"):
        spec.option_word(text)


def test_keys() -> None:
    """A key is 64 hex digits; none is none."""
    assert spec.key("0a" * 32) == bytes([10]) * 32
    assert spec.key(None) is None
    for text in ("0a" * 31, "zz" * 32, ""):
        with pytest.raises(spec.BadWord, match="64 hex digits"):
            spec.key(text)
