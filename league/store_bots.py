"""The store's bots, their versions and the tokens of remote ones."""

from __future__ import annotations

import hashlib
import json
import secrets
import shlex
import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from league.database import Database, insert
from league.errors import BadSpec, NotFound
from league.model import Bot, BotVersion, NewTokens
from league.names import check_name
from league.tables import bot_tokens, bot_versions, bots, owners, submissions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Connection, Row, Select

OWN, PARTNER = 0, 1


def token_hash(token: str) -> str:
    """Return what the store keeps of a token: its SHA-256, hex."""
    return hashlib.sha256(token.encode()).hexdigest()


def load_versions(connection: Connection, where: ColumnElement[bool]) -> dict[int, BotVersion]:
    """Return the bot versions that satisfy ``where``, by row id, in the order of name and version."""
    rows = connection.execute(
        select(bots.c.name, bot_versions, submissions.c.state)
        .join_from(bots, bot_versions)
        .join(submissions, submissions.c.bot_version_id == bot_versions.c.id, isouter=True)
        .where(where)
        .order_by(bots.c.name, "version")
    ).all()
    tokens = _live_tokens(connection, [row.id for row in rows if row.run is None])
    return {row.id: _version(row, tokens.get(row.id, ())) for row in rows}


def _version(row: Row[tuple[object, ...]], tokens: tuple[str, ...]) -> BotVersion:
    return BotVersion(
        bot=row.name,
        version=row.version,
        run=row.run,
        cwd=row.cwd,
        tokens=tokens,
        created_at=row.created_at,
        tree=row.tree,
        variants=None if row.variants is None else tuple(json.loads(row.variants)),
        description=row.description or "",
        state=row.state,
    )


