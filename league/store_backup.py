"""A league out of a store and into one, as a backup (see :mod:`league.backup`)."""

from __future__ import annotations

import itertools
import json
import secrets
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import select

from league.backup import RECORDS, Backup, writing
from league.backup_files import Trees
from league.canonical import canonical
from league.database import Database, insert
from league.errors import AlreadyExists, BadBackup
from league.migrate import HEAD
from league.names import check_name, record_name
from league.store_games import game_row
from league.store_leagues import load_league, lock_league, seatings_of
from league.store_matches import original_id
from league.store_reads import read_record
from league.tables import (
    attempt_voids,
    attempts,
    bot_logs,
    bot_tokens,
    bot_versions,
    bots,
    fault_logs,
    game_records,
    games,
    league_bots,
    league_rounds,
    league_variants,
    leagues,
    match_bots,
    matches,
    series,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Row, Select, Table

    from league.backup import Writer
    from league.model import League

    Line = dict[str, Any]
    """A line of a part, parsed."""

_BATCH = 500
_CHUNK = 2_000
_LEASE = {"claim", "lease_until"}
_LOST = {"outcome": "lost", "detail": "the backup was taken while it ran"}


class Extra(Protocol):
    """A further part of every backup, for what other tables keep of a league's bot versions."""

    name: str
    """Of the part."""

    def dump(self, connection: Connection, version_ids: Sequence[int]) -> Iterator[Line]:
        """Yield a line for each thing that these bot versions need."""

    def load(self, connection: Connection, lines: Iterable[Line]) -> None:
        """Store what :meth:`dump` gave, unless it is there."""


EXTRAS: list[Extra] = [Trees()]
"""Parts beyond those below; they are written last and restored first."""


class BackupStore(Database):
    """What the store knows of backups."""

    def backup_league(self, name: str, path: Path) -> League:
        """Write everything about a league to one file, as it stands at one moment, also while it is played.

        The file of a league that is not finished holds its secret key, and is for its owner only.

        Raises:
            NotFound: There is no such league.
            OSError: The file cannot be written.
        """
        with self._read() as connection:
            league = load_league(connection, name)
            with writing(path, private=league.revealed_at is None) as writer:
                _Dump(connection, league, writer).write()
        return league

    def restore_league(self, backup: Backup, name: str | None = None, now: float | None = None) -> League:
        """Store the league of a backup, with all that belongs to it, in one transaction; it can be played on.

        Its bots are added where they are missing. Under another name, its match ids change, but neither its keys and deals
        nor its records, which keep the ids that they were made with.

        Args:
            backup: An open backup.
            name: What to call it; its own name by default.
            now: Time to stamp what the backup left open with; the present by default.

        Raises:
            BadBackup: Its parts do not fit together, or a newer release made it.
            BadName: The new name breaks the rule.
            AlreadyExists: There is a league of this name, or a bot version that differs from the backup's.
        """
        check_name(name or backup.manifest["league"]["name"], "league")
        stamp = time.time() if now is None else now
        with self._write() as connection:
            loading = _Load(connection, backup, name, stamp)
            try:
                loading.read()
            except (KeyError, TypeError, ValueError, IndexError, AttributeError, StopIteration) as error:
                if isinstance(error, (BadBackup, AlreadyExists)):
                    raise
                raise BadBackup(f"{backup.path}: its parts do not fit together ({error!r})") from error
            return load_league(connection, loading.name)


def _plain(table: Table, row: Row[Any], leave: Iterable[str] = ()) -> Line:
    """Return the columns of a row that mean the same in every store: neither its id nor references to others."""
    kept = [c.name for c in table.c if c.name not in {"id", *leave} and not c.foreign_keys]
    values = {name: getattr(row, name) for name in kept}
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in values.items()}


