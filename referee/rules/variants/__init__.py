"""The variants. To add one: a file here and a line in VARIANTS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee import core
from referee.rules.errors import UnknownVariant

core.extend(__path__, "rules/variants")

from referee.rules.variants import bid_euchre, cutthroat, ghost_hand, turn_up  # noqa: E402

if TYPE_CHECKING:
    from referee.rules.variant import Variant

VARIANTS: tuple[Variant, ...] = (ghost_hand.VARIANT, cutthroat.VARIANT, bid_euchre.VARIANT, turn_up.VARIANT)

if len({variant.name for variant in VARIANTS}) != len(VARIANTS):
    raise RuntimeError("two variants share a name")


def find_variant(name: str) -> Variant:
    """The variant of that name; raises UnknownVariant, which lists the known ones."""
    for variant in VARIANTS:
        if variant.name == name:
            return variant
    known = ", ".join(variant.name for variant in VARIANTS)
    raise UnknownVariant(f"unknown variant {name!r} (known: {known})")
