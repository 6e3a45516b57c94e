from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from referee.clock import Clock
from referee.lag import Lag
from referee.rules import VARIANTS
from referee.rules.cards import CARDS, action_text, bits
from referee.rules.deal import PHASE_PLAY
from referee.table import NO_ACTION, NOTE_BYTES, Question, Reply, Table
from tests.referee.doubles import Chooses, Quiet, first_legal, game, last_legal, legal_seat, table_with

if TYPE_CHECKING:
    from collections.abc import Callable

CLOCK = Clock(answer=1.0, bank=2.0, faults=3)


def faults(table: Table) -> list[tuple[int, str]]:
    """(seat, cause) of every fault of the finished deals, in order."""
    return [(fault["seat"], fault["cause"]) for deal in table.game.deals for fault in deal["faults"]]


def started(*seats: Quiet, **rest: object) -> Table:
    table = table_with(*seats, clock=CLOCK, **rest)
    table.start(0.0)
    return table


def pending(table: Table) -> Question:
    assert table.question is not None
    return table.question


def serve_until(table: Table, seat: int, now: float, *, phase: int | None = None) -> Question:
    """Answer for everybody until `seat` is asked (in `phase`)."""
    while pending(table).seat != seat or (phase is not None and table.game.deal.phase != phase):
        question = pending(table)
        table.answer(question, Reply(first_legal(question)), now)
    return pending(table)


# ---- the turn loop ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [variant.name for variant in VARIANTS])
def test_legal_seats_finish_without_a_fault(variant: str) -> None:
    """A table of bots that answer legally at once plays its game to the end, tells every seat, and no fault is booked."""
    seats = [legal_seat() for _ in range(4 if variant in ("bid-euchre", "turn-up") else 3)]
    table = started(*seats, game=game(variant))
    assert table.finished
    assert table.void is None
    assert len(table.game.deals) == 3
    assert faults(table) == []
    assert all(seat.closed and seat.questions for seat in seats)


def test_a_forced_move_is_asked_of_nobody() -> None:
    """No question has fewer than two answers (K10), and each is answered by its own seat only."""
    seats = [legal_seat() for _ in range(3)]
    started(*seats)
    for place, seat in enumerate(seats):
        assert all(question.seat == place and len(bits(question.legal)) > 1 for question in seat.questions)


def test_one_question_at_a_time() -> None:
    """While a seat is asked nobody else is, and an answer to a settled question changes nothing."""
    seats = [Quiet() for _ in range(3)]
    table = started(*seats)
    question = pending(table)
    assert sum(len(seat.questions) for seat in seats) == 1
    assert table.answer(question, Reply(first_legal(question)), 0.1)
    moves = list(table.game.deal.moves)
    assert not table.answer(question, Reply(first_legal(question)), 0.2)
    assert table.game.deal.moves == moves


def test_the_record_does_not_depend_on_time() -> None:
    """The same answers give the same record, however long they take within the clock."""

    def record(step: float) -> str:
        table, now = started(Quiet(), Quiet(), Quiet()), 0.0
        while not table.finished:
            question = pending(table)
            table.hand_over(question, now)
            now += step
            table.answer(question, Reply(last_legal(question)), now)
        return json.dumps(table.game.record([0, 1, 2]))

    assert record(0.0) == record(0.9)


# ---- the clock ------------------------------------------------------------------------------------------------------------


def test_the_clock_starts_when_the_question_is_handed_over() -> None:
    """A question that waits to be sent costs the bot nothing, however long."""
    table = started(Quiet(), Quiet(), Quiet())
    question = pending(table)
    table.expire(100.0)
    assert table.question is question
    table.hand_over(question, 100.0)
    assert question.left(100.5) == (0.5, 2.0)
    assert question.left(101.5) == (0.0, 1.5)
    table.hand_over(question, 101.5)
    assert question.left(101.5) == (0.0, 1.5)


@pytest.mark.parametrize(("after", "late"), [(2.999, False), (3.0, False), (3.001, True)])
def test_the_bank_is_drawn_on_and_no_more(after: float, late: bool) -> None:
    """An answer counts up to the time for one answer plus the bank, and not a moment later."""
    table = started(Quiet(), Quiet(), Quiet())
    question = pending(table)
    table.hand_over(question, 0.0)
    table.answer(question, Reply(first_legal(question)), after)
    assert table.banks[question.seat] == pytest.approx(0.0 if late else 3.0 - after)
    assert sum(table.game.faults_by_side) == late


def test_quick_answers_leave_the_bank_alone() -> None:
    """Only what an answer takes beyond the time for one answer is drawn from the bank; the next ask tells it."""
    table = started(Quiet(), Quiet(), Quiet())
    seat = pending(table).seat
    for took in (1.0, 1.5):
        question = serve_until(table, seat, 10.0)
        table.hand_over(question, 10.0)
        table.answer(question, Reply(first_legal(question)), 10.0 + took)
    question = serve_until(table, seat, 20.0)
    assert question.bank == pytest.approx(1.5)
    assert question.last == pytest.approx(1.5)


