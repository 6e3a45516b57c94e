"""A referee that loses streams on purpose: it talks to one bot, by a script, and keeps what the bot sent."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import grpc

from euchre.v1 import cards_pb2, referee_pb2, referee_pb2_grpc, table_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "a-token"
UNKNOWN = 99
"""A call, or a phase, that no bot can know yet."""


def asks() -> list[table_pb2.Ask]:
    """Three questions: one as ever, one whose only legal calls are new, one in a new phase and with an empty view."""
    trick = table_pb2.Trick(leader=1, cards=[cards_pb2.CARD_9C, cards_pb2.CARD_AC])
    hand = [cards_pb2.CARD_9H, cards_pb2.CARD_KH, cards_pb2.CARD_AH]
    play = table_pb2.View(phase=table_pb2.PHASE_PLAY, seat=3, trump=cards_pb2.SUIT_HEARTS, hand=hand, tricks=[trick])
    return [
        table_pb2.Ask(id=7, view=play, legal_cards=hand),
        table_pb2.Ask(id=8, view=table_pb2.View(phase=table_pb2.PHASE_AUCTION), legal_calls=[UNKNOWN, UNKNOWN + 1]),  # type: ignore[list-item]
        table_pb2.Ask(id=9, view=table_pb2.View(phase=UNKNOWN), legal_cards=hand),  # type: ignore[arg-type]
    ]


class Scripted(referee_pb2_grpc.RefereeServiceServicer):
    """Ends one stream after another as `endings` say; a stream without one is asked three questions and told goodbye."""

    def __init__(self, *endings: grpc.StatusCode) -> None:
        self._endings = list(endings)
        self.tokens: list[str] = []
        self.requests: list[referee_pb2.PlayRequest] = []

    def Play(  # noqa: N802 - gRPC's name
        self, requests: Iterator[referee_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[referee_pb2.PlayResponse]:
        """One stream."""
        self.tokens.append(str(dict(context.invocation_metadata()).get("authorization")))
        self.requests = [next(requests)]
        yield referee_pb2.PlayResponse(welcome=referee_pb2.Welcome(protocol=1))
        if self._endings:
            context.abort(self._endings.pop(0), "so says the script")
        yield referee_pb2.PlayResponse(asks=asks())
        self.requests.append(next(requests))
        yield referee_pb2.PlayResponse(goodbye=True)


def session(bot: Path, referee: Scripted) -> subprocess.CompletedProcess[str]:
    """Start the bot, and only then the referee; returns how the bot ended."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        address = f"unix:{folder}/socket"
        environment = {"EUCHRE_REFEREE": address, "EUCHRE_TOKEN": TOKEN}
        # Started first: no process is forked beside a running server, and the bot has to try again until there is one.
        process = subprocess.Popen([bot], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        stack.callback(process.wait)
        stack.callback(process.kill)
        server = grpc.server(ThreadPoolExecutor(4))
        referee_pb2_grpc.add_RefereeServiceServicer_to_server(referee, server)
        server.add_insecure_port(address)
        server.start()
        stack.callback(lambda: server.stop(None).wait())
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess([str(bot)], process.returncode, out, err)


def check_reconnects(bot: Path) -> None:
    """The bot opens lost streams again, answers what came together in one message, the unknown too, and ends with 0."""
    referee = Scripted(grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.RESOURCE_EXHAUSTED)
    done = session(bot, referee)
    assert done.returncode == 0, done.stderr
    assert referee.tokens == [f"Bearer {TOKEN}"] * 4
    hello, answers = referee.requests
    assert (hello.hello.protocol, len(hello.answers)) == (1, 0)
    assert [(answer.ask, answer.card, answer.call) for answer in answers.answers] == [
        (7, cards_pb2.CARD_9H, 0),  # the lowest card that takes the trick
        (8, 0, UNKNOWN),
        (9, cards_pb2.CARD_9H, 0),
    ]


def check_refused(bot: Path) -> None:
    """The referee's word is final: exit code 1 after one stream, and the reason on stderr."""
    referee = Scripted(grpc.StatusCode.UNAUTHENTICATED)
    done = session(bot, referee)
    assert done.returncode == 1
    assert len(referee.tokens) == 1
    assert "so says the script" in done.stderr
