"""An RQ worker that plays one match at a time, survives its queue server, and makes way for a fresh process after a while.

Matches run in this process's main thread, by a `python -m referee match` that stays for the next one; so RQ need not fork, and
the worker never holds gRPC objects.
"""

from __future__ import annotations

import logging
import signal
import time
from typing import TYPE_CHECKING, Any

import redis
from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.worker import WorkerStatus

from worker import jobs, valkey
from worker.pulse import Pulse
from worker.queueing import Matches
from worker.reserve import Reserve
from worker.settings import RECYCLE

if TYPE_CHECKING:
    from types import FrameType

    from rq import Queue
    from rq.job import Job

    from worker.settings import Settings

LOG = logging.getLogger(__name__)
WORKER_TTL = 30
"""Seconds after which RQ takes a silent idle worker for gone; half of it is the longest it waits for a job without a word."""
MAINTENANCE = 30
"""Seconds between two cleanings of RQ's registries."""
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
"""Seconds between two tries to reach a queue server that is away: the first and the longest."""
GOOD_LIFE = 10.0
"""Seconds of service after which the pauses begin anew."""
QUARANTINE_PAUSE = 1.0
"""Seconds between two looks at whether a worker in quarantine has been released."""


class Share:
    """How much a process does before it makes way for a fresh one: whatever it leaks ends with it.

    One that has played nothing has leaked nothing, and stays.

    Args:
        settings: say how many matches, and for how long.
    """

    def __init__(self, settings: Settings) -> None:
        self._played = 0
        self._matches = settings.worker_matches
        self._until = time.monotonic() + 3600 * settings.worker_hours

    def match_played(self) -> None:
        """Count a match."""
        self._played += 1

    @property
    def done(self) -> bool:
        """Whether it is time."""
        return self._played >= self._matches or (self._played > 0 and time.monotonic() > self._until)


class MatchWorker(SimpleWorker):
    """RQ's worker, with our ways to stop: at once, after the games in hand, or after its share of matches."""

    max_connection_wait_time = 2.0
    log_result_lifespan = False
    share: Share
    pulse: Pulse

    def subscribe(self) -> None:
        """Take no commands over the queue server: stopping workers is their supervisor's business."""

    def _install_signal_handlers(self) -> None:
        """Take over the signals; one that came while RQ was still getting ready is not forgotten."""
        super()._install_signal_handlers()  # type: ignore[no-untyped-call]
        if jobs.DRAIN.is_set():
            self._stop_requested = True

    def request_stop(self, number: int, _frame: FrameType | None) -> None:
        """Signal handler; asks nothing of the queue server, which may be what is being stopped too."""
        told_to_stop(number)
        self._stop_requested = True
        if self.get_state() != WorkerStatus.BUSY:
            raise StopRequested

    def heartbeat(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - whatever RQ says
        """Say that this worker is there; RQ does so at least every few seconds while it waits."""
        super().heartbeat(*args, **kwargs)
        if jobs.RESERVE is not None and self.get_state() != WorkerStatus.BUSY:
            jobs.RESERVE.rest()

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Play a match, and see whether to take another."""
        super().execute_job(job, queue)
        self.share.match_played()
        if self.share.done or in_quarantine(self.pulse):
            self._stop_requested = True


def told_to_stop(number: int, _frame: FrameType | None = None) -> None:
    """Signal handler: the first SIGTERM lets the games in hand be played, SIGINT or a second SIGTERM does not."""
    if number == signal.SIGTERM and not jobs.DRAIN.is_set():
        jobs.DRAIN.set()
    else:
        jobs.DRAIN.set()
        jobs.STOP.set()


def in_quarantine(pulse: Pulse) -> bool:
    """Whether this worker may not play, by what the store said last."""
    return jobs.QUARANTINE.is_set() or pulse.quarantined.is_set()


def serve(settings: Settings) -> int:
    """Play matches until told to stop by SIGTERM or SIGINT, or until its share is done.

    Returns:
        The exit code: 0 when told to stop, `RECYCLE` to be started afresh.
    """
    _listen()
    LOG.info("worker %s started", jobs.PROCESS)
    jobs.RESERVE = Reserve()
    try:
        _serve(settings)
    finally:
        jobs.RESERVE.end()
    return 0 if jobs.DRAIN.is_set() else RECYCLE


def _serve(settings: Settings) -> None:
    share, pause = Share(settings), FIRST_PAUSE
    with Pulse(settings, jobs.PROCESS) as pulse:
        while not jobs.DRAIN.is_set() and not share.done:
            if in_quarantine(pulse):
                _wait_for_release(pulse)
                continue
            started = time.monotonic()
            try:
                _work(settings, share, pulse)
            except StopRequested:
                break
            except (redis.RedisError, OSError) as error:
                LOG.warning("the queue server is away: %s", error)
            if share.done or in_quarantine(pulse):
                continue
            pause = FIRST_PAUSE if time.monotonic() - started > GOOD_LIFE else min(2 * pause, LONGEST_PAUSE)
            jobs.DRAIN.wait(pause)


def _listen() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, told_to_stop)


def _wait_for_release(pulse: Pulse) -> None:
    """Wait a little; what a claim was told is forgotten once the pulse has heard the same."""
    if jobs.RESERVE is not None:
        jobs.RESERVE.rest()
    jobs.DRAIN.wait(QUARANTINE_PAUSE)
    if pulse.quarantined.is_set():
        jobs.QUARANTINE.clear()


def _work(settings: Settings, share: Share, pulse: Pulse) -> None:
    """One life of an RQ worker. It ends by a stop, or by the queue server's loss, which RQ reports by returning or by raising."""
    connection = valkey.connect(settings)
    options: dict[str, Any] = {"serializer": "json", "worker_ttl": WORKER_TTL, "maintenance_interval": MAINTENANCE}
    try:
        worker = MatchWorker([Matches(connection, settings).queue], connection=connection, **options)
        worker.share, worker.pulse = share, pulse
        LOG.info("waiting for matches in %s at %s", settings.queue, valkey.shown(settings))
        worker.work(logging_level="WARNING")
    finally:
        _listen()  # no longer to the worker that is over
        connection.close()
