"""A bot's session: what it is asked and told over all its tables, whichever stream carries it at the moment.

What waits to be sent is bounded by construction: open asks (no more than open tables), openings and closings, faults and
stale answers, of which `Limits.notices` may wait. Nothing is encoded before it is sent, so that an ask whose time is over
leaves nothing behind.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

from euchre.v1 import referee_pb2, table_pb2
from referee import encode, wire
from referee.errors import Refusal
from referee.limits import Rate
from referee.table import NOTE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from euchre.v1 import control_pb2
    from referee.limits import Limits
    from referee.order import Order
    from referee.table import Fault, Question, Table

log = logging.getLogger(__name__)


class Stream(Protocol):
    """What carries a session. `free` is when the last write that waited for the bot to read was done."""

    free: float

    def wake(self) -> None:
        """There is something to send."""

    def ripen(self) -> None:
        """What there is to send need not wait for more."""

    def end(self, refusal: Refusal | None) -> None:
        """End the stream, with a status that says why, or well."""

    def stuck(self, now: float) -> bool:
        """Whether the bot does not read what it was sent."""


EXCHANGES: Final = 4
"""Asks to a seat at a table that are kept, with their answers, to explain a fault."""
Exchange = tuple[int, bytes, "tuple[int, int, str] | None"]
"""An ask's id, the ask as it was sent, and the card, call and note of its answer: never the message that an answer came in."""


class TableSeat:
    """One seat at one table, played by a session."""

    __slots__ = ("_at", "_last", "fault_logs", "number", "order", "seat", "session", "teller")

    def __init__(self, session: Session, number: int, seat: int, order: Order, teller: encode.Teller) -> None:
        self.session = session
        self.number = number
        self.seat = seat
        self.order = order
        self.teller = teller
        self.fault_logs: list[control_pb2.FaultLog] = []
        """What went before each fault of this seat at this table."""
        self._last: deque[Exchange] = deque(maxlen=EXCHANGES)
        self._at = (0, 0)

    def ask(self, question: Question) -> None:
        """Queue the question."""
        self.session.ask(self, question)

    def settled(self, question: Question) -> None:
        """Forget the question, sent or not."""
        deal = question.table.game.deal
        self._at = deal.number, len(deal.moves)
        self.session.settled(question)

    def fault(self, fault: Fault) -> None:
        """Queue the notice, and keep what went before it."""
        log = wire.fault_log(self.seat, *self._at, fault)
        for number, ask, answer in self._last:
            exchange = log.exchanges.add(ask=table_pb2.Ask.FromString(ask))
            if answer is not None:
                exchange.answer.CopyFrom(wire.kept_answer(number, *answer))
        if not self._last or self._last[-1][0] != fault.question.number:
            log.exchanges.add()  # it was never sent
        self.fault_logs.append(log)
        self.session.notice_fault(self, fault)

    def asked(self, number: int, ask: bytes) -> None:
        """An ask is being sent; one that is sent again, to a bot that has come back, is the same ask."""
        if self._last and self._last[-1][0] == number:
            self._last.pop()
        self._last.append((number, ask, None))

    def answered(self, answer: table_pb2.Answer) -> None:
        """An answer to the ask that was sent last has come."""
        if self._last and self._last[-1][0] == answer.ask:
            number, ask, _ = self._last[-1]
            self._last[-1] = (number, ask, (answer.card, answer.call, answer.note[:NOTE_BYTES]))

    def close(self, table: Table) -> None:
        """Queue the notice, and leave the table."""
        self.session.leave(self, table)


