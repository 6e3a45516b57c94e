"""The hall: who is connected, and what is played at which tables. No I/O; the service tells it what happens and calls `tick`.

A run is an order being played. It waits until each of its seats has a bot that said Hello, or has failed to; then it opens
tables for its sets, as many at once as its bots will sit at. A game finished, or void, is an event of the run.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from referee.auth import unknown_token
from referee.encode import Teller
from referee.game import CRASHED, GONE, INFRASTRUCTURE, INTERRUPTED, NOT_STARTED, Game
from referee.lag import Lag, Watch
from referee.limits import Limits
from referee.session import Session
from referee.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from euchre.v1 import referee_pb2
    from referee.errors import Refusal
    from referee.order import Order
    from referee.session import Stream

log = logging.getLogger(__name__)

DRAIN: Final = 1.0
"""Seconds in which the stream of a process that has ended is read to its end."""


@dataclass(frozen=True)
class Finished:
    """A game is finished."""

    set: int
    table: Table


@dataclass(frozen=True)
class Void:
    """A game came to nothing and must be played again."""

    set: int
    cause: str
    detail: str


Event: TypeAlias = Finished | Void | None
"""What a run reports; None when it is over."""


class Run:
    """An order being played."""

    def __init__(self, hall: Hall, order: Order, sessions: list[Session], emit: Callable[[Event], None], now: float) -> None:
        self.order = order
        self.sessions = sessions
        self.over = False
        self.playing: dict[int, Table] = {}
        self.absent: dict[int, str] = {}
        self._hall = hall
        self._emit = emit
        self._deadline = hall.lag.free(now) + order.clock.start
        self._waiting = deque(order.sets)
        self._started = False
        self._pumping = False
        self._due = now
        """No time for an answer runs out before."""

    # ---- who is there -------------------------------------------------------------------------------------------------

    def check(self, now: float) -> None:
        """Look at every seat: begin when all is decided, and let go of bots that will not come (back)."""
        for seat, session in enumerate(self.sessions):
            if seat not in self.absent and not self.over:
                cause = self._missing(session, now)
                if cause:
                    self._lose(seat, cause, now)
        if not self._started and not self.over:
            self._started = all(session.greeted or seat in self.absent for seat, session in enumerate(self.sessions))
        if self._started:
            self.pump(now)

    def _missing(self, session: Session, now: float) -> str:
        """Why there is nobody at a seat, or "" if there is or may yet be."""
        if session.exited is not None and (session.stream is None or now - session.exited[0] > DRAIN):
            return CRASHED if session.greeted else NOT_STARTED
        if session.leaving and session.stream is None:
            return GONE if session.greeted else NOT_STARTED  # its token was revoked: there is nothing to wait for
        if not session.greeted:
            return NOT_STARTED if self._hall.lag.free(now) > self._deadline else ""
        if not session.plays(self.order.rules.name):
            return NOT_STARTED
        if session.lost is not None and self._hall.lag.free(now) - session.lost > self.order.clock.grace:
            return GONE
        return ""

    def _lose(self, seat: int, cause: str, now: float) -> None:
        session = self.sessions[seat]
        how = f": {session.exited[1]}" if session.exited else ""
        about = {"match": self.order.match, "bot": session.bot, "cause": cause}
        log.info("seating %s: %s at seat %d: %s%s", self.order.seating, session.bot, seat, cause, how, extra=about)
        self.absent[seat] = cause
        side = self.order.rules.side
        if len({side(seat) for seat in self.absent}) == self.order.rules.sides:
            told = ", ".join(f"{self.sessions[seat].bot} {cause}" for seat, cause in sorted(self.absent.items()))
            self.stop(INFRASTRUCTURE, f"every side failed, so nobody is to blame: {told}")
            return
        for table in list(self.playing.values()):
            table.gone(seat, cause, now)

    # ---- tables -------------------------------------------------------------------------------------------------------

    def expire(self, now: float) -> None:
        """Step in where the time for an answer has run out. No table is looked at before that can be: there may be thousands."""
        if now < self._due:
            return
        tables = list(self.playing.values())
        for table in tables:
            table.expire(now)
        soonest = now + self.order.clock.answer  # what is asked from now on has so long at least
        self._due = min([soonest, *(table.deadline for table in tables)])

    def pump(self, now: float) -> None:
        """Open tables while there are sets to play and room at the bots' streams; end when there is nothing left."""
        if self._pumping or self.over:
            return
        self._pumping = True
        try:
            while self._waiting and not self._full():
                self._open(self._waiting.popleft(), now)
        finally:
            self._pumping = False
        if not self._waiting and not self.playing:
            self._end()

    def _full(self) -> bool:
        return any(session.full for seat, session in enumerate(self.sessions) if seat not in self.absent)

    def _open(self, number: int, now: float) -> None:
        order, teller = self.order, Teller()
        table = Table(
            Game(order.rules, order.key, number, order.format, order.clock.faults),
            [session.sit(order, seat, teller) for seat, session in enumerate(self.sessions)],
            order.clock,
            lag=self._hall.lag,
            absent=self.absent,
            on_own_time=self._hall.watch.add,
            on_finish=self._finish,
        )
        self.playing[number] = table
        table.start(now)

    def _finish(self, table: Table) -> None:
        number = table.game.set_number
        del self.playing[number]
        self._emit(Finished(number, table) if table.void is None else Void(number, *table.void))
        self._hall.pump_soon()

    def stop(self, cause: str, detail: str) -> int:
        """Break off what is unfinished; how many games that were."""
        if self.over:
            return 0
        waiting = list(self._waiting)
        self._waiting.clear()
        playing = list(self.playing.values())
        for table in playing:
            table.stop(cause, detail)
        for number in waiting:
            self._emit(Void(number, cause, detail))
        self._end()
        return len(waiting) + len(playing)

    def _end(self) -> None:
        self.over = True
        self._hall.leave(self)
        self._emit(None)


