"""A league as files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from league.errors import NotFound
from league.export import export_league, replacing, write_record, write_records
from league.names import record_name
from league.standings import standings
from league.store import Store
from referee.record import read, verify
from tests.league.samples import KEY, make_league, play_missing, record, variant

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Store]:
    """A league of which one match is complete, one has one complete set, and the others have nothing."""
    with Store.open(f"sqlite:///{tmp_path}/arena.db") as store:
        make_league(store, variants=(variant(), variant(joker=True), variant("turn-up")))
        play_missing(store, "summer/turn-up/0")
        body = record((0, 1, 0, 1), (2, 1), forfeits=[1])
        body["deals"][0]["faults"] = [
            {"move": 0, "seat": 1, "cause": "LATE"},
            {"move": 1, "seat": 3, "cause": "LATE"},
            {"move": 2, "seat": 0, "cause": "ILLEGAL", "answer": "pass"},
        ]
        store.add_game("summer/turn-up/1", 0, (0, 1, 0, 1), 0, body)
        store.add_game("summer/turn-up/1", 0, (1, 0, 1, 0), 0, record((1, 0, 1, 0), (2, 1)))
        store.add_game("summer/turn-up/1", 1, (1, 0, 1, 0), 0, record((1, 0, 1, 0), (2, 1)))
        yield store


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_export_writes_everything(played: Store, tmp_path: Path) -> None:
    """An export is standings as CSV and JSON, results as CSV, and the record of every complete match, and says so."""
    folder = tmp_path / "out" / "summer"
    files = export_league(played, "summer", folder)
    names = ["results.csv", "standings.csv", "standings.json", "records/summer+turn-up+0.jsonl"]
    assert sorted(str(file.relative_to(folder)) for file in files) == sorted(names)
    assert sorted(file for file in folder.rglob("*") if file.is_file()) == sorted(files)


def test_export_again_gives_the_same_bytes(played: Store, tmp_path: Path) -> None:
    """An export over an earlier one replaces it, by the same bytes if nothing has been played."""
    first = {file: file.read_bytes() for file in export_league(played, "summer", tmp_path / "out")}
    assert {file: file.read_bytes() for file in export_league(played, "summer", tmp_path / "out")} == first


def test_exported_record_verifies(played: Store, tmp_path: Path) -> None:
    """A record in the export replays from nothing but its own lines."""
    (path,) = write_records(played, "summer", tmp_path / "records")
    report = verify(read(path))
    assert (report.match, report.sets, report.games) == ("summer/turn-up/0", 2, 4)
    assert path.read_bytes().endswith(b"}\n")


def test_every_page_of_records_is_written(tmp_path: Path) -> None:
    """A league with more complete matches than a page of the store's list has them all exported."""
    with Store.open(f"sqlite:///{tmp_path}/arena.db") as store:
        bots = [f"b{number:02}" for number in range(15)]
        make_league(store, variants=(variant("turn-up"),), bots=bots, sets=1)
        for match in store.matches(limit=1000)[:103]:
            for number, seating in store.missing_games(match.id):
                store.add_game(match.id, number, seating, 0, record(seating, (1, 0)))
        files = write_records(store, "summer", tmp_path / "records")
    assert [file.name for file in files] == [f"summer+turn-up+{n}.jsonl" for n in range(103)]


def test_record_of_an_unfinished_match_can_be_written(played: Store, tmp_path: Path) -> None:
    """Asked for by name, an unfinished match is written as far as its sets are complete, without its key."""
    path = write_record(played, "summer/turn-up/1", tmp_path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("set") for line in lines] == [None, 0]


def test_results_are_one_row_a_game_and_bot(played: Store, tmp_path: Path) -> None:
    """The table of results has each bot of each game of complete sets, with its faults and forfeits."""
    export_league(played, "summer", tmp_path)
    rows = _rows(tmp_path / "results.csv")
    assert len(rows) == (4 + 2) * 2
    mine = [row for row in rows if row["match"] == "summer/turn-up/1"]
    assert [(row["set"], row["game"], row["bot"]) for row in mine] == [
        ("0", "0", "a"),
        ("0", "0", "c"),
        ("0", "1", "a"),
        ("0", "1", "c"),
    ]
    assert mine[0] == {
        "match": "summer/turn-up/1",
        "variant": "turn-up",
        "set": "0",
        "game": "0",
        "bot": "a",
        "place": "1",
        "points": "2",
        "deals": "1",
        "forfeit": "0",
        "faults": "ILLEGAL:1",
    }
    assert (mine[1]["forfeit"], mine[1]["faults"]) == ("1", "LATE:2")


