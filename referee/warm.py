"""Bots in Python, started without starting Python anew: `python -m referee.warm SOCKET MODULE...`.

Most of a Python bot's start is the loading of gRPC. So a launcher may have a *nursery*: an interpreter that has loaded what
bots load, has run nothing and been told nothing, and does but one thing, to fork. What it forks becomes a keeper and, forked
once more, the bot. A bot's order goes to its own fork alone, through a pipe, so that neither the nursery nor any other bot ever
holds its token, and every bot begins with the same clean memory.

Where a fork would not do what a fresh interpreter does, the bot's process starts Python anew after all: for a folder whose
modules hide what is loaded here, for a program that cannot be found, and for one that does not begin with the SDK and so may
bring messages of its own by the same names.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import json
import os
import re
import runpy
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from referee.keeper import CANNOT_START, Kept, die_with_parent, name_process, take_office, watch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

POSSIBLE: Final = sys.platform.startswith("linux")
"""Whether a fork can be handed on to the launcher, which takes a subreaper."""
READY: Final = b"r"
FORK: Final = b"f"
_PID: Final = 4
"""Bytes of a process id in the nursery's answer."""
PATIENCE: Final = 10.0
"""Seconds within which a nursery that is ready must have forked, or it is given up."""
_ROUND: Final = 0.0005
_FDS: Final = 4096
_SDK: Final = re.compile(rb"^\s*(from|import)\s+arena\b", re.MULTILINE)


def fits(argv: Sequence[str]) -> bool:
    """Whether a command runs a module or a file in this very interpreter, without options for Python itself."""
    words = argv[1:]
    return argv[0] == sys.executable and bool(words) and (words[0].endswith(".py") or (words[0] == "-m" and len(words) > 1))


# ---- the launcher's side ----------------------------------------------------------------------------------------------


class Nursery:
    """Starts a nursery and asks it for keepers, once it is ready. `hear` it whenever `socket` can be read."""

    def __init__(self, modules: Sequence[str], env: dict[str, str], folder: str) -> None:
        self.socket, theirs = socket.socketpair()
        words = [sys.executable, "-m", "referee.warm", str(theirs.fileno()), *modules]
        with theirs:
            self._process = subprocess.Popen(
                words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(theirs.fileno(),)
            )
        self.pid = self._process.pid
        self.ready = False
        self.socket.settimeout(PATIENCE)

    def hear(self) -> bool:
        """Take its word that it is ready; False if it has ended."""
        with contextlib.suppress(OSError):
            self.ready = self.socket.recv(len(READY)) == READY
            return self.ready
        return False

    def keeper(self, command: dict[str, Any], out: int, err: int, told: int) -> int | None:
        """The process id of a new keeper, a child of this process, which has to be a subreaper; None if there can be none."""
        receive, order = os.pipe()
        try:
            socket.send_fds(self.socket, [FORK], [receive, out, err, told])
            found = self.socket.recv(_PID, socket.MSG_WAITALL)
        except OSError:
            found = b""
        finally:
            os.close(receive)
        with contextlib.suppress(BrokenPipeError), os.fdopen(order, "wb") as pipe:  # which writes when it is closed, too
            pipe.write(json.dumps(command).encode())
        return int.from_bytes(found, "big") if len(found) == _PID else None

    def close(self) -> None:
        """End it; it is reaped like every child."""
        self.socket.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


# ---- the nursery ------------------------------------------------------------------------------------------------------


def serve(launcher: socket.socket) -> list[str]:
    """Fork whenever asked to. Comes back in the bots alone, with the words of the command that each is to run."""
    while True:
        asked, fds, _, _ = socket.recv_fds(launcher, len(FORK), 4)
        if not asked:
            raise SystemExit
        middle = os.fork()
        if not middle:
            return _bear(launcher, *fds)
        for fd in fds:
            os.close(fd)
        os.waitpid(middle, 0)