def test_causes_of_running_out_of_time() -> None:
    """SILENT before the first answer of a game, BANK_EMPTY while there was a bank, LATE after; the third forfeits."""
    table = started(Quiet(), Quiet(), Quiet())
    seat = pending(table).seat

    def let_expire() -> None:
        question = serve_until(table, seat, 0.0)
        table.hand_over(question, 0.0)
        table.expire(question.bank + 1.0)
        assert table.question is question
        table.expire(question.bank + 1.001)
        assert table.question is not question

    let_expire()
    silent = table.seats[seat].faults[0]  # type: ignore[attr-defined]
    assert (silent.cause, silent.count) == ("SILENT", 1)
    assert silent.waited == pytest.approx(3.001)
    table.banks[seat] = 0.5
    question = serve_until(table, seat, 0.0)
    table.answer(question, Reply(first_legal(question)), 0.0)
    let_expire()
    let_expire()
    assert [fault.cause for fault in table.seats[seat].faults] == ["SILENT", "BANK_EMPTY", "LATE"]  # type: ignore[attr-defined]
    assert table.game.house == {seat}


def test_lag_is_not_charged() -> None:
    """What the event loop was late while a bot was waited for is the referee's own time, and extends the deadline."""
    lag = Lag()
    own: list[float] = []
    table = started(Quiet(), Quiet(), Quiet(), lag=lag, on_own_time=lambda took, _now: own.append(took))
    question = pending(table)
    table.hand_over(question, 0.25)
    lag.add(4.5, 4.5)
    lag.add(0.5, 5.0)
    table.expire(7.0)
    assert table.question is question
    table.answer(question, Reply(first_legal(question)), 6.0)
    times = table.times[question.seat]
    assert times.rest == [750_000]
    assert times.own == [4_750_000]
    assert own == [4.75]
    assert table.banks[question.seat] == 2.0


# ---- faults ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (lambda question: Reply(NO_ACTION, "an answer that names no card and no call"), None),
        (lambda question: Reply(0), "7C"),
        (lambda question: Reply(57), "moon"),
    ],
)
def test_an_illegal_answer_is_a_fault_and_the_game_goes_on(reply: Callable[[Question], Reply], answer: str | None) -> None:
    """An answer that is not legal is recorded with what was said, the fallback is played, the seat is told what was allowed."""
    bad = Chooses(reply)
    table = started(bad, legal_seat(), legal_seat())
    assert table.finished
    assert faults(table) == [(0, "ILLEGAL")] * 3
    assert table.game.house == {0}
    found = [fault for deal in table.game.deals for fault in deal["faults"]]
    assert [fault.get("answer") for fault in found] == [answer] * 3
    assert all("allowed: " in fault.detail for fault in bad.faults)
    assert [fault.count for fault in bad.faults] == [1, 2, 3]
    assert table.game.record([0, 1, 2])["places"][0] == 3


def test_two_faults_do_not_forfeit() -> None:
    """A side with one fault less than the limit plays its game to the end."""
    count = 0

    def choose(question: Question) -> int:
        nonlocal count
        count += 1
        return NO_ACTION if count <= 2 else first_legal(question)

    table = started(Chooses(choose), legal_seat(), legal_seat())
    assert table.game.house == set()
    assert faults(table) == [(0, "ILLEGAL")] * 2


def revoking(question: Question) -> int:
    """A card that is held and does not follow, where there is one."""
    deal = question.table.game.deal
    held = deal.hands[question.seat] & ~question.legal & CARDS
    if deal.phase == PHASE_PLAY and held:
        return bits(held)[0]
    return first_legal(question)


@pytest.mark.parametrize("revoke", ["replace", "stand"])
def test_a_revoke_is_handled_as_the_variant_says(revoke: str) -> None:
    """A revoke is a fault, and the card stands or the lowest legal one replaces it."""
    bad = Chooses(revoking)
    table = started(bad, legal_seat(), legal_seat(), game=game("ghost-hand", "deals:20", revoke=revoke))
    entries = [(deal, fault) for deal in table.game.deals for fault in deal["faults"]]
    assert entries
    for deal, fault in entries:
        made = deal["moves"].split()[fault["move"]]
        assert (made == fault["answer"]) == (revoke == "stand")
    assert {fault.made for fault in bad.faults}.isdisjoint({NO_ACTION})


def test_a_forfeited_team_game_ends_with_its_deal() -> None:
    """The third fault of a team ends its game with the deal in progress, and the team is last."""
    seats = [Chooses(lambda _question: NO_ACTION), *(legal_seat() for _ in range(3))]
    table = started(*seats, game=game("turn-up", "deals:30"))
    assert table.game.end == "forfeit"
    assert table.game.places() == [2, 1]
    assert len(table.game.deals) < 30


