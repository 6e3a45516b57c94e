"""One run of `python -m referee match`: feed it the order, take its events as they come, and see how it ends."""

from __future__ import annotations

import json
import logging
import os
import selectors
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Literal

from worker import processes
from worker.reserve import Referee

if TYPE_CHECKING:
    from collections.abc import Callable

    from worker.order import Order
    from worker.reserve import Reserve

LOG = logging.getLogger(__name__)
COMMAND: tuple[str, ...] = (sys.executable, "-m", "referee", "match")
TICK = 0.1
"""Seconds between two looks at whether to stop."""
TAIL = 4000
"""Characters of the referee's messages that are kept to explain a failure."""
LONGEST_LINE = 64 << 20
"""Bytes of one event: far above the longest game."""
GRACE = 5.0
"""Seconds that the referee gets to end its bots before it is killed."""

Event = dict[str, Any]


@dataclass(frozen=True)
class Ending:
    """How a run ended."""

    kind: Literal["done", "failed", "stopped"]
    detail: str = ""


class Broken(Exception):  # noqa: N818 - reads as what happened
    """The referee's process does not keep to its contract, or an event could not be taken in."""


def run(
    order: Order,
    take: Callable[[Event], None],
    stop: Callable[[], str | None],
    reserve: Reserve | None = None,
) -> Ending:
    """Play an order and hand each event to `take`. The main thread only.

    Args:
        order: see `worker.order`.
        take: takes an event; raises `Broken` if it cannot be taken in.
        stop: asked ten times a second; a text is the reason to stop now.
        reserve: where a referee may wait for its order, and wait on afterwards.

    Returns:
        done: the referee said so and left in good order. failed: its process broke down. stopped: `stop` gave a reason.
    """
    reason = stop()
    if reason is not None:
        return Ending("stopped", reason)
    try:
        referee = reserve.take(COMMAND) if reserve else Referee(COMMAND, stay=False)
    except OSError as error:
        return Ending("failed", f"the referee cannot be started: {error}")
    pipes, stays = _Pipes(referee.child, json.dumps(order).encode() + b"\n", take), False
    try:
        ending = _watch(referee.child, pipes, stop)
        stays = ending.kind == "done" and pipes.stays
    except Broken as error:
        ending = Ending("failed", f"{error}{pipes.said()}")
    finally:
        pipes.close()
        if not stays:
            referee.stop(GRACE)
    if reserve and stays:
        reserve.keep(referee)
    return ending


def _watch(child: subprocess.Popen[bytes], pipes: _Pipes, stop: Callable[[], str | None]) -> Ending:
    while pipes.step(TICK) or not (pipes.closed or child.poll() is not None):
        reason = stop()
        if reason is not None:
            _wind_up(child, pipes)
            return Ending("stopped", reason)
        if pipes.stays:
            return Ending("done")
    code = _exit_code(child)
    if pipes.done and code == 0:
        return Ending("done")
    word = "said that it was done, but" if pipes.done else "stopped before it was done and"
    return Ending("failed", f"the referee {word} {_exit_text(code)}{pipes.said()}")


def _wind_up(child: subprocess.Popen[bytes], pipes: _Pipes) -> None:
    """Ask the referee to stop and listen on: what it still reports stands, and it must not hang on a full pipe."""
    processes.terminate(child)
    end = time.monotonic() + GRACE
    while not pipes.closed and child.poll() is None and time.monotonic() < end:
        pipes.step(TICK)


def _exit_code(child: subprocess.Popen[bytes]) -> int | None:
    try:
        return child.wait(GRACE)
    except subprocess.TimeoutExpired:
        return None


def _exit_text(code: int | None) -> str:
    if code is None:
        return "did not exit"
    return f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"


class _Pipes:
    """The three pipes of the referee's process, served together so that none of them ever blocks it or us."""

    def __init__(self, child: subprocess.Popen[bytes], order: bytes, take: Callable[[Event], None]) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self.done = False
        self._staying = False
        self._order = memoryview(order)
        self._take = take
        self._line = bytearray()
        self._tail = ""
        self._selector = selectors.DefaultSelector()
        self._watch(child.stdin, selectors.EVENT_WRITE, self._feed)
        self._watch(child.stdout, selectors.EVENT_READ, self._hear)
        self._watch(child.stderr, selectors.EVENT_READ, self._overhear)

    def _watch(self, pipe: IO[bytes], kind: int, serve: Callable[[IO[bytes]], None]) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._selector.register(pipe, kind, serve)

    def step(self, seconds: float) -> bool:
        """Serve what is ready, waiting so long for something; False if there was nothing."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            key.data(key.fileobj)
        return bool(ready)

    @property
    def closed(self) -> bool:
        """Whether the referee's end of both its outputs is closed; a stray grandchild can hold them open beyond its end."""
        return all(key.data == self._feed for key in self._selector.get_map().values())

    @property
    def stays(self) -> bool:
        """Whether the referee is done and waits for the next order, with nothing said beyond that."""
        return self.done and self._staying and not self._line

    def said(self) -> str:
        """The end of what the referee wrote on its standard error, as an addition to a message."""
        return f"; it said: {self._tail.strip()}" if self._tail.strip() else ""

    def close(self) -> None:
        """Serve them no more. They stay open: the end of its standard input tells the referee that we are gone."""
        self._selector.close()

    def _feed(self, pipe: IO[bytes]) -> None:
        try:
            self._order = self._order[os.write(pipe.fileno(), self._order[:65536]) :]
        except BrokenPipeError:
            self._order = self._order[:0]  # it is gone; its exit code will say why
        if not self._order:
            self._selector.unregister(pipe)

    def _hear(self, pipe: IO[bytes]) -> None:
        data = os.read(pipe.fileno(), 1 << 20)
        if not data:
            self._selector.unregister(pipe)
            return
        *lines, rest = (bytes(self._line) + data).split(b"\n")
        self._line = bytearray(rest)
        if len(rest) > LONGEST_LINE:
            raise Broken(f"the referee wrote a line of more than {LONGEST_LINE} bytes")
        for line in lines:
            self._event(line)

    def _event(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if not isinstance(event, dict) or "event" not in event:
            raise Broken(f"the referee wrote something that is no event: {line[:200]!r}")
        if event["event"] == "done":
            self.done, self._staying = True, bool(event.get("stays"))
        else:
            self._take(event)

    def _overhear(self, pipe: IO[bytes]) -> None:
        data = os.read(pipe.fileno(), 65536)
        if not data:
            self._selector.unregister(pipe)
            return
        text = data.decode(errors="replace")
        self._tail = (self._tail + text)[-TAIL:]
        for line in text.splitlines():
            LOG.debug("referee: %s", line)
