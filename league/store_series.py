"""The store's series: leagues that begin anew at fixed times, each season a league of its own.

Season n of the series NAME is the league ``NAME-n``, with a key of its own. A season ends when all is played, or when the
next begins: what is not played by then is given up, and its key published.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from league.canonical import canonical
from league.database import Database, insert
from league.errors import AlreadyExists, BadName, BadSpec, NotFound
from league.model import LeagueSpec, Season, Series, VariantSpec
from league.names import check_name
from league.store_leagues import check_league, eligible, entrants, insert_league, load_league
from league.store_members import add_member, newcomers
from league.tables import leagues, series

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

    from league.model import League, SeriesSpec

PERIODS = (60.0, 366 * 86_400.0)
"""Seconds that a season may last, at least and at most."""
NAME_LENGTH = 26
"""Most characters of a series' name, so that there is room for a season's number."""


class SeriesStore(Database):
    """What the store knows of series."""

    def create_series(self, spec: SeriesSpec, now: float | None = None) -> Series:
        """Store a series. Its first season begins when it is due and somebody opens it.

        Raises:
            BadName: Its name breaks the rule, or is too long.
            BadSpec: Its seasons could not be played.
            NotFound: A bot is unknown or has been removed.
            AlreadyExists: There is a series of this name, or a league by the name of one of its seasons.
        """
        _check(spec)
        values = {
            "name": spec.name,
            "period": spec.period,
            "next_start": spec.start,
            "template": canonical(_template(spec.league)),
            "bots": None if spec.bots is None else canonical(sorted(spec.bots)),
            "joins": int(spec.joins),
            "created_at": time.time() if now is None else now,
        }
        with self._write() as connection:
            entrants(connection, spec.bots or (), [entry.variant for entry in spec.league.variants])
            _check_free(connection, spec.name)
            adding = insert(connection, series).values(values).on_conflict_do_nothing(index_elements=["name"])
            if connection.execute(adding.returning(series.c.id)).scalar() is None:
                raise AlreadyExists(f"there is a series {spec.name!r} already")
            return _load(connection, _find(connection, spec.name))

    def series(self, name: str) -> Series:
        """Return one series; NotFound lists those there are."""
        with self._read() as connection:
            return _load(connection, _find(connection, name))

    def all_series(self) -> list[Series]:
        """Return every series, by name."""
        with self._read() as connection:
            return [_load(connection, row) for row in connection.execute(select(series).order_by(series.c.name)).all()]

    def stop_series(self, name: str, now: float | None = None) -> Series:
        """Let no more seasons of a series begin; the present one is played to its end. NotFound if there is none."""
        stamp = time.time() if now is None else now
        with self._write() as connection:
            found = _find(connection, name)
            running = (series.c.id == found.id) & series.c.stopped_at.is_(None)
            connection.execute(update(series).where(running).values(stopped_at=stamp))
            return _load(connection, _find(connection, name))

    def open_season(self, name: str, *, early: bool = False, now: float | None = None) -> League | None:
        """Begin the next season of a series if it is due, and end the one before; None if it is not due.

        However long nobody looked, one season begins, and the next is due at the first of the series' times still to come.

        Args:
            name: Of the series.
            early: Begin it though it is not due; the times of later ones do not change.
            now: The present by default.

        Raises:
            NotFound: There is no such series.
            BadSpec: Too few of its bots are there; or it has been stopped, and ``early`` asks for a season all the same.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            found = _find(connection, name, lock=True)
            if found.stopped_at is not None and early:
                raise BadSpec(f"series {name!r} has been stopped")
            if found.stopped_at is not None or (found.next_start > stamp and not early):
                return None
            return _open(connection, found, stamp)

    def join_season(self, name: str, now: float | None = None) -> list[str]:
        """Let new bots and new versions join the season that is being played, if the series says so.

        Returns:
            Those that joined, as "NAME vN". A version that was withdrawn from the season stays out of it.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            found = _find(connection, name, lock=True)
            this = (leagues.c.series_id == found.id) & leagues.c.revealed_at.is_(None)
            row = connection.execute(select(leagues).where(this).order_by(leagues.c.season.desc()).limit(1)).one_or_none()
            if row is None or not found.joins:
                return []
            before = {str(entry.bot) for entry in load_league(connection, row.name).entries}
            for version in newcomers(connection, row.id, _names(found)):
                add_member(connection, row.id, version, replace=True, now=stamp)
            return [str(one.bot) for one in load_league(connection, row.name).entries if str(one.bot) not in before]


def _open(connection: Connection, found: Row[tuple[object, ...]], now: float) -> League:
    seasons = _seasons(connection, found.id)
    number = 1 + max((season.number for season in seasons), default=0)
    template = _spec(json.loads(found.template))
    there = eligible(connection, _names(found), [entry.variant for entry in template.variants])
    spec = replace(template, name=f"{found.name}-{number}", bots=tuple(there))
    check_league(spec)
    ending = (leagues.c.series_id == found.id) & leagues.c.revealed_at.is_(None)
    connection.execute(update(leagues).where(ending).values(revealed_at=now))
    insert_league(connection, spec, now, series_id=found.id, season=number)
    connection.execute(
        update(series).where(series.c.id == found.id).values(next_start=following(found.next_start, found.period, now))
    )
    return load_league(connection, spec.name)


def following(start: float, period: float, now: float) -> float:
    """Return the first of the times ``start``, ``start + period`` … that lies after ``now``."""
    return start if start > now else start + period * (math.floor((now - start) / period) + 1)


def _check(spec: SeriesSpec) -> None:
    check_name(spec.name, "series")
    if len(spec.name) > NAME_LENGTH:
        raise BadName(f"{spec.name!r} is too long for a series: its seasons are called NAME-1, NAME-2 …; at most {NAME_LENGTH}")
    least, most = PERIODS
    if not least <= spec.period <= most:
        raise BadSpec(f"a season of {spec.period:g} seconds cannot be had (allowed: from {least:g} s to {most:g} s)")
    if spec.league.key is not None:
        raise BadSpec("a series takes no key: each season draws its own")
    stand_ins = tuple(f"bot{number}" for number in range(4))
    check_league(replace(spec.league, name=f"{spec.name}-1", bots=stand_ins if spec.bots is None else spec.bots))


def _check_free(connection: Connection, name: str) -> None:
    names = connection.execute(select(leagues.c.name).where(leagues.c.name.startswith(f"{name}-", autoescape=True))).scalars()
    taken = [one for one in names if one.removeprefix(f"{name}-").isdecimal()]
    if taken:
        raise AlreadyExists(f"a season of {name!r} would be called like the league {taken[0]!r}")


def _find(connection: Connection, name: str, *, lock: bool = False) -> Row[tuple[object, ...]]:
    query = select(series).where(series.c.name == name)
    found = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        known = connection.execute(select(series.c.name).order_by(series.c.name)).scalars()
        raise NotFound(f"no series {name!r} (there are: {', '.join(known) or 'none'})")
    return found


def _load(connection: Connection, row: Row[tuple[object, ...]]) -> Series:
    names = _names(row)
    return Series(
        name=row.name,
        period=row.period,
        next_start=row.next_start,
        template=_spec(json.loads(row.template)),
        bots=None if names is None else tuple(names),
        joins=bool(row.joins),
        created_at=row.created_at,
        stopped_at=row.stopped_at,
        seasons=tuple(_seasons(connection, row.id)),
    )


def _seasons(connection: Connection, series_id: int) -> list[Season]:
    query = select(leagues).where(leagues.c.series_id == series_id).order_by(leagues.c.season)
    return [Season(row.season, row.name, row.created_at, row.revealed_at) for row in connection.execute(query)]


def _names(row: Row[tuple[object, ...]]) -> list[str] | None:
    return None if row.bots is None else list(json.loads(row.bots))


def _template(spec: LeagueSpec) -> dict[str, object]:
    variants = [
        {
            "variant": entry.variant,
            "options": dict(entry.options),
            "format": entry.format,
            "seats": entry.seats,
            "seatings": entry.seatings,
            "label": entry.label,
        }
        for entry in spec.variants
    ]
    rest = {"remote_sets": spec.remote_sets, "precision": spec.precision, "max_sets": spec.max_sets}
    return {"variants": variants, "sets": spec.sets, "clock": dict(spec.clock), **rest}


def _spec(template: dict[str, Any]) -> LeagueSpec:
    variants = tuple(VariantSpec(**{**entry, "seatings": tuple(map(tuple, entry["seatings"]))}) for entry in template["variants"])
    return LeagueSpec(**{**template, "name": "", "bots": (), "variants": variants})
