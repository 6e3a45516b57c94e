"""What owners see and do, once they have signed in: their bots, how qualification went, uploads, which version plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for

from dashboard import data, sessions, uploads
from dashboard.sessions import own_bot, signed_in
from dashboard.uploads import own_submission
from league.archives import SUBMITTED

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from league.model import Submission

STEP: dict[str, object] = {"title": "", "status": "", "detail": "", "seconds": 0, "first": "", "steps": (), "output": ""}
"""What a page may show of a step of a report, where the step has nothing of it."""

LINE: dict[str, object] = {"step": 0, "title": "", "status": "", "detail": "", "sent": (), "got": (), "output": ""}
"""The same of a step of `arena check`."""

bp = Blueprint("owner", __name__, url_prefix="/owner")


@bp.after_request
def _private(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


@bp.get("/sign-in")
def sign_in() -> ResponseReturnValue:
    """The form that takes a key."""
    return render_template("sign_in.html", wrong="")


@bp.post("/sign-in")
def signing_in() -> ResponseReturnValue:
    """Begin a session."""
    if not sessions.cookie_can_stay():
        return render_template("sign_in.html", wrong="Signing in needs https: here others could read your key."), 400
    if not sessions.sign_in(request.form.get("key", "")):
        return render_template("sign_in.html", wrong="This key is not known here, or was revoked."), 403
    return redirect(url_for("owner.index"))


@bp.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End the session."""
    sessions.sign_out()
    return redirect(url_for("owner.sign_in"))


@bp.get("/", strict_slashes=False)
@signed_in
def index() -> ResponseReturnValue:
    """The owner's bots with all their versions, and the form to upload one."""
    owner = sessions.owner()
    found = data.store().submissions(owner.name, limit=1000)
    bots = [(data.store().bot(name), [one for one in found if one.bot == name]) for name in owner.bots]
    return render_template("owner.html", owner=owner, bots=bots, state=_state(found), limits=SUBMITTED)


def _state(found: list[Submission]) -> dict[str, object]:
    """What the scripts compare: whether anything is still to come, and how much has."""
    done = sum(not one.pending for one in found)
    words = " ".join(one.state for one in found if one.pending)
    return {"state": words.replace(" ", "+") or "settled", "games": {"done": done, "total": len(found)}}


@bp.get("/state")
@signed_in
def state() -> ResponseReturnValue:
    """What all submissions are at, to be polled."""
    return jsonify(_state(data.store().submissions(sessions.owner().name, limit=1000)))


@bp.post("/submissions")
@signed_in
def submit() -> ResponseReturnValue:
    """Take in an upload."""
    given = request.files.get("archive")
    if given is None or not given.filename:
        abort(400, "Choose an archive first: a .tar.gz, .tgz, .tar or .zip of your bot's folder.")
    found = uploads.take(given.stream, hold=request.form.get("promote") != "1")
    return redirect(url_for("owner.submission", number=found.id))


@bp.get("/submissions/<int(max=2147483647):number>")
@signed_in
def submission(number: int) -> ResponseReturnValue:
    """One submission and its report."""
    found = own_submission(number)
    steps: list[dict[str, Any]] = [STEP | step for step in found.report]
    for step in steps:
        step["steps"] = [LINE | line for line in step["steps"]]
    return render_template("submission.html", found=found, steps=steps, bot=data.store().bot(found.bot))


@bp.get("/submissions/<int(max=2147483647):number>/state")
@signed_in
def submission_state(number: int) -> ResponseReturnValue:
    """What it is at, to be polled."""
    return jsonify({"state": own_submission(number).state})


@bp.post("/bots/<name>/promote")
@signed_in
def promote(name: str) -> ResponseReturnValue:
    """Let a version play in new leagues."""
    with uploads.refusals():
        data.store().promote(own_bot(name), request.form.get("version", 0, type=int))
    return redirect(url_for("owner.index", _anchor=f"bot-{name}"))


@bp.post("/bots/<name>/rollback")
@signed_in
def roll_back(name: str) -> ResponseReturnValue:
    """Let the version before the current one play in new leagues."""
    with uploads.refusals():
        data.store().roll_back(own_bot(name))
    return redirect(url_for("owner.index", _anchor=f"bot-{name}"))


@bp.post("/bots/<name>/withdraw")
@signed_in
def withdraw(name: str) -> ResponseReturnValue:
    """Withdraw a version, or the whole bot where the form names none."""
    version = request.form.get("version")
    if version is not None and not version.isdecimal():
        abort(400, "A version is a number.")
    with uploads.refusals():
        data.store().withdraw(own_bot(name), None if version is None else int(version))
    return redirect(url_for("owner.index", _anchor=f"bot-{name}"))
