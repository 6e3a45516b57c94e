"""The referee's side of the launcher: start bots, hear of their ends, kill them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, Final, NoReturn

from referee import warm
from referee.errors import BadOrder, LauncherGone

if TYPE_CHECKING:
    from typing import IO

    from referee.box import Box

ROOT: Final = str(Path(__file__).resolve().parent.parent)
"""Where the project's packages are: on the PYTHONPATH of bots in Python, so that samples run from any folder."""
PROGRAM: Final = (sys.executable, "-m", "referee.launcher")
LOADED: Final = ("arena.sdk",)
"""Modules that a nursery loads: what most bots in Python begin with."""
_PYTHON: Final = {"PYTHONPATH": ROOT, "PYTHONUNBUFFERED": "1"}
_LINE: Final = 8 * 1024 * 1024
_PATIENCE: Final = 10.0
"""Seconds for the launcher to kill everything before it is killed itself."""


@dataclass(frozen=True)
class Exit:
    """How a bot's process ended, and the tail of what it wrote."""

    code: int
    """The exit code, 128 + n after signal n, 127 where the program could not be started."""
    out: str
    err: str
    reason: str = ""
    """Why its sandbox killed it, if that did: `killed: memory over 1 GiB`."""
    notes: tuple[str, ...] = ()
    """Limits of its sandbox that it met."""
    broken: bool = False
    """Whether its sandbox could not be made: that is nobody's fault but the arena's."""

    @property
    def how(self) -> str:
        """How it ended, in words."""
        return self.reason or f"exit code {self.code}"

    def tail(self, size: int = 64 * 1024) -> str:
        """Both outputs in one text, errors last."""
        return "\n".join(part.rstrip("\n") for part in (self.out, self.err) if part.strip())[-size:]


class Bot:
    """A bot's process. `ended` resolves to its Exit."""

    def __init__(self, number: int, launcher: Launcher) -> None:
        self._number = number
        self._launcher = launcher
        self.ended: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()

    def stop(self) -> None:
        """Kill it and everything that it started; `ended` follows."""
        self._launcher.send({"stop": self._number})


def command(run: str) -> list[str]:
    """The words of a run command; a leading `python` is this interpreter, and `arena` is this one. Raises BadOrder."""
    try:
        words = shlex.split(run)
    except ValueError as error:
        raise BadOrder(f"run command {run!r}: {error}") from None
    if not words:
        raise BadOrder("run command is empty (allowed: a program and its arguments)")
    if words[0] in ("python", "python3"):
        words[0] = sys.executable
    elif words[0] == "arena":
        words[:1] = [sys.executable, "-m", "arena"]
    return words


def likes_nursery(order: Any) -> bool:  # noqa: ANN401 - JSON that nobody has looked at yet
    """Whether an order has bots that a nursery would start; of what is no order nothing is said."""
    try:
        return any(warm.fits(command(seat["run"])) for seat in order["lineup"] if seat.get("run") and not seat.get("sandbox"))
    except (BadOrder, LookupError, TypeError, AttributeError):
        return False


def environment(words: list[str], address: str, token: str) -> dict[str, str]:
    """All that a bot's process finds in its environment, but HOME and TMPDIR, which are its own."""
    found = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "EUCHRE_REFEREE": address, "EUCHRE_TOKEN": token}
    return found | _PYTHON if words[0] == sys.executable else found


def _exit(event: dict[str, Any]) -> Exit:
    return Exit(
        code=event["code"],
        out=event["out"],
        err=event["err"],
        reason=event.get("reason", ""),
        notes=tuple(event.get("notes", ())),
        broken=event.get("broken", False),
    )


class Launcher:
    """Starts the launcher program. Make it before any gRPC object, call `listen` in the event loop, `close` at the end."""

    def __init__(self) -> None:
        path = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            PROGRAM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        self._bots: dict[int, Bot] = {}
        self._count = 0
        self._listening: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        """The launcher's process id."""
        return self._process.pid

    async def listen(self) -> None:
        """Begin to hear of ends."""
        reader = asyncio.StreamReader(limit=_LINE)
        stdout: IO[bytes] | None = self._process.stdout
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdout)
        self._listening = asyncio.create_task(self._hear(reader))

    async def _hear(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            event = json.loads(line)
            bot = self._bots.pop(event["exited"])
            bot.ended.set_result(_exit(event))
        for bot in self._bots.values():
            bot.ended.set_exception(LauncherGone("the launcher has ended"))
            bot.ended.exception()  # seen, whether or not anybody waits for it

    async def lost(self) -> NoReturn:
        """Wait for the launcher to end before its time. Raises LauncherGone."""
        assert self._listening is not None
        await asyncio.shield(self._listening)
        raise LauncherGone("the launcher has ended")

    def warm_up(self) -> None:
        """Have bots in Python forked from an interpreter that has loaded what they begin with. Raises LauncherGone."""
        env = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "HOME": os.devnull, "TMPDIR": gettempdir()}
        self.send({"nursery": LOADED, "env": env | _PYTHON, "cwd": ROOT})

    def start(self, words: list[str], env: dict[str, str], cwd: str | None = None, box: Box | None = None) -> Bot:
        """Start a bot, in a sandbox if there is a box; whether that went well is told by its end. Raises LauncherGone."""
        self._count += 1
        bot = self._bots[self._count] = Bot(self._count, self)
        self.send({"start": self._count, "argv": words, "env": env, "cwd": cwd, "box": box.as_json() if box else None})
        return bot

    def send(self, what: dict[str, Any]) -> None:
        """Send one command. Raises LauncherGone."""
        pipe = self._process.stdin
        try:
            assert pipe is not None
            pipe.write(json.dumps(what).encode() + b"\n")
            pipe.flush()
        except (OSError, ValueError) as error:
            raise LauncherGone(f"the launcher cannot be reached: {error}") from error

    async def close(self) -> None:
        """Kill every bot and end the launcher; afterwards no process is left."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            if self._listening is not None:
                await asyncio.wait_for(self._listening, _PATIENCE)
            # in a thread without a limit of its own: with one, `wait` would look but now and then
            await asyncio.wait_for(asyncio.to_thread(self._process.wait), _PATIENCE)
        except TimeoutError:
            self._process.kill()
            self._process.wait()