def _live_tokens(connection: Connection, versions: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Return the token hashes (own, partner's) of each of these version ids whose tokens are not revoked."""
    found: dict[int, tuple[str, ...]] = {}
    query = (
        select(bot_tokens.c.bot_version_id, bot_tokens.c.sha256)
        .where(bot_tokens.c.bot_version_id.in_(list(versions)), bot_tokens.c.revoked_at.is_(None))
        .order_by(bot_tokens.c.role)
    )
    for version, sha256 in connection.execute(query):
        found[version] = (*found.get(version, ()), sha256)
    return found


def find_bot(connection: Connection, name: str) -> int:
    """Return the row id of the bot of this name, removed or not; NotFound lists those there are."""
    found = connection.execute(select(bots.c.id).where(bots.c.name == name)).scalar()
    if found is None:
        known = connection.execute(select(bots.c.name).where(bots.c.removed_at.is_(None)).order_by(bots.c.name))
        raise NotFound(f"no bot {name!r} (there are: {', '.join(known.scalars()) or 'none'})")
    return int(found)


def _bot_rows() -> Select[Any]:
    columns = (bots.c.name, bots.c.removed_at, bots.c.promoted, owners.c.name.label("owner"))
    return select(*columns).join_from(bots, owners, isouter=True)


def _bot(row: Row[Any], versions: Iterable[BotVersion]) -> Bot:
    return Bot(row.name, tuple(versions), row.removed_at, row.owner, row.promoted)


def _touch(connection: Connection, name: str) -> int:
    """Return the row id of the organiser's bot of this name, made or brought back if need be."""
    connection.execute(insert(connection, bots).values(name=name).on_conflict_do_nothing())
    owner = connection.execute(select(owners.c.name).join_from(bots, owners).where(bots.c.name == name)).scalar()
    if owner is not None:
        raise BadSpec(f"bot {name!r} belongs to owner {owner!r}, who submits its versions; add yours under another name")
    connection.execute(update(bots).where(bots.c.name == name).values(removed_at=None))
    return find_bot(connection, name)


def latest_version(connection: Connection, bot_id: int) -> tuple[int, BotVersion] | None:
    """Return a bot's newest version with its row id; None where it has none."""
    newest = select(func.max(bot_versions.c.version)).where(bot_versions.c.bot_id == bot_id).scalar_subquery()
    found = load_versions(connection, (bot_versions.c.bot_id == bot_id) & (bot_versions.c.version == newest))
    return next(iter(found.items()), None)


def add_version(connection: Connection, bot_id: int, run: str | None, cwd: str | None, now: float, **hosted: object) -> int:
    """Insert a bot's next version and return its row id; ``hosted`` are the further columns of an owner's bot."""
    latest = latest_version(connection, bot_id)
    number = latest[1].version + 1 if latest else 1
    made = connection.execute(
        insert(connection, bot_versions)
        .values(bot_id=bot_id, version=number, run=run, cwd=cwd, created_at=now, **hosted)
        .returning(bot_versions.c.id)
    )
    return int(made.scalar_one())


def _make_tokens(connection: Connection, version_id: int, now: float) -> NewTokens:
    tokens = NewTokens(own=secrets.token_urlsafe(32), partner=secrets.token_urlsafe(32))
    rows = [
        {"sha256": token_hash(token), "bot_version_id": version_id, "role": role, "created_at": now}
        for role, token in ((OWN, tokens.own), (PARTNER, tokens.partner))
    ]
    connection.execute(insert(connection, bot_tokens).values(rows))
    return tokens


def _revoke(connection: Connection, versions: Iterable[int], now: float) -> int:
    live = bot_tokens.c.bot_version_id.in_(list(versions)) & bot_tokens.c.revoked_at.is_(None)
    return connection.execute(update(bot_tokens).where(live).values(revoked_at=now)).rowcount


class BotStore(Database):
    """What the store knows of bots."""

    def add_bot(self, name: str, run: str, cwd: str | None = None, now: float | None = None) -> BotVersion:
        """Add a local bot, or a version of one; the latest version's own command again adds nothing.

        Args:
            name: 1 to 32 of ``a-z 0-9 _ -``. A bot of this name that was removed comes back.
            run: Command line (shell words).
            cwd: Folder in which it is run; None: wherever the worker is.
            now: Time to stamp it with; the present by default.

        Raises:
            BadName: The name breaks the rule.
            BadSpec: The command is empty or its quotes are not closed.
        """
        check_name(name, "bot")
        _check_command(run)
        stamp = time.time() if now is None else now
        with self._write() as connection:
            bot_id = _touch(connection, name)
            latest = latest_version(connection, bot_id)
            if latest and (latest[1].run, latest[1].cwd) == (run, cwd):
                return latest[1]
            made = add_version(connection, bot_id, run, cwd, stamp)
            return load_versions(connection, bot_versions.c.id == made)[made]

    def add_remote_bot(self, name: str, now: float | None = None) -> tuple[BotVersion, NewTokens]:
        """Add a remote bot, or its next version, and draw its two tokens: they are never to be had again.

        Tokens of older versions stay good until they are revoked, for the matches that name those versions.
        BadName if the name breaks the rule.
        """
        check_name(name, "bot")
        stamp = time.time() if now is None else now
        with self._write() as connection:
            made = add_version(connection, _touch(connection, name), None, None, stamp)
            tokens = _make_tokens(connection, made, stamp)
            return load_versions(connection, bot_versions.c.id == made)[made], tokens

    def renew_tokens(self, name: str, now: float | None = None) -> NewTokens:
        """Revoke the tokens of a remote bot's latest version and draw new ones.

        Raises:
            NotFound: There is no such bot.
            BadSpec: Its latest version is local.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            latest = latest_version(connection, find_bot(connection, name))
            if latest is None or not latest[1].remote:
                raise BadSpec(f"bot {name!r} is local: it needs no token")
            _revoke(connection, [latest[0]], stamp)
            return _make_tokens(connection, latest[0], stamp)

    def revoke_tokens(self, name: str, now: float | None = None) -> int:
        """Revoke every token of every version of a bot and return how many there were; NotFound if no such bot."""
        stamp = time.time() if now is None else now
        with self._write() as connection:
            bot_id = find_bot(connection, name)
            versions = connection.execute(select(bot_versions.c.id).where(bot_versions.c.bot_id == bot_id)).scalars()
            return _revoke(connection, versions.all(), stamp)

    def token_hashes(self) -> dict[str, str]:
        """Return the bot's name for the SHA-256 (hex) of every token that is neither revoked nor of a removed bot."""
        query = (
            select(bot_tokens.c.sha256, bots.c.name)
            .join_from(bot_tokens, bot_versions)
            .join(bots)
            .where(bot_tokens.c.revoked_at.is_(None), bots.c.removed_at.is_(None))
            .order_by(bots.c.name, bot_tokens.c.sha256)
        )
        with self._read() as connection:
            return {row.sha256: row.name for row in connection.execute(query)}

    def bots(self, *, removed: bool = False) -> list[Bot]:
        """Return the bots by name; with ``removed``, those too that were removed."""
        with self._read() as connection:
            query = _bot_rows().order_by(bots.c.name)
            rows = connection.execute(query if removed else query.where(bots.c.removed_at.is_(None))).all()
            versions: dict[str, list[BotVersion]] = {}
            for version in load_versions(connection, bots.c.name.in_([row.name for row in rows])).values():
                versions.setdefault(version.bot, []).append(version)
        return [_bot(row, versions[row.name]) for row in rows]

    def bot(self, name: str) -> Bot:
        """Return one bot, removed or not; NotFound lists the bots there are."""
        with self._read() as connection:
            row = connection.execute(_bot_rows().where(bots.c.id == find_bot(connection, name))).one()
            return _bot(row, load_versions(connection, bots.c.name == name).values())

    def remove_bot(self, name: str, now: float | None = None) -> None:
        """Take a bot out of every league made from now on; its matches, results and versions stay.

        NotFound if there is no such bot; removing it twice is no error and keeps the first time.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            this = (bots.c.id == find_bot(connection, name)) & bots.c.removed_at.is_(None)
            connection.execute(update(bots).where(this).values(removed_at=stamp))


def _check_command(run: str) -> None:
    try:
        words = shlex.split(run)
    except ValueError as error:
        raise BadSpec(f"the command {run!r} cannot be split into words: {error}") from None
    if not words:
        raise BadSpec("a bot's command may not be empty")
