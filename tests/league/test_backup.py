"""A league as one file, and back into any store."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import stat
import threading
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from league.backup import MANIFEST, RECORDS, Backup, is_backup
from league.errors import AlreadyExists, BadBackup, BadName, LeagueClosed, NotFound
from league.export import standings_json
from league.precision import extend
from league.schedule import planned
from league.standings import league_tables
from league.store import Store
from referee.record import verify
from tests.league.conftest import BACKENDS
from tests.league.samples import KEY, add_bots, make_league, play, play_missing, spec, variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.league.conftest import Postgres

_numbers = itertools.count()


@pytest.fixture(params=BACKENDS)
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A second, empty store, on each backend."""
    url = f"sqlite:///{tmp_path}/other.db"
    if request.param != "sqlite":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.create(f"other_{next(_numbers)}")
    with Store.open(url) as store:
        yield store


def fill(store: Store) -> None:
    """A league with a complete match, two half played, one that failed, a remote bot, and two bots that came and went."""
    store.add_remote_bot("far")
    make_league(store, bots=("a", "b", "c", "far"), variants=(variant("turn-up"),))
    play_missing(store, "summer/turn-up/0")
    play_missing(store, "summer/turn-up/1", 3)  # a and c
    play_missing(store, "summer/turn-up/2", 3)  # a and far: single games
    failed = store.claim("summer/turn-up/4", "w1", 60.0, host="here", now=50.0)
    assert failed is not None
    store.add_void(failed, "INFRASTRUCTURE", "the machine was too slow")
    store.add_log(failed, bot="b", seat=0, seating=(0, 1, 0, 1), exit=1, tail="oh dear")
    store.release(failed, "infrastructure", "it broke", now=60.0)
    store.claim("summer/turn-up/2", "w2", 1e9, host="there", now=70.0)
    store.add_bot("d", "play d")
    store.add_league_bot("summer", "d", now=80.0)
    store.withdraw_league_bot("summer", "c", now=90.0)


def saved(store: Store, path: Path, name: str = "summer") -> Path:
    store.backup_league(name, path)
    return path


def restore(store: Store, path: Path, name: str | None = None) -> None:
    with Backup(path) as backup:
        store.restore_league(backup, name, now=1000.0)


def everything(store: Store, name: str = "summer") -> dict[str, Any]:
    """What a store shows of a league, but for leases and ids of rows."""
    league = store.league(name)
    matches = store.matches(name, now=0.0)
    ids = [match.id for match in matches]
    return {
        "league": league,
        "matches": [(m.id, m.commitment, m.mode, m.sets, m.lineup, m.games_done, m.sets_done, m.dropped_at) for m in matches],
        "games": [store.games(match_id) for match_id in ids],
        "records": [list(store.record_lines(match_id)) for match_id in ids],
        "keys": [store.match_key(match_id) for match_id in ids],
        "missing": [store.missing_games(match_id) for match_id in ids],
        "standings": standings_json(league, league_tables(store.results(name))),
        "progress": [(one.games_done, one.games_total, one.matches_complete) for one in store.progress(name).variants],
    }


def test_a_league_moves_to_another_store(store: Store, other: Store, tmp_path: Path) -> None:
    """What another store shows of a restored league is what the first shows, on either database, and it can be played on."""
    fill(store)
    restore(other, saved(store, tmp_path / "summer.zip"))
    assert everything(other) == everything(store)
    assert other.token_hashes() == store.token_hashes()
    (lost,) = other.attempts("summer/turn-up/2")
    assert (lost.outcome, lost.ended_at, lost.worker) == ("lost", 1000.0, "w2")
    (failed,) = other.attempts("summer/turn-up/4")
    assert (failed.outcome, failed.detail, failed.started_at) == ("infrastructure", "it broke", 50.0)
    assert [(void.cause, void.detail) for void in failed.voids] == [("INFRASTRUCTURE", "the machine was too slow")]
    assert [(log.bot, log.tail) for log in other.logs("summer/turn-up/4")] == [("b", "oh dear")]
    other.add_matches(planned(other.league("summer")))
    for match in other.matches("summer", state="open"):
        play_missing(other, match.id)
    assert other.finish_league("summer").key == KEY


def hosted(store: Store) -> str:
    """A league with a hosted bot of two mebibytes in it; the SHA-256 of its files."""
    content = bytes(range(256)) * 8200
    tree = hashlib.sha256(content).hexdigest()
    store.add_blob(tree, io.BytesIO(content), now=10.0)
    store.add_owner("ann")
    given = {"name": "h", "run": "python bot.py", "build": "", "variants": ["turn-up"], "description": ""}
    submission = store.submit("ann", given, tree, now=20.0)
    claim = store.claim_submission(submission.id, 60.0, now=30.0)
    assert claim is not None
    assert store.submission_built(claim, tree)
    assert store.qualified(claim, [], now=40.0)
    make_league(store, bots=("a", "h"), variants=(variant("turn-up"),))
    return tree


