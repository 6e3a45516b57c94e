"""Sessions and runs on a fake clock, with streams that are lists."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from euchre.v1 import referee_pb2, table_pb2
from referee.clock import Clock
from referee.errors import BadOrder, Refusal
from referee.hall import Event, Finished, Hall, Run, Void
from referee.lag import Watch
from referee.limits import Limits
from referee.order import Order, OrderSeat
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.session import Session

CLOCK = Clock(answer=1.0, bank=2.0, start=20.0, grace=5.0)


class Wire:
    """A stream of a bot: what the session would send is fetched with `read`."""

    def __init__(self) -> None:
        self.ended: list[Refusal | None] = []
        self.is_stuck = False
        self.free = 0.0

    def ripen(self) -> None:
        """Need not wait: whatever is collected here is collected by hand."""

    def wake(self) -> None:
        pass

    def end(self, refusal: Refusal | None) -> None:
        self.ended.append(refusal)

    def stuck(self, now: float) -> bool:
        return self.is_stuck


class Arena:
    """A hall with the bots of one order, and what it reported."""

    def __init__(
        self, sets: int = 1, *, clock: Clock = CLOCK, variant: str = "cutthroat", fmt: str = "deals:2", **rest: Any
    ) -> None:
        self.hall = Hall(rest.pop("limits", None), rest.pop("watch", None), rest.pop("bots", None))
        self.events: list[Event] = []
        rules = Rules(variant, {"stick_dealer": True})
        self.tokens = [hashlib.sha256(bytes([seat])).digest() for seat in range(rules.seats)]
        seats = tuple(OrderSeat(token, f"bot{seat}") for seat, token in enumerate(self.tokens))
        self.order = Order("m", rules, fmt, bytes(32), tuple(range(sets)), rules.seatings()[0], seats, clock)
        self.run: Run = self.hall.submit(self.order, self.events.append, 0.0)
        self.wires: list[Wire] = []

    def session(self, seat: int) -> Session:
        return self.run.sessions[seat]

    def greet(self, seat: int, now: float = 0.0, **hello: Any) -> Wire:
        wire = Wire()
        session = self.hall.admit(self.tokens[seat], now)
        self.hall.connect(session, wire, referee_pb2.Hello(protocol=1, **hello), now)
        return wire

    def greet_all(self, now: float = 0.0, **hello: Any) -> None:
        self.wires = [self.greet(seat, now, **hello) for seat in range(len(self.tokens))]

    def read(self, seat: int, now: float) -> referee_pb2.PlayResponse:
        return referee_pb2.PlayResponse.FromString(self.session(seat).collect(now) or b"")

    def answer(self, seat: int, asks: Iterable[table_pb2.Ask], now: float) -> None:
        self.session(seat).take(list(map(first, asks)), now)
        self.hall.pump(now)

    def play(self, now: float, *, without: int | None = None) -> None:
        """Everybody (but one) answers until nobody is asked."""
        going = True
        while going:
            going = False
            for seat in range(len(self.tokens)):
                if seat != without and (asks := self.read(seat, now).asks):
                    self.answer(seat, asks, now)
                    going = True

    def causes(self) -> list[str]:
        return [event.cause for event in self.events if isinstance(event, Void)]

    def finished(self) -> list[Finished]:
        return [event for event in self.events if isinstance(event, Finished)]


def first(ask: table_pb2.Ask) -> table_pb2.Answer:
    if ask.legal_cards:
        return table_pb2.Answer(ask=ask.id, card=ask.legal_cards[0])
    return table_pb2.Answer(ask=ask.id, call=ask.legal_calls[0])


# ---- runs ---------------------------------------------------------------------------------------------------------------


def test_a_run_waits_for_all_its_bots_and_ends() -> None:
    """No table opens before every bot has said Hello; afterwards all sets are played and the run ends with None."""
    arena = Arena(sets=3)
    arena.greet(0)
    arena.greet(1)
    assert arena.run.playing == {}
    arena.greet(2, 19.0)
    assert len(arena.run.playing) == 3
    arena.play(19.5)
    assert sorted(event.set for event in arena.finished()) == [0, 1, 2]
    assert arena.events[-1] is None
    assert arena.hall.runs == []


def test_bots_of_an_order_are_dismissed_with_it() -> None:
    """When its only order is over a bot gets Goodbye, and its token is worth nothing any more."""
    arena = Arena()
    arena.greet_all()
    arena.play(0.5)
    assert arena.read(0, 1.0).goodbye
    with pytest.raises(Refusal, match="TOKEN_UNKNOWN"):
        arena.hall.admit(arena.tokens[0], 1.0)
    for seat, wire in enumerate(arena.wires):
        arena.hall.disconnect(arena.session(seat), wire, 1.0)
    assert arena.hall.sessions == {}


def test_a_bot_that_does_not_come_has_not_started() -> None:
    """After the start-up time a missing bot is NOT_STARTED; the others play, and it is asked nothing."""
    arena = Arena()
    arena.greet(1)
    arena.greet(2)
    arena.hall.tick(20.0)
    assert arena.run.playing == {}
    arena.hall.tick(20.1)
    arena.play(20.2)
    game = arena.finished()[0].table.game
    assert [fault["cause"] for deal in game.deals for fault in deal["faults"]] == ["NOT_STARTED"]
    assert game.house == {0}


def test_nobody_is_to_blame_when_all_fail() -> None:
    """When the last side fails too, what is unfinished is void: INFRASTRUCTURE."""
    arena = Arena(sets=2)
    arena.hall.tick(21.0)
    assert arena.causes() == ["INFRASTRUCTURE"] * 2
    assert arena.events[-1] is None


def test_a_team_fails_with_its_first_seat() -> None:
    """Two seats of one team are one side: the other team plays on; a seat of each is all."""
    arena = Arena(variant="turn-up")
    arena.greet(1)
    arena.greet(3)
    arena.hall.tick(21.0)
    arena.play(21.0)
    assert arena.finished()[0].table.game.house == {0}
    other = Arena(variant="turn-up")
    other.greet(0)
    other.greet(3)
    other.hall.tick(21.0)
    assert other.causes() == ["INFRASTRUCTURE"]


def test_tables_are_limited_by_what_a_bot_wants() -> None:
    """No more tables are open than the most modest bot, or the referee, allows; the rest wait their turn."""
    arena = Arena(sets=5)
    arena.greet(0)
    arena.greet(1, max_tables=2)
    arena.greet(2)
    assert len(arena.run.playing) == 2
    arena.play(0.5)
    assert len(arena.finished()) == 5
    few = Arena(sets=5, limits=Limits(open_asks=3))
    few.greet_all(max_tables=100)
    assert len(few.run.playing) == 3


def test_cancelling_reports_every_unfinished_game() -> None:
    """A cancelled match is void, INTERRUPTED, game by game, those that wait too."""
    arena = Arena(sets=4, limits=Limits(open_asks=2))
    arena.greet_all()
    assert arena.hall.cancel("another") == 0
    assert arena.hall.cancel("m") == 4
    assert arena.causes() == ["INTERRUPTED"] * 4
    assert arena.events[-1] is None
    assert arena.read(0, 1.0).goodbye


def test_a_lagging_referee_voids_what_is_in_play() -> None:
    """When the referee's own times are too long the games in play are void, and the next are played."""
    watch = Watch(limit=0.1, least=5)
    arena = Arena(sets=2, watch=watch, limits=Limits(open_asks=1))
    arena.greet_all()
    for now in (0.2 * step for step in range(1, 7)):
        seat = next(seat for seat in range(3) if arena.session(seat).open)
        arena.read(seat, now)
        arena.hall.lag.add(0.15, now)
        for _, question in list(arena.session(seat).open.values()):
            arena.answer(seat, [_ask_of(question)], now)
    arena.hall.tick(1.5)
    assert arena.causes() == ["INFRASTRUCTURE"]
    assert list(arena.run.playing) == [1]
    arena.play(1.6)
    assert [event.set for event in arena.finished()] == [1]


