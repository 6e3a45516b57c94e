"""The store's games: each written once, in one transaction, keyed by match, set and seating."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, bindparam, func, select, update

from league.canonical import canonical, ordered_game
from league.database import Database, insert
from league.errors import BadGame, NotFound
from league.model import Game
from league.schedule import games_a_set
from league.store_leagues import seatings_of
from league.store_matches import find_match, require_open
from league.store_workers import require_free
from league.tables import attempts, game_records, games, matches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row

    from league.model import Claim, Json, Seating

TIMING = ("LATE", "BANK_EMPTY")
"""Causes of faults that may be a slow machine's doing."""

# What every game needs, put together once: SQLAlchemy takes longer over making a statement than over running it.
_THIS = matches.c.id == bindparam("match")
_COUNT_GAME = update(matches).where(_THIS).values(games_done=matches.c.games_done + 1)
_COUNT_SET = update(matches).where(_THIS).values(sets_done=matches.c.sets_done + 1, changes=matches.c.changes + 1)
_COMPLETE = update(matches).where(_THIS, matches.c.games_done == matches.c.games_total).values(completed_at=bindparam("now"))
_OF_SET = select(func.count(), func.min(games.c.dealer), func.max(games.c.dealer)).where(
    games.c.match_id == bindparam("match"), games.c.set_number == bindparam("number")
)
_PROGRESS = (
    update(attempts)
    .where(attempts.c.id == bindparam("attempt"))
    .values(
        games=attempts.c.games + 1,
        progress_at=bindparam("now"),
        figures=func.coalesce(bindparam("told", type_=Text), attempts.c.figures),
    )
)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a game comes to, by line-up index: the part of a record that statistics need."""

    points: tuple[int, ...]
    places: tuple[int, ...]
    deals: int
    end: str
    forfeits: tuple[int, ...]
    faults: tuple[dict[str, int], ...]


def summarize(record: Mapping[str, Any]) -> Summary:
    """Turn a game's record, by seat and side, into figures by line-up index.

    Side i is seated at seat i (and, in a team, opposite too), so ``seating[i]`` is the line-up index of side i.

    Raises:
        BadGame: Totals or places are not one for each bot.
    """
    seating: list[int] = record["seating"]
    size = max(seating) + 1
    if not len(record["total"]) == len(record["places"]) == size:
        raise BadGame(f"{len(record['total'])} totals and {len(record['places'])} places for {size} bots")
    faults = [Counter[str]() for _ in range(size)]
    for deal in record["deals"]:
        for fault in deal.get("faults", ()):
            faults[seating[fault["seat"]]][fault["cause"]] += 1
    return Summary(
        points=_by_lineup(record["total"], seating),
        places=_by_lineup(record["places"], seating),
        deals=len(record["deals"]),
        end=record["end"],
        forfeits=tuple(sorted(seating[side] for side in record["forfeits"])),
        faults=tuple(dict(sorted(causes.items())) for causes in faults),
    )


def _by_lineup(by_side: Sequence[int], seating: Sequence[int]) -> tuple[int, ...]:
    return tuple(value for _, value in sorted(zip(seating, by_side, strict=False)))


class GameStore(Database):
    """What the store knows of games."""

    def add_game(  # noqa: PLR0913 -- one argument a field of the referee's "game" event
        self,
        match_id: str,
        set_number: int,
        seating: Sequence[int],
        dealer: int,
        record: Mapping[str, Any],
        *,
        times: Mapping[str, Any] | None = None,
        claim: Claim | None = None,
        figures: Mapping[str, Any] | None = None,
        now: float | None = None,
    ) -> bool:
        """Store a finished game, in one transaction that also counts the match's games and complete sets.

        Args:
            match_id: The match.
            set_number: The duplicate set, from 0.
            seating: One of the match's seatings.
            dealer: The set's first dealer.
            record: The game's entry under "games" in the match record.
            times: What the referee measured.
            claim: The attempt whose progress this is. A game counts even if its claim has been lost meanwhile.
            figures: What the claim's attempt has come to with this game, for monitoring: see ``AttemptFigures``.
            now: Time to stamp it with; the present by default.

        Returns:
            False if this game had been stored already: nothing changes then, whatever the record says.

        Raises:
            BadGame: The match has no such game, or the record is not one of it.
            NotFound: The match is not stored.
            LeagueClosed: The league's key is public.
            Quarantined: The claim's worker is in quarantine.
            MatchDropped: A bot of the match has been withdrawn.
        """
        body = ordered_game(record)
        with self._write() as connection:
            match = find_match(connection, match_id)
            require_open(match)
            key = _key(match, set_number, tuple(seating), body)
            summary = summarize(body)
            row = key | row_of(summary, dealer, time.time() if now is None else now)
            row["attempt_id"] = None if claim is None else claim.attempt
            adding = insert(connection, games).on_conflict_do_nothing().returning(games.c.match_id)
            if connection.execute(adding, row).scalar() is None:
                return False
            texts = {"record": canonical(body), "times": None if times is None else canonical(times)}
            connection.execute(insert(connection, game_records), key | texts)
            _count(connection, match, key, row["stored_at"])
            if claim is not None:
                # The match is locked by now, as it is by whoever puts a worker in quarantine: one of the two sees the other.
                require_free(connection, claim.worker)
                told = None if figures is None else canonical(figures)
                connection.execute(_PROGRESS, {"attempt": claim.attempt, "now": row["stored_at"], "told": told})
                _note_late(connection, claim.attempt, summary)
            return True

    def games(self, match_id: str) -> list[Game]:
        """Return the stored games of a match, set by set, seatings in the match's order; NotFound if it is not stored."""
        with self._read() as connection:
            match = find_match(connection, match_id)
            query = (
                select(games, game_records.c.times)
                .join_from(games, game_records)
                .where(games.c.match_id == match.id)
                .order_by(games.c.set_number, games.c.seating)
            )
            rows = connection.execute(query).all()
        seatings = seatings_of(match.seatings)
        return [_game(row, match_id, seatings[row.seating]) for row in rows]

    def game_record(self, match_id: str, set_number: int, seating: Sequence[int]) -> Json:
        """Return one game with all its moves, as it stands under "games" in the match record.

        NotFound if the match or this game of it is not stored.
        """
        with self._read() as connection:
            match = find_match(connection, match_id)
            seatings = seatings_of(match.seatings)
            position = seatings.index(tuple(seating)) if tuple(seating) in seatings else -1
            found = connection.execute(
                select(game_records.c.record).where(
                    game_records.c.match_id == match.id,
                    game_records.c.set_number == set_number,
                    game_records.c.seating == position,
                )
            ).scalar()
        if found is None:
            raise NotFound(f"match {match_id!r} has no stored game of set {set_number} in seating {list(seating)}")
        record: Json = json.loads(found)
        return record


