"""Tokens. Only their SHA-256 is ever kept; who somebody is follows from it alone."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from referee.errors import BadTokens, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

BEARER: Final = "bearer "


def new_token() -> str:
    """A fresh token: 32 random bytes, URL-safe."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> bytes:
    """The SHA-256 of a token."""
    return hashlib.sha256(token.encode()).digest()


def bearer(metadata: Iterable[tuple[str, str | bytes]]) -> str:
    """The token of `authorization: Bearer TOKEN`, or "" where there is none."""
    for name, value in metadata:
        if name == "authorization" and isinstance(value, str) and value[: len(BEARER)].lower() == BEARER:
            return value[len(BEARER) :].strip()
    return ""


@dataclass
class TokenBook:
    """Who may do what: operators, and bots that may come at any time. Bots of running orders are the hall's to know."""

    operators: set[bytes] = field(default_factory=set)
    bots: dict[bytes, str] = field(default_factory=dict)
    file: Path | None = None
    _stamp: tuple[int, int, int] | None = None

    @classmethod
    def of_file(cls, path: Path) -> TokenBook:
        """The book that a file holds. Raises BadTokens."""
        book = cls(file=path)
        book.refresh()
        return book

    def refresh(self) -> bool:
        """Read the file again if it has changed; whether it had. Raises BadTokens, and keeps what it knew."""
        if self.file is None:
            return False
        try:
            stat = self.file.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            if stamp == self._stamp:
                return False
            operators, bots = _parse(json.loads(self.file.read_text(encoding="utf-8")))
        except (OSError, ValueError, AttributeError, TypeError, KeyError) as error:
            raise BadTokens(f"token file {self.file}: {error}") from error
        self._stamp = stamp
        self.operators, self.bots = operators, bots
        return True

    def check_operator(self, metadata: Iterable[tuple[str, str | bytes]]) -> None:
        """Raises Refusal unless the metadata show an operator's token."""
        token = bearer(metadata)
        if not token or digest(token) not in self.operators:
            raise unknown_token("an operator's token is needed: metadata `authorization: Bearer TOKEN`")


def unknown_token(text: str) -> Refusal:
    """The refusal of a token that is missing or not known."""
    return Refusal("UNAUTHENTICATED", "TOKEN_UNKNOWN", text)


def _parse(content: Any) -> tuple[set[bytes], dict[bytes, str]]:  # noqa: ANN401 - JSON
    operators = {_digest(text) for text in content.get("operators", [])}
    bots = {_digest(text): str(entry["bot"]) for text, entry in content.get("bots", {}).items()}
    return operators, bots


def _digest(text: str) -> bytes:
    raw = bytes.fromhex(text)
    if len(raw) != hashlib.sha256().digest_size:
        raise ValueError(f"{text!r} is no SHA-256 in hex")
    return raw
