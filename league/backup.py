"""A league as one file: everything that a store knows of it, so that another store can go on with it.

The file is a ZIP archive, the same bytes for the same contents. ``manifest.json`` in it names every other part with its
SHA-256. The parts are tables as JSON Lines, and match records as ``arena league export`` writes them, under ``records/``:
what a complete match consists of stands in its record and nowhere else. Nobody needs an arena to read or to verify it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from league.canonical import canonical
from league.errors import BadBackup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import IO

    from league.model import Json

FORMAT = "euchre-arena-backup/1"
MANIFEST = "manifest.json"
RECORDS = "records/"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a ZIP file knows; when it was written is no part of a backup
_CHUNK = 1 << 20


class Writer:
    """Writes the parts of a backup, one after another, each line by line, and last the manifest."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._parts: dict[str, Json] = {}

    def part(self, name: str, lines: Iterable[Any]) -> int:
        """Write a part of JSON Lines and return how many there were; empty parts are written too."""
        digest, count = hashlib.sha256(), 0
        with self._archive.open(_info(name), "w") as file:
            for line in lines:
                raw = f"{canonical(line)}\n".encode()
                digest.update(raw)
                file.write(raw)
                count += 1
        self._parts[name] = {"lines": count, "sha256": digest.hexdigest()}
        return count

    def manifest(self, head: Json) -> None:
        """Write the manifest, after all other parts."""
        body = {"backup": FORMAT, **head, "parts": dict(sorted(self._parts.items()))}
        self._archive.writestr(_info(MANIFEST), json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    # Records are nearly all of it: a third less than deflated ones. Backups from before had these too, and are read as well.
    info.compress_type = zipfile.ZIP_BZIP2 if name.startswith(RECORDS) else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    info.create_system = 3  # the same file whatever system writes it
    return info


@contextmanager
def writing(path: Path, *, private: bool) -> Iterator[Writer]:
    """Open a backup that takes the place of ``path`` when the block ends, and vanishes if it fails.

    Args:
        path: Where it goes.
        private: Whether it is for its owner only from the first byte on.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                yield Writer(archive)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@dataclass(frozen=True)
class Part:
    """One part of a backup by the manifest."""

    name: str
    lines: int
    sha256: str


class Backup:
    """A backup that is read, whole and undamaged: every part is checked against the manifest when it is opened.

    Args:
        path: The file.

    Raises:
        BadBackup: It is no backup, of a format that is not known, or damaged; names the part.
        OSError: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(path)
        except zipfile.BadZipFile as error:
            raise BadBackup(f"{path}: no backup of a league, or cut short ({error})") from None
        try:
            self.manifest = self._read_manifest()
            self.parts = self._list()
            for part in self.parts:
                self._check(part)
        except BaseException:
            self._archive.close()
            raise

    def _read_manifest(self) -> dict[str, Any]:
        try:
            manifest = json.loads(self._archive.read(MANIFEST))
        except KeyError:
            raise BadBackup(f"{self.path}: no backup of a league: it has no {MANIFEST}") from None
        except (ValueError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise BadBackup(f"{self.path}: {MANIFEST} is damaged ({error})") from None
        if not isinstance(manifest, dict) or manifest.get("backup") != FORMAT:
            found = manifest.get("backup") if isinstance(manifest, dict) else None
            raise BadBackup(f"{self.path}: a backup of format {found!r}; this release reads {FORMAT!r}")
        return manifest

    def _list(self) -> tuple[Part, ...]:
        try:
            parts = tuple(Part(name, int(entry["lines"]), str(entry["sha256"])) for name, entry in self.manifest["parts"].items())
            self.manifest["league"]["name"]
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadBackup(f"{self.path}: {MANIFEST} is damaged (it does not list the parts)") from None
        there = sorted(self._archive.namelist())
        wanted = sorted([MANIFEST, *(part.name for part in parts)])
        if there != wanted:
            missing, extra = sorted(set(wanted) - set(there)), sorted(set(there) - set(wanted))
            what = (
                f"lacks {missing[0]}"
                if missing
                else f"has {extra[0]}, of which the manifest knows nothing"
                if extra
                else "has a part twice"
            )
            raise BadBackup(f"{self.path}: damaged: it {what}")
        return parts

    def _check(self, part: Part) -> None:
        digest = hashlib.sha256()
        try:
            with self._archive.open(part.name) as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise BadBackup(f"{self.path}: {part.name} is damaged ({error})") from None
        if digest.hexdigest() != part.sha256:
            raise BadBackup(f"{self.path}: {part.name} is damaged (its SHA-256 is not the manifest's)")

    def lines(self, name: str) -> Iterator[Any]:
        """Yield the lines of a part, parsed; BadBackup where the part is missing or a line makes no sense."""
        if name not in {part.name for part in self.parts}:
            raise BadBackup(f"{self.path}: it lacks {name}")
        with self._archive.open(name) as file:
            yield from _parsed(file, f"{self.path}: {name}")

    def records(self) -> Iterator[tuple[str, list[Json]]]:
        """Yield the name and the lines of every match record."""
        for part in self.parts:
            if part.name.startswith(RECORDS):
                yield part.name, list(self.lines(part.name))

    def check_keys(self) -> None:
        """Check that the league's key is the one committed to, and every match's key in a record follows from it.

        BadBackup names what does not.
        """
        row = next(self.lines("league.jsonl"))
        key = bytes.fromhex(row["key"])
        if hashlib.sha256(key).hexdigest() != row["commitment"]:
            raise BadBackup(f"{self.path}: the league's key is not the one that was committed to")
        for name, lines in self.records():
            wanted = hmac.digest(key, str(lines[0].get("match")).encode(), hashlib.sha256).hex()
            if lines[-1].get("key", wanted) != wanted:
                raise BadBackup(f"{self.path}: {name}: its key does not follow from the league's")

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def __enter__(self) -> Backup:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _parsed(file: IO[bytes], where: str) -> Iterator[Any]:
    for number, raw in enumerate(file, 1):
        try:
            yield json.loads(raw)
        except ValueError as error:
            raise BadBackup(f"{where}: line {number} is no JSON ({error})") from None


def is_backup(path: Path) -> bool:
    """Whether a file begins as a ZIP archive does, which no record of a match does; OSError if it cannot be read."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"
