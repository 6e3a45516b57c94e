"""The front page with all leagues, and the page that says why the results can be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template

from dashboard import data, tables

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

bp = Blueprint("home", __name__)

LEAGUES_A_PAGE = 12


@bp.get("/")
def index() -> ResponseReturnValue:
    """All leagues, the newest first, with their progress and the top of their tables."""
    leagues = data.store().leagues()
    page, pages = data.page_number(len(leagues), LEAGUES_A_PAGE)
    shown = leagues[(page - 1) * LEAGUES_A_PAGE : page * LEAGUES_A_PAGE]
    cards = []
    for league in shown:
        progress = data.progress(league)
        cards.append((league, progress, tables.standings_of(league, progress)))
    return render_template("home.html", cards=cards, page=page, pages=pages, count=len(leagues))


@bp.get("/fair-play")
def fair() -> ResponseReturnValue:
    """How deals are proved, sets made fair, faults handled and ratings worked out."""
    return render_template("fair.html")
