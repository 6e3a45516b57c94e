"""The store's claims and attempts: who plays a match now, and what became of every try so far.

A claim is a lease on a match. Whoever holds it renews it by heartbeat; once it has run out anybody may take it over, and
the attempt that let it lapse is lost. Attempts and what failed in them are kept apart from results: a failure of the
arena is never a result.
"""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, Any, get_args

from sqlalchemy import func, or_, select, update

from league.canonical import canonical
from league.database import Database, insert
from league.errors import NotFound
from league.model import Attempt, BotLog, Claim, Exchange, FaultLog, Outcome, OwnerLogs, Void, VoidCause
from league.store_leagues import seatings_of
from league.store_matches import find_match, load_lineups, require_open
from league.store_workers import require_free
from league.tables import attempt_voids, attempts, bot_logs, fault_logs, matches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row

    from league.model import Seating

TAIL_BYTES = 16 * 1024
"""What is kept of a failed bot's output: its end."""
DETAIL_CHARACTERS = 2_000
FAULTS_KEPT = 60
"""Fault logs kept of one bot in one attempt: the first ones, which say what is wrong."""
_RELEASES = tuple(outcome for outcome in get_args(Outcome) if outcome != "lost")


def _tail(text: str) -> str:
    """Return the last :data:`TAIL_BYTES` of a text, without NUL, which PostgreSQL cannot store."""
    return text.replace("\0", "\ufffd").encode(errors="replace")[-TAIL_BYTES:].decode(errors="ignore")


def _detail(text: str) -> str:
    return text.replace("\0", "\ufffd")[:DETAIL_CHARACTERS]


def _end(connection: Connection, attempt: int, outcome: str, detail: str, now: float) -> bool:
    """Close an attempt that is still open; whether it was."""
    running = (attempts.c.id == attempt) & attempts.c.ended_at.is_(None)
    closing = update(attempts).where(running).values(ended_at=now, outcome=outcome, detail=detail)
    return connection.execute(closing).rowcount == 1


