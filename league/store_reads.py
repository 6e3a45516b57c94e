"""What is read over many matches: progress, results for the standings, and whole match records."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, select

from league.canonical import canonical
from league.database import Database
from league.model import Progress, VariantProgress
from league.results import GameResult
from league.schedule import games_a_match, games_a_set, planned_count, sets_planned
from league.store_leagues import load_league, seatings_of, undecided, with_withdrawn
from league.store_matches import find_match, key_of, load_match, original_id, state_is
from league.tables import bot_versions, bots, game_records, games, league_bots, league_variants, leagues, match_bots, matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, Row, Select

    from league.model import BotVersion, Json, League, LeagueVariant, Match

FORMAT = "euchre-arena/1"
_CHUNK = 2_000


class ReadStore(Database):
    """The store's wide reads."""

    def progress(self, league: str, now: float | None = None) -> Progress:
        """Return how far a league has come; NotFound if there is none of this name."""
        stamp = time.time() if now is None else now
        with self._read() as connection:
            found = load_league(connection, league)
            counts = _counts(connection, found, stamp)
            settled = not undecided(connection, found)
        return Progress(league, tuple(_progress(found, entry, counts[entry.label]) for entry in found.variants), settled)

    def results(
        self, league: str | None = None, label: str | None = None, *, among: Sequence[BotVersion] = ()
    ) -> Iterator[GameResult]:
        """Yield the games of complete sets, match by match and set by set, as they stood when the first was read.

        Of one league, one variant in it, and the matches that all of some bots took part in, if so wished.
        ``GameResult.variant`` is the variant's label in its league.
        """
        which = _Which(league, label, tuple(among))
        with self._read() as connection:
            contexts = _contexts(connection, which)
            rows = connection.execute(_result_rows(which).execution_options(yield_per=_CHUNK))
            for (match_id, _), group in itertools.groupby(rows, key=itemgetter(0, 1)):
                of_set = list(group)
                if len(of_set) == contexts[match_id].set_size:
                    yield from (_result(row, contexts[match_id]) for row in of_set)

    def record_lines(self, match_id: str) -> Iterator[Json]:
        """Yield the match record line by line, as ``canonical`` writes it: header, complete sets in order, end.

        The end line, with the digest of the lines before it and the match's key, comes only once all games are stored.
        The key of one match says nothing of the league's, nor of another match's. NotFound if the match is not stored.
        """
        with self._read() as connection:
            yield from read_record(connection, match_id)


def read_record(connection: Connection, match_id: str) -> Iterator[Json]:
    """Yield what :meth:`ReadStore.record_lines` does."""
    match, found = load_match(connection, match_id, 0.0), find_match(connection, match_id)
    digest = hashlib.sha256()
    head = _header(match, original_id(match.id, match.league, found.origin), found.origin or match.league)
    for line in itertools.chain([head], _sets(connection, match)):
        digest.update(f"{canonical(line)}\n".encode())
        yield line
    if match.state == "complete":
        yield {"end": "complete", "sets": match.sets, "digest": digest.hexdigest(), "key": key_of(found).hex()}


@dataclass(slots=True)
class _Counts:
    """Sums over a variant's stored matches.

    ``former`` are complete matches of bots that were withdrawn since: they are no part of the plan any more.
    """

    complete: int = 0
    running: int = 0
    matches: int = 0
    games: int = 0
    games_done: int = 0
    sets: int = 0
    sets_done: int = 0
    former: int = 0
    former_games: int = 0
    former_sets: int = 0


