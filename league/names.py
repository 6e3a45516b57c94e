"""Which names are fit for bots, leagues and a league's variants: they stand in ids, addresses and file names."""

from __future__ import annotations

import re

from league.errors import BadName

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_LABEL = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

OVERALL = "overall"
"""Stands for all variants of a league together, and so labels none of them."""


def check_name(name: str, what: str) -> str:
    """Return ``name`` if it may name a ``what`` ("bot", "league"); BadName states the rule."""
    if not _NAME.fullmatch(name):
        raise BadName(f"{name!r} cannot name a {what}: wanted 1 to 32 of a-z, 0-9, _ and -, the first a letter or a digit")
    return name


def check_label(label: str) -> str:
    """Return ``label`` if it may name a variant within a league; BadName states the rule."""
    if label == OVERALL:
        raise BadName(f"{OVERALL!r} cannot label a variant: it stands for all of them together")
    if not _LABEL.fullmatch(label):
        raise BadName(
            f"{label!r} cannot label a variant: wanted 1 to 64 of a-z, 0-9, dot, _ and -, the first a letter or a digit"
        )
    return label


def record_name(match_id: str) -> str:
    """Return the file name of a match's record. No name has a plus sign in it, so none collides with another."""
    return f"{match_id.replace('/', '+')}.jsonl"
