"""What a bot wrote in a match and what went before its faults: for its owner, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flask import Blueprint, abort, current_app, render_template

from dashboard import data
from league.errors import NotFound
from league.logs import exchange_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue

    Permission = Callable[[str], bool]
    """Whether whoever sends this request may read the logs of a bot."""

bp = Blueprint("logs", __name__, url_prefix="/matches")
_NAME = "arena-log-permission"


def init_app(app: Flask, may_read: Permission | None) -> None:
    """Let `may_read` decide; without it nobody may."""
    app.extensions[_NAME] = may_read or _nobody
    app.jinja_env.globals["may_read_logs"] = may_read_logs


def _nobody(_bot: str) -> bool:
    return False


def may_read_logs(bot: str) -> bool:
    """Whether whoever sends this request may read the logs of a bot."""
    return cast("Permission", current_app.extensions[_NAME])(bot)


@bp.get("/<match:match_id>/logs/<bot>")
def show(match_id: str, bot: str) -> ResponseReturnValue:
    """The logs of a bot in a match: 403 for all but its owner, and until the match is complete, as with every deal."""
    if not may_read_logs(bot):
        abort(403, f"The logs of a bot are for its owner. If {bot} is yours, sign in first.")
    match = data.find_match(match_id)
    data.unseal(match)
    try:
        found = data.store().owner_logs(match.id, bot)
    except NotFound as error:
        abort(404, f"{error}.")
    response = current_app.make_response(
        render_template("logs.html", match=match, bot=bot, logs=found, league=data.find_league(match.league), told=exchange_text)
    )
    response.headers["Cache-Control"] = "no-store"
    return response