def _bear(launcher: socket.socket, order: int, out: int, err: int, told: int) -> list[str]:
    """Fork the keeper and end, so that it becomes the launcher's child. Comes back in the bot."""
    middle, keeper = os.getpid(), os.fork()
    if keeper:
        launcher.sendall(keeper.to_bytes(_PID, "big"))
        os._exit(0)
    try:
        launcher.close()
        with os.fdopen(order, "rb") as pipe:
            command = json.loads(pipe.read())
        while os.getppid() == middle:  # which has a system call or two to live
            time.sleep(_ROUND)
        take_office(command, err)
        kept = Kept(command, out, err)
        started = os.fork()
    except BaseException:  # noqa: BLE001 - whatever it is, this process must not go on as if it were the nursery
        os._exit(CANNOT_START)
    if started:
        watch(kept, started, told, {})
    _settle(kept, out, err)
    return kept.argv


def _settle(kept: Kept, out: int, err: int) -> None:
    """In the bot's process: what `subprocess` would do for a new program."""
    os.setsid()
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.closerange(3, _FDS)
    kept.enter()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        os.chdir(kept.cwd or ".")
    except OSError as error:
        os.write(2, f"cannot start {kept.argv[0]}: {error}\n".encode())
        os._exit(CANNOT_START)
    os.environ.clear()
    os.environ.update(kept.env)


# ---- the bot ----------------------------------------------------------------------------------------------------------


def become(argv: list[str]) -> None:
    """Be the program of a command that `fits`, in this interpreter or, where that would not be the same, in a fresh one."""
    by_name = argv[1] == "-m"
    words = argv[2:] if by_name else argv[1:]
    folder = os.getcwd() if by_name else os.path.dirname(os.path.realpath(words[0]))  # noqa: PTH109, PTH120 - as Python says it
    sys.path[0] = folder
    program = _found(words[0]) if by_name else words[0]
    if hides(folder) or not _has_sdk(program):
        os.execve(argv[0], argv, os.environ)  # noqa: S606 - no shell is wanted
    name_process(words[0].rpartition("/")[2].rpartition(".py")[0] or words[0].rpartition(".")[2])
    sys.argv[:] = words
    sys.excepthook = _say
    if by_name:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(os.path.join(os.getcwd(), words[0]), run_name="__main__")  # noqa: PTH109, PTH118 - as Python does it


def hides(folder: str) -> bool:
    """Whether a module in a folder would have been loaded in place of one that is loaded here, or so it seems."""
    with os.scandir(folder) as entries:
        names = {entry.name.partition(".")[0] for entry in entries}
    return any(not _lies_in(folder, name) for name in names & sys.modules.keys())


def _lies_in(folder: str, name: str) -> bool:
    spec = getattr(sys.modules[name], "__spec__", None)
    return spec is not None and bool(spec.origin) and Path(folder) in Path(spec.origin).parents


def _found(module: str) -> str | None:
    """The file of a module, or of the `__main__` in a package."""
    try:
        found = importlib.util.find_spec(module)
        if found is not None and found.submodule_search_locations is not None:
            found = importlib.util.find_spec(f"{module}.__main__")
    except (ImportError, ValueError):
        return None
    return found.origin if found is not None else None


def _has_sdk(program: str | None) -> bool:
    """Whether a program's own text imports the SDK."""
    try:
        return program is not None and bool(_SDK.search(Path(program).read_bytes()))
    except OSError:
        return False


def _say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Python's own words on an error that nothing has caught, beginning where the bot's program does."""
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    while trace is not None and trace.tb_frame.f_code.co_filename in ours:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def main() -> None:
    """Run from the command line."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    launcher = socket.socket(fileno=int(sys.argv[1]))
    for module in sys.argv[2:]:
        importlib.import_module(module)
    gc.freeze()  # a collection would touch, and so copy, all that the forks share
    launcher.sendall(READY)
    become(serve(launcher))


if __name__ == "__main__":
    main()
