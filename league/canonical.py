"""JSON as the project writes it: no blanks, keys in the order in which the record's description names them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from league.errors import BadGame

if TYPE_CHECKING:
    from collections.abc import Mapping

GAME_KEYS = ("seating", "deals", "total", "places", "end", "forfeits")
DEAL_KEYS = ("moves", "faults", "tricks", "points", "total")
FAULT_KEYS = ("move", "seat", "cause", "answer")


def canonical(value: object) -> str:
    """Return the one text of a JSON-able value whose dictionaries are in order already."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _ordered(value: Mapping[str, Any], keys: tuple[str, ...], optional: tuple[str, ...], what: str) -> dict[str, Any]:
    """Return ``value`` with its keys in order; BadGame names what is missing or unknown."""
    missing = [key for key in keys if key not in value and key not in optional]
    unknown = [key for key in value if key not in keys]
    if missing or unknown:
        wrong = f"lacks {', '.join(missing)}" if missing else f"has an unknown {', '.join(map(repr, unknown))}"
        raise BadGame(f"a {what} of the reported game {wrong} (it has: {', '.join(keys)})")
    return {key: value[key] for key in keys if key in value}


def _ordered_deal(deal: Mapping[str, Any]) -> dict[str, Any]:
    ordered = _ordered(deal, DEAL_KEYS, ("faults",), "deal")
    if "faults" in ordered:
        ordered["faults"] = [_ordered(fault, FAULT_KEYS, ("answer",), "fault") for fault in ordered["faults"]]
    return ordered


def ordered_game(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of a record's "games" with all keys, and those of its deals and faults, in the record's order.

    Raises:
        BadGame: A key is missing or unknown.
    """
    ordered = _ordered(record, GAME_KEYS, (), "record")
    ordered["deals"] = [_ordered_deal(deal) for deal in ordered["deals"]]
    return ordered
