"""A scripted referee: it says what a step tells it to, and hears what the bot says, down to the bytes."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf.message import DecodeError

from arena.check.report import Failed
from euchre.v1.referee_pb2 import Hello, PlayRequest, PlayResponse, Welcome
from referee import auth, wire
from referee.limits import Limits
from referee.server import OPTIONS, add_port
from referee.service import SERVICE, cancelled

if TYPE_CHECKING:
    from referee.service import PlayService
    from referee.tls import Tls

LIMITS: Final = Limits()
_KEPT: Final = 20
"""Messages kept of each direction, to explain a failure."""


class Line:
    """One stream of the bot, from the referee's end."""

    def __init__(self, context: grpc.aio.ServicerContext[bytes, bytes], ending: asyncio.Future[grpc.StatusCode]) -> None:
        self.token = auth.bearer(context.invocation_metadata() or ())
        self.hello = Hello()
        self.ending = ending
        self._context = context
        self._inbox: asyncio.Queue[PlayRequest | str] = asyncio.Queue()
        self._sent: list[PlayResponse] = []
        self._got: list[PlayRequest] = []

    # ---- what a step does ---------------------------------------------------------------------------------------------

    async def send(self, *messages: PlayResponse) -> None:
        """Send messages. Raises Failed where the stream is gone."""
        for message in messages:
            self._sent = [*self._sent[1 - _KEPT :], message]
            try:
                await self._context.write(message.SerializeToString())
            except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
                raise self.failed("the stream was gone before this could be sent") from None

    async def receive(self, patience: float, awaited: str) -> PlayRequest:
        """The next message. Raises Failed where none comes in time, or the stream ends, or it is no message."""
        try:
            async with asyncio.timeout(patience):
                item = await self._inbox.get()
        except TimeoutError:
            raise self.failed(f"no {awaited} within {patience:g} s") from None
        if isinstance(item, str):
            raise self.failed(f"{item}, where {awaited} was awaited")
        self._got = [*self._got[1 - _KEPT :], item]
        return item

    async def welcome(self, grace: float) -> None:
        """Send the Welcome that a referee would."""
        message = Welcome(session="check", protocol=wire.PROTOCOL, limits=wire.limits_message(LIMITS, grace))
        await self.send(PlayResponse(welcome=message))

    async def quiet(self, seconds: float, why: str) -> None:
        """Raises Failed if anything comes, or the stream ends, within some seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    item = await self._inbox.get()
                    if isinstance(item, str):
                        raise self.failed(item)
                    if item.ByteSize():  # a message with nothing in it says nothing
                        self._got.append(item)
                        raise self.failed(why)

    def end(self, code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE) -> None:
        """End the stream; without a word of why, as a broken connection does, unless `code` is OK."""
        if not self.ending.done():
            self.ending.set_result(code)

    def failed(self, why: str) -> Failed:
        """A failure, with what went back and forth."""
        return Failed(why, self._sent, self._got)

    # ---- what the stage does ------------------------------------------------------------------------------------------

    async def read(self) -> None:
        """Put what comes into the inbox, until the stream ends."""
        try:
            while True:
                data: Any = await self._context.read()
                if data is grpc.aio.EOF:
                    break
                self._inbox.put_nowait(_parsed(data))
            self.broken("the bot closed its stream")
        except (grpc.RpcError, grpc.aio.BaseError):
            self.broken("the stream was lost")
        self.end(grpc.StatusCode.OK)

    def broken(self, how: str) -> None:
        """Nothing more will come."""
        self._inbox.put_nowait(how)


class Stage:
    """Where a bot dials in to a scripted referee. `lines` are its streams as they come."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[Line] = asyncio.Queue()
        self.address = ""
        self.referee: PlayService | None = None
        """The real referee, for `turn`."""
        self.real = False
        """Whether streams are passed on to the real referee."""
        self._socket: Path | None = None
        self._open: dict[asyncio.Future[grpc.StatusCode], asyncio.Future[None]] = {}
        """Of each stream, how it is to end, and whether it has."""
        options = {**dict(OPTIONS), "grpc.max_receive_message_length": 4 * 1024 * 1024}
        self._server = grpc.aio.server(options=tuple(options.items()))
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))

    async def start(self, folder: str) -> None:
        """Listen on a socket in a folder."""
        self.address = f"unix:{folder}/stage.sock"
        self._server.add_insecure_port(self.address)
        await self._server.start()
        if self._socket is not None:
            self._socket.chmod(0o600)

    def listen(self, address: str, *, anywhere: bool = False, tls: Tls | None = None) -> str:
        """Take one more address, before `start`; returns it as it is to be dialled. Raises BadAddress."""
        address = add_port(self._server, address, anywhere=anywhere, tls=tls)
        if address.startswith("unix:"):
            self._socket = Path(address.removeprefix("unix:"))
        return address

    async def stop(self) -> None:
        """End every stream."""
        await self._server.stop(0)
        if self._socket is not None:
            self._socket.unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget the streams of bots that are gone."""
        self.lines = asyncio.Queue()

    def turn(self, *, real: bool) -> None:
        """Lose every stream, and pass those that come from now on to the real referee, or to `lines`."""
        self.real = real
        self.clear()
        for ending in self._open:
            if not ending.done():
                ending.set_result(grpc.StatusCode.UNAVAILABLE)

    async def leave_referee(self) -> None:
        """Lose every stream, and wait until the real referee has noticed that it has none."""
        ends = list(self._open.values())
        self.turn(real=False)
        await asyncio.gather(*ends)

    async def _play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        loop = asyncio.get_running_loop()
        ending: asyncio.Future[grpc.StatusCode] = loop.create_future()
        over = self._open[ending] = loop.create_future()
        try:
            code = await (self._refereed(context, ending) if self.real else self._scripted(context, ending))
        finally:
            del self._open[ending]
            over.set_result(None)
        if code is not grpc.StatusCode.OK:
            await context.abort(code, "")

    async def _scripted(
        self, context: grpc.aio.ServicerContext[bytes, bytes], ending: asyncio.Future[grpc.StatusCode]
    ) -> grpc.StatusCode:
        """A stream for the steps, until one of them ends it."""
        await context.send_initial_metadata(())
        line = Line(context, ending)
        self.lines.put_nowait(line)
        reader = asyncio.create_task(line.read())
        try:
            return await ending
        finally:
            reader.cancel()
            line.broken("the stream was lost")

    async def _refereed(
        self, context: grpc.aio.ServicerContext[bytes, bytes], ending: asyncio.Future[grpc.StatusCode]
    ) -> grpc.StatusCode:
        """A stream for the real referee, until it ends or is to be lost."""
        assert self.referee is not None
        playing = asyncio.create_task(self.referee.play(None, context))
        ends: set[asyncio.Future[Any]] = {playing, ending}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not playing.done():
                await cancelled(playing)
        if ending.done():
            return ending.result()
        await playing  # it may have ended the call with a status of its own
        return grpc.StatusCode.OK


def _parsed(data: bytes) -> PlayRequest | str:
    if len(data) > LIMITS.message_bytes:
        return f"the bot sent a message of {len(data)} bytes (allowed: {LIMITS.message_bytes})"
    try:
        return PlayRequest.FromString(data)
    except DecodeError:
        return f"the bot sent what is no euchre.v1.PlayRequest: {data[:60]!r}"