class Session:
    """One bot, identified by the SHA-256 of its token."""

    def __init__(self, token: bytes, number: str, bot: str, limits: Limits) -> None:
        self.token = token
        self.number = number
        self.bot = bot
        self.limits = limits
        self.agent = ""
        self.variants: frozenset[str] = frozenset()
        self.max_tables = 0
        self.greeted = False
        self.stream: Stream | None = None
        self.streams = 0
        """Streams that are not finished, replaced ones included."""
        self.lost: float | None = None
        """When the stream was lost, by the hall's time without lag; None while it is up and before the first."""
        self.exited: tuple[float, str] | None = None
        """When and how the bot's process ended."""
        self.leaving = False
        """Whether the goodbye is due or said."""
        self.grace = 0.0
        self.decisions = 0
        self.last_answer: float | None = None
        self.seats: dict[int, TableSeat] = {}
        self.open: dict[int, tuple[TableSeat, Question]] = {}
        self._unsent: dict[int, tuple[TableSeat, Question]] = {}
        self._opened: dict[int, TableSeat] = {}
        self._faults: list[table_pb2.Fault] = []
        self._stale: list[int] = []
        self._closed: list[table_pb2.Closed] = []
        self._welcome = False
        self._tables = 0
        self._asks = 0
        self._strays = Rate(limits.stray_answers, 1.0)
        self._opens = Rate(limits.streams, limits.stream_window)

    # ---- the stream ---------------------------------------------------------------------------------------------------

    def may_open(self, now: float) -> None:
        """Count a stream that is being opened. Raises Refusal where it is one too many, now or of late.

        A stream that has ended stays until the bot has read how it ended: who never reads must not pile them up.
        """
        if self.streams >= self.limits.streams or not self._opens.allow(now):
            wait = max(self._opens.wait(now), 1.0)
            most, window = self.limits.streams, self.limits.stream_window
            raise Refusal(
                "RESOURCE_EXHAUSTED",
                "TOO_MANY_STREAMS",
                f"more than {most} streams within {window:g} s; come back in {wait:.1f} s",
                {"streams": str(most), "seconds": f"{window:g}"},
                wait,
            )

    def attach(self, stream: Stream, hello: referee_pb2.Hello) -> None:
        """A stream says Hello: it replaces the one before and gets every open table and every open ask."""
        if self.stream is not None:
            self.stream.end(Refusal("ABORTED", "REPLACED", "a new stream with the same token has taken over"))
        self.stream = stream
        self.greeted = True
        self.lost = None
        self.agent = hello.agent[:200]
        self.variants = frozenset(hello.variants)
        self.max_tables = hello.max_tables
        self._welcome = True
        self._opened = dict(self.seats)
        self._unsent = dict(self.open)
        self._stale.clear()
        self._closed.clear()
        self._faults = [fault for fault in self._faults if fault.table in self.seats]
        stream.wake()

    def detach(self, stream: Stream, now: float) -> bool:
        """A stream has ended; False where it had been replaced before. The clocks of all open asks run."""
        if self.stream is not stream:
            return False
        self.stream = None
        self._start_clocks(now)
        return True

    def goodbye(self) -> None:
        """Let the bot go: no more tables will come."""
        self.leaving = True
        self._wake()

    @property
    def capacity(self) -> int:
        """At how many tables the session may sit at once."""
        most = self.limits.open_asks
        return min(most, self.max_tables) if self.max_tables else most

    @property
    def full(self) -> bool:
        """Whether the session may not sit at one more table."""
        return len(self.seats) >= self.capacity

    @property
    def ripe(self) -> bool:
        """Whether what there is to send may go: the bot has no more asks in hand than would come with it.

        A bot that is busy gains nothing from one more ask, and a message costs as much as ten asks in it.
        """
        return len(self.open) <= 2 * len(self._unsent)

    @property
    def complete(self) -> bool:
        """Whether what there is to send can become no more: every table that the session sits at has its ask in it."""
        return len(self._unsent) >= len(self.seats)

    def plays(self, variant: str) -> bool:
        """Whether the bot said that it plays a variant."""
        return not self.variants or variant in self.variants

    def _wake(self) -> None:
        if self.stream is not None:
            self.stream.wake()

    # ---- tables -------------------------------------------------------------------------------------------------------

    def sit(self, order: Order, seat: int, teller: encode.Teller) -> TableSeat:
        """Take a seat at a new table, whose seats have a teller in common."""
        self._tables += 1
        taken = TableSeat(self, self._tables, seat, order, teller)
        self.seats[taken.number] = self._opened[taken.number] = taken
        self._wake()
        return taken

    def leave(self, seat: TableSeat, table: Table) -> None:
        """The table has closed; a bot that has not heard of its opening hears nothing."""
        self.seats.pop(seat.number, None)
        if self._opened.pop(seat.number, None) is None and self.stream is not None:
            self._closed.append(wire.closed_message(seat.number, table))
            self._noticed()

    def ask(self, seat: TableSeat, question: Question) -> None:
        """Queue a question. While no stream is up its clock runs at once."""
        self._asks += 1
        question.number = self._asks
        self.open[question.number] = self._unsent[question.number] = (seat, question)
        if self.stream is None:
            question.table.hand_over(question, question.opened)
        else:
            self.stream.wake()
            if self.ripe:
                self.stream.ripen()

    def settled(self, question: Question) -> None:
        """Forget a question."""
        self.open.pop(question.number, None)
        self._unsent.pop(question.number, None)

    def notice_fault(self, seat: TableSeat, fault: Fault) -> None:
        """Queue a notice for the bot, if there is somebody to read it."""
        if self.stream is not None:
            self._faults.append(wire.fault_message(seat.number, fault))
            self._noticed()

    def _noticed(self) -> None:
        """A notice was queued: wake the stream, or drop it when too much waits for a bot that does not read."""
        waiting = len(self._closed) + len(self._faults) + len(self._stale)
        if waiting <= self.limits.notices:
            self._wake()
        elif self.stream is not None:
            text = f"more than {self.limits.notices} notices wait to be read"
            self.stream.end(Refusal("RESOURCE_EXHAUSTED", "SLOW_READER", text, {"notices": str(self.limits.notices)}))

    # ---- answers ------------------------------------------------------------------------------------------------------

    def take(self, answers: Iterable[table_pb2.Answer], now: float) -> None:
        """Take answers as they arrive. Raises Refusal where too many of them name no open ask."""
        for answer in answers:
            found = self.open.get(answer.ask)
            if found is None:
                self._stray(answer.ask, now)
            else:
                self.decisions += 1
                self.last_answer = now
                seat, question = found
                seat.answered(answer)
                question.table.answer(question, wire.reply(answer), now)
        if self.stream is not None and self.ripe:
            self.stream.ripen()

    def _stray(self, number: int, now: float) -> None:
        if not self._strays.allow(now):
            most = self.limits.stray_answers
            text = f"more than {most} answers within a second named no open ask"
            raise Refusal("RESOURCE_EXHAUSTED", "STRAY_ANSWERS", text, {"stray_answers": str(most)}, 1.0)
        self._stale.append(number)
        self._noticed()

    # ---- what is sent -------------------------------------------------------------------------------------------------

    def start_stuck_clocks(self, now: float) -> None:
        """Where the bot does not read, what waits behind counts as handed over: not reading gains no time."""
        if self._unsent and self.stream is not None and self.stream.stuck(now):
            self._start_clocks(now)

    def _start_clocks(self, now: float) -> None:
        for _, question in self._unsent.values():
            question.table.hand_over(question, now, free=now)

    def collect(self, now: float) -> bytes | None:
        """All that is to be said now, as one PlayResponse, or None. The clocks of the asks in it run from `now`."""
        parts = [self._head().SerializeToString(), *self._written(now), self._tail().SerializeToString()]
        for queue in (self._opened, self._stale, self._faults, self._unsent, self._closed):
            queue.clear()
        return b"".join(parts) or None

    def _head(self) -> referee_pb2.PlayResponse:
        """What is to be said before the asks."""
        message = referee_pb2.PlayResponse()
        if self._welcome:
            self._welcome = False
            message.welcome.session = self.number
            message.welcome.protocol = wire.PROTOCOL
            message.welcome.limits.CopyFrom(wire.limits_message(self.limits, self.grace))
        for number, seat in self._opened.items():
            wire.fill_opened(message.opened.add(), number, seat.seat, seat.order)
        for stale in self._stale:
            message.stale.add(ask=stale)
        message.faults.extend(self._faults)
        return message

    def _written(self, now: float) -> Iterator[bytes]:
        free = self.stream.free if self.stream else now
        for number, (seat, question) in self._unsent.items():
            table = question.table
            table.hand_over(question, now, free)
            times = *question.left(now), question.last
            ask = seat.teller.of(table.game.deal).ask(number, seat.number, question.seat, times)
            seat.asked(number, ask)
            yield encode.element(ask)

    def _tail(self) -> referee_pb2.PlayResponse:
        """What is to be said after them."""
        message = referee_pb2.PlayResponse(goodbye=self.leaving)
        message.closed.extend(self._closed)
        return message
