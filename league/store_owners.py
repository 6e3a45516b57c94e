"""The store's owners and their keys."""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from league.database import Database, insert
from league.errors import AlreadyExists, BadSpec, NotFound
from league.model import Owner, OwnerKey
from league.names import check_name
from league.tables import bots, owner_keys, owners
from league.tables import secrets as secret_values

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row, Select

MOST_BOTS = 5
"""Bots of an owner, unless said otherwise."""
MOST_HOURLY = 10
"""Submissions of an owner within an hour, unless said otherwise."""
_KNOWN_FOR = 60.0
"""Seconds for which a key's last use need not be written again."""


def key_hash(key: str) -> str:
    """Return what the store keeps of a key: its SHA-256, hex."""
    return hashlib.sha256(key.encode()).hexdigest()


def find_owner(connection: Connection, name: str, *, removed: bool = False) -> Row[Any]:
    """Return the row of the owner of this name; NotFound lists those there are."""
    here = select(owners.c.name).where(owners.c.removed_at.is_(None)).order_by(owners.c.name)
    row = connection.execute(select(owners).where(owners.c.name == name)).one_or_none()
    if row is None or (row.removed_at is not None and not removed):
        raise NotFound(f"no owner {name!r} (there are: {', '.join(connection.execute(here).scalars()) or 'none'})")
    return row


class OwnerStore(Database):
    """What the store knows of owners."""

    def add_owner(self, name: str, most_bots: int = MOST_BOTS, most_hourly: int = MOST_HOURLY, now: float | None = None) -> str:
        """Add an owner and return the first key, in the clear, this once.

        Raises:
            BadName: The name breaks the rule.
            BadSpec: A limit is below 1.
            AlreadyExists: There is, or was, an owner of this name.
        """
        check_name(name, "owner")
        _check_limits(most_bots, most_hourly)
        stamp = time.time() if now is None else now
        row = {"name": name, "most_bots": most_bots, "most_hourly": most_hourly, "created_at": stamp}
        with self._write() as connection:
            made = connection.execute(
                insert(connection, owners).values(row).on_conflict_do_nothing(index_elements=["name"]).returning(owners.c.id)
            ).scalar()
            if made is None:
                raise AlreadyExists(f"there is, or was, an owner {name!r} (for another key: arena owner key add {name})")
            return _add_key(connection, made, "", stamp)

    def limit_owner(self, name: str, most_bots: int | None = None, most_hourly: int | None = None) -> Owner:
        """Change the limits of an owner; None leaves one as it is. NotFound if there is none, BadSpec if one is below 1."""
        _check_limits(1 if most_bots is None else most_bots, 1 if most_hourly is None else most_hourly)
        given = {"most_bots": most_bots, "most_hourly": most_hourly}
        wanted = {key: value for key, value in given.items() if value is not None}
        with self._write() as connection:
            row = find_owner(connection, name)
            if wanted:
                connection.execute(update(owners).where(owners.c.id == row.id).values(wanted))
            return _owners(connection, select(owners).where(owners.c.id == row.id))[0]

    def remove_owner(self, name: str, now: float | None = None) -> list[str]:
        """Take an owner out: the keys are void, the bots take part in no new league. Returns the names of the bots."""
        stamp = time.time() if now is None else now
        with self._write() as connection:
            row = find_owner(connection, name)
            connection.execute(update(owners).where(owners.c.id == row.id).values(removed_at=stamp))
            live = (owner_keys.c.owner_id == row.id) & owner_keys.c.revoked_at.is_(None)
            connection.execute(update(owner_keys).where(live).values(revoked_at=stamp))
            theirs = (bots.c.owner_id == row.id) & bots.c.removed_at.is_(None)
            names = list(connection.execute(select(bots.c.name).where(theirs).order_by(bots.c.name)).scalars())
            connection.execute(update(bots).where(theirs).values(removed_at=stamp))
            return names

    def owners(self, *, removed: bool = False) -> list[Owner]:
        """Return the owners by name; with ``removed``, those too that were removed."""
        query = select(owners).order_by(owners.c.name)
        with self._read() as connection:
            return _owners(connection, query if removed else query.where(owners.c.removed_at.is_(None)))

    def owner(self, name: str) -> Owner:
        """Return one owner, removed or not; NotFound lists those there are."""
        with self._read() as connection:
            row = find_owner(connection, name, removed=True)
            return _owners(connection, select(owners).where(owners.c.id == row.id))[0]

    # ---- keys ---------------------------------------------------------------------------------------------------------

    def add_key(self, owner: str, label: str = "", now: float | None = None) -> str:
        """Draw a further key for an owner and return it, in the clear, this once. NotFound if there is no such owner."""
        stamp = time.time() if now is None else now
        with self._write() as connection:
            return _add_key(connection, find_owner(connection, owner).id, label, stamp)

    def keys(self, owner: str) -> list[OwnerKey]:
        """Return the keys of an owner, the oldest first, revoked ones too; NotFound if there is no such owner."""
        with self._read() as connection:
            row = find_owner(connection, owner, removed=True)
            query = select(owner_keys).where(owner_keys.c.owner_id == row.id).order_by(owner_keys.c.id)
            return [_key(found, owner) for found in connection.execute(query)]

    def revoke_key(self, owner: str, prefix: str, now: float | None = None) -> OwnerKey:
        """Revoke the key of an owner that begins so; twice is no error and keeps the first time. NotFound lists the keys."""
        stamp = time.time() if now is None else now
        with self._write() as connection:
            row = find_owner(connection, owner, removed=True)
            own = owner_keys.c.owner_id == row.id
            found = connection.execute(select(owner_keys.c.prefix).where(own).order_by(owner_keys.c.id)).scalars().all()
            if prefix not in found:
                raise NotFound(f"owner {owner!r} has no key {prefix!r} (there are: {', '.join(found) or 'none'})")
            this = own & (owner_keys.c.prefix == prefix)
            connection.execute(update(owner_keys).where(this, owner_keys.c.revoked_at.is_(None)).values(revoked_at=stamp))
            return _key(connection.execute(select(owner_keys).where(this)).one(), owner)

    def key_owner(self, key: str, now: float | None = None) -> OwnerKey | None:
        """Return whose key this is, and note its use; None if it is unknown or revoked, or its owner was removed."""
        return self._live_key(owner_keys.c.sha256 == key_hash(key), now)

    def live_key(self, key_id: int, now: float | None = None) -> OwnerKey | None:
        """Return the key with this id if it is still good, and note its use: for whoever has shown it before."""
        return self._live_key(owner_keys.c.id == key_id, now)

    def secret(self, name: str) -> bytes:
        """Return 32 secret bytes that are drawn when they are first asked for, and the same for every process of this store."""
        drawn = {"name": name, "value": secrets.token_bytes(32)}
        query = select(secret_values.c.value).where(secret_values.c.name == name)
        with self._read() as connection:
            found = connection.execute(query).scalar()
        if found is None:
            with self._write() as connection:
                connection.execute(insert(connection, secret_values).values(drawn).on_conflict_do_nothing())
                found = connection.execute(query).scalar_one()
        return bytes(found)

    def _live_key(self, which: Any, now: float | None) -> OwnerKey | None:  # noqa: ANN401 -- a SQL condition
        stamp = time.time() if now is None else now
        query = (
            select(owner_keys, owners.c.name)
            .join_from(owner_keys, owners)
            .where(which, owner_keys.c.revoked_at.is_(None), owners.c.removed_at.is_(None))
        )
        with self._read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        if row.used_at is None or stamp - row.used_at > _KNOWN_FOR:
            with self._write() as connection:
                connection.execute(update(owner_keys).where(owner_keys.c.id == row.id).values(used_at=stamp))
        return _key(row, row.name)


