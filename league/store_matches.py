"""The store's matches: made when they are about to be queued, listed, and told which of their games are missing."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Literal, get_args

from sqlalchemy import and_, bindparam, select

from league.canonical import canonical
from league.database import Database, insert
from league.errors import LeagueClosed, MatchDropped, NotFound
from league.model import Match, MatchState
from league.schedule import expected, games_a_set
from league.store_bots import load_versions
from league.store_leagues import lock_league, seatings_of
from league.tables import bot_versions, bots, games, league_bots, league_variants, leagues, match_bots, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection, Row, Select

    from league.model import BotVersion, PlannedMatch, Seating

MatchFilter = Literal["waiting", "running", "complete", "dropped", "open"]
PAGE = 100


def match_key(league_key: bytes, match_id: str) -> bytes:
    """Return the secret of one match: HMAC-SHA256 of its id under the league's key."""
    return hmac.digest(league_key, match_id.encode(), hashlib.sha256)


_FIND = (
    select(matches, leagues.c.name.label("league"), leagues.c.key, leagues.c.revealed_at, leagues.c.origin)
    .join_from(matches, leagues)
    .where(matches.c.name == bindparam("match"))
)


def find_match(connection: Connection, match_id: str) -> Row[tuple[object, ...]]:
    """Return a match's row with its league's name, key and time of closing; NotFound if there is none."""
    found = connection.execute(_FIND, {"match": match_id}).one_or_none()
    if found is None:
        raise NotFound(f"no match {match_id!r} is stored")
    return found


def original_id(name: str, league: str, origin: str | None) -> str:
    """Return the id that a match's key and record were made with: another if its league was restored under a new name."""
    return name if origin is None else f"{origin}{name.removeprefix(league)}"


def key_of(match: Row[tuple[object, ...]]) -> bytes:
    """Return the secret key of a match found by :func:`find_match`."""
    return match_key(bytes(match.key), original_id(match.name, match.league, match.origin))


def require_open(match: Row[tuple[object, ...]]) -> None:
    """Raise LeagueClosed if a match's deals are no secret any more as its league's key is public, MatchDropped if it is."""
    if match.revealed_at is not None:
        raise LeagueClosed(f"league {match.league!r} is finished and its key public: {match.name} cannot be played")
    if match.dropped_at is not None:
        raise MatchDropped(f"{match.name} is not played on: a bot of it was withdrawn from the league")


def load_lineups(connection: Connection, match_ids: Sequence[int]) -> dict[int, tuple[BotVersion, ...]]:
    """Return the line-up of each of these matches, by row id."""
    seats = connection.execute(
        select(match_bots).where(match_bots.c.match_id.in_(match_ids)).order_by("match_id", "position")
    ).all()
    versions = load_versions(connection, bot_versions.c.id.in_({row.bot_version_id for row in seats}))
    lineups: dict[int, tuple[BotVersion, ...]] = {}
    for row in seats:
        lineups[row.match_id] = (*lineups.get(row.match_id, ()), versions[row.bot_version_id])
    return lineups


def _state(row: Row[tuple[object, ...]], now: float) -> MatchState:
    if row.completed_at is not None:
        return "complete"
    if row.dropped_at is not None:
        return "dropped"
    return "running" if row.claim is not None and row.lease_until > now else "waiting"


def state_is(state: MatchFilter, now: float) -> ColumnElement[bool]:
    """Return the condition under which a match is in this state at this time."""
    to_play = matches.c.completed_at.is_(None) & matches.c.dropped_at.is_(None)
    running = and_(to_play, matches.c.claim.is_not(None), matches.c.lease_until > now)
    waiting = and_(to_play, (matches.c.claim.is_(None)) | (matches.c.lease_until <= now))
    conditions = {
        "complete": matches.c.completed_at.is_not(None),
        "open": to_play,
        "dropped": matches.c.completed_at.is_(None) & matches.c.dropped_at.is_not(None),
        "running": running,
        "waiting": waiting,
    }
    if state not in conditions:
        raise ValueError(f"no match is {state!r} (known: {', '.join(get_args(MatchFilter))})")
    return conditions[state]


