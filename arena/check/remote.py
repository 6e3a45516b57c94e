"""A bot that runs already, wherever it is: it dials in, and comes back for each step when its stream is lost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import grpc

from arena.check.bench import Bench, Guest, said_hello
from arena.check.report import Failed
from referee.launch import Exit

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.check.stage import Line
    from referee.clock import Clock
    from referee.tls import Tls

OUTPUT: Final = "(it is where the bot was started)"
"""What stands for the output of a bot that writes elsewhere."""


@dataclass(frozen=True)
class Dial:
    """Where a bot dials in, with which token, and how long it is waited for."""

    token: str
    listen: str
    tls: Tls | None
    anywhere: bool
    wait: float
    """Seconds until it must have come for the first time."""
    listening: Callable[[str], None]
    """Hears the address."""
    refused: Callable[[str], None]
    """Hears who else came, with another token."""


class NobodyCame(Exception):  # noqa: N818 - reads as what happened
    """The bot did not dial in within the time that it was given."""


class Elsewhere:
    """A process that was not started here. How it ends cannot be seen: `ended` says that nothing more is expected of it."""

    def __init__(self) -> None:
        self.ended: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()

    def leave(self) -> None:
        """Expect nothing more."""
        if not self.ended.done():
            self.ended.set_result(Exit(0, "", ""))


class Remote(Bench):
    """Loses the bot's streams, and has it come back to where a step wants it: the stage, or the real referee."""

    remote = True

    def __init__(self, dial: Dial, clock: Clock, folder: str) -> None:
        super().__init__(clock, folder)
        self._dial = dial
        self._process = Elsewhere()
        self._first: Line | Failed | None = None
        self._address = self.stage.listen(dial.listen, anywhere=dial.anywhere, tls=dial.tls)

    def token(self) -> str:
        """The one that the bot has."""
        return self._dial.token

    def begin(self) -> None:
        """Nothing: streams are lost when the bot is asked to come."""

    async def arrival(self) -> None:
        """Wait for the bot. Raises NobodyCame."""
        self._dial.listening(self._address)
        try:
            async with asyncio.timeout(self._dial.wait):
                self._first = await self._known(self.clock.start)
        except TimeoutError:
            raise NobodyCame(f"no bot with this token came within {self._dial.wait:g} s") from None
        except Failed as failure:
            self._first = failure

    def start(self, address: str, wrapper: tuple[str, ...] = (), token: str | None = None) -> Guest:
        """Lose the bot's stream, unless it is the very first and wanted on the stage, and expect the next."""
        self._process.leave()
        self._process = Elsewhere()
        staged = address == self.stage.address
        if self._first is None or not staged:
            self.stage.turn(real=not staged)
        return Guest(self._process, self._dial.token)

    async def end(self, patience: float = 0.0, but: Guest | None = None) -> str:
        """The bot stays; what it has open is lost when it is next asked to come."""
        if but is None or but.process is not self._process:
            self._process.leave()
            if self.stage.real:
                await self.stage.leave_referee()
        return OUTPUT

    async def hello(self, guest: Guest, patience: float, awaited: str = "its Hello") -> Line:
        """The next stream of the bot, with its Hello."""
        first, self._first = self._first, None
        if isinstance(first, Failed):
            raise first
        if first is not None:
            return first
        try:
            async with asyncio.timeout(patience):
                return await self._known(patience)
        except TimeoutError:
            raise Failed(
                f"the bot did not come back within {patience:g} s after its stream had been lost (UNAVAILABLE)"
            ) from None

    async def _known(self, patience: float) -> Line:
        """The next stream with the bot's token; others are refused, and told of. Raises Failed where the bot says no Hello."""
        while True:
            line = await self.stage.lines.get()
            try:
                await said_hello(line, patience)
            except Failed:
                if line.token == self._dial.token:
                    raise
            if self._dial.token in (line.hello.token, line.token):
                return line
            line.end(grpc.StatusCode.UNAUTHENTICATED)
            self._dial.refused(line.hello.agent or "no agent")
