"""A control group for each sandbox, where version 2 of them is to be had and may be written to.

A group that processes are in cannot hand its controllers to groups below it. Bots' groups are therefore made in a folder of
their own: the one that ARENA_CGROUP names, or, under systemd with `Delegate=yes` and `DelegateSubgroup=`, the one above ours.
Source: Documentation/admin-guide/cgroup-v2.rst of the kernel.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee.box import size_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.box import Limits

VARIABLE: Final = "ARENA_CGROUP"
NEEDED: Final = ("memory", "pids", "cpu")
MOUNT: Final = Path("/sys/fs/cgroup")
_PERIOD: Final = 100_000
"""Microseconds over which processor time is counted."""
_TRIES: Final = 50
"""Looks, of 20 ms each, whether a group that was killed is empty."""


def home(env: Mapping[str, str] = os.environ, mount: Path = MOUNT, own: Path = Path("/proc/self/cgroup")) -> Path | None:
    """The folder in which groups can be made that limit memory, processes and cores; None where there is none."""
    given = env.get(VARIABLE)
    if given:
        return Path(given) if _usable(Path(given)) else None
    with contextlib.suppress(OSError, StopIteration):
        line = next(line for line in own.read_text().splitlines() if line.startswith("0::"))
        here = mount / line.removeprefix("0::").lstrip("/")
        return next((folder for folder in (here.parent, here) if folder.is_relative_to(mount) and _usable(folder)), None)
    return None


def _usable(folder: Path) -> bool:
    """Whether the controllers are there, and on for the groups below, or can be put on."""
    try:
        offered = (folder / "cgroup.controllers").read_text().split()
        if not set(NEEDED) <= set(offered) or not os.access(folder, os.W_OK):
            return False
        if not set(NEEDED) <= set((folder / "cgroup.subtree_control").read_text().split()):
            (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in NEEDED))
    except OSError:
        return False
    return True


class Group:
    """The group of one sandbox."""

    def __init__(self, folder: Path, name: str, limits: Limits) -> None:
        self.path = folder / name
        self.limits = limits
        self.path.mkdir()
        self._set("memory.max", str(limits.memory))
        self._set("memory.swap.max", "0", needed=False)
        self._set("memory.oom.group", "1", needed=False)
        self._set("pids.max", str(limits.processes + 2))  # bubblewrap's own
        self._set("cpu.max", f"{int(limits.cpus * _PERIOD)} {_PERIOD}")

    def _set(self, name: str, value: str, *, needed: bool = True) -> None:
        try:
            (self.path / name).write_text(value)
        except OSError:
            if needed:
                raise

    def enter(self) -> None:
        """Put this process into the group."""
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def reason(self) -> str:
        """Why the kernel killed what was in it, if it did."""
        over = self._count("memory.events", "oom_kill") or self._count("memory.events", "oom_group_kill")
        return f"memory over {size_text(self.limits.memory)}" if over else ""

    def notes(self) -> list[str]:
        """Limits that were run into without being killed."""
        return [f"processes: no more than {self.limits.processes} are allowed"] if self._count("pids.events", "max") else []

    def _count(self, file: str, name: str) -> int:
        with contextlib.suppress(OSError):
            for line in (self.path / file).read_text().splitlines():
                word, _, number = line.partition(" ")
                if word == name:
                    return int(number)
        return 0

    def close(self) -> None:
        """Kill what is still in it, and remove it."""
        with contextlib.suppress(OSError):
            (self.path / "cgroup.kill").write_text("1")
        for _ in range(_TRIES):
            with contextlib.suppress(OSError):
                self.path.rmdir()
            if not self.path.exists():
                return
            time.sleep(0.02)
