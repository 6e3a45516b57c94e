"""One bot in a league."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template

from dashboard import data, tables

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

bp = Blueprint("bots", __name__, url_prefix="/leagues")


@bp.get("/<name>/bots/<bot>")
def show(name: str, bot: str) -> ResponseReturnValue:
    """Everything about one bot."""
    league = data.find_league(name)
    return "todo"
