"""The store's tables of standings of large leagues, which take too long to be worked out while somebody waits.

They follow from the results alone, and any process may work one out again at any time: nothing is lost with them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlalchemy import bindparam, delete, select, update

from league.database import Database, insert
from league.errors import NotFound
from league.tables import leagues, tabulation_parts, tabulations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

Part = Literal["rows", "arrays", "history"]
_ALL = ""
"""The label of all variants together."""


@dataclass(frozen=True, slots=True)
class Tabulation:
    """What is known of a stored table."""

    format: int
    sets: int
    """Complete sets that the store had when it was begun."""
    members: str
    """Stamp of who took part then."""
    made_at: float
    seconds: float
    """How long it took."""


_OF = select(leagues.c.id).where(leagues.c.name == bindparam("league"))
_HEAD = select(tabulations).where(
    tabulations.c.league_id == _OF.scalar_subquery(),
    tabulations.c.label == bindparam("label"),
    tabulations.c.made_at.is_not(None),
)
_BUSY = select(tabulations.c.label).where(
    tabulations.c.league_id == _OF.scalar_subquery(),
    tabulations.c.label == bindparam("label"),
    tabulations.c.lease_until > bindparam("now"),
)
_PART = select(tabulation_parts.c.data).where(
    tabulation_parts.c.league_id == _OF.scalar_subquery(),
    tabulation_parts.c.label == bindparam("label"),
    tabulation_parts.c.part == bindparam("part"),
)


class TabulationStore(Database):
    """What the store knows of tables that were worked out before."""

    def tabulation(self, league: str, label: str | None = None) -> Tabulation | None:
        """Return what is known of the stored table of a league or of a variant of it; None if there is none."""
        with self._read() as connection:
            row = connection.execute(_HEAD, {"league": league, "label": label or _ALL}).one_or_none()
        return None if row is None else Tabulation(row.format, row.sets, row.members, row.made_at, row.seconds)

    def tabulating(self, league: str, label: str | None = None, now: float | None = None) -> bool:
        """Return whether somebody has a table in hand."""
        stamp = time.time() if now is None else now
        named = {"league": league, "label": label or _ALL, "now": stamp}
        with self._read() as connection:
            return connection.execute(_BUSY, named).scalar() is not None

    def tabulation_part(self, league: str, label: str | None, part: Part, made_at: float) -> bytes | None:
        """Return a part of the table that was made at this time; None if another has taken its place."""
        named = {"league": league, "label": label or _ALL}
        with self._read() as connection:
            head = connection.execute(_HEAD, named).one_or_none()
            if head is None or head.made_at != made_at:
                return None
            found = connection.execute(_PART, named | {"part": part}).scalar()
        return None if found is None else bytes(found)

    def begin_tabulation(self, league: str, label: str | None, seconds: float, now: float | None = None) -> bool:
        """Take up the work at a table for so many seconds at most; False if somebody else has it in hand.

        NotFound if there is no such league.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            key = {"league_id": _league_id(connection, league), "label": label or _ALL}
            connection.execute(insert(connection, tabulations).values(key | {"lease_until": 0.0}).on_conflict_do_nothing())
            free = [*(tabulations.c[name] == value for name, value in key.items()), tabulations.c.lease_until <= stamp]
            return connection.execute(update(tabulations).where(*free).values(lease_until=stamp + seconds)).rowcount == 1

    def give_up_tabulation(self, league: str, label: str | None = None) -> None:
        """Let others take up the work at a table. NotFound if there is no such league."""
        with self._write() as connection:
            this = (tabulations.c.league_id == _league_id(connection, league)) & (tabulations.c.label == (label or _ALL))
            connection.execute(update(tabulations).where(this).values(lease_until=0.0))

    def save_tabulation(self, league: str, label: str | None, made: Tabulation, parts: Mapping[Part, bytes]) -> None:
        """Keep a table in place of the one before, and give its work up. NotFound if there is no such league."""
        with self._write() as connection:
            key = {"league_id": _league_id(connection, league), "label": label or _ALL}
            of_table = [tabulations.c[name] == value for name, value in key.items()]
            values = {
                "format": made.format,
                "sets": made.sets,
                "members": made.members,
                "made_at": made.made_at,
                "seconds": made.seconds,
                "lease_until": 0.0,
            }
            connection.execute(insert(connection, tabulations).values(key | values).on_conflict_do_nothing())
            connection.execute(update(tabulations).where(*of_table).values(values))
            connection.execute(
                delete(tabulation_parts).where(*(tabulation_parts.c[name] == value for name, value in key.items()))
            )
            connection.execute(
                insert(connection, tabulation_parts), [key | {"part": part, "data": data} for part, data in parts.items()]
            )


def _league_id(connection: Connection, league: str) -> int:
    found = connection.execute(_OF, {"league": league}).scalar()
    if found is None:
        raise NotFound(f"no league {league!r} is stored")
    return int(found)
