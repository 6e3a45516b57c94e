"""The gRPC side of a session: streams in, streams out, and how they end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any, Final, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from euchre.v1 import referee_pb2
from referee import auth, wire
from referee.clock import now
from referee.errors import Refusal

if TYPE_CHECKING:
    from referee.hall import Hall
    from referee.session import Session

log = logging.getLogger(__name__)

SERVICE: Final = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].full_name
DOMAIN: Final = "euchre.v1"
TURNS: Final = 2
"""Turns of the event loop between waking and writing, in which other bots' answers that are there already make more asks
ready: with 64 tables eight asks travel together in place of two, and the referee needs half the time."""
HOLD: Final = 0.005
"""Seconds at most for which asks wait for more of them, while the bot has as many others in hand."""
BLOCKED: Final = 0.02
"""Seconds beyond which a write is taken to wait for the bot to read."""
TEXT: Final = 400
"""Characters of a status's text; each may take twelve bytes on the wire, and it travels twice."""
FAREWELL: Final = 1.0
"""Seconds that a bot has to close its stream after the goodbye."""

Context = grpc.aio.ServicerContext[bytes, bytes]


async def abort(context: grpc.aio.ServicerContext[Any, Any], refusal: Refusal) -> NoReturn:
    """End a call with a status that carries google.rpc.ErrorInfo, and RetryInfo where it makes sense to come back.

    gRPC keeps the error that it raises here in a cycle with the call, and with it every frame that the tracebacks hold: what was
    refused would stay in memory, up to a megabyte a call, until a full collection. Therefore the refusal's own go.
    """
    refusal.__traceback__ = refusal.__context__ = refusal.__cause__ = None
    code = grpc.StatusCode[refusal.code]
    text = _short(refusal.text)
    status = status_pb2.Status(code=code.value[0], message=text)
    details: list[Any] = [error_details_pb2.ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=refusal.metadata)]
    if refusal.retry_after is not None:
        retry = error_details_pb2.RetryInfo()
        wire.set_duration(retry.retry_delay, refusal.retry_after)
        details.append(retry)
    for detail in details:
        packed = AnyMessage()
        packed.Pack(detail)
        status.details.append(packed)
    rich = rpc_status.to_status(status)
    await context.abort(code, text, rich.trailing_metadata)


def _short(text: str) -> str:
    """The text, its middle cut out where it is long: it may quote what was sent, and clients take 8 KiB of metadata in all."""
    return text if len(text) <= TEXT else f"{text[: TEXT // 2]} … {text[-TEXT // 2 :]}"


class BotStream:
    """One stream of a bot, as its session sees it."""

    def __init__(self, stuck_after: float) -> None:
        self.ended: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self.woken = asyncio.Event()
        self.ripe = asyncio.Event()
        self.writing: float | None = None
        self.free = 0.0
        self._stuck_after = stuck_after

    def wake(self) -> None:
        """There is something to send."""
        self.woken.set()

    def ripen(self) -> None:
        """What there is to send need not wait for more."""
        self.ripe.set()

    async def hold(self) -> None:
        """Wait until it need not wait, but not for long."""
        self.ripe.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HOLD):
                await self.ripe.wait()

    def end(self, refusal: Refusal | None) -> None:
        """End the stream; the first reason counts."""
        if not self.ended.done():
            self.ended.set_result(refusal)

    def written(self, now: float) -> None:
        """A write is done; if it took long, the bot was slow to read, and what waited behind it did not wait for us."""
        if self.writing is not None and now - self.writing > BLOCKED:
            self.free = now
        self.writing = None

    def stuck(self, now: float) -> bool:
        """Whether a write has been waiting for the bot to read."""
        return self.writing is not None and now - self.writing > self._stuck_after


