"""What is written by hand is what protobuf's own classes write, byte by byte."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from euchre.v1 import referee_pb2, table_pb2
from referee import encode, wire
from referee.rules import Rules
from tests.rules import settings

if TYPE_CHECKING:
    from referee.encode import Times

SECONDS = st.one_of(st.just(0.0), st.floats(0, 86_400), st.integers(0, 86_400).map(float), st.floats(0, 1e-8))
NUMBERS = st.integers(0, 2**32 - 1)


def by_protobuf(number: int, table: int, view: object, legal: int, times: Times) -> bytes:
    """The ask as protobuf writes it."""
    ask = wire.ask_message(number, table, view, legal)  # type: ignore[arg-type]
    wire.fill_times(ask, *times)
    return ask.SerializeToString()


@pytest.mark.parametrize("setting", [*settings.alone(), *settings.together()], ids=settings.name)
def test_every_ask_of_some_deals(setting: settings.Setting) -> None:
    """Whoever is to move, and whoever is not, in every phase, with points below zero and large ones, late in a long game."""
    rules, chance = Rules(*setting), random.Random(settings.name(setting))
    for number in (0, 1, 127, 128, 9999):
        pack = list(rules.pack)
        chance.shuffle(pack)
        total = [chance.choice((0, -1, 63, 64, -64, -65, 9000, -9000)) for _ in range(rules.sides)]
        deal = rules.deal(pack, number % rules.seats, number, total)
        deal.penalty = [chance.choice((0, -1, -100)) for _ in range(rules.sides)]
        while deal.seat >= 0:
            for seat in range(rules.seats):
                given_ = (number + 1, number, deal.view(seat), deal.legal, (1.0, 9.5, chance.random()))
                assert encode.ask_bytes(*given_) == by_protobuf(*given_)
            deal.apply(chance.choice(deal.legal_actions()))


@given(NUMBERS, NUMBERS, st.tuples(SECONDS, SECONDS, st.none() | SECONDS))
def test_numbers_and_times(number: int, table: int, times: Times) -> None:
    """Of any size; a view that nobody has to answer."""
    view = Rules("turn-up").deal(Rules("turn-up").pack, 0).view(0)
    assert encode.ask_bytes(number, table, view, 0, times) == by_protobuf(number, table, view, 0, times)


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_elements(texts: list[bytes]) -> None:
    """Asks joined are a message."""
    asks = [table_pb2.Ask(view=table_pb2.View(variant=text.hex())) for text in texts]
    joined = b"".join(encode.element(ask.SerializeToString()) for ask in asks)
    assert referee_pb2.PlayResponse.FromString(joined) == referee_pb2.PlayResponse(asks=asks)
