"""Questions for the stage: real positions, found by playing deals by the real rules; and what is unknown today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.check.room import KEY
from euchre.v1.referee_pb2 import PlayRequest, PlayResponse
from referee import wire
from referee.game import Game
from referee.order import Order, OrderSeat
from referee.rules import Rules
from referee.rules.deal import PHASE_AUCTION, PHASE_PLAY

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from arena.check.stage import Line
    from euchre.v1.table_pb2 import Answer, Ask, Opened
    from referee.clock import Clock

FUTURE: Final = 77
"""A number that no enum of the protocol has."""
UNKNOWN_FIELDS: Final = b"\xc0\x3e\x07" + b"\xca\x3e\x06future"
"""Fields 1000 (a number) and 1001 (text), which no message has, as bytes on the wire."""


class Questions:
    """Asks of one variant: `opened` a table, and as many asks there as a step needs, each with its own id."""

    def __init__(self, variant: str, clock: Clock) -> None:
        self.rules = Rules(variant, {})
        self._clock = clock
        self._ids = 0
        self._sets = {PHASE_AUCTION: 0, PHASE_PLAY: 0}

    def opened(self, table: int) -> Opened:
        """The opening of a table, with the bot in seat 0."""
        rules = self.rules
        seats = tuple(OrderSeat(bytes([seat]) * 32, "check") for seat in range(rules.seats))
        order = Order("check", rules, "deals:1", KEY, (0,), rules.seatings()[0], seats, self._clock)
        message = PlayResponse()
        wire.fill_opened(message.opened.add(), table, 0, order)
        return message.opened[0]

    def ask(self, table: int, phase: int = PHASE_AUCTION) -> Ask:
        """A question to seat 0 in a phase that every variant has; another deal each time."""
        self._ids += 1
        while True:
            game = Game(self.rules, KEY, self._sets[phase], "deals:1")
            self._sets[phase] += 1
            while game.settle():
                deal = game.deal
                if (deal.phase, deal.seat) == (phase, 0):
                    ask = wire.ask_message(self._ids, table, deal.view(0), deal.legal)
                    wire.fill_times(ask, self._clock.answer, self._clock.bank, None)
                    return ask
                game.apply(_onwards(deal.legal))


def _onwards(legal: int) -> int:
    """The legal action of the highest number: it is seldom a pass, so that deals are played."""
    return legal.bit_length() - 1


def with_unknown(message: Message) -> None:
    """Add fields from the future."""
    message.MergeFromString(UNKNOWN_FIELDS)


async def answers(line: Line, asks: list[Ask], patience: float, *, once: bool = False) -> None:
    """Wait for the answers to all asks. Raises Failed where one is missing or illegal, and if `once`, where there are more."""
    waiting = {ask.id: ask for ask in asks}
    while waiting:
        request: PlayRequest = await line.receive(patience, f"answer to ask {_ids(waiting)}")
        if request.HasField("hello"):
            raise line.failed("a second Hello on the same stream")
        for answer in request.answers:
            ask = waiting.pop(answer.ask, None)
            if ask is None:
                if not once:
                    continue
                already = any(answer.ask == other.id for other in asks)
                raise line.failed(f"ask {answer.ask} was answered {'twice' if already else 'and is not open'}")
            if wrong := illegal(ask, answer):
                raise line.failed(wrong)


def _ids(waiting: dict[int, Ask]) -> str:
    return ", ".join(map(str, waiting))


def illegal(ask: Ask, answer: Answer) -> str:
    """What is wrong with an answer, or "" where it is legal."""
    if answer.card and answer.call:
        return f"the answer to ask {ask.id} names both a card and a call"
    if not answer.card and not answer.call:
        return f"the answer to ask {ask.id} names neither a card nor a call"
    if answer.card in ask.legal_cards or answer.call in ask.legal_calls:
        return ""
    return f"the answer to ask {ask.id} is not among its legal {'cards' if ask.legal_cards else 'calls'}"


def envelope(*asks: Ask, opened: list[Opened] | None = None) -> PlayResponse:
    """A message with asks, and the tables that they open."""
    return PlayResponse(asks=asks, opened=opened or [])
