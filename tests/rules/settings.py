"""Every variant with its defaults, each value of each option alone, and some options together."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from referee.rules import VARIANTS, BadOption, Rules

if TYPE_CHECKING:
    from referee.rules import Variant

SAMPLES = {
    "target": ("1", "5", "52"),
    "max_deals": ("1", "3"),
    "revoke_points": ("0", "1", "5"),
    "awards": ("10,20", "18,24"),
}
"""For the options whose values are too many to try them all."""

Setting = tuple[str, dict[str, str]]


def values(variant: Variant) -> dict[str, tuple[str, ...]]:
    """The values to try, by option."""
    return {option.name: SAMPLES.get(option.name, option.values) for option in variant.options}


def name(setting: Setting) -> str:
    """A readable id for a test."""
    variant, options = setting
    return " ".join([variant, *(f"{option}={value}" for option, value in options.items())])


def alone() -> list[Setting]:
    """The defaults of each variant, then each value of each option by itself."""
    found: list[Setting] = []
    for variant in VARIANTS:
        found.append((variant.name, {}))
        for option in variant.options:
            default = Rules(variant.name).options[option.name]
            each = [(variant.name, {option.name: value}) for value in values(variant)[option.name]]
            found += [setting for setting in each if Rules(*setting).options[option.name] != default]
    return found


def together(count: int = 3) -> list[Setting]:
    """`count` random combinations of all the options of each variant."""
    rng = random.Random(20)
    found: list[Setting] = []
    for variant in VARIANTS:
        wanted = len(found) + count
        while len(found) < wanted:
            options = {option: rng.choice(choices) for option, choices in values(variant).items()}
            try:
                Rules(variant.name, options)
            except BadOption:  # joker and double_deck
                continue
            found.append((variant.name, options))
    return found


ALONE = alone()
ALL = [*ALONE, *together()]
PLAIN = {"target", "max_deals", "revoke_points", "awards", "moon_fail", "ask_fail", "lone_march"}
PLAYED_APART = [setting for setting in ALONE if not set(setting[1]) & PLAIN]
"""The settings that differ in how a deal is played, not only in what it is worth."""
