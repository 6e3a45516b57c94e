"""Archives of bots: the same files have the same name however they were packed, and no archive harms whoever reads it."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import struct
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league import archives
from league.archives import Limits
from league.errors import BadArchive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {"bot.toml": b'name = "ann"', "bot.py": b"print('hello')\n", "data/weights.bin": bytes(3000)}
SMALL = Limits(archive=1 << 20, unpacked=100_000, files=20)


def tar(files: dict[str, bytes], mode: str = "w:gz", form: int = tarfile.PAX_FORMAT) -> io.BytesIO:
    """A tar archive of these files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode, format=form) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.uname = len(content), 1234567, "somebody"
            archive.addfile(info, io.BytesIO(content))
    made.seek(0)
    return made


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    """A zip archive of these files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    made.seek(0)
    return made


def one(kind: bytes, name: str = "x", link: str = "", content: bytes = b"", **more: str) -> io.BytesIO:
    """A tar archive with one entry of a kind."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size, info.pax_headers = kind, link, len(content), more
        archive.addfile(info, io.BytesIO(content))
    made.seek(0)
    return made


def name_of(file: io.BytesIO, limits: Limits = archives.SUBMITTED) -> str:
    """What an archive's tree is called."""
    with archives.received(file, limits) as tree:
        return tree.sha256


# ---- the same files, the same name ------------------------------------------------------------------------------------


def test_the_name_follows_from_the_files_alone(tmp_path: Path) -> None:
    """However an archive is made, in whatever order and by whom, the same files are the same tree."""
    backwards = dict(reversed(FILES.items()))
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "bot.pyc").write_bytes(b"changes by itself")
    (tmp_path / "empty").mkdir()
    with archives.packed_folder(tmp_path) as tree:
        names = {tree.sha256}
        assert (tree.count, tree.size) == (3, sum(map(len, FILES.values())))
        assert tree.manifest == FILES["bot.toml"]
    names |= {name_of(tar(backwards, "w", form)) for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)}
    names |= {name_of(tar(FILES)), name_of(zipped(FILES)), name_of(zipped(backwards, zipfile.ZIP_STORED))}
    names |= {name_of(tar({f"./{name}": content for name, content in FILES.items()}))}
    names |= {name_of(tar({f"mybot/{name}": content for name, content in FILES.items()}))}
    assert len(names) == 1
    assert name_of(tar(FILES | {"bot.py": b"print('hello!')\n"})) not in names


def test_a_tree_is_a_tar_archive_that_others_can_read() -> None:
    """What is kept is plain tar, and its SHA-256 is its name."""
    with archives.received(tar(FILES)) as tree:
        raw = tree.file.read()
        assert hashlib.sha256(raw).hexdigest() == tree.sha256
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        assert archive.getnames() == sorted(FILES)
        assert {(info.uid, info.mtime, info.mode) for info in archive} == {(0, 0, 0o644)}


def test_whether_a_file_is_executable_counts(tmp_path: Path) -> None:
    """The right to execute is part of a tree, and comes back with it; other rights do not."""
    for mode, executable in ((0o600, False), (0o664, False), (0o700, True), (0o755, True)):
        (tmp_path / "bot").write_bytes(b"#!/bin/sh\n")
        (tmp_path / "bot").chmod(mode)
        with archives.packed_folder(tmp_path) as tree:
            out = tmp_path.with_name(f"out-{mode:o}")
            archives.unpack([tree.file.read()], tree.sha256, out)
        assert stat.S_IMODE((out / "bot").stat().st_mode) == (0o555 if executable else 0o444)
        assert stat.S_IMODE(out.stat().st_mode) == 0o555


_UNPRINTABLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
_LETTERS = st.characters(codec="utf-8", exclude_categories=_UNPRINTABLE, exclude_characters="/\\:")
_PART = st.text(_LETTERS, min_size=1, max_size=30).filter(lambda part: part not in (".", ".."))
_TREES = st.dictionaries(st.lists(_PART, min_size=1, max_size=4).map("/".join), st.binary(max_size=2000), min_size=1, max_size=8)


@given(files=_TREES, form=st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]), order=st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_what_goes_in_comes_out(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], form: int, order: object
) -> None:
    """Any files that are taken are unpacked byte for byte, and have one name in every order and kind of archive."""
    shuffled = list(files.items())
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    try:
        with archives.received(tar(dict(shuffled), form=form)) as tree:
            raw, name = tree.file.read(), tree.sha256
            inside = tree.manifest
    except BadArchive as error:
        if not any(word in str(error) for word in ("one and the same", "both a file and a folder", "too long", "printed")):
            raise
        return
    assert name == name_of(tar(files, "w", tarfile.GNU_FORMAT))
    folder = tmp_path_factory.mktemp("tree") / name
    archives.unpack([raw[i : i + 700] for i in range(0, len(raw), 700)], name, folder)
    stripped = inside is not None and "bot.toml" not in files
    expected = {path.partition("/")[2] if stripped else path: content for path, content in files.items()}
    assert {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()} == expected


