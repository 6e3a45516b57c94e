"""The queue's pages for admins, at /admin/queue: rq-dashboard, read-only, behind the operator's token.

It is an application of its own beside the arena's, since its pages need inline scripts, which ours forbid. What it offers to
change is refused: the queue is a hint, and what is to be played stands in the store.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import secrets
from typing import TYPE_CHECKING

from flask import Flask, Response, request
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from dashboard.security import HEADERS

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

WHERE = "/admin/queue"
POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
_CHANGES = ("rq_dashboard.requeue_all",)
"""Views that change something by GET."""


def init_app(app: Flask) -> None:
    """Mount the pages where the environment tells of a queue (`ARENA_QUEUE_URL`) and who may look (`ARENA_ADMIN_SHA256`)."""
    queue, admin = os.environ.get("ARENA_QUEUE_URL"), os.environ.get("ARENA_ADMIN_SHA256")
    if queue and admin and importlib.util.find_spec("rq_dashboard"):
        app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {WHERE: _pages(queue, admin)})  # type: ignore[method-assign]


def _pages(queue: str, admin: str) -> Flask:
    from rq.serializers import JSONSerializer  # noqa: PLC0415 - an optional extra
    from rq_dashboard import web  # noqa: PLC0415 - likewise

    app = Flask(f"{__name__}.queue")
    app.config.update(RQ_DASHBOARD_REDIS_URL=queue, RQ_DASHBOARD_DISABLE_DELETE=True, RQ_DASHBOARD_POLL_INTERVAL=2500)
    web.config.serializer = JSONSerializer  # never pickle: who can write to the queue must not run code here
    web.setup_rq_connection(app)
    app.before_request(lambda: _gate(admin))
    app.after_request(_headers)
    app.register_blueprint(web.blueprint)
    return app


def _gate(admin: str) -> ResponseReturnValue | None:
    """Let in who shows the operator's token as password, whatever the name, and only to look."""
    password = (request.authorization.password if request.authorization else None) or ""
    if not secrets.compare_digest(hashlib.sha256(password.encode()).hexdigest(), admin):
        text = "The operator's token is asked for, as the password: it is in operator.token in the data folder.\n"
        return Response(text, 401, {"WWW-Authenticate": 'Basic realm="Euchre arena, for its operator"'}, mimetype="text/plain")
    if request.method not in ("GET", "HEAD") or request.endpoint in _CHANGES:
        return Response("These pages are for looking. Use `arena league` to change what is played.\n", 405, mimetype="text/plain")
    return None


def _headers(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = POLICY
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
