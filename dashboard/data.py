"""What the pages read: the store of this application, and look-ups that answer 404 or keep a secret."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from flask import abort, current_app, request
from werkzeug.routing import BaseConverter

from dashboard.errors import Sealed
from league.errors import NotFound
from league.schedule import games_a_set
from league.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from league.model import Entry, Game, League, Match, Progress, Seating
    from league.store_matches import MatchFilter

_NAME, _LEAGUES, _PROGRESS = "arena-store", "arena-leagues", "arena-progress"
LARGE_GAMES, LARGE_BOTS = 20_000, 120
"""Games or bots from which on a league is large: what takes long to read or to work out of it is shown for a while."""
PATIENCE = 5.0
"""What took long is shown for this many times as long as it took."""
T = TypeVar("T")
STATES: tuple[MatchFilter, ...] = ("waiting", "running", "complete", "dropped")


class MatchId(BaseConverter):
    """A match's id in a URL: league, variant label and number."""

    regex = r"[^/]+/[^/]+/[0-9]+"
    part_isolating = False


def init_app(app: Flask, url: str | None) -> None:
    """Open the store and teach URLs what a match's id looks like."""
    app.url_map.converters["match"] = MatchId
    app.extensions[_NAME] = Store.open(url or default_url())
    app.extensions[_LEAGUES], app.extensions[_PROGRESS] = _Recent(), _Recent()


def default_url() -> str:
    """The store's URL by the environment."""
    folder = os.environ.get("ARENA_DATA", "var")
    return os.environ.get("ARENA_STORE") or f"sqlite:///{folder}/arena.db"


def store() -> Store:
    """The store of the current application."""
    return cast("Store", current_app.extensions[_NAME])


def store_of(app: Flask) -> Store:
    """The store of an application, where none is current yet."""
    return cast("Store", app.extensions[_NAME])


@dataclass(slots=True)
class _Recent(Generic[T]):
    """What was read of large leagues a moment ago, by name: it is read again after a few times as long as reading it took."""

    there: dict[str, tuple[T, float]] = field(default_factory=dict)

    def get(self, name: str, read: Callable[[], T], is_large: Callable[[T], bool]) -> T:
        """What was read of a league, or what is read now."""
        begun = time.monotonic()
        if name in self.there and begun < self.there[name][1]:
            return self.there[name][0]
        found = read()
        now = time.monotonic()
        if is_large(found):
            self.there[name] = (found, now + PATIENCE * (now - begun))
        return found


def find_league(name: str) -> League:
    """The league of this name; 404 where there is none."""
    kept = cast("_Recent[League]", current_app.extensions[_LEAGUES])
    try:
        return kept.get(name, lambda: store().league(name), lambda league: len(league.entries) > LARGE_BOTS)
    except NotFound:
        abort(404, f"There is no league called {name!r} here.")


def progress(league: League) -> Progress:
    """How far a league has come."""
    kept = cast("_Recent[Progress]", current_app.extensions[_PROGRESS])
    return kept.get(league.name, lambda: store().progress(league.name), lambda found: found.games_done > LARGE_GAMES)


def find_match(match_id: str) -> Match:
    """The match with this id; 404 where it is not stored."""
    try:
        return store().match(match_id)
    except NotFound:
        abort(404, f"There is no match {match_id!r} here. Matches are stored when they are queued.")


def read_seating(text: str, match: Match) -> Seating:
    """A seating from its URL form: one digit a seat. 404 where the match is not played in it."""
    known = {seating_text(seating): seating for seating in match.seatings}
    if text not in known:
        abort(404, f"Match {match.id} has no seating {text!r} (it has: {', '.join(known)}).")
    return known[text]


def seating_text(seating: Seating) -> str:
    """A seating's URL form: the line-up index at each seat, one digit a seat."""
    return "".join(map(str, seating))


def find_game(match: Match, set_number: int, seating: Seating) -> Game:
    """The stored game; 404 where it has not been played."""
    stored = {(game.set, game.seating): game for game in store().games(match.id)}
    if (set_number, seating) not in stored:
        abort(404, f"Match {match.id} has no game of set {set_number} in seating {seating_text(seating)} so far.")
    return stored[set_number, seating]


def read_label(league: League) -> str | None:
    """The variant that the request asks for, by its label in the league; None for all, 404 for one that is not played."""
    return known_label(league, request.args.get("variant"))


def known_label(league: League, label: str | None) -> str | None:
    """A variant of a league by its label, as asked for; None for all, 404 for one that is not played."""
    known = [entry.label for entry in league.variants]
    if label and label not in known:
        abort(404, f"League {league.name} has no variant {label!r} (it has: {', '.join(known)}).")
    return label or None


def read_bot(league: League) -> str | None:
    """The bot that the request asks for; None for all, 404 for one that does not take part."""
    return known_bot(league, request.args.get("bot"))


def known_bot(league: League, bot: str | None) -> str | None:
    """A bot of a league by its name, as asked for; None for all, 404 for one that does not take part."""
    known = sorted({entry.bot.bot for entry in league.entries})
    if bot and bot not in known:
        abort(404, f"League {league.name} has no bot {bot!r} (it has: {', '.join(known)}).")
    return bot or None


def find_entry(league: League, shown: str) -> Entry:
    """A bot version of a league by its name in the standings; 404 where there is none of this name."""
    found = next((entry for entry in league.entries if league.shown(entry.bot) == shown), None)
    if found is None:
        abort(404, f"No bot called {shown!r} plays or has played in league {league.name}, which has {len(league.entries)}.")
    return found


def read_state() -> MatchFilter | None:
    """The state of matches that the request asks for; None for all, 404 for an unknown one."""
    wanted = request.args.get("state") or None
    for state in STATES:
        if state == wanted:
            return state
    if wanted is not None:
        abort(404, f"Matches have no state {wanted!r} (they have: {', '.join(STATES)}).")
    return None


def is_open(match: Match) -> bool:
    """Whether a match's deals may be shown: every game is in, or the league's key has been published."""
    return match.state == "complete" or find_league(match.league).key is not None


def unseal(match: Match) -> bytes:
    """The match's key, if its deals may be shown: 403 until every game of the match is in."""
    if not is_open(match):
        raise Sealed(
            f"The deals of {match.id} are sealed until its last game is in ({match.games_done} of {match.games_total} so far): "
            "who saw one seating's cards could play the next seating with them."
        )
    return store().match_key(match.id)


def unseal_set(match: Match, number: int) -> bytes:
    """The match's key, if the deals of one set may be shown: 403 until all its games are in, 404 for no such set."""
    if not 0 <= number < match.sets:
        abort(404, f"Match {match.id} has no set {number} (it has 0 to {match.sets - 1}).")
    done, games = sum(game.set == number for game in store().games(match.id)), games_a_set(match.seatings, match.mode)
    if done < games and not is_open(match):
        raise Sealed(
            f"The deals of set {number} of {match.id} are sealed until its last game is in ({done} of {games} so far): "
            "who saw one seating's cards could play the next seating with them."
        )
    return store().match_key(match.id)


def page_number(items: int, size: int) -> tuple[int, int]:
    """The page that the request asks for and how many there are, both from 1; 404 for a page that is not there."""
    pages = max(1, -(-items // size))
    page = request.args.get("page", 1, type=int)
    if not 1 <= page <= pages:
        abort(404, f"There is no page {page} (there are {pages}).")
    return page, pages
