"""Headers that every response carries, and a log without keys.

Nothing in a page is inline, nothing comes from another host, nothing may frame the pages.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from flask import request

if TYPE_CHECKING:
    from flask import Flask, Response

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


_KEY = re.compile(r"(arena-[0-9a-f]{8}-)[A-Za-z0-9_-]{8,}")
"""An owner's key: what it is known by, and the secret."""


def init_app(app: Flask) -> None:
    """Put the headers on every response of `app`, errors too, and let browsers ask whether a page has changed."""
    app.after_request(_headers)
    app.after_request(_validator)


def _headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.is_secure:  # browsers that have come by https once come by nothing else for a year
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response


def _validator(response: Response) -> Response:
    """Give a finished page an ETag, so that a browser that polls is told 304 while nothing has changed."""
    if request.endpoint == "static" or response.is_streamed or response.direct_passthrough:
        return response
    response.headers.setdefault("Cache-Control", "no-cache")
    if response.status_code == 200:
        response.add_etag()
        response.make_conditional(request)
    return response


def keep_keys_out_of_logs() -> None:
    """See that no log record of this process holds an owner's key, be it in an address that somebody has mistyped it into."""
    make = logging.getLogRecordFactory()

    def clean(*given: Any, **named: Any) -> logging.LogRecord:  # noqa: ANN401 -- as logging calls it
        record = make(*given, **named)
        text = record.getMessage()
        if _KEY.search(text):
            record.msg, record.args = _KEY.sub(r"\1…", text), ()
        return record

    logging.setLogRecordFactory(clean)
