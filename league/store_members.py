"""Bots that join and leave a league while it is played.

Whoever joins gets its missing matches and moves nobody else's (see :mod:`league.schedule`). Whoever is withdrawn plays no
more: its matches that are not complete are dropped, the complete ones stay, and so do complete sets in the standings.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from league.database import Database, insert
from league.errors import AlreadyExists, BadSpec, LeagueClosed, NotFound
from league.store_bots import load_versions
from league.store_leagues import eligible, entrants, load_entries, load_league, lock_league, version_entrant
from league.tables import attempts, bot_versions, bots, league_bots, league_variants, match_bots, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection, Row

    from league.model import Entry, League


class MemberStore(Database):
    """What the store knows of who plays in a league."""

    def add_league_bot(
        self, league: str, bot: str, version: int | None = None, *, replace: bool = False, now: float | None = None
    ) -> League:
        """Let a bot join a league that is being played; a version that had been withdrawn comes back.

        Args:
            league: Its name.
            bot: Name of the bot.
            version: Of the bot; the current one by default.
            replace: Whether it takes the place of another version of the bot, which is withdrawn.
            now: Time to stamp it with; the present by default.

        Raises:
            NotFound: There is no such league, bot or version, or the bot has been removed.
            LeagueClosed: The league's key is public.
            AlreadyExists: This version plays in it already, or another does and is not to be replaced.
            BadSpec: The version is not qualified, or does not play a variant of the league.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            row = require_unrevealed(connection, league)
            variants = variants_of(connection, row.id)
            entrant = (
                entrants(connection, [bot], variants)[0]
                if version is None
                else version_entrant(connection, bot, version, variants)
            )
            add_member(connection, row.id, entrant, replace=replace, now=stamp)
            return load_league(connection, league)

    def withdraw_league_bot(self, league: str, bot: str, now: float | None = None) -> League:
        """Take a bot out of a league that is being played; what it has played stays.

        Raises:
            NotFound: There is no such league, or the bot does not play in it.
            LeagueClosed: The league's key is public.
            BadSpec: Too few bots would be left for one of its variants.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            row = require_unrevealed(connection, league)
            found = load_league(connection, league)
            if bot not in {one.bot for one in found.bots}:
                raise NotFound(f"no bot {bot!r} plays in league {league!r} (there are: {', '.join(b.bot for b in found.bots)})")
            needed = max(variant.bots for variant in found.variants)
            if len(found.bots) <= needed:
                raise BadSpec(f"league {league!r} needs {needed} bots: without {bot!r} there would be {len(found.bots) - 1}")
            withdraw(connection, row.id, _of_bot(bot), stamp)
            return load_league(connection, league)


def require_unrevealed(connection: Connection, league: str) -> Row[tuple[object, ...]]:
    """Return a league's row, locked; LeagueClosed if its key is public."""
    row = lock_league(connection, league)
    if row.revealed_at is not None:
        raise LeagueClosed(f"league {league!r} is finished and its key public: no bot can join or leave it")
    return row


def add_member(connection: Connection, league_id: int, version_id: int, *, replace: bool, now: float) -> None:
    """Add a bot version to the league of this row id. Raises what :meth:`MemberStore.add_league_bot` does."""
    newcomer = load_versions(connection, bot_versions.c.id == version_id)[version_id]
    entries = load_entries(connection, league_id)
    playing = [entry for entry in entries if entry.active and entry.bot.bot == newcomer.bot]
    for entry in playing:
        _check_place(entry, newcomer.version, replace=replace)
    withdraw(connection, league_id, _of_bot(newcomer.bot), now)
    stage = 1 + max((entry.stage for entry in entries), default=0)
    values = {"league_id": league_id, "bot_version_id": version_id, "stage": stage, "added_at": now}
    back = {"withdrawn_at": None}
    adding = insert(connection, league_bots).values(values)
    connection.execute(adding.on_conflict_do_update(index_elements=["league_id", "bot_version_id"], set_=back))
    _take_up(connection, league_id)


def _check_place(there: Entry, version: int, *, replace: bool) -> None:
    if there.bot.version == version:
        raise AlreadyExists(f"{there.bot} plays in this league already")
    if not replace:
        raise AlreadyExists(f"{there.bot} plays in this league; v{version} can only take its place")


def withdraw(connection: Connection, league_id: int, which: ColumnElement[bool], now: float) -> None:
    """Withdraw those members of a league that satisfy a condition on bots and their versions, and drop their matches."""
    leaving = select(bot_versions.c.id).join_from(bot_versions, bots).where(which)
    this = (league_bots.c.league_id == league_id) & league_bots.c.withdrawn_at.is_(None)
    gone = connection.execute(
        update(league_bots)
        .where(this, league_bots.c.bot_version_id.in_(leaving))
        .values(withdrawn_at=now)
        .returning(league_bots.c.bot_version_id)
    )
    dropped = _drop(connection, league_id, gone.scalars().all(), now)
    lapsed = attempts.c.match_id.in_(dropped) & attempts.c.ended_at.is_(None)
    ending = {"ended_at": now, "outcome": "interrupted", "detail": "a bot of the match was withdrawn"}
    connection.execute(update(attempts).where(lapsed).values(ending))


def _drop(connection: Connection, league_id: int, version_ids: Sequence[int], now: float) -> Sequence[int]:
    """Drop what is not complete of these versions' matches; their workers lose their claims, and so stop."""
    theirs = select(match_bots.c.match_id).where(match_bots.c.bot_version_id.in_(version_ids))
    unplayed = (matches.c.league_id == league_id) & matches.c.completed_at.is_(None) & matches.c.dropped_at.is_(None)
    dropping = update(matches).where(unplayed, matches.c.id.in_(theirs)).values(dropped_at=now, claim=None, lease_until=None)
    return connection.execute(dropping.returning(matches.c.id)).scalars().all()


def _take_up(connection: Connection, league_id: int) -> None:
    """Take up the dropped matches all of whose bots play again."""
    gone = (league_bots.c.league_id == league_id) & league_bots.c.withdrawn_at.is_not(None)
    still = select(match_bots.c.match_id).where(match_bots.c.bot_version_id.in_(select(league_bots.c.bot_version_id).where(gone)))
    dropped = (matches.c.league_id == league_id) & matches.c.dropped_at.is_not(None)
    connection.execute(update(matches).where(dropped, matches.c.id.not_in(still)).values(dropped_at=None))


def _of_bot(name: str) -> ColumnElement[bool]:
    return bots.c.name == name


def newcomers(connection: Connection, league_id: int, names: Iterable[str] | None) -> list[int]:
    """Return the current versions, by row id, of those bots (None: all that may play) that never were in the league."""
    there = select(league_bots.c.bot_version_id).where(league_bots.c.league_id == league_id)
    known = set(connection.execute(there).scalars())
    found = eligible(connection, names, variants_of(connection, league_id))
    return [version for version in found.values() if version not in known]


def variants_of(connection: Connection, league_id: int) -> list[str]:
    """Return the variants that are played in the league of this row id."""
    query = select(league_variants.c.variant).where(league_variants.c.league_id == league_id)
    return list(connection.execute(query.order_by(league_variants.c.id)).scalars())
