"""Messages of the protocol to views and back, and nothing else."""

from arena.sdk.lazy import cached_property
from arena.sdk.table import Fault, Result, Said, Table, Trick, trick_of
from arena.sdk.view import View
from arena.sdk.words import CARDS, PHASES, SUITS, TURNED, Call, Card, Move, Phase, Suit, Turned, call_numbered
from euchre.v1 import table_pb2

# By the numbers of the protocol's enums, in which 0 is "unspecified".
CARD_BY_NUMBER: tuple[Card, ...] = (CARDS[0], *CARDS)
SUIT_BY_NUMBER: tuple[Suit | None, ...] = (None, *SUITS)
NOTE_BYTES = 1024


class WireFacts:
    """The facts of a decision, read from the protocol's View when they are asked for."""

    def __init__(self, view: table_pb2.View) -> None:
        self._view = view

    @property
    def seat(self) -> int:
        """As in View."""
        return self._view.seat

    @property
    def variant(self) -> str:
        """As in View."""
        return self._view.variant

    @property
    def deal(self) -> int:
        """As in View."""
        return self._view.deal

    @property
    def dealer(self) -> int:
        """As in View."""
        return self._view.dealer

    @property
    def phase(self) -> Phase:
        """As in View."""
        return PHASES[self._view.phase] if self._view.phase < len(PHASES) else Phase.UNKNOWN

    @property
    def hand(self) -> tuple[Card, ...]:
        """As in View."""
        return tuple([CARD_BY_NUMBER[card] for card in self._view.hand])

    @property
    def turned_card(self) -> Card | None:
        """As in View."""
        return _card(self._view.turned_card)

    @property
    def turned(self) -> Turned:
        """As in View."""
        return TURNED[self._view.turned]

    @property
    def joker_suit(self) -> Suit | None:
        """As in View."""
        return SUIT_BY_NUMBER[self._view.joker_suit]

    @property
    def said(self) -> tuple[Said, ...]:
        """As in View."""
        return tuple([Said(said.seat, call_numbered(said.call)) for said in self._view.said])

    @property
    def trump(self) -> Suit | None:
        """As in View."""
        return SUIT_BY_NUMBER[self._view.trump]

    @property
    def maker(self) -> int | None:
        """As in View."""
        return self._view.maker if self._view.HasField("maker") else None

    @property
    def bid(self) -> Call | None:
        """As in View."""
        return call_numbered(self._view.bid) if self._view.bid else None

    @property
    def alone(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.alone)

    @property
    def out(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.out)

    @cached_property
    def tricks(self) -> tuple[Trick, ...]:
        """As in View."""
        out = self._view.out
        active = [seat for seat in range(len(self._view.taken)) if seat not in out]
        return tuple([_trick(trick, active) for trick in self._view.tricks])

    @property
    def taken(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.taken)

    @property
    def total(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.total)

    @property
    def penalty(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.penalty)

    @property
    def target(self) -> int:
        """As in View."""
        return self._view.target

    @property
    def put_away(self) -> tuple[Card, ...]:
        """As in View."""
        return tuple([CARD_BY_NUMBER[card] for card in self._view.put_away])

    @property
    def received(self) -> Card | None:
        """As in View."""
        return _card(self._view.received)


def table_of(opened: table_pb2.Opened) -> Table:
    """The table that a message opens."""
    return Table(
        number=opened.table,
        match=opened.match,
        variant=opened.variant,
        options=dict(opened.options),
        seat=opened.seat,
        seats=opened.seats,
        format=opened.format,
        commitment=opened.commitment.hex(),
        time=opened.time.ToTimedelta().total_seconds(),
        bank=opened.bank.ToTimedelta().total_seconds(),
        faults=opened.faults,
    )


def view_of(ask: table_pb2.Ask, table: Table) -> View:
    """The decision that a message asks for."""
    legal: list[Move] = [CARD_BY_NUMBER[card] for card in ask.legal_cards]
    legal.extend([call_numbered(call) for call in ask.legal_calls])
    last = ask.last.seconds + ask.last.nanos / 1e9 if ask.HasField("last") else None
    clock = (ask.time.seconds + ask.time.nanos / 1e9, ask.bank.seconds + ask.bank.nanos / 1e9, last)
    return View(WireFacts(ask.view), table, tuple(legal), clock)


def answer_to(ask: int, move: Move, note: str | None) -> table_pb2.Answer:
    """The message that answers an ask; a note is cut to what the protocol allows."""
    answer = table_pb2.Answer(ask=ask)
    if isinstance(move, Card):
        answer.card = move.code + 1  # type: ignore[assignment]  # the protocol counts from 1
    else:
        answer.call = move.number  # type: ignore[assignment]  # the enum may grow: any number may be sent
    if note:
        answer.note = cut(note)
    return answer


def cut(note: str) -> str:
    """A note within the protocol's limit, which counts bytes, without half a character at the end."""
    return note.encode(errors="replace")[:NOTE_BYTES].decode(errors="ignore")


def fault_of(fault: table_pb2.Fault, table: Table) -> Fault:
    """What a message says of a fault."""
    move: Move | None = _card(fault.card) or (call_numbered(fault.call) if fault.call else None)
    return Fault(table, cause_of(fault), move, fault.detail, fault.waited.ToTimedelta().total_seconds(), fault.count)


def cause_of(fault: table_pb2.Fault) -> str:
    """The cause of a fault, in a word."""
    try:
        return table_pb2.Cause.Name(fault.cause).removeprefix("CAUSE_")
    except ValueError:  # a cause that is newer than this version
        return f"CAUSE {fault.cause}"


def result_of(closed: table_pb2.Closed, table: Table) -> Result:
    """What a message says of the end of a game."""
    return Result(table, tuple(closed.total), tuple(closed.places), closed.end)


def _card(number: int) -> Card | None:
    return CARD_BY_NUMBER[number] if number else None


def _trick(trick: table_pb2.Trick, active: list[int]) -> Trick:
    cards = tuple([CARD_BY_NUMBER[card] for card in trick.cards])
    return trick_of(trick.leader, cards, trick.winner if trick.HasField("winner") else None, active)
