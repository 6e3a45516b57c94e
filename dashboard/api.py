"""The same as JSON, read-only and without keys: see docs/dashboard.md. Errors are JSON too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, jsonify, request, url_for

from dashboard import data, shapes, tables
from dashboard.pages import matches as pages
from dashboard.summary import sum_up

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

bp = Blueprint("api", __name__, url_prefix="/api")

MATCHES_A_PAGE = 50
MOST_MATCHES = 500

ROUTES = {
    "/api/leagues": "every league, the newest first",
    "/api/leagues/{league}": "one league: rules, bots, progress, commitment, and its key once revealed",
    "/api/leagues/{league}/progress": "only how far it has come: made to be polled",
    "/api/leagues/{league}/standings?variant=": "standings and head to head, over all variants or of one",
    "/api/leagues/{league}/matches?variant=&bot=&state=&after=&limit=": "matches, a page at a time",
    "/api/matches/{league}/{variant}/{n}": "one match: sets, games, attempts",
    "/api/matches/{league}/{variant}/{n}/record": "the match record as JSON Lines, once the match is complete",
    "/api/matches/{league}/{variant}/{n}/sets/{set}/games/{seating}": "one game of a complete match, a line a deal",
    "/api/matches/{league}/{variant}/{n}/sets/{set}/games/{seating}/deals/{deal}": "one deal, every card and call",
}


@bp.get("/", strict_slashes=False)
def index() -> ResponseReturnValue:
    """What there is to ask for."""
    return jsonify({"routes": ROUTES})


@bp.get("/leagues")
def leagues() -> ResponseReturnValue:
    """Every league."""
    found = data.store().leagues()
    return jsonify({"leagues": [shapes.league(league, data.store().progress(league.name)) for league in found]})


@bp.get("/leagues/<name>")
def league(name: str) -> ResponseReturnValue:
    """One league."""
    return jsonify(shapes.league(data.find_league(name), data.store().progress(name)))


@bp.get("/leagues/<name>/progress")
def progress(name: str) -> ResponseReturnValue:
    """How far a league has come."""
    return jsonify(shapes.progress(data.find_league(name), data.store().progress(name)))


@bp.get("/leagues/<name>/standings")
def standings(name: str) -> ResponseReturnValue:
    """Standings over all variants or of one."""
    found = data.find_league(name)
    label = data.read_label(found)
    view = tables.standings_of(found, data.store().progress(name), label)
    return jsonify(shapes.standings(name, label, view))


@bp.get("/leagues/<name>/matches")
def matches(name: str) -> ResponseReturnValue:
    """Matches of a league in the order of their schedule."""
    found = data.find_league(name)
    label, bot, state = data.read_label(found), data.read_bot(found), data.read_state()
    limit = min(max(request.args.get("limit", MATCHES_A_PAGE, type=int), 1), MOST_MATCHES)
    listed = data.store().matches(name, label, bot, state, after=request.args.get("after", type=int), limit=limit + 1)
    following = None
    if len(listed) > limit:
        chosen: dict[str, Any] = {"variant": label, "bot": bot, "state": state, "limit": limit, "after": listed[limit - 1].cursor}
        following = url_for("api.matches", name=name, **chosen)
    return jsonify({"matches": [shapes.match(match) for match in listed[:limit]], "next": following})


@bp.get("/matches/<match:match_id>")
def match(match_id: str) -> ResponseReturnValue:
    """One match with its sets, games and attempts."""
    found = data.find_match(match_id)
    summary = sum_up(found, data.store().games(match_id), data.store().attempts(match_id))
    return jsonify(shapes.match_in_full(found, summary, data.is_open(found)))


@bp.get("/matches/<match:match_id>/record")
def record(match_id: str) -> ResponseReturnValue:
    """The match record."""
    return pages.record(match_id)


@bp.get("/matches" + pages.GAME)
def game(match_id: str, set_number: int, seating: str) -> ResponseReturnValue:
    """One game of a complete match."""
    played = pages.load(match_id, set_number, seating)
    return jsonify(shapes.played_game(played, pages.all_deals(played)))


@bp.get("/matches" + pages.GAME + "/deals/<int:number>")
def deal(match_id: str, set_number: int, seating: str, number: int) -> ResponseReturnValue:
    """One deal of a game of a complete match."""
    played = pages.load(match_id, set_number, seating)
    return jsonify(shapes.deal(played, pages.find_deal(played, number)))
