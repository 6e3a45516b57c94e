"""What is being played at the moment: a page a league, and the events that keep it and others up to date."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, cast

from flask import Blueprint, Response, current_app, render_template, request
from werkzeug.exceptions import ServiceUnavailable

from dashboard import data
from dashboard.feeds import Full, Hub, LeagueSource

if TYPE_CHECKING:
    from types import FrameType

    from flask import Flask
    from flask.typing import ResponseReturnValue

bp = Blueprint("live", __name__)

_NAME = "arena-live"
AGAIN = 30
"""Seconds after which somebody for whom there was no stream left may ask again."""


def init_app(app: Flask) -> None:
    """Give the application its hub."""
    app.extensions[_NAME] = Hub(data.store_of(app))


def hub_of(app: Flask) -> Hub:
    """The application's hub."""
    return cast("Hub", app.extensions[_NAME])


def end_on_signals(app: Flask) -> None:
    """Let SIGTERM and SIGINT end the streams first, for a server that waits for its requests before it ends."""
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def end(number: int, frame: FrameType | None, before: object = before) -> None:
            hub_of(app).close()
            if callable(before):
                before(number, frame)

        signal.signal(number, end)


@bp.get("/leagues/<name>/live")
def show(name: str) -> ResponseReturnValue:
    """Matches in progress and the sets that were finished last."""
    league = data.find_league(name)
    source = LeagueSource(data.store(), name)
    source.look()
    return render_template("live.html", league=league, progress=data.progress(league), live=source.state())


@bp.get("/leagues/<name>/live/events")
def events(name: str) -> ResponseReturnValue:
    """Server-sent events of one league: `state`, `progress`, `tables`, `set`, `end`."""
    data.find_league(name)
    return _stream(name)


@bp.get("/live/events")
def all_events() -> ResponseReturnValue:
    """Server-sent events of all leagues: `state` and `progress`."""
    return _stream(None)


def _stream(name: str | None) -> Response:
    try:
        listener = hub_of(current_app).join(name, request.remote_addr or "")
    except Full:
        text = "There are too many open streams at the moment. The pages show the same when they are loaded again."
        raise ServiceUnavailable(text, retry_after=AGAIN) from None
    answer = Response(listener.stream(request.headers.get("Last-Event-ID", "")), mimetype="text/event-stream")
    answer.call_on_close(listener.leave)
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Accel-Buffering"] = "no"  # a proxy must pass each event on at once
    return answer
