"""A referee that keeps to a script, and a line to it that can be cut: it talks to one bot, and keeps what that said."""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc

from euchre.v1 import cards_pb2, referee_pb2, referee_pb2_grpc, table_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.certificates import Authority, Pair

TOKEN = "a-token"
UNKNOWN = 99
"""A call, or a phase, that no bot can know yet."""
HAND = [cards_pb2.CARD_9H, cards_pb2.CARD_KH, cards_pb2.CARD_AH]

GOODBYE = referee_pb2.PlayResponse(goodbye=True)


def asks() -> referee_pb2.PlayResponse:
    """Three questions: one as ever, one whose only legal calls are new, one in a new phase and with an empty view."""
    trick = table_pb2.Trick(leader=1, cards=[cards_pb2.CARD_9C, cards_pb2.CARD_AC])
    play = table_pb2.View(phase=table_pb2.PHASE_PLAY, seat=3, trump=cards_pb2.SUIT_HEARTS, hand=HAND, tricks=[trick])
    auction = table_pb2.View(phase=table_pb2.PHASE_AUCTION, variant="next-year")
    return referee_pb2.PlayResponse(
        asks=[
            table_pb2.Ask(id=7, table=1, view=play, legal_cards=HAND),
            table_pb2.Ask(id=8, table=2, view=auction, legal_calls=[UNKNOWN, UNKNOWN + 1]),  # type: ignore[list-item]
            table_pb2.Ask(id=9, table=3, view=table_pb2.View(phase=UNKNOWN), legal_cards=HAND),  # type: ignore[arg-type]
        ]
    )


def check_answers(message: referee_pb2.PlayRequest) -> None:
    """The answers to `asks` came in one message, and are what a sound player says."""
    cheapest, first, any_card = message.answers
    assert (cheapest.ask, cheapest.card, cheapest.call) == (7, cards_pb2.CARD_9H, 0), "the lowest card that takes the trick"
    assert (first.ask, first.card, first.call) == (8, 0, UNKNOWN), "of calls that it does not know, the first"
    assert (any_card.ask, any_card.call) == (9, 0)
    assert any_card.card in HAND


@dataclass
class Scripted(referee_pb2_grpc.RefereeServiceServicer):
    """Plays no euchre. Each stream ends with the status of the script; or is sent its message, and if that asks, answers.

    A stream with asks stays open once they are answered while `hold` is set.
    """

    script: tuple[grpc.StatusCode | referee_pb2.PlayResponse, ...]
    hold: bool = False
    tokens: list[str] = field(default_factory=list)
    hellos: list[referee_pb2.Hello] = field(default_factory=list)
    answers: list[referee_pb2.PlayRequest] = field(default_factory=list)
    answered: threading.Event = field(default_factory=threading.Event)

    def Play(  # noqa: N802 - gRPC's name
        self, requests: Iterator[referee_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[referee_pb2.PlayResponse]:
        """One stream."""
        step = self.script[len(self.hellos)]
        self.tokens.append(str(dict(context.invocation_metadata()).get("authorization")))
        self.hellos.append(next(requests).hello)
        if isinstance(step, grpc.StatusCode):
            context.abort(step, "so says the script")
            return
        yield referee_pb2.PlayResponse(welcome=referee_pb2.Welcome(session="1", protocol=1))
        yield step
        if step.asks:
            self.answers.append(next(requests))
            self.answered.set()
            if self.hold:
                next(requests, None)


@contextlib.contextmanager
def serving(referee: Scripted, address: str, credentials: grpc.ServerCredentials | None = None) -> Iterator[int]:
    """Serve at an address; yields the port."""
    server = grpc.server(ThreadPoolExecutor(8))
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(referee, server)
    port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait()


@contextlib.contextmanager
def running(bot: str, address: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run a bot with nothing in its environment but what it needs."""
    environment |= {"PATH": os.environ["PATH"], "EUCHRE_REFEREE": address, "EUCHRE_TOKEN": TOKEN}
    process = subprocess.Popen(shlex.split(bot), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a bot's end; its exit code and its stderr."""
    _, stderr = process.communicate(timeout=120)
    return process.returncode, stderr


def secret(pair: Pair, client: Authority | None) -> grpc.ServerCredentials:
    """What to serve encrypted with; where an authority is given, to those alone who show a certificate of its."""
    trusted = client.certificate.read_bytes() if client else None
    return grpc.ssl_server_credentials([(pair.key.read_bytes(), pair.certificate.read_bytes())], trusted, client is not None)


class Line:
    """A port of loopback that passes everything on to another while it is up. Bots that come while it is down are turned away."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._up = True
        self._lock = threading.Lock()
        self._ends: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.arrivals = threading.Semaphore(0)
        """Released once for each connection that is opened, or turned away."""
        self._threads[0].start()

    def cut(self) -> None:
        """Break every connection, and let none be made."""
        with self._lock:
            self._up = False
            for end in self._ends:
                _shut(end)

    def restore(self) -> None:
        """Let connections be made."""
        with self._lock:
            self._up = True

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        """Cut it for good."""
        self.cut()
        _shut(self._listening)
        for thread in self._threads:  # the first adds no more once it has ended
            thread.join()
        for end in (self._listening, *self._ends):
            end.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                with self._lock:
                    self._ends.append(near)
                    if self._up:
                        self._ends.append(socket.create_connection(("127.0.0.1", self._target)))
                        self._join(*self._ends[-2:])
                    else:
                        _shut(near)
                self.arrivals.release()

    def _join(self, near: socket.socket, far: socket.socket) -> None:
        for pair in ((near, far), (far, near)):
            self._threads.append(threading.Thread(target=_pass, args=pair))
            self._threads[-1].start()


def _pass(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    _shut(source)
    _shut(target)


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
