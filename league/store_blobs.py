"""The store's files: trees of hosted bots, named by the SHA-256 of their content, so that a worker on any host can have them."""

from __future__ import annotations

import hashlib
import time
import zlib
from typing import IO, TYPE_CHECKING

from sqlalchemy import delete, select, union, update

from league.database import Database, insert
from league.errors import NotFound
from league.tables import blob_parts, blobs, bot_versions, league_bots, submissions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import CompoundSelect

PART = 1 << 20
"""Bytes of content in one part."""


class BlobStore(Database):
    """What the store knows of files."""

    def add_blob(self, sha256: str, file: IO[bytes], now: float | None = None) -> None:
        """Store a file's content, unless it is there already.

        Each part is a transaction of its own, so that nobody else waits for a large file; it counts once all are in.

        Raises:
            ValueError: The content does not have this SHA-256; nothing is stored then.
        """
        stamp = time.time() if now is None else now
        if self._wanted_again(sha256, stamp):
            return
        file.seek(0)
        found = _sha256(file)
        if found != sha256:
            raise ValueError(f"the content has the SHA-256 {found}, not {sha256}")
        size, number = 0, 0
        file.seek(0)
        while part := file.read(PART):
            values = {"sha256": sha256, "number": number, "data": zlib.compress(part, 6)}
            with self._write() as connection:
                connection.execute(insert(connection, blob_parts).values(values).on_conflict_do_nothing())
            size, number = size + len(part), number + 1
        row = {"sha256": sha256, "size": size, "parts": number, "created_at": stamp}
        with self._write() as connection:
            connection.execute(insert(connection, blobs).values(row).on_conflict_do_nothing())

    def _wanted_again(self, sha256: str, now: float) -> bool:
        """Whether the store has this file; if so it is as good as new, so that nobody sweeps it away at this moment."""
        with self._write() as connection:
            there = blobs.c.sha256 == sha256
            return connection.execute(update(blobs).where(there).values(created_at=now)).rowcount == 1

    def sweep_blobs(self, before: float, *, only_look: bool = False) -> list[tuple[str, int]]:
        """Remove the files that can never be played: of versions that failed or were withdrawn before they were in any league.

        Files of any league's bots stay, so that what was played can be played again, and so do those handed in, and those of
        submissions that ended, since `before`.

        Args:
            before: Time, in seconds since 1970.
            only_look: Change nothing.

        Returns:
            The SHA-256 and the size in bytes of each that is removed, or would be.
        """
        needed = _needed(before).subquery()
        unused = (
            select(blobs.c.sha256, blobs.c.size)
            .where(blobs.c.created_at < before, blobs.c.sha256.not_in(select(needed.c.tree)))
            .order_by(blobs.c.sha256)
        )
        with self._read() if only_look else self._write() as connection:
            found = [(str(row.sha256), int(row.size)) for row in connection.execute(unused)]
            for name, _ in [] if only_look else found:  # one by one: a database takes only so many names in a statement
                connection.execute(delete(blobs).where(blobs.c.sha256 == name))
                connection.execute(delete(blob_parts).where(blob_parts.c.sha256 == name))
        return found

    def has_blob(self, sha256: str) -> bool:
        """Return whether the store has this file."""
        with self._read() as connection:
            return connection.execute(select(blobs.c.sha256).where(blobs.c.sha256 == sha256)).scalar() is not None

    def blob(self, sha256: str) -> Iterator[bytes]:
        """Yield the content of a file, part by part. NotFound if it is not there."""
        with self._read() as connection:
            parts = connection.execute(select(blobs.c.parts).where(blobs.c.sha256 == sha256)).scalar()
        if parts is None:
            raise NotFound(f"the store has no file with the SHA-256 {sha256}")
        for number in range(parts):
            query = select(blob_parts.c.data).where(blob_parts.c.sha256 == sha256, blob_parts.c.number == number)
            with self._read() as connection:
                data = connection.execute(query).scalar_one()
            yield zlib.decompress(data)


def _needed(before: float) -> CompoundSelect[tuple[str | None]]:
    """Every tree that somebody may still ask for."""
    over = submissions.c.state.in_(("failed", "withdrawn")) & (submissions.c.ended_at < before)
    submitted = select(submissions.c.tree).where(~over)
    built = select(submissions.c.built).where(~over, submissions.c.built.is_not(None))
    versions = select(bot_versions.c.tree).join(league_bots, league_bots.c.bot_version_id == bot_versions.c.id)
    return union(submitted, built, versions.where(bot_versions.c.tree.is_not(None)))


def _sha256(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while part := file.read(PART):
        digest.update(part)
    return digest.hexdigest()
