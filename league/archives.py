"""Archives of bots: hostile ones read safely, trees packed so that the same files always have the same name, and unpacked.

What comes in is a .tar.gz, a plain .tar or a .zip. What is kept is a *tree*: a tar archive of regular files alone, in the
order of their paths, with every owner, time and mode levelled out (a file is executable or it is not). Its SHA-256 names it.

The reader of tar archives is our own: a strict subset in one pass with a bound on every header. The one of the standard
library reads what a header promises into memory, and has had endless loops over headers with negative sizes. Nothing is
extracted while an archive is judged: contents go to one nameless file, whatever the archive calls them.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from league.errors import BadArchive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MANIFEST = "bot.toml"
IGNORED = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".DS_Store"}
)
"""Names that are left out where a folder is packed: they are of no use to a bot and change by themselves."""
_BLOCK = 512
_CHUNK = 1 << 16
_LONGEST_HEADER = 8192
"""Bytes of an extended header: room for any path allowed and whatever else tar programs write there."""
_LONGEST_PATH = 240
_LONGEST_NAME = 120
_DEEPEST = 24
_MOST_ENTRIES = 50_000
"""Entries of a zip archive's directory, those of archives within it counted too."""


@dataclass(frozen=True)
class Limits:
    """How large an archive and its tree may be, in bytes and files."""

    archive: int = 32 << 20
    unpacked: int = 128 << 20
    files: int = 4000


SUBMITTED = Limits()
"""What an owner may submit."""
BUILT = Limits(archive=1 << 40, unpacked=512 << 20, files=20_000)
"""What a build may make of it."""


@dataclass
class _File:
    start: int
    size: int
    executable: bool


@dataclass
class Draft:
    """A tree as it is read: its files' contents one after another in a nameless file, and where each of them is."""

    limits: Limits
    contents: IO[bytes]
    files: dict[str, _File] = field(default_factory=dict)
    size: int = 0
    _folded: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """Every path and folder so far by its folded name, and whether it is a folder."""

    def add(self, path: str, read: Callable[[int], bytes], *, executable: bool) -> None:
        """Take in one file; BadArchive as soon as it is one too many, or a byte too long."""
        self._check_new(path)
        if len(self.files) >= self.limits.files:
            raise BadArchive(f"more than {self.limits.files} files")
        start = self.size
        while chunk := read(_CHUNK):
            self.size += len(chunk)
            if self.size > self.limits.unpacked:
                raise BadArchive(f"more than {megabytes(self.limits.unpacked)} when unpacked")
            self.contents.write(chunk)
        self.files[path] = _File(start, self.size - start, executable)

    def _check_new(self, path: str) -> None:
        """No path twice, none that is a folder too, none that some file system takes for another."""
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            part = "/".join(parts[:end])
            folded = unicodedata.normalize("NFC", part).casefold()
            before = self._folded.setdefault(folded, (part, end < len(parts)))
            if before[0] != part:
                raise BadArchive(f"{shown(before[0])} and {shown(part)} are one and the same on some file systems")
            if before[1] != (end < len(parts)):
                raise BadArchive(f"{shown(part)} is both a file and a folder")
        if path in self.files:
            raise BadArchive(f"{shown(path)} is there twice")

    def read(self, path: str) -> bytes:
        """One file's content."""
        entry = self.files[path]
        self.contents.seek(entry.start)
        return self.contents.read(entry.size)

    def root(self) -> Draft:
        """The same without the one folder that holds everything, where the manifest is in that: a folder packed whole."""
        top = {path.partition("/")[0] for path in self.files}
        if MANIFEST in self.files or len(top) != 1 or f"{(name := top.pop())}/{MANIFEST}" not in self.files:
            return self
        moved = {path.removeprefix(f"{name}/"): entry for path, entry in self.files.items()}
        return Draft(self.limits, self.contents, moved, self.size)


@dataclass(frozen=True)
class Tree:
    """A tree, packed: an open nameless file, good as long as the block that made it lasts."""

    sha256: str
    file: IO[bytes]
    size: int
    """Bytes of all files together."""
    count: int
    """Number of files."""
    manifest: bytes | None
    """Content of its bot.toml, None where there is none."""


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / (1 << 20):.3g} MB" if size >= 1 << 20 else f"{size} bytes"


