"""What all steps share: the launcher, the stage, and the bot's processes."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.check.report import Failed
from arena.check.stage import Line, Stage
from referee import isolate, launch
from referee.auth import new_token

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from referee.box import Box
    from referee.clock import Clock

ENDING: Final = 0.3
"""Seconds in which a process whose stream was lost is seen to have ended, so that the report can say so."""


@dataclass(frozen=True)
class Guest:
    """A process of the bot, and the token that it was given."""

    process: launch.Bot
    token: str

    @property
    def gone(self) -> bool:
        """Whether it has ended."""
        return self.process.ended.done()


class Bench:
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
        self.words = words
        self.clock = clock
        self.folder = folder
        self.stage = Stage()
        self._launcher = launcher
        self._cwd = cwd
        self._box = box
        self._guests: list[Guest] = []

    def start(self, address: str, wrapper: tuple[str, ...] = (), token: str | None = None) -> Guest:
        """Start the bot for a referee at an address, as a match would."""
        token, box = token or new_token(), self._box
        if box is not None:
            Path(address.removeprefix("unix:")).chmod(0o666)  # whoever the bot will be; the folder lets in nobody else
            box, address = isolate.seated(box, address)
        environment = launch.environment(self.words, address, token)
        guest = Guest(self._launcher.start([*wrapper, *self.words], environment, self._cwd, box), token)
        self._guests.append(guest)
        return guest

    def inside(self, path: str) -> str:
        """Where the bot finds a file of one of the arena's packages."""
        return isolate.inside(self._box, path)

    async def end(self, patience: float = 0.0, but: Guest | None = None) -> str:
        """End every process that was started, but one; returns what they wrote last, and how they ended if by themselves."""
        guests = [guest for guest in self._guests if guest is not but]
        self._guests = [guest for guest in self._guests if guest is but]
        ends = [guest.process.ended for guest in guests]
        if not ends:
            return ""
        await asyncio.wait(ends, timeout=patience)
        own = [guest for guest in guests if guest.gone]
        for guest in guests:
            guest.process.stop()
        await asyncio.wait(ends)
        told = []
        for guest in guests:
            end = guest.process.ended.result()
            told += [end.tail(), *(f"(sandbox: {note})" for note in end.notes)]
            if guest in own:
                told.append(f"(its process had ended: {end.how})")
        return "\n".join(filter(None, told))

    # ---- on the stage -------------------------------------------------------------------------------------------------

    async def line(self, guest: Guest, patience: float, awaited: str) -> Line:
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

    async def hello(self, guest: Guest, patience: float, awaited: str = "its Hello") -> Line:
        """The next stream, with the Hello that opens it."""
        line = await self.line(guest, patience, awaited)
        request = await line.receive(patience, "Hello")
        if not request.HasField("hello"):
            raise line.failed("the first message must be a Hello")
        line.hello.CopyFrom(request.hello)
        return line

    async def greeted(self, wrapper: tuple[str, ...] = ()) -> tuple[Guest, Line]:
        """A fresh process on the stage, past Hello and Welcome."""
        guest = self.start(self.stage.address, wrapper)
        line = await self.hello(guest, self.clock.start)
        await line.welcome(self.clock.grace)
        return guest, line


def _short() -> str | None:
    """Where a socket's path is short enough: the usual place for temporary files, unless that is too deep."""
    return "/tmp" if len(tempfile.gettempdir()) > 60 else None  # noqa: S108 - mkdtemp makes a private folder in it


@contextlib.asynccontextmanager
async def bench(
    words: list[str], clock: Clock, launcher: launch.Launcher, cwd: str | None, box: Box | None = None
) -> AsyncIterator[Bench]:
    """A bench with its stage up; whatever ends it, the bot's processes end too."""
    with tempfile.TemporaryDirectory(prefix="euchre-check-", dir=_short(), ignore_cleanup_errors=True) as folder:
        launcher.send({"remove": folder})  # should this process be killed
        made = Bench(words, clock, launcher, folder, cwd, box)
        await made.stage.start(folder)
        try:
            yield made
        finally:
            await made.end()
            await made.stage.stop()
