"""Errors as pages for people and as JSON below /api. Neither ever shows a stack trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import current_app, jsonify, render_template, request
from werkzeug.exceptions import Forbidden, HTTPException, InternalServerError, RequestEntityTooLarge, ServiceUnavailable

from league.archives import SUBMITTED, megabytes
from league.errors import StoreAway

if TYPE_CHECKING:
    from flask import Flask
    from flask.typing import ResponseReturnValue

KEPT = frozenset({"allow", "retry-after", "www-authenticate"})
"""Headers of errors that say something to a program."""


class Sealed(Forbidden):
    """Deals that are still secret, since not every game that they are dealt in has been played."""

    name = "Sealed"


class Damaged(InternalServerError):  # noqa: N818 -- reads as what happened
    """A stored record that does not replay: said openly, for somebody must look at it."""

    name = "Damaged record"


def init_app(app: Flask) -> None:
    """Register the handlers."""
    app.register_error_handler(HTTPException, _known)
    app.register_error_handler(StoreAway, _away)
    app.register_error_handler(Exception, _unknown)


def _known(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:  # a redirect is raised too
        return error
    status, title, text = error.code, error.name, error.description or ""
    if isinstance(error, RequestEntityTooLarge) and error.description == RequestEntityTooLarge.description:
        text = f"The archive is longer than {megabytes(SUBMITTED.archive)}."
    headers = [(name, value) for name, value in error.get_headers() if name.lower() in KEPT]
    if request.path.startswith("/api/"):
        body = {"error": {"status": status, "title": title, "detail": text}}
        return jsonify(body), status, headers
    return render_template("error.html", status=status, title=title, text=text), status, headers


def _away(error: StoreAway) -> ResponseReturnValue:
    current_app.logger.error("%s %s: %s", request.method, request.path, error)
    return _known(ServiceUnavailable("The store does not answer at the moment. Try again in a little while.", retry_after=5))


def _unknown(error: Exception) -> ResponseReturnValue:
    current_app.logger.error("%s %s failed", request.method, request.path, exc_info=error)
    text = "Something went wrong here, not with your request. The operator finds the cause in the dashboard's log."
    return _known(InternalServerError(text))
