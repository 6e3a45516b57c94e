"""What the pages read: the store of this application, and look-ups that answer 404 or keep a secret."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from flask import abort, current_app, request
from werkzeug.routing import BaseConverter

from dashboard.errors import Sealed
from league.errors import NotFound
from league.schedule import games_a_set
from league.store import Store

if TYPE_CHECKING:
    from flask import Flask

    from league.model import Game, League, Match, Seating
    from league.store_matches import MatchFilter

_NAME = "arena-store"
STATES: tuple[MatchFilter, ...] = ("waiting", "running", "complete", "dropped")


class MatchId(BaseConverter):
    """A match's id in a URL: league, variant label and number."""

    regex = r"[^/]+/[^/]+/[0-9]+"
    part_isolating = False


def init_app(app: Flask, url: str | None) -> None:
    """Open the store and teach URLs what a match's id looks like."""
    app.url_map.converters["match"] = MatchId
    app.extensions[_NAME] = Store.open(url or default_url())


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


def find_league(name: str) -> League:
    """The league of this name; 404 where there is none."""
    try:
        return store().league(name)
    except NotFound:
        abort(404, f"There is no league called {name!r} here.")


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
    label = request.args.get("variant") or None
    known = [entry.label for entry in league.variants]
    if label is not None and label not in known:
        abort(404, f"League {league.name} has no variant {label!r} (it has: {', '.join(known)}).")
    return label


def read_bot(league: League) -> str | None:
    """The bot that the request asks for; None for all, 404 for one that does not take part."""
    bot = request.args.get("bot") or None
    known = sorted({entry.bot.bot for entry in league.entries})
    if bot is not None and bot not in known:
        abort(404, f"League {league.name} has no bot {bot!r} (it has: {', '.join(known)}).")
    return bot


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
