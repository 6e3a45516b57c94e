"""The program that starts bots, so that the process that serves gRPC never does: `python -m referee.launcher`.

It reads commands, one JSON object a line, from stdin and writes events likewise to stdout:

    {"start": 7, "argv": ["./bot", "-x"], "env": {...}, "cwd": null, "box": null}   {"stop": 7}   {"remove": "/folder/at/the/end"}
    {"nursery": ["module"], "env": {...}, "cwd": "/"}                    have one for bots in Python (referee.warm)
    {"exited": 7, "code": 1, "out": "...", "err": "..."}                 code 128 + n after signal n, 127 where it could not start
    {..., "reason": "killed: memory over 1 GiB", "notes": ["..."], "broken": false}       of a bot in a box (referee.box.Box)

Each bot is started by a keeper (referee.keeper), so that the whole tree of its processes is known and dies with it. All
output of a bot is read at once; only the tail is kept. When stdin closes or a SIGTERM comes, everything is killed and the
program ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import sys
import tempfile
from collections import deque
from pathlib import Path
from typing import Any, Final, NoReturn

from referee import warm
from referee.keeper import CANNOT_START, PR_SET_CHILD_SUBREAPER, die_with_parent, keep, kill_below, parents, prctl, reap, send

TAIL: Final = 64 * 1024
"""Bytes kept of each of a bot's two outputs."""
CHUNK: Final = 64 * 1024
# ---- the launcher ---------------------------------------------------------------------------------------------------


class Tail:
    """The last `TAIL` bytes of an output."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def add(self, chunk: bytes) -> None:
        """Append, forgetting what is too old."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= TAIL:
            self._size -= len(self._chunks.popleft())

    def text(self) -> str:
        """What is kept, as text."""
        return b"".join(self._chunks)[-TAIL:].decode("utf-8", "replace")


class Kept:
    """A running bot as the launcher sees it."""

    def __init__(self, number: int, keeper: int, home: str) -> None:
        self.number = number
        self.keeper = keeper
        self.home = home
        self.tails = (Tail(), Tail(), Tail())
        """Of its two outputs, and of what its keeper tells."""
        self.pipes: list[int] = []


