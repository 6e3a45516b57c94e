"""The arena's web pages and their JSON: leagues, standings, matches, replays of single deals, and what owners submit.

Everything is read from the store; only owners, who sign in, write: their submissions, and which versions play. Serve it
with any WSGI server, for instance ``gunicorn -k gthread 'dashboard:create_app()'``.
"""

from __future__ import annotations

from flask import Flask
from jinja2 import StrictUndefined

from dashboard import admin, api, data, errors, filters, former, limits, luck, openapi, owner_api, security, sessions, tables
from dashboard.pages import bots, home, leagues, live, logs, matches, owner, pairs, rules, start
from referee.logs import configure, dump_on_signal

__all__ = ["create_app", "served"]


def served() -> Flask:
    """The application for a server's process: with this process's log, and dumps on SIGUSR1, set up first."""
    configure()
    security.keep_keys_out_of_logs()
    dump_on_signal()
    app = create_app()
    live.end_on_signals(app)
    return app


def create_app(store_url: str | None = None, may_read_logs: logs.Permission | None = None) -> Flask:
    """Make the WSGI application over one store, upgrading the store's schema where needed.

    Args:
        store_url: `sqlite:///PATH` or a PostgreSQL URL; by default `ARENA_STORE`, else `arena.db` in `ARENA_DATA` (`./var`).
        may_read_logs: whether whoever sends this request may read the logs of the bot of this name; by default its owner may.

    Raises:
        league.errors.StoreError: the store cannot be opened.
    """
    app = Flask(__name__)
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider's; pages read better in the order written
    data.init_app(app, store_url)
    tables.init_app(app)
    luck.init_app(app)
    filters.init_app(app)
    security.init_app(app)
    logs.init_app(app, may_read_logs or sessions.owns)
    errors.init_app(app)
    sessions.init_app(app, owner_api.bp)
    live.init_app(app)
    pages = (home.bp, start.bp, rules.bp, leagues.bp, live.bp, bots.bp, pairs.bp, matches.bp, logs.bp, owner.bp)
    for blueprint in (*pages, owner_api.bp, api.bp, openapi.bp):
        app.register_blueprint(blueprint)
    limits.init_app(app, (api.bp, owner_api.bp, openapi.bp), "owner.signing_in", "api.progress")
    former.init_app(app)
    admin.init_app(app)
    return app
