"""A referee in this process on a unix socket, good bots that play a match over and over, and what must hold meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import logging
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import grpc

from euchre.v1 import control_pb2, control_pb2_grpc, referee_pb2, referee_pb2_grpc, table_pb2
from referee.auth import TokenBook, digest
from referee.hall import Run
from referee.lag import Watch
from referee.server import Server
from referee.service import BotStream
from referee.session import Session
from referee.table import Table

if TYPE_CHECKING:
    from collections.abc import Coroutine

OPERATOR = "operator"
GOOD = ("good-0", "good-1", "good-2", "good-3")
KEY = bytes(range(32))
SETS = 3
PATIENCE = 120.0
"""Seconds within which everything that an attack left behind must be gone, and a healthy match be over."""
SLACK = 12
"""Tasks of the event loop that may be there beyond those of undisturbed play, at any moment."""

T = TypeVar("T")


class Broken(AssertionError):  # noqa: N818 - reads as what happened
    """An invariant does not hold."""


class Complaints(logging.Handler):
    """Remembers what is logged as an error by anybody: unhandled exceptions end up there."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(logging.Formatter().format(record))


def resident() -> int:
    """Bytes of memory that this process holds, without what the next full garbage collection frees.

    gRPC leaves the frames of refused calls in cycles, with all that was sent in them: a gigabyte comes and goes that way.
    """
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


def good_answer(ask: table_pb2.Ask) -> table_pb2.Answer:
    if ask.legal_cards:
        return table_pb2.Answer(ask=ask.id, card=ask.legal_cards[0])
    return table_pb2.Answer(ask=ask.id, call=ask.legal_calls[0])


def seats(*tokens: str) -> list[control_pb2.OrderSeat]:
    return [control_pb2.OrderSeat(token_sha256=digest(token), bot=token) for token in tokens]


def long_clock() -> control_pb2.Clock:
    """A clock on which a slow machine makes nobody late."""
    clock = control_pb2.Clock(faults=3)
    for part in (clock.answer, clock.bank, clock.start, clock.grace):
        part.FromSeconds(600)
    return clock


