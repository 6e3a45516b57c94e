"""The arena's web pages and their JSON: leagues, standings, matches, and replays of single deals.

Everything is read from the store; nothing here writes. Serve it with any WSGI server, for instance
``gunicorn -k gthread 'dashboard:create_app()'``.
"""

from __future__ import annotations

from flask import Flask
from jinja2 import StrictUndefined

from dashboard import admin, api, data, errors, filters, security, tables
from dashboard.pages import home, leagues, matches
from referee import logs

__all__ = ["create_app", "served"]


def served() -> Flask:
    """The application for a server's process: with this process's log, and dumps on SIGUSR1, set up first."""
    logs.configure()
    logs.dump_on_signal()
    return create_app()


def create_app(store_url: str | None = None) -> Flask:
    """Make the WSGI application over one store, upgrading the store's schema where needed.

    Args:
        store_url: `sqlite:///PATH` or a PostgreSQL URL; by default `ARENA_STORE`, else `arena.db` in `ARENA_DATA` (`./var`).

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
    filters.init_app(app)
    security.init_app(app)
    errors.init_app(app)
    for blueprint in (home.bp, leagues.bp, matches.bp, api.bp):
        app.register_blueprint(blueprint)
    admin.init_app(app)
    return app
