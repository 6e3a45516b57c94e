"""A table: one game, its seats and its clock. No I/O and no clock of its own: time comes as an argument, `now`, in seconds.

At most one question is open at a time. It has three moments: `opened` when the game comes to it, `handed` when it leaves for
the bot (from then on the bot's clock runs), and the arrival of the answer. What lies between the last arrival and `handed`,
and the longest that the event loop was late meanwhile, is the referee's own time. The bot is charged for the rest, less
everything that the loop was late.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from referee.game import BANK_EMPTY, ILLEGAL, INFRASTRUCTURE, LATE, SILENT
from referee.lag import Lag
from referee.rules.cards import action_text, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.clock import Clock
    from referee.game import Game
    from referee.rules import View

log = logging.getLogger(__name__)

NOTE_BYTES: Final = 1024
"""What is kept of a note, in UTF-8."""
NO_ACTION: Final = -1


class Reply(NamedTuple):
    """A bot's answer: an action, or NO_ACTION with what it said instead in words, and its note."""

    action: int
    said: str = "no answer"
    note: str = ""


class Question:
    """What one seat is asked. `number` is for whoever carries it; `handed` is None until it has left for the bot."""

    __slots__ = ("bank", "handed", "lag", "last", "legal", "number", "opened", "own", "seat", "table")

    def __init__(self, table: Table, seat: int, opened: float) -> None:
        self.table = table
        self.seat = seat
        self.legal = table.game.deal.legal
        self.bank = table.banks[seat]
        self.last = table.last[seat]
        self.opened = opened
        self.handed: float | None = None
        self.lag = 0.0
        self.own = 0.0
        self.number = 0

    def view(self) -> View:
        """What the seat may know; the same as long as the question is open."""
        return self.table.game.deal.view(self.seat)

    def left(self, now: float) -> tuple[float, float]:
        """Seconds left for this answer, and in the bank."""
        if self.handed == now:
            return self.table.clock.answer, self.bank
        spent = self.table.waited(self, now)
        answer = self.table.clock.answer
        return max(0.0, answer - spent), max(0.0, self.bank - max(0.0, spent - answer))


@dataclass(frozen=True, slots=True)
class Fault:
    """The referee stepped in for a seat."""

    question: Question
    cause: str
    made: int
    """The action that counts."""
    detail: str
    waited: float
    count: int
    """The faults of the side in this game."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a bot said of one of its decisions; `cut` bytes were too many."""

    deal: int
    move: int
    seat: int
    text: str
    cut: int


class Seat(Protocol):
    """Whoever plays a seat. Each method returns at once; answers go to `question.table.answer`."""

    def ask(self, question: Question) -> None:
        """A question is open; call `table.hand_over` when it leaves."""

    def settled(self, question: Question) -> None:
        """A question is open no longer, however it was settled."""

    def fault(self, fault: Fault) -> None:
        """The referee stepped in for this seat."""

    def close(self, table: Table) -> None:
        """Nothing more will be asked."""


class Times:
    """One seat's decisions in microseconds: the referee's own part, and the rest."""

    __slots__ = ("own", "rest")

    def __init__(self) -> None:
        self.own: list[int] = []
        self.rest: list[int] = []


