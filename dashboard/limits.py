"""How often the JSON may be asked, and how often keys may be tried at the door: by address, or by key where a good one is shown.

Counted in the Redis of `REDIS_URL`, so that all processes and hosts count together; else in this process's memory.
"""

from __future__ import annotations

import ipaddress
import math
import os
import time
from typing import TYPE_CHECKING

import limits
from flask import current_app, request
from flask_limiter import Limiter, RateLimitExceeded

from dashboard import errors, sessions

if TYPE_CHECKING:
    from flask import Blueprint, Flask, Response
    from flask.typing import ResponseReturnValue
    from flask_limiter import RequestLimit

DEFAULTS = {
    "ARENA_RATE_ADDRESS": "1200 per minute",
    "ARENA_RATE_KEY": "1200 per minute",
    "ARENA_RATE_SIGN_IN": "20 per minute",
}
_NO_LIMIT = 1_000_000_000
_NAME = "arena-limiter"


def init_app(app: Flask, blueprints: tuple[Blueprint, ...], sign_in: str, polled: str) -> None:
    """Limit every route of some blueprints, and the attempts at signing in.

    Args:
        app: the application.
        blueprints: what is counted.
        sign_in: the endpoint that takes keys.
        polled: the endpoint that open pages poll; it is cheap, many may watch from one address, and so it is not counted.

    Raises:
        ValueError: a limit in the environment cannot be read.
    """
    allowed = {name: read(name) for name in DEFAULTS}
    limiter = Limiter(
        _who,
        app=app,
        storage_uri=os.environ.get("REDIS_URL") or "memory://",
        strategy="fixed-window",
        key_prefix="arena",
        in_memory_fallback_enabled=True,
        in_memory_fallback=[],
        swallow_errors=True,
    )

    def allowance() -> str:
        return allowed["ARENA_RATE_KEY" if sessions.shown_key() else "ARENA_RATE_ADDRESS"]

    shared = limiter.shared_limit(allowance, scope="api", exempt_when=lambda: request.endpoint == polled)
    for blueprint in blueprints:
        shared(blueprint)
    door = limiter.limit(allowed["ARENA_RATE_SIGN_IN"], key_func=_address)
    app.view_functions[sign_in] = door(app.view_functions[sign_in])  # type: ignore[assignment]
    app.extensions[_NAME] = limiter
    app.register_error_handler(RateLimitExceeded, _too_often)
    app.after_request(_tell)


def read(name: str) -> str:
    """A limit by the environment, such as `1200 per minute`; `off` for none. Raises ValueError."""
    text = os.environ.get(name) or DEFAULTS[name]
    if text == "off":
        return f"{_NO_LIMIT} per second"
    try:
        limits.parse(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}; it must be off, or a limit such as {DEFAULTS[name]!r}, '20/second'") from None
    return text


def _who() -> str:
    """Whose requests are counted together: a good key's, wherever it is used; else an address's."""
    key = sessions.shown_key()
    return f"key:{key.id}" if key else _address()


def _address() -> str:
    """The address; of IPv6 its network, for there one machine may have as many as it likes."""
    try:
        found = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return "address:unknown"
    if isinstance(found, ipaddress.IPv6Address):
        return f"address:{ipaddress.ip_network((found, 64), strict=False)}"
    return f"address:{found}"


def _too_often(_: RateLimitExceeded) -> ResponseReturnValue:
    current = _current()
    assert current is not None
    seconds, allowed = _seconds(current), current.limit.amount
    text = f"{allowed} requests are allowed in {current.limit.get_expiry()} seconds. Ask again in {seconds} seconds."
    counted = {"limit": allowed, "remaining": 0, "reset": seconds}
    return errors.answer(429, "Too Many Requests", text, [("Retry-After", str(seconds))], "too-many-requests", **counted)


def _current() -> RequestLimit | None:
    limiter: Limiter = current_app.extensions[_NAME]
    return limiter.current_limit


def _seconds(current: RequestLimit) -> int:
    """Seconds until the next window."""
    return min(max(1, math.ceil(current.reset_at - time.time())), current.limit.get_expiry())


def _tell(response: Response) -> Response:
    """Tell programs what is left (draft-ietf-httpapi-ratelimit-headers, as structured fields)."""
    current = _current()
    if current and current.limit.amount < _NO_LIMIT:
        who = "key" if sessions.shown_key() else "address"
        response.headers["RateLimit-Policy"] = f'"{who}";q={current.limit.amount};w={current.limit.get_expiry()}'
        response.headers["RateLimit"] = f'"{who}";r={max(0, current.remaining)};t={_seconds(current)}'
    return response
