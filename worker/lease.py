"""Keep a claim alive while what is claimed is worked on: a match, a submission."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Self

from league.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

LOG = logging.getLogger(__name__)


class Heart:
    """Renews a lease three times in its length, in a thread of its own, for the length of a `with` block.

    Args:
        url: of the store.
        what: is claimed, for messages.
        renew: renews the claim in a store; False if it is not held any more.
        seconds: of the lease.
    """

    def __init__(self, url: str, what: str, renew: Callable[[Store], bool], seconds: float) -> None:
        self._url = url
        self._what = what
        self._renew = renew
        self._seconds = seconds
        self._good_until = time.monotonic() + seconds
        self._gone = threading.Event()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)

    @property
    def lost(self) -> bool:
        """Whether somebody else may be at it by now, so that this attempt must stop."""
        return self._gone.is_set() or time.monotonic() > self._good_until

    def _beat(self) -> None:
        with Store(self._url) as store:
            while not self._end.wait(self._seconds / 3):
                started = time.monotonic()
                try:
                    alive = self._renew(store)
                except Exception as error:  # noqa: BLE001  (whatever ails the store, the next beat may get through)
                    LOG.warning("%s: the store does not take the heartbeat: %s", self._what, error)
                    continue
                if not alive:
                    self._gone.set()
                    return
                self._good_until = started + self._seconds

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end.set()
        self._thread.join(self._seconds)
