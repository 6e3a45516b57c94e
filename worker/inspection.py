"""Put workers in quarantine whose bots are late beyond chance, compared with the other workers (`league.suspicion`)."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.model import Trial, Worker
    from league.store import Store

LOG = logging.getLogger(__name__)
SECONDS = 10.0
"""Between two inspections."""


class Inspector:
    """Looks at every worker now and then. Several inspectors on one store do no harm: a look is noted there.

    Args:
        store: where attempts stand.
        seconds: between two inspections.
    """

    def __init__(self, store: Store, seconds: float = SECONDS) -> None:
        self._store = store
        self._seconds = seconds
        self._next = 0.0

    def tick(self) -> list[str]:
        """Inspect if it is time; returns what is to be told of each worker that has been put in quarantine."""
        if time.monotonic() < self._next:
            return []
        self._next = time.monotonic() + self._seconds
        return self.inspect()

    def inspect(self) -> list[str]:
        """Inspect now."""
        free = [worker for worker in self._store.workers() if worker.quarantined_at is None and worker.games]
        if len(free) < 2:
            return []
        trials = self._store.trials()
        told = (self._look(worker, trials, len(free)) for worker in free)
        return [text for text in told if text]

    def _look(self, worker: Worker, trials: Sequence[Trial], workers: int) -> str | None:
        from league import suspicion  # noqa: PLC0415  (numpy: only where there is something to judge)

        recent = [trial for trial in trials if trial.attempt > worker.block_from]
        own = [trial for trial in recent if trial.worker == worker.uuid]
        if not suspicion.due(len(own), worker.looks):
            return None
        verdict = suspicion.judge(own, [trial for trial in recent if trial.worker != worker.uuid], workers)
        if verdict.guilty:
            return self._accuse(worker, str(verdict))
        last = worker.looks + 1 == len(suspicion.LOOKS)
        self._store.note_look(worker.uuid, own[-1].attempt if last else worker.block_from, 0 if last else worker.looks + 1)
        return None

    def _accuse(self, worker: Worker, reason: str) -> str:
        count = self._store.quarantine(worker.uuid, reason, "late", after=worker.block_from)
        text = f"worker {worker.uuid} on {worker.host} is in quarantine, {count} games of it are played again: {reason}"
        LOG.error("%s", text)
        return text
