"""Players of the house, who fill the other seats: always legal and at once, and fond of what is rarely called."""

from __future__ import annotations

import contextlib
import random
from typing import TYPE_CHECKING, Final

import grpc

from euchre.v1.cards_pb2 import CALL_ASK, CALL_PASS
from euchre.v1.referee_pb2 import Hello, PlayRequest
from euchre.v1.referee_pb2_grpc import RefereeServiceStub
from euchre.v1.table_pb2 import Answer

if TYPE_CHECKING:
    from euchre.v1.table_pb2 import Ask, Said

_PASSES: Final = 0.6
"""How often a player passes that may: often enough for the bot to be left with the decision."""
_ASKS: Final = 0.5
"""How often one that may ask for its partner's best card does so: else the exchange would hardly ever be seen."""


def choose(ask: Ask) -> Answer:
    """A legal answer, which follows from what the seat sees alone: the same check plays the same games every time."""
    lot = random.Random(ask.view.SerializeToString(deterministic=True))  # noqa: S311 - no secret
    if ask.legal_cards:
        return Answer(ask=ask.id, card=lot.choice(ask.legal_cards))
    calls = list(ask.legal_calls)
    if CALL_PASS in calls and (CALL_ASK in map(_said, ask.view.said) or lot.random() < _PASSES):
        return Answer(ask=ask.id, call=CALL_PASS)
    if CALL_ASK in calls and lot.random() < _ASKS:
        return Answer(ask=ask.id, call=CALL_ASK)
    return Answer(ask=ask.id, call=lot.choice([call for call in calls if call != CALL_PASS] or calls))


def _said(said: Said) -> int:
    return said.call


async def play(address: str, token: str) -> None:
    """Sit at the referee's tables until it says goodbye or the stream ends."""
    async with grpc.aio.insecure_channel(address) as channel:
        call = RefereeServiceStub(channel).Play(metadata=(("authorization", f"Bearer {token}"),))
        with contextlib.suppress(grpc.aio.AioRpcError):
            await call.write(PlayRequest(hello=Hello(protocol=1, agent="house")))
            async for response in call:
                if response.asks:
                    answers = PlayRequest(answers=[choose(ask) for ask in response.asks])
                    await call.write(answers)
