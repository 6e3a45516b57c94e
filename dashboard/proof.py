"""What a page can tell of how a match's deals are proved, and of the script with which a browser checks them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from flask import current_app

from dashboard import data

if TYPE_CHECKING:
    from league.model import Match

SCRIPT = "verify.mjs"


@dataclass(frozen=True, slots=True)
class Proof:
    """The sealed and the opened of one match, in hex; None is still sealed."""

    commitment: str
    key: str | None
    league_commitment: str
    league_key: str | None
    checkable: bool
    """Whether there is a whole record to check."""
    script: str
    """SHA-256 of the script that checks it."""


def proof_of(match: Match) -> Proof:
    """What there is to see of a match; its key only once its deals are open."""
    league = data.find_league(match.league)
    key = data.store().match_key(match.id).hex() if data.is_open(match) else None
    return Proof(
        commitment=match.commitment,
        key=key,
        league_commitment=league.commitment,
        league_key=league.key.hex() if league.key else None,
        checkable=match.state == "complete",
        script=_sha256(Path(current_app.static_folder or "") / SCRIPT),
    )


@cache
def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