class Table:
    """One game being played. `finished` once nothing more will be asked; `void` then is (cause, detail) if it came to nothing."""

    def __init__(  # noqa: PLR0913 - all but three have defaults
        self,
        game: Game,
        seats: Sequence[Seat],
        clock: Clock,
        *,
        lag: Lag | None = None,
        absent: Mapping[int, str] | None = None,
        on_own_time: Callable[[float, float], None] = lambda _own, _now: None,
        on_finish: Callable[[Table], None] = lambda _table: None,
    ) -> None:
        self.game = game
        self.seats = seats
        self.clock = clock
        self.question: Question | None = None
        self.finished = False
        self.void: tuple[str, str] | None = None
        self.banks = [clock.bank] * len(seats)
        self.last: list[float | None] = [None] * len(seats)
        self.times = [Times() for _ in seats]
        self.notes: list[Note] = []
        self._absent = dict(absent or {})
        self._answered: set[int] = set()
        self._lag = lag or Lag()
        self._on_own_time = on_own_time
        self._on_finish = on_finish
        self._arrived = 0.0
        self._asking = False

    # ---- what happens to a table --------------------------------------------------------------------------------------

    def start(self, now: float) -> None:
        """Begin to ask."""
        try:
            self._go_on(now)
        except Exception as error:  # noqa: BLE001 - see _blame
            self._blame(error)

    def hand_over(self, question: Question, now: float, free: float = 0.0) -> None:
        """The question leaves for the bot: its clock starts. Later calls for the same question change nothing.

        `free` is the moment since when the bot's stream could have taken it: a bot that does not read slows nobody but itself.
        """
        if question.handed is None:
            question.handed = now
            question.own = max(0.0, now - max(self._arrived, free))
            question.lag = self._lag.total(now)

    def answer(self, question: Question, reply: Reply, now: float) -> bool:
        """Take the answer to a question; False, and nothing done, where the question is open no longer."""
        if question is not self.question:
            return False
        try:
            self.hand_over(question, now)
            waited = self.waited(question, now)
            if waited > self.clock.answer + question.bank:
                self._time_out(question, now)
            else:
                self._take(question, reply, waited, now)
            self._go_on(now)
        except Exception as error:  # noqa: BLE001 - see _blame
            self._blame(error)
        return True

    def expire(self, now: float) -> None:
        """Step in if the time for the open question has run out. Call it when all that has arrived is taken."""
        question = self.question
        if question is not None and self.waited(question, now) > self.clock.answer + question.bank:
            try:
                self._time_out(question, now)
                self._go_on(now)
            except Exception as error:  # noqa: BLE001 - see _blame
                self._blame(error)

    def gone(self, seat: int, cause: str, now: float) -> None:
        """There is nobody at a seat any more; its side forfeits as soon as it would be asked. `cause` is one of game.ABSENT."""
        self._absent.setdefault(seat, cause)
        question = self.question
        if question is not None and question.seat == seat:
            try:
                self._step_in(question, cause, None, "", now)
                self._go_on(now)
            except Exception as error:  # noqa: BLE001 - see _blame
                self._blame(error)

    def stop(self, cause: str, detail: str) -> None:
        """Break the game off: it comes to nothing and must be played again."""
        if not self.finished:
            self.void = (cause, detail)
            self._finish()

    # ---- the turn loop ------------------------------------------------------------------------------------------------

    def _go_on(self, now: float) -> None:
        """Ask until a question is open or the game is finished. A seat may answer within `ask`: the loop takes it up."""
        self._arrived = now
        if self._asking:
            return
        self._asking = True
        try:
            while self.question is None and not self.finished:
                if self.game.settle():
                    self._ask(now)
                else:
                    self._finish()
        finally:
            self._asking = False

    def _ask(self, now: float) -> None:
        seat = self.game.deal.seat
        if seat in self._absent:
            self.game.fault(self._absent[seat])
            return
        self.question = question = Question(self, seat, now)
        self.seats[seat].ask(question)

    def _take(self, question: Question, reply: Reply, waited: float, now: float) -> None:
        seat = question.seat
        self._count(question, waited, now)
        if waited > self.clock.answer:
            self.banks[seat] -= min(self.banks[seat], waited - self.clock.answer)
        self.last[seat] = waited
        self._answered.add(seat)
        if reply.note:
            self._keep(reply.note, seat)
        if reply.action >= 0 and question.legal >> reply.action & 1:
            self._settle(question)
            self.game.apply(reply.action)
        else:
            known = action_text(reply.action) if reply.action >= 0 else None
            self._step_in(question, ILLEGAL, known, f"{known or reply.said} is not legal", now)

    def _time_out(self, question: Question, now: float) -> None:
        seat = question.seat
        waited = self.waited(question, now)
        self._count(question, waited, now)
        self.banks[seat] = 0.0
        self.last[seat] = waited
        late = BANK_EMPTY if question.bank else LATE
        cause = late if seat in self._answered else SILENT
        allowed = f"{self.clock.answer:g} s and {question.bank:.3f} s from the bank"
        self._step_in(question, cause, None, f"no answer after {waited:.3f} s (allowed: {allowed})", now)

    def _step_in(self, question: Question, cause: str, answer: str | None, detail: str, now: float) -> None:
        """A fault: settle the question by what counts instead, and tell the seat."""
        game, seat = self.game, question.seat
        if detail and cause == ILLEGAL:
            detail += f" (allowed: {' '.join(texts(question.legal))})"
        waited = self.waited(question, now)
        self._settle(question)
        made = game.fault(cause, answer)
        count = game.faults_by_side[game.rules.side(seat)]
        self.seats[seat].fault(Fault(question, cause, made, detail, waited, count))

    def _settle(self, question: Question) -> None:
        self.question = None
        self.seats[question.seat].settled(question)

    def _finish(self) -> None:
        self.finished = True
        if self.question is not None:
            self._settle(self.question)
        for seat in self.seats:
            seat.close(self)
        self._on_finish(self)

    # ---- times and notes ----------------------------------------------------------------------------------------------

    @property
    def deadline(self) -> float:
        """When the time for the open question runs out, unless the loop was late; never where there is none."""
        question = self.question
        if question is None or question.handed is None:
            return math.inf
        return question.handed + self.clock.answer + question.bank

    def waited(self, question: Question, now: float) -> float:
        """Seconds that the bot has had for a question so far, the referee's own lag not counted."""
        if question.handed is None:
            return 0.0
        return max(0.0, now - question.handed - (self._lag.total(now) - question.lag))

    def _count(self, question: Question, waited: float, now: float) -> None:
        """Note the two parts of a decision: the referee's own, and the bot's."""
        own = question.own + (self._lag.worst(question.handed, now) if question.handed is not None else 0.0)
        times = self.times[question.seat]
        times.own.append(int(own * 1e6))
        times.rest.append(int(waited * 1e6))
        self._on_own_time(own, now)

    def _keep(self, note: str, seat: int) -> None:
        raw = note.encode("utf-8", "replace")
        cut = max(0, len(raw) - NOTE_BYTES)
        text = raw[:NOTE_BYTES].decode("utf-8", "ignore") if cut else note
        deal = self.game.deal
        self.notes.append(Note(deal.number, len(deal.moves), seat, text, cut))

    def _blame(self, error: Exception) -> None:
        """An error of our own voids the game; it must never end a bot's stream, for which the bot would be blamed."""
        log.error("table of set %d", self.game.set_number, exc_info=error)
        self.stop(INFRASTRUCTURE, f"{type(error).__name__}: {error}")
