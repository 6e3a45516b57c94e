"""What the store keeps of how bots played: figures that were worked out from the records of complete matches.

The store does not know the rules: whoever does works them out (`referee.habits`) and hands them over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, select

from league.canonical import canonical
from league.database import Database, insert
from league.store_matches import find_match
from league.tables import bot_versions, bots, league_variants, leagues, match_bots, match_habits, matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Select

    from league.model import BotVersion, Json


@dataclass(frozen=True, slots=True)
class MatchHabits:
    """What one bot did in one complete match; `found` is None where that is still to be worked out."""

    match: str
    label: str
    completed_at: float
    found: Json | None


class HabitStore(Database):
    """The store's figures of how bots played."""

    def save_habits(self, match_id: str, completed_at: float, form: int, habits: Sequence[Json]) -> bool:
        """Keep what each bot of a match did, by line-up index, in place of what was kept before.

        Args:
            match_id: The match.
            completed_at: When it was complete, as it said when its games were read.
            form: Which format the figures have.
            habits: The figures.

        Returns:
            False if the match is not complete any more, or again since: then nothing is kept.

        Raises:
            NotFound: The match is not stored.
        """
        with self._write() as connection:
            found = find_match(connection, match_id)
            if found.completed_at != completed_at:
                return False
            for position, figures in enumerate(habits):
                values = {"completed_at": completed_at, "format": form, "habits": canonical(figures)}
                adding = insert(connection, match_habits).values(match_id=found.id, position=position, **values)
                connection.execute(adding.on_conflict_do_update(index_elements=["match_id", "position"], set_=values))
            return True

    def habits(self, league: str, bot: BotVersion, form: int, label: str | None = None) -> list[MatchHabits]:
        """Return a bot's figures of this format for each of its complete matches in a league, in the order of the schedule."""
        this = select(bot_versions.c.id).join(bots).where(bots.c.name == bot.bot, bot_versions.c.version == bot.version)
        seats = match_bots.alias()
        # Said twice, so that a planner begins with the bot's matches and not with all of the league's.
        theirs = select(seats.c.match_id).where(seats.c.bot_version_id == this.scalar_subquery())
        query = _complete(form).where(
            leagues.c.name == league, matches.c.id.in_(theirs), match_bots.c.bot_version_id == this.scalar_subquery()
        )
        if label is not None:
            query = query.where(league_variants.c.label == label)
        with self._read() as connection:
            return [_habits(*row) for row in connection.execute(query.order_by(matches.c.id))]

    def habits_due(self, form: int, league: str | None = None, *, after: int = 0, limit: int = 100) -> list[tuple[int, str]]:
        """Return cursor and id of complete matches without figures of this format, of a league or of all, the oldest first."""
        query = _complete(form, matches.c.id, matches.c.name).where(
            match_bots.c.position == 0, match_habits.c.match_id.is_(None), matches.c.id > after
        )
        if league is not None:
            query = query.where(leagues.c.name == league)
        with self._read() as connection:
            return [(row.id, row.name) for row in connection.execute(query.order_by(matches.c.id).limit(limit))]

    def count_habits(self, form: int, league: str | None = None) -> tuple[int, int]:
        """Return how many complete matches have figures of this format, and how many complete matches there are."""
        query = _complete(form, func.count(match_habits.c.match_id), func.count()).where(match_bots.c.position == 0)
        if league is not None:
            query = query.where(leagues.c.name == league)
        with self._read() as connection:
            done, all_of_them = connection.execute(query).one()
        return done, all_of_them


def _complete(form: int, *columns: Any) -> Select[Any]:  # noqa: ANN401 -- SQL expressions, typed by SQLAlchemy only in part
    """Return the query for the line-ups of complete matches, with the figures of this format where there are any."""
    current = and_(
        match_habits.c.match_id == match_bots.c.match_id,
        match_habits.c.position == match_bots.c.position,
        match_habits.c.completed_at == matches.c.completed_at,
        match_habits.c.format == form,
    )
    shown = columns or (matches.c.name, league_variants.c.label, matches.c.completed_at, match_habits.c.habits)
    return (
        select(*shown)
        .join_from(match_bots, matches)
        .join(leagues, leagues.c.id == matches.c.league_id)
        .join(league_variants, league_variants.c.id == matches.c.league_variant_id)
        .join(match_habits, current, isouter=True)
        .where(matches.c.completed_at.is_not(None))
    )


def _habits(name: str, label: str, completed_at: float, found: str | None) -> MatchHabits:
    return MatchHabits(name, label, completed_at, None if found is None else json.loads(found))
