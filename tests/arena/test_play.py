"""`arena play`: a match through the real referee and real bot processes, as an author runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena.__main__ import main
from referee.record import read, verify

if TYPE_CHECKING:
    from pathlib import Path

KEY = "5a" * 32
PATIENT = ("--answer", "30", "--start", "120")
"""Options by which nobody is late because the machine is busy."""


def arena(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `arena` in a folder of its own, with its own data."""
    environment = {**os.environ, "ARENA_DATA": str(folder / "var")}
    command = [sys.executable, "-m", "arena", *words]
    return subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def play(folder: Path, *words: str, variant: str = "turn-up", bots: str = "greedy,lowest") -> subprocess.CompletedProcess[str]:
    return arena(folder, "play", "--variant", variant, "--bots", bots, "--sets", "2", "--format", "deals:3", *PATIENT, *words)


def test_same_key_and_bots_give_the_same_file(tmp_path: Path) -> None:
    """Two runs with one key and deterministic bots write the same bytes, and the record verifies."""
    for name in ("a", "b"):
        done = play(tmp_path, "--key", KEY, "--record", f"{name}.jsonl")
        assert done.returncode == 0, done.stderr
        assert "greedy over lowest" in done.stdout
        assert "95 % interval" in done.stdout
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    report = verify(read(tmp_path / "a.jsonl"))
    assert (report.sets, report.games, report.deals) == (2, 4, 12)
    assert arena(tmp_path, "verify", "a.jsonl").stdout == "a.jsonl: OK turn-up, 2 sets, 4 games, 12 deals\n"


def test_options_and_format_reach_the_table(tmp_path: Path) -> None:
    """Options are resolved into the record's header, and the double deck is played."""
    done = play(tmp_path, "--option", "double_deck=on", "--record", "d.jsonl", variant="bid-euchre", bots="greedy,random")
    assert done.returncode == 0, done.stderr
    head, *_ = map(json.loads, (tmp_path / "d.jsonl").read_text().splitlines())
    assert head["options"]["double_deck"] is True
    assert head["options"]["awards"] == [18, 24]
    assert head["format"] == "deals:3"


def test_own_bot_plays_under_its_name_and_its_failure_is_shown(tmp_path: Path) -> None:
    """A bot that crashes forfeits, the match ends all the same, and its author reads its last words."""
    (tmp_path / "broken.py").write_text("import sys; print('no model file', file=sys.stderr); sys.exit(3)\n")
    done = play(tmp_path, "--record", "x.jsonl", bots=f"mine={sys.executable} broken.py,greedy")
    assert done.returncode == 0, done.stderr
    assert "no model file" in done.stderr
    assert "exit code 3" in done.stderr
    assert "NOT_STARTED" in done.stdout or "CRASHED" in done.stdout
    assert verify(read(tmp_path / "x.jsonl")).games == 4


def test_notes_go_to_their_file_and_not_into_the_record(tmp_path: Path) -> None:
    """What a bot says of its decisions is for its author: by bot, set, deal and move in a file of its own."""
    (tmp_path / "talks.py").write_text("from arena import run\n\nrun(lambda view: (view.legal[0], 'because ' + view.phase))\n")
    done = play(tmp_path, "--record", "x.jsonl", "--notes", "notes.jsonl", bots="talks=python talks.py,greedy")
    assert done.returncode == 0, done.stderr
    notes = [json.loads(line) for line in (tmp_path / "notes.jsonl").read_text().splitlines()]
    assert {note["bot"] for note in notes} == {"talks"}
    assert {"because auction", "because play"} <= {note["text"] for note in notes}
    assert "because" not in (tmp_path / "x.jsonl").read_text()


@pytest.mark.parametrize(
    ("words", "variant", "bots", "said"),
    [
        ((), "spades", "greedy,lowest", "unknown variant 'spades' (known: ghost-hand, cutthroat, bid-euchre, turn-up)"),
        ((), "turn-up", "greedy", "1 given, turn-up takes 2 (one a team)"),
        ((), "cutthroat", "greedy,lowest", "2 given, cutthroat takes 3 (one a seat)"),
        ((), "turn-up", "greedy,nobody", "unknown bot 'nobody' (known: random, lowest, greedy, counter"),
        (("--option", "deck=32"), "turn-up", "greedy,lowest", "unknown option 'deck' of turn-up (known: "),
        (("--option", "deck=33"), "cutthroat", "greedy,lowest,random", "bad value '33' (allowed: 24, 25, 32)"),
        (("--option", "deck"), "cutthroat", "greedy,lowest,random", "'deck' is not NAME=VALUE"),
        (("--option", "joker=on", "--option", "double_deck=on"), "bid-euchre", "greedy,lowest", "exclude each other"),
        (("--key", "12"), "turn-up", "greedy,lowest", "must be 64 hexadecimal digits"),
        (("--format", "hands:3"), "turn-up", "greedy,lowest", "bad format 'hands:3' (allowed: game, or deals:N"),
        (("--record", "no/such/x.jsonl"), "turn-up", "greedy,lowest", "there is no folder"),
        (("--answer", "0"), "turn-up", "greedy,lowest", "clock answer: 0.0 (allowed: 0.01 to"),
        (("--sets", "0"), "turn-up", "greedy,lowest", "0 is not in the range"),
    ],
)
def test_bad_input_names_what_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], variant: str, bots: str, said: str
) -> None:
    """Each mistake on the command line gives exit code 2, what was wrong and what is allowed, before anything is played."""
    monkeypatch.setenv("ARENA_DATA", str(tmp_path))
    done = CliRunner().invoke(main, ["play", "--variant", variant, "--bots", bots, *words])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_three_of_a_kind_get_names_of_their_own(tmp_path: Path) -> None:
    """A bot may play against itself; its copies are numbered."""
    done = play(tmp_path, variant="cutthroat", bots="random,random,random")
    assert done.returncode == 0, done.stderr
    for name in ("random", "random.2", "random.3"):
        assert f" {name} " in done.stdout