def _ask_of(question: Any) -> table_pb2.Ask:
    lowest = (question.legal & -question.legal).bit_length() - 1
    fields = {"legal_cards": [lowest + 1]} if lowest <= 32 else {"legal_calls": [lowest - 40]}
    return table_pb2.Ask(id=question.number, **fields)  # type: ignore[arg-type]


# ---- streams ------------------------------------------------------------------------------------------------------------


def asked(arena: Arena, now: float = 0.0) -> int:
    """The seat that is asked at the only table."""
    return next(seat for seat in range(3) if arena.session(seat).open)


def test_a_new_stream_gets_everything_again() -> None:
    """A second Hello with the token replaces the stream; the new one gets its tables and its open asks, clocks running."""
    arena = Arena(sets=2)
    arena.greet_all()
    seat = asked(arena)
    before = arena.read(seat, 0.0)
    wire = arena.greet(seat, 0.4)
    assert arena.wires[seat].ended[0] is not None
    assert arena.wires[seat].ended[0].reason == "REPLACED"
    after = arena.read(seat, 0.4)
    assert after.welcome.session == before.welcome.session
    assert [opened.table for opened in after.opened] == [opened.table for opened in before.opened] == [1, 2]
    assert [ask.id for ask in after.asks] == [ask.id for ask in before.asks]
    assert after.asks[0].view == before.asks[0].view
    assert before.asks[0].time.ToMilliseconds() == 1000
    assert after.asks[0].time.ToMilliseconds() == 600
    arena.hall.disconnect(arena.session(seat), arena.wires[seat], 0.5)
    assert arena.session(seat).stream is wire


