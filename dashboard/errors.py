"""Errors as pages for people, and below /api as problem documents (RFC 9457). Neither ever shows a stack trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from flask import Response, current_app, render_template, request
from werkzeug.exceptions import (
    Forbidden,
    HTTPException,
    InternalServerError,
    NotFound,
    RequestEntityTooLarge,
    ServiceUnavailable,
)

from league.archives import SUBMITTED, megabytes
from league.errors import StoreAway

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Flask
    from flask.typing import ResponseReturnValue

PROBLEM = "application/problem+json"
KEPT = frozenset({"allow", "retry-after", "www-authenticate"})
"""Headers of errors that say something to a program."""


class Problem(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    limit: Annotated[int, msgspec.Meta(description="With 429: requests allowed in a window")] | msgspec.UnsetType = msgspec.UNSET
    remaining: Annotated[int, msgspec.Meta(description="With 429: how many of them are left")] | msgspec.UnsetType = msgspec.UNSET
    reset: Annotated[int, msgspec.Meta(description="With 429: seconds until the next window")] | msgspec.UnsetType = msgspec.UNSET


class Sealed(Forbidden):
    """Deals that are still secret, since not every game that they are dealt in has been played."""

    name = "Sealed"


class Damaged(InternalServerError):  # noqa: N818 -- reads as what happened
    """A stored record that does not replay: said openly, for somebody must look at it."""

    name = "Damaged record"


KINDS = {Sealed: "sealed", Damaged: "damaged-record"}
"""Problems that are explained at /api/v1/docs, under these names."""


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
    if isinstance(error, NotFound) and error.description == NotFound.description:
        text = "There is nothing at this address."
    headers = [(name, value) for name, value in error.get_headers() if name.lower() in KEPT]
    kind = next((kind for of, kind in KINDS.items() if isinstance(error, of)), "")
    return answer(status, title, text, headers, kind)


def answer(
    status: int, title: str, text: str, headers: Sequence[tuple[str, str]] = (), kind: str = "", **more: int
) -> ResponseReturnValue:
    """Tell of an error, in the way of whatever was asked for.

    Args:
        status: of HTTP.
        title: what happened, in a word or two.
        text: the same in sentences.
        headers: to send along.
        kind: name of its explanation at /api/v1/docs, where there is one.
        more: what a problem document says beside it.
    """
    if not request.path.startswith("/api/"):
        return render_template("error.html", status=status, title=title, text=text), status, list(headers)
    where = f"/api/v1/docs#{kind}" if kind else "about:blank"
    problem = Problem(type=where, title=title, status=status, detail=text, **more)
    return Response(msgspec.json.encode(problem), status, list(headers), content_type=PROBLEM)


def _away(error: StoreAway) -> ResponseReturnValue:
    current_app.logger.error("%s %s: %s", request.method, request.path, error)
    return _known(ServiceUnavailable("The store does not answer at the moment. Try again in a little while.", retry_after=5))


def _unknown(error: Exception) -> ResponseReturnValue:
    current_app.logger.error("%s %s failed", request.method, request.path, exc_info=error)
    text = "Something went wrong here, not with your request. The operator finds the cause in the dashboard's log."
    return _known(InternalServerError(text))
