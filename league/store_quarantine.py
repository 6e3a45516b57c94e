"""Quarantine: a worker may not play, its suspect games do not count, and both can be undone.

What is set aside is kept whole and listed; the games are missing from their matches, so that they are played again, with the same
deals, by fresh processes. Restoring makes the first result count again and sets its replay aside instead.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Literal, get_args

from sqlalchemy import delete, exists, func, select, update

from league.database import Database, insert
from league.model import SetAside
from league.schedule import games_a_set
from league.store_leagues import seatings_of
from league.store_workers import find_worker
from league.tables import (
    attempts,
    bot_versions,
    game_records,
    games,
    leagues,
    match_bots,
    matches,
    set_aside,
    worker_processes,
    workers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection, Row, Select

Suspects = Literal["late", "all", "none"]
"""Games of the attempts in which a bot was late, every game of the worker, or none."""
_KEYS = ("match_id", "set_number", "seating")
_FACTS = ("dealer", "points", "places", "deals", "end_reason", "forfeits", "faults", "stored_at", "attempt_id")
_TEXTS = ("record", "times")


class QuarantineStore(Database):
    """What the store does about workers that cannot be trusted."""

    def quarantine(
        self, worker: str, reason: str, suspects: Suspects = "late", *, after: int = 0, now: float | None = None
    ) -> int:
        """Forbid a worker to play, take from it what it plays, and set its suspect games aside to be played again.

        Games stay that cannot be played again in secret: those of leagues whose key is public, and those of complete sets
        with remote bots, which may have read the set's deals by now. A worker that is in quarantine already keeps its
        first reason.

        Args:
            worker: UUID, the beginning of one, or a unique host.
            reason: Why, for people.
            suspects: Which games to set aside.
            after: Only of attempts after this one (by id).
            now: Time to stamp it with; the present by default.

        Returns:
            Number of games set aside.

        Raises:
            NotFound: No worker, or several, are called so.
            ValueError: ``suspects`` is none of late, all and none.
        """
        if suspects not in get_args(Suspects):
            raise ValueError(f"games to set aside cannot be {suspects!r} (known: {', '.join(get_args(Suspects))})")
        stamp = time.time() if now is None else now
        with self._write() as connection:
            found = find_worker(connection, worker)
            free = (workers.c.id == found.id) & workers.c.quarantined_at.is_(None)
            connection.execute(update(workers).where(free).values(quarantined_at=stamp, reason=reason))
            _take_away(connection, found.id, stamp)
            if suspects == "none":
                return 0
            count = 0
            for (match,) in connection.execute(_suspect_matches(found.id, suspects, after)).all():
                which = _suspect_games(found.id, match, suspects, after)
                count += _move(connection, match, which, found.id, reason, stamp)
            return count

    def release_worker(self, worker: str) -> None:
        """Let a worker play again, judged afresh from now on; what was set aside stays so. NotFound as for quarantine."""
        with self._write() as connection:
            found = find_worker(connection, worker)
            latest = connection.execute(select(attempts.c.id).order_by(attempts.c.id.desc()).limit(1)).scalar() or 0
            values = {"quarantined_at": None, "reason": "", "looks": 0, "block_from": latest}
            connection.execute(update(workers).where(workers.c.id == found.id).values(values))

    def restore_games(self, worker: str, now: float | None = None) -> int:
        """Make the games count again that were set aside for a worker's sake, as far as their leagues are open.

        Returns:
            Number of games restored. Where a game has been played again meanwhile, that replay is set aside instead.

        Raises:
            NotFound: No worker, or several, are called so.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            found = find_worker(connection, worker)
            query = select(set_aside).join_from(set_aside, matches).join(leagues, leagues.c.id == matches.c.league_id)
            mine = (set_aside.c.worker_id == found.id) & set_aside.c.restored_at.is_(None) & leagues.c.revealed_at.is_(None)
            rows = connection.execute(query.where(mine).order_by(set_aside.c.id)).all()
            for match in sorted({row.match_id for row in rows}):
                _restore(connection, match, [row for row in rows if row.match_id == match], stamp)
            return len(rows)

    def set_aside(self, worker: str | None = None, match_id: str | None = None) -> list[SetAside]:
        """Return the games that were ever set aside, the newest first; of one worker (NotFound as above), of one match."""
        replayed = exists().where(*(games.c[name] == set_aside.c[name] for name in _KEYS))
        query = (
            select(set_aside, matches.c.name, matches.c.seatings, workers.c.uuid, replayed.label("replayed"))
            .join_from(set_aside, matches)
            .join(workers, workers.c.id == set_aside.c.worker_id)
            .order_by(set_aside.c.id.desc())
        )
        with self._read() as connection:
            if worker is not None:
                query = query.where(workers.c.id == find_worker(connection, worker).id)
            if match_id is not None:
                query = query.where(matches.c.name == match_id)
            return [_set_aside(row) for row in connection.execute(query)]


def _of_worker(worker: int) -> ColumnElement[bool]:
    return attempts.c.worker.in_(select(worker_processes.c.name).where(worker_processes.c.worker_id == worker))


