"""Settings of the command line: those of every process (`worker.settings`), and the files that only commands touch."""

from __future__ import annotations

import hashlib
import os
import secrets
from typing import TYPE_CHECKING

from worker.order import address_file, token_file
from worker.settings import ROOT, BadSetting, Settings, from_env

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ROOT", "BadSetting", "Settings", "address_file", "from_env", "operator_token", "token_hash", "write_whole"]

OWNER_ONLY = 0o600


def operator_token(settings: Settings) -> str:
    """The operator's token of this arena: what the environment gives, else the data folder's, drawn at its first use."""
    if settings.operator_token is not None:
        return settings.operator_token
    path = token_file(settings.data)
    if not path.exists():
        settings.data.mkdir(parents=True, exist_ok=True)
        _write_once(path, secrets.token_urlsafe(32))
    return path.read_text(encoding="utf-8").strip()


def token_hash(token: str) -> str:
    """SHA-256 of a token, as the referee's file of tokens lists it."""
    return hashlib.sha256(token.encode()).hexdigest()


def write_whole(path: Path, text: str) -> None:
    """Put a file in place at once and for its owner only, so that a reader finds the old text or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.unlink(missing_ok=True)
    _create(new, text)
    new.replace(path)


def _write_once(path: Path, text: str) -> None:
    """Make a file unless somebody else has just made it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    _create(draft, text)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _create(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "w", encoding="utf-8") as file:
        file.write(text)
