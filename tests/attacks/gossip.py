"""A bot that plays well and whispers: it tries every way to tell its partner something, and to remember it over seatings.

Each process leaves a beacon in every channel when it starts and holds it; at every ask it looks for another's. What it hears
of a process that runs now it prints as HEARD, of one that does not, as REMEMBERED; `gossip.py KEY` sets the channels apart
from those of other tests.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import pty
import socket
import struct
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import Bot, View, run

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = sys.argv[1]
ME = uuid.uuid4().hex
SHARED = Path(__file__).resolve()
"""A file that every seat of this bot may read."""
PORT = 20_000 + int(KEY, 16) % 20_000
LIBC = ctypes.CDLL(None, use_errno=True)
held: list[Any] = []
watches: list[int] = []
heard: set[str] = set()


def tell(channel: str, what: str = "HEARD") -> None:
    if (what + channel) not in heard:
        heard.add(what + channel)
        print(what, channel, flush=True)


# ---- files ----------------------------------------------------------------------------------------------------------


def places() -> list[Path]:
    names = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/bot", os.environ["HOME"], os.environ["TMPDIR"], str(SHARED.parent), ".")
    return [Path(name, f"gossip-{KEY}") for name in names]


def write_files() -> None:
    for folder in places():
        with contextlib.suppress(OSError):
            if folder.is_dir() and any(entry.name != ME for entry in folder.iterdir()):
                tell(f"file {folder.parent}", "REMEMBERED")
            folder.mkdir(exist_ok=True)
            (folder / ME).write_text("hand: JH JD AH KH QH")


def read_files() -> None:
    for folder in places():
        with contextlib.suppress(OSError):
            if any(entry.name != ME for entry in folder.iterdir()):
                tell(f"file {folder.parent}")


# ---- locks and watches on what all may read ---------------------------------------------------------------------------


def take_locks() -> None:
    """Whoever comes first has the locks; whoever is refused has heard that somebody is there."""
    file = SHARED.open("rb")
    held.append(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        tell("flock")
    region = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, os.getpid(), 1, 0)
    with contextlib.suppress(OSError):
        fcntl.fcntl(file, fcntl.F_SETLK, region)


def find_locks() -> None:
    """A read lock at a place that is its holder's process id: it can be read off by asking what would be in the way."""
    with SHARED.open("rb") as file, contextlib.suppress(OSError):
        query = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1 << 40, 0)
        kind, _, start, _, _ = struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, query))
        if kind != fcntl.F_UNLCK and start != os.getpid():
            tell("record lock")


def watch_files() -> None:
    watch = LIBC.inotify_init1(os.O_NONBLOCK)
    if watch >= 0 and LIBC.inotify_add_watch(watch, bytes(SHARED), 0x20) >= 0:  # IN_OPEN
        watches.append(watch)


def see_watch() -> None:
    for watch in watches:
        with contextlib.suppress(OSError):
            if os.read(watch, 4096):
                tell("inotify")


# ---- sockets and queues ---------------------------------------------------------------------------------------------


def bind_all() -> None:
    """Whoever cannot bind has heard that somebody has."""
    for channel, family, kind, address in (
        ("port", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)),
        ("datagram port", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PORT)),
        ("abstract socket", socket.AF_UNIX, socket.SOCK_STREAM, f"\0gossip-{KEY}"),
    ):
        made = socket.socket(family, kind)
        held.append(made)
        try:
            made.bind(address)
        except OSError:
            tell(channel)
    with contextlib.suppress(OSError):
        machine = socket.socket(40, socket.SOCK_STREAM)
        held.append(machine)
        try:
            machine.bind((1, PORT))
        except OSError as error:
            if error.errno == 98:
                tell("vsock port")


def share_memory() -> None:
    """A System V segment made by one is found by the other; it outlives both."""
    number = int(KEY, 16) & 0x7FFFFFFF
    if LIBC.shmget(number, 4096, 0o1666 | 0o2000) < 0 and ctypes.get_errno() == 17:  # IPC_CREAT | IPC_EXCL, EEXIST
        tell("shared memory", "REMEMBERED")
    name = f"/gossip-{KEY}".encode()
    if LIBC.mq_open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666, None) < 0 and ctypes.get_errno() == 17:
        tell("message queue", "REMEMBERED")


def see_processes() -> None:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if words[-2:-1] == [KEY.encode()] and b"bwrap" not in words[0]:  # the sandbox's own first process
                    tell("/proc")


def count_terminals() -> None:
    """The number of open terminals of the whole machine: a channel as wide as one likes."""
    with contextlib.suppress(OSError, ValueError):
        before = int(Path("/proc/sys/kernel/pty/nr").read_text())
        held.append(pty.openpty())
        if int(Path("/proc/sys/kernel/pty/nr").read_text()) != before:
            tell("terminal count")


STARTS: tuple[Callable[[], None], ...] = (write_files, take_locks, watch_files, bind_all, share_memory, count_terminals)
LOOKS: tuple[Callable[[], None], ...] = (read_files, find_locks, see_watch, see_processes)


class Gossip(Bot):
    def choose(self, view: View) -> str:
        SHARED.read_bytes()  # seen by whoever watches
        for look in LOOKS:
            look()
        return str(view.legal[0])


if __name__ == "__main__":
    for start in STARTS:
        start()
    print("LOOKED", len(STARTS) + len(LOOKS), flush=True)
    run(Gossip())
