"""Bots that spoil one thing, as programs: `python -m tests.bots.bad KIND [ARGUMENT ...]`. In all else they play well."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from euchre.v1 import referee_pb2, table_pb2
from tests.bots.first_legal import TOKEN, Stream, connect, first, hello, play

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = table_pb2.Answer
Ask = table_pb2.Ask


def anyhow(ask: Ask) -> Answer:
    """A legal answer, drawn by lot from what the seat sees, so that every phase comes up."""
    lot = random.Random(ask.view.SerializeToString(deterministic=True))
    if ask.legal_cards:
        return Answer(ask=ask.id, card=lot.choice(ask.legal_cards))
    return Answer(ask=ask.id, call=lot.choice(ask.legal_calls))


def show_end(call: grpc.RpcError) -> None:
    """Print how a stream ended, for the test to read in the output."""
    print("STATUS", call.code().name, call.details())
    status = rpc_status.from_call(call)
    for detail in status.details if status else ():
        for kind in (error_details_pb2.ErrorInfo, error_details_pb2.RetryInfo):
            message = kind()
            if detail.Unpack(message):
                fields = dict(message.metadata) if kind is error_details_pb2.ErrorInfo else message.retry_delay.ToMilliseconds()
                print("DETAIL", getattr(message, "reason", ""), getattr(message, "domain", ""), fields)


def until_end(stream: Stream) -> None:
    """Read to the end and print it."""
    try:
        for _ in stream:
            pass
        print("STATUS OK")
    except grpc.RpcError as error:
        show_end(error)


# ---- answers ----------------------------------------------------------------------------------------------------------


def silent() -> None:
    play(lambda _ask: None)


def silent_after(answers: str) -> None:
    left = int(answers)

    def choose(ask: Ask) -> Answer | None:
        nonlocal left
        left -= 1
        return first(ask) if left >= 0 else None

    play(choose)


def slow(seconds: str) -> None:
    def choose(ask: Ask) -> Answer:
        time.sleep(float(seconds))
        return first(ask)

    play(choose)


def lot() -> None:
    play(anyhow)


def illegal(kind: str) -> None:
    def choose(ask: Ask) -> Answer:
        card = next(card for card in range(1, 33) if card not in ask.legal_cards)
        call = next(call for call in range(1, 24) if call not in ask.legal_calls)
        fields: dict[str, int] = {
            "card": {"card": card},
            "call": {"call": call},
            "other": {"call": 1} if ask.legal_cards else {"card": 9},
            "both": {"card": card, "call": call},
            "unspecified": {},
            "unknown": {"card": 77},
        }[kind]
        return Answer(ask=ask.id, **fields)  # type: ignore[arg-type]

    play(choose)


def revoke() -> None:
    def choose(ask: Ask) -> Answer:
        held = [card for card in ask.view.hand if card not in ask.legal_cards]
        if ask.view.phase == table_pb2.PHASE_PLAY and held:
            return Answer(ask=ask.id, card=held[0])
        return first(ask)

    play(choose)


def notes(size: str) -> None:
    def choose(ask: Ask) -> Answer:
        answer = first(ask)
        answer.note = "n" * int(size)
        return answer

    play(choose)


def _extra(extra: Callable[[Ask], list[Answer]]) -> None:
    """Play well, and send more besides; prints how often the referee found an answer stale."""
    stale = 0
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello())
        for response in stream:
            stale += len(response.stale)
            for ask in response.asks:
                stream.answer(first(ask), *extra(ask))
            if response.goodbye:
                stream.close()
    print("STALE", stale)


def twice() -> None:
    _extra(lambda ask: [first(ask)])


def other_seat() -> None:
    _extra(lambda ask: [Answer(ask=ask.id + step, card=1) for step in (-1, 1000, 2000)])


def flood() -> None:
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello())
        for _ in range(20):
            stream.answer(*(Answer(ask=4_000_000 + number) for number in range(1000)))
        until_end(stream)


def strict() -> None:
    """Know every phase by name, and fall over one that is new."""

    def choose(ask: Ask) -> Answer:
        table_pb2.Phase.Name(ask.view.phase)
        return first(ask)

    play(choose)


# ---- processes --------------------------------------------------------------------------------------------------------


def exits(when: str) -> None:
    """Exit before connecting, after Hello, or at the first ask in a phase (its number)."""
    if when == "start":
        print("cannot find my brain", file=sys.stderr)
        sys.exit(3)
    if when == "hello":
        with connect() as channel:
            stream = Stream(channel)
            stream.send(hello())
            next(iter(stream))
            os._exit(3)

    def choose(ask: Ask) -> Answer:
        if ask.view.phase == int(when):
            print("at", table_pb2.Phase.Name(ask.view.phase), flush=True)
            os._exit(3)
        return anyhow(ask)

    play(choose)


def daemon(mark: str) -> None:
    subprocess.Popen(["sh", "-c", f"sleep 300; : {mark}"], start_new_session=True)
    play()


def ignores_goodbye() -> None:
    play()
    time.sleep(300)


def ends_badly() -> None:
    play()
    print("could not save what I learnt", file=sys.stderr)
    sys.exit(5)


def noisy() -> None:
    def choose(ask: Ask) -> Answer:
        print("x" * 200_000)
        return first(ask)

    play(choose)


def never_connects() -> None:
    time.sleep(300)


# ---- streams ----------------------------------------------------------------------------------------------------------


def _raw(*messages: bytes) -> None:
    """Send bytes as they are and print how the stream ends."""
    with connect() as channel:
        call = channel.stream_stream("/euchre.v1.RefereeService/Play")(
            iter(messages), metadata=(("authorization", f"Bearer {TOKEN}"),)
        )
        try:
            for _ in call:
                pass
        except grpc.RpcError as error:
            show_end(error)


def garbage(when: str) -> None:
    _raw(*([hello().SerializeToString()] if when == "later" else []), b"\xff\xff\xff\xff not a message")


def oversized() -> None:
    note = referee_pb2.PlayRequest(answers=[Answer(ask=1, note="x" * 70_000)])
    _raw(hello().SerializeToString(), note.SerializeToString())


def two_hellos() -> None:
    _raw(hello().SerializeToString(), hello().SerializeToString())


def no_hello() -> None:
    _raw(referee_pb2.PlayRequest(answers=[Answer(ask=1, card=1)]).SerializeToString())


def protocol(version: str) -> None:
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello(protocol=int(version)))
        until_end(stream)


def wrong_token() -> None:
    with connect() as channel:
        stream = Stream(channel, token="not-my-token")
        stream.send(hello())
        until_end(stream)


def other_variant() -> None:
    play(variants=["some-other-game"])


def one_table() -> None:
    """Ask for one table at a time, and say so when there are more."""
    open_tables: set[int] = set()
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello(max_tables=1))
        for response in stream:
            open_tables |= {opened.table for opened in response.opened}
            print("TABLES", len(open_tables - {closed.table for closed in response.closed}))
            open_tables -= {closed.table for closed in response.closed}
            if response.asks:
                stream.answer(*map(first, response.asks))
            if response.goodbye:
                stream.close()


def never_reads() -> None:
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello())
        time.sleep(300)
        until_end(stream)


def comes_back(answers: str, away: str) -> None:
    """Break off after some answers while asked, stay away for so many seconds, come back and play on."""
    left = int(answers)
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello())
        for response in stream:
            if response.asks and left <= 0:
                break
            left -= len(response.asks)
            stream.answer(*map(first, response.asks))
        asked = {ask.id for ask in response.asks}
        stream.call.cancel()
    time.sleep(float(away))
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello())
        response = next(iter(stream))
        again = {ask.id for ask in response.asks}
        print("AGAIN", len(asked & again), "OF", len(asked), "TABLES", len(response.opened), flush=True)
        stream.answer(*map(first, response.asks))
        for response in stream:
            stream.answer(*map(first, response.asks))
            if response.goodbye:
                stream.close()


def never_comes_back() -> None:
    """Play well on one stream; when that is lost, stay away."""
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello())
        try:
            for response in stream:
                stream.answer(*map(first, response.asks))
                if response.goodbye:
                    stream.close()
        except grpc.RpcError:
            time.sleep(300)


def repeats_what_is_stale() -> None:
    """Answer an ask once more when told that its answer came for no open ask."""
    with connect() as channel:
        stream = Stream(channel)
        stream.send(hello())
        for response in stream:
            stream.answer(*map(first, response.asks), *(Answer(ask=stale.ask, call=1) for stale in response.stale))
            if response.goodbye:
                stream.close()


def forgets_the_token_later() -> None:
    """Show the token on the first stream only."""
    try:
        with connect() as channel:
            stream = Stream(channel)
            stream.send(hello())
            for response in stream:
                stream.answer(*map(first, response.asks))
                if response.goodbye:
                    stream.close()
    except grpc.RpcError:
        with connect() as channel:
            stream = Stream(channel, token="")
            stream.send(hello())
            until_end(stream)


def replaces_itself() -> None:
    """Open a second stream beside the first and play on it."""
    with connect() as one, connect() as two:
        old = Stream(one)
        old.send(hello())
        next(iter(old))
        new = Stream(two)
        new.send(hello())
        until_end(old)
        for response in new:
            new.answer(*map(first, response.asks))
            if response.goodbye:
                new.close()


def many_streams() -> None:
    """Open streams faster than is allowed, print how the last ends, and come back when it says."""
    with connect() as channel:
        for _ in range(20):
            stream = Stream(channel)
            stream.send(hello())
            try:
                next(iter(stream))
            except grpc.RpcError as error:
                show_end(error)
                break


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