def shown(path: str) -> str:
    """A path for a message: quoted, nothing in it that a terminal would obey, not too long."""
    return ascii(path if len(path) <= 120 else path[:60] + "…" + path[-50:])


# ---- what comes in ----------------------------------------------------------------------------------------------------


@contextmanager
def received(file: IO[bytes], limits: Limits = SUBMITTED) -> Iterator[Tree]:
    """Read an archive (.tar.gz, .tar, .zip; told by its first bytes) from a seekable file.

    Raises:
        BadArchive: it is none of these, is damaged, or holds what no bot may: links, devices, absolute paths, `..`, paths
            twice or too long, too many files, too many bytes.
    """
    size = file.seek(0, os.SEEK_END)
    if size > limits.archive:
        raise BadArchive(f"the archive is {megabytes(size)} long (allowed: {megabytes(limits.archive)})")
    file.seek(0)
    with tempfile.TemporaryFile() as contents:
        draft = Draft(limits, contents)
        _fill(draft, file)
        if not draft.files:
            raise BadArchive("there is no file in the archive")
        with _packed(draft.root()) as tree:
            yield tree


def _fill(draft: Draft, file: IO[bytes]) -> None:
    start = file.read(_BLOCK)
    file.seek(0)
    if start[:2] == b"\x1f\x8b":
        _read_tar(draft, _Bounded(_gunzip(file), draft.limits))
    elif start[:4] in {b"PK\x03\x04", b"PK\x05\x06"}:
        _read_zip(draft, file)
    elif len(start) == _BLOCK and (start[257:262] == b"ustar" or not start.strip(b"\0")):
        _read_tar(draft, _Bounded(iter(lambda: file.read(_CHUNK), b""), draft.limits))
    else:
        raise BadArchive("this is no archive that can be read (allowed: .tar.gz, .tgz, .tar, .zip)")


def _gunzip(file: IO[bytes]) -> Iterator[bytes]:
    """The content of a gzip file, a bounded piece at a time."""
    engine = zlib.decompressobj(wbits=31)
    data = file.read(_CHUNK)
    try:
        while data:
            yield engine.decompress(data, _CHUNK)
            data = engine.unconsumed_tail or (b"" if engine.eof else file.read(_CHUNK))
    except zlib.error as error:
        raise BadArchive(f"the archive is damaged: {error}") from None
    if not engine.eof:
        raise BadArchive("the archive is cut off: its compressed data do not end")


class _Bounded:
    """Exact reads from a stream of pieces that may not be longer than any archive within the limits."""

    def __init__(self, pieces: Iterable[bytes], limits: Limits) -> None:
        self._pieces = iter(pieces)
        self._buffer = b""
        # contents, and for each file its header, the headers of a long path, and what fills its last block
        self._left = limits.unpacked + (limits.files + 64) * (4 * _BLOCK + _LONGEST_HEADER) + (1 << 20)
        self._most = limits.unpacked

    def some(self, most: int) -> bytes:
        """Up to so many bytes; empty only at the end."""
        while not self._buffer:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._buffer = piece
        found, self._buffer = self._buffer[:most], self._buffer[most:]
        self._left -= len(found)
        if self._left < 0:
            raise BadArchive(f"more than {megabytes(self._most)} when unpacked")
        return found

    def exactly(self, size: int) -> bytes:
        """So many bytes; BadArchive where the stream ends before."""
        parts = []
        while size:
            parts.append(self.some(size))
            if not parts[-1]:
                raise BadArchive("the archive is cut off")
            size -= len(parts[-1])
        return b"".join(parts)

    def file(self, size: int) -> Callable[[int], bytes]:
        """A reader of the next so many bytes."""
        left = size

        def read(most: int) -> bytes:
            nonlocal left
            if not left:
                return b""
            found = self.some(min(most, left))
            if not found:
                raise BadArchive("the archive is cut off within a file")
            left -= len(found)
            return found

        return read


