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
    from referee.rules import Deal

SECONDS = st.one_of(st.just(0.0), st.floats(0, 86_400), st.integers(0, 86_400).map(float), st.floats(0, 1e-8))
NUMBERS = st.integers(0, 2**32 - 1)


def by_protobuf(deal: Deal, number: int, table: int, seat: int, times: Times) -> bytes:
    """The ask as protobuf writes it."""
    legal = deal.legal if seat == deal.seat else 0
    ask = wire.ask_message(number, table, deal.view(seat), legal)
    wire.fill_times(ask, *times)
    return ask.SerializeToString()


@pytest.mark.parametrize("setting", [*settings.alone(), *settings.together()], ids=settings.name)
def test_every_ask_of_some_deals(setting: settings.Setting) -> None:
    """Whoever is to move, and whoever is not, in every phase, with points below zero and large ones, late in a long game.

    One telling follows the deal as in play, where not every seat is asked of everything; penalties come on the way.
    """
    rules, chance = Rules(*setting), random.Random(settings.name(setting))
    for number in (0, 1, 127, 128, 9999):
        pack = list(rules.pack)
        chance.shuffle(pack)
        total = [chance.choice((0, -1, 63, 64, -64, -65, 9000, -9000)) for _ in range(rules.sides)]
        deal = rules.deal(pack, number % rules.seats, number, total)
        now_and_then = encode.Telling(deal)
        while deal.seat >= 0:
            for seat in range(rules.seats):
                given_ = (number + 1, number, seat, (1.0, 9.5, chance.random()))
                expected = by_protobuf(deal, *given_)
                assert encode.Telling(deal).ask(*given_) == expected
                if chance.random() < 0.4:
                    assert now_and_then.ask(*given_) == expected
            if chance.random() < 0.1:
                deal.penalty[chance.randrange(rules.sides)] -= chance.choice((1, 100))
            deal.apply(chance.choice(deal.legal_actions()))


@given(NUMBERS, NUMBERS, st.tuples(SECONDS, SECONDS, st.none() | SECONDS))
def test_numbers_and_times(number: int, table: int, times: Times) -> None:
    """Of any size; a view that nobody has to answer, and one that somebody has."""
    deal = Rules("turn-up").deal(Rules("turn-up").pack, 0)
    for seat in (deal.seat, (deal.seat + 1) % 4):
        assert encode.Telling(deal).ask(number, table, seat, times) == by_protobuf(deal, number, table, seat, times)


def test_seats_share_a_telling() -> None:
    """It is made anew for the next deal, and only then."""
    rules, teller = Rules("turn-up"), encode.Teller()
    first, second = rules.deal(rules.pack, 0), rules.deal(rules.pack, 1)
    telling = teller.of(first)
    assert teller.of(first) is telling
    assert teller.of(second).deal is second


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_elements(texts: list[bytes]) -> None:
    """Asks joined are a message."""
    asks = [table_pb2.Ask(view=table_pb2.View(variant=text.hex())) for text in texts]
    joined = b"".join(encode.element(ask.SerializeToString()) for ask in asks)
    assert referee_pb2.PlayResponse.FromString(joined) == referee_pb2.PlayResponse(asks=asks)