# ---- hostile archives -------------------------------------------------------------------------------------------------

ESCAPES = [
    "../evil", "a/../../evil", "/etc/evil", "//evil", "C:/evil", "c:evil", "..\\evil", "a\\b", "a/..", "bell\a", "esc\x1b[2J",
    "right\u202eleft", "new\nline", "x" * 121, "/".join("abcdefghijklmnopqrstuvwxyz"), "/".join(["y" * 60] * 5),
]  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
def test_paths_that_lead_elsewhere(name: str) -> None:
    """No path leads out of the folder, to a drive, or through a terminal; tar and zip alike."""
    for made in (tar({"ok": b"", name: b"x"}), zipped({"ok": b"", name: b"x"})):
        with pytest.raises(BadArchive, match=r"below the bot|leads out|too long|cannot be printed"):
            name_of(made)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (tarfile.SYMTYPE, "symbolic link"),
        (tarfile.LNKTYPE, "hard link"),
        (tarfile.CHRTYPE, "device"),
        (tarfile.BLKTYPE, "device"),
        (tarfile.FIFOTYPE, "named pipe"),
        (tarfile.GNUTYPE_SPARSE, "sparse"),
        (b"Z", "no regular file"),
    ],
)
def test_what_is_no_file(kind: bytes, said: str) -> None:
    """Links, devices and the like are refused by what they are."""
    with pytest.raises(BadArchive, match=said):
        name_of(one(kind, link="/etc/passwd"))
    with pytest.raises(BadArchive, match=said):  # a link whose target has a header of its own
        name_of(one(kind, link="/" + "e" * 3000))


def test_a_link_in_a_zip() -> None:
    """A zip archive says by a mode that something is a link."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(BadArchive, match="symbolic link"):
        name_of(made)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a": b"", "A": b""}, "one and the same"),
        ({"dir/a": b"", "DIR/b": b""}, "one and the same"),
        ({"\u00e9": b"", "e\u0301": b""}, "one and the same"),
        ({"a": b"", "a/b": b""}, "both a file and a folder"),
        ({"a/b": b"", "a": b""}, "both a file and a folder"),
        ({"a": b"", "./a": b"1"}, "there twice"),
    ],
)
@pytest.mark.parametrize("make", [tar, zipped])
def test_paths_that_clash(make: Callable[[dict[str, bytes]], io.BytesIO], files: dict[str, bytes], said: str) -> None:
    """No two files that some file system would take for one, no file that is a folder too."""
    with pytest.raises(BadArchive, match=said):
        name_of(make(files))


@pytest.mark.parametrize("make", [tar, zipped])
def test_bombs(make: Callable[[dict[str, bytes]], io.BytesIO]) -> None:
    """A small archive of large files is refused when it has passed the cap, whatever it claims; so is one of many files."""
    bomb = make({"zeros": bytes(50_000_000)})
    assert len(bomb.getvalue()) < 100_000
    with pytest.raises(BadArchive, match="more than 100000 bytes when unpacked"):
        name_of(bomb, SMALL)
    with pytest.raises(BadArchive, match="more than 20 files"):
        name_of(make({f"f{number}": b"" for number in range(21)}), SMALL)
    with pytest.raises(BadArchive, match=r"archive is .* long \(allowed: 1 MB\)"):
        name_of(make({"noise": os.urandom(2_000_000)}), SMALL)


def test_a_zip_that_lies_about_sizes() -> None:
    """The size in a zip's directory is not believed."""
    raw = bytearray(zipped({"zeros": bytes(5_000_000)}).getvalue())
    at = raw.rfind(b"PK\x01\x02")
    struct.pack_into("<L", raw, at + 24, 10)
    with pytest.raises(BadArchive):
        name_of(io.BytesIO(bytes(raw)), SMALL)


def test_a_tar_of_headers_alone() -> None:
    """Endless headers, which no file counts against, are refused too, and so are headers that ask for much memory."""
    folders = io.BytesIO()
    with tarfile.open(fileobj=folders, mode="w:gz") as archive:
        info = tarfile.TarInfo("d")
        info.type = tarfile.DIRTYPE
        for _ in range(6000):
            archive.addfile(info)
    with pytest.raises(BadArchive, match="when unpacked"):
        name_of(folders, SMALL)
    with pytest.raises(BadArchive, match="extended header"):
        name_of(one(tarfile.REGTYPE, comment="x" * 100_000))