def test_files_of_hosted_bots_move_too(store: Store, other: Store, tmp_path: Path) -> None:
    """A hosted bot's files come along, once, and it is played from them there as here."""
    tree = hosted(store)
    path = saved(store, tmp_path / "summer.zip")
    restore(other, path)
    assert b"".join(other.blob(tree)) == b"".join(store.blob(tree))
    (there,) = [bot for bot in other.league("summer").bots if bot.bot == "h"]
    assert (there.tree, there.run, there.variants) == (tree, "python bot.py", ("turn-up",))
    restore(other, path, "again")
    assert other.has_blob(tree)


def test_files_that_are_not_what_their_name_says(store: Store, other: Store, tmp_path: Path) -> None:
    """Files under another SHA-256 than theirs are refused, whatever the manifest says, and nothing of the backup is stored."""
    tree = hosted(store)
    path = saved(store, tmp_path / "summer.zip")
    wrong = tree[::-1]
    forged = _forged(path, tmp_path / "forged.zip", "files.jsonl", lambda lines: [{**line, "sha256": wrong} for line in lines])
    with pytest.raises(BadBackup, match=f"the files named {wrong} have the SHA-256 {tree}"):
        restore(other, forged)
    assert not other.has_blob(wrong)
    assert other.leagues() == []


def test_the_same_bytes(store: Store, other: Store, tmp_path: Path) -> None:
    """Backups of one state are the same bytes, and so are those of two stores that hold the same, on either database."""
    fill(store)
    first = saved(store, tmp_path / "1.zip").read_bytes()
    assert saved(store, tmp_path / "2.zip").read_bytes() == first
    restore(other, tmp_path / "1.zip")
    second = saved(other, tmp_path / "3.zip").read_bytes()
    with Store.open(f"sqlite:///{tmp_path}/third.db") as third:
        restore(third, tmp_path / "3.zip")
        assert saved(third, tmp_path / "4.zip").read_bytes() == second


def test_how_parts_are_compressed(store: Store, other: Store, tmp_path: Path) -> None:
    """Records are packed by bzip2, the rest deflated; a backup from when records were deflated too says the same."""
    fill(store)
    path = saved(store, tmp_path / "summer.zip")
    with zipfile.ZipFile(path) as archive:
        methods = {part.filename: part.compress_type for part in archive.infolist()}
    records = {name for name in methods if name.startswith(RECORDS)}
    assert records
    assert {name for name, method in methods.items() if method == zipfile.ZIP_BZIP2} == records
    restore(other, _rewritten(path, tmp_path / "before.zip", lambda _, body: body))
    assert everything(other) == everything(store)


def test_a_secret_file(store: Store, tmp_path: Path) -> None:
    """A file that holds a secret key is for its owner only; that of a finished league is an ordinary one. No draft is left."""
    fill(store)
    path = saved(store, tmp_path / "summer.zip")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    store.finish_league("summer", abandon=True)
    assert stat.S_IMODE(saved(store, path).stat().st_mode) & 0o400
    assert [entry.name for entry in tmp_path.iterdir() if ".tmp" in entry.name] == []
    with pytest.raises(NotFound, match="'winter'"):
        saved(store, tmp_path / "winter.zip", "winter")
    assert not (tmp_path / "winter.zip").exists()


def test_records_verify_from_the_file_alone(store: Store, tmp_path: Path) -> None:
    """Each complete match's record in the file replays, and its key follows from the league's."""
    fill(store)
    path = saved(store, tmp_path / "summer.zip")
    assert is_backup(path)
    with Backup(path) as backup:
        backup.check_keys()
        whole = [lines for _, lines in backup.records() if "end" in lines[-1]]
        assert [verify(lines).match for lines in whole] == ["summer/turn-up/0"]
        assert len(list(backup.records())) == 3


def test_a_new_name(store: Store, tmp_path: Path) -> None:
    """Under another name a league stands beside the first: other match ids, the same deals and records; it is played on alike."""
    fill(store)
    path = saved(store, tmp_path / "summer.zip")
    with pytest.raises(AlreadyExists, match="league 'summer' already; restore it under another name"):
        restore(store, path)
    with pytest.raises(BadName):
        restore(store, path, "Summer")
    restore(store, path, "winter")
    assert list(store.record_lines("winter/turn-up/0")) == list(store.record_lines("summer/turn-up/0"))
    for name in ("summer", "winter"):
        store.add_matches(planned(store.league(name)))
        for match in store.matches(name, state="open"):
            _play_by_number(store, match.id)
        assert store.progress(name).complete
    pairs = [(match.id, match.id.replace("summer", "winter", 1)) for match in store.matches("summer")]
    assert all(store.match_key(one) == store.match_key(two) for one, two in pairs)
    assert all(list(store.record_lines(one)) == list(store.record_lines(two)) for one, two in pairs)
    verify(store.record_lines("winter/turn-up/4"))
    with Store.open(f"sqlite:///{tmp_path}/third.db") as third:
        restore(third, saved(store, tmp_path / "winter.zip", "winter"), "summer")
        assert everything(third)["records"] == everything(store)["records"]


