"""What every process of the arena writes about itself: one line an event, with the match it belongs to, and dumps on request.

| variable | values | what |
| --- | --- | --- |
| `ARENA_LOG` | `text` (default), `json` | lines for people, or one JSON object a line for a collector of logs |
| `ARENA_LOG_LEVEL` | `DEBUG`, `INFO`, `WARNING`, `ERROR` | the least that is written |

A process that gets SIGUSR1 writes the stack of each of its threads, and of each asyncio task where there are any, to its log and
goes on: what to look at when something seems to hang.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import os
import signal
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMATS: Final = ("text", "json")
LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")
TEXT: Final = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s%(told)s"

_facts: ContextVar[Mapping[str, str]] = ContextVar("facts", default={})  # noqa: B039 - never changed in place


class BadLogSetting(ValueError):  # noqa: N818 - reads as what happened
    """ARENA_LOG or ARENA_LOG_LEVEL holds something else; the message says what is allowed."""


@contextlib.contextmanager
def about(**facts: str) -> Iterator[None]:
    """Put facts, such as the match, on every line that this thread or task logs within the block."""
    token = _facts.set({**_facts.get(), **facts})
    try:
        yield
    finally:
        _facts.reset(token)


def configure(level: str = "INFO", stream: TextIO | None = None, env: Mapping[str, str] = os.environ) -> None:
    """Send the log of this process to a stream (stderr), in the form that the environment asks for.

    Raises:
        BadLogSetting: it asks for none that there is.
    """
    form = _one_of(env, "ARENA_LOG", "text", FORMATS)
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.addFilter(_tell)
    handler.setFormatter(_json() if form == "json" else logging.Formatter(TEXT))
    logging.basicConfig(level=_one_of(env, "ARENA_LOG_LEVEL", level, LEVELS), handlers=[handler], force=True)


def _one_of(env: Mapping[str, str], name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = env.get(name) or default
    if value not in allowed:
        raise BadLogSetting(f"{name} is {value!r} (allowed: {', '.join(allowed)})")
    return value


def _tell(record: logging.LogRecord) -> bool:
    """Add the facts to a record: each as an attribute, for JSON, and all as text."""
    facts = _facts.get()
    vars(record).update(facts)
    record.told = "".join(f" {name}={value}" for name, value in facts.items())
    return True


def _json() -> logging.Formatter:
    from pythonjsonlogger.json import JsonFormatter  # noqa: PLC0415 - loaded where it is asked for

    return JsonFormatter(
        ["asctime", "levelname", "process", "name", "message"],
        rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
        datefmt="%Y-%m-%dT%H:%M:%S%z",
        reserved_attrs=[*vars(logging.makeLogRecord({})), "message", "asctime", "told"],
    )


# ---- dumps ----------------------------------------------------------------------------------------------------------


def dump_on_signal(stream: TextIO | None = None) -> None:
    """Write the stacks of all threads whenever SIGUSR1 comes, even while the interpreter is stuck in a call."""
    faulthandler.register(signal.SIGUSR1, file=stream or sys.stderr, all_threads=True, chain=False)


def dump_tasks_on_signal(stream: TextIO | None = None) -> None:
    """The same with the running loop's tasks, threads first; in place of `dump_on_signal`, once the loop runs."""
    out = stream or sys.stderr
    faulthandler.unregister(signal.SIGUSR1)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _dump_tasks, out)
    # In front of the loop's handler, so that a loop that hangs still shows where.
    faulthandler.register(signal.SIGUSR1, file=out, all_threads=True, chain=True)


def _dump_tasks(out: TextIO) -> None:
    tasks: set[asyncio.Task[Any]] = asyncio.all_tasks()
    print(f"{len(tasks)} asyncio tasks", file=out)
    for task in sorted(tasks, key=lambda task: task.get_name()):
        print(f"Task {task.get_name()}:", file=out)
        for frame in task.get_stack():  # not task.print_stack, which fails where a frame has no line
            print(f'  File "{frame.f_code.co_filename}", line {frame.f_lineno}, in {frame.f_code.co_name}', file=out)
    out.flush()
