"""A referee's process held in reserve: it has loaded all that it needs and waits for an order, so that the next match need not.

It is started when the match in play nears its end, and ended where no other match follows soon.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from worker import processes
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NEAR: Final = 4
"""Games left of a match when the next one's referee is started."""
IDLE: Final = 10.0
"""Seconds that it may wait for an order while there is no match."""
_GRACE: Final = 5.0


def start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a referee that is to read its order. Raises OSError."""
    return processes.spawn(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Reserve:
    """At most one process in reserve. The main thread only."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._since = 0.0

    def prepare(self, command: Sequence[str], order: Mapping[str, Any]) -> None:
        """Have a referee ready for a match like that of an order; one that cannot be started now is started when it is needed."""
        if self._child is None:
            with suppress(OSError):
                self._child = start([*command, "--ahead", *(["--nursery"] if _has_python(order) else [])])
        self._since = time.monotonic()

    def take(self) -> subprocess.Popen[bytes] | None:
        """The process in reserve, for good; None if there is none that is alive."""
        child, self._child = self._child, None
        if child is not None and child.poll() is not None:
            _end(child)
            return None
        return child

    def rest(self) -> None:
        """End it if it has waited for too long."""
        if time.monotonic() - self._since > IDLE:
            self.end()

    def end(self) -> None:
        """End it."""
        child, self._child = self._child, None
        if child is not None:
            _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Tell it that there is no order, so that it ends what it has started before it goes."""
    assert child.stdin is not None
    child.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE)
    processes.stop(child, _GRACE)
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


def _has_python(order: Mapping[str, Any]) -> bool:
    """Whether the bots of an order may be such as a nursery starts."""
    runs = [str(seat.get("run") or "") for seat in order["lineup"] if not seat.get("sandbox")]
    return any(run.startswith(("python", "arena")) for run in runs)
