"""A referee's process held in reserve: it has played a match and waits for the order of the next, with all that it needs loaded.

It is ended where no other match follows soon.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from worker import processes
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

IDLE: Final = 10.0
"""Seconds that it may wait for an order while there is no match."""
MATCHES: Final = 50
"""Matches after which a referee makes way for a fresh one: whatever it leaks ends with it."""
_GRACE: Final = 5.0


class Referee:
    """A `python -m referee match`, which plays one match or, if it says that it stays, one after the other."""

    def __init__(self, command: Sequence[str], *, stay: bool) -> None:
        """Start it. Raises OSError."""
        words = [*command, "--stay"] if stay else command
        pipe = subprocess.PIPE
        self.child = processes.spawn(words, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)
        self.matches = 0
        """That it has played."""

    def end(self) -> None:
        """Tell it that there is no further order, so that it ends what it has started before it goes."""
        assert self.child.stdin is not None
        self.child.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.child.wait(_GRACE)
        self.stop()

    def stop(self, grace: float = _GRACE) -> None:
        """Stop it, whatever it does: with SIGKILL after so many seconds."""
        processes.stop(self.child, grace)
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            if pipe is not None:
                pipe.close()


class Reserve:
    """At most one referee in reserve. The main thread only."""

    def __init__(self) -> None:
        self._referee: Referee | None = None
        self._since = 0.0

    def take(self, command: Sequence[str]) -> Referee:
        """The referee in reserve, or a new one. Raises OSError where that cannot be started."""
        found, self._referee = self._referee, None
        if found is not None and found.child.poll() is not None:
            found.stop()
            found = None
        return found or Referee(command, stay=True)

    def keep(self, referee: Referee) -> None:
        """Hold a referee that has played a match and stays; one that has played enough ends."""
        referee.matches += 1
        if referee.matches < MATCHES:
            self._referee, self._since = referee, time.monotonic()
        else:
            referee.end()

    def rest(self) -> None:
        """End it if it has waited for too long."""
        if time.monotonic() - self._since > IDLE:
            self.end()

    def end(self) -> None:
        """End it."""
        found, self._referee = self._referee, None
        if found is not None:
            found.end()
