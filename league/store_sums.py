"""The store's sums by set: kept for ranges of matches, and read from the games where these have changed since.

A match counts its changes: every complete set, and every time that games of it are set aside or put back. The sum over a range
of matches never falls, so that it is the same as before only if nothing has happened there. What is kept is therefore right or
seen to be out of date, whoever wrote it and whenever.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from sqlalchemy import BigInteger, bindparam, func, select
from sqlalchemy import cast as sql_cast

from league.database import Database, insert
from league.errors import NotFound
from league.schedule import games_a_set
from league.store_leagues import seatings_of
from league.store_reads import shown_names
from league.sums import FORMAT, GameColumns, MatchColumns, joined, sums_of, unpack
from league.tables import games, league_sums, league_variants, leagues, match_bots, matches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement, Connection, Select

    from league.model import Mode
    from league.sums import Sums

RANGE = 1024
"""Row ids of matches in a range: a league of 1,000 bots has 500 of them, and one new set has 1,024 matches read again."""
_ROWS = 2_000
Stamp = tuple[int, int]
"""Matches of a range and the sum of their changes."""


@dataclass(frozen=True, slots=True)
class LeagueSums:
    """The sums of a league, the labels of its variants by row id, and the names of its bot versions in standings."""

    sums: Sums
    labels: Mapping[int, str]
    shown: Mapping[int, str]


_LEAGUE = select(leagues.c.id).where(leagues.c.name == bindparam("league"))
_STAMPS = (
    select((matches.c.id // bindparam("size")).label("number"), func.count(), func.sum(matches.c.changes))
    .where(matches.c.league_id == bindparam("league"))
    .group_by("number")
    .order_by("number")
)
_KEPT = select(league_sums).where(league_sums.c.league_id == bindparam("league"), league_sums.c.format == FORMAT)
_OF_RANGE = (matches.c.league_id == bindparam("league")) & matches.c.id.between(bindparam("first"), bindparam("last"))
_MATCHES = (
    select(matches.c.id, matches.c.league_variant_id, matches.c.n, matches.c.seatings, matches.c.mode)
    .where(_OF_RANGE)
    .order_by(matches.c.id)
)
_SEATS = (
    select(match_bots.c.match_id, match_bots.c.bot_version_id)
    .where(match_bots.c.match_id.between(bindparam("first"), bindparam("last")))
    .order_by(match_bots.c.match_id, match_bots.c.position)
)
_WIDTH = 1 << 20
"""More than a match has sets."""
# Few columns, since each costs as much as what is done with it: one number for match and set, one text for all that is counted
# of a game, as most games are like another.
_OUTCOME: ColumnElement[str] = games.c.points
for _column in (games.c.places, games.c.deals, games.c.faults, games.c.forfeits):
    _OUTCOME = _OUTCOME.op("||")(_column)
_GAMES = select(sql_cast(games.c.match_id, BigInteger) * _WIDTH + games.c.set_number, games.c.stored_at, _OUTCOME).where(
    games.c.match_id.between(bindparam("first"), bindparam("last"))
)
_GAMES_OF_LEAGUE = _GAMES.join_from(games, matches).where(matches.c.league_id == bindparam("league"))


class SumStore(Database):
    """What the store knows of the sums of leagues."""

    sum_range: int = RANGE
    """Row ids of matches in a range of sums; the same for everybody who uses a database (another size needs another FORMAT)."""

    def league_sums(self, league: str, *, keep: bool = False) -> LeagueSums:
        """Return what the complete sets of a league come to, as they stand now.

        Args:
            league: Its name.
            keep: Whether to use the sums that are kept, and to keep what they lacked: only games of matches near one that has
                changed are read then. Else every game is.

        NotFound if there is no such league.
        """
        with self._read() as connection:
            league_id = connection.execute(_LEAGUE, {"league": league}).scalar()
            if league_id is None:
                raise NotFound(f"no league {league!r} is stored")
            rows = connection.execute(_STAMPS, {"league": league_id, "size": self.sum_range})
            stamps = {number: (count, int(changes)) for number, count, changes in rows}
            kept = _kept(connection, league_id, stamps) if keep else {}
            bounds = {number: (number * self.sum_range, (number + 1) * self.sum_range - 1) for number in stamps}
            made = {number: _read_range(connection, league_id, *bounds[number]) for number in stamps if number not in kept}
            labels = select(league_variants.c.id, league_variants.c.label).where(league_variants.c.league_id == league_id)
            named = {number: label for number, label in connection.execute(labels)}  # noqa: C416 -- rows, not pairs, for mypy
            shown = {version: name for (of, version), name in shown_names(connection).items() if of == league_id}
        if keep:
            self._keep(league_id, {number: (stamps[number], made[number].pack()) for number in made})
        return LeagueSums(joined([kept[number] if number in kept else made[number] for number in stamps]), named, shown)

    def _keep(self, league_id: int, made: Mapping[int, tuple[Stamp, bytes]]) -> None:
        """Keep the sums of ranges in place of those before; whoever was slower than another is put right by the next."""
        rows = [
            {"league_id": league_id, "number": number, "matches": stamp[0], "changes": stamp[1], "format": FORMAT, "data": data}
            for number, (stamp, data) in made.items()
        ]
        if not rows:
            return
        with self._write() as connection:
            adding = insert(connection, league_sums)
            anew = {name: adding.excluded[name] for name in ("matches", "changes", "format", "data")}
            connection.execute(adding.on_conflict_do_update(index_elements=["league_id", "number"], set_=anew), rows)


def _kept(connection: Connection, league_id: int, stamps: Mapping[int, Stamp]) -> dict[int, Sums]:
    """The kept sums that are still right, by number of their range."""
    rows = connection.execute(_KEPT, {"league": league_id})
    return {row.number: unpack(row.data) for row in rows if stamps.get(row.number) == (row.matches, row.changes)}


def _read_range(connection: Connection, league_id: int, first: int, last: int) -> Sums:
    """Sum up the games of a range of matches by row id, of which at least one is the league's."""
    named = {"league": league_id, "first": first, "last": last}
    ids, variants, numbers, seatings, modes = _fetched(connection, _MATCHES, named)
    seat_match, seat_version = (np.array(column, np.int64) for column in _fetched(connection, _SEATS, named))
    ours = np.isin(seat_match, ids)
    id_, variant, n = (np.array(column, np.int64) for column in (ids, variants, numbers))
    set_size = np.array([*map(_set_size, seatings, modes)], np.int64)
    found = MatchColumns(id_, variant, n, set_size, seat_match[ours], seat_version[ours])
    bounds = {"first": ids[0], "last": ids[-1]}
    alone = ids[-1] - ids[0] == len(ids) - 1
    return sums_of(found, _columns(connection, bounds if alone else bounds | {"league": league_id}, alone=alone))