class Arena:
    """The referee and the healthy match, in an event loop of their own thread. A context manager; `run` runs attacks there."""

    def __init__(self) -> None:
        self.complaints = Complaints()
        self.healthy_matches = 0
        self.inputs = 0
        self.statuses: dict[str, int] = {}
        self.numbers = itertools.count()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fuzz arena")
        self._folder = tempfile.TemporaryDirectory(prefix="ef-", dir="/tmp")
        self._tasks: list[asyncio.Task[None]] = []
        self._reference: dict[int, Any] = {}
        self._most_tasks = 0
        self.trouble: list[str] = []

    # ---- beginning and end --------------------------------------------------------------------------------------------

    def __enter__(self) -> Arena:
        logging.getLogger().addHandler(self.complaints)
        self._thread.start()
        self.run(self._start(), 600)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.run(self._stop(), 60)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._folder.cleanup()
            logging.getLogger().removeHandler(self.complaints)

    def run(self, work: Coroutine[Any, Any, T], patience: float = 2 * PATIENCE) -> T:
        """Run a coroutine in the arena's loop; raises TimeoutError where it hangs."""
        return asyncio.run_coroutine_threadsafe(self._within(work, patience), self._loop).result()

    @staticmethod
    async def _within(work: Coroutine[Any, Any, T], patience: float) -> T:
        async with asyncio.timeout(patience):
            return await work

    async def _start(self) -> None:
        book = TokenBook(operators={digest(OPERATOR)}, bots={digest(token): token for token in (*GOOD, *self.known())})
        self.server = Server(book, watch=Watch(limit=600.0))
        self.address = await self.server.start(f"unix:{self._folder.name}/r.sock")
        self.channel = grpc.aio.insecure_channel(self.address)
        self.control = control_pb2_grpc.ControlServiceStub(self.channel)
        self._tasks = [asyncio.create_task(self._good(token)) for token in GOOD]
        await self._connected()
        sampler = asyncio.create_task(self._sample())
        self._reference = await self._healthy_match()
        self._tasks.append(asyncio.create_task(self._keep_playing()))
        await self._another_match()
        sampler.cancel()

    async def _connected(self) -> None:
        while len([one for one in self.server.hall.sessions.values() if one.stream]) < len(GOOD):
            await asyncio.sleep(0.01)

    async def _sample(self) -> None:
        while True:
            self._most_tasks = max(self._most_tasks, len(asyncio.all_tasks()))
            await asyncio.sleep(0.001)

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.channel.close()
        await self.server.stop(0.5)

    @staticmethod
    def known() -> list[str]:
        """Tokens that attackers may use without an order; many, since streams with one token are limited."""
        return [f"standing-{number}" for number in range(500)]

    # ---- the healthy match --------------------------------------------------------------------------------------------

    async def _good(self, token: str) -> None:
        call = referee_pb2_grpc.RefereeServiceStub(self.channel).Play(metadata=bearer(token))
        await call.write(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol=1, agent="good")))
        async for response in call:
            if response.asks:
                await call.write(referee_pb2.PlayRequest(answers=[good_answer(ask) for ask in response.asks]))
        self.trouble.append(f"the stream of {token} ended: {await call.code()} {await call.details()}")

    async def _healthy_match(self) -> dict[int, Any]:
        order = control_pb2.Order(
            match="healthy", variant="cutthroat", options={"stick_dealer": "on"}, format="deals:2", key=KEY,
            sets=range(SETS), seating=[0, 1, 2], seats=seats(*GOOD[:3]), clock=long_clock(),
        )  # fmt: skip
        records = {}
        async for event in self.control.PlayMatch(control_pb2.PlayMatchRequest(order=order), metadata=bearer(OPERATOR)):
            if event.HasField("void"):
                raise Broken(f"a healthy game is void: {event.void.cause} {event.void.detail}")
            records[event.game.set] = json.loads(event.game.record)
        if len(records) != SETS:
            raise Broken(f"a healthy match has {len(records)} games in place of {SETS}")
        return records

    async def _keep_playing(self) -> None:
        while not self.trouble:
            try:
                async with asyncio.timeout(PATIENCE):
                    records = await self._healthy_match()
            except (Broken, TimeoutError, grpc.RpcError) as error:
                self.trouble.append(f"healthy match: {type(error).__name__} {error}")
                return
            if records != self._reference:
                self.trouble.append("the records of a healthy match differ from those of undisturbed play")
            self.healthy_matches += 1
            await asyncio.sleep(0.02)

    async def _another_match(self) -> None:
        """Wait until a healthy match that began after now is over."""
        goal = self.healthy_matches + 2
        while self.healthy_matches < goal and not self.trouble:
            await asyncio.sleep(0.005)

    # ---- what must hold -----------------------------------------------------------------------------------------------

    def check(self) -> None:
        """After an attack: nothing is left of it, nobody complained, and the healthy match is undisturbed. Raises Broken."""
        self.run(self._settled())
        if self.trouble or self.complaints.found:
            found = [*self.trouble, *self.complaints.found]
            self.trouble.clear()
            self.complaints.found.clear()
            raise Broken("\n".join(found))

    async def _settled(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while left := self._left_behind():
            if time.monotonic() > deadline:
                raise Broken(f"left behind: {left}")
            await asyncio.sleep(0.002)

    def _left_behind(self) -> str:
        hall = self.server.hall
        strangers = sorted(one.bot for one in hall.sessions.values() if one.bot not in GOOD)
        runs = [run.order.match for run in hall.runs if run.order.match != "healthy"]
        tasks = len(asyncio.all_tasks())
        crowd = f"{tasks} tasks (undisturbed: {self._most_tasks})" if tasks > self._most_tasks + SLACK else ""
        return ", ".join([*strangers, *runs, *([crowd] if crowd else [])])

    def finish(self) -> None:
        """At the end: a whole healthy match more, and no object of the referee's survives its use. Raises Broken."""
        self.run(self._another_match())
        self.check()
        self.run(self._no_survivors())

    async def _no_survivors(self) -> None:
        allowed = {BotStream: len(GOOD), Session: len(GOOD), Run: 2, Table: 2 * SETS}
        deadline = time.monotonic() + PATIENCE
        while True:
            gc.collect()
            counted = {kind: sum(type(one) is kind for one in gc.get_objects()) for kind in allowed}
            over = {kind.__name__: count for kind, count in counted.items() if count > allowed[kind]}
            if not over:
                return
            if time.monotonic() > deadline:
                raise Broken(f"objects survive: {over}")
            await asyncio.sleep(0.1)

    def note_status(self, code: grpc.StatusCode | None) -> None:
        """Count how a stream ended, for the report."""
        name = code.name if code is not None else "none"
        self.statuses[name] = self.statuses.get(name, 0) + 1


@contextlib.contextmanager
def opened() -> Any:
    """An arena whose last checks are made when its use ends well."""
    with Arena() as arena:
        yield arena
        arena.finish()