# ---- tar --------------------------------------------------------------------------------------------------------------

_FOLDER, _PAX, _PAX_GLOBAL, _LONG_NAME, _LONG_LINK = b"5", b"x", b"g", b"L", b"K"
_KINDS = {
    b"1": "a hard link", b"2": "a symbolic link", b"3": "a device", b"4": "a device", b"6": "a named pipe",
    b"S": "a sparse file", b"D": "an incremental dump",
}  # fmt: skip


def _read_tar(draft: Draft, stream: _Bounded) -> None:
    """Take in a tar archive (ustar, GNU, pax)."""
    told: dict[str, str] = {}
    while (block := stream.exactly(_BLOCK)).strip(b"\0"):
        kind, size = block[156:157], _header_size(block)
        if kind in (_PAX, _PAX_GLOBAL, _LONG_NAME, _LONG_LINK):
            text = _extended(stream, size)
            told |= {"path": _text(text.rstrip(b"\0"))} if kind == _LONG_NAME else _pax(text) if kind == _PAX else {}
            continue
        path = told.get("path") or _header_path(block)
        if kind not in (b"0", b"\0", b"7", _FOLDER) or any(key.startswith("GNU.sparse") for key in told):
            raise BadArchive(f"{shown(path)} is {_KINDS.get(kind, 'no regular file')} (allowed: files and folders)")
        size = _number(told["size"].encode(), 10) if "size" in told else size
        told = {}
        clean = clean_path(path)
        if kind == _FOLDER or path.endswith("/"):
            _skip(stream, size)
        elif clean is None:
            raise BadArchive(f"{shown(path)} names no file")
        else:
            draft.add(clean, stream.file(size), executable=bool(_number(block[100:108], 8) & 0o111))
            _skip(stream, -size % _BLOCK)


def _skip(stream: _Bounded, size: int) -> None:
    read = stream.file(size)
    while read(_CHUNK):
        pass


def _header_size(block: bytes) -> int:
    """The size that a header states, after its checksum; BadArchive where it is no header."""
    stated = _number(block[148:156], 8)
    if stated != sum(block[:148]) + 8 * 0x20 + sum(block[156:]):
        raise BadArchive("the archive is damaged: a header's checksum is wrong")
    return _number(block[124:136], 8)


def _number(text: bytes, base: int) -> int:
    digits = text.strip(b" \0")
    if not digits:
        return 0
    if len(digits) > 15 or not digits.isdigit():
        raise BadArchive(f"the archive is damaged: {text[:20]!a} is no number")
    try:
        return int(digits, base)
    except ValueError:
        raise BadArchive(f"the archive is damaged: {text[:20]!a} is no number") from None


def _header_path(block: bytes) -> str:
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _extended(stream: _Bounded, size: int) -> bytes:
    if size > _LONGEST_HEADER:
        raise BadArchive(f"an extended header of {size} bytes (allowed: {_LONGEST_HEADER})")
    text = stream.exactly(size)
    stream.exactly(-size % _BLOCK)
    return text


def _pax(text: bytes) -> dict[str, str]:
    """The records of an extended header: each is its own length, a blank, `key=value` and a newline."""
    found = {}
    while text:
        digits, blank, _ = text[:12].partition(b" ")
        length = _number(digits, 10) if blank else 0
        record, text = text[:length], text[length:]
        key, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        if not equals or len(record) != length or record[-1:] != b"\n":
            raise BadArchive("the archive is damaged: an extended header cannot be read")
        found[_text(key)] = _text(value)
    return found


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise BadArchive(f"the name {raw[:60]!a} is not UTF-8") from None


# ---- zip --------------------------------------------------------------------------------------------------------------


def _read_zip(draft: Draft, file: IO[bytes]) -> None:
    """Take in a zip archive."""
    if _entries(file) > _MOST_ENTRIES:
        raise BadArchive(f"more than {_MOST_ENTRIES} entries")
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                _zip_entry(draft, archive, entry)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError, ValueError, OSError) as error:
        if isinstance(error, BadArchive):
            raise
        raise BadArchive(f"the archive is damaged: {error}") from None


