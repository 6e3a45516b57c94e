"""The files of hosted bots, as a part of a league's backup."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from league.database import insert
from league.errors import BadBackup
from league.tables import blob_parts, blobs, bot_versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Connection


class Trees:
    """The trees of the league's bot versions: a line for each mebibyte, by tree and number, as base64 of its zlib stream."""

    name = "files.jsonl"

    def dump(self, connection: Connection, version_ids: Sequence[int]) -> Iterator[dict[str, Any]]:
        """Yield the parts of all trees that these bot versions are played from."""
        wanted = select(bot_versions.c.tree).where(bot_versions.c.id.in_(version_ids), bot_versions.c.tree.is_not(None))
        there = select(blobs).where(blobs.c.sha256.in_(wanted)).order_by(blobs.c.sha256)
        for blob in connection.execute(there).all():
            for number in range(blob.parts):
                this = (blob_parts.c.sha256 == blob.sha256) & (blob_parts.c.number == number)
                data = bytes(connection.execute(select(blob_parts.c.data).where(this)).scalar_one())
                text = base64.b64encode(data).decode()
                yield {"sha256": blob.sha256, "number": number, "parts": blob.parts, "created_at": blob.created_at, "data": text}

    def load(self, connection: Connection, lines: Iterable[dict[str, Any]]) -> None:
        """Store the trees that are not there yet.

        Raises:
            BadBackup: A tree's content does not have the SHA-256 that names it, or a part of it is missing.
        """
        digest, size = hashlib.sha256(), 0
        for line in lines:
            if line["number"] == 0:
                digest, size = hashlib.sha256(), 0
            data = _data(line)
            content = zlib.decompress(data)
            digest.update(content)
            size += len(content)
            values = {"sha256": line["sha256"], "number": line["number"], "data": data}
            connection.execute(insert(connection, blob_parts).values(values).on_conflict_do_nothing())
            if line["number"] == line["parts"] - 1:
                _finish(connection, line, digest.hexdigest(), size)


def _data(line: dict[str, Any]) -> bytes:
    try:
        return base64.b64decode(line["data"], validate=True)
    except binascii.Error:
        raise BadBackup(f"{Trees.name}: part {line['number']} of {line['sha256']} is no base64") from None


def _finish(connection: Connection, line: dict[str, Any], found: str, size: int) -> None:
    """Let a tree count, now that all its parts are there."""
    if found != line["sha256"]:
        raise BadBackup(f"{Trees.name}: the files named {line['sha256']} have the SHA-256 {found}")
    row = {"sha256": found, "size": size, "parts": line["parts"], "created_at": line["created_at"]}
    connection.execute(insert(connection, blobs).values(row).on_conflict_do_nothing())