def _listing() -> Select[tuple[object, ...]]:
    return (
        select(matches, leagues.c.name.label("league"), league_variants.c.label)
        .join_from(matches, leagues)
        .join(league_variants, league_variants.c.id == matches.c.league_variant_id)
    )


def _match(row: Row[tuple[object, ...]], lineup: tuple[BotVersion, ...], now: float) -> Match:
    return Match(
        id=row.name,
        league=row.league,
        label=row.label,
        variant=row.variant,
        format=row.format,
        options=json.loads(row.options),
        clock=json.loads(row.clock),
        seatings=seatings_of(row.seatings),
        mode=row.mode,
        sets=row.sets,
        lineup=lineup,
        commitment=row.commitment,
        games_total=row.games_total,
        games_done=row.games_done,
        sets_done=row.sets_done,
        state=_state(row, now),
        created_at=row.created_at,
        completed_at=row.completed_at,
        cursor=row.id,
        dropped_at=row.dropped_at,
    )


def load_matches(connection: Connection, query: Select[tuple[object, ...]], now: float) -> list[Match]:
    """Return the matches that a listing query finds, each with its line-up."""
    rows = connection.execute(query).all()
    lineups = load_lineups(connection, [row.id for row in rows])
    return [_match(row, lineups[row.id], now) for row in rows]


def load_match(connection: Connection, match_id: str, now: float) -> Match:
    """Return one match; NotFound if it is not stored."""
    found = load_matches(connection, _listing().where(matches.c.name == match_id), now)
    if not found:
        raise NotFound(f"no match {match_id!r} is stored")
    return found[0]


def _plays(bot: str) -> ColumnElement[bool]:
    versions = select(bot_versions.c.id).join(bots).where(bots.c.name == bot)
    return matches.c.id.in_(select(match_bots.c.match_id).where(match_bots.c.bot_version_id.in_(versions)))


class MatchStore(Database):
    """What the store knows of matches."""

    def add_matches(self, planned: Iterable[PlannedMatch], now: float | None = None) -> int:
        """Store matches that are about to be queued, in one transaction; those that are there already stay as they are.

        Matches of bots that have been withdrawn meanwhile are left out.

        Returns:
            How many were new.

        Raises:
            NotFound: The league, its variant or a bot version of it is not stored.
            LeagueClosed: The league's key is public.
        """
        stamp = time.time() if now is None else now
        wanted = list(planned)
        with self._write() as connection:
            contexts: dict[str, MatchAdder] = {}
            added = 0
            for match in wanted:
                if match.league not in contexts:
                    contexts[match.league] = MatchAdder(connection, match.league)
                added += contexts[match.league].add(match, stamp)
            return added

    def match(self, match_id: str, now: float | None = None) -> Match:
        """Return one match; NotFound if it is not stored (it may still be planned)."""
        with self._read() as connection:
            return load_match(connection, match_id, time.time() if now is None else now)

    def matches(  # noqa: PLR0913 -- filters of a list, all of them optional
        self,
        league: str | None = None,
        label: str | None = None,
        bot: str | None = None,
        state: MatchFilter | None = None,
        *,
        after: int | None = None,
        limit: int = PAGE,
        newest_first: bool = False,
        now: float | None = None,
    ) -> list[Match]:
        """Return up to ``limit`` stored matches that satisfy every filter given, in the order of storing.

        Args:
            league: Name of their league.
            label: Label of their variant in the league.
            bot: Name of a bot that takes part, in any version.
            state: What they are at ``now``; ``open`` is waiting or running.
            after: ``cursor`` of the last match of the page before.
            limit: Size of a page.
            newest_first: Turns the order round.
            now: Time at which leases are judged; the present by default.
        """
        stamp = time.time() if now is None else now
        query = _listing()
        if league is not None:
            query = query.where(leagues.c.name == league)
        if label is not None:
            query = query.where(league_variants.c.label == label)
        if after is not None:
            query = query.where(matches.c.id < after if newest_first else matches.c.id > after)
        if bot is not None:
            query = query.where(_plays(bot))
        if state is not None:
            query = query.where(state_is(state, stamp))
        order = matches.c.id.desc() if newest_first else matches.c.id
        with self._read() as connection:
            return load_matches(connection, query.order_by(order).limit(limit), stamp)

    def match_key(self, match_id: str) -> bytes:
        """Return the key of a match: 32 bytes, secret until the match is complete. NotFound if it is not stored."""
        with self._read() as connection:
            return key_of(find_match(connection, match_id))

    def stored(self, match_ids: Sequence[str]) -> set[str]:
        """Return which of these matches are stored."""
        with self._read() as connection:
            return set(connection.execute(select(matches.c.name).where(matches.c.name.in_(match_ids))).scalars())

    def missing_games(self, match_id: str) -> list[tuple[int, Seating]]:
        """Return (set, seating) of the games that are still to be played, in the order of play: seating by seating.

        NotFound if the match is not stored.
        """
        with self._read() as connection:
            found = find_match(connection, match_id)
            query = select(games.c.set_number, games.c.seating).where(games.c.match_id == found.id)
            there = {(row.set_number, row.seating) for row in connection.execute(query)}
        seatings = seatings_of(found.seatings)
        wanted = expected(found.sets, seatings, found.mode)
        return [(number, seatings[position]) for number, position in wanted if (number, position) not in there]


class MatchAdder:
    """Adds matches of one league, which it locks; what that needs is read once. NotFound, LeagueClosed as in add_matches."""

    def __init__(self, connection: Connection, league: str) -> None:
        self._connection = connection
        found = lock_league(connection, league)
        if found.revealed_at is not None:
            raise LeagueClosed(f"league {league!r} is finished and its key public: no match can be added")
        self._league = found
        entries = connection.execute(select(league_variants).where(league_variants.c.league_id == found.id))
        self._variants = {row.label: row for row in entries}
        self._versions: dict[tuple[str, int], int] = {}
        gone = (league_bots.c.league_id == found.id) & league_bots.c.withdrawn_at.is_not(None)
        self._withdrawn = set(connection.execute(select(league_bots.c.bot_version_id).where(gone)).scalars())

    def variant(self, label: str) -> Row[tuple[object, ...]]:
        """Return the row of a variant of the league by its label; NotFound lists those there are."""
        if label not in self._variants:
            raise NotFound(f"league {self._league.name!r} has no variant {label!r} (it has: {', '.join(self._variants)})")
        return self._variants[label]

    def _version(self, bot: BotVersion) -> int:
        if not self._versions:
            query = select(bots.c.name, bot_versions.c.version, bot_versions.c.id).join_from(bots, bot_versions)
            self._versions = {(row.name, row.version): row.id for row in self._connection.execute(query)}
        if (bot.bot, bot.version) not in self._versions:
            raise NotFound(f"no version {bot.version} of bot {bot.bot!r} is stored")
        return self._versions[bot.bot, bot.version]

    def _row(self, match: PlannedMatch, now: float) -> dict[str, object]:
        variant = self.variant(match.label)
        seatings = seatings_of(variant.seatings)
        per_set = games_a_set(seatings, match.mode)
        name = original_id(match.id, match.league, self._league.origin)
        return {
            "name": match.id,
            "league_id": self._league.id,
            "league_variant_id": variant.id,
            "n": match.n,
            "variant": variant.variant,
            "format": variant.format,
            "options": variant.options,
            "clock": self._league.clock,
            "seatings": canonical(seatings),
            "mode": match.mode,
            "sets": match.sets,
            "commitment": hashlib.sha256(match_key(bytes(self._league.key), name)).hexdigest(),
            "games_total": match.sets * per_set,
            "games_done": 0,
            "sets_done": 0,
            "created_at": now,
        }

    def add(self, match: PlannedMatch, now: float) -> int:
        """Insert one match unless it is there, or a bot of it has been withdrawn; 1 if it was inserted."""
        lineup = [self._version(bot) for bot in match.lineup]
        if not self._withdrawn.isdisjoint(lineup):
            return 0
        new = self._connection.execute(
            insert(self._connection, matches)
            .values(self._row(match, now))
            .on_conflict_do_nothing(index_elements=["name"])
            .returning(matches.c.id)
        ).scalar()
        if new is None:
            return 0
        seats = [{"match_id": new, "position": i, "bot_version_id": version} for i, version in enumerate(lineup)]
        self._connection.execute(insert(self._connection, match_bots).values(seats))
        return 1