class _Dump:
    """Writes one league's parts, all from one snapshot."""

    def __init__(self, connection: Connection, league: League, writer: Writer) -> None:
        self._connection = connection
        self._league = league
        self._writer = writer
        self._row = connection.execute(select(leagues).where(leagues.c.name == league.name)).one()
        members = select(league_bots.c.bot_version_id).where(league_bots.c.league_id == self._row.id)
        self._versions: list[int] = list(connection.execute(members.order_by(league_bots.c.bot_version_id)).scalars())

    def write(self) -> None:
        """Write every part, then the manifest."""
        complete = sum(1 for _ in filter(None, (self._record(row) for row in self._match_rows())))
        parts = {
            "league": [self._league_line()],
            "variants": self._lines(league_variants, league_variants.c.league_id, "id"),
            "bots": self._bots(),
            "members": self._members(),
            "rounds": self._rounds(),
            "matches": self._matches(),
            "games": self._games(),
            "attempts": self._attempts(),
        }
        counts = {name: self._writer.part(f"{name}.jsonl", lines) for name, lines in parts.items()}
        for extra in EXTRAS:
            self._writer.part(extra.name, extra.dump(self._connection, self._versions))
        finished = self._league.revealed_at is not None
        head = {"name": self._league.name, "commitment": self._league.commitment, "finished": finished}
        matches_of = {"stored": counts["matches"], "complete": complete}
        self._writer.manifest({"schema": HEAD, "league": head, "matches": matches_of, "games": counts["games"]})

    def _league_line(self) -> Line:
        return {**_plain(leagues, self._row), "series": self._league.series}

    def _lines(self, table: Table, owner: Any, order: str) -> Iterator[Line]:  # noqa: ANN401 -- a column
        query = select(table).where(owner == self._row.id).order_by(order)
        return (_plain(table, row) for row in self._connection.execute(query))

    def _bots(self) -> Iterator[Line]:
        """A line for each version of the league, with its bot and, where it is remote, the hashes of its tokens."""
        query = (
            select(bot_versions, bots.c.name, bots.c.removed_at)
            .join_from(bot_versions, bots)
            .where(bot_versions.c.id.in_(self._versions))
            .order_by(bots.c.name, bot_versions.c.version)
        )
        for row in self._connection.execute(query).all():
            tokens = select(bot_tokens).where(bot_tokens.c.bot_version_id == row.id).order_by("created_at", "role", "sha256")
            of_version = [_plain(bot_tokens, token) for token in self._connection.execute(tokens)]
            yield {"bot": row.name, "removed_at": row.removed_at, **_plain(bot_versions, row), "tokens": of_version}

    def _members(self) -> Iterator[Line]:
        for entry in self._league.entries:
            times = {"stage": entry.stage, "added_at": entry.added_at, "withdrawn_at": entry.withdrawn_at}
            yield {"bot": entry.bot.bot, "version": entry.bot.version, **times}

    def _rounds(self) -> Iterator[Line]:
        query = (
            select(league_rounds, league_variants.c.label)
            .join_from(league_rounds, league_variants)
            .where(league_variants.c.league_id == self._row.id)
            .order_by(league_variants.c.id, league_rounds.c.round)
        )
        return ({"label": row.label, **_plain(league_rounds, row)} for row in self._connection.execute(query))

    def _match_rows(self) -> Iterator[Row[Any]]:
        """The matches in the order of storing, a page at a time, so that other reads may come in between."""
        query = (
            select(matches, league_variants.c.label)
            .join_from(matches, league_variants)
            .where(matches.c.league_id == self._row.id)
            .order_by(matches.c.id)
            .limit(_BATCH)
        )
        last = -1
        while page := self._connection.execute(query.where(matches.c.id > last)).all():
            yield from page
            last = page[-1].id

    def _record(self, row: Row[Any]) -> bool:
        """Write a match's record if it has a complete set; whether the match is complete."""
        if row.sets_done:
            name = record_name(original_id(row.name, self._league.name, self._row.origin))
            self._writer.part(f"{RECORDS}{name}", read_record(self._connection, row.name))
        return row.completed_at is not None

    def _matches(self) -> Iterator[Line]:
        for row in self._match_rows():
            lineup = (
                select(bots.c.name, bot_versions.c.version)
                .join_from(match_bots, bot_versions)
                .join(bots)
                .where(match_bots.c.match_id == row.id)
                .order_by(match_bots.c.position)
            )
            seats = [list(seat) for seat in self._connection.execute(lineup)]
            yield {"label": row.label, **_plain(matches, row, {"name", *_LEASE}), "lineup": seats}

    def _games(self) -> Iterator[Line]:
        for row in self._match_rows():
            query = (
                select(games.c.set_number, games.c.seating, games.c.dealer, games.c.stored_at, game_records)
                .join_from(games, game_records)
                .where(games.c.match_id == row.id)
                .order_by(games.c.set_number, games.c.seating)
                .execution_options(yield_per=_CHUNK)
            )
            size = 1 if row.mode == "single" else len(seatings_of(row.seatings))
            for _, group in itertools.groupby(self._connection.execute(query), key=lambda game: game.set_number):
                of_set = list(group)
                yield from (_game_line(row, game, whole=len(of_set) == size) for game in of_set)

    def _attempts(self) -> Iterator[Line]:
        for row in self._match_rows():
            query = select(attempts).where(attempts.c.match_id == row.id).order_by(attempts.c.id)
            for attempt in self._connection.execute(query).all():
                yield {
                    "label": row.label,
                    "n": row.n,
                    **_plain(attempts, attempt, {"token"}),
                    "voids": self._of_attempt(attempt_voids, attempt.id, "cause"),
                    "logs": self._of_attempt(bot_logs, attempt.id, "id"),
                    "fault_logs": self._of_attempt(fault_logs, attempt.id, "id"),
                }

    def _of_attempt(self, table: Table, attempt: int, order: str) -> list[Line]:
        query: Select[Any] = select(table).where(table.c.attempt_id == attempt).order_by(order)
        return [_plain(table, row) for row in self._connection.execute(query)]


