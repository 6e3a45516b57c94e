"""Keep a claim on a match alive while the match is played."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from league.store import Store

if TYPE_CHECKING:
    from types import TracebackType

    from league.model import Claim

LOG = logging.getLogger(__name__)


class Heart:
    """Renews a lease three times in its length, in a thread of its own, for the length of a `with` block.

    Args:
        url: of the store.
        claim: to renew.
        seconds: of the lease.
    """

    def __init__(self, url: str, claim: Claim, seconds: float) -> None:
        self._url = url
        self._claim = claim
        self._seconds = seconds
        self._good_until = time.monotonic() + seconds
        self._gone = threading.Event()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)

    @property
    def lost(self) -> bool:
        """Whether somebody else may be playing the match by now, so that this attempt must stop."""
        return self._gone.is_set() or time.monotonic() > self._good_until

    def _beat(self) -> None:
        with Store(self._url) as store:
            while not self._end.wait(self._seconds / 3):
                started = time.monotonic()
                try:
                    alive = store.heartbeat(self._claim, self._seconds)
                except Exception as error:  # noqa: BLE001  (whatever ails the store, the next beat may get through)
                    LOG.warning("%s: the store does not take the heartbeat: %s", self._claim.match, error)
                    continue
                if not alive:
                    self._gone.set()
                    return
                self._good_until = started + self._seconds

    def __enter__(self) -> Heart:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end.set()
        self._thread.join(self._seconds)
