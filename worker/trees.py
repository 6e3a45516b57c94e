"""The files of hosted bots on this machine: fetched from the store once, unpacked once, read-only from then on."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from league import archives

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from league.model import BotVersion
    from league.store import Store

STALE = 24 * 3600.0
"""Seconds after which a tree that is half unpacked is nobody's any more."""
UNUSED = 14 * 24 * 3600.0
"""Seconds without use after which a tree is removed here; it is fetched again when it is wanted."""


def folder_of(data: Path, tree: str) -> Path:
    """Where a tree is unpacked."""
    return data / "trees" / tree


def ready(store: Store, data: Path, tree: str) -> Path:
    """The folder with a tree's files, unpacked from the store where it is not there yet.

    Several processes may do so at once: each unpacks into a folder of its own, and the first to be done puts its in place.

    Raises:
        NotFound: the store has no such tree.
        BadArchive: what the store has is not what its name says.
        OSError: it cannot be written.
    """
    target = folder_of(data, tree)
    if _used(target):
        return target
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    _sweep(target.parent)
    # Beside its place, not below: a folder that nobody may write to can be renamed, but not moved to another folder.
    draft = target.with_name(f"{tree}.{uuid.uuid4().hex}.new")
    archives.unpack(store.blob(tree), tree, draft)
    try:
        draft.rename(target)
    except OSError:
        archives.remove(draft)
        if not target.is_dir():  # otherwise somebody else was faster
            raise
    return target


def _used(target: Path) -> bool:
    """Whether a tree is there; if so, note that it is used, which is what keeps it."""
    with suppress(FileNotFoundError):
        os.utime(target)
        return True
    return False


def _sweep(folder: Path) -> None:
    """Remove what workers that were killed have left half unpacked, and trees that nobody has used for long."""
    for path in folder.iterdir():
        age = STALE if path.suffix == ".new" else UNUSED
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > age:
                archives.remove(_set_aside(path))


def _set_aside(path: Path) -> Path:
    """Give a tree a name under which nobody looks for it, so that none is found half removed."""
    return path if path.suffix == ".new" else path.rename(path.with_name(f"{path.name}.{uuid.uuid4().hex}.new"))


def of_lineup(store: Store, data: Path, lineup: Iterable[BotVersion]) -> dict[str, Path]:
    """The folders of all trees that a match needs, by their names; raises as `ready` does."""
    return {bot.tree: ready(store, data, bot.tree) for bot in lineup if bot.tree is not None}