def _entries(file: IO[bytes]) -> int:
    """How many entries the directory may have: counted before the library makes an object of each."""
    count, tail = 0, b""
    while chunk := file.read(1 << 20):
        count += (tail + chunk).count(b"PK\x01\x02")
        tail = chunk[-3:]
    file.seek(0)
    return count


def _zip_entry(draft: Draft, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    name = entry.orig_filename  # the library's `filename` is cut at a NUL and has its slashes turned
    if entry.flag_bits & 0x1:
        raise BadArchive(f"{shown(name)} is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadArchive(f"{shown(name)} is compressed in an unusual way (allowed: stored, deflate)")
    mode = entry.external_attr >> 16 if entry.create_system == 3 else 0
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        what = "a symbolic link" if stat.S_ISLNK(mode) else "no regular file"
        raise BadArchive(f"{shown(name)} is {what} (allowed: files and folders)")
    path = clean_path(name)
    if name.endswith("/") or stat.S_ISDIR(mode):
        return
    if path is None:
        raise BadArchive(f"{shown(name)} names no file")
    with archive.open(entry) as content:
        draft.add(path, content.read, executable=bool(mode & 0o111))


# ---- paths ------------------------------------------------------------------------------------------------------------


def clean_path(path: str) -> str | None:
    """A path below the tree's root, without `./` and doubled slashes; None for the root itself.

    Raises:
        BadArchive: it is absolute, goes up, is too long or too deep, or has characters that no path of a bot needs.
    """
    if path.startswith("/") or "\\" in path or path[1:2] == ":":
        raise BadArchive(f"{shown(path)} is not a path below the bot's folder (allowed: names with / between them)")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BadArchive(f"{shown(path)} leads out of the bot's folder")
    if not all(part.isprintable() for part in parts):
        raise BadArchive(f"{shown(path)} has a character that cannot be printed")
    sizes = [len(part.encode()) for part in parts]
    if sum(sizes) + len(sizes) - 1 > _LONGEST_PATH or len(parts) > _DEEPEST or max(sizes, default=0) > _LONGEST_NAME:
        raise BadArchive(
            f"{shown(path)} is too long (allowed: {_LONGEST_PATH} bytes, {_LONGEST_NAME} a name, {_DEEPEST} folders deep)"
        )
    return "/".join(parts) or None


# ---- what is kept -----------------------------------------------------------------------------------------------------


@contextmanager
def _packed(draft: Draft) -> Iterator[Tree]:
    """Write the tree's archive: the same files give the same bytes, on any machine and with any release of Python."""
    manifest = draft.read(MANIFEST) if MANIFEST in draft.files and draft.files[MANIFEST].size <= 1 << 16 else None
    with tempfile.TemporaryFile() as file:
        hashing = _Hashing(file)
        for path, entry in sorted(draft.files.items(), key=lambda item: item[0].encode()):
            _pack_file(hashing, path, entry, draft.contents)
        hashing.write(b"\0" * (2 * _BLOCK))
        file.seek(0)
        yield Tree(hashing.digest.hexdigest(), file, draft.size, len(draft.files), manifest)


class _Hashing:
    """Writes to a file and hashes what is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self.digest = hashlib.sha256()
        self._file = file

    def write(self, data: bytes) -> None:
        self.digest.update(data)
        self._file.write(data)


def _pack_file(target: _Hashing, path: str, entry: _File, contents: IO[bytes]) -> None:
    info = tarfile.TarInfo(path)
    info.size, info.mode = entry.size, 0o755 if entry.executable else 0o644
    target.write(info.tobuf(tarfile.GNU_FORMAT, "utf-8", "strict"))
    contents.seek(entry.start)
    left = entry.size
    while left:
        chunk = contents.read(min(_CHUNK, left))
        target.write(chunk)
        left -= len(chunk)
    target.write(b"\0" * (-entry.size % _BLOCK))


@contextmanager
def packed_folder(folder: Path, limits: Limits = SUBMITTED, *, follow: bool = False) -> Iterator[Tree]:
    """Pack a folder. Empty folders are left out, and the names of :data:`IGNORED` unless a build has made the folder.

    Args:
        folder: to pack.
        limits: of the tree.
        follow: after a build: links to files within the folder are replaced by copies, and nothing is ignored. Otherwise any
            link is refused.

    Raises:
        BadArchive: it is too large, or has what no bot may have (see :func:`received`).
        OSError: a file cannot be read.
    """
    with tempfile.TemporaryFile() as contents:
        draft = Draft(limits, contents)
        for path in _walk(folder, everything=follow):
            _add_local(draft, folder, path, follow=follow)
        if not draft.files:
            raise BadArchive(f"there is no file in {folder}")
        with _packed(draft) as tree:
            yield tree


def _walk(folder: Path, *, everything: bool) -> Iterator[Path]:
    """Every entry below a folder that is not a folder, in a fixed order; links are not followed."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if not everything and (entry.name in IGNORED or entry.name.endswith(".pyc")):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), everything=everything)
        else:
            yield Path(entry.path)


def _add_local(draft: Draft, folder: Path, path: Path, *, follow: bool) -> None:
    name = path.relative_to(folder).as_posix()
    try:
        clean = clean_path(name)
    except UnicodeEncodeError:
        raise BadArchive(f"the name {shown(name)} is not UTF-8") from None
    if path.is_symlink():
        path = _target(folder, path, name, follow=follow)
    # opened without following, and judged by what was opened: a build may still be changing its folder
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 -- by descriptor
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise BadArchive(f"{shown(name)} is no regular file (allowed: files and folders)")
        assert clean is not None
        draft.add(clean, file.read, executable=bool(facts.st_mode & 0o111))


def _target(folder: Path, path: Path, name: str, *, follow: bool) -> Path:
    """The file within the folder that a link leads to."""
    if not follow:
        raise BadArchive(f"{shown(name)} is a symbolic link (allowed: files and folders)")
    target = path.resolve()
    if not target.is_relative_to(folder.resolve()) or not target.is_file():
        raise BadArchive(f"the link {shown(name)} leads to {shown(str(path.readlink()))}, which is no file of the bot's own")
    return target


def unpack(pieces: Iterable[bytes], sha256: str, folder: Path) -> None:
    """Write a tree's files into a new folder, for reading and running only.

    Args:
        pieces: the tree's archive, piece by piece.
        sha256: its name.
        folder: to make; nothing is left of it where this raises.

    Raises:
        BadArchive: the archive is not what its name says.
        OSError: the files cannot be written.
    """
    digest = hashlib.sha256()

    def hashed() -> Iterator[bytes]:
        for piece in pieces:
            digest.update(piece)
            yield piece

    folder.mkdir()
    try:
        writing = _Writing(folder)
        stream = _Bounded(hashed(), BUILT)
        _read_tar(writing, stream)
        while stream.some(_CHUNK):
            pass
        if digest.hexdigest() != sha256:
            raise BadArchive(f"the stored tree {sha256} is damaged: its SHA-256 is {digest.hexdigest()}")
        writing.lock()
    except BaseException:
        remove(folder)
        raise


class _Writing(Draft):
    """A draft that puts each file in its place at once."""

    def __init__(self, folder: Path) -> None:
        super().__init__(BUILT, io.BytesIO())
        self._folder = folder

    def add(self, path: str, read: Callable[[int], bytes], *, executable: bool) -> None:
        self._check_new(path)
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o555 if executable else 0o444
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "wb") as file:  # noqa: PTH123
            while chunk := read(_CHUNK):
                file.write(chunk)
            os.fchmod(file.fileno(), mode)  # whatever the umask
            self.files[path] = _File(0, file.tell(), executable)

    def lock(self) -> None:
        """Take the right to write from every folder."""
        for folder, _, _ in os.walk(self._folder):
            Path(folder).chmod(0o555)


def remove(folder: Path) -> None:
    """Remove an unpacked tree, or what there is of one."""
    for inner, _, _ in os.walk(folder):
        Path(inner).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