class ClaimStore(Database):
    """What the store knows of claims and attempts."""

    def claim(
        self, match_id: str, worker: str, lease_seconds: float, *, host: str = "", now: float | None = None
    ) -> Claim | None:
        """Take the right to play a match, and open an attempt.

        Args:
            match_id: The match.
            worker: What makes the worker unique (a UUID a process); ``host`` is for display only.
            lease_seconds: How long the claim holds without a heartbeat.
            host: Name of the machine.
            now: The claimer's clock; the present by default.

        Returns:
            None if the match is complete or somebody's lease on it is live.

        Raises:
            NotFound: The match is not stored.
            LeagueClosed: The league's key is public.
            Quarantined: The worker that this process belongs to may not play.
            MatchDropped: A bot of it has been withdrawn.
        """
        stamp = time.time() if now is None else now
        token = secrets.token_hex(16)
        with self._write() as connection:
            found = find_match(connection, match_id)
            require_open(found)
            require_free(connection, worker)
            taken = connection.execute(
                update(matches)
                .where(
                    matches.c.id == found.id,
                    matches.c.completed_at.is_(None),
                    matches.c.dropped_at.is_(None),
                    or_(matches.c.claim.is_(None), matches.c.lease_until <= stamp),
                )
                .values(claim=token, lease_until=stamp + lease_seconds)
            )
            if taken.rowcount != 1:
                return None
            _bury(connection, found.id, stamp)
            opened = {"match_id": found.id, "token": token, "worker": worker, "host": host, "started_at": stamp}
            made = connection.execute(insert(connection, attempts).values(games=0, detail="", **opened).returning(attempts.c.id))
            return Claim(match_id, made.scalar_one(), token, worker, stamp + lease_seconds)

    def heartbeat(self, claim: Claim, lease_seconds: float, now: float | None = None) -> bool:
        """Renew a claim; False if it is not held any more: whoever played on would play for nothing."""
        stamp = time.time() if now is None else now
        renewal = update(matches).where(matches.c.claim == claim.token, matches.c.name == claim.match)
        with self._write() as connection:
            return connection.execute(renewal.values(lease_until=stamp + lease_seconds)).rowcount == 1

    def release(self, claim: Claim, outcome: Outcome, detail: str = "", now: float | None = None) -> bool:
        """Give a claim back and say how its attempt ended; False if it had been lost, and nothing changes then.

        Raises:
            ValueError: The outcome is none of complete, partial, infrastructure and interrupted.
        """
        if outcome not in _RELEASES:
            raise ValueError(f"an attempt cannot end as {outcome!r} (known: {', '.join(_RELEASES)})")
        stamp = time.time() if now is None else now
        held = (matches.c.claim == claim.token) & (matches.c.name == claim.match)
        with self._write() as connection:
            connection.execute(update(matches).where(held).values(claim=None, lease_until=None))
            return _end(connection, claim.attempt, outcome, _detail(detail), stamp)

    def add_void(self, claim: Claim, cause: VoidCause, detail: str = "", count: int = 1) -> None:
        """Count games of an attempt that are to be played again by no bot's fault; ``detail`` of the latest is kept.

        Raises:
            ValueError: The cause is neither INFRASTRUCTURE nor INTERRUPTED.
        """
        if cause not in get_args(VoidCause):
            raise ValueError(f"a game is not void by {cause!r} (known: {', '.join(get_args(VoidCause))})")
        values = {"attempt_id": claim.attempt, "cause": cause, "games": count, "detail": _detail(detail)}
        with self._write() as connection:
            row = insert(connection, attempt_voids).values(values)
            connection.execute(
                row.on_conflict_do_update(
                    index_elements=["attempt_id", "cause"],
                    set_={"games": attempt_voids.c.games + count, "detail": values["detail"]},
                )
            )

    def add_log(  # noqa: PLR0913 -- one argument a field of the referee's "log" event
        self,
        claim: Claim,
        *,
        bot: str,
        seat: int,
        seating: Seating,
        exit: int | None,
        tail: str,
        now: float | None = None,
    ) -> None:
        """Keep the end (16 KB) of what a bot that failed had written, and its exit status if it has ended."""
        row = {
            "attempt_id": claim.attempt,
            "bot": bot,
            "seat": seat,
            "seating": canonical(seating),
            "exit_code": exit,
            "tail": _tail(tail),
            "logged_at": time.time() if now is None else now,
        }
        with self._write() as connection:
            connection.execute(insert(connection, bot_logs).values(row))

    def add_fault_log(self, claim: Claim, *, bot: str, set: int, seating: Seating, log: Mapping[str, Any]) -> bool:
        """Keep what went before a fault, unless it is kept already or :data:`FAULTS_KEPT` of this bot's are; whether it was.

        Args:
            claim: The attempt that played the game.
            bot: Whose fault it was.
            set: The set of the game.
            seating: The seating of the game.
            log: One entry of ``fault_logs`` in the referee's "game" event.
        """
        row = {
            "attempt_id": claim.attempt,
            "bot": bot,
            "set_number": set,
            "seating": canonical(seating),
            "logged_at": time.time(),
            **{name: log[name] for name in ("seat", "deal", "move", "cause")},
            "detail": _detail(log["detail"]),
            "exchanges": _clean(canonical(log["exchanges"])),
        }
        held = select(func.count()).where(fault_logs.c.attempt_id == claim.attempt, fault_logs.c.bot == bot)
        with self._write() as connection:
            if connection.execute(held).scalar_one() >= FAULTS_KEPT:
                return False
            keeping = insert(connection, fault_logs).values(row).on_conflict_do_nothing().returning(fault_logs.c.id)
            return connection.execute(keeping).first() is not None

    def owner_logs(self, match_id: str, bot: str) -> OwnerLogs:
        """Return what a bot wrote in a match and what went before its faults. Whoever calls it has seen to it that he may.

        Raises:
            NotFound: the match is not stored, or the bot does not play in it.
        """
        columns = (fault_logs.c.set_number, fault_logs.c.seating, fault_logs.c.deal, fault_logs.c.move, fault_logs.c.id)
        with self._read() as connection:
            match = find_match(connection, match_id)
            names = [version.bot for version in load_lineups(connection, [match.id])[match.id]]
            if bot not in names:
                raise NotFound(f"bot {bot!r} does not play in match {match_id} ({' and '.join(names)} do)")
            query = select(fault_logs).join(attempts).where(attempts.c.match_id == match.id, fault_logs.c.bot == bot)
            faults = tuple(_fault_log(row, match_id) for row in connection.execute(query.order_by(*columns)))
        return OwnerLogs(match_id, bot, tuple(self.logs(match_id, bot)), faults)

    def attempts(self, match_id: str) -> list[Attempt]:
        """Return every attempt at a match, the newest first; NotFound if the match is not stored."""
        with self._read() as connection:
            found = find_match(connection, match_id)
            query = select(attempts).where(attempts.c.match_id == found.id).order_by(attempts.c.id.desc())
            rows = connection.execute(query).all()
            voids = _voids(connection, [row.id for row in rows])
        return [_attempt(row, match_id, voids.get(row.id, ())) for row in rows]

    def logs(self, match_id: str | None = None, bot: str | None = None, limit: int = 100) -> list[BotLog]:
        """Return what failed bots had written, the newest first; of one match, or of one bot, or of all."""
        query = select(bot_logs, matches.c.name.label("match")).join_from(bot_logs, attempts).join(matches)
        if match_id is not None:
            query = query.where(matches.c.name == match_id)
        if bot is not None:
            query = query.where(bot_logs.c.bot == bot)
        with self._read() as connection:
            rows = connection.execute(query.order_by(bot_logs.c.id.desc()).limit(limit)).all()
        return [_log(row) for row in rows]