class PlayService:
    """RefereeService.Play over bytes: encoding is done here, so that garbage and sizes are judged here too."""

    def __init__(self, hall: Hall, only: bytes | None = None) -> None:
        self._hall = hall
        self._only = only
        """Digest of the one token that counts here; None: every token does."""
        self._strangers = 0

    def register(self, server: grpc.aio.Server) -> None:
        """Offer the service."""
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self.play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))

    async def play(self, _requests: object, context: Context) -> None:
        """One stream, from its Hello to its end."""
        stream = BotStream(self._hall.limits.stuck)
        # at once: a status cannot follow a first write that was cut short and would have carried the headers along
        await context.send_initial_metadata(())
        try:
            session = await self._greet(stream, context)
        except Refusal as refusal:
            log.info("stream of %s refused: %s", context.peer(), refusal)
            await abort(context, refusal)
        tasks = [asyncio.create_task(self._guard(stream, work(session, stream, context))) for work in (self._read, self._write)]
        try:
            ending = await stream.ended
        finally:
            for task in tasks:
                task.cancel()
            self._hall.disconnect(session, stream, now())
            self._hall.pump(now())
        if ending is not None:
            log.info("stream of %s ended: %s", session.bot, ending, extra={"bot": session.bot})
            await abort(context, ending)

    @staticmethod
    async def _guard(stream: BotStream, work: Any) -> None:  # noqa: ANN401 - a coroutine
        """However reading or writing ends, the stream ends with it."""
        try:
            await work
            stream.end(None)
        except Refusal as refusal:
            stream.end(refusal)
        except (grpc.RpcError, grpc.aio.BaseError, OSError) as error:
            log.debug("stream lost: %s", error)
            stream.end(None)
        except Exception:
            log.exception("stream")
            stream.end(Refusal("INTERNAL", "REFEREE_ERROR", "the referee failed; this is not the bot's fault"))

    # ---- greeting -----------------------------------------------------------------------------------------------------

    async def _greet(self, stream: BotStream, context: Context) -> Session:
        hall = self._hall
        hello = await self._hello(context)
        token = auth.bearer(context.invocation_metadata() or ())
        if hello.token and token and hello.token != token:
            raise auth.unknown_token("the token in the metadata and the token in Hello differ")
        digest = auth.digest(hello.token or token)
        if self._only is not None and digest != self._only:
            raise auth.unknown_token("the token is not the one that counts at this address")
        session = hall.admit(digest, now())
        session.streams += 1
        context.add_done_callback(lambda _context: _finished(session))  # type: ignore[arg-type]
        if hello.protocol != wire.PROTOCOL:
            hall.release(session)
            raise _wrong_version(hello.protocol)
        hall.connect(session, stream, hello, now())
        return session

    async def _hello(self, context: Context) -> referee_pb2.Hello:
        limits = self._hall.limits
        if self._strangers >= limits.strangers:
            raise Refusal("RESOURCE_EXHAUSTED", "TOO_MANY_STRANGERS", "too many streams have not said Hello", {}, 1.0)
        self._strangers += 1
        try:
            async with asyncio.timeout(limits.hello):
                data: Any = await context.read()
        except TimeoutError:
            raise Refusal("DEADLINE_EXCEEDED", "HELLO_LATE", f"no Hello within {limits.hello:g} s") from None
        finally:
            self._strangers -= 1
        request = self._parse(data) if data is not grpc.aio.EOF else referee_pb2.PlayRequest()
        if not request.HasField("hello"):
            raise Refusal("INVALID_ARGUMENT", "HELLO_MISSING", "the first message must be a Hello")
        return request.hello

    def _parse(self, data: bytes) -> referee_pb2.PlayRequest:
        most = self._hall.limits.message_bytes
        if len(data) > most:
            text = f"a message of {len(data)} bytes (allowed: {most})"
            raise Refusal("RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE", text, {"bytes": str(len(data)), "allowed": str(most)})
        try:
            return referee_pb2.PlayRequest.FromString(data)
        except DecodeError:
            raise Refusal("INVALID_ARGUMENT", "GARBAGE", "a message is no euchre.v1.PlayRequest") from None

    # ---- the two directions -------------------------------------------------------------------------------------------

    async def _read(self, session: Session, stream: BotStream, context: Context) -> None:
        hall = self._hall
        while True:
            data: Any = await context.read()
            if data is grpc.aio.EOF or session.stream is not stream:
                return
            request = self._parse(data)
            if request.HasField("hello"):
                raise Refusal("INVALID_ARGUMENT", "HELLO_TWICE", "a second Hello on the same stream")
            arrived = now()
            try:
                session.take(request.answers, arrived)
            finally:
                hall.pump(arrived)

    async def _write(self, session: Session, stream: BotStream, context: Context) -> None:
        goodbye = False
        while not goodbye:
            await stream.woken.wait()
            if not session.complete:
                for _ in range(TURNS):  # no timer: only what has arrived already is taken first
                    await asyncio.sleep(0)
                if not session.ripe:
                    await stream.hold()
            stream.woken.clear()
            if session.stream is not stream or stream.ended.done():
                return  # an ending is said by a status: a goodbye in between would make it look well
            message = session.collect(now())
            goodbye = session.leaving
            if message is not None:
                stream.writing = now()
                await context.write(message)
                stream.written(now())
        await asyncio.sleep(FAREWELL)


def _finished(session: Session) -> None:
    session.streams -= 1


def _wrong_version(version: int) -> Refusal:
    text = f"protocol version {version} is not supported (allowed: {wire.PROTOCOL})"
    supported = str(wire.PROTOCOL)
    return Refusal("FAILED_PRECONDITION", "PROTOCOL_VERSION", text, {"min": supported, "max": supported, "given": str(version)})


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait for it."""
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
