"""The store's rounds of leagues with a precision: which matches each consisted of, and which pairings were at their end."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from league.canonical import canonical
from league.database import Database, insert
from league.model import Round, RoundMatch, Stopped
from league.schedule import plan
from league.store_leagues import load_league, lock_league, undecided
from league.store_matches import MatchAdder
from league.tables import league_rounds, league_variants, leagues, matches

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from league.model import BotVersion, League


class RoundStore(Database):
    """What the store knows of rounds."""

    def rounds(self, league: str, label: str | None = None) -> list[Round]:
        """Return the rounds of a league, or of one variant of it, in their order; NotFound if there is no such league."""
        with self._read() as connection:
            return load_rounds(connection, load_league(connection, league), label)

    def rounds_due(self, league: str) -> list[str]:
        """Return the labels of the variants whose next round can be decided: all matches so far are complete or dropped."""
        with self._read() as connection:
            labels = undecided(connection, load_league(connection, league))
            busy = (
                select(league_variants.c.label)
                .join_from(matches, league_variants)
                .join(leagues, matches.c.league_id == leagues.c.id)
            )
            to_play = matches.c.completed_at.is_(None) & matches.c.dropped_at.is_(None)
            waiting = set(connection.execute(busy.where(leagues.c.name == league, to_play)).scalars()) if labels else set()
        return [label for label in labels if label not in waiting]

    def add_round(self, league: str, decided: Round, now: float | None = None) -> list[str]:
        """Store a decision and the matches of the round; one that is there already stays as it is.

        Returns:
            The ids of the matches, of which there are none if the decision was there.

        Raises:
            NotFound: The league is not stored.
            LeagueClosed: Its key is public.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            lock_league(connection, league)
            found = load_league(connection, league)
            adder = MatchAdder(connection, league)
            row = _row(decided, adder.variant(decided.label).id, stamp)
            adding = insert(connection, league_rounds).values(row).on_conflict_do_nothing()
            if connection.execute(adding.returning(league_rounds.c.round)).scalar() is None:
                return []
            entry = found.variant(decided.label)
            planned = [plan(found, entry, one.n, one.lineup, one.sets) for one in decided.matches]
            return [match.id for match in planned if adder.add(match, stamp)]


def load_rounds(connection: Connection, league: League, label: str | None = None) -> list[Round]:
    """Return the rounds of a league, variant by variant."""
    query = (
        select(league_rounds, league_variants.c.label)
        .join_from(league_rounds, league_variants)
        .join(leagues, leagues.c.id == league_variants.c.league_id)
        .where(leagues.c.name == league.name)
        .order_by(league_variants.c.id, league_rounds.c.round)
    )
    if label is not None:
        query = query.where(league_variants.c.label == label)
    bots = {(entry.bot.bot, entry.bot.version): entry.bot for entry in league.entries}
    rows = connection.execute(query).all()
    return [_round(row.label, row.round, json.loads(row.decision), bots, row.decided_at) for row in rows]


def _row(decided: Round, variant_id: int, now: float) -> dict[str, object]:
    decision = {
        "matches": [
            {"n": one.n, "lineup": [[bot.bot, bot.version] for bot in one.lineup], "sets": one.sets} for one in decided.matches
        ],
        "stopped": [{"lineup": one.lineup, "why": one.why, "half_width": one.half_width} for one in decided.stopped],
        "members": decided.members,
    }
    return {"league_variant_id": variant_id, "round": decided.number, "decision": canonical(decision), "decided_at": now}


def _round(label: str, number: int, decision: Any, bots: dict[tuple[str, int], BotVersion], at: float) -> Round:  # noqa: ANN401 -- parsed JSON
    matches_of = (
        RoundMatch(one["n"], tuple(bots[bot, version] for bot, version in one["lineup"]), one["sets"])
        for one in decision["matches"]
    )
    stopped = (Stopped(tuple(one["lineup"]), one["why"], one["half_width"]) for one in decision["stopped"])
    return Round(label, number, tuple(matches_of), tuple(stopped), tuple(decision["members"]), at)
