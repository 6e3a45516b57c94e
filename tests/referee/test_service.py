"""A long-lived referee, over real sockets: discovery, operators, remote bots, several matches at once."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf import descriptor_pb2
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from euchre.v1 import control_pb2, control_pb2_grpc, referee_pb2
from referee.auth import TokenBook, digest
from referee.launch import ROOT
from referee.limits import Limits
from referee.order import Order
from referee.server import Server
from referee.session import Session
from tests.referee.matches import finish, order, start
from tests.referee.processes import marked, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

OPERATOR = "operator-token"
GREETING = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol=1)).SerializeToString()


def sha(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass
class Served:
    """A referee that listens: its address, token file and process."""

    address: str
    tokens: Path
    folder: str
    process: subprocess.Popen[str]

    def allow(self, *bots: str) -> None:
        """Write the token file anew: one operator, and bots whose names are their tokens."""
        content = {"operators": [sha(OPERATOR)], "bots": {sha(bot): {"bot": bot} for bot in bots}}
        fresh = self.tokens.with_suffix(".new")
        fresh.write_text(json.dumps(content))
        fresh.replace(self.tokens)

    def channel(self) -> grpc.Channel:
        return grpc.insecure_channel(self.address)

    def remote(self, token: str) -> subprocess.Popen[str]:
        """A bot that dials in by itself."""
        environment = {**os.environ, "EUCHRE_REFEREE": self.address, "EUCHRE_TOKEN": token, "TMPDIR": self.folder}
        command = [sys.executable, "-m", "tests.bots.first_legal"]
        return subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    with tempfile.TemporaryDirectory(prefix="et-", dir="/tmp") as folder:
        tcp = getattr(request, "param", "unix") == "tcp"
        listen = "127.0.0.1:0" if tcp else f"unix:{folder}/sockets/r.sock"
        tokens = Path(folder, "tokens.json")
        found = Served("", tokens, folder, None)  # type: ignore[arg-type]
        found.allow("ann", "bea")
        command = [sys.executable, "-m", "referee", "serve", "--listen", listen, "--tokens", str(tokens)]
        found.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert found.process.stdout is not None
        found.address = json.loads(found.process.stdout.readline())["address"]
        try:
            yield found
        finally:
            found.process.terminate()
            assert found.process.wait(120) == 0
            found.process.stdout.close()


both = pytest.mark.parametrize("served", ["unix", "tcp"], indirect=True)


def metadata(token: str = OPERATOR) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


def sessions(served: Served) -> dict[str, control_pb2.Session]:
    with served.channel() as channel:
        stub = control_pb2_grpc.ControlServiceStub(channel)
        listed = stub.ListSessions(control_pb2.ListSessionsRequest(), metadata=metadata())
    return {session.bot: session for session in listed.sessions}


def reason(error: grpc.RpcError) -> str:
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "euchre.v1"
    return str(info.reason)


@both
def test_health_and_discovery(served: Served) -> None:
    """The health service says that all serve; reflection lists the services and describes them to a client without protos."""
    with served.channel() as channel:
        for name in ("", "euchre.v1.RefereeService", "euchre.v1.ControlService"):
            reply = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=name))
            assert reply.status == health_pb2.HealthCheckResponse.SERVING
        info = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        requests = [
            reflection_pb2.ServerReflectionRequest(list_services=""),
            reflection_pb2.ServerReflectionRequest(file_containing_symbol="euchre.v1.RefereeService"),
        ]
        listed, described = info(iter(requests))
    names = {service.name for service in listed.list_services_response.service}
    assert {"euchre.v1.RefereeService", "euchre.v1.ControlService", "grpc.health.v1.Health"} <= names
    files = [
        descriptor_pb2.FileDescriptorProto.FromString(data) for data in described.file_descriptor_response.file_descriptor_proto
    ]
    methods = {method.name for file in files for service in file.service for method in service.method}
    assert "Play" in methods


def test_only_an_operator_controls(served: Served) -> None:
    """Without an operator's token, or with a bot's, every control call is UNAUTHENTICATED; a bad order is INVALID_ARGUMENT."""
    with served.channel() as channel:
        stub = control_pb2_grpc.ControlServiceStub(channel)
        calls = [
            lambda with_: stub.ListSessions(control_pb2.ListSessionsRequest(), metadata=with_),
            lambda with_: stub.CancelMatch(control_pb2.CancelMatchRequest(match="m"), metadata=with_),
            lambda with_: stub.ReportExit(control_pb2.ReportExitRequest(), metadata=with_),
            lambda with_: list(stub.PlayMatch(control_pb2.PlayMatchRequest(), metadata=with_)),
        ]
        for call in calls:
            for shown in ((), metadata("ann"), metadata("nonsense")):
                with pytest.raises(grpc.RpcError) as caught:
                    call(shown)
                assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED
                assert reason(caught.value) == "TOKEN_UNKNOWN"
        with pytest.raises(grpc.RpcError) as caught:
            calls[3](metadata())
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert reason(caught.value) == "BAD_ORDER"


@pytest.mark.parametrize(
    "wrong", [{"format": "deals:1" + "0" * 5000}, {"variant": "v" * 60_000}, {"variant": "\U0001f0cf" * 9000}]
)
def test_absurdly_long_orders_are_refused(served: Served, wrong: dict[str, str]) -> None:
    """A bad order is refused with its reason, however long what it quotes: no client reads a status of more than 8 KiB."""
    order = control_pb2.Order(**{"variant": "turn-up", **wrong})  # type: ignore[arg-type]
    with served.channel() as channel, pytest.raises(grpc.RpcError) as caught:
        list(
            control_pb2_grpc.ControlServiceStub(channel).PlayMatch(control_pb2.PlayMatchRequest(order=order), metadata=metadata())
        )
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert reason(caught.value) == "BAD_ORDER"


def test_a_refused_version_leaves_no_session(served: Served) -> None:
    """A bot that speaks another version of the protocol is refused, and is not listed as expected afterwards."""
    with served.channel() as channel:
        greeting = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol=7)).SerializeToString()
        play = channel.stream_stream("/euchre.v1.RefereeService/Play")
        with pytest.raises(grpc.RpcError) as caught:
            list(play(iter([greeting]), metadata=metadata("ann")))
        assert reason(caught.value) == "PROTOCOL_VERSION"
    assert sessions(served) == {}


def test_unreadable_requests_are_refused(served: Served) -> None:
    """Bytes that are no request of any of the services are the client's error: INVALID_ARGUMENT with the reason GARBAGE."""
    garbage = b"\xff\xff\xff"
    with served.channel() as channel:
        cancel = channel.unary_unary("/euchre.v1.ControlService/CancelMatch")
        play = channel.unary_stream("/euchre.v1.ControlService/PlayMatch")
        check = channel.unary_unary("/grpc.health.v1.Health/Check")
        watch = channel.unary_stream("/grpc.health.v1.Health/Watch")
        reflect = channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        calls = [
            lambda: cancel(garbage),
            lambda: list(play(garbage)),
            lambda: check(garbage),
            lambda: list(watch(garbage)),
            lambda: list(reflect(iter([garbage]))),
        ]
        for call in calls:
            with pytest.raises(grpc.RpcError) as caught:
                call()
            assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
            assert reason(caught.value) == "GARBAGE"


