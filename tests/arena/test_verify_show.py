"""`arena verify` and `arena show` as a person at a terminal meets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena.cli.show import show
from arena.cli.verify import verify
from referee.record import dumps
from referee.rules import VARIANTS
from tests.records.played import play_match

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, variant: str, **options: object) -> Path:
    lines = play_match(variant, options, sets=1, fmt="deals:6", misbehave=0.05)
    path.write_text("".join(dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_verify_says_ok_and_what_was_verified(tmp_path: Path) -> None:
    """A good record: one line with its counts, exit code 0."""
    done = CliRunner().invoke(verify, [str(write(tmp_path / "a.jsonl", "cutthroat"))])
    assert done.exit_code == 0
    assert done.output.endswith("a.jsonl: OK cutthroat, 1 set, 6 games, 36 deals\n")


def test_verify_names_each_wrong_file_and_still_looks_at_the_others(tmp_path: Path) -> None:
    """One wrong file among good ones: exit code 1, and a line for each."""
    good = write(tmp_path / "good.jsonl", "turn-up")
    bad = tmp_path / "bad.jsonl"
    bad.write_text(good.read_text(encoding="utf-8").replace('"points":[', '"points":[9', 1), encoding="utf-8")
    done = CliRunner().invoke(verify, [str(bad), str(tmp_path / "none.jsonl"), str(good)])
    assert done.exit_code == 1
    wrong, none, fine = done.output.splitlines()
    assert "bad.jsonl: WRONG set 0, game 0, deal 0: points" in wrong
    assert "none.jsonl: WRONG cannot be read" in none
    assert "good.jsonl: OK" in fine


@pytest.mark.parametrize("variant", [variant.name for variant in VARIANTS])
def test_show_tells_every_deal(tmp_path: Path, variant: str) -> None:
    """Each deal is told with hands, play and points, or as thrown in."""
    file = write(tmp_path / "match.jsonl", variant)
    for deal in range(6):
        done = CliRunner().invoke(show, [str(file), "--deal", str(deal)])
        assert done.exit_code == 0, done.output
        assert f"{variant}, set 0" in done.output
        assert "(dealer)" in done.output
        assert "thrown in" in done.output or ("trick  1" in done.output and "after:" in done.output)


def test_show_names_faults(tmp_path: Path) -> None:
    """Where the referee stepped in, the fault and its cause are told."""
    file = write(tmp_path / "match.jsonl", "bid-euchre")
    told = "".join(
        CliRunner().invoke(show, [str(file), "--game", str(game), "--deal", str(deal)]).output
        for game in range(2)
        for deal in range(6)
    )
    assert "! fault of seat" in told


@pytest.mark.parametrize(("option", "allowed"), [("--set", "0 to 0"), ("--game", "0 to 5"), ("--deal", "0 to 5")])
def test_show_lists_what_there_is(tmp_path: Path, option: str, allowed: str) -> None:
    """A number that is not there: exit code 2 and the numbers that are."""
    done = CliRunner().invoke(show, [str(write(tmp_path / "match.jsonl", "ghost-hand")), option, "99"])
    assert done.exit_code == 2
    assert f"there is no {option[2:]} 99 (allowed: {allowed})" in done.output


def test_show_refuses_a_wrong_record(tmp_path: Path) -> None:
    """Only verified records are shown."""
    file = tmp_path / "match.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    done = CliRunner().invoke(show, [str(file)])
    assert done.exit_code == 1
    assert "header: record is None" in done.output
