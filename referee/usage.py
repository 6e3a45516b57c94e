"""What a tree of processes uses, read from /proc."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_OWN: Final = (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")
"""What counts as a process's memory. Pages of files are the machine's: they go when they are needed."""
_SHARED: Final = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
"""The same, each page divided by the processes that share it; reading it costs much more."""


@dataclass(frozen=True)
class Usage:
    """Bytes and numbers; `pids` are the processes seen."""

    memory: int = 0
    processes: int = 0
    """Threads count."""
    pids: tuple[int, ...] = ()


def children(pid: int) -> list[int]:
    """The children of all threads of a process."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.scandir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                found += map(int, Path(task.path, "children").read_bytes().split())
    return found


def below(pid: int) -> list[int]:
    """Every process below one, parents before children."""
    found = children(pid)
    for child in found:  # which grows
        found += children(child)
    return found


def of(pids: Iterable[int]) -> Usage:
    """What some processes use, pages that several share counted for each."""
    memory = processes = 0
    seen = []
    for pid in pids:
        status = _read(pid, "status")
        if status:
            seen.append(pid)
            memory += _sum(status, _OWN)
            processes += _field(status, b"Threads:") or 1
    return Usage(memory, processes, tuple(seen))


def shared(pids: Iterable[int]) -> int:
    """The memory of some processes in bytes, shared pages counted once."""
    total = 0
    for pid in pids:
        rollup, status = _read(pid, "smaps_rollup"), _read(pid, "status")
        total += _sum(rollup, _SHARED) + _sum(status, (b"VmPTE:",)) if rollup else _sum(status, _OWN)
    return total


def folder(pid: int, path: str) -> os.statvfs_result | None:
    """The file system that a process in a sandbox sees at a path; None where it is not in one yet, or has ended."""
    inside = f"/proc/{pid}/root{path}"
    with contextlib.suppress(OSError):  # it may end between any two looks
        here = os.stat(path).st_dev if os.path.exists(path) else None  # noqa: PTH110, PTH116 - magic links must not be resolved
        if os.stat(inside).st_dev != here:  # noqa: PTH116 - likewise
            return os.statvfs(inside)
    return None


def tree(path: str, most: int) -> tuple[int, int]:
    """Bytes on disk and entries below a folder; stops counting at `most` entries."""
    size = entries = 0
    waiting = [path]
    while waiting and entries <= most:
        with contextlib.suppress(OSError):
            for entry in os.scandir(waiting.pop()):
                entries += 1
                with contextlib.suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return size, entries


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _sum(text: bytes, names: tuple[bytes, ...]) -> int:
    return sum(_field(text, name) for name in names) << 10


def _field(text: bytes, name: bytes) -> int:
    """The number after a name, 0 where it does not occur."""
    _, _, rest = text.partition(b"\n" + name)
    word = rest[:64].split()
    return int(word[0]) if word else 0