def _key(match: Row[tuple[object, ...]], set_number: int, seating: Seating, body: Json) -> dict[str, int]:
    """Return the primary key of a game of this match; BadGame if the match has no such game."""
    seatings = seatings_of(match.seatings)
    if seating not in seatings:
        raise BadGame(f"match {match.name!r} has no seating {list(seating)} (it has: {[list(s) for s in seatings]})")
    if body["seating"] != list(seating):
        raise BadGame(f"the record's seating {body['seating']} is not the game's {list(seating)}")
    if not 0 <= set_number < match.sets:
        raise BadGame(f"match {match.name!r} has no set {set_number} (it has 0 to {match.sets - 1})")
    position = seatings.index(seating)
    if match.mode == "single" and position != set_number % len(seatings):
        only = list(seatings[set_number % len(seatings)])
        raise BadGame(f"set {set_number} of match {match.name!r} is played in seating {only} only")
    return {"match_id": match.id, "set_number": set_number, "seating": position}


def game_row(record: Mapping[str, Any], dealer: int, now: float) -> dict[str, Any]:
    """Return the columns of a game beside its key, from its record. BadGame as in :func:`summarize`."""
    return row_of(summarize(record), dealer, now)


def row_of(summary: Summary, dealer: int, now: float) -> dict[str, Any]:
    """Return the columns of a game beside its key, from what it comes to."""
    return {
        "dealer": dealer,
        "points": canonical(summary.points),
        "places": canonical(summary.places),
        "deals": summary.deals,
        "end_reason": summary.end,
        "forfeits": canonical(summary.forfeits),
        "faults": canonical(summary.faults),
        "stored_at": now,
    }


def _count(connection: Connection, match: Row[tuple[object, ...]], key: dict[str, int], now: float) -> None:
    """Count a game that was just stored, and its set and its match if it has completed them."""
    # First of all, for it locks the match: of two transactions that store the last two games of a set, the second
    # looks only when the first is through, and sees both.
    connection.execute(_COUNT_GAME, {"match": match.id})
    there, least, most = connection.execute(_OF_SET, {"match": match.id, "number": key["set_number"]}).one()
    if least != most:
        raise BadGame(f"games of set {key['set_number']} of match {match.name!r} differ in first dealer")
    if there == games_a_set(seatings_of(match.seatings), match.mode):
        connection.execute(_COUNT_SET, {"match": match.id})
        connection.execute(_COMPLETE, {"match": match.id, "now": now})


def _note_late(connection: Connection, attempt: int, summary: Summary) -> None:
    """Count this game for each bot that was too late in it, at the attempt."""
    late = [int(any(cause in faults for cause in TIMING)) for faults in summary.faults]
    if not any(late):
        return
    there = connection.execute(select(attempts.c.late).where(attempts.c.id == attempt)).scalar()
    before = json.loads(there) if there else [0] * len(late)
    counts = [old + new for old, new in zip(before, late, strict=True)]
    connection.execute(update(attempts).where(attempts.c.id == attempt).values(late=canonical(counts)))


def _game(row: Row[tuple[object, ...]], match_id: str, seating: Seating) -> Game:
    return Game(
        match=match_id,
        set=row.set_number,
        seating=seating,
        dealer=row.dealer,
        points=tuple(json.loads(row.points)),
        places=tuple(json.loads(row.places)),
        deals=row.deals,
        end=row.end_reason,
        forfeits=tuple(json.loads(row.forfeits)),
        faults=tuple(json.loads(row.faults)),
        times=None if row.times is None else json.loads(row.times),
        stored_at=row.stored_at,
    )