def _counts(connection: Connection, league: League, now: float) -> dict[str, _Counts]:
    """Return the sums of each variant, by label. Matches that were dropped count for nothing.

    Complete matches, of which there may be half a million, are counted by an index that holds all that is summed.
    """
    league_id = connection.execute(select(leagues.c.id).where(leagues.c.name == league.name)).scalar_one()
    labels = select(league_variants.c.id, league_variants.c.label).where(league_variants.c.league_id == league_id)
    counts = {number: (label, _Counts()) for number, label in connection.execute(labels)}
    done = (matches.c.league_id == league_id) & matches.c.completed_at.is_not(None)
    for number, count, of_games, of_sets in connection.execute(_summed(done)):
        found = counts[number][1]
        found.complete = found.matches = count
        found.games = found.games_done = of_games
        found.sets = found.sets_done = of_sets
    for row in connection.execute(_open_counts(league_id, now)):
        _add_open(counts[row.league_variant_id][1], row)
    if any(not entry.active for entry in league.entries):
        for number, count, of_games, of_sets in connection.execute(_summed(done & with_withdrawn(league_id))):
            found = counts[number][1]
            found.former, found.former_games, found.former_sets = count, of_games, of_sets
    return dict(counts.values())


def _summed(which: ColumnElement[bool]) -> Select[Any]:
    """Return the query for variant, count, games and sets of complete matches."""
    columns = (func.count(), func.sum(matches.c.games_total), func.sum(matches.c.sets))
    return select(matches.c.league_variant_id, *columns).where(which).group_by(matches.c.league_variant_id)


def _open_counts(league_id: int, now: float) -> Select[Any]:
    """Return the query for the sums over matches that are still to be played, a row a variant."""
    names = ("games_total", "games_done", "sets", "sets_done")
    return (
        select(
            matches.c.league_variant_id,
            func.count().label("matches"),
            func.sum(case((state_is("running", now), 1), else_=0)).label("running"),
            *(func.sum(matches.c[name]).label(name) for name in names),
        )
        .where(matches.c.league_id == league_id, matches.c.completed_at.is_(None), matches.c.dropped_at.is_(None))
        .group_by(matches.c.league_variant_id)
    )


def _add_open(found: _Counts, row: Row[Any]) -> None:
    found.running = int(row.running)
    found.matches += row.matches
    found.games += row.games_total
    found.games_done += row.games_done
    found.sets += row.sets
    found.sets_done += row.sets_done


def _progress(league: League, entry: LeagueVariant, counts: _Counts) -> VariantProgress:
    total = _totals(league, entry, counts)
    return VariantProgress(
        label=entry.label,
        variant=entry.variant,
        matches_total=total[0],
        matches_complete=counts.complete,
        matches_running=counts.running,
        games_total=total[1],
        games_done=counts.games_done,
        sets_total=total[2],
        sets_done=counts.sets_done,
    )


def _totals(league: League, entry: LeagueVariant, counts: _Counts) -> tuple[int, int, int]:
    """Matches, games and sets of a variant: those planned, or with a precision those of the rounds so far."""
    if league.precision is not None:
        return counts.matches, counts.games, counts.sets
    planned = planned_count(league, entry.label)
    return (
        planned + counts.former,
        planned * games_a_match(league, entry) + counts.former_games,
        sets_planned(league, entry) + counts.former_sets,
    )


@dataclass(frozen=True, slots=True)
class _Context:
    """What the results of one match have in common."""

    match: str
    label: str
    set_size: int
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Which:
    """Which matches' results are wanted."""

    league: str | None
    label: str | None
    among: tuple[BotVersion, ...]

    @property
    def all(self) -> bool:
        """Whether every match is."""
        return self.league is None and self.label is None and not self.among


def _wanted(query: Select[Any], which: _Which) -> Select[Any]:
    """Restrict a query over matches to a league, a variant of it, and bots that all took part."""
    query = query.join(league_variants, league_variants.c.id == matches.c.league_variant_id)
    if which.league is not None:
        query = query.join(leagues, leagues.c.id == matches.c.league_id).where(leagues.c.name == which.league)
    if which.label is not None:
        query = query.where(league_variants.c.label == which.label)
    return query.where(*(matches.c.id.in_(_played_by(bot)) for bot in which.among))


def _played_by(bot: BotVersion) -> Select[Any]:
    seats = match_bots.alias()
    versions = select(bot_versions.c.id).join(bots).where(bots.c.name == bot.bot, bot_versions.c.version == bot.version)
    return select(seats.c.match_id).where(seats.c.bot_version_id == versions.scalar_subquery())


