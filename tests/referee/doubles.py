"""Seats without a network: whatever takes questions is a seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.clock import Clock
from referee.game import Game
from referee.rules import Rules
from referee.table import Fault, Question, Reply, Table

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = bytes(range(32))


class Quiet:
    """Takes everything, answers nothing; remembers."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.settled_numbers: list[Question] = []
        self.faults: list[Fault] = []
        self.closed = False

    def ask(self, question: Question) -> None:
        self.questions.append(question)

    def settled(self, question: Question) -> None:
        self.settled_numbers.append(question)

    def fault(self, fault: Fault) -> None:
        self.faults.append(fault)

    def close(self, table: Table) -> None:
        self.closed = True


class Chooses(Quiet):
    """Answers at once what `choose` makes of the question, `now` seconds into the test."""

    def __init__(self, choose: Callable[[Question], Reply | int]) -> None:
        super().__init__()
        self._choose = choose

    def ask(self, question: Question) -> None:
        super().ask(question)
        chosen = self._choose(question)
        reply = chosen if isinstance(chosen, Reply) else Reply(chosen)
        question.table.answer(question, reply, question.opened)


def first_legal(question: Question) -> int:
    return (question.legal & -question.legal).bit_length() - 1


def last_legal(question: Question) -> int:
    return question.legal.bit_length() - 1


def legal_seat() -> Chooses:
    return Chooses(first_legal)


def game(variant: str = "cutthroat", fmt: str = "deals:3", set_number: int = 0, **options: object) -> Game:
    given = {"stick_dealer": True, **options}
    return Game(Rules(variant, given), KEY, set_number, fmt)


def table_with(*seats: Quiet, clock: Clock | None = None, **rest: object) -> Table:
    return Table(rest.pop("game", None) or game(), seats, clock or Clock(), **rest)  # type: ignore[arg-type]
