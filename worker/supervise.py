"""Start child processes, start them again when they end, and stop them all together.

Nothing here runs by itself: whoever supervises calls `tick()` a few times a second from the main thread.
"""

from __future__ import annotations

import fcntl
import os
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from worker import processes

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import FrameType, TracebackType

LONGEST_PAUSE = 10.0
"""Seconds between two starts of a service that keeps ending."""
GOOD_LIFE = 10.0
"""A service that has run for so many seconds is started again at once when it ends."""
LOG_LIMIT = 5_000_000
"""Bytes of a log above which it is set aside (one older log is kept) when its service starts."""


class Service:
    """One child process that is to run all the time.

    Args:
        name: what to call it in messages.
        command: gives the command line at each start.
        log: file that takes its output.
        cwd: folder that it runs in.
        env: variables on top of this process's.
        on_failure: called before a start that follows an early end in an error, to clear what may be in the way.
        grace: seconds that it gets to stop before it is killed.
        drain: seconds that it may go on with what it has in hand if there is time (`Supervisor.drain`). Such a child takes
            SIGTERM to mean just that, and SIGINT to stop at once; 0: SIGTERM is at once.
        again: exit code by which it asks for a fresh start, which is no failure.
    """

    def __init__(  # noqa: PLR0913 - the facts of a child process
        self,
        name: str,
        command: Callable[[], Sequence[str]],
        *,
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        on_failure: Callable[[], None] | None = None,
        grace: float = 10.0,
        drain: float = 0.0,
        again: int | None = None,
    ) -> None:
        self.name = name
        self.child: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.failures = 0
        """Early ends in a row, of whatever kind."""
        self.errors = 0
        """The same, those only that the program itself reported by its exit code."""
        self.last_exit: int | None = None
        self.grace = grace
        self.drain = drain
        self.log = log
        self._again = again
        self._command = command
        self._cwd = cwd
        self._env = dict(env or {})
        self._on_failure = on_failure
        self._started = 0.0
        self._next = 0.0

    def tick(self) -> None:
        """Start the child if it is not there and its turn has come."""
        if self.child is not None and self.child.poll() is not None:
            self._ended()
        if self.child is None and time.monotonic() >= self._next:
            self._start()

    @property
    def running(self) -> bool:
        """Whether the child is there now."""
        return self.child is not None and self.child.poll() is None

    @property
    def at_once(self) -> signal.Signals:
        """The signal that stops the child without delay."""
        return signal.SIGINT if self.drain else signal.SIGTERM

    def _start(self) -> None:
        if self.errors and self._on_failure is not None:
            self._on_failure()
        with self._open_log() as log:
            self.child = processes.spawn(
                self._command(),
                cwd=self._cwd,
                env=self._env,
                stdout=log,
                stderr=log,
                pass_fds=self._pass_fds(),
                at_death=self.at_once,
            )
        self.starts += 1
        self._started = time.monotonic()

    def _ended(self) -> None:
        assert self.child is not None
        self.last_exit = self.child.returncode
        early = time.monotonic() - self._started < GOOD_LIFE and self.last_exit != self._again
        self.failures = self.failures + 1 if early else 0
        self.errors = self.errors + 1 if early and self.last_exit > 0 else 0
        pause = 0.0 if self.failures <= 1 else min(LONGEST_PAUSE, 0.1 * 2.0**self.failures)
        self._next = time.monotonic() + pause
        self.child = None

    def _open_log(self) -> Appending:
        return Appending(self.log)

    def _pass_fds(self) -> Sequence[int]:
        return ()

    def release(self) -> None:
        """Let go of what was held beside the child, once that has ended."""


class Shared(Service):
    """A service of which one instance runs for all the commands on a data folder.

    A lock on a file says who keeps it. The child inherits the lock, so that nobody starts a second one while the first still
    ends.
    """

    def __init__(  # noqa: PLR0913 - the facts of a child process
        self,
        name: str,
        command: Callable[[], Sequence[str]],
        *,
        lock: Path,
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        on_failure: Callable[[], None] | None = None,
        grace: float = 10.0,
    ) -> None:
        super().__init__(name, command, log=log, cwd=cwd, env=env, on_failure=on_failure, grace=grace)
        self._lock = lock
        self._fd: int | None = None

    def tick(self) -> None:
        """Start the child if nobody else keeps one."""
        if self._fd is None:
            self._fd = try_lock(self._lock)
        if self._fd is not None:
            super().tick()

    @property
    def ours(self) -> bool:
        """Whether this process is the one that keeps the service."""
        return self._fd is not None

    def _pass_fds(self) -> Sequence[int]:
        assert self._fd is not None
        return (self._fd,)

    def release(self) -> None:
        """Let another command take over."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class Appending:
    """A log opened for appending, in a folder that is made where missing, set aside first if it has grown too long."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > LOG_LIMIT:
            path.replace(path.with_name(path.name + ".1"))
        self._file = path.open("ab")

    def __enter__(self) -> int:
        return self._file.fileno()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()


class Supervisor:
    """Several services, stopped when the `with` block ends: first those that nobody shares, then what they rest on."""

    def __init__(self) -> None:
        self.services: list[Service] = []

    def add(self, service: Service | None) -> None:
        """Take on a service; None is none."""
        if service is not None:
            self.services.append(service)

    def tick(self) -> None:
        """Look after every service once."""
        for service in self.services:
            service.tick()

    def drain(self, urgent: Callable[[], bool]) -> None:
        """Ask the services that can to finish what they have in hand, and wait for them, but not once it has become urgent."""
        asked = [service for service in self.services if service.drain and service.running]
        for service in asked:
            assert service.child is not None
            processes.terminate(service.child)
        end = time.monotonic() + max((service.drain + service.grace for service in asked), default=0.0)
        while any(service.running for service in asked) and time.monotonic() < end and not urgent():
            for service in self.services:
                if service not in asked:
                    service.tick()
            time.sleep(0.05)

    def stop(self) -> None:
        """End every child, those of one kind at once, and leave none."""
        _stop([service for service in self.services if not isinstance(service, Shared)])
        _stop([service for service in self.services if isinstance(service, Shared)])

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def _stop(services: Sequence[Service]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        processes.stop_all(
            [(one.child, one.grace) for one in services if one.child is not None and one.at_once == number], number
        )
    for service in services:
        service.release()


class Stopping:
    """Whether somebody has asked this process to stop (Ctrl-C, SIGTERM, a closed terminal)."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._urgent = False

    def urgent(self) -> bool:
        """Whether to stop at once: asked by anything but one SIGTERM."""
        return self._urgent

    def __bool__(self) -> bool:
        return self._event.is_set()

    def set(self, number: int = 0, _frame: FrameType | None = None) -> None:
        """Ask to stop; has the shape of a signal handler."""
        self._urgent = self._event.is_set() or number != signal.SIGTERM
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Sleep, but no longer than until somebody asks; returns whether somebody has."""
        return self._event.wait(seconds)


@contextmanager
def stopping() -> Iterator[Stopping]:
    """Turn Ctrl-C, SIGTERM and SIGHUP into a flag for the length of the block; the main thread only."""
    flag = Stopping()
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, flag.set) for number in numbers]
    try:
        yield flag
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def try_lock(path: Path) -> int | None:
    """Take the lock on a file: its descriptor, or None if somebody else has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd
