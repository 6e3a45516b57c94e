"""The store's workers: which there are, what they do, and what is known for judging them.

A worker is a data folder on some host. Its processes register, report that they are alive, and are recycled; what makes bots
time out is the machine, which stays, so that it is the worker that is judged and put in quarantine.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, case, func, select, update

from league.database import Database, insert
from league.errors import NotFound, Quarantined
from league.model import Trial, Worker, WorkerProcess
from league.tables import attempts, match_bots, matches, set_aside, worker_processes, workers

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row, Select

_QUARANTINED = (
    select(workers.c.uuid, workers.c.reason)
    .join_from(workers, worker_processes)
    .where(worker_processes.c.name == bindparam("process"), workers.c.quarantined_at.is_not(None))
)


def require_free(connection: Connection, process: str) -> None:
    """Raise Quarantined if this process belongs to a worker in quarantine. One that never registered belongs to none."""
    found = connection.execute(_QUARANTINED, {"process": process}).one_or_none()
    if found is not None:
        raise Quarantined(f"worker {found.uuid} is in quarantine: {found.reason}")


def find_worker(connection: Connection, text: str) -> Row[tuple[object, ...]]:
    """Return the row of the worker that a person means: by UUID or the beginning of one, or by host where that is unique.

    Raises:
        NotFound: None is called so, or several are.
    """
    rows = connection.execute(select(workers).order_by(workers.c.id)).all()
    exact = [row for row in rows if row.uuid == text]
    found = exact or [row for row in rows if text and (row.uuid.startswith(text) or row.host == text)]
    if len(found) != 1:
        known = ", ".join(f"{row.uuid} on {row.host}" for row in found or rows) or "none"
        raise NotFound(f"{'several workers are' if found else 'no worker is'} called {text!r} (there are: {known})")
    return found[0]


class WorkerStore(Database):
    """What the store knows of workers."""

    def register_process(self, process: str, *, worker: str, host: str, pid: int, now: float | None = None) -> None:
        """Note that a process of a worker has started. Doing it again changes nothing.

        Args:
            process: Unique name; claims name it.
            worker: UUID of the worker.
            host: Name of the machine, for display.
            pid: Process id there.
            now: Time to stamp it with; the present by default.
        """
        stamp = time.time() if now is None else now
        fresh = {"uuid": worker, "host": host, "created_at": stamp, "reason": "", "block_from": 0, "looks": 0}
        with self._write() as connection:
            known = insert(connection, workers).values(fresh)
            row = known.on_conflict_do_update(index_elements=["uuid"], set_={"host": host}).returning(workers.c.id)
            made = connection.execute(row).scalar_one()
            facts = {"worker_id": made, "name": process, "host": host, "pid": pid, "started_at": stamp, "heartbeat_at": stamp}
            connection.execute(insert(connection, worker_processes).values(facts).on_conflict_do_nothing())

    def beat(self, process: str, now: float | None = None) -> bool:
        """Note a sign of life of a process; whether its worker may play."""
        this = worker_processes.c.name == process
        with self._write() as connection:
            connection.execute(update(worker_processes).where(this).values(heartbeat_at=time.time() if now is None else now))
            return connection.execute(_QUARANTINED, {"process": process}).one_or_none() is None

    def end_process(self, process: str, now: float | None = None) -> None:
        """Note that a process stops."""
        this = (worker_processes.c.name == process) & worker_processes.c.ended_at.is_(None)
        with self._write() as connection:
            connection.execute(update(worker_processes).where(this).values(ended_at=time.time() if now is None else now))

    def workers(self) -> list[Worker]:
        """Return every worker, the oldest first."""
        with self._read() as connection:
            processes: dict[int, list[WorkerProcess]] = {}
            for row in connection.execute(select(worker_processes).order_by(worker_processes.c.id.desc())):
                processes.setdefault(row.worker_id, []).append(_process(row))
            work = {row.worker_id: row for row in connection.execute(_work())}
            aside: dict[int, int] = {row.worker_id: row.games for row in connection.execute(_aside())}
            rows = connection.execute(select(workers).order_by(workers.c.id)).all()
        return [_worker(row, processes.get(row.id, []), work.get(row.id), aside.get(row.id, 0)) for row in rows]

    def trials(self, limit: int = 2000) -> list[Trial]:
        """Return the latest attempts by registered workers that say something of how long bots took, the oldest first.

        Those are over and reported at least half of their match. Attempts by workers in quarantine are left out.
        """
        with self._read() as connection:
            rows = connection.execute(_trials().limit(limit)).all()
            wanted = {row.match_id for row in rows}
            query = select(match_bots).where(match_bots.c.match_id.in_(wanted)).order_by("match_id", "position")
            lineups: dict[int, tuple[int, ...]] = {}
            for seat in connection.execute(query):
                lineups[seat.match_id] = (*lineups.get(seat.match_id, ()), seat.bot_version_id)
        return [_trial(row, lineups[row.match_id]) for row in reversed(rows)]

    def note_look(self, worker: str, block_from: int, looks: int) -> None:
        """Note how far judging a worker has come: attempts after ``block_from`` are in hand, looked at so many times."""
        with self._write() as connection:
            connection.execute(update(workers).where(workers.c.uuid == worker).values(block_from=block_from, looks=looks))


def _work() -> Select[tuple[int, int, int, int, float | None]]:
    """Return the query for what each worker has done, by row id."""
    return (
        select(
            worker_processes.c.worker_id,
            func.sum(case((attempts.c.outcome == "complete", 1), else_=0)).label("matches"),
            func.sum(attempts.c.games).label("games"),
            func.sum(case((attempts.c.late.is_not(None), 1), else_=0)).label("late"),
            func.max(attempts.c.progress_at).label("progress_at"),
        )
        .join_from(worker_processes, attempts, attempts.c.worker == worker_processes.c.name)
        .group_by(worker_processes.c.worker_id)
    )


def _aside() -> Select[tuple[int, int]]:
    """Return the query for the games set aside for each worker's sake, by row id."""
    there = select(set_aside.c.worker_id, func.count().label("games")).where(set_aside.c.restored_at.is_(None))
    return there.group_by(set_aside.c.worker_id)


