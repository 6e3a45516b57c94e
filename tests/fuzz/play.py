"""Carries out attacks against an arena, and judges how the referee ends their calls."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import grpc

from euchre.v1 import control_pb2, referee_pb2, table_pb2
from referee.rules import BadOption, Rules
from tests.fuzz.arena import GOOD, KEY, OPERATOR, Arena, Broken, bearer, good_answer, seats
from tests.fuzz.attacks import Request, Script, Step, spoilt

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

LOST = (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError, TimeoutError, OSError)
BAD = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.DATA_LOSS}
"""How a call ends only where the referee failed …"""
TOO_LONG = "metadata size exceeds"
"""What a client says of a status that is too long for it to read."""
OWN = "Internal error from Core"
"""… unless this is the detail: gRPC tells a client so who writes to a call that has ended."""
MOMENT = 0.03
"""Seconds of a pause, and for each answer on the clock of an attacker's match."""
PLAY = "/euchre.v1.RefereeService/Play"


class Attacker:
    """A bot's stream, or several one after another, all with one token."""

    def __init__(self, arena: Arena, token: str) -> None:
        self._arena = arena
        self._token = token
        self._channel = grpc.aio.insecure_channel(arena.address, options=[("grpc.use_local_subchannel_pool", 1)])
        self._readers: list[asyncio.Task[None]] = []
        self.calls: list[Any] = []
        self.asks: dict[int, table_pb2.Ask] = {}
        self.dial()

    def dial(self) -> None:
        """Open a stream; those before stay as they are."""
        with contextlib.suppress(grpc.aio.UsageError):  # the connection was cut
            call = self._channel.stream_stream(PLAY)(metadata=bearer(self._token) if self._token else None)
            self.calls.append(call)
            self._readers.append(asyncio.create_task(self._read(call)))

    async def _read(self, call: Any) -> None:
        with contextlib.suppress(*LOST, asyncio.CancelledError):
            async for data in call:
                response = referee_pb2.PlayResponse.FromString(data)
                self.asks.update((ask.id, ask) for ask in response.asks)

    async def do(self, step: Step) -> None:
        """Take one step."""
        self._arena.inputs += 1
        call = self.calls[-1]
        match step.what:
            case "greet":
                await self._send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol=1, agent="fuzz")).SerializeToString())
                await asyncio.sleep(MOMENT / 3)
            case "send":
                await self._send(step.data)
            case "good" | "mutate":
                await self._answer(step)
            case "pause":
                await asyncio.sleep(MOMENT)
            case "close":
                await self._quietly(call.done_writing())
            case "cancel":
                call.cancel()
            case "cut":
                await self._channel.close()
            case "again":
                self.dial()

    async def _answer(self, step: Step) -> None:
        await asyncio.sleep(MOMENT / 10)
        asks, self.asks = self.asks, {}
        for ask in asks.values():
            good = good_answer(ask)
            data = referee_pb2.PlayRequest(answers=[good]).SerializeToString()
            await self._send(data if step.what == "good" else spoilt(ask, good, step.kind, step.at))

    async def _send(self, data: bytes) -> None:
        await self._quietly(self.calls[-1].write(data))

    @staticmethod
    async def _quietly(work: Any) -> None:
        """Wait for a call's part; that the call has ended is no error of ours."""
        try:
            async with asyncio.timeout(5):
                await work
        except LOST:
            pass
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise

    async def leave(self) -> None:
        """End every stream at once, and judge how those ended that the referee ended."""
        await asyncio.sleep(MOMENT / 10)
        for call in self.calls:
            call.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        codes = [await call.code() for call in self.calls]
        details = [await call.details() or "" for call in self.calls]
        await self._channel.close()
        for code, detail in zip(codes, details, strict=True):
            self._arena.note_status(code)
            if (code in BAD and detail != OWN) or TOO_LONG in detail:
                raise Broken(f"a stream ended with {code.name}: {detail}")


@contextlib.asynccontextmanager
async def ordered(arena: Arena, script: Script, token: str) -> AsyncIterator[None]:
    """A match with the attacker in its first seat and good bots, who sit at healthy tables too, in the others."""
    options = dict(script.options)
    try:
        rules = Rules(script.variant, options)
    except BadOption:  # not every option goes with every other
        options, rules = {}, Rules(script.variant)
    clock = control_pb2.Clock(faults=3)
    for part in (clock.answer, clock.grace):
        part.FromMilliseconds(int(MOMENT * 1000))
    clock.start.FromMilliseconds(300)
    clock.bank.FromMilliseconds(0)
    order = control_pb2.Order(
        match=f"attacked-{token}", variant=rules.name, options=options,
        format="deals:2", key=KEY, sets=[0, 1], seating=rules.seatings()[0], clock=clock,
        seats=seats(token, *GOOD[4 - rules.seats + 1 :]),
    )  # fmt: skip
    call = arena.control.PlayMatch(control_pb2.PlayMatchRequest(order=order), metadata=bearer(OPERATOR))
    reader = asyncio.create_task(_events(call))
    await call.initial_metadata()
    try:
        yield
    finally:
        call.cancel()
        await reader


async def _events(call: Any) -> None:
    with contextlib.suppress(grpc.RpcError, asyncio.CancelledError):
        async for event in call:
            if event.HasField("void") and event.void.cause == "INFRASTRUCTURE" and "every side failed" not in event.void.detail:
                raise Broken(f"a game is void: {event.void.detail}")


async def stream(arena: Arena, script: Script) -> None:
    """A bot that does as the script says."""
    number = next(arena.numbers)
    token = {"standing": f"standing-{number % 500}", "": ""}.get(script.token, f"{script.token}-{number}")
    async with contextlib.AsyncExitStack() as stack:
        if script.token == "ordered":
            await stack.enter_async_context(ordered(arena, script, token))
        attacker = Attacker(arena, token)
        try:
            for step in script.steps:
                await attacker.do(step)
        finally:
            await attacker.leave()


async def noise(arena: Arena, data: bytes) -> None:
    """A client that speaks no gRPC."""
    arena.inputs += 1
    reader, writer = await asyncio.open_unix_connection(arena.address.removeprefix("unix:"))
    with contextlib.suppress(OSError, TimeoutError):
        writer.write(data)
        await writer.drain()
        async with asyncio.timeout(MOMENT):
            await reader.read(100)
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def operate(arena: Arena, requests: Sequence[Request]) -> None:
    """An operator who orders nonsense."""
    for request in requests:
        arena.inputs += 1
        await _operate(arena, request)


async def _operate(arena: Arena, request: Request) -> None:
    path = f"/euchre.v1.ControlService/{request.method}"
    many = request.method == "PlayMatch"
    make: Any = arena.channel.unary_stream(path) if many else arena.channel.unary_unary(path)
    call = make(request.data, metadata=bearer(request.token))
    answered = asyncio.create_task(_drain(call, many=many))
    await asyncio.wait([answered], timeout=request.patience or (None if not many else 0.001))
    call.cancel()
    await answered
    code = await call.code()
    arena.note_status(code)
    detail = await call.details() or ""
    if code in BAD or TOO_LONG in detail:
        raise Broken(f"{request.method} ended with {code.name}: {detail}")


async def _drain(call: Any, *, many: bool) -> None:
    with contextlib.suppress(*LOST, asyncio.CancelledError):
        if not many:
            await call
            return
        async for _ in call:
            pass
