"""Child processes that never outlive their parent.

A child gets its own process group, so that Ctrl-C reaches only the parent, which stops its children in order; and on Linux the
kernel sends it SIGTERM when the parent dies, however that dies.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import IO

_PR_SET_PDEATHSIG = 1
# Looked up before any fork: between fork and exec a child must not import or take locks.
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def spawn(  # noqa: PLR0913 - those of Popen that are of use here
    argv: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
    at_death: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a child that is stopped with this process.

    Args:
        argv: program and arguments.
        cwd: folder that it runs in.
        env: variables on top of this process's own.
        stdin: as for `subprocess.Popen`; nothing to read unless given.
        stdout: as for `subprocess.Popen`.
        stderr: as for `subprocess.Popen`.
        pass_fds: descriptors that it inherits, a lock for instance.
        at_death: what it is sent when this process dies.

    Raises:
        RuntimeError: called off the main thread, whose end the kernel would take for the parent's.
        OSError: the program cannot be started.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("children are started from the main thread only: they die with the thread that starts them")
    return subprocess.Popen(
        [str(word) for word in argv],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=pass_fds,
        process_group=0,
        preexec_fn=partial(_tie, os.getpid(), int(at_death)),  # noqa: PLW1509  (a bare system call: safe beside threads)
    )


def _tie(parent: int, number: int) -> None:
    """In the child: ask for a signal at the parent's death, and go if that has happened already."""
    if _LIBC is None:
        return
    signal.signal(number, signal.SIG_DFL)  # a shell's background commands ignore SIGINT, and so would their children
    _LIBC.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def stop(child: subprocess.Popen[bytes], grace: float = 5.0) -> int:
    """End a child: SIGTERM, and after `grace` seconds SIGKILL to its whole group. Returns its exit code, -N for signal N."""
    stop_all([(child, grace)])
    return child.wait()


def stop_all(children: Sequence[tuple[subprocess.Popen[bytes], float]], number: signal.Signals = signal.SIGTERM) -> None:
    """End several children at once: a signal to all, and SIGKILL to the group of each that is still there after its grace (s)."""
    start = time.monotonic()
    for child, _ in children:
        terminate(child, number)
    for child, grace in sorted(children, key=lambda pair: pair[1]):
        try:
            child.wait(max(0.0, start + grace - time.monotonic()))
        except subprocess.TimeoutExpired:
            kill(child)
            child.wait()


def terminate(child: subprocess.Popen[bytes], number: signal.Signals = signal.SIGTERM) -> None:
    """Ask a child to stop."""
    with suppress(ProcessLookupError):
        child.send_signal(number)


def kill(child: subprocess.Popen[bytes]) -> None:
    """Kill a child and whatever is left in its process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
