"""What a bot author needs: the `Bot` class, the `View` that a bot decides on, and `run`, which takes a seat.

A whole bot::

    from arena import run
    run(lambda view: view.legal[0])

The modules, from the bottom: `words` (cards, calls and suits), `table` (what surrounds a decision), `view` (what a seat
knows, and what follows from it), `bot` (the class to derive from), `wire` (messages to views and back), `client` (the
session with the referee), `local` (the same views without a referee, for tests and tuning).
"""

from arena.sdk.bot import Answer, Bot
from arena.sdk.client import run
from arena.sdk.table import Fault, Result, Said, Table, Trick
from arena.sdk.view import View
from arena.sdk.words import Call, Card, Move, Phase, Suit, Turned

__all__ = [
    "Answer",
    "Bot",
    "Call",
    "Card",
    "Fault",
    "Move",
    "Phase",
    "Result",
    "Said",
    "Suit",
    "Table",
    "Trick",
    "Turned",
    "View",
    "run",
]
