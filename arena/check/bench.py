"""What all steps share: the stage, and the bot's processes."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from arena.check.report import Failed
from arena.check.stage import Line, Stage
from referee import isolate, launch
from referee.auth import new_token

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from referee.box import Box
    from referee.clock import Clock

B = TypeVar("B", bound="Bench")

ENDING: Final = 0.3
"""Seconds in which a process whose stream was lost is seen to have ended, so that the report can say so."""


class Process(Protocol):
    """A process of the bot. `ended` resolves when nothing more is to be expected of it."""

    ended: asyncio.Future[launch.Exit]


@dataclass(frozen=True)
class Guest:
    """A process of the bot, and the token that it was given."""

    process: Process
    token: str

    @property
    def gone(self) -> bool:
        """Whether it has ended."""
        return self.process.ended.done()


class Bench(ABC):
    """Has the bot come as often as steps need it."""

    remote = False
    """Whether the bot runs already and dials in, rather than being started here."""

    def __init__(self, clock: Clock, folder: str) -> None:
        self.clock = clock
        self.folder = folder
        self.stage = Stage()

    @abstractmethod
    def token(self) -> str:
        """A token for the bot."""

    def inside(self, path: str) -> str:
        """Where the bot finds a file of one of the arena's packages."""
        return path

    @abstractmethod
    def begin(self) -> None:
        """A step begins."""

    @abstractmethod
    def start(self, address: str, wrapper: tuple[str, ...] = (), token: str | None = None) -> Guest:
        """Have the bot come to a referee at an address, as in a match."""

    @abstractmethod
    async def end(self, patience: float = 0.0, but: Guest | None = None) -> str:
        """Be done with all that was started, but one; returns the bot's last words, and how it ended if by itself."""

    @abstractmethod
    async def hello(self, guest: Guest, patience: float, awaited: str = "its Hello") -> Line:
        """The next stream, with the Hello that opens it. Raises Failed where none comes in time, or the process ends."""

    async def greeted(self, wrapper: tuple[str, ...] = ()) -> tuple[Guest, Line]:
        """The bot on the stage, past Hello and Welcome."""
        guest = self.start(self.stage.address, wrapper)
        line = await self.hello(guest, self.clock.start)
        await line.welcome(self.clock.grace)
        return guest, line


class Local(Bench):
    """Starts the bot as often as steps need it, and ends what they started."""

    def __init__(  # noqa: PLR0913, PLR0917 - all but four have defaults
        self,
        words: list[str],
        clock: Clock,
        launcher: launch.Launcher,
        folder: str,
        cwd: str | None = None,
        box: Box | None = None,
    ) -> None:
        super().__init__(clock, folder)
        self._words = words
        launcher.send({"remove": folder})  # should this process be killed
        self._launcher = launcher
        self._cwd = cwd
        self._box = box
        self._guests: list[tuple[launch.Bot, Guest]] = []

    def token(self) -> str:
        """A new one each time."""
        return new_token()

    def begin(self) -> None:
        """Forget the streams of the processes before."""
        self.stage.clear()

    def start(self, address: str, wrapper: tuple[str, ...] = (), token: str | None = None) -> Guest:
        """Start the bot, as a match would."""
        token, box = token or self.token(), self._box
        if box is not None:
            Path(address.removeprefix("unix:")).chmod(0o666)  # whoever the bot will be; the folder lets in nobody else
            box, address = isolate.seated(box, address)
        environment = launch.environment(self._words, address, token)
        process = self._launcher.start([*wrapper, *self._words], environment, self._cwd, box)
        guest = Guest(process, token)
        self._guests.append((process, guest))
        return guest

    def inside(self, path: str) -> str:
        """Where the bot finds a file of one of the arena's packages."""
        return isolate.inside(self._box, path)

    async def end(self, patience: float = 0.0, but: Guest | None = None) -> str:
        """End every process that was started, but one; returns what they wrote last, and how they ended if by themselves."""
        processes = [process for process, guest in self._guests if guest is not but]
        self._guests = [pair for pair in self._guests if pair[1] is but]
        ends = [process.ended for process in processes]
        if not ends:
            return ""
        await asyncio.wait(ends, timeout=patience)
        own = [end for end in ends if end.done()]
        for process in processes:
            process.stop()
        await asyncio.wait(ends)
        told = []
        for end in ends:
            told += [end.result().tail(), *(f"(sandbox: {note})" for note in end.result().notes)]
            if end in own:
                told.append(f"(its process had ended: {end.result().how})")
        return "\n".join(filter(None, told))

    async def hello(self, guest: Guest, patience: float, awaited: str = "its Hello") -> Line:
        """The next stream, with the Hello that opens it."""
        return await said_hello(await self._line(guest, patience, awaited), patience)

    async def _line(self, guest: Guest, patience: float, awaited: str) -> Line:
        """The next stream that the bot opens. Raises Failed where none comes in time, or the process ends."""
        coming = asyncio.ensure_future(self.stage.lines.get())
        awaited_of: set[asyncio.Future[Any]] = {coming, guest.process.ended}
        try:
            await asyncio.wait(awaited_of, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                return coming.result()
        finally:
            coming.cancel()
        if guest.gone:
            raise Failed(f"the bot's process ended before {awaited}: {guest.process.ended.result().how}")
        raise Failed(f"the bot did not connect within {patience:g} s, where {awaited} was awaited")


async def said_hello(line: Line, patience: float) -> Line:
    """The line, once the bot has said Hello on it. Raises Failed where it does not, or says something else first."""
    request = await line.receive(patience, "Hello")
    if not request.HasField("hello"):
        raise line.failed("the first message must be a Hello")
    line.hello.CopyFrom(request.hello)
    return line


def _short() -> str | None:
    """Where a socket's path is short enough: the usual place for temporary files, unless that is too deep."""
    return "/tmp" if len(tempfile.gettempdir()) > 60 else None  # noqa: S108 - mkdtemp makes a private folder in it


@contextlib.asynccontextmanager
async def opened(make: Callable[[str], B]) -> AsyncIterator[B]:
    """The bench that `make` makes with a folder of its own, its stage up; whatever ends it, the bot's processes end too."""
    with tempfile.TemporaryDirectory(prefix="euchre-check-", dir=_short(), ignore_cleanup_errors=True) as folder:
        made = make(folder)
        await made.stage.start(folder)
        try:
            yield made
        finally:
            await made.end()
            await made.stage.stop()
