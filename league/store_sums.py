"""The store's sums by set: kept for ranges of matches, and read from the games where these have changed since.

A match counts its changes: every complete set, and every time that games of it are set aside or put back. The sum over a range
of matches never falls, so that it is the same as before only if nothing has happened there. What is kept is therefore right or
seen to be out of date, whoever wrote it and whenever.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from sqlalchemy import BigInteger, Text, bindparam, func, select
from sqlalchemy import cast as sql_cast

from league.database import Database, insert
from league.errors import NotFound
from league.schedule import games_a_set
from league.store_leagues import seatings_of
from league.store_reads import shown_names
from league.sums import FORMAT, GameColumns, MatchColumns, joined, sums_of, unpack
from league.tables import games, league_sums, league_variants, leagues, match_bots, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection

    from league.model import Mode
    from league.sums import Sums
    from league.tallies import Ints

RANGE = 1024
"""Row ids of matches in a range: a league of 1,000 bots has 500 of them, and one new set has 1,024 matches read again."""
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
# What a range has of anything comes as one row, a column being one text: to hand a row over takes longer than to read it. The
# texts of a row have their values in the same order.
_LINE = "\n"
"""Between texts: canonical JSON has none."""
_TICKS = 1 << 22
"""Parts of a second: what a clock told since 2004 is a whole number of them, as the number that it is stored as has 53 bits."""
_SLICE = 100_000
"""Games that are read at once."""


def _listed(column: ColumnElement[Any]) -> ColumnElement[str]:
    """All values of a column of whole numbers."""
    return func.aggregate_strings(sql_cast(column, Text), ",")


def _joined(first: ColumnElement[Any], *columns: ColumnElement[Any]) -> ColumnElement[str]:
    """Columns as one text, one behind the other."""
    return reduce(lambda text, column: text.op("||")(column), columns, first)


_OF_RANGE = (matches.c.league_id == bindparam("league")) & matches.c.id.between(bindparam("first"), bindparam("last"))
_MATCHES = select(
    *map(_listed, (matches.c.id, matches.c.league_variant_id, matches.c.n, matches.c.games_done)),
    func.aggregate_strings(_joined(matches.c.mode, matches.c.seatings), _LINE),
).where(_OF_RANGE)
_SEATS = select(*map(_listed, (match_bots.c.match_id, match_bots.c.position, match_bots.c.bot_version_id))).where(
    match_bots.c.match_id.between(bindparam("first"), bindparam("last"))
)
# One text for all that is counted of a game, as most games are like another.
_GAMES = select(
    *map(_listed, (games.c.match_id, games.c.set_number, sql_cast(games.c.stored_at * _TICKS, BigInteger))),
    func.aggregate_strings(_joined(games.c.points, games.c.places, games.c.deals, games.c.faults, games.c.forfeits), _LINE),
).where(games.c.match_id.between(bindparam("first"), bindparam("last")))
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
    bounds = {"first": first, "last": last}
    *numbers, kinds = connection.execute(_MATCHES, bounds | {"league": league_id}).one()
    row = np.stack([*map(_numbers, numbers)])
    order = np.argsort(row[0])
    id_, variant, n, done = row[:, order]
    set_size = np.array([*map(_set_size, kinds.split(_LINE))], np.int64)[order]
    seats = np.stack([*map(_numbers, connection.execute(_SEATS, bounds).one())])
    seats = seats[:, np.isin(seats[0], id_)]
    seat_match, _, seat_version = seats[:, np.lexsort((seats[1], seats[0]))]
    league = None if id_[-1] - id_[0] == len(id_) - 1 else league_id
    parts = np.split(id_, np.flatnonzero(np.diff(np.cumsum(done) // _SLICE)) + 1)
    read = _columns([_read_games(connection, league, part[0], part[-1]) for part in parts])
    return sums_of(MatchColumns(id_, variant, n, set_size, seat_match, seat_version), read)


def _read_games(connection: Connection, league: int | None, first: int, last: int) -> Sequence[Any]:
    """The texts of games of a range of matches; with `league` those of others are left out, which have matches in between."""
    bounds = {"first": int(first), "last": int(last)}
    if league is None:
        return connection.execute(_GAMES, bounds).one()
    return connection.execute(_GAMES_OF_LEAGUE, bounds | {"league": league}).one()


@lru_cache(maxsize=256)
def _set_size(kind: str) -> int:
    mode, bracket, seatings = kind.partition("[")
    return games_a_set(seatings_of(bracket + seatings), cast("Mode", mode))


def _columns(parts: Iterable[Sequence[Any]]) -> GameColumns:
    """Games by columns from their texts."""
    known, columns = _Numbered(), []
    for match, number, stored, outcomes in parts:
        outcome = [*map(known.__getitem__, outcomes.split(_LINE))] if outcomes else []
        columns.append(np.stack([*map(_numbers, (match, number, stored)), np.array(outcome, np.int64)]))
    match, number, stored, outcome = np.concatenate(columns, axis=1)
    return GameColumns(match, number, stored / _TICKS, outcome, tuple(known))


def _numbers(text: str | None) -> Ints:
    """Whole numbers from their list; none of what is null."""
    return np.fromstring(text or "", np.int64, sep=",")


class _Numbered(dict[str, int]):
    """Numbers texts in the order in which they come."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number