class Launcher:
    """Commands in, events out, outputs drained: one loop, one thread."""

    def __init__(self, commands: int, events: int) -> None:
        self._commands = commands
        self._events = events
        self._buffer = b""
        self._bots: dict[int, Kept] = {}
        self._folders: list[str] = []
        self._nursery: warm.Nursery | None = None
        self._waiting: dict[int, dict[str, Any]] = {}
        """Starts for which the nursery is not ready yet; none of them is left when it is, or never will be."""
        self._selector = selectors.DefaultSelector()
        self._going = True

    def run(self) -> None:
        """Serve until the commands end or a SIGTERM comes."""
        wake = self._wake_on_signals()
        self._selector.register(self._commands, selectors.EVENT_READ, self._read_commands)
        try:
            while self._going:
                for key, _ in self._selector.select():
                    if self._selector.get_map().get(key.fd) is key:  # an earlier one of this round may have closed it
                        key.data(key.fd)
        finally:
            self._end(wake)

    def _wake_on_signals(self) -> int:
        receive, wake = os.pipe()
        os.set_blocking(receive, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        self._selector.register(receive, selectors.EVENT_READ, self._read_signals)
        return wake

    def _end(self, wake: int) -> None:
        signal.set_wakeup_fd(-1)
        os.close(wake)
        for bot in self._bots.values():
            send(bot.keeper, signal.SIGTERM)
        for bot in self._bots.values():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(bot.keeper, 0)
        kill_below()
        for folder in (*self._folders, *(bot.home for bot in self._bots.values())):
            shutil.rmtree(folder, ignore_errors=True)

    def _read_signals(self, fd: int) -> None:
        numbers = os.read(fd, 4096)
        if signal.SIGTERM in numbers or signal.SIGINT in numbers:
            self._going = False
        if signal.SIGCHLD in numbers:
            for pid, status in reap():
                self._ended(pid, os.waitstatus_to_exitcode(status))
            self._kill_strays()

    def _kill_strays(self) -> None:
        """Kill what a keeper that was itself killed has left to us."""
        known = {bot.keeper for bot in self._bots.values()} | ({self._nursery.pid} if self._nursery else set())
        if self._children() <= len(known):
            return
        mine = os.getpid()
        for pid, parent in parents().items():
            if parent == mine and pid not in known:
                send(pid, signal.SIGKILL)

    @staticmethod
    def _children() -> int:
        try:
            return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
        except OSError:
            return sys.maxsize

    def _read_commands(self, fd: int) -> None:
        chunk = os.read(fd, CHUNK)
        self._going = bool(chunk)
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            command = json.loads(line)
            self._obey(command)

    def _obey(self, command: dict[str, Any]) -> None:
        if "start" in command:
            self._start(command)
        elif "stop" in command:
            self._stop(command["stop"])
        elif "remove" in command:
            self._folders.append(command["remove"])
        elif self._nursery is None and warm.POSSIBLE:
            self._nursery = warm.Nursery(command["nursery"], command["env"], command["cwd"])
            self._selector.register(self._nursery.socket, selectors.EVENT_READ, self._hear_nursery)

    def _stop(self, number: int) -> None:
        if self._waiting.pop(number, None):
            self._report({"exited": number, "code": 128 + signal.SIGKILL, "out": "", "err": ""})
        elif number in self._bots:
            send(self._bots[number].keeper, signal.SIGTERM)

    def _hear_nursery(self, _fd: int) -> None:
        """It is ready, or it has ended, which costs time and no bot."""
        assert self._nursery is not None
        if not self._nursery.hear():
            self._lose_nursery()
        waiting, self._waiting = self._waiting, {}
        for command in waiting.values():
            self._start(command)

    def _lose_nursery(self) -> None:
        assert self._nursery is not None
        self._selector.unregister(self._nursery.socket)
        self._nursery.close()
        self._nursery = None

    def _start(self, command: dict[str, Any]) -> None:
        nursery = None if command.get("box") or not warm.fits(command["argv"]) else self._nursery
        if nursery is not None and not nursery.ready:
            self._waiting[command["start"]] = command
            return
        home = tempfile.mkdtemp(prefix="euchre-bot-")
        command["env"] = {**command["env"], "HOME": home, "TMPDIR": home}
        command["launcher"] = os.getpid()
        out, err, told = os.pipe(), os.pipe(), os.pipe()
        ends = out[1], err[1], told[1]
        keeper = (self._born(nursery, command, *ends) if nursery else None) or self._forked(command, *ends)
        for _, end in (out, err, told):
            os.close(end)
        bot = Kept(command["start"], keeper, home)
        for (pipe, _), tail in zip((out, err, told), bot.tails, strict=True):
            os.set_blocking(pipe, False)
            bot.pipes.append(pipe)
            self._selector.register(pipe, selectors.EVENT_READ, lambda fd, tail=tail: self._drain(fd, tail))
        self._bots[bot.number] = bot

    def _born(self, nursery: warm.Nursery, command: dict[str, Any], out: int, err: int, told: int) -> int | None:
        keeper = nursery.keeper(command, out, err, told)
        if keeper is None:
            self._lose_nursery()
        return keeper

    def _forked(self, command: dict[str, Any], out: int, err: int, told: int) -> int:
        # blocked over the fork, or a signal meant for the young keeper would wake the launcher through the shared pipe
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT})
        keeper = os.fork()
        if not keeper:
            self._become_keeper(command, out, err, told)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return keeper

    @staticmethod
    def _become_keeper(command: dict[str, Any], out: int, err: int, told: int) -> NoReturn:
        """In the fork: let go of everything of the launcher's, above all of its commands and of other bots' outputs."""
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(null, 1)
            before = 2
            for fd in (*sorted((out, err, told)), 4096):
                os.closerange(before + 1, fd)
                before = fd
            keep(command, out, err, told)
        finally:
            os._exit(CANNOT_START)

    def _drain(self, fd: int, tail: Tail) -> None:
        try:
            chunk = os.read(fd, CHUNK)
        except BlockingIOError:
            return
        if chunk:
            tail.add(chunk)
        else:
            self._selector.unregister(fd)

    def _ended(self, pid: int, code: int) -> None:
        bot = next((bot for bot in self._bots.values() if bot.keeper == pid), None)
        if bot is None:
            return
        del self._bots[bot.number]
        for pipe, tail in zip(bot.pipes, bot.tails, strict=True):
            self._finish(pipe, tail)
        shutil.rmtree(bot.home, ignore_errors=True)
        # a keeper that was killed could not clean up; what it left comes to us and is killed as a stray
        code = code if code >= 0 else 128 - code
        out, err, told = (tail.text() for tail in bot.tails)
        self._report({"exited": bot.number, "code": code, "out": out, "err": err, **(json.loads(told) if told else {})})

    def _finish(self, pipe: int, tail: Tail) -> None:
        """Read what is still in a pipe; a pipe holds no more than a few chunks, and a stray may still be writing."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(16):
                if chunk := os.read(pipe, CHUNK):
                    tail.add(chunk)
        with contextlib.suppress(KeyError):
            self._selector.unregister(pipe)
        os.close(pipe)

    def _report(self, event: dict[str, Any]) -> None:
        try:
            data = json.dumps(event).encode() + b"\n"
            while data:
                data = data[os.write(self._events, data) :]
        except BrokenPipeError:
            self._going = False


def main() -> int:
    """Run from the command line."""
    die_with_parent(signal.SIGTERM)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    Launcher(0, 1).run()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
