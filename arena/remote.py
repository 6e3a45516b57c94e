"""A dashboard elsewhere, as its owners' programs see it: submissions by HTTP, with an owner's key."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from referee.loopback import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]
SECONDS = 60.0
"""Seconds that the dashboard may take for anything."""
MOST = 16 << 20
KEY = "ARENA_KEY"


def remote_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command what says which dashboard, and the key to show."""
    options = (
        click.option("--to", metavar="URL", help="Address of a dashboard elsewhere; this machine's store unless given."),
        click.option(
            "--key-file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help=f"File with the owner's key; the variable {KEY} unless given.",
        ),
        click.option("--insecure", is_flag=True, help="Send the key to http:// beyond this machine, where others may read it."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def far(to: str | None, key_file: Path | None, *, insecure: bool) -> Remote | None:
    """The dashboard that the options name; None for this machine's store. Raises click.UsageError."""
    if to is None:
        return None
    return Remote(to, needed_key(key_file), insecure=insecure)


def read_key(key_file: Path | None) -> str | None:
    """The owner's key of a file, else of the environment; None where there is none."""
    text = key_file.read_text(encoding="utf-8") if key_file is not None else os.environ.get(KEY, "")
    return text.strip() or None


def needed_key(key_file: Path | None) -> str:
    """The same, which must be there. Raises click.UsageError."""
    key = read_key(key_file)
    if key is None:
        where = f"{key_file} is empty" if key_file is not None else f"{KEY} is not set"
        raise click.UsageError(f"no owner's key: {where} (allowed: {KEY}=…, --key-file FILE; the organiser gives keys out)")
    return key


class Remote:
    """A dashboard. Everything raises click.ClickException with what it answered, click.UsageError where that is our mistake."""

    def __init__(self, url: str, key: str, *, insecure: bool = False) -> None:
        self._base = _checked(url, insecure=insecure)
        self._key = key

    def submit(self, body: IO[bytes], length: int, *, hold: bool, bot: str | None = None) -> Json:
        """Upload a gzipped tar; the submission that it made. `bot` is another name than that of its bot.toml."""
        headers = {"Content-Type": "application/gzip", "Content-Length": str(length)}
        given = {"hold": "1" if hold else None, "bot": bot}
        query = urllib.parse.urlencode({key: value for key, value in given.items() if value is not None})
        return self._call("POST", f"/api/v1/owner/submissions?{query}", body, headers)

    def submission(self, number: int) -> Json:
        """A submission by its id."""
        return self._call("GET", f"/api/v1/owner/submissions/{number}")

    def submissions(self) -> list[Json]:
        """The owner's submissions, the newest first, without their reports."""
        found: list[Json] = []
        path: str | None = "/api/v1/owner/submissions?limit=500"
        while path is not None:
            page = self._call("GET", path)
            found += page["submissions"]
            path = page["next"]
        return found

    def find(self, bot: str, version: int | None) -> Json:
        """The submission of a version of a bot, its newest unless given."""
        known = [one for one in self.submissions() if one["bot"] == bot]
        for one in known:
            if version in (None, one["version"]):
                return self.submission(one["id"])
        numbers = ", ".join(str(one["version"]) for one in reversed(known)) or "none"
        raise click.ClickException(f"you have submitted no version {version or ''} of {bot!r} (there are: {numbers})")

    def change(self, bot: str, what: str, version: int | None = None) -> Json:
        """Promote, roll back or withdraw."""
        body = json.dumps({} if version is None else {"version": version}).encode()
        path = f"/api/v1/owner/bots/{urllib.parse.quote(bot, safe='')}/{what}"
        return self._call("POST", path, body, {"Content-Type": "application/json"})

    def _call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Json:  # noqa: ANN401
        given = {"Authorization": f"Bearer {self._key}", "Accept": "application/json", **(headers or {})}
        request = urllib.request.Request(self._base + path, body, given, method=method)  # noqa: S310 -- checked before
        try:
            with _OPENER.open(request, timeout=SECONDS) as answer:
                return self._read(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(error) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise click.ClickException(f"{self._base} cannot be reached: {reason}") from None

    @staticmethod
    def _read(answer: Any) -> Json:  # noqa: ANN401 -- an HTTP response
        found: Json = json.loads(answer.read(MOST))
        return found


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key is shown to whom it was given for, and to nobody else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:  # noqa: ANN401
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _checked(url: str, *, insecure: bool) -> str:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise click.UsageError(f"--to {url!r} is no address of a dashboard (allowed: https://host, http://localhost:8000)")
    if parts.scheme == "http" and not insecure and not is_loopback(parts.hostname):
        raise click.UsageError(
            f"--to {url}: your key would travel where others can read it (allowed: https://; --insecure on a network you trust)"
        )
    return url.rstrip("/")


def _refused(error: urllib.error.HTTPError) -> click.ClickException:
    try:
        detail = str(json.loads(error.read(MOST))["detail"])
    except (ValueError, KeyError, TypeError, OSError):
        detail = f"the server answered {error.code} {error.reason}"
    return click.UsageError(detail) if error.code in (400, 409, 413, 422) else click.ClickException(detail)
