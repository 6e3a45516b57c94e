"""Who is signed in: owners, by a key of theirs. Everybody else needs no cookie and gets none.

A session names a key and holds nothing else; that the key is still good is looked up at every request, so that revoking it
signs out at once.
"""

from __future__ import annotations

import os
from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec
from urllib.parse import urlsplit

from flask import abort, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSessionInterface
from flask_wtf.csrf import CSRFProtect
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard import data
from league import archives
from referee.loopback import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Blueprint, Flask
    from flask.typing import ResponseReturnValue

    from league.model import Owner, OwnerKey

P = ParamSpec("P")

HOURS = 12
FORM_BYTES = 64 * 1024
"""Bytes of a form beside the archive in it."""
_KEY = "key"


class _Cookies(SecureCookieSessionInterface):
    """Cookies that travel encrypted only, or not beyond this machine."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether the cookie is to be sent by https only: always, but where the browser is on this machine."""
        return request.is_secure or not _here()


def init_app(app: Flask, exempt: Blueprint) -> None:
    """Make sessions possible. Every form needs its token but those of `exempt`, which takes no cookie."""
    app.secret_key = data.store_of(app).secret("dashboard")
    app.session_interface = _Cookies()
    app.config.update(
        SESSION_COOKIE_NAME="arena",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        PERMANENT_SESSION_LIFETIME=timedelta(hours=HOURS),
        SESSION_REFRESH_EACH_REQUEST=False,
        # The form's token is looked for before any view is asked, so this holds for every request.
        MAX_CONTENT_LENGTH=archives.SUBMITTED.archive + FORM_BYTES,
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session
    )
    CSRFProtect(app).exempt(exempt)
    proxies = _proxies()
    if proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=proxies)  # type: ignore[method-assign]


def _proxies() -> int:
    """How many proxies before us say truly whom they speak for. Raises ValueError."""
    text = os.environ.get("ARENA_PROXIES") or "0"
    if not text.isdecimal():
        raise ValueError(f"ARENA_PROXIES is {text!r}; it must be the number of proxies before the dashboard")
    return int(text)


def _here() -> bool:
    """Whether the browser has come to this very machine, by the name that it used."""
    host = urlsplit(f"//{request.host}").hostname or ""
    return is_loopback(host)


def cookie_can_stay() -> bool:
    """Whether a browser will keep the cookie of this connection."""
    return request.is_secure or _here()


def sign_in(key: str) -> bool:
    """Begin a session with a key; False where the key is not good."""
    found = data.store().key_owner(key.strip())
    if found is None:
        return False
    session.clear()
    session.permanent = True
    session[_KEY] = found.id
    return True


def sign_out() -> None:
    """End the session."""
    session.clear()


def _by_cookie() -> OwnerKey | None:
    number = session.get(_KEY)
    return data.store().live_key(number) if isinstance(number, int) else None


def shown_key() -> OwnerKey | None:
    """The good key that this request shows in its header, looked up once; None without one."""
    if "shown_key" not in g:
        kind, _, key = request.headers.get("Authorization", "").partition(" ")
        g.shown_key = data.store().key_owner(key.strip()) if kind.lower() == "bearer" and key else None
    found: OwnerKey | None = g.shown_key
    return found


def signed_in(view: Callable[P, ResponseReturnValue]) -> Callable[P, ResponseReturnValue]:
    """A page for owners: whoever is not signed in is sent to sign in. `owner()` says who it is."""

    @wraps(view)
    def wrapped(*args: P.args, **given: P.kwargs) -> ResponseReturnValue:
        found = _by_cookie()
        if found is None:
            sign_out()
            return redirect(url_for("owner.sign_in"))
        g.owner = data.store().owner(found.owner)
        return view(*args, **given)

    return wrapped


def with_key(view: Callable[P, ResponseReturnValue]) -> Callable[P, ResponseReturnValue]:
    """JSON for owners' programs, which show a key in the header `Authorization: Bearer KEY`; 401 without."""

    @wraps(view)
    def wrapped(*args: P.args, **given: P.kwargs) -> ResponseReturnValue:
        found = shown_key()
        if found is None:
            text = "This needs an owner's key: Authorization: Bearer KEY. What was sent is unknown or was revoked."
            raise Unauthorized(text, www_authenticate=WWWAuthenticate("bearer", {"realm": "Euchre arena, for owners"}))
        g.owner = data.store().owner(found.owner)
        return view(*args, **given)

    return wrapped


def owner() -> Owner:
    """The owner of this request, which is behind `signed_in` or `with_key`."""
    found: Owner = g.owner
    return found


def owns(bot: str) -> bool:
    """Whether whoever sends this request is signed in as the owner of a bot."""
    found = _by_cookie()
    return found is not None and bot in data.store().owner(found.owner).bots


def own_bot(name: str) -> str:
    """The name of a bot of the owner's; 404 for any other."""
    if name not in owner().bots:
        abort(404, f"You have no bot {name!r} (you have: {', '.join(owner().bots) or 'none'}).")
    return name