@both
def test_many_matches_and_remote_bots_at_once(served: Served) -> None:
    """One referee plays three matches at a time, two of them with the same remote bot; all games arrive and nobody faults."""
    remote = served.remote("ann")
    assert wait_until(lambda: _connected(served, "ann"))
    link = {"address": served.address, "token": OPERATOR}
    orders = []
    for number, variant in enumerate(("cutthroat", "ghost-hand", "turn-up")):
        given = order(variant=variant, sets=4, seatings=2, referee=link)
        given["match"] = f"match/{number}"
        if number < 2:
            given["lineup"][number] = {"bot": "ann", "version": 1, "tokens": [sha("ann")]}
        orders.append(given)
    outcomes = [finish(process) for process in [start(given, TMPDIR=served.folder) for given in orders]]
    for outcome in outcomes:
        assert outcome.exit == 0, outcome.stderr
        assert outcome.done
        assert len(outcome.games) == 8
        assert outcome.faults() == []
        assert outcome.voids == []
    session = sessions(served)["ann"]
    assert (session.connected, session.tables, session.asks, session.agent) == (True, 0, 0, "test")
    assert session.decisions > 100
    assert list(sessions(served)) == ["ann"]
    remote.kill()
    remote.communicate()
    assert wait_until(lambda: sessions(served) == {})