def _play_by_number(store: Store, match_id: str) -> None:
    """Play a match, the same whatever its league is called."""
    match, key = store.match(match_id), store.match_key(match_id)
    nameless = replace(match, id=match_id.partition("/")[2])
    for number, seating in store.missing_games(match_id):
        store.add_game(match_id, number, seating, *play(nameless, key, number, seating))


def test_bots_that_are_there_already(store: Store, other: Store, tmp_path: Path) -> None:
    """The same version of a bot is used, a missing one added under its number; one that differs is refused."""
    fill(store)
    path = saved(store, tmp_path / "summer.zip")
    other.add_bot("a", "play a")
    other.add_bot("a", "play a better")
    other.add_bot("b", "play something else")
    with pytest.raises(AlreadyExists, match=r"b v1 runs 'play something else' here, in the backup 'play b'"):
        restore(other, path)
    assert other.leagues() == []
    assert [bot.name for bot in other.bots()] == ["a", "b"]
    with Store.open(f"sqlite:///{tmp_path}/third.db") as third:
        third.add_bot("a", "play a")
        third.add_bot("a", "play a better")
        restore(third, path)
        assert [str(bot) for bot in third.league("summer").bots] == ["a v1", "b v1", "d v1", "far v1"]
        assert [bot.version for bot in third.bot("a").versions] == [1, 2]


def test_rounds_move_too(store: Store, other: Store, tmp_path: Path) -> None:
    """A league with a precision goes on in another store with the decisions that were made."""
    add_bots(store, "abc")
    store.create_league(spec(bots="abc", variants=(variant("turn-up"),), sets=1, precision=300.0, max_sets=3))
    for match_id in extend(store, store.league("summer"), now=5.0):
        play_missing(store, match_id)
    extend(store, store.league("summer"), now=6.0)
    restore(other, saved(store, tmp_path / "summer.zip"))
    assert other.rounds("summer") == store.rounds("summer")
    assert everything(other) == everything(store)


def test_a_finished_league(store: Store, other: Store, tmp_path: Path) -> None:
    """A league that is over is restored as it ended: its key public, and nobody plays on in it."""
    fill(store)
    store.finish_league("summer", abandon=True, now=500.0)
    restore(other, saved(store, tmp_path / "summer.zip"))
    assert other.league("summer") == store.league("summer")
    with pytest.raises(LeagueClosed):
        other.claim("summer/turn-up/1", "w", 60.0)


def test_while_it_is_played(store: Store, other: Store, tmp_path: Path) -> None:
    """A backup taken while games are stored is one moment of the league: whole, and what it lacks can be played."""
    make_league(store, bots="abcd", sets=2)
    ids = [match.id for match in store.matches("summer")]
    begun = threading.Event()

    def play() -> None:
        for match_id in ids:
            play_missing(store, match_id)
            begun.set()

    player = threading.Thread(target=play)
    player.start()
    begun.wait()
    path = saved(store, tmp_path / "summer.zip")
    player.join()
    restore(other, path)
    done = other.progress("summer").games_done
    assert 0 < done <= store.progress("summer").games_done
    for match_id in ids:
        play_missing(other, match_id)
    assert [list(other.record_lines(match_id)) for match_id in ids] == [list(store.record_lines(match_id)) for match_id in ids]


# ---- damage -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup to be damaged."""
    folder = tmp_path_factory.mktemp("backup")
    with Store.open(f"sqlite:///{folder}/arena.db") as store:
        fill(store)
        return saved(store, folder / "summer.zip")