def _check_limits(most_bots: int, most_hourly: int) -> None:
    if most_bots < 1 or most_hourly < 1:
        raise BadSpec(f"an owner may have at least one bot and one submission an hour, not {most_bots} and {most_hourly}")


def _add_key(connection: Connection, owner_id: int, label: str, now: float) -> str:
    prefix = f"arena-{secrets.token_hex(4)}"
    key = f"{prefix}-{secrets.token_urlsafe(32)}"
    row = {"owner_id": owner_id, "prefix": prefix, "sha256": key_hash(key), "label": label, "created_at": now}
    connection.execute(insert(connection, owner_keys).values(row))
    return key


def _owners(connection: Connection, query: Select[Any]) -> list[Owner]:
    rows = connection.execute(query).all()
    pairs = connection.execute(
        select(bots.c.owner_id, bots.c.name)
        .where(bots.c.owner_id.in_([row.id for row in rows]), bots.c.removed_at.is_(None))
        .order_by(bots.c.name)
    ).all()
    return [
        Owner(
            row.name,
            row.most_bots,
            row.most_hourly,
            row.created_at,
            row.removed_at,
            tuple(pair.name for pair in pairs if pair.owner_id == row.id),
        )
        for row in rows
    ]


def _key(row: Row[Any], owner: str) -> OwnerKey:
    return OwnerKey(row.id, owner, row.prefix, row.label, row.created_at, row.used_at, row.revoked_at)
