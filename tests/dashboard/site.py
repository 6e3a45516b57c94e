"""Every page of the dashboard, found in the application's own map of addresses, so that a new page cannot be forgotten."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

from dashboard import create_app, sessions
from league.store import Store
from tests.dashboard.visitors import TOML, Visitor, settle

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

MATCH = "four/cutthroat/0"
VALUES = {
    "name": "four", "match_id": MATCH, "set_number": "0", "seating": "012", "number": "1", "bot": "ann",
    "a": "ann", "b": "bea", "c": "cid", "variant": "turn-up", "language": "go",
}  # fmt: skip
"""What stands in an address for each of its parts."""
MORE = [
    "/leagues/four?variant=cutthroat", "/leagues/four?find=b&sort=-games", "/leagues/four/bots/ann?variant=bid-euchre",
    "/leagues/empty/bots/ann", "/leagues/empty/pairs", "/leagues/empty/pairs/ann/bea", "/leagues/live/live",
    "/matches/odd/bid-euchre/0/sets/1", "/matches/odd/bid-euchre/0/sets/0/deals/1", "/matches/four/ghost-hand/0/sets/1/deals/2",
    "/matches/four/ghost-hand/0/sets/0/games/012/deals/0", "/matches/four/turn-up/0/sets/0/games/0101/deals/0?seat=2#m9",
    "/leagues/live", "/leagues/empty", "/leagues/live/matches", "/nowhere",
    "/matches/four/ghost-hand/0", "/matches/live/cutthroat/0", "/matches/live/cutthroat/0/sets/0/games/012",
    "/matches/odd/bid-euchre/0/sets/0/games/0101/deals/0", "/matches/odd/cutthroat/0/sets/0/games/012/deals/0",
    "/owner/submissions/2", "/owner/submissions/3",
]  # fmt: skip
"""Pages that look different with other data: no games yet, half played, sealed, other variants, a failed version, not found."""
NOT_PAGES = {
    "static": "files",
    "matches.record": "a download",
    "leagues.standings_csv": "a download",
    "leagues.standings_json": "JSON",
    "bots.elo": "JSON for the page's script",
    "live.events": "a stream",
    "live.all_events": "a stream",
    "owner.state": "JSON for the page's script",
    "owner.submission_state": "JSON for the page's script",
}
_PART = re.compile(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>")


def addresses(app: Flask, **values: str) -> list[str]:
    """The address of every page that can be looked at, one of each kind, and some more; `values` in place of the usual."""
    known = VALUES | values
    found = []
    for rule in app.url_map.iter_rules():
        reads = "GET" in (rule.methods or ())
        if reads and rule.endpoint not in NOT_PAGES and not rule.endpoint.startswith(("api.", "owner_api.")):
            found.append(_PART.sub(lambda part: known[part[1]], rule.rule))
    return [url for url in sorted(found) if not url.endswith((".json", "/api/v1"))] + MORE


def copy(source: Path, target: Path) -> str:
    """A copy of a SQLite store, whoever has it open; its URL."""
    with sqlite3.connect(source) as one, sqlite3.connect(target) as other:
        one.backup(other)
    one.close()
    other.close()
    return f"sqlite:///{target}"


def inhabit(url: str) -> tuple[Flask, str]:
    """Give a store an owner, with a version that is qualified, one that failed and one that waits; its dashboard and the key."""
    app = create_app(url, may_read_logs=lambda bot: bot == VALUES["bot"] or sessions.owns(bot))
    with Store(url) as store:
        key = store.add_owner("zoe")
        visitor = Visitor(app)
        visitor.sign_in(key)
        for number, reason in enumerate((None, "arena check, step 3 (Answers): not legal", None)):
            visitor.upload(str(number).encode(), TOML.replace(b"mine", b"zoes"))
            if number < 2:
                settle(store, "zoes", reason)
    return app, key
