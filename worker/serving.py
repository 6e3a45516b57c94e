"""An RQ worker that plays one match at a time and survives its queue server.

Matches run in this process's main thread, each as a `python -m referee match` of its own; so RQ need not fork, the worker never
holds gRPC objects, and a match costs one new process, not two.
"""

from __future__ import annotations

import logging
import signal
import time
from typing import TYPE_CHECKING

import redis
from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.worker import WorkerStatus

from worker import jobs, valkey
from worker.queueing import Matches

if TYPE_CHECKING:
    from types import FrameType

    from worker.settings import Settings

LOG = logging.getLogger(__name__)
WORKER_TTL = 60
"""Seconds after which RQ takes a silent idle worker for gone."""
MAINTENANCE = 30
"""Seconds between two cleanings of RQ's registries."""
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
"""Seconds between two tries to reach a queue server that is away: the first and the longest."""
GOOD_LIFE = 10.0
"""Seconds of service after which the pauses begin anew."""


class MatchWorker(SimpleWorker):
    """RQ's worker, with our way to stop: a match in progress is given back instead of being waited for."""

    max_connection_wait_time = 2.0
    log_result_lifespan = False

    def subscribe(self) -> None:
        """Take no commands over the queue server: stopping workers is their supervisor's business."""

    def request_stop(self, _number: int, _frame: FrameType | None) -> None:
        """Signal handler; asks nothing of the queue server, which may be what is being stopped too."""
        jobs.STOP.set()
        self._stop_requested = True
        if self.get_state() != WorkerStatus.BUSY:
            raise StopRequested


def serve(settings: Settings) -> None:
    """Play matches until told to stop by SIGTERM or SIGINT."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: jobs.STOP.set())
    LOG.info("worker %s started", jobs.PROCESS)
    pause = FIRST_PAUSE
    while not jobs.STOP.is_set():
        started = time.monotonic()
        try:
            _work(settings)
        except StopRequested:
            return
        except (redis.RedisError, OSError) as error:
            LOG.warning("the queue server is away: %s", error)
        pause = FIRST_PAUSE if time.monotonic() - started > GOOD_LIFE else min(2 * pause, LONGEST_PAUSE)
        jobs.STOP.wait(pause)


def _work(settings: Settings) -> None:
    """One life of an RQ worker. It ends by a stop, or by the queue server's loss, which RQ reports by returning or by raising."""
    connection = valkey.connect(settings)
    try:
        worker = MatchWorker(
            [Matches(connection, settings).queue],
            connection=connection,
            serializer="json",
            worker_ttl=WORKER_TTL,
            maintenance_interval=MAINTENANCE,
        )
        LOG.info("waiting for matches in %s at %s", settings.queue, valkey.shown(settings))
        worker.work(logging_level="WARNING")
    finally:
        connection.close()