def _take_away(connection: Connection, worker: int, now: float) -> None:
    """End what a worker plays at the moment, and free the matches for others."""
    running = _of_worker(worker) & attempts.c.ended_at.is_(None)
    tokens = select(attempts.c.token).where(running)
    connection.execute(update(matches).where(matches.c.claim.in_(tokens)).values(claim=None, lease_until=None))
    ended = {"ended_at": now, "outcome": "interrupted", "detail": "its worker was put in quarantine"}
    connection.execute(update(attempts).where(running).values(ended))


def _suspect_attempts(worker: int, suspects: Suspects, after: int) -> Select[int]:
    query = select(attempts.c.id).where(_of_worker(worker), attempts.c.id > after)
    return query if suspects == "all" else query.where(attempts.c.late.is_not(None))


def _suspect_matches(worker: int, suspects: Suspects, after: int) -> Select[int]:
    """Return the query for the matches with games to be looked at, of leagues whose key is not public."""
    suspect = select(attempts.c.match_id).where(attempts.c.id.in_(_suspect_attempts(worker, suspects, after)))
    return (
        select(matches.c.id)
        .join(leagues)
        .where(matches.c.id.in_(suspect), leagues.c.revealed_at.is_(None))
        .order_by(matches.c.id)
    )


def _shown_sets(match: int) -> Select[int]:
    """Return the query for the sets of a match that are open to everybody, where somebody remote plays in it."""
    remote = exists().where(
        match_bots.c.match_id == matches.c.id, match_bots.c.bot_version_id == bot_versions.c.id, bot_versions.c.run.is_(None)
    )
    return (
        select(games.c.set_number)
        .join_from(games, matches)
        .where(games.c.match_id == match, remote)
        .group_by(games.c.set_number, matches.c.sets, matches.c.games_total)
        .having(func.count() * matches.c.sets >= matches.c.games_total)
    )


def _suspect_games(worker: int, match: int, suspects: Suspects, after: int) -> ColumnElement[bool]:
    theirs = games.c.attempt_id.in_(_suspect_attempts(worker, suspects, after))
    return (games.c.match_id == match) & theirs & games.c.set_number.not_in(_shown_sets(match))


def _move(  # noqa: PLR0913, PLR0917 -- what is moved, and what is to be noted of it
    connection: Connection, match: int, which: ColumnElement[bool], worker: int, reason: str, now: float
) -> int:
    """Set some games of a match aside; how many."""
    _lock(connection, match)
    query = select(games, game_records.c.record, game_records.c.times).join_from(games, game_records).where(which)
    rows = connection.execute(query).all()
    notes = {"worker_id": worker, "reason": reason, "set_aside_at": now}
    if rows:
        copies = [{name: getattr(row, name) for name in (*_KEYS, *_FACTS, *_TEXTS)} | notes for row in rows]
        connection.execute(insert(connection, set_aside), copies)
        _remove(connection, rows)
        _recount(connection, match, now)
    return len(rows)


def _lock(connection: Connection, match: int) -> None:
    """Hold a match until the end of the transaction: no game of it is stored meanwhile."""
    this = matches.c.id == match
    connection.execute(update(matches).where(this).values(games_done=matches.c.games_done))


def _remove(connection: Connection, rows: Iterable[Row[tuple[object, ...]]]) -> None:
    for row in rows:
        for table in (game_records, games):
            connection.execute(delete(table).where(*(table.c[name] == getattr(row, name) for name in _KEYS)))


def _restore(connection: Connection, match: int, rows: Sequence[Row[tuple[object, ...]]], now: float) -> None:
    """Put back what was set aside of one match; where a game is there already, that is set aside for the same worker."""
    for row in rows:
        this = (games.c.match_id == match) & (games.c.set_number == row.set_number) & (games.c.seating == row.seating)
        _move(connection, match, this, row.worker_id, "a replay; the first result was restored", now)
        for table, names in ((games, (*_KEYS, *_FACTS)), (game_records, (*_KEYS, *_TEXTS))):
            connection.execute(insert(connection, table).values({name: getattr(row, name) for name in names}))
        connection.execute(update(set_aside).where(set_aside.c.id == row.id).values(restored_at=now))
    _recount(connection, match, now)


def _recount(connection: Connection, match: int, now: float) -> None:
    """Count a match's games and complete sets afresh; it is complete, or open again."""
    row = connection.execute(select(matches).where(matches.c.id == match)).one()
    per_set = Counter(connection.execute(select(games.c.set_number).where(games.c.match_id == match)).scalars())
    done, size = per_set.total(), games_a_set(seatings_of(row.seatings), row.mode)
    counts = {"games_done": done, "sets_done": sum(count == size for count in per_set.values())}
    completed = (row.completed_at or now) if done == row.games_total else None
    changed = {"completed_at": completed, "changes": matches.c.changes + 1}
    connection.execute(update(matches).where(matches.c.id == match).values(**counts, **changed))


def _set_aside(row: Row[tuple[object, ...]]) -> SetAside:
    return SetAside(
        match=row.name,
        set=row.set_number,
        seating=seatings_of(row.seatings)[row.seating],
        worker=row.uuid,
        reason=row.reason,
        stored_at=row.stored_at,
        set_aside_at=row.set_aside_at,
        restored_at=row.restored_at,
        replayed=row.replayed and row.restored_at is None,
    )
