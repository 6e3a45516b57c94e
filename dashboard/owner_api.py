"""JSON for owners' programs, `arena submit --to` among them (docs/submitting.md). Every request shows a key; no cookie counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, jsonify, request

from dashboard import data, sessions, uploads
from dashboard.sessions import own_bot, with_key

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from league.model import Submission

bp = Blueprint("owner_api", __name__, url_prefix="/api/owner")


@bp.after_request
def _private(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


@bp.get("/", strict_slashes=False)
@with_key
def index() -> ResponseReturnValue:
    """Who the owner is, what is allowed, and the bots."""
    owner = sessions.owner()
    found = [data.store().bot(name) for name in owner.bots]
    bots = [{"bot": bot.name, "promoted": bot.promoted, "versions": [one.version for one in bot.versions]} for bot in found]
    limits = {"bots": owner.most_bots, "submissions_an_hour": owner.most_hourly}
    return jsonify({"owner": owner.name, "limits": limits, "bots": bots})


@bp.get("/submissions")
@with_key
def submissions() -> ResponseReturnValue:
    """The owner's submissions, the newest first, without their reports."""
    found = data.store().submissions(sessions.owner().name, limit=500)
    return jsonify({"submissions": [_short(one) for one in found]})


@bp.post("/submissions")
@with_key
def submit() -> ResponseReturnValue:
    """Take in an archive: the body of the request. `?hold=1`: not to be promoted; `?bot=`: another name."""
    with uploads.body() as file:
        found = uploads.take(file, hold=request.args.get("hold") == "1", bot=request.args.get("bot") or None)
    return jsonify(found.as_json()), 201


@bp.get("/submissions/<int:number>")
@with_key
def submission(number: int) -> ResponseReturnValue:
    """One submission with its report."""
    return jsonify(own_submission(number).as_json())


@bp.post("/bots/<name>/promote")
@with_key
def promote(name: str) -> ResponseReturnValue:
    """Let a qualified version play in new leagues."""
    version = _version()
    if version is None:
        abort(400, 'Say which version: {"version": 3}.')
    with uploads.refusals():
        return jsonify(_short(data.store().promote(own_bot(name), version)))


@bp.post("/bots/<name>/rollback")
@with_key
def roll_back(name: str) -> ResponseReturnValue:
    """Let the qualified version before the current one play in new leagues."""
    with uploads.refusals():
        return jsonify(_short(data.store().roll_back(own_bot(name))))


@bp.post("/bots/<name>/withdraw")
@with_key
def withdraw(name: str) -> ResponseReturnValue:
    """Withdraw one version, or without a version all."""
    with uploads.refusals():
        gone = data.store().withdraw(own_bot(name), _version())
    return jsonify({"withdrawn": [one.version for one in gone], "promoted": data.store().bot(name).promoted})


def own_submission(number: int) -> Submission:
    """A submission of the owner's; 404 for any other."""
    with uploads.refusals():
        found = data.store().submission_by_id(number)
    if found.owner != sessions.owner().name:
        abort(404, f"There is no submission {number}.")
    return found


def _short(found: Submission) -> dict[str, Any]:
    return {key: value for key, value in found.as_json().items() if key != "report"}


def _version() -> int | None:
    body = request.get_json(silent=True) if request.data else {}
    value = body.get("version") if isinstance(body, dict) else False
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        abort(400, 'The body must be JSON such as {"version": 3}, the version a number from 1.')
    return value
