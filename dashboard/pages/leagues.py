"""One league: its standings and progress, and the list of its matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, abort, render_template, request

from dashboard import data, tables

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

bp = Blueprint("leagues", __name__, url_prefix="/leagues")

MATCHES_A_PAGE = 50


@bp.get("/<name>")
def show(name: str) -> ResponseReturnValue:
    """Standings over all variants or of one, head to head, progress and proof."""
    league = data.find_league(name)
    label = data.read_label(league)
    progress = data.store().progress(name)
    table = tables.standings_of(league, progress, label)
    return render_template("league.html", league=league, progress=progress, label=label, table=table)


@bp.get("/<name>/matches")
def matches(name: str) -> ResponseReturnValue:
    """The league's matches, filtered by variant, bot and state, a page at a time."""
    league = data.find_league(name)
    label, bot, state = data.read_label(league), data.read_bot(league), data.read_state()
    after = request.args.get("after", type=int)
    found = data.store().matches(name, label, bot, state, after=after, limit=MATCHES_A_PAGE + 1)
    if after is not None and not found:
        abort(404, "There are no matches after this one.")
    chosen = {"variant": label, "bot": bot, "state": state}
    return render_template(
        "matches.html",
        league=league,
        progress=data.store().progress(name),
        matches=found[:MATCHES_A_PAGE],
        more=len(found) > MATCHES_A_PAGE,
        after=after,
        chosen=chosen,
        filtered=any(chosen.values()),
        states=data.STATES,
        names=sorted({entry.bot.bot for entry in league.entries}),
    )