def _rewritten(whole: Path, to: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """A copy of a backup with its parts changed; None leaves one out."""
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            body = change(name, old.read(name))
            if body is not None:
                new.writestr(name, body)
    return to


PARTS = ["league", "variants", "bots", "members", "matches", "games", "attempts"]
NAMES = [*(f"{part}.jsonl" for part in PARTS), "records/summer+turn-up+0.jsonl"]


@pytest.mark.parametrize("name", NAMES)
def test_a_part_that_was_altered(whole: Path, tmp_path: Path, name: str) -> None:
    """One character changed in any part is found, and the part named."""

    def change(part: str, body: bytes) -> bytes:
        return body.replace(b"1", b"2", 1) if part == name else body

    with pytest.raises(BadBackup, match=rf"{name.replace('+', '.')} is damaged"):
        Backup(_rewritten(whole, tmp_path / "bad.zip", change))


@pytest.mark.parametrize("name", [*NAMES, "rounds.jsonl", MANIFEST])
def test_a_part_that_is_missing(whole: Path, tmp_path: Path, name: str) -> None:
    """A part that is left out is missed, by name; one too many is refused too."""
    with pytest.raises(BadBackup, match=rf"(lacks|has no) {name.replace('+', '.')}"):
        Backup(_rewritten(whole, tmp_path / "bad.zip", lambda part, body: None if part == name else body))
    with zipfile.ZipFile(_rewritten(whole, tmp_path / "more.zip", lambda _, body: body), "a") as more:
        more.writestr("extra.txt", "hello")
    with pytest.raises(BadBackup, match=r"has extra\.txt"):
        Backup(tmp_path / "more.zip")


def test_bytes_that_rotted(whole: Path, tmp_path: Path) -> None:
    """A byte that changed on the disk, wherever it carries anything, is found; so is a file that was cut short."""
    raw = whole.read_bytes()
    with zipfile.ZipFile(whole) as archive:
        starts = {info.filename: info.header_offset + 30 + len(info.filename) for info in archive.infolist()}
        sizes = {info.filename: info.compress_size for info in archive.infolist()}
    for name, start in starts.items():
        if sizes[name] < 3:
            continue  # the empty part: two bytes that say so
        place = start + sizes[name] // 2
        bad = tmp_path / "bad.zip"
        bad.write_bytes(raw[:place] + bytes([raw[place] ^ 0x10]) + raw[place + 1 :])
        with pytest.raises(BadBackup, match="damaged"):
            Backup(bad)
    for length in (0, 100, len(raw) // 2, len(raw) - 10):
        bad.write_bytes(raw[:length])
        with pytest.raises(BadBackup, match="no backup of a league, or cut short"):
            Backup(bad)


def test_other_files(tmp_path: Path) -> None:
    """What is no backup, and what another release's format is, is said."""
    for text in ("hello", '{"record":"euchre-arena/1"}\n'):
        (tmp_path / "file").write_text(text)
        assert not is_backup(tmp_path / "file")
        with pytest.raises(BadBackup, match="no backup of a league"):
            Backup(tmp_path / "file")
    for manifest, said in (
        ('{"backup":"euchre-arena-backup/9"}', "format 'euchre-arena-backup/9'"),
        ("[]", "format None"),
        ("{", "damaged"),
    ):
        with zipfile.ZipFile(tmp_path / "file", "w") as archive:
            archive.writestr(MANIFEST, manifest)
        with pytest.raises(BadBackup, match=said):
            Backup(tmp_path / "file")


def _forged(whole: Path, to: Path, name: str, change: Callable[[list[Any]], list[Any]]) -> Path:
    """A copy with a part changed and its digest made to fit."""
    with zipfile.ZipFile(whole) as old:
        lines = change([json.loads(line) for line in old.read(name).splitlines()])
        body = "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines).encode()
        manifest = json.loads(old.read(MANIFEST))
    manifest["parts"][name] = {"lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}
    made = {name: body, MANIFEST: json.dumps(manifest).encode()}
    return _rewritten(whole, to, made.get)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("games.jsonl", lambda lines: lines[1:], "games, not"),
        ("games.jsonl", lambda lines: [{**lines[0], "seating": 7}, *lines[1:]], "do not fit together"),
        ("matches.jsonl", lambda lines: lines[1:], "do not fit together"),
        ("bots.jsonl", lambda lines: lines[1:], "do not fit together"),
        ("variants.jsonl", lambda _: [], "do not fit together"),
        ("league.jsonl", lambda lines: [{**lines[0], "key": "xyz"}], "do not fit together"),
        ("records/summer+turn-up+0.jsonl", lambda lines: lines[:1], "do not fit together"),
    ],
)
def test_parts_that_do_not_fit_together(
    whole: Path, other: Store, tmp_path: Path, name: str, change: Callable[[list[Any]], list[Any]], said: str
) -> None:
    """A file whose digests are right and whose contents make no sense is refused, and leaves nothing behind."""
    with pytest.raises(BadBackup, match=said):
        restore(other, _forged(whole, tmp_path / "bad.zip", name, change))
    assert other.leagues() == []
    assert other.bots() == []


def test_a_key_that_was_exchanged(whole: Path, tmp_path: Path) -> None:
    """A league's key that is not the one committed to is found without replaying anything."""
    bad = _forged(whole, tmp_path / "bad.zip", "league.jsonl", lambda lines: [{**lines[0], "key": "00" * 32}])
    with Backup(bad) as backup, pytest.raises(BadBackup, match="not the one that was committed to"):
        backup.check_keys()
