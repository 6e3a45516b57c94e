"""Keep the queue filled from the store: the reconciler.

What is to be played stands in the store and in a league's plan; the queue holds the next few matches. Each `tick` compares the
two and puts back what is missing, for whatever reason: not queued yet, lost with the queue server, taken by a worker that died,
given back.
"""

from __future__ import annotations

import itertools
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rq import Worker

from league.schedule import planned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redis import Redis

    from league.model import Attempt, Entry, League, Match, PlannedMatch
    from league.store import Store
    from worker.settings import Settings

from worker.inspection import Inspector
from worker.queueing import Matches, job_id, submission_job

LOG = logging.getLogger(__name__)
ORPHAN_SECONDS = 3.0
"""How long a job may be neither in the queue nor claimed by a worker before it counts as lost."""
HOPELESS = 9
"""Failures of the infrastructure in a row, without one game between them, after which a match is left alone in this run."""
CHUNK = 500
"""Matches of a plan that are looked up in the store at once."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds before a match that broke down is queued again: the first time, and at most."""


@dataclass(frozen=True)
class Stuck:
    """A match that is left alone because it breaks down whenever it is played, and what its last attempt said."""

    match: str
    failures: int
    detail: str


@dataclass
class Reconciler:
    """Plays leagues to their end through the queue.

    Args:
        store: where everything stands.
        connection: to the queue server.
        settings: of this arena.
        workers: number of workers that this command runs; others that are registered with the queue are counted too.
    """

    store: Store
    connection: Redis
    settings: Settings
    workers: int
    stuck: dict[str, Stuck] = field(default_factory=dict)
    """Matches that are left alone, by id."""
    quarantined: list[str] = field(default_factory=list)
    """What there is to tell of workers that were put in quarantine."""
    trouble: str = ""
    """What the last failure of the infrastructure was, and in which match; empty while there was none."""

    def __post_init__(self) -> None:
        self._queue = Matches(self.connection, self.settings)
        self._inspector = Inspector(self.store)
        self._began = time.time()
        self._plans: dict[str, Iterator[PlannedMatch]] = {}
        self._entries: dict[str, tuple[Entry, ...]] = {}  # who took part when the plan was made
        self._made: set[str] = set()  # leagues whose matches are all made
        self._adrift: dict[str, float] = {}  # match -> when its job was first found to be nowhere

    def tick(self, league: str) -> bool:
        """Bring the queue up to date for a league, and finish the league when all is played.

        Returns:
            Whether the league is finished.

        Raises:
            redis.RedisError: the queue server is away; call again later.
            league.errors.StoreAway: the store is away; likewise.
        """
        found = self.store.league(league)
        if found.revealed_at is not None:
            return True
        self.quarantined += self._inspector.tick()
        room = self._room()
        waiting = self.store.matches(league, state="waiting", limit=10 * room + 1000)
        queued = self._queue.waiting()
        for match in waiting:
            self._requeue(match, job_id(match.id) in queued)
        self._forget_adrift(league, {match.id for match in waiting})
        self._extend(found, room - sum(match.id not in self.stuck for match in waiting))
        return not waiting and self._finish(league)

    def supplied(self) -> bool:
        """Whether more matches wait in the queue than this command's workers can take at once. Raises redis.RedisError."""
        return self._queue.queue.count >= max(1, self.workers)

    def tick_submissions(self) -> None:
        """Queue the submissions that are still to be qualified.

        Raises:
            redis.RedisError: the queue server is away; call again later.
        """
        waiting = self.store.waiting_submissions()
        queued = self._queue.waiting()
        for number in waiting:
            name = submission_job(number)
            self._requeue_job(name, job_id(name) in queued, lambda number=number: self._queue.put_submission(number))  # type: ignore[misc]
        names = {submission_job(number) for number in waiting}
        for name in [name for name in self._adrift if name.startswith("submission ") and name not in names]:
            del self._adrift[name]

    def _room(self) -> int:
        return 2 * max(1, self.workers, Worker.count(connection=self.connection))

    def _requeue(self, match: Match, queued: bool) -> None:
        if not queued and (match.id in self.stuck or not self._due(match)):
            return
        self._requeue_job(match.id, queued, lambda: self._queue.put(match.id))

    def _requeue_job(self, name: str, queued: bool, put: Callable[[], bool]) -> None:
        """Queue what nobody works on, unless it is queued; a job that is neither queued nor worked on for a while is lost."""
        if queued or put():
            self._adrift.pop(name, None)
        elif time.monotonic() - self._adrift.setdefault(name, time.monotonic()) > ORPHAN_SECONDS:
            LOG.info("%s: its job is lost; queued again", name)
            self._queue.forget(name)
            put()
            del self._adrift[name]

    def _forget_adrift(self, league: str, waiting: set[str]) -> None:
        """Whoever has a worker now is adrift no more, and starts anew if it is so again."""
        for match in [match for match in self._adrift if match.startswith(f"{league}/") and match not in waiting]:
            del self._adrift[match]

    def _due(self, match: Match) -> bool:
        """Whether a match that is not queued may be queued now; gives it up where it keeps breaking down."""
        failures = self._failures(match.id)
        if failures:
            self.trouble = f"{match.id}: {failures[0].detail}"
        if len(failures) >= HOPELESS:
            self.stuck[match.id] = Stuck(match.id, len(failures), failures[0].detail)
            LOG.error("%s is left alone after %d failures: %s", match.id, len(failures), failures[0].detail)
            return False
        if not failures or failures[0].ended_at is None:
            return True
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (len(failures) - 1))
        return time.time() >= failures[0].ended_at + pause

    def _failures(self, match_id: str) -> list[Attempt]:
        """The match's last attempts in this run, newest first, as far as they broke down without one game."""
        attempts = (attempt for attempt in self.store.attempts(match_id) if attempt.started_at >= self._began)
        return list(itertools.takewhile(lambda one: one.outcome == "infrastructure" and one.games == 0, attempts))

    def _extend(self, league: League, room: int) -> None:
        """Make the next matches of a league's plan, as many as there is room for, and queue them."""
        if league.precision is not None:
            self._extend_rounds(league)
            return
        plan = self._plan(league)
        try:
            for _ in range(room):
                match = next(plan, None)
                if match is None:
                    self._made.add(league.name)
                    return
                self.store.add_matches([match])
                self._queue.put(match.id)
        except Exception:
            del self._plans[league.name]  # the match in hand may not have been made: look again where we are
            raise

    def _extend_rounds(self, league: League) -> None:
        """Make the next round of each variant whose rounds so far are complete; all matches of a round are made at once."""
        from league.precision import extend  # noqa: PLC0415  (numpy: most commands and leagues do without)

        for match_id in extend(self.store, league):
            self._queue.put(match_id)
        self._made.add(league.name)

    def _plan(self, league: League) -> Iterator[PlannedMatch]:
        """What is not made yet of a league's plan, which is looked at anew when bots have joined or left."""
        if self._entries.get(league.name) != league.entries:
            self._entries[league.name] = league.entries
            self._plans.pop(league.name, None)
            self._made.discard(league.name)
        if league.name not in self._plans:
            self._plans[league.name] = self._unmade(league)
        return self._plans[league.name]

    def _unmade(self, league: League) -> Iterator[PlannedMatch]:
        """What of a plan is not stored, found as it is asked for."""
        plan = planned(league)
        while chunk := list(itertools.islice(plan, CHUNK)):
            there = self.store.stored([match.id for match in chunk])
            yield from (match for match in chunk if match.id not in there)

    def _finish(self, league: str) -> bool:
        if league not in self._made or not self.store.progress(league).complete:
            return False
        self.store.finish_league(league)
        return True

    def hopeless(self, league: str) -> bool:
        """Whether nothing is left to be played but matches that are left alone."""
        if league not in self._made or not self.stuck:
            return False
        left = self.store.matches(league, state="open", limit=len(self.stuck) + 1)
        return bool(left) and all(match.id in self.stuck for match in left)
