"""The queue of matches: which jobs there are, and how one is put in.

The queue is a hint to the workers and nothing else depends on it: it may be lost, hold a job twice or hold one that is done.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from rq import Queue, Worker
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job

if TYPE_CHECKING:
    from redis import Redis

    from worker.settings import Settings

MARGIN = 120
"""Seconds that RQ waits beyond a job's own deadline before it interferes."""
FAILURE_TTL = 3600
"""Seconds that RQ keeps a job that raised, for whoever looks into it."""


def job_id(match: str) -> str:
    """The one job of a match: letters, digits, '_' and '-' only, readable, and never the same for two matches."""
    readable = re.sub(r"[^A-Za-z0-9_]+", "-", match)[:80]
    return f"{readable}-{hashlib.sha256(match.encode()).hexdigest()[:12]}"


def submission_job(number: int) -> str:
    """What the job of a submission is called; no match is called so."""
    return f"submission {number}"


class Matches:
    """The queue of matches, and of submissions to be qualified, on a server."""

    def __init__(self, connection: Redis, settings: Settings) -> None:
        self._connection = connection
        self._timeout = int(settings.match_seconds) + MARGIN
        self.queue = Queue(settings.queue, connection=connection, serializer="json")

    def waiting(self) -> set[str]:
        """Ids of the jobs that no worker has taken yet."""
        return set(self.queue.job_ids)

    def census(self) -> tuple[dict[str, int], int]:
        """How many jobs the server knows, by state, and how many workers."""
        queue = self.queue
        jobs = {"queued": queue.count, "started": len(queue.started_job_registry), "failed": len(queue.failed_job_registry)}
        return jobs, Worker.count(queue=queue)

    def put(self, match: str) -> bool:
        """Queue a match. False: a job of that match is known already (queued, running, or left over from a worker that died)."""
        return self._put("worker.jobs.play_match", match, match)

    def put_submission(self, number: int) -> bool:
        """Queue a submission for qualification, ahead of the matches: its owner waits. False as with `put`."""
        return self._put("worker.qualify.qualify", number, submission_job(number), at_front=True)

    def _put(self, function: str, argument: str | int, name: str, *, at_front: bool = False) -> bool:
        try:
            self.queue.enqueue_call(
                function,
                args=(argument,),
                timeout=self._timeout,
                result_ttl=0,  # done is forgotten: the store knows, and it may have to be queued again
                failure_ttl=FAILURE_TTL,
                job_id=job_id(name),
                description=name,
                at_front=at_front,
                unique=True,
            )
        except DuplicateJobError:
            return False
        return True

    def forget(self, match: str) -> None:
        """Drop what the server knows of a match's job, whatever state that is in."""
        try:
            job = Job.fetch(job_id(match), connection=self._connection, serializer="json")
        except (NoSuchJobError, KeyError, ValueError, TypeError):  # none, or the stump that a lost server leaves
            self._connection.delete(Job.key_for(job_id(match)))
        else:
            job.delete()
