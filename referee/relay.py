"""A socket for one bot that leads to a referee elsewhere: bytes in, bytes out, encrypted on the way where that is wanted."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from referee import tls

if TYPE_CHECKING:
    from pathlib import Path

CHUNK: Final = 64 * 1024
CONNECTIONS: Final = 8
"""How many connections a bot may have at once; it needs one, and another for a moment when it reconnects."""


class Relay:
    """One bot's way to a referee."""

    def __init__(self, path: Path, target: str) -> None:
        self._path = path
        self._target = target
        self._server: asyncio.Server | None = None
        self._links: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, path: Path, target: str) -> Relay:
        """Listen at a path. Raises OSError where that cannot be."""
        relay = cls(path, target)
        relay._server = await asyncio.start_unix_server(relay._connected, path)
        path.chmod(0o666)  # whoever the bot has become; the folder lets in nobody else
        return relay

    async def close(self) -> None:
        """End every connection."""
        if self._server is not None:
            self._server.close()
        for link in self._links:
            link.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._links) >= CONNECTIONS:
            writer.close()
            return
        self._links.add(task)
        try:
            await self._join(reader, writer)
        finally:
            self._links.discard(task)
            writer.close()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry bytes both ways until one side ends."""
        with contextlib.suppress(OSError):
            there, back = await self._dial()
            ways = [asyncio.ensure_future(_carry(reader, back)), asyncio.ensure_future(_carry(there, writer))]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                back.close()

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._target.startswith("unix:"):
            return await asyncio.open_unix_connection(self._target.removeprefix("unix:"))
        context = tls.context(self._target)
        host, _, port = self._target.removeprefix(tls.SCHEME).rpartition(":")
        return await asyncio.open_connection(host.strip("[]"), int(port), ssl=context)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
