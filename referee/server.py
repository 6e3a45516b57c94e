"""A referee that listens: the services on one address, and the pulse that makes time pass."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from euchre.v1 import control_pb2, control_pb2_grpc
from referee.auth import TokenBook, unknown_token
from referee.clock import now
from referee.control import ControlServicer
from referee.errors import BadAddress, BadTokens
from referee.hall import Hall
from referee.loopback import is_loopback
from referee.reading import Reading
from referee.service import SERVICE, PlayService, cancelled
from referee.tls import SCHEME

if TYPE_CHECKING:
    from referee.lag import Watch
    from referee.limits import Limits
    from referee.tls import Tls

log = logging.getLogger(__name__)

CONTROL: Final = control_pb2.DESCRIPTOR.services_by_name["ControlService"].full_name
TICK: Final = 0.02
"""Seconds between looks at the clock."""
DRAIN: Final = 0.005
"""Seconds to take what has arrived before judging, when the loop was late."""
REFRESH: Final = 1.0
"""Seconds between looks at the token file."""
SOCKET_PATH: Final = 107
"""Bytes that a unix socket's path may have."""

KEEPALIVE_MS: Final = 20_000
"""Between two pings to a bot that has nothing to say: less than any router forgets a connection in."""

OPTIONS: Final = (
    ("grpc.so_reuseport", 0),  # two referees must not share a port without knowing
    ("grpc.max_receive_message_length", 1024 * 1024),  # of orders; bots' messages have a limit of their own
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),  # a bot that pings too often is no attack
)
"""Of a server that bots dial into."""


def check_address(address: str, *, anywhere: bool = False) -> str:
    """The address, if it may be served: unix:/path, or host:port on loopback, or `anywhere`. Raises BadAddress."""
    if address.startswith("unix:"):
        path = address.removeprefix("unix:")
        if not path or len(os.fsencode(path)) > SOCKET_PATH:
            raise BadAddress(f"socket path {path!r} (allowed: 1 to {SOCKET_PATH} bytes)")
        return address
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdigit() or int(port) > 65535:
        raise BadAddress(f"address {address!r} (allowed: unix:/path, or host:port)")
    if not anywhere and not is_loopback(host.strip("[]")):
        raise BadAddress(
            f"{host} is not on loopback (allowed: 127.0.0.1, ::1, localhost; others with --tls-cert, or --insecure-any-address)"
        )
    return address


class Door:
    """A socket for one bot."""

    def __init__(self, server: grpc.aio.Server, path: Path) -> None:
        self._server = server
        self._path = path

    async def close(self) -> None:
        """End its stream, if it is still up."""
        await self._server.stop(0)
        self._path.unlink(missing_ok=True)


def add_port(server: grpc.aio.Server, address: str, *, anywhere: bool = False, tls: Tls | None = None) -> str:
    """Have a server, before its start, take an address; returns it as it is to be dialled, with the port that was really taken.

    With `tls`, host:port is encrypted, and then need not be on loopback; a unix socket never is. Raises BadAddress.
    """
    address = check_address(address, anywhere=anywhere or tls is not None)
    local = address.startswith("unix:")
    if local:
        Path(address.removeprefix("unix:")).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        secret = tls.credentials() if tls is not None and not local else None
        port = server.add_secure_port(address, secret) if secret else server.add_insecure_port(address)
    except RuntimeError as error:
        raise BadAddress(f"cannot listen on {address}: {error}") from None
    if local:
        return address
    return f"{SCHEME if tls else ''}{address.rpartition(':')[0]}:{port}"


class Server:
    """A listening referee. Make it in the event loop; `start`, then `stop`."""

    def __init__(self, book: TokenBook, *, limits: Limits | None = None, watch: Watch | None = None) -> None:
        self.hall = Hall(limits, watch, book.bots)
        self._book = book
        self._server = grpc.aio.server(options=OPTIONS, interceptors=[Reading()])
        self._health = health.aio.HealthServicer()
        self._pulse: asyncio.Task[None] | None = None
        self._sockets: list[Path] = []
        self.play = PlayService(self.hall)
        self.play.register(self._server)
        control_pb2_grpc.add_ControlServiceServicer_to_server(ControlServicer(self.hall, book), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (SERVICE, CONTROL, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    def listen(self, address: str, *, anywhere: bool = False, tls: Tls | None = None) -> str:
        """Take an address, before `start`; see `add_port`. Raises BadAddress."""
        address = add_port(self._server, address, anywhere=anywhere, tls=tls)
        if address.startswith("unix:"):
            self._sockets.append(Path(address.removeprefix("unix:")))
        return address

    async def start(self, address: str, *, anywhere: bool = False) -> str:
        """Begin to serve, at one more address; returns it with the port that was really taken. Raises BadAddress."""
        address = self.listen(address, anywhere=anywhere)
        await self.serve()
        return address

    async def serve(self) -> None:
        """Begin to serve where it listens."""
        await self._server.start()
        for socket in self._sockets:
            socket.chmod(0o600)
        for name in ("", SERVICE, CONTROL):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        self._pulse = asyncio.create_task(self._beat())

    async def door(self, path: Path, token: bytes) -> Door:
        """Open a socket of its own for one bot: nothing but its stream is served there, and no token but its own counts."""
        server = grpc.aio.server(options=OPTIONS, interceptors=[Reading()])
        PlayService(self.hall, token).register(server)
        server.add_insecure_port(check_address(f"unix:{path}"))
        await server.start()
        path.chmod(0o666)  # whoever the bot has become; the folder lets in nobody else
        return Door(server, path)

    async def stop(self, grace: float = 2.0) -> None:
        """Break off what is played, say goodbye, and close."""
        await self._health.enter_graceful_shutdown()
        self.hall.close()
        await self._server.stop(grace)
        if self._pulse is not None:
            await cancelled(self._pulse)
        for socket in self._sockets:
            socket.unlink(missing_ok=True)

    async def _beat(self) -> None:
        refreshed = now()
        while True:
            if await self._pause(TICK):
                await self._pause(DRAIN)
            self.hall.tick(now())
            if now() - refreshed > REFRESH:
                refreshed = now()
                self._refresh()

    async def _pause(self, seconds: float) -> float:
        """Sleep; returns the seconds beyond it, if they are more than usual."""
        lag = self.hall.lag
        lag.due = now() + seconds
        await asyncio.sleep(seconds)
        return lag.catch_up(now())

    def _refresh(self) -> None:
        try:
            if self._book.refresh():
                self.hall.know(self._book.bots, unknown_token("the token was revoked"), now())
        except BadTokens as error:
            log.warning("%s; the tokens stay as they were", error)