def test_partners_share_the_count_of_faults() -> None:
    """Faults of both partners count for their side."""
    seats = [Chooses(lambda question: NO_ACTION if question.seat in (1, 3) else first_legal(question)) for _ in range(4)]
    table = started(*seats, game=game("turn-up", "deals:30"))
    assert table.game.house == {1}
    assert {seat for seat, _ in faults(table)} == {1, 3}
    assert len(faults(table)) == 3


# ---- absence --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause", ["GONE", "CRASHED", "NOT_STARTED"])
def test_an_absent_seat_forfeits_when_it_would_be_asked(cause: str) -> None:
    """Whoever is absent is asked nothing: one fault with the cause, a forfeit, and the others finish their game."""
    seats = [Quiet(), legal_seat(), legal_seat()]
    table = started(*seats, absent={0: cause})
    assert table.finished
    assert seats[0].questions == []
    assert faults(table) == [(0, cause)]
    assert table.game.record([0, 1, 2])["forfeits"] == [0]
    assert len(table.game.deals) == 3


def test_leaving_while_asked_settles_the_question() -> None:
    """A bot that goes while it is asked faults at that move, at once."""
    table = started(Quiet(), legal_seat(), legal_seat())
    question = serve_until(table, 0, 0.0)
    table.gone(0, "CRASHED", 0.5)
    assert table.finished
    assert table.seats[0].settled_numbers[-1] is question  # type: ignore[attr-defined]
    assert faults(table) == [(0, "CRASHED")]


def test_leaving_while_others_are_asked_waits_for_the_turn() -> None:
    """A bot that goes while another is asked faults when its own turn comes."""
    table = started(Quiet(), Quiet(), Quiet())
    other = pending(table)
    gone = (other.seat + 1) % 3
    table.gone(gone, "GONE", 0.1)
    assert table.question is other
    assert table.game.house == set()
    while not table.game.house:
        table.answer(pending(table), Reply(first_legal(pending(table))), 0.2)
    assert table.game.house == {gone}


def test_a_stopped_table_is_void() -> None:
    """A table that is broken off tells its seats, and answers that come later change nothing."""
    seats = [Quiet(), Quiet(), Quiet()]
    finished: list[Table] = []
    table = started(*seats, on_finish=finished.append)
    question = pending(table)
    table.stop("INTERRUPTED", "the match was cancelled")
    assert table.void == ("INTERRUPTED", "the match was cancelled")
    assert finished == [table]
    assert all(seat.closed for seat in seats)
    assert not table.answer(question, Reply(first_legal(question)), 1.0)
    table.expire(1000.0)
    table.stop("INFRASTRUCTURE", "again")
    assert finished == [table]


def test_an_error_of_our_own_is_nobodys_fault() -> None:
    """When the referee's own code fails the game is void, INFRASTRUCTURE, and no seat is blamed."""

    def broken(_own: float, _now: float) -> None:
        raise ZeroDivisionError("a bug")

    table = started(Quiet(), Quiet(), Quiet(), on_own_time=broken)
    question = pending(table)
    table.answer(question, Reply(first_legal(question)), 0.1)
    assert table.void == ("INFRASTRUCTURE", "ZeroDivisionError: a bug")
    assert table.game.faults_by_side == [0, 0, 0]


# ---- notes ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kept", "cut"),
    [
        ("because", "because", 0),
        ("x" * 1024, "x" * 1024, 0),
        ("é" * 600, "é" * 512, 176),
        ("é" + "y" * 1021 + "é", "é" + "y" * 1021, 1),
    ],
)
def test_a_note_is_kept_up_to_its_limit(text: str, kept: str, cut: int) -> None:
    """A note is kept with its place; what is beyond 1,024 bytes is cut at a character and the cut is told."""
    table = started(Quiet(), Quiet(), Quiet())
    question = pending(table)
    table.answer(question, Reply(first_legal(question), note=text), 0.1)
    note = table.notes[0]
    assert (note.deal, note.move, note.seat, note.text, note.cut) == (0, 0, question.seat, kept, cut)
    assert len(note.text.encode()) <= NOTE_BYTES


def test_detail_names_what_was_said_and_allowed() -> None:
    """The detail of a fault repeats the answer and lists every legal one in the record's notation."""
    table = started(Quiet(), Quiet(), Quiet())
    question = pending(table)
    table.answer(question, Reply(NO_ACTION, "unknown card 99"), 0.1)
    detail = table.seats[question.seat].faults[0].detail  # type: ignore[attr-defined]
    assert detail == f"unknown card 99 is not legal (allowed: {' '.join(map(action_text, bits(question.legal)))})"


def test_waiting_for_a_stream_that_is_busy_is_not_our_own_time() -> None:
    """A question that waits behind a write which the bot does not take makes the referee no slower."""
    table = started(Quiet(), Quiet(), Quiet())
    question = pending(table)
    table.hand_over(question, 5.0, free=4.9)
    table.answer(question, Reply(first_legal(question)), 5.5)
    assert table.times[question.seat].own == [99_999] or table.times[question.seat].own == [100_000]