def _trials() -> Select[tuple[int, int, str | None, int, str]]:
    return (
        select(attempts.c.id, attempts.c.match_id, attempts.c.late, matches.c.league_variant_id, workers.c.uuid)
        .join_from(attempts, matches)
        .join(worker_processes, worker_processes.c.name == attempts.c.worker)
        .join(workers)
        .where(
            attempts.c.ended_at.is_not(None),
            2 * attempts.c.games >= matches.c.games_total,
            workers.c.quarantined_at.is_(None),
        )
        .order_by(attempts.c.id.desc())
    )


def _trial(row: Row[tuple[int, int, str | None, int, str]], lineup: tuple[int, ...]) -> Trial:
    late = json.loads(row.late) if row.late else [0] * len(lineup)
    pairs = tuple((bot, count > 0) for bot, count in zip(lineup, late, strict=True))
    return Trial(row.id, row.uuid, row.league_variant_id, pairs)


def _process(row: Row[tuple[object, ...]]) -> WorkerProcess:
    return WorkerProcess(row.name, row.host, row.pid, row.started_at, row.heartbeat_at, row.ended_at)


def _worker(
    row: Row[tuple[object, ...]], processes: list[WorkerProcess], work: Row[tuple[object, ...]] | None, aside: int
) -> Worker:
    return Worker(
        uuid=row.uuid,
        host=row.host,
        created_at=row.created_at,
        quarantined_at=row.quarantined_at,
        reason=row.reason,
        block_from=row.block_from,
        looks=row.looks,
        processes=tuple(processes),
        matches=int(work.matches) if work else 0,
        games=int(work.games) if work else 0,
        late=int(work.late) if work else 0,
        progress_at=work.progress_at if work else None,
        aside=aside,
    )