def _request(*tokens: str) -> control_pb2.PlayMatchRequest:
    """Three games of cutthroat without a hurry."""
    seats = [control_pb2.OrderSeat(token_sha256=bytes.fromhex(sha(token)), bot=token) for token in tokens]
    given = control_pb2.Order(
        match="long", variant="cutthroat", format="deals:5", key=bytes(32), sets=range(3), seating=(0, 1, 2)
    )
    for part in (given.clock.answer, given.clock.bank, given.clock.start):
        part.FromSeconds(600)
    given.clock.grace.FromSeconds(1)  # nobody is gone but who is sent away
    given.clock.faults = 3
    given.options["stick_dealer"] = "on"
    given.seats.extend(seats)
    return control_pb2.PlayMatchRequest(order=given)


@pytest.mark.parametrize("how", ["CancelMatch", "breaking off", "revoking"])
def test_what_is_played_can_be_stopped(served: Served, how: str) -> None:
    """CancelMatch voids what is unfinished, breaking the call off too; a bot whose token is revoked is ended and forfeits."""
    served.allow("ann", "bea", "cat")
    assert wait_until(lambda: _admits(served, "cat"))
    bots = [served.remote(token) for token in ("ann", "bea", "cat")]
    try:
        assert wait_until(lambda: all(_connected(served, token) for token in ("ann", "bea", "cat")))
        bots[0].send_signal(signal.SIGSTOP)  # so that nothing is over before it is stopped
        with served.channel() as channel:
            stub = control_pb2_grpc.ControlServiceStub(channel)
            call = stub.PlayMatch(_request("ann", "bea", "cat"), metadata=metadata())
            assert wait_until(lambda: _seated(served) == 3)
            if how == "CancelMatch":
                reply = stub.CancelMatch(control_pb2.CancelMatchRequest(match="long"), metadata=metadata())
                assert reply.games == 3
                assert [event.void.cause for event in call] == ["INTERRUPTED"] * 3
            elif how == "breaking off":
                call.cancel()
            else:
                served.allow("ann", "bea")
                assert bots[2].wait(120) != 0
                bots[0].send_signal(signal.SIGCONT)
                records = [json.loads(event.game.record) for event in call]
                assert [record["forfeits"] for record in records] == [[2]] * 3
        assert wait_until(lambda: all(session.tables == 0 for session in sessions(served).values()))
        assert {"ann", "bea"} <= sessions(served).keys()
    finally:
        for bot in bots:
            bot.kill()
            bot.communicate()


def _connected(served: Served, token: str) -> bool:
    return sessions(served).get(token, control_pb2.Session()).connected


def _seated(served: Served) -> int:
    """At how many tables all three bots sit."""
    listed = sessions(served)
    return min(listed[token].tables if token in listed else 0 for token in ("ann", "bea", "cat"))


def _admits(served: Served, token: str) -> bool:
    """Whether the referee welcomes a bot with this token."""
    with served.channel() as channel:
        call = channel.stream_stream("/euchre.v1.RefereeService/Play")(iter([GREETING]), metadata=metadata(token))
        try:
            return bool(next(call))
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                return False
            raise


def test_stopping_says_goodbye(served: Served) -> None:
    """A referee that is stopped says goodbye to its bots, which end well, and leaves no socket."""
    bot = served.remote("ann")
    assert wait_until(lambda: "ann" in sessions(served))
    served.process.terminate()
    assert bot.wait(120) == 0
    bot.communicate()
    assert served.process.wait(120) == 0
    assert not list(Path(served.folder).rglob("*.sock"))


def test_a_socket_is_its_owners_alone(served: Served) -> None:
    """A unix socket and its folder are for the owner only."""
    for socket in Path(served.folder).rglob("*.sock"):
        assert socket.stat().st_mode & 0o777 == 0o600
        assert socket.parent.stat().st_mode & 0o777 == 0o700


