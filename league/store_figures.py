"""What monitoring asks the store: how much was played, how it went, and what is held at the moment."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from sqlalchemy import and_, case, func, select

from league.database import Database
from league.model import AttemptFigures, Holdings
from league.tables import attempt_voids, attempts, leagues, matches

if TYPE_CHECKING:
    from league.model import Outcome


class FigureStore(Database):
    """The store's figures for operators."""

    def attempt_figures(self, after: int = 0) -> list[AttemptFigures]:
        """Return the figures of all attempts with an id above ``after``, oldest first. Those that have ended never change."""
        query = select(attempts.c.id, attempts.c.ended_at, attempts.c.outcome, attempts.c.games, attempts.c.figures)
        with self._read() as connection:
            rows = connection.execute(query.where(attempts.c.id > after).order_by(attempts.c.id))
            return [_figures(*row) for row in rows]

    def void_counts(self) -> dict[str, int]:
        """Return how many games were void, by cause."""
        query = select(attempt_voids.c.cause, func.sum(attempt_voids.c.games)).group_by(attempt_voids.c.cause)
        with self._read() as connection:
            return {cause: int(count) for cause, count in connection.execute(query)}

    def holdings(self, now: float | None = None) -> Holdings:
        """Return how many leagues and matches are open, and how the leases stand."""
        stamp = time.time() if now is None else now
        held = matches.c.claim.is_not(None)
        live = and_(held, matches.c.lease_until > stamp)
        open_matches = select(
            func.count(),
            func.count(case((live, 1))),
            func.count(case((and_(held, matches.c.lease_until <= stamp), 1))),
            func.sum(matches.c.games_total - matches.c.games_done),
        ).where(matches.c.completed_at.is_(None))
        of_leagues = select(func.count(), func.count(leagues.c.revealed_at))
        with self._read() as connection:
            unfinished, leases, expired, missing = connection.execute(open_matches).one()
            complete = connection.execute(select(func.count()).where(matches.c.completed_at.is_not(None))).scalar_one()
            made, finished = connection.execute(of_leagues).one()
        return Holdings(made - finished, finished, unfinished, complete, leases, expired, int(missing or 0))


def _figures(number: int, ended_at: float | None, outcome: Outcome | None, count: int, told: str | None) -> AttemptFigures:
    found = json.loads(told) if told else {}
    return AttemptFigures(
        id=number,
        ended=ended_at is not None,
        outcome=outcome,
        games=count,
        decisions=found.get("decisions", 0),
        faults=found.get("faults", {}),
        latency=found.get("latency", {}),
    )
