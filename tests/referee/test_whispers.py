"""What a bot is sent says nothing of how long its partner thought, nor of anything else that is not in the view."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from referee.clock import Clock
from tests.referee.test_hall import Arena, first

if TYPE_CHECKING:
    from euchre.v1 import referee_pb2

CLOCK = Clock(answer=1.0, bank=30.0, start=20.0, grace=5.0)
LISTENER, PARTNER = 0, 2


def heard(delays: random.Random | None, sets: int) -> list[referee_pb2.PlayResponse]:
    """All that seat 0 is sent in some games of teams whose seat 2 takes its time, or, without `delays`, none."""
    arena = Arena(sets, clock=CLOCK, variant="turn-up", fmt="deals:4")
    arena.greet_all()
    now, found = 0.0, []
    while not arena.run.over:
        for seat in range(4):
            message = arena.read(seat, now)
            if seat == LISTENER:
                found.append(message)
            for ask in message.asks:
                thought = delays.randrange(100) if delays is not None and seat == PARTNER else 0
                now += (1 + thought) / 128  # whatever is added up of these is exact
                arena.session(seat).take([first(ask)], now)
                arena.hall.pump(now)
    return [message for message in found if message.ByteSize()]


def by_table(messages: list[referee_pb2.PlayResponse]) -> dict[int, list[bytes]]:
    """The asks of each table, in the order in which they came."""
    tables: dict[int, list[bytes]] = {}
    for message in messages:
        for ask in message.asks:
            tables.setdefault(ask.table, []).append(ask.SerializeToString(deterministic=True))
    return tables


@pytest.mark.parametrize("seed", range(3))
def test_a_partners_thinking_time_is_in_no_message(seed: int) -> None:
    """At one table every message is the same to the byte, however long the partner thinks."""
    quick = [message.SerializeToString(deterministic=True) for message in heard(None, sets=1)]
    slow = [message.SerializeToString(deterministic=True) for message in heard(random.Random(seed), sets=1)]
    assert len(quick) >= 15
    assert quick == slow


def test_nor_at_many_tables() -> None:
    """At many tables each has the same asks in the same order; only which of them travel together may differ."""
    quick, slow = by_table(heard(None, sets=6)), by_table(heard(random.Random(1), sets=6))
    strip = {number: [_content(ask) for ask in asks] for number, asks in quick.items()}
    assert len(strip) == 6
    assert strip == {number: [_content(ask) for ask in asks] for number, asks in slow.items()}


def _content(data: bytes) -> bytes:
    """An ask without its number, which counts the asks of all tables, and without what is told of the bot's own time."""
    from euchre.v1 import table_pb2  # noqa: PLC0415 - a name that is needed here only

    ask = table_pb2.Ask.FromString(data)
    for name in ("id", "time", "bank", "last"):
        ask.ClearField(name)
    return ask.SerializeToString(deterministic=True)
