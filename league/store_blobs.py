"""The store's files: trees of hosted bots, named by the SHA-256 of their content, so that a worker on any host can have them."""

from __future__ import annotations

import hashlib
import time
import zlib
from typing import IO, TYPE_CHECKING

from sqlalchemy import select

from league.database import Database, insert
from league.errors import NotFound
from league.tables import blob_parts, blobs

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        if self.has_blob(sha256):
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
        row = {"sha256": sha256, "size": size, "parts": number, "created_at": time.time() if now is None else now}
        with self._write() as connection:
            connection.execute(insert(connection, blobs).values(row).on_conflict_do_nothing())

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


def _sha256(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while part := file.read(PART):
        digest.update(part)
    return digest.hexdigest()
