"""Tell the store that this process is there, and hear from it whether its worker may play."""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from league.errors import LeagueError
from league.store import Store

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from worker.settings import Settings

LOG = logging.getLogger(__name__)
LONGEST_BEAT = 10.0
"""Seconds between two signs of life, at most."""


def worker_id(data: Path) -> str:
    """The UUID of the worker that a data folder is, drawn at its first use.

    It is in a file, so that the processes of one folder, now and later, are one worker. A folder that is copied to another
    host must not take the file `worker.id` along.
    """
    path = data / "worker.id"
    data.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        drawn = uuid.uuid4()
        draft = path.with_name(f"worker.id.{drawn}.new")  # of this call alone: threads may draw at once
        draft.write_text(f"{drawn}\n", encoding="utf-8")
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text(encoding="utf-8").strip()


class Pulse:
    """Registers a process and reports that it is alive, in a thread of its own, for the length of a `with` block.

    Args:
        settings: of the process.
        process: its name, as in claims.
    """

    def __init__(self, settings: Settings, process: str) -> None:
        self.worker = worker_id(settings.data)
        self.quarantined = threading.Event()
        """Set while the worker may not play."""
        self._url = settings.store_url
        self._process = process
        self._seconds = min(LONGEST_BEAT, settings.lease / 3)
        self._registered = False
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def _run(self) -> None:
        with Store(self._url) as store:
            while True:
                self._beat(store)
                if self._end.wait(self._seconds):
                    break
            with suppress(LeagueError):  # a store that is away learns of it by our silence
                store.end_process(self._process)

    def _beat(self, store: Store) -> None:
        try:
            if not self._registered:
                facts = {"worker": self.worker, "host": socket.gethostname(), "pid": os.getpid()}
                store.register_process(self._process, **facts)  # type: ignore[arg-type]
                self._registered = True
            self._note(store.beat(self._process))
        except Exception as error:  # noqa: BLE001  (whatever ails the store, the next beat may get through)
            LOG.warning("the store does not take a sign of life: %s", error)

    def _note(self, free: bool) -> None:
        if free and self.quarantined.is_set():
            LOG.warning("worker %s is released from quarantine", self.worker)
            self.quarantined.clear()
        elif not free and not self.quarantined.is_set():
            LOG.error("worker %s is in quarantine: it plays no more until `arena worker release`", self.worker)
            self.quarantined.set()

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end.set()
        self._thread.join(self._seconds)