def test_standings_are_the_computed_ones(played: Store, tmp_path: Path) -> None:
    """Both forms of the standings say what the results come to, for all variants and for each; the unknown is empty."""
    export_league(played, "summer", tmp_path)
    wanted = standings(played.results("summer"), "abcd", "turn-up")
    rows = [row for row in _rows(tmp_path / "standings.csv") if row["variant"] == "turn-up"]
    assert [row["bot"] for row in rows] == [row.bot for row in wanted.rows]
    for row, standing in zip(rows, wanted.rows, strict=True):
        assert row["rank"] == ("" if standing.rank is None else str(standing.rank))
        assert row["elo"] == ("" if standing.elo is None else str(round(standing.elo, 6)))
        assert (int(row["games"]), int(row["deals"])) == (standing.games, standing.deals)
        assert [int(row["place_1"]), int(row["place_2"])] == [*standing.places[:2], *[0] * (2 - len(standing.places[:2]))]
        assert {cause: int(row[f"fault_{cause}"]) for cause in standing.faults} == standing.faults
    assert {row["variant"] for row in _rows(tmp_path / "standings.csv")} == {"overall", "turn-up"}
    whole = json.loads((tmp_path / "standings.json").read_text())
    assert [table["variant"] for table in whole["tables"]] == [None, "turn-up"]
    assert [row["bot"] for row in whole["tables"][1]["rows"]] == [row.bot for row in wanted.rows]
    assert whole["tables"][1]["rows"][0]["elo"] == wanted.rows[0].elo
    assert {(pair["a"], pair["b"]) for pair in whole["tables"][1]["pairs"]} == {("a", "b"), ("a", "c")}


def test_key_is_exported_once_revealed(played: Store, tmp_path: Path) -> None:
    """The league's key is in the exported standings only after the league is finished; its commitment always."""
    before = _standings(played, tmp_path)
    assert before["key"] is None
    played.finish_league("summer", abandon=True)
    after = _standings(played, tmp_path)
    assert after["key"] == KEY.hex()
    assert after["commitment"] == before["commitment"] == played.league("summer").commitment


def _standings(store: Store, folder: Path) -> dict[str, Any]:
    export_league(store, "summer", folder)
    found: dict[str, Any] = json.loads((folder / "standings.json").read_text())
    return found


def test_league_without_a_game_is_exported(tmp_path: Path) -> None:
    """Before its first game a league has every bot in its overall table, no result and no record."""
    with Store.open(f"sqlite:///{tmp_path}/arena.db") as store:
        make_league(store)
        export_league(store, "summer", tmp_path / "out")
    assert [row["bot"] for row in _rows(tmp_path / "out" / "standings.csv")] == list("abcd")
    assert _rows(tmp_path / "out" / "results.csv") == []
    assert list((tmp_path / "out" / "records").iterdir()) == []


def test_unknown_league_leaves_no_folder(played: Store, tmp_path: Path) -> None:
    """A league that is not stored is an error, and nothing is written."""
    with pytest.raises(NotFound, match="winter"):
        export_league(played, "winter", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    """A file whose writing fails half way is as it was before, and no draft of it is left."""
    path = tmp_path / "standings.csv"
    path.write_text("old")

    def write() -> None:
        with replacing(path) as file:
            file.write("new")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_record_names_are_distinct_and_safe() -> None:
    """Ids that differ give file names that differ, without separators, whatever names the rule allows."""
    ids = [f"{league}/{label}/{n}" for league in ("a", "a_b", "a-b") for label in ("b", "b.2", "b_2", "b-c") for n in (0, 1)]
    names = [record_name(match_id) for match_id in ids]
    assert len(set(names)) == len(ids)
    assert all(Path(name).name == name for name in names)