class Hall:
    """Every session and every run of one referee. `bots` maps the digests of tokens that are valid without an order to names."""

    def __init__(self, limits: Limits | None = None, watch: Watch | None = None, bots: Mapping[bytes, str] | None = None) -> None:
        self.limits = limits or Limits()
        self.lag = Lag()
        self.watch = watch or Watch()
        self.sessions: dict[bytes, Session] = {}
        self.runs: list[Run] = []
        self.closing = False
        self._bots = dict(bots or {})
        self._count = 0
        self._pump_due = False

    # ---- orders -------------------------------------------------------------------------------------------------------

    def submit(self, order: Order, emit: Callable[[Event], None], now: float) -> Run:
        """Play an order; its bots may be connected already or come within the start-up time."""
        sessions = [self._session(seat.token, seat.bot) for seat in order.seats]
        for session in sessions:
            session.grace = order.clock.grace
            session.leaving = False
        run = Run(self, order, sessions, emit, now)
        self.runs.append(run)
        run.check(now)
        return run

    def cancel(self, match: str) -> int:
        """Break off every run of a match; how many games that were."""
        return sum(run.stop(INTERRUPTED, "the match was cancelled") for run in list(self.runs) if run.order.match == match)

    def leave(self, run: Run) -> None:
        """A run is over: bots that came only for it may go."""
        self.runs.remove(run)
        for session in run.sessions:
            if not self._wanted(session):
                self._dismiss(session)

    def _wanted(self, session: Session) -> bool:
        return any(session in run.sessions for run in self.runs)

    def _dismiss(self, session: Session) -> None:
        if session.stream is None:
            self.sessions.pop(session.token, None)
        elif session.token not in self._bots:
            session.goodbye()

    def _session(self, token: bytes, bot: str) -> Session:
        session = self.sessions.get(token)
        if session is None:
            self._count += 1
            session = self.sessions[token] = Session(token, str(self._count), bot, self.limits)
        return session

    # ---- streams ------------------------------------------------------------------------------------------------------

    def admit(self, token: bytes, now: float) -> Session:
        """The session of a token, for a stream that is being opened. Raises Refusal."""
        session = self.sessions.get(token)
        if session is None and token in self._bots:
            session = self._session(token, self._bots[token])
        if session is None or (session.leaving and token not in self._bots):
            raise unknown_token("the token is not known here, or no longer")
        session.may_open(now)
        return session

    def release(self, session: Session) -> None:
        """A stream that was admitted does not come about: its session goes, unless it is up or expected."""
        if session.stream is None and not self._wanted(session):
            self.sessions.pop(session.token, None)

    def connect(self, session: Session, stream: Stream, hello: referee_pb2.Hello, now: float) -> None:
        """A stream has said Hello."""
        session.attach(stream, hello)
        self._look_at(session, now)

    def disconnect(self, session: Session, stream: Stream, now: float) -> None:
        """A stream has ended."""
        if not session.detach(stream, now):
            return
        session.lost = self.lag.free(now)
        if session.leaving or not self._wanted(session):
            self.sessions.pop(session.token, None)
        self._look_at(session, now)

    def _look_at(self, session: Session, now: float) -> int:
        """Have the runs in which a session has a seat see to it; how many those are."""
        concerned = [run for run in self.runs if session in run.sessions]
        for run in concerned:
            run.check(now)
        return len(concerned)

    def exited(self, token: bytes, detail: str, now: float) -> int:
        """A bot's process has ended; in how many runs it had a seat."""
        session = self.sessions.get(token)
        if session is None:
            return 0
        session.exited = (now, detail)
        return self._look_at(session, now)

    def know(self, bots: Mapping[bytes, str], refusal: Refusal, now: float) -> None:
        """The bots that may come at any time have changed. Those that vanished are gone at once, their streams with `refusal`."""
        vanished = self._bots.keys() - bots.keys()
        self._bots = dict(bots)
        for session in [self.sessions[token] for token in vanished & self.sessions.keys()]:
            if session.stream is not None:
                session.stream.end(refusal)  # before it is leaving: a goodbye would make that look well
            else:
                self.sessions.pop(session.token, None)
            session.leaving = True
            self._look_at(session, now)

    # ---- time ---------------------------------------------------------------------------------------------------------

    def pump_soon(self) -> None:
        """There may be room for more tables; looked into when the present event is dealt with."""
        self._pump_due = True

    def pump(self, now: float) -> None:
        """Open tables where there is room now. Call it after each event."""
        while self._pump_due:
            self._pump_due = False
            for run in list(self.runs):
                if not run.over:
                    run.check(now)

    def tick(self, now: float) -> None:
        """Let time pass. Call it often, when everything that has arrived is taken."""
        for session in self.sessions.values():
            session.start_stuck_clocks(now)
        for run in list(self.runs):
            run.expire(now)
            run.check(now)
        if self.watch.lags(now):
            self._void(now)
        self.pump(now)

    def _void(self, now: float) -> None:
        self.watch.clear()
        detail = f"the referee lagged: its own part of decisions was above {self.watch.limit:g} s too often"
        log.warning("%s; the games in play are void", detail)
        for run in list(self.runs):
            for table in list(run.playing.values()):
                table.stop(INFRASTRUCTURE, detail)
            run.check(now)

    def close(self) -> None:
        """Break everything off and say goodbye to everybody."""
        self.closing = True
        for run in list(self.runs):
            run.stop(INTERRUPTED, "the referee is stopping")
        for session in list(self.sessions.values()):
            session.goodbye()
