"""Long silences and dead lines: a relay between bot and referee plays the router."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import grpc

from arena.sdk import client, run
from euchre.v1 import referee_pb2
from referee import server
from referee.auth import TokenBook, digest
from tests.referee.test_service import metadata

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest

PLAY = "/euchre.v1.RefereeService/Play"
HELLO = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol=1)).SerializeToString()


class Relay:
    """Passes everything on, and counts what comes from the referee; lines that are cut stay open and pass nothing on."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.heard = 0
        self.lines: list[asyncio.Event] = []
        """Of each connection, whether it is cut."""
        self._writers: list[asyncio.StreamWriter] = []

    async def serve(self, near: asyncio.StreamReader, nearer: asyncio.StreamWriter) -> None:
        far, farther = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers += [nearer, farther]
        cut = asyncio.Event()
        self.lines.append(cut)
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(self._pass(near, farther, cut), self._pass(far, nearer, cut, count=True))

    async def close(self) -> None:
        """End every connection."""
        for writer in self._writers:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _pass(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, cut: asyncio.Event, *, count: bool = False
    ) -> None:
        while data := await source.read(65536):
            self.heard += count
            if not cut.is_set():
                target.write(data)
                await target.drain()
        if not cut.is_set():
            target.close()


@contextlib.asynccontextmanager
async def relayed() -> AsyncIterator[tuple[server.Server, Relay, str]]:
    """A referee that knows the bot ann, a relay in front of it, and the relay's address."""
    served = server.Server(TokenBook(bots={digest("ann"): "ann"}))
    address = await served.start("127.0.0.1:0")
    relay = Relay(int(address.rpartition(":")[2]))
    listening = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    try:
        yield served, relay, f"127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()
        await relay.close()
        await served.stop(0)


async def until(what: object) -> None:
    assert callable(what)
    while not what():
        await asyncio.sleep(0.02)


def pinging(monkeypatch: pytest.MonkeyPatch, milliseconds: int) -> None:
    options = {**dict(server.OPTIONS), "grpc.keepalive_time_ms": milliseconds}
    monkeypatch.setattr(server, "OPTIONS", tuple(options.items()))


def test_the_referee_pings_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a stream on which nothing is said the referee pings again and again, and the bot, which does nothing, stays."""
    pinging(monkeypatch, 100)

    async def main() -> None:
        async with asyncio.timeout(300), relayed() as (served, relay, address), grpc.aio.insecure_channel(address) as channel:
            call = channel.stream_stream(PLAY)(metadata=metadata("ann"))
            await call.write(HELLO)
            assert referee_pb2.PlayResponse.FromString(await call.read()).HasField("welcome")
            before = relay.heard
            await until(lambda: relay.heard > before + 12)
            assert served.hall.sessions[digest("ann")].stream is not None
            assert len(relay.lines) == 1
            call.cancel()

    asyncio.run(main())


def test_a_bot_leaves_a_dead_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the line is dead without having been closed, the SDK notices, connects anew and takes its session up again."""
    monkeypatch.setattr(client, "PING_MS", 200)
    monkeypatch.setattr(client, "PONG_MS", 1000)

    async def main() -> None:
        async with asyncio.timeout(300), relayed() as (served, relay, address):
            playing = asyncio.create_task(asyncio.to_thread(run, lambda view: view.legal[0], address=address, token="ann"))
            await until(lambda: served.hall.sessions and served.hall.sessions[digest("ann")].stream)
            session = served.hall.sessions[digest("ann")]
            first = session.stream
            for line in relay.lines:
                line.set()
            await until(lambda: session.stream not in (None, first))
            assert not relay.lines[-1].is_set()
            session.goodbye()
            await playing

    asyncio.run(main())
