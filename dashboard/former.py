"""The JSON's former addresses, which had no version: /api/… is answered as /api/v1/… is, and says that it will go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request

from dashboard.api import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flask import Flask, Response

OLD = "/api"
SINCE = 1_795_996_800
"""When the addresses with a version came (Unix seconds, 2026-11-30)."""
_MARK = "arena.former_path"


def init_app(app: Flask) -> None:
    """Answer former addresses, with the headers that say where the present ones are (RFC 9745, RFC 8288)."""
    inner = app.wsgi_app

    def answer(environ: dict[str, object], start: object) -> Iterable[bytes]:
        path = str(environ.get("PATH_INFO", ""))
        if (path == OLD or path.startswith(f"{OLD}/")) and not (path == PREFIX or path.startswith(f"{PREFIX}/")):
            environ[_MARK] = path
            environ["PATH_INFO"] = PREFIX + path.removeprefix(OLD)
        return inner(environ, start)  # type: ignore[arg-type]

    app.wsgi_app = answer  # type: ignore[method-assign, assignment]
    app.after_request(_tell)


def _tell(response: Response) -> Response:
    if _MARK in request.environ:
        response.headers["Deprecation"] = f"@{SINCE}"
        response.headers.add("Link", f'<{request.path}>; rel="successor-version"')
    return response