def test_grace_and_then_gone() -> None:
    """A lost stream may come back within the grace period; after it the seat is GONE, and forfeits when asked."""
    arena = Arena(clock=Clock(answer=100.0, grace=5.0))
    arena.greet_all()
    seat = asked(arena)
    arena.hall.disconnect(arena.session(seat), arena.wires[seat], 1.0)
    arena.hall.tick(6.0)
    assert arena.run.absent == {}
    arena.hall.tick(6.1)
    assert arena.run.absent == {seat: "GONE"}
    arena.play(6.2)
    game = arena.finished()[0].table.game
    assert [fault["cause"] for deal in game.deals for fault in deal["faults"]] == ["GONE"]


def test_grace_and_start_are_not_shortened_by_our_lag() -> None:
    """What the referee itself stood still is no part of the start-up time, nor of the grace period."""
    arena = Arena(clock=Clock(answer=100.0, start=20.0, grace=5.0))
    arena.hall.lag.add(60.0, 60.0)
    arena.hall.tick(79.0)
    assert arena.run.absent == {}
    arena.greet_all(79.0)
    arena.hall.disconnect(arena.session(0), arena.wires[0], 80.0)
    arena.hall.lag.add(60.0, 140.0)
    arena.hall.tick(144.9)
    assert arena.run.absent == {}
    arena.hall.tick(145.1)
    assert arena.run.absent == {0: "GONE"}


def test_the_clock_runs_while_a_stream_is_lost() -> None:
    """Asks that open while nobody is there cost their time from the start."""
    arena = Arena(sets=2, clock=Clock(answer=1.0, bank=0.0, grace=60.0))
    arena.greet_all()
    seat = asked(arena)
    arena.hall.disconnect(arena.session(seat), arena.wires[seat], 0.0)
    arena.hall.tick(1.1)
    faults = [table.game.faults_by_side[seat] for table in arena.run.playing.values()]
    assert max(faults) == 1


def test_a_crash_is_seen_when_the_stream_ends() -> None:
    """A process that has ended is CRASHED as soon as its stream is read to the end, or after a moment."""
    for ends in (True, False):
        arena = Arena(clock=Clock(answer=100.0, grace=500.0))
        arena.greet_all()
        seat = asked(arena)
        assert arena.hall.exited(arena.tokens[seat], "exit code 1", 1.0) == 1
        assert arena.run.absent == {}
        if ends:
            arena.hall.disconnect(arena.session(seat), arena.wires[seat], 1.1)
        else:
            arena.hall.tick(2.1)
        assert arena.run.absent == {seat: "CRASHED"}


def test_a_process_that_ends_before_hello_has_not_started() -> None:
    """The end of a process that never said Hello is NOT_STARTED, at once."""
    arena = Arena()
    arena.hall.exited(arena.tokens[1], "exit code 127", 0.5)
    assert arena.run.absent == {1: "NOT_STARTED"}
    assert arena.hall.exited(bytes(32), "nobody", 0.5) == 0


