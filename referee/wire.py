"""Domain <-> protocol, both directions, nothing else.

Cards travel as card + 1, calls as action - 40, suits as suit + 1; 0 is "none" everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from euchre.v1 import cards_pb2, control_pb2, referee_pb2, table_pb2
from referee.clock import Clock
from referee.errors import BadOrder
from referee.order import Order, OrderSeat
from referee.rules import Rules
from referee.rules.cards import CARDS, JOKER, bits
from referee.rules.errors import RulesError
from referee.rules.options import text_of
from referee.shuffle import commitment
from referee.table import NO_ACTION, Reply

if TYPE_CHECKING:
    from google.protobuf.duration_pb2 import Duration

    from referee.limits import Limits
    from referee.rules import View
    from referee.table import Fault, Note, Table, Times

PROTOCOL: Final = 1
"""The protocol version that is spoken, and the only one."""

_CALL: Final = 40
_CALLS: Final = frozenset(cards_pb2.Call.values()) - {0}


# ---- out: asks --------------------------------------------------------------------------------------------------------


def set_duration(target: Duration, seconds: float) -> None:
    """Write seconds into a Duration."""
    whole = int(seconds)
    target.seconds = whole
    target.nanos = int((seconds - whole) * 1e9)


def seconds(duration: Duration) -> float:
    """A Duration in seconds."""
    return duration.seconds + duration.nanos / 1e9


def fill_view(target: table_pb2.View, view: View) -> None:
    """Write a view into an empty message."""
    target.seat = view.seat
    target.variant = view.variant
    target.deal = view.deal
    target.dealer = view.dealer
    target.phase = view.phase  # type: ignore[assignment]  # the rules number phases as the protocol does
    target.hand.extend([card + 1 for card in view.hand])  # type: ignore[misc]
    target.turned_card = view.turned_card + 1  # type: ignore[assignment]
    target.turned = view.turned  # type: ignore[assignment]
    target.joker_suit = view.joker_suit + 1  # type: ignore[assignment]
    for seat, call in view.said:
        target.said.add(seat=seat, call=call - _CALL)
    target.trump = view.trump + 1  # type: ignore[assignment]
    if view.maker >= 0:
        target.maker = view.maker
    if view.bid >= 0:
        target.bid = view.bid - _CALL  # type: ignore[assignment]
    target.alone.extend(view.alone)
    target.out.extend(view.out)
    for leader, cards, winner in view.tricks:
        trick = target.tricks.add(leader=leader, cards=[card + 1 for card in cards])
        if winner >= 0:
            trick.winner = winner
    target.taken.extend(view.taken)
    target.total.extend(view.total)
    target.penalty.extend(view.penalty)
    target.target = view.target
    target.put_away.extend([card + 1 for card in view.put_away])  # type: ignore[misc]
    target.received = view.received + 1  # type: ignore[assignment]


def fill_ask(target: table_pb2.Ask, number: int, table: int, view: View, legal: int) -> None:
    """Write an ask into an empty message, which may be an element of an envelope: nothing is copied then."""
    target.id = number
    target.table = table
    fill_view(target.view, view)
    if cards := legal & CARDS:
        target.legal_cards.extend([card + 1 for card in bits(cards)])  # type: ignore[misc]
    else:
        target.legal_calls.extend([call - _CALL for call in bits(legal)])  # type: ignore[misc]


def fill_times(target: table_pb2.Ask, time: float, bank: float, last: float | None) -> None:
    """Write the times of an ask, in seconds."""
    set_duration(target.time, time)
    set_duration(target.bank, bank)
    if last is not None:
        set_duration(target.last, last)


def ask_message(number: int, table: int, view: View, legal: int) -> table_pb2.Ask:
    """An ask as a message of its own, without its times; `legal` is a mask."""
    ask = table_pb2.Ask()
    fill_ask(ask, number, table, view, legal)
    return ask


# ---- out: notices -----------------------------------------------------------------------------------------------------


def fill_opened(target: table_pb2.Opened, table: int, seat: int, order: Order) -> None:
    """Write a table's opening into an empty message."""
    target.table = table
    target.match = order.match
    target.variant = order.rules.name
    for name, value in order.rules.options.items():
        target.options[name] = text_of(value)
    target.seat = seat
    target.seats = order.rules.seats
    target.commitment = bytes.fromhex(commitment(order.key))
    target.format = order.format
    set_duration(target.time, order.clock.answer)
    set_duration(target.bank, order.clock.bank)
    target.faults = order.clock.faults


