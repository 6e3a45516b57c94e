"""The options of a clock, the same for `arena play` and for leagues."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from referee.clock import Clock
from referee.errors import BadClock

if TYPE_CHECKING:
    from collections.abc import Callable

_DEFAULT = Clock()
_HELP = {
    "answer": "Seconds for one answer.",
    "bank": "Seconds a game that slow answers may draw on.",
    "start": "Seconds for a bot to start and say hello.",
    "grace": "Seconds for a lost connection to come back.",
    "faults": "Faults that forfeit a game.",
}
NO_CLOCK = 86_400.0
"""Seconds for one answer at a table for debugging: a day."""


def clock_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the clock's options to a command, which gets them as one dictionary `clock`, checked."""

    @wraps(command)
    def wrapped(*args: Any, **given: Any) -> None:  # noqa: ANN401 - click's parameters
        settings = {name: given.pop(name) for name in _HELP}
        if given.pop("no_clock"):
            settings.update(answer=NO_CLOCK, start=NO_CLOCK)
        try:
            clock = Clock.of(settings).as_json()
        except BadClock as error:
            raise click.UsageError(str(error)) from None
        command(*args, clock=clock, **given)

    for name, text in reversed(_HELP.items()):
        default = getattr(_DEFAULT, name)
        wrapped = click.option(f"--{name}", type=type(default), default=default, show_default=True, help=text)(wrapped)
    no_clock = click.option("--no-clock", is_flag=True, help="A day for each answer: for bots under a debugger.")
    decorated: Callable[..., None] = no_clock(wrapped)
    return decorated