def _header(**fields: bytes) -> bytes:
    """A raw ustar header with some fields as given, its checksum right."""
    block = bytearray(tarfile.TarInfo("x").tobuf(tarfile.USTAR_FORMAT))
    places = {"size": 124, "mode": 100, "magic": 257}
    for name, value in fields.items():
        block[places[name] : places[name] + len(value)] = value
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (_header(size=b"-0000000001\0"), "is no number"),
        (_header(size=b"\x80" + bytes(10) + b"\x01"), "is no number"),
        (_header(size=b"99999999999\0"), "is no number"),
        (_header(size=b"77777777777\0") + bytes(512), "cut off"),
        (_header()[:200], "no archive"),
        (_header(mode=b"rwxrwxr\0") + bytes(1024), "is no number"),
        (bytes(257) + b"ustar" + bytes(250), "checksum"),
    ],
)
def test_damaged_tar(raw: bytes, said: str) -> None:
    """Headers with sizes that are negative, huge or no numbers at all, and archives that are cut off."""
    with pytest.raises(BadArchive, match=said):
        name_of(io.BytesIO(raw))
    if "no archive" not in said:
        with pytest.raises(BadArchive, match=said):
            name_of(io.BytesIO(gzip.compress(raw)))


@pytest.mark.parametrize(
    "raw", [b"", b"hello", b"PK\x03\x04", b"\x1f\x8b", b"\x1f\x8b\x08\0" + bytes(50), b"PK\x05\x06" + bytes(18), bytes(2048)]
)
def test_no_archive_at_all(raw: bytes) -> None:
    """Other files, and archives with nothing in them, are refused."""
    with pytest.raises(BadArchive):
        name_of(io.BytesIO(raw))


def test_encrypted_and_oddly_compressed() -> None:
    """Zip archives are taken with the usual compressions only, and unencrypted."""
    with pytest.raises(BadArchive, match="compressed in an unusual way"):
        name_of(zipped(FILES, zipfile.ZIP_LZMA))
    raw = bytearray(zipped(FILES).getvalue())
    raw[raw.rfind(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(BadArchive, match="encrypted"):
        name_of(io.BytesIO(bytes(raw)))


@given(data=st.data(), kind=st.sampled_from(["tar", "gz", "zip"]))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damage_is_refused_or_harmless(data: st.DataObject, kind: str) -> None:
    """An archive with any bytes changed, dropped or added is refused as BadArchive, or is some tree within the limits."""
    makers = {"tar": lambda: tar(FILES, "w"), "gz": lambda: tar(FILES), "zip": lambda: zipped(FILES)}
    raw = bytearray(makers[kind]().getvalue())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        match data.draw(st.sampled_from(["change", "cut", "insert"])):
            case "change":
                raw[at] = data.draw(st.integers(0, 255))
            case "cut":
                del raw[at : at + data.draw(st.integers(1, 600))]
                raw = raw or bytearray(b"x")
            case _:
                raw[at:at] = data.draw(st.binary(min_size=1, max_size=40))
    try:
        with archives.received(io.BytesIO(bytes(raw)), SMALL) as tree:
            assert tree.size <= SMALL.unpacked
            assert tree.count <= SMALL.files
    except BadArchive:
        pass


# ---- folders ----------------------------------------------------------------------------------------------------------


def test_a_folder_with_links(tmp_path: Path) -> None:
    """A folder to submit has no links; after a build, links to the bot's own files become copies and others are refused."""
    (tmp_path / "lib.so.1").write_bytes(b"library")
    (tmp_path / "lib.so").symlink_to("lib.so.1")
    with pytest.raises(BadArchive, match=r"'lib\.so' is a symbolic link"), archives.packed_folder(tmp_path):
        pass
    (tmp_path / ".venv").write_bytes(b"what a build made is kept, whatever it is called")
    with archives.packed_folder(tmp_path, follow=True) as tree:
        assert tree.count == 3
    (tmp_path / "passwd").symlink_to("/etc/passwd")
    with (
        pytest.raises(BadArchive, match=r"'passwd' leads to '/etc/passwd', which is no file of the bot's own"),
        archives.packed_folder(tmp_path, follow=True),
    ):
        pass


def test_a_folder_with_a_pipe(tmp_path: Path) -> None:
    """What is no file is refused, and nobody waits for it."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadArchive, match="no regular file"), archives.packed_folder(tmp_path):
        pass


def test_unpacking_what_is_not_what_it_says(tmp_path: Path) -> None:
    """A stored tree whose content has changed is not played, and nothing of it is left."""
    with archives.received(tar(FILES)) as tree:
        raw = tree.file.read()
    with pytest.raises(BadArchive, match="is damaged: its SHA-256"):
        archives.unpack([raw], "0" * 64, tmp_path / "tree")
    with pytest.raises(BadArchive, match="leads out"):
        archives.unpack([tar({"../evil": b""}, "w").read()], "0" * 64, tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []
