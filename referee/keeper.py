"""The keeper of one program: it runs it, adopts what it leaves behind, watches what it uses, and kills all of it.

A keeper is a fork of the launcher. Being a subreaper (PR_SET_CHILD_SUBREAPER) it knows the whole tree, and kills it when the
program ends, when it is told to, when the program uses more than it may, or when anything above it dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

from referee import cgroup, usage
from referee.box import Box, size_text
from referee.isolators import CGROUP, ISOLATORS

ROUND: Final = 0.01
"""Seconds between two looks at what is left of a tree that is being killed."""
TICK: Final = 0.1
"""Seconds between two looks at what a program in a sandbox uses."""
TREE_TICKS: Final = 10
"""How many such looks there are to one at a tree that is written to, which takes longer."""

_WATCHED: Final = frozenset({signal.SIGCHLD, signal.SIGTERM})
PR_SET_PDEATHSIG: Final = 1
PR_SET_NAME: Final = 15
PR_SET_CHILD_SUBREAPER: Final = 36
CANNOT_START: Final = 127


def prctl(option: int, value: int | bytes) -> bool:
    """Call Linux's prctl; False where there is none."""
    if not sys.platform.startswith("linux"):
        return False
    return bool(_libc().prctl(option, value, 0, 0, 0) == 0)


def _libc(loaded: list[ctypes.CDLL] = []) -> ctypes.CDLL:  # noqa: B006 - loaded once, before any fork
    if not loaded:
        loaded.append(ctypes.CDLL(None, use_errno=True))
    return loaded[0]


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Have the kernel send this process a signal when its parent dies."""
    prctl(PR_SET_PDEATHSIG, number)


def name_process(name: str) -> None:
    """Have `ps` and `top` show a name for this process; they take fifteen bytes of it."""
    prctl(PR_SET_NAME, name.encode())


# ---- the tree below a process ---------------------------------------------------------------------------------------


def parents() -> dict[int, int]:
    """The parent of every process that can be seen; empty where there is no /proc."""
    found = {}
    for entry in os.scandir("/proc") if Path("/proc/self/stat").exists() else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                stat = Path(entry.path, "stat").read_bytes()
                found[int(entry.name)] = int(stat.rpartition(b")")[2].split()[1])
    return found


def descendants(root: int) -> list[int]:
    """Every process below `root`, not `root` itself."""
    children: dict[int, list[int]] = {}
    for child, parent in parents().items():
        children.setdefault(parent, []).append(child)
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may have ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def kill_below() -> None:
    """Kill and reap everything below this process; what forks meanwhile is found in the next round."""
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return  # most programs leave nothing behind; to look at all processes of the machine would take longer than their end
        for pid in descendants(os.getpid()):
            send(pid, signal.SIGKILL)
        # bounded: the one child left may be what a killed one forked after we had looked, and nothing will end it but us
        signal.sigtimedwait({signal.SIGCHLD}, ROUND)


# ---- the keeper -----------------------------------------------------------------------------------------------------


def keep(command: dict[str, Any], out: int, err: int, told: int) -> NoReturn:
    """Be the keeper: run the program, adopt its orphans, and when it has ended or a SIGTERM comes, kill all of them.

    `told` takes one JSON object at the end: what the exit code does not say.
    """
    take_office(command, err)
    kept, started, tell = None, None, {}
    box: dict[str, Any] | None = command.get("box")
    try:
        kept = Boxed(command, out, err) if box else Kept(command, out, err)
        started = kept.start()
    except OSError as error:
        os.write(2, f"cannot start {command['argv'][0]}: {error}\n".encode())
        tell = {"broken": box is not None and box["isolator"] != "none"}
    watch(kept, started, told, tell)


def take_office(command: dict[str, Any], err: int) -> None:
    """Become one who keeps: what happens below this process is heard of, and it dies with the launcher."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    die_with_parent(signal.SIGTERM)
    if os.getppid() != command["launcher"]:
        os._exit(0)
    os.dup2(err, 2)  # so that the keeper's own complaints reach the bot's author


def watch(kept: Kept | None, started: int | None, told: int, tell: dict[str, Any]) -> NoReturn:
    """Keep a program that has been started, if it has, to its end."""
    code = CANNOT_START
    try:
        if kept is not None and started is not None:
            code = kept.watch(started)
    finally:
        kill_below()
        if kept is not None:
            tell = kept.conclude(code) | tell
        os.write(told, json.dumps(tell).encode())
        os._exit(code)


class Kept:
    """A program as it is."""

    tick: float | None = None
    """Seconds between two calls of `look`."""

    def __init__(self, command: dict[str, Any], out: int, err: int) -> None:
        self.argv: list[str] = command["argv"]
        self.env: dict[str, str] = command["env"]
        self.cwd: str | None = command.get("cwd")
        self.fds: tuple[int, ...] = ()
        self.reason = ""
        self._out = out
        self._err = err

    def start(self) -> int:
        """Start it; its process id. Raises OSError where that cannot be."""
        self._popen = started = subprocess.Popen(
            self.argv,
            env=self.env,
            cwd=self.cwd,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,
            pass_fds=self.fds,
            preexec_fn=self.enter,  # noqa: PLW1509 - this process has a single thread
        )
        for fd in self.fds:
            os.close(fd)
        return started.pid

    def watch(self, started: int) -> int:
        """Stay with it to its end; the exit code, 128 + n after signal n."""
        while True:
            came = _wait(_WATCHED, self.tick)
            if came is None and self.look(started):
                _kill_group(started)
                return 128 + signal.SIGKILL
            if came == signal.SIGTERM:
                _kill_group(started)
                return 128 + signal.SIGKILL
            for pid, status in reap():
                if pid == started:
                    _kill_group(started)
                    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)

    def enter(self) -> None:
        """In the program's process, before the program starts."""
        die_with_parent()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())

    def look(self, pid: int) -> bool:
        """Whether it must be killed now; `reason` then says why."""
        del pid
        return bool(self.reason)

    def conclude(self, code: int) -> dict[str, Any]:
        """When all of it is dead: what there is to tell beside the exit code."""
        del code
        return {}


class Boxed(Kept):
    """A program in a sandbox. Raises OSError where that cannot be made."""

    tick = TICK

    def __init__(self, command: dict[str, Any], out: int, err: int) -> None:
        super().__init__(command, out, err)
        self._box = Box.of(command["box"])
        self._isolator = ISOLATORS[self._box.isolator]
        made = self._isolator.command(self._box, self.argv, self.env, os.getpid())
        self.argv, self.env, self.cwd, self.fds = list(made.argv), made.env, made.cwd, made.fds
        self._made = made
        self._number = command["start"] + command["launcher"]  # so that the bots of a match are spread over the cores
        self._notes: dict[str, None] = {}
        self._looks = 0
        self._group = self._own_group()
        if made.owner is not None and self._box.writable:
            _give(self._box.tree, made.owner)

    def _own_group(self) -> cgroup.Group | None:
        home = cgroup.home() if CGROUP in self._box.features else None
        return cgroup.Group(home, f"euchre-{os.getpid()}", self._box.limits) if home else None

    def enter(self) -> None:
        """Into the control group, or else onto as many cores as are allowed."""
        super().enter()
        os.umask(0o022)  # what a build makes, others must be able to read
        if self._group is not None:
            self._group.enter()
        elif self._box.isolator != "none":
            _pin(self._box.limits.cpus, self._number)

    def look(self, pid: int) -> bool:
        """Kill what is over a limit that the kernel does not hold for us."""
        limits, self._looks = self._box.limits, self._looks + 1
        if self._box.isolator == "none":
            return False
        used = usage.of([pid, *usage.below(pid)])
        if used.processes > limits.processes + 2:  # bubblewrap's own two
            self.reason = f"more than {limits.processes} processes and threads"
        elif used.processes >= limits.processes:
            self._notes[f"processes: no more than {limits.processes} are allowed, threads included"] = None
        files = self._files(used.pids)
        if self._group is None and used.memory + files > limits.memory and usage.shared(used.pids) + files > limits.memory:
            self.reason = f"memory over {size_text(limits.memory)}"
        if self._box.writable and self._looks % TREE_TICKS == 0:
            self._look_at_tree()
        return bool(self.reason)

    def _files(self, pids: tuple[int, ...]) -> int:
        """Bytes in the sandbox's own file systems; sees that they do not fill with empty files."""
        limits, total = self._box.limits, 0
        for path in self._isolator.places:
            found = usage.folder(pids[-1], path) if pids else None
            if found is None:
                continue
            total += (found.f_blocks - found.f_bfree) * found.f_frsize
            if found.f_files - found.f_ffree > limits.entries:
                self.reason = f"more than {limits.entries} files in {path}"
            if not found.f_bfree:
                self._notes[f"disk: {path} is full, it takes {size_text(limits.tmp)}"] = None
        return total

    def _look_at_tree(self) -> None:
        limits = self._box.limits
        size, entries = usage.tree(self._box.tree, limits.tree_entries)
        if size > limits.tree:
            self.reason = f"the folder grew over {size_text(limits.tree)}"
        elif entries > limits.tree_entries:
            self.reason = f"more than {limits.tree_entries} files in the folder"

    def conclude(self, code: int) -> dict[str, Any]:
        """Why it was killed, which limits it met, and whether it was the sandbox that failed."""
        notes = list(self._notes)
        if self._group is not None:
            self.reason = self.reason or self._group.reason()
            notes += self._group.notes()
            self._group.close()
        if self._made.owner is not None and self._box.writable:
            _give(self._box.tree, os.geteuid())
        status = b"" if self._made.status is None else _drained(self._made.status)
        broken = not self.reason and self._made.status is not None and self._isolator.failed(code, status)
        reason = f"killed: {self.reason}" if self.reason else ""
        return {"reason": reason, "notes": list(dict.fromkeys(notes)), "broken": broken}


def _wait(watched: frozenset[signal.Signals], tick: float | None) -> int | None:
    """The next of some signals; None where none came within a tick."""
    if tick is None:
        return signal.sigwait(watched)
    came = signal.sigtimedwait(watched, tick)
    return came.si_signo if came is not None else None


def _pin(cpus: float, number: int) -> None:
    """Keep this process and its children to so many of the cores, the `number`-th and those after it.

    A sandbox's filter sees to it that they stay there.
    """
    cores = sorted(os.sched_getaffinity(0))
    wanted = max(1, round(cpus))
    if wanted < len(cores):
        os.sched_setaffinity(0, {cores[(number + more) % len(cores)] for more in range(wanted)})


def _give(folder: str, user: int) -> None:
    """Make a user the owner of a folder and all in it; links are not followed."""
    os.chown(folder, user, user, follow_symlinks=False)
    os.chmod(folder, 0o755)  # noqa: PTH101, S103 - bubblewrap must get in, without the power over files that it has given up
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(os.path.join(root, name), user, user, follow_symlinks=False)  # noqa: PTH118 - names may be no UTF-8


def _drained(fd: int) -> bytes:
    """What is in a pipe; whoever wrote to it is dead."""
    os.set_blocking(fd, False)
    found = b""
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(fd, 65536):
            found += chunk
    return found


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def reap() -> list[tuple[int, int]]:
    """The children that have ended, with their wait status."""
    found = []
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found.append(ended)
    return found