def _game_line(match: Row[Any], game: Row[Any], *, whole: bool) -> Line:
    """Return a game's line; its moves are in the match's record if its set is whole, else here."""
    times = None if game.times is None else json.loads(game.times)
    line = {"label": match.label, "n": match.n, "set": game.set_number, "seating": game.seating, "dealer": game.dealer}
    line |= {"stored_at": game.stored_at, "times": times}
    return line if whole else {**line, "record": json.loads(game.record)}


class _Load:
    """Reads one league's parts into a store, within one transaction."""

    def __init__(self, connection: Connection, backup: Backup, name: str | None, now: float) -> None:
        self._connection = connection
        self._backup = backup
        self._now = now
        self._line: dict[str, Any] = next(backup.lines("league.jsonl"))
        self._old = str(self._line["name"])
        self.name = name or self._old
        self._versions: dict[tuple[str, int], int] = {}
        self._variants: dict[str, int] = {}
        self._matches: dict[tuple[str, int], tuple[int, Line]] = {}

    def read(self) -> None:
        """Read every part, in the order in which they rest on each other."""
        self._refuse_unknown()
        known = {part.name for part in self._backup.parts}
        for extra in EXTRAS:
            if extra.name in known:
                extra.load(self._connection, self._backup.lines(extra.name))
        for line in self._lines("bots"):
            self._bot(line)
        self._league()
        for line in self._lines("rounds"):
            self._insert(league_rounds, line, {"league_variant_id": self._variants[line["label"]]})
        for line in self._lines("matches"):
            self._match(line)
        self._games()
        for line in self._lines("attempts"):
            self._attempt(line)

    def _lines(self, part: str) -> Iterator[Line]:
        return self._backup.lines(f"{part}.jsonl")

    def _refuse_unknown(self) -> None:
        names = ("league", "variants", "bots", "members", "rounds", "matches", "games", "attempts")
        known = {*(f"{name}.jsonl" for name in names), *(extra.name for extra in EXTRAS)}
        for part in self._backup.parts:
            if part.name not in known and not part.name.startswith(RECORDS):
                raise BadBackup(f"{self._backup.path}: it holds {part.name}, which a newer release wrote: upgrade the program")

    def _insert(self, table: Table, line: Line, more: Line) -> Any:  # noqa: ANN401 -- a row's key, as the table has it
        """Insert the columns of a table that a line has, and more; returns the new row's id if the table has ids."""
        row = {c.name: line[c.name] for c in table.c if c.name in line and not c.foreign_keys and c.name != "id"} | more
        if "id" not in table.c:
            self._connection.execute(insert(self._connection, table).values(row))
            return None
        return self._connection.execute(insert(self._connection, table).values(row).returning(table.c.id)).scalar_one()

    def _bot(self, line: Line) -> None:
        """Add a bot version unless the same is there."""
        name, version = str(line["bot"]), int(line["version"])
        find = select(bots.c.id).where(bots.c.name == name)
        bot_id = self._connection.execute(find).scalar()
        if bot_id is None:
            bot_id = self._insert(bots, {}, {"name": check_name(name, "bot"), "removed_at": line["removed_at"]})
        this = (bot_versions.c.bot_id == bot_id) & (bot_versions.c.version == version)
        there = self._connection.execute(select(bot_versions).where(this)).one_or_none()
        if there is not None:
            self._check_same(there, line)
            self._versions[name, version] = there.id
            return
        made = self._versions[name, version] = self._insert(bot_versions, line, {"bot_id": bot_id})
        for token in line["tokens"]:
            taken = self._connection.execute(select(bot_tokens).where(bot_tokens.c.sha256 == token["sha256"])).first()
            if taken is not None:
                raise AlreadyExists(f"another bot here has a token of {name} v{version}")
            self._insert(bot_tokens, token, {"bot_version_id": made})

    def _check_same(self, there: Row[Any], line: Line) -> None:
        mine = {token["sha256"] for token in line["tokens"]}
        query = select(bot_tokens.c.sha256).where(bot_tokens.c.bot_version_id == there.id)
        here = set(self._connection.execute(query).scalars())
        same = (there.run, there.cwd) == (line["run"], line["cwd"]) and bool(mine & here or not mine | here)
        if not same:
            what = "is another remote bot" if there.run is None and line["run"] is None else f"runs {_command(there.run)}"
            raise AlreadyExists(
                f"{line['bot']} v{line['version']} {what} here, in the backup {_command(line['run'])}: restore into another store"
            )

    def _league(self) -> None:
        more = {"name": self.name, "key": bytes.fromhex(self._line["key"]), "origin": self._origin(), **self._season()}
        if self._connection.execute(select(leagues.c.id).where(leagues.c.name == self.name)).scalar() is not None:
            raise AlreadyExists(f"there is a league {self.name!r} already; restore it under another name")
        self._id = self._insert(leagues, self._line, more)
        lock_league(self._connection, self.name)
        for line in self._lines("variants"):
            self._variants[str(line["label"])] = self._insert(league_variants, line, {"league_id": self._id})
        for line in self._lines("members"):
            version = self._version([line["bot"], line["version"]])
            self._insert(league_bots, line, {"league_id": self._id, "bot_version_id": version})

    def _origin(self) -> str | None:
        origin = self._line["origin"] or self._old
        return None if origin == self.name else str(origin)

    def _season(self) -> dict[str, object]:
        """The series that it was a season of, if there is one here that lacks this season."""
        found = self._connection.execute(select(series.c.id).where(series.c.name == self._line["series"])).scalar()
        this = (leagues.c.series_id == found) & (leagues.c.season == self._line["season"])
        if found is None or self._connection.execute(select(leagues.c.id).where(this)).scalar() is not None:
            return {"season": None}
        return {"series_id": found}

    def _version(self, seat: Any) -> int:  # noqa: ANN401 -- parsed JSON
        return self._versions[str(seat[0]), int(seat[1])]

    def _match(self, line: Line) -> None:
        label, n = str(line["label"]), int(line["n"])
        owners = {"league_id": self._id, "league_variant_id": self._variants[label]}
        made = self._insert(matches, line, {"name": f"{self.name}/{label}/{n}", **owners})
        self._matches[label, n] = made, line
        for position, seat in enumerate(line["lineup"]):
            self._insert(match_bots, {}, {"match_id": made, "position": position, "bot_version_id": self._version(seat)})

    def _games(self) -> None:
        counts: Counter[tuple[str, int]] = Counter()
        for place, group in itertools.groupby(self._lines("games"), key=lambda line: (str(line["label"]), int(line["n"]))):
            counts[place] += self._games_of(place, list(group))
        for place, (_, line) in self._matches.items():
            if counts[place] != line["games_done"]:
                raise BadBackup(
                    f"{self._backup.path}: match {place[1]} of {place[0]} has {counts[place]} games, not {line['games_done']}"
                )

    def _games_of(self, place: tuple[str, int], lines: list[Line]) -> int:
        match_id, match = self._matches[place]
        seatings = seatings_of(str(match["seatings"]))
        moves = self._moves(place) if match["sets_done"] else {}
        rows, records = [], []
        for line in lines:
            number, position = int(line["set"]), int(line["seating"])
            body = line.get("record") or moves[number, seatings[position]]
            key = {"match_id": match_id, "set_number": number, "seating": position}
            rows.append(key | game_row(body, int(line["dealer"]), line["stored_at"]))
            times = None if line["times"] is None else canonical(line["times"])
            records.append({**key, "record": canonical(body), "times": times})
        for start in range(0, len(rows), _BATCH):
            self._connection.execute(insert(self._connection, games), rows[start : start + _BATCH])
            self._connection.execute(insert(self._connection, game_records), records[start : start + _BATCH])
        return len(rows)

    def _moves(self, place: tuple[str, int]) -> dict[tuple[int, tuple[int, ...]], Line]:
        """The games in a match's record, by set and seating."""
        name = record_name(f"{self._line['origin'] or self._old}/{place[0]}/{place[1]}")
        sets = [line for line in self._backup.lines(f"{RECORDS}{name}") if "set" in line]
        return {(line["set"], tuple(game["seating"])): game for line in sets for game in line["games"]}

    def _attempt(self, line: Line) -> None:
        match_id, _ = self._matches[str(line["label"]), int(line["n"])]
        more: dict[str, object] = {"match_id": match_id, "token": secrets.token_hex(16)}
        if line["ended_at"] is None:
            more |= {"ended_at": self._now, **_LOST}
        made = self._insert(attempts, line, more)
        for table, name in ((attempt_voids, "voids"), (bot_logs, "logs"), (fault_logs, "fault_logs")):
            for entry in line.get(name, ()):
                self._insert(table, entry, {"attempt_id": made})


def _command(run: object) -> str:
    return "it dials in" if run is None else repr(run)
