"""What is left running, by a mark in the command line or the environment."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path


def marked(mark: str) -> list[int]:
    """The processes, zombies excepted, whose command line or environment holds `mark`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes():
                    found.append(int(entry.name))
    return found


def bots(folder: str) -> list[int]:
    """The bots of a referee whose TMPDIR is `folder`: they find its socket in their environment, or, forked, bear a name."""
    forked = [pid for pid in marked(folder) if not _name(pid).startswith("python")]
    return sorted({*forked, *marked(f"EUCHRE_REFEREE=unix:{folder}")})


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return "python, gone"


def wait_until(what: object, patience: float = 120.0) -> bool:
    """Poll until `what()` is true; whether it was before patience ran out, which is long: machines are slow at times."""
    assert callable(what)
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.02)
    return bool(what())
