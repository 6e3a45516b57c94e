"""A bot built against the last released protocol: its messages come from the image of that release, never from euchre.v1.

It is strict: where a field that the release promised is not filled, it ends with an error, for which it is then blamed.
"""

from __future__ import annotations

import os
import queue
import sys
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

IMAGE = Path(__file__).resolve().parent.parent / "referee" / "released" / "euchre.v1.binpb"
JOKER, PLAY = "PHASE_JOKER", "PHASE_PLAY"


class Release:
    """The message classes and enums of an image, in a pool of their own."""

    def __init__(self, image: bytes) -> None:
        self.pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(image).file:
            self.pool.AddSerializedFile(file.SerializeToString())

    def message(self, name: str) -> Any:
        return message_factory.GetMessageClass(self.pool.FindMessageTypeByName(f"euchre.v1.{name}"))

    def value(self, enum: str, name: str) -> int:
        return self.pool.FindEnumTypeByName(f"euchre.v1.{enum}").values_by_name[name].number


class Bot:
    """Answers with the last legal card or the first legal call, once it has seen that the ask is complete."""

    def __init__(self, release: Release) -> None:
        self.request = release.message("PlayRequest")
        self.response = release.message("PlayResponse")
        self._phases = {name: release.value("Phase", name) for name in (JOKER, PLAY)}
        self._seats: dict[int, int] = {}

    def hello(self) -> Any:
        request = self.request()
        request.hello.protocol = 1
        request.hello.agent = "the last release"
        return request

    def answers(self, response: Any) -> Any:
        """The reply to all asks of a message, or None."""
        if response.HasField("welcome"):
            self._check_welcome(response.welcome)
        for opened in response.opened:
            self._open(opened)
        if response.faults or response.stale:
            raise ValueError(f"blamed: {response.faults or response.stale}")
        request = self.request()
        for ask in response.asks:
            self._check(ask)
            answer = request.answers.add(ask=ask.id, note="as the release taught me")
            if ask.legal_cards:
                answer.card = ask.legal_cards[-1]
            else:
                answer.call = ask.legal_calls[0]
        for closed in response.closed:
            assert closed.end
            assert len(closed.places) == len(closed.total) > 0
        return request if request.answers else None

    def _check_welcome(self, welcome: Any) -> None:
        limits = welcome.limits
        assert welcome.session
        assert welcome.protocol == 1
        assert limits.message_bytes
        assert limits.open_asks
        assert limits.stray_answers
        assert limits.streams
        assert limits.HasField("grace")

    def _open(self, opened: Any) -> None:
        assert opened.match
        assert opened.variant
        assert opened.options
        assert opened.format
        assert len(opened.commitment) == 32
        assert opened.seat < opened.seats
        assert opened.HasField("time")
        assert opened.HasField("bank")
        assert opened.faults
        self._seats[opened.table] = opened.seats

    def _check(self, ask: Any) -> None:
        view = ask.view
        assert bool(ask.legal_cards) != bool(ask.legal_calls)
        assert ask.HasField("time")
        assert ask.HasField("bank")
        assert view.variant
        assert view.phase
        assert view.target
        assert view.hand or view.phase == self._phases[JOKER]
        assert len(view.taken) == self._seats[ask.table]
        assert len(view.total) == len(view.penalty) > 1
        if view.phase == self._phases[PLAY]:
            assert view.trump
            assert view.HasField("maker")
            assert set(ask.legal_cards) <= set(view.hand)


def play(bot: Bot, address: str, token: str) -> None:
    """Play until the goodbye."""
    out: queue.SimpleQueue[Any] = queue.SimpleQueue()
    out.put(bot.hello())
    with grpc.insecure_channel(address) as channel:
        call = channel.stream_stream(
            "/euchre.v1.RefereeService/Play",
            request_serializer=bot.request.SerializeToString,
            response_deserializer=bot.response.FromString,
        )
        for response in call(iter(out.get, None), metadata=(("authorization", f"Bearer {token}"),)):
            request = bot.answers(response)
            if request is not None:
                out.put(request)
            if response.goodbye:
                out.put(None)


if __name__ == "__main__":
    play(Bot(Release(IMAGE.read_bytes())), os.environ["EUCHRE_REFEREE"], os.environ["EUCHRE_TOKEN"])
    assert not [name for name in sys.modules if name.split(".")[0] == "euchre"]