def fault_message(table: int, fault: Fault) -> table_pb2.Fault:
    """A fault, for the seat that made it."""
    message = table_pb2.Fault(table=table, ask=fault.question.number, cause=cause(fault.cause))
    message.detail = fault.detail
    message.count = fault.count
    if fault.made > JOKER:
        message.call = fault.made - _CALL  # type: ignore[assignment]
    else:
        message.card = fault.made + 1  # type: ignore[assignment]
    set_duration(message.waited, fault.waited)
    return message


def closed_message(number: int, table: Table) -> table_pb2.Closed:
    """A table's end."""
    game = table.game
    if table.void is not None:
        return table_pb2.Closed(table=number, total=game.totals, end="void")
    return table_pb2.Closed(table=number, total=game.totals, places=game.places(), end=game.end)


def cause(name: str) -> table_pb2.Cause.ValueType:
    """The enum value of a cause: "LATE" is CAUSE_LATE."""
    return table_pb2.Cause.Value(f"CAUSE_{name}")


def limits_message(limits: Limits, grace: float) -> referee_pb2.Limits:
    """The limits that a Welcome tells."""
    message = referee_pb2.Limits(
        message_bytes=limits.message_bytes,
        open_asks=limits.open_asks,
        stray_answers=limits.stray_answers,
        streams=limits.streams,
    )
    set_duration(message.grace, grace)
    return message


# ---- in: answers ------------------------------------------------------------------------------------------------------


def reply(answer: table_pb2.Answer) -> Reply:
    """What an answer names: one card or one call; anything else is no action, and said in words."""
    card, call = answer.card, answer.call
    if card and call:
        return Reply(NO_ACTION, f"an answer with both card {card} and call {call}", answer.note)
    if card:
        known = 0 < card <= JOKER + 1
        return Reply(card - 1, note=answer.note) if known else Reply(NO_ACTION, f"unknown card {card}", answer.note)
    if call:
        return Reply(_CALL + call, note=answer.note) if call in _CALLS else Reply(NO_ACTION, f"unknown call {call}", answer.note)
    return Reply(NO_ACTION, "an answer that names no card and no call", answer.note)


# ---- control ----------------------------------------------------------------------------------------------------------


def order(message: control_pb2.Order) -> Order:
    """The order that an operator sends. Raises BadOrder, BadClock, or what the rules raise."""
    try:
        rules = Rules(message.variant, dict(message.options))
    except RulesError as error:
        raise BadOrder(str(error)) from None
    return Order(
        match=message.match,
        rules=rules,
        format=message.format or "game",
        key=message.key,
        sets=tuple(message.sets),
        seating=tuple(message.seating),
        seats=tuple(OrderSeat(seat.token_sha256, seat.bot) for seat in message.seats),
        clock=clock(message.clock) if message.HasField("clock") else Clock(),
    )


def order_message(given: Order) -> control_pb2.Order:
    """The inverse of `order`."""
    rules = given.rules
    message = control_pb2.Order(
        match=given.match,
        variant=rules.name,
        options={name: text_of(value) for name, value in rules.options.items()},
        format=given.format,
        key=given.key,
        sets=given.sets,
        seating=given.seating,
        seats=[control_pb2.OrderSeat(token_sha256=seat.token, bot=seat.bot) for seat in given.seats],
    )
    _fill_clock(message.clock, given.clock)
    return message


def clock(message: control_pb2.Clock) -> Clock:
    """A clock; settings that are absent take their defaults. Raises BadClock."""
    given: dict[str, float] = {
        name: seconds(getattr(message, name)) for name in ("answer", "bank", "start", "grace") if message.HasField(name)
    }
    if message.faults:
        given["faults"] = message.faults
    return Clock.of(given)


def _fill_clock(target: control_pb2.Clock, given: Clock) -> None:
    for name in ("answer", "bank", "start", "grace"):
        set_duration(getattr(target, name), getattr(given, name))
    target.faults = given.faults


def times_message(seat: int, times: Times) -> control_pb2.Times:
    """One seat's times."""
    return control_pb2.Times(seat=seat, decisions=len(times.rest), rest_us=times.rest, own_us=times.own)


def note_message(note: Note) -> control_pb2.Note:
    """One note."""
    return control_pb2.Note(deal=note.deal, move=note.move, seat=note.seat, text=note.text, cut=note.cut)


def fault_log(seat: int, deal: int, move: int, fault: Fault) -> control_pb2.FaultLog:
    """The head of what is kept of a fault."""
    return control_pb2.FaultLog(deal=deal, move=move, seat=seat, cause=fault.cause, detail=fault.detail)


def kept_answer(ask: int, card: int, call: int, note: str) -> table_pb2.Answer:
    """An answer that was kept."""
    return table_pb2.Answer(ask=ask, card=card, call=call, note=note)  # type: ignore[arg-type]  # numbers of enums, known or not
