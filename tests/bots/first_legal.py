"""A good bot on bare gRPC: the first legal answer, at once. Other programs of this folder import its pieces and spoil one."""

from __future__ import annotations

import os
import queue
import time
from typing import TYPE_CHECKING

import grpc

from euchre.v1 import referee_pb2, referee_pb2_grpc, table_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ADDRESS = os.environ["EUCHRE_REFEREE"]
TOKEN = os.environ["EUCHRE_TOKEN"]
TRIES, PAUSE = 20, 0.1  # of coming back when a stream is lost, and seconds between them


def hello(**fields: object) -> referee_pb2.PlayRequest:
    return referee_pb2.PlayRequest(hello=referee_pb2.Hello(**{"protocol": 1, "agent": "test", **fields}))


def first(ask: table_pb2.Ask) -> table_pb2.Answer:
    if ask.legal_cards:
        return table_pb2.Answer(ask=ask.id, card=ask.legal_cards[0])
    return table_pb2.Answer(ask=ask.id, call=ask.legal_calls[0])


class Stream:
    """One stream: `send` requests, iterate over responses."""

    def __init__(self, channel: grpc.Channel, token: str = TOKEN) -> None:
        self._out: queue.SimpleQueue[referee_pb2.PlayRequest | None] = queue.SimpleQueue()
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.call = referee_pb2_grpc.RefereeServiceStub(channel).Play(iter(self._out.get, None), metadata=metadata)

    def send(self, request: referee_pb2.PlayRequest) -> None:
        self._out.put(request)

    def answer(self, *answers: table_pb2.Answer) -> None:
        self.send(referee_pb2.PlayRequest(answers=answers))

    def close(self) -> None:
        self._out.put(None)

    def __iter__(self) -> Iterator[referee_pb2.PlayResponse]:
        return iter(self.call)


def connect() -> grpc.Channel:
    return grpc.insecure_channel(ADDRESS)


def play(choose: Callable[[table_pb2.Ask], table_pb2.Answer | None] = first, **fields: object) -> None:
    """Play until the goodbye, over new streams where one is lost; `choose` gives the answer to an ask, or None."""
    left = TRIES
    while True:
        try:
            for response in _conversation(choose, fields):
                left = TRIES
                if response.goodbye:
                    return
            return
        except grpc.RpcError as error:
            left -= 1
            if error.code() is not grpc.StatusCode.UNAVAILABLE or not left:
                raise
        time.sleep(PAUSE)


def _conversation(
    choose: Callable[[table_pb2.Ask], table_pb2.Answer | None], fields: dict[str, object]
) -> Iterator[referee_pb2.PlayResponse]:
    """One stream: answers what is asked, and passes on what came."""
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello(**fields))
        for response in stream:
            answers = [answer for ask in response.asks if (answer := choose(ask))]
            if answers:
                stream.answer(*answers)
            if response.goodbye:
                stream.close()
            yield response


if __name__ == "__main__":
    play()