def test_streams_of_a_token_are_limited() -> None:
    """More streams than the limit within its window are refused, with the time to wait."""
    arena = Arena(limits=Limits(streams=3, stream_window=10.0))
    for now in (0.0, 1.0, 2.0):
        arena.greet(0, now)
    with pytest.raises(Refusal) as caught:
        arena.greet(0, 4.0)
    assert (caught.value.code, caught.value.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_STREAMS")
    assert caught.value.retry_after == pytest.approx(6.0)
    arena.greet(1, 4.0)
    arena.greet(0, 10.1)


def test_streams_that_nobody_reads_to_the_end_count() -> None:
    """While as many streams as are allowed are not finished, no other is opened, however long that takes."""
    arena = Arena(limits=Limits(streams=3))
    arena.greet(0)
    arena.session(0).streams = 3
    with pytest.raises(Refusal, match="TOO_MANY_STREAMS"):
        arena.greet(0, 1000.0)
    arena.session(0).streams = 2
    arena.greet(0, 1000.0)


def test_revoked_tokens_end_their_streams() -> None:
    """A bot whose token vanishes from the file is ended and not admitted again."""
    token = hashlib.sha256(b"remote").digest()
    hall = Hall(bots={token: "remote"})
    session, wire = hall.admit(token, 0.0), Wire()
    hall.connect(session, wire, referee_pb2.Hello(protocol=1), 0.0)
    hall.know({}, Refusal("UNAUTHENTICATED", "TOKEN_UNKNOWN", "revoked"), 0.0)
    assert wire.ended[0] is not None
    hall.disconnect(session, wire, 0.1)
    with pytest.raises(Refusal, match="TOKEN_UNKNOWN"):
        hall.admit(token, 0.2)


@pytest.mark.parametrize("lost", [False, True], ids=["connected", "lost"])
def test_who_has_a_seat_and_is_revoked_is_gone_at_once(*, lost: bool) -> None:
    """It forfeits without a wait for its grace, and cannot come back within that; the others play on."""
    bots = {hashlib.sha256(bytes([seat])).digest(): f"bot{seat}" for seat in range(3)}
    arena = Arena(sets=2, bots=bots)
    arena.greet_all()
    arena.read(2, 0.0)
    session, refusal = arena.session(2), Refusal("UNAUTHENTICATED", "TOKEN_UNKNOWN", "revoked")
    if lost:
        arena.hall.disconnect(session, arena.wires[2], 0.1)
    arena.hall.know({token: bot for token, bot in bots.items() if bot != "bot2"}, refusal, 0.2)
    if not lost:
        assert arena.wires[2].ended == [refusal]
        arena.hall.disconnect(session, arena.wires[2], 0.3)
    assert arena.run.absent == {2: "GONE"}
    with pytest.raises(Refusal, match="TOKEN_UNKNOWN"):
        arena.greet(2, 0.3)
    arena.play(0.4, without=2)
    assert [game.table.game.house for game in arena.finished()] == [{2}] * 2


def test_who_is_revoked_before_it_came_did_not_start() -> None:
    """It is not waited for: the others begin without it."""
    bots = {hashlib.sha256(bytes([2])).digest(): "bot2"}
    arena = Arena(bots=bots)
    arena.greet(0)
    arena.greet(1)
    arena.hall.know({}, Refusal("UNAUTHENTICATED", "TOKEN_UNKNOWN", "revoked"), 0.2)
    assert arena.run.absent == {2: "NOT_STARTED"}
    assert len(arena.run.playing) == 1


# ---- what is sent ---------------------------------------------------------------------------------------------------------


def test_asks_that_are_ready_travel_together() -> None:
    """One message holds the welcome, every opening and every ask that is ready."""
    arena = Arena(sets=20)
    arena.greet_all()
    messages = [arena.read(seat, 0.0) for seat in range(3)]
    assert [len(message.opened) for message in messages] == [20, 20, 20]
    assert sum(len(message.asks) for message in messages) == 20
    assert all(arena.session(seat).collect(0.1) is None for seat in range(3))


def test_an_opening_tells_all_that_is_agreed() -> None:
    """A table's opening carries match, variant, every option as text, seat, commitment, format and clock."""
    arena = Arena()
    arena.greet_all()
    opened = arena.read(1, 0.0).opened[0]
    assert (opened.match, opened.variant, opened.seat, opened.seats, opened.format) == ("m", "cutthroat", 1, 3, "deals:2")
    assert opened.options.keys() == arena.order.rules.options.keys()
    assert opened.options["stick_dealer"] == "on"
    assert opened.commitment == hashlib.sha256(bytes(32)).digest()
    assert (opened.time.ToMilliseconds(), opened.bank.ToMilliseconds(), opened.faults) == (1000, 2000, 3)


def test_time_runs_out_at_each_table_by_itself() -> None:
    """However asks are spread in time, each is given up at the first tick after its own time, and not before."""
    arena = Arena(sets=12, clock=Clock(answer=1.0, bank=0.5, start=20.0, grace=5.0, faults=1000))
    arena.greet_all()
    given_up: dict[int, float] = {}
    handed: dict[int, float] = {}
    for tick in range(1, 400):
        now = tick / 50
        if tick % 7 == 1:
            for seat in range(3):
                handed.update(dict.fromkeys((ask.id * 10 + seat for ask in arena.read(seat, now).asks), now))
        before = {seat: set(arena.session(seat).open) for seat in range(3)}
        bank = {number * 10 + seat: q.bank for seat in range(3) for number, (_, q) in arena.session(seat).open.items()}
        arena.hall.tick(now)
        for seat, numbers in before.items():
            for number in numbers - set(arena.session(seat).open):
                given_up[number * 10 + seat] = now - handed[number * 10 + seat] - 1.0 - bank[number * 10 + seat]
    assert len(given_up) > 30
    assert min(given_up.values()) > 0
    assert max(given_up.values()) <= 0.02 + 1e-9


def test_an_expired_ask_is_never_sent() -> None:
    """A bot that does not read runs out of time, and the asks that it missed leave nothing behind."""
    arena = Arena(sets=30, clock=Clock(answer=1.0, bank=0.0, grace=60.0))
    arena.greet_all()
    seat = asked(arena)
    arena.wires[seat].is_stuck = True
    now = 0.0
    while not arena.events or arena.events[-1] is not None:
        arena.play(now, without=seat)
        now += 0.51
        arena.hall.tick(now)
        assert len(arena.session(seat).open) <= 30
    assert len(arena.finished()) == 30
    assert all(event.table.game.house == {seat} for event in arena.finished())
    assert arena.read(seat, now).asks == []


def test_too_many_notices_drop_the_stream() -> None:
    """Notices for a bot that does not read are bounded: one too many ends its stream."""
    arena = Arena(limits=Limits(notices=10, stray_answers=1000))
    arena.greet_all()
    session = arena.session(0)
    session.take([table_pb2.Answer(ask=99)] * 10, 0.0)
    assert arena.wires[0].ended == []
    session.take([table_pb2.Answer(ask=99)], 0.0)
    assert arena.wires[0].ended[0] is not None
    assert arena.wires[0].ended[0].reason == "SLOW_READER"


def test_stray_answers_are_limited_and_told() -> None:
    """Answers that name no open ask are reported as stale, up to so many a second; real answers are never limited."""
    arena = Arena(sets=40, limits=Limits(stray_answers=5))
    arena.greet_all()
    arena.play(0.5)
    assert len(arena.finished()) == 40
    session = arena.session(0)
    session.take([table_pb2.Answer(ask=1)] * 5, 1.0)
    assert len(arena.read(0, 1.0).stale) == 5
    with pytest.raises(Refusal) as caught:
        session.take([table_pb2.Answer(ask=1)], 1.5)
    assert caught.value.reason == "STRAY_ANSWERS"
    assert caught.value.retry_after == 1.0


def test_a_fault_is_told_to_its_seat_only() -> None:
    """The bot that faulted learns the cause, what was played, what was allowed and its count; nobody else does."""
    arena = Arena()
    arena.greet_all()
    seat = asked(arena)
    ask = arena.read(seat, 0.0).asks[0]
    arena.session(seat).take([table_pb2.Answer(ask=ask.id)], 0.25)
    fault = arena.read(seat, 0.3).faults[0]
    assert (fault.table, fault.ask, fault.cause, fault.count) == (ask.table, ask.id, table_pb2.CAUSE_ILLEGAL, 1)
    assert bool(fault.card) != bool(fault.call)
    assert fault.waited.ToMilliseconds() == 250
    assert "allowed:" in fault.detail
    assert all(not arena.read(other, 0.3).faults for other in range(3) if other != seat)


# ---- orders ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "deals:0"}, "bad format"),
        ({"key": b"short"}, "match key of 5 bytes"),
        ({"sets": ()}, "0 sets"),
        ({"sets": (1, 1)}, "each once"),
        ({"seating": (0, 0, 1)}, "seating"),
        ({"seats": ()}, "0 seats"),
        ({"seats": (OrderSeat(bytes(32), "a"),) * 3}, "same token"),
        ({"seats": tuple(OrderSeat(bytes([n]), "a") for n in range(3))}, "SHA-256"),
    ],
)
def test_an_order_that_cannot_be_played_is_refused(change: dict[str, Any], told: str) -> None:
    """Every part of an order is checked before anything is played."""
    good = Arena().order
    fields = {name: getattr(good, name) for name in good.__dataclass_fields__}
    with pytest.raises(BadOrder, match=told):
        Order(**{**fields, **change})