def _bury(connection: Connection, match_row: int, now: float) -> None:
    """Close whatever attempts at a match are still open: their lease has run out."""
    lapsed = (attempts.c.match_id == match_row) & attempts.c.ended_at.is_(None)
    lost = {"ended_at": now, "outcome": "lost", "detail": "its lease ran out without a heartbeat"}
    connection.execute(update(attempts).where(lapsed).values(lost))


def _voids(connection: Connection, attempt_ids: Sequence[int]) -> dict[int, tuple[Void, ...]]:
    query = select(attempt_voids).where(attempt_voids.c.attempt_id.in_(attempt_ids)).order_by("attempt_id", "cause")
    found: dict[int, tuple[Void, ...]] = {}
    for row in connection.execute(query):
        found[row.attempt_id] = (*found.get(row.attempt_id, ()), Void(row.cause, row.games, row.detail))
    return found


def _attempt(row: Row[tuple[object, ...]], match_id: str, voids: tuple[Void, ...]) -> Attempt:
    return Attempt(
        id=row.id,
        match=match_id,
        worker=row.worker,
        host=row.host,
        started_at=row.started_at,
        progress_at=row.progress_at,
        games=row.games,
        ended_at=row.ended_at,
        outcome=row.outcome,
        detail=row.detail,
        voids=voids,
    )


def _clean(text: str) -> str:
    """A text without the escape of NUL, which PostgreSQL would take in text but not as JSON."""
    return text.replace("\\u0000", "\\ufffd")


def _fault_log(row: Row[tuple[object, ...]], match: str) -> FaultLog:
    return FaultLog(
        attempt=row.attempt_id,
        match=match,
        bot=row.bot,
        set=row.set_number,
        seating=seatings_of(f"[{row.seating}]")[0],
        seat=row.seat,
        deal=row.deal,
        move=row.move,
        cause=row.cause,
        detail=row.detail,
        exchanges=tuple(Exchange(**exchange) for exchange in json.loads(row.exchanges)),
        logged_at=row.logged_at,
    )


def _log(row: Row[tuple[object, ...]]) -> BotLog:
    return BotLog(
        attempt=row.attempt_id,
        match=row.match,
        bot=row.bot,
        seat=row.seat,
        seating=seatings_of(f"[{row.seating}]")[0],
        exit=row.exit_code,
        tail=row.tail,
        logged_at=row.logged_at,
    )
