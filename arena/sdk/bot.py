"""The class that a bot derives from, and what an answer may look like."""

import sys
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from arena.sdk.table import Fault, Result, Table
from arena.sdk.view import View
from arena.sdk.words import Call, Card, Move, parse_move

Answer: TypeAlias = Move | str | tuple[Move | str, str | None]
"""A card or a call, as such or as text, alone or with a note on why."""


class Bot:
    """A bot. Override `choose`; the rest is there for those who want it.

    Whatever is raised in one of these methods ends the process with a traceback and exit status 1: a bot that is broken
    says so, and loses by it, rather than playing on as another bot.
    """

    name: str | None = None
    """What the bot calls itself; shown to operators, decides nothing. Default: the name of the class."""
    variants: ClassVar[Sequence[str]] = ()
    """The variants that it plays; empty for all."""
    max_tables: int = 0
    """At how many tables it wants to sit at once; 0 leaves it to the referee."""

    def choose(self, view: View) -> Answer:
        """Return one of `view.legal`, or (move, note)."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(self, view)")

    def choose_all(self, views: Sequence[View]) -> Sequence[Answer]:
        """Answer the questions that arrived together, from different tables, one answer each, in the same order.

        Override this rather than `choose` to evaluate a whole batch at once.
        """
        return [self._choose(view) for view in views]

    def _choose(self, view: View) -> Answer:
        try:
            return self.choose(view)
        except Exception as error:
            error.add_note(f"while deciding {view!r}")
            raise

    def opened(self, table: Table) -> None:
        """A game begins, or, after a lost connection, is still open."""

    def closed(self, result: Result) -> None:
        """A game has ended."""

    def fault(self, fault: Fault) -> None:
        """The referee stepped in for this bot. Unless overridden, says so on stderr, since nobody wants to miss it."""
        instead = f"; {fault.move} instead" if fault.move else ""
        count = f"{fault.count} of {fault.table.faults}" if fault.table.faults else f"{fault.count}"
        print(f"fault {count}: {fault.cause}, {fault.detail}{instead}", file=sys.stderr, flush=True)


class FunctionBot(Bot):
    """A bot that is just a function from the view to the answer."""

    def __init__(self, function: Callable[[View], Answer]) -> None:
        self.name = getattr(function, "__name__", None)
        self._function = function

    def choose(self, view: View) -> Answer:
        """Return what the function returns."""
        return self._function(view)


def as_bot(bot: Bot | Callable[[View], Answer]) -> Bot:
    """Return a bot, given one or a function; raises TypeError for anything else, a class among them."""
    if isinstance(bot, Bot):
        return bot
    if isinstance(bot, type):
        raise TypeError(f"run() takes a bot, not a class: write run({bot.__name__}())")
    if callable(bot):
        return FunctionBot(bot)
    raise TypeError(f"run() takes a Bot or a function from a view to an answer, not {bot!r}")


def move_of(answer: object) -> tuple[Move, str | None]:
    """Split an answer into move and note. Whether the move is legal is for the referee to judge.

    Raises:
        TypeError: It is neither a card nor a call, nor one of them with a note.
        ValueError: It is a text that names no card and no call.
    """
    note: object = None
    move = answer
    if isinstance(answer, tuple) and len(answer) == 2:
        move, note = answer
    if note is not None and not isinstance(note, str):
        raise TypeError(f"a note must be a str, not {note!r}")
    if isinstance(move, Card | Call):
        return move, note
    if isinstance(move, str):
        return parse_move(move), note
    raise TypeError(f"choose() must return a card or a call, alone or as (move, note), not {answer!r}")
