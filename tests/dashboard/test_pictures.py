"""Card faces, scales and figures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from dashboard import charts, faces, filters

STYLE = Path(faces.__file__).parent / "static/style.css"
CARDS = [rank + suit for suit in faces.SUITS for rank in faces.RANKS] + [faces.JOKER]
PIPS = {"7": 7, "8": 8, "9": 9, "T": 10, "A": 1}


@pytest.mark.parametrize("card", CARDS)
def test_a_card_is_drawn_as_what_it_is(card: str) -> None:
    """Each face is well-formed, shows its rank twice and as many pips as a real card has."""
    drawing = ET.fromstring(faces.symbol(card))
    assert drawing.get("id") == f"c-{card}"
    uses = [use.get("href") for use in drawing.iter("use")]
    if card == "XX":
        assert not uses
        return
    assert set(uses) == {f"#suit-{card[1]}"}
    assert [text.text for text in drawing.iter("text")] == ["10" if card[0] == "T" else card[0]] * 2
    if card[0] in PIPS:
        assert len(uses) == PIPS[card[0]] + 2


def test_no_two_cards_look_alike() -> None:
    """The 33 faces are 33 different drawings."""
    assert len({re.sub(r'id="[^"]*"', "", faces.symbol(card)) for card in CARDS}) == 33


def test_a_sprite_draws_each_card_once() -> None:
    """Cards that a page shows twice are drawn once, and an unknown card is an error."""
    assert faces.sprite(["JC", "XX", "JC"]).count("<symbol") == 2
    with pytest.raises(KeyError):
        faces.sprite(["1C"])


def test_names_of_cards() -> None:
    """Cards are named as people name them."""
    assert faces.name("TD") == "ten of diamonds"
    assert faces.name("XX") == "joker"


@pytest.mark.parametrize(
    ("values", "low", "high", "texts"),
    [
        ([1480, 1520], 1480, 1520, ["1480", "1490", "1500", "1510", "1520"]),
        ([1400, 1720], 1400, 1800, ["1400", "1500", "1600", "1700", "1800"]),
        ([None, float("inf")], 1499, 1501, ["1499.0", "1499.5", "1500.0", "1500.5", "1501.0"]),
        ([], 1499, 1501, ["1499.0", "1499.5", "1500.0", "1500.5", "1501.0"]),
    ],
)
def test_scales_are_round_and_hold_everything(values: list[float | None], low: float, high: float, texts: list[str]) -> None:
    """A scale begins and ends at round marks around all values, also where there are none, or only one."""
    scale = charts.scale(values, 1500)
    assert (scale.low, scale.high) == (low, high)
    assert [tick.text for tick in scale.ticks] == texts
    assert [tick.main for tick in scale.ticks].count(True) == 1
    assert scale.x(low) == charts.MARGIN
    assert scale.x(high) == 100 - charts.MARGIN
    assert scale.x(-9999) == charts.MARGIN
    assert scale.x(9999) == 100 - charts.MARGIN
    assert all(charts.MARGIN <= tick.x <= 100 - charts.MARGIN for tick in scale.ticks)


def test_figures() -> None:
    """Numbers, signs, shares, times and places are written for people."""
    thin = filters.THIN
    assert [filters.num(value) for value in (0, 9999, 12345, -3)] == ["0", "9999", f"12{thin}345", "−3"]
    assert [filters.signed(value, 2) for value in (0.004, -0.004, 1.5, -1.5)] == ["0.00", "0.00", "+1.50", "−1.50"]
    assert [filters.share(*pair) for pair in ((0, 0), (999, 1000), (1000, 1000))] == ["–", f"99{thin}%", f"100{thin}%"]
    assert [filters.duration(value) for value in (12, 1500, 2_000_000)] == [f"12{thin}µs", f"1.5{thin}ms", f"2{thin}s"]
    assert [filters.place(number) for number in (1, 2, 3, 4)] == ["1st", "2nd", "3rd", "4th"]
    assert filters.iso(0) == "1970-01-01T00:00:00+00:00"
    assert filters.when(0) == "1 Jan 1970, 00:00 UTC"
    assert [filters.option(value) for value in (True, False, [12, 24], 0.5)] == ["on", "off", "12, 24", "0.5"]


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_enough_contrast(dark: bool) -> None:
    """Every pair of text and ground in the style sheet reaches 4.5 to 1 (WCAG 2.2, 1.4.3), in both schemes."""
    light_part, dark_part = STYLE.read_text().split("@media (prefers-color-scheme: dark)", 1)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light_part))
    if dark:
        colours |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark_part[: dark_part.index("/* base */")]))
    grounds = ("paper", "sheet", "tint")
    pairs = [(name, ground) for name in ("ink", "soft", "link", "brass", "good", "bad") for ground in grounds]
    pairs += [(f"suit-{suit}", ground) for suit in "cdhs" for ground in grounds]
    pairs += [("brass", "brass-tint"), ("ink", "brass-tint"), ("soft", "brass-tint"), ("ink", "bad-tint")]
    pairs += [(name, ground) for name in ("on-felt", "on-felt-soft", "brass-bright") for ground in ("felt", "felt-deep")]
    poor = {pair: round(contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 4.5} == {}