def _contexts(connection: Connection, which: _Which) -> dict[int, _Context]:
    """Return the context of each match wanted, by row id."""
    columns = (matches.c.id, matches.c.name, matches.c.mode, matches.c.seatings, league_variants.c.label)
    names: dict[int, tuple[str, ...]] = {}
    shown = shown_names(connection)
    for match_id, league_id, version_id in connection.execute(_wanted(_lineups(), which)):
        names[match_id] = (*names.get(match_id, ()), shown[league_id, version_id])
    rows = connection.execute(_wanted(select(*columns).select_from(matches), which))
    return {
        row.id: _Context(row.name, row.label, games_a_set(seatings_of(row.seatings), row.mode), names[row.id]) for row in rows
    }


def _lineups() -> Select[Any]:
    """Return the query for (match, league, bot version), each line-up in its order."""
    return (
        select(match_bots.c.match_id, matches.c.league_id, match_bots.c.bot_version_id)
        .join_from(match_bots, matches)
        .order_by(match_bots.c.match_id, match_bots.c.position)
    )


def shown_names(connection: Connection) -> dict[tuple[int, int], str]:
    """Return the name in standings of each version in each league, by row ids: see ``League.shown``."""
    query = (
        select(league_bots.c.league_id, bot_versions.c.id, bots.c.name, bot_versions.c.version)
        .join_from(league_bots, bot_versions)
        .join(bots)
        .order_by(league_bots.c.league_id, league_bots.c.stage)
    )
    rows = connection.execute(query).all()
    latest = {(row.league_id, row.name): row.version for row in rows}
    return {
        (row.league_id, row.id): row.name if latest[row.league_id, row.name] == row.version else f"{row.name} v{row.version}"
        for row in rows
    }


def _result_rows(which: _Which) -> Select[Any]:
    wanted = _wanted(select(matches.c.id).select_from(matches), which)
    columns = ("match_id", "set_number", "places", "points", "deals", "faults", "forfeits", "stored_at")
    query = select(*(games.c[name] for name in columns))
    if not which.all:
        query = query.where(games.c.match_id.in_(wanted))
    return query.order_by(games.c.match_id, games.c.set_number, games.c.seating)


@lru_cache(maxsize=8192)
def _parsed(text: str) -> tuple[Any, ...]:
    """Return a column's JSON list as a tuple. The same few texts come again and again in a million rows."""
    return tuple(json.loads(text))


def _result(row: Sequence[Any], context: _Context) -> GameResult:
    _, number, places, points, deals, faults, forfeits, stored_at = row
    return GameResult(
        match=context.match,
        variant=context.label,
        set=number,
        bots=context.bots,
        places=_parsed(places),
        points=_parsed(points),
        deals=deals,
        faults=_parsed(faults),
        forfeits=_parsed(forfeits),
        stored_at=stored_at,
    )


def _header(match: Match, match_id: str, league: str) -> Json:
    line: Json = {
        "record": FORMAT,
        "match": match_id,
        "league": league,
        "variant": match.variant,
        "format": match.format,
        "options": match.options,
        "lineup": [{"bot": bot.bot, "version": bot.version} for bot in match.lineup],
        "commitment": match.commitment,
        "clock": match.clock,
    }
    return line if match.mode == "duplicate" else {**line, "duplicate": False}


def _sets(connection: Connection, match: Match) -> Iterator[Json]:
    """Yield the line of every complete set: half a set is no part of a record, it is played to its end first."""
    query = (
        select(games.c.set_number, games.c.dealer, game_records.c.record)
        .join_from(games, game_records)
        .where(games.c.match_id == match.cursor)
        .order_by(games.c.set_number, games.c.seating)
        .execution_options(yield_per=_CHUNK)
    )
    size = games_a_set(match.seatings, match.mode)
    for number, group in itertools.groupby(connection.execute(query), key=itemgetter(0)):
        of_set = list(group)
        if len(of_set) == size:
            yield {"set": number, "dealer": of_set[0].dealer, "games": [json.loads(row.record) for row in of_set]}
