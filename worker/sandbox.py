"""How hosted bots are run: all that the worker knows of sandboxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee import isolate
from referee.errors import BadOrder, IsolationMissing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_TAIL = 16_000


class NoSandbox(RuntimeError):  # noqa: N818 - reads as what happened
    """What owners have submitted cannot be run on this machine; the message says what is missing."""


@dataclass(frozen=True)
class Ran:
    """What became of a command."""

    ok: bool
    how: str
    """How it ended, in words: `exit code 2`, `killed: not done after 300 s`."""
    output: str
    """The end of what it wrote."""
    seconds: float


def seat(tree: Path) -> dict[str, object]:
    """What an order says of the seat of a hosted bot, beside its command. Raises NoSandbox."""
    _require()
    return {"sandbox": {"tree": str(tree)}}


def check_options(tree: Path) -> list[str]:
    """Options for `arena check` of a hosted bot. Raises NoSandbox."""
    _require()
    return ["--sandbox", str(tree)]


def _require() -> None:
    try:
        isolate.choose()
    except (IsolationMissing, BadOrder) as error:
        raise NoSandbox(str(error)) from None


def build(words: Sequence[str], folder: Path, seconds: float, stop: Callable[[], str | None]) -> Ran:
    """Run a build in a folder, which it may change, until `stop` gives a reason; nothing that it has started is left.

    Raises NoSandbox.
    """
    try:
        done = isolate.run(words, folder, writable=True, seconds=seconds, stop=stop)
    except (IsolationMissing, BadOrder) as error:
        raise NoSandbox(str(error)) from None
    how = done.reason or f"exit code {done.code}"
    notes = "".join(f"\n[{note}]" for note in done.notes)
    return Ran(done.ok, how, (done.out + done.err + notes)[-_TAIL:], done.seconds)