def test_a_taken_address_is_refused() -> None:
    """Two referees never share an address; the second says so and exits with 2."""
    with subprocess.Popen(
        [sys.executable, "-m", "referee", "serve", "--listen", "127.0.0.1:0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        told = json.loads(first.stdout.readline())
        command = [sys.executable, "-m", "referee", "serve", "--listen", told["address"]]
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        first.terminate()
    assert second.returncode == 2
    assert f"cannot listen on {told['address']}" in second.stderr


def test_finished_streams_no_longer_count() -> None:
    """A bot that comes and goes many times, by every kind of end, leaves no stream counted and may come again."""
    limits = Limits(streams=2, stream_window=0.001)

    async def come_and_go(address: str, session: Session) -> None:
        async with grpc.aio.insecure_channel(address) as channel:
            play = channel.stream_stream("/euchre.v1.RefereeService/Play")
            greeting = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol=1)).SerializeToString()
            for last in (b"\xff", greeting, b"", None) * 3:
                call = play(metadata=metadata("ann"))
                await call.write(greeting)
                await call.read()
                if last is None:
                    call.cancel()
                elif last:
                    await call.write(last)
                else:
                    await call.done_writing()
                while not call.done():
                    await asyncio.sleep(0.01)
                while session.streams:
                    await asyncio.sleep(0.01)

    async def main() -> None:
        server = Server(TokenBook(bots={bytes.fromhex(sha("ann")): "ann"}), limits=limits)
        with tempfile.TemporaryDirectory(prefix="et-", dir="/tmp") as folder:
            address = await server.start(f"unix:{folder}/r.sock")
            session = server.hall.sessions.setdefault(digest("ann"), Session(digest("ann"), "1", "ann", limits))
            server.hall.disconnect = lambda *_: None  # type: ignore[method-assign]  # keep the session, whose count is looked at
            async with asyncio.timeout(300):
                await come_and_go(address, session)
            await server.stop()
        assert session.streams == 0

    asyncio.run(main())


def test_what_is_refused_is_not_kept() -> None:
    """Nothing holds on to a refused order or message once its call has ended, not even until the next garbage collection."""
    order = control_pb2.Order(variant="turn-up", key=bytes(32), sets=range(50), seating=[0, 0, 0, 0])
    request = control_pb2.PlayMatchRequest(order=order).SerializeToString()

    async def refused(call: Any) -> None:
        with pytest.raises(grpc.RpcError):
            async for _ in call:
                pass

    async def main() -> list[str]:
        server = Server(TokenBook(operators={digest(OPERATOR)}, bots={digest("ann"): "ann"}))
        with tempfile.TemporaryDirectory(prefix="et-", dir="/tmp") as folder:
            address = await server.start(f"unix:{folder}/r.sock")
            async with grpc.aio.insecure_channel(address) as channel:
                gc.collect()
                gc.disable()
                await refused(channel.unary_stream("/euchre.v1.ControlService/PlayMatch")(request, metadata=metadata()))
                for messages in ([bytes(300_000)], [GREETING, bytes(300_000)], [GREETING, b"\xff"]):
                    play = channel.stream_stream("/euchre.v1.RefereeService/Play")
                    await refused(play(iter(messages), metadata=metadata("ann")))
                patience = time.monotonic() + 120
                while (left := _left()) and time.monotonic() < patience:
                    await asyncio.sleep(0.02)
            await server.stop()
        return left

    try:
        assert asyncio.run(main()) == []
    finally:
        gc.enable()


def _left() -> list[str]:
    """What there is in memory of orders and of calls that are being served."""
    frames = [one.f_code.co_name for one in gc.get_objects() if isinstance(one, types.FrameType)]
    kept = [type(one).__name__ for one in gc.get_objects() if isinstance(one, Order | control_pb2.PlayMatchRequest)]
    return [*kept, *(name for name in frames if name in {"_parse", "_hello", "_read", "_submit", "PlayMatch"})]


def test_many_strangers_do_not_keep_others_out(served: Served) -> None:
    """Streams that never say Hello are held back at a limit, and a bot that comes meanwhile still plays."""
    stop = threading.Event()

    def nothing() -> Iterator[bytes]:
        stop.wait()
        yield from ()

    with served.channel() as channel:
        play = channel.stream_stream("/euchre.v1.RefereeService/Play")
        calls: list[Any] = [play(nothing()) for _ in range(20)]
        bot = served.remote("ann")
        assert wait_until(lambda: "ann" in sessions(served))
        stop.set()
        codes = set()
        for call in calls:
            with pytest.raises(grpc.RpcError):
                next(call)
            codes.add(call.code())
        assert codes == {grpc.StatusCode.INVALID_ARGUMENT}
        bot.kill()
        bot.communicate()
    assert marked(f"EUCHRE_REFEREE={served.address}") == []
