"""The store's leagues, with their secret keys."""

from __future__ import annotations

import hashlib
import json
import math
import re
import secrets
import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, select, update

from league.canonical import canonical
from league.database import Database, insert
from league.errors import AlreadyExists, BadSpec, LeagueOpen, NotFound
from league.model import Entry, League, LeagueSpec, LeagueVariant, VariantSpec
from league.names import check_label, check_name
from league.schedule import planned_count
from league.store_bots import load_versions
from league.tables import (
    bot_versions,
    bots,
    league_bots,
    league_rounds,
    league_variants,
    leagues,
    match_bots,
    matches,
    series,
    submissions,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection, Row, ScalarSelect, Select

    from league.model import BotVersion

KEY_BYTES = 32
PRECISIONS = (5, 400)
"""Half-widths in Elo that a league may be played for."""
MOST_SETS = 100_000
MOST_PAIRINGS = 20_000
"""Of one variant of a league with a precision: each round looks at all of them."""


def seatings_of(text: str) -> tuple[tuple[int, ...], ...]:
    """Return the seatings that a column of JSON text holds."""
    return tuple(tuple(seating) for seating in json.loads(text))


def load_league(connection: Connection, name: str) -> League:
    """Return the league of this name; NotFound lists those there are."""
    found = _load(connection, leagues.c.name == name)
    if not found:
        known = connection.execute(select(leagues.c.name).order_by(leagues.c.name)).scalars()
        raise NotFound(f"no league {name!r} (there are: {', '.join(known) or 'none'})")
    return found[0]


def _load(connection: Connection, where: ColumnElement[bool]) -> list[League]:
    rows = connection.execute(select(leagues).where(where).order_by(leagues.c.id.desc())).all()
    return [_league(connection, row) for row in rows]


def _league(connection: Connection, row: Row[tuple[object, ...]]) -> League:
    entries = connection.execute(
        select(league_variants).where(league_variants.c.league_id == row.id).order_by(league_variants.c.id)
    )
    entries_there = load_entries(connection, row.id)
    of_series = connection.execute(select(series.c.name).where(series.c.id == row.series_id)).scalar()
    return League(
        name=row.name,
        commitment=row.commitment,
        sets=row.sets,
        clock=json.loads(row.clock),
        variants=tuple(_variant(entry) for entry in entries),
        bots=tuple(sorted((entry.bot for entry in entries_there if entry.active), key=lambda bot: bot.bot)),
        remote_sets=bool(row.remote_sets),
        created_at=row.created_at,
        revealed_at=row.revealed_at,
        key=bytes(row.key) if row.revealed_at is not None else None,
        entries=entries_there,
        precision=row.precision,
        max_sets=row.max_sets,
        series=of_series,
        season=row.season,
    )


def load_entries(connection: Connection, league_id: int) -> tuple[Entry, ...]:
    """Return who plays or has played in the league of this row id, by stage and name."""
    rows = connection.execute(select(league_bots).where(league_bots.c.league_id == league_id)).all()
    versions = load_versions(connection, bot_versions.c.id.in_([row.bot_version_id for row in rows]))
    entries = [Entry(versions[row.bot_version_id], row.stage, row.added_at, row.withdrawn_at) for row in rows]
    return tuple(sorted(entries, key=lambda entry: (entry.stage, entry.bot.bot)))


def lock_league(connection: Connection, name: str) -> Row[tuple[object, ...]]:
    """Return a league's row, which no other transaction changes until this one ends; NotFound if there is none."""
    found = connection.execute(select(leagues).where(leagues.c.name == name).with_for_update()).one_or_none()
    if found is None:
        load_league(connection, name)
        raise NotFound(f"no league {name!r}")
    return found


def _variant(row: Row[tuple[object, ...]]) -> LeagueVariant:
    options = json.loads(row.options)
    return LeagueVariant(row.label, row.variant, options, row.format, row.seats, seatings_of(row.seatings))


class LeagueStore(Database):
    """What the store knows of leagues."""

    def create_league(self, spec: LeagueSpec, now: float | None = None) -> League:
        """Store a league between the current versions of its bots. Nothing of its schedule is stored yet.

        Raises:
            BadName: Its name, or a label, breaks the rule.
            BadSpec: It cannot be played: too few bots, bots or variants twice, no sets, a key that is not 32 bytes,
                a bot that is not qualified or does not play a variant.
            NotFound: A bot is unknown or has been removed.
            AlreadyExists: There is a league of this name.
        """
        check_league(spec)
        with self._write() as connection:
            _check_unreserved(connection, spec.name)
            insert_league(connection, spec, time.time() if now is None else now)
            return load_league(connection, spec.name)

    def league(self, name: str) -> League:
        """Return one league; NotFound lists those there are."""
        with self._read() as connection:
            return load_league(connection, name)

    def leagues(self) -> list[League]:
        """Return every league, the newest first."""
        with self._read() as connection:
            return _load(connection, leagues.c.id.is_not(None))

    def finish_league(self, name: str, *, abandon: bool = False, now: float | None = None) -> League:
        """Reveal a league's key and close it: no match of it may be added, claimed or played from then on.

        Finishing it again changes nothing.

        Raises:
            NotFound: There is no such league.
            LeagueOpen: Matches are still to be played, and ``abandon`` does not give them up.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            lock_league(connection, name)
            left = matches_left(connection, load_league(connection, name))
            if left and not abandon:
                raise LeagueOpen(
                    f"{left} matches of league {name!r} are not complete: its key stays secret until they are"
                    " or the league is abandoned"
                )
            this = (leagues.c.name == name) & leagues.c.revealed_at.is_(None)
            connection.execute(update(leagues).where(this).values(revealed_at=stamp))
            return load_league(connection, name)


def insert_league(connection: Connection, spec: LeagueSpec, now: float, **more: object) -> int:
    """Store a checked league between the current versions of its bots, and return its row id.

    ``more`` are further columns. BadSpec, NotFound and AlreadyExists as in :meth:`LeagueStore.create_league`.
    """
    key = secrets.token_bytes(KEY_BYTES) if spec.key is None else spec.key
    row = {
        "name": spec.name,
        "key": key,
        "commitment": hashlib.sha256(key).hexdigest(),
        "sets": spec.sets,
        "clock": canonical(dict(spec.clock)),
        "remote_sets": int(spec.remote_sets),
        "created_at": now,
        "precision": spec.precision,
        "max_sets": spec.max_sets,
    }
    members = entrants(connection, spec.bots, [entry.variant for entry in spec.variants])
    adding = insert(connection, leagues).values(row | more).on_conflict_do_nothing(index_elements=["name"])
    made = connection.execute(adding.returning(leagues.c.id)).scalar()
    if made is None:
        raise AlreadyExists(f"there is a league {spec.name!r} already")
    # One by one: their ids are their order.
    for values in [_variant_row(made, label, entry) for label, entry in _labelled(spec.variants)]:
        connection.execute(insert(connection, league_variants).values(values))
    pairs = [{"league_id": made, "bot_version_id": member, "stage": 0, "added_at": now} for member in members]
    connection.execute(insert(connection, league_bots).values(pairs))
    return int(made)


_SEASON_NAME = re.compile(r"(?P<series>.+)-[0-9]+")


def _check_unreserved(connection: Connection, name: str) -> None:
    """Raise BadSpec if a name is kept for the seasons of a series."""
    match = _SEASON_NAME.fullmatch(name)
    if match and connection.execute(select(series.c.id).where(series.c.name == match["series"])).scalar() is not None:
        raise BadSpec(f"{name!r} is kept for a season of the series {match['series']!r}; choose another name")


def with_withdrawn(league_id: int | ScalarSelect[int]) -> ColumnElement[bool]:
    """Return the condition under which a bot of a match of this league has been withdrawn."""
    gone = select(league_bots.c.bot_version_id).where(
        league_bots.c.league_id == league_id, league_bots.c.withdrawn_at.is_not(None)
    )
    return matches.c.id.in_(select(match_bots.c.match_id).where(match_bots.c.bot_version_id.in_(gone)))


def undecided(connection: Connection, league: League) -> list[str]:
    """Return the labels of the variants of a league with a precision that may yet have another round."""
    if league.precision is None:
        return []
    query = (
        select(league_variants.c.label, league_rounds.c.decision)
        .join_from(league_rounds, league_variants)
        .join(leagues, leagues.c.id == league_variants.c.league_id)
        .where(leagues.c.name == league.name)
        .order_by(league_rounds.c.round)
    )
    last = {row.label: json.loads(row.decision) for row in connection.execute(query)}
    there = {str(bot) for bot in league.bots}
    over = {label for label, decision in last.items() if not decision["matches"] and there <= set(decision["members"])}
    return [entry.label for entry in league.variants if entry.label not in over]


def matches_left(connection: Connection, league: League) -> int:
    """Return how many matches are still to be played; at least one while further rounds may come."""
    this = (matches.c.league_id == leagues.c.id) & (leagues.c.name == league.name)
    if league.precision is not None:
        waiting = this & matches.c.completed_at.is_(None) & matches.c.dropped_at.is_(None)
        there = connection.execute(select(func.count()).select_from(matches).join(leagues, this).where(waiting)).scalar_one()
        return int(there) or len(undecided(connection, league))
    league_id = connection.execute(select(leagues.c.id).where(leagues.c.name == league.name)).scalar_one()
    counted = this & matches.c.completed_at.is_not(None) & ~with_withdrawn(league_id)
    complete = connection.execute(select(func.count()).select_from(matches).join(leagues, this).where(counted)).scalar_one()
    return planned_count(league) - int(complete)


def entrants(connection: Connection, names: Sequence[str], variants: Iterable[str]) -> list[int]:
    """Return the row ids of the versions with which these bots enter a league of these variants.

    Raises:
        NotFound: A bot is unknown or has been removed.
        BadSpec: A bot has no version that may play, or one that does not play a variant.
    """
    rows = connection.execute(_current_versions().where(bots.c.name.in_(names), bots.c.removed_at.is_(None)))
    found = {row.name: row.version_id for row in rows}
    unknown = [name for name in names if name not in found]
    if unknown:
        known = connection.execute(select(bots.c.name).where(bots.c.removed_at.is_(None)).order_by(bots.c.name))
        raise NotFound(f"no bot {', '.join(map(repr, unknown))} to play in a league (there are: {', '.join(known.scalars())})")
    for name in names:
        if found[name] is None:
            raise BadSpec(f"bot {name!r} cannot enter a league: {_why_not(connection, name)}")
    ids = [found[name] for name in names]
    for version in load_versions(connection, bot_versions.c.id.in_(ids)).values():
        _check_plays(version, variants)
    return ids


def eligible(connection: Connection, names: Iterable[str] | None, variants: Sequence[str]) -> dict[str, int]:
    """Return those of these bots (None: of all) that may enter a league of these variants, with their versions' row ids."""
    rows = connection.execute(_current_versions().where(bots.c.removed_at.is_(None)).order_by(bots.c.name)).all()
    wanted = None if names is None else set(names)
    found = {row.name: row.version_id for row in rows if row.version_id and (wanted is None or row.name in wanted)}
    versions = load_versions(connection, bot_versions.c.id.in_(found.values()))
    return {name: number for name, number in found.items() if not _missing(versions[number], variants)}


def version_entrant(connection: Connection, name: str, version: int, variants: Sequence[str]) -> int:
    """Return the row id of one version of a bot that is to enter a league of these variants.

    Raises:
        NotFound: The bot is unknown or has been removed, or has no such version.
        BadSpec: The version is an owner's and not qualified, or does not play a variant.
    """
    entrants(connection, [name], ())
    query = (
        select(bot_versions.c.version, bot_versions.c.id, submissions.c.state)
        .join_from(bot_versions, bots)
        .join(submissions, submissions.c.bot_version_id == bot_versions.c.id, isouter=True)
        .where(bots.c.name == name)
        .order_by(bot_versions.c.version)
    )
    found = {row.version: row for row in connection.execute(query)}
    if version not in found:
        raise NotFound(f"no version {version} of bot {name!r} (there are: {', '.join(map(str, found))})")
    if found[version].state not in (None, "qualified"):
        raise BadSpec(f"bot {name!r} cannot enter a league with version {version}: it is {found[version].state}")
    number = int(found[version].id)
    _check_plays(load_versions(connection, bot_versions.c.id == number)[number], variants)
    return number


def _current_versions() -> Select[Any]:
    """The query for every bot and its current version's row id: an owner's bot's promoted one, null if none; else the newest."""
    newest = (
        select(bot_versions.c.bot_id, func.max(bot_versions.c.version).label("number")).group_by(bot_versions.c.bot_id).subquery()
    )
    wanted = case((bots.c.owner_id.is_(None), newest.c.number), else_=bots.c.promoted)
    return (
        select(bots.c.name, bot_versions.c.id.label("version_id"))
        .join_from(bots, newest, newest.c.bot_id == bots.c.id)
        .join(bot_versions, (bot_versions.c.bot_id == bots.c.id) & (bot_versions.c.version == wanted), isouter=True)
    )


def _why_not(connection: Connection, name: str) -> str:
    """Why an owner's bot has no version that may play."""
    query = (
        select(bot_versions.c.version, submissions.c.state, submissions.c.reason)
        .join_from(submissions, bot_versions)
        .join(bots)
        .where(bots.c.name == name)
        .order_by(bot_versions.c.version.desc())
        .limit(1)
    )
    newest = connection.execute(query).one()
    told = {
        "failed": f"did not qualify: {newest.reason}",
        "qualified": f"is qualified, but not promoted (arena bot promote {name} {newest.version})",
        "withdrawn": "was withdrawn",
    }
    return f"{name} v{newest.version} {told.get(newest.state, f'is not qualified yet ({newest.state})')}"


def _missing(version: BotVersion, variants: Iterable[str]) -> list[str]:
    """Which of these variants a version does not play."""
    return [variant for variant in variants if version.variants is not None and variant not in version.variants]


def _check_plays(version: BotVersion, variants: Iterable[str]) -> None:
    missing = _missing(version, variants)
    if missing:
        plays = ", ".join(version.variants or ())
        raise BadSpec(f"{version} does not play {', '.join(missing)} (its bot.toml says that it plays: {plays})")


def _variant_row(league_id: int, label: str, spec: VariantSpec) -> dict[str, object]:
    return {
        "league_id": league_id,
        "label": label,
        "variant": spec.variant,
        "format": spec.format,
        "options": canonical(dict(spec.options)),
        "seats": spec.seats,
        "seatings": canonical(sorted(spec.seatings)),  # the order that records list them in
    }


def check_league(spec: LeagueSpec) -> None:
    """Check all that can be checked without the database; BadName or BadSpec say what is wrong, and what is allowed."""
    check_name(spec.name, "league")
    if spec.key is not None and len(spec.key) != KEY_BYTES:
        raise BadSpec(f"a league's key is {KEY_BYTES} bytes, not {len(spec.key)}")
    if spec.sets < 1:
        raise BadSpec(f"a match needs at least one set, not {spec.sets}")
    if not spec.variants:
        raise BadSpec("a league needs at least one variant")
    twice = sorted({name for name in spec.bots if spec.bots.count(name) > 1})
    if twice:
        raise BadSpec(f"named twice as a bot of the league: {', '.join(twice)}")
    _check_precision(spec)
    for entry in spec.variants:
        _check_variant(entry, len(spec.bots))
    _labelled(spec.variants)


def _check_precision(spec: LeagueSpec) -> None:
    if spec.precision is None:
        if spec.max_sets is not None:
            raise BadSpec("the most sets of a pairing mean something only where there is a precision")
        return
    least, most = PRECISIONS
    if not least <= spec.precision <= most:
        raise BadSpec(f"a precision of {spec.precision:g} Elo cannot be played for (allowed: {least} to {most})")
    if spec.max_sets is None or not spec.sets <= spec.max_sets <= MOST_SETS:
        raise BadSpec(
            f"with a precision, a pairing needs a most number of sets, from the {spec.sets} of a round to {MOST_SETS}, "
            f"not {'none' if spec.max_sets is None else spec.max_sets}"
        )
    for entry in spec.variants:
        size = 1 + max(max(seating) for seating in entry.seatings)
        if math.comb(len(spec.bots), size) > MOST_PAIRINGS:
            raise BadSpec(
                f"{entry.variant} between {len(spec.bots)} bots has {math.comb(len(spec.bots), size)} pairings; "
                f"with a precision there may be {MOST_PAIRINGS}"
            )


def _check_variant(spec: VariantSpec, bots_there: int) -> None:
    lengths = {len(seating) for seating in spec.seatings}
    if lengths != {spec.seats}:
        raise BadSpec(f"{spec.variant}: {spec.seats} seats need seatings of that length, not {spec.seatings}")
    lineups = {tuple(sorted(set(seating))) for seating in spec.seatings}
    size = max(max(seating) for seating in spec.seatings) + 1
    if lineups != {tuple(range(size))}:
        raise BadSpec(f"{spec.variant}: every seating must seat the same bots, numbered from 0, not {spec.seatings}")
    if bots_there < size:
        raise BadSpec(f"{spec.variant} needs at least {size} bots, the league has {bots_there}")


def _labelled(variants: Sequence[VariantSpec]) -> list[tuple[str, VariantSpec]]:
    """Return each entry under its own label, or the variant's name, or the name with ".2", ".3" … when that is taken."""
    seen: dict[str, VariantSpec] = {}
    for spec in variants:
        rivals = [other for other in seen.values() if _same_play(other, spec)]
        if rivals:
            raise BadSpec(f"{spec.variant} is in the league twice with the same options and format")
        label = check_label(spec.label or spec.variant)
        if spec.label is None:
            number = 1 + sum(other.variant == spec.variant for other in seen.values())
            label = label if number == 1 else f"{label}.{number}"
        if label in seen:
            raise BadSpec(f"two variants of the league are labelled {label!r}")
        seen[label] = spec
    return list(seen.items())


def _same_play(one: VariantSpec, other: VariantSpec) -> bool:
    return (one.variant, dict(one.options), one.format) == (other.variant, dict(other.options), other.format)