def _fetched(connection: Connection, query: Select[Any], named: Mapping[str, int]) -> list[tuple[Any, ...]]:
    """Return what a query finds by columns, past SQLAlchemy's own rows, which take as long again."""
    result = connection.execute(query, named)
    rows = cast("Any", result.cursor).fetchall()
    result.close()
    return list(zip(*rows, strict=True)) or [() for _ in query.selected_columns]


@lru_cache(maxsize=256)
def _set_size(seatings: str, mode: Mode) -> int:
    return games_a_set(seatings_of(seatings), mode)


def _columns(connection: Connection, named: Mapping[str, int], *, alone: bool) -> GameColumns:
    """Games by columns, past SQLAlchemy's own rows, which take as long again; other leagues' are left out, if there are any."""
    result = connection.execute(_GAMES if alone else _GAMES_OF_LEAGUE, named)
    code, stored, outcome = array("q"), array("d"), array("q")
    known = _Numbered()
    cursor = cast("Any", result.cursor)
    while rows := cursor.fetchmany(_ROWS):
        codes, times, texts = zip(*rows, strict=True)
        code.extend(codes)
        stored.extend(times)
        outcome.extend(map(known.__getitem__, texts))
    result.close()
    match, number = np.divmod(np.asarray(code, np.int64), _WIDTH)
    return GameColumns(match, number, np.asarray(stored, np.float64), np.asarray(outcome, np.int64), tuple(known))


class _Numbered(dict[str, int]):
    """Numbers texts in the order in which they come."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number
