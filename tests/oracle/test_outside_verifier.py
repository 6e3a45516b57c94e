"""Records of every variant and option against a verifier that was written apart from this project.

It is no part of the project, and only ever run as a program: EUCHRE_VERIFIER names it, or it lies in shared/verifier beside the
project's folder. Where it is not, these tests are skipped.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.game import Game
from referee.record import Header, complete, dumps, set_line, verify
from referee.rules import Rules
from tests.rules import notation as n
from tests.rules import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.rules import Deal

ROOT = Path(__file__).resolve().parents[2]
VERIFIER = Path(os.environ.get("EUCHRE_VERIFIER") or ROOT.parent / "shared/verifier/verify_record.py")
CLOCK = {"answer": 1.0, "bank": 10.0, "start": 20.0, "grace": 5.0, "faults": 3}
pytestmark = pytest.mark.skipif(
    not VERIFIER.exists() and not os.environ.get("EUCHRE_VERIFIER"),
    reason=f"no outside verifier (EUCHRE_VERIFIER, or {VERIFIER})",
)


def honest(game: Game, rng: random.Random) -> None:
    """Any legal move."""
    game.apply(rng.choice(n.members(game.deal.legal)))


def _revokes(deal: Deal) -> list[int]:
    return [card for card in range(33) if deal.is_revoke(card)]


def revoking(game: Game, rng: random.Random) -> None:
    """A revoke now and then; the fault limit of the match is not reached."""
    wrong = _revokes(game.deal)
    side = game.rules.side(game.deal.turn())
    if wrong and game.faults_by_side[side] < CLOCK["faults"] - 1 and rng.random() < 0.5:
        game.fault("ILLEGAL", n.text(rng.choice(wrong)))
    else:
        honest(game, rng)


def failing(game: Game, rng: random.Random) -> None:
    """Faults of all kinds, which forfeit games sooner or later."""
    if rng.random() > 0.06:
        honest(game, rng)
        return
    answers = [None, "JC", "pass", "XX", "swap", *map(n.text, game.deal.hand(game.deal.turn()))]
    cause = rng.choice(["ILLEGAL", "ILLEGAL", "LATE", "BANK_EMPTY", "SILENT", "GONE", "CRASHED"])
    answer = rng.choice(answers) if cause == "ILLEGAL" else None
    legal = [n.text(action) for action in n.members(game.deal.legal)]
    if answer in legal:  # what is legal is no fault
        honest(game, rng)
    else:
        game.fault(cause, answer)


PLAYERS = {"honest": honest, "revoking": revoking, "failing": failing}


def record(setting: settings.Setting, player: str, fmt: str, sets: int = 1) -> list[dict[str, Any]]:
    """A whole record played by random players."""
    rules = Rules(*setting)
    rng = random.Random(f"{settings.name(setting)} {player}")
    key = rng.randbytes(32)
    lineup = [{"bot": f"bot{index}", "version": 1} for index in range(rules.bots)]
    lines = []
    for number in range(sets):
        games = []
        for seating in rules.seatings():
            game = Game(rules, key, number, fmt, CLOCK["faults"])
            first = game.dealer
            while game.settle():
                PLAYERS[player](game, rng)
            games.append(game.record(seating))
        lines.append(set_line(number, first, games))
    return complete(Header("oracle/1", rules, fmt, lineup, key, CLOCK), lines)


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    """The record as a file."""
    path.write_text("".join(dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def outside(*paths: Path) -> tuple[int, list[str]]:
    """What the outside verifier says of the files."""
    done = subprocess.run([sys.executable, "-I", VERIFIER, *paths], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def check(folder: Path, records: Iterator[tuple[str, list[dict[str, Any]]]]) -> int:
    """Let both verifiers read the records; how many there were."""
    paths = []
    for number, (_, lines) in enumerate(records):
        verify(json.loads(json.dumps(lines)))
        paths.append(write(folder / f"{number}.jsonl", lines))
    code, said = outside(*paths)
    assert [line for line in said if " OK " not in line] == []
    assert (code, len(said)) == (0, len(paths))
    return len(paths)


@pytest.mark.parametrize("player", PLAYERS)
def test_every_option(tmp_path: Path, player: str) -> None:
    """Both verifiers agree on records of every variant and option value, with honest, revoking and failing players."""
    records = ((settings.name(setting), record(setting, player, "deals:3")) for setting in settings.ALL)
    assert check(tmp_path, records) == len(settings.ALL)


@pytest.mark.parametrize("player", PLAYERS)
def test_whole_games(tmp_path: Path, player: str) -> None:
    """Both agree on how games end: won, at the last deal, or by forfeit (K6 K7 K8)."""
    short = [setting for setting in settings.ALL if not setting[1] or set(setting[1]) & {"target", "max_deals"}]
    records = [(settings.name(setting), record(setting, player, "game")) for setting in short]
    assert check(tmp_path, iter(records)) == len(short)
    ends = {game["end"] for _, lines in records for line in lines[1:-1] for game in line["games"]}
    assert ends >= ({"won", "max_deals"} if player != "failing" else {"won", "forfeit"})


@pytest.mark.slow
@pytest.mark.parametrize("player", PLAYERS)
def test_every_option_at_length(tmp_path: Path, player: str) -> None:
    """Both agree on whole games and on several sets, under every option value and under many together."""
    every = [*settings.ALL, *settings.together(12)]
    records = ((settings.name(setting), record(setting, player, fmt, 2)) for setting in every for fmt in ("game", "deals:12"))
    assert check(tmp_path, records) == 2 * len(every)


def _deal(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return next(deal for game in lines[1]["games"] for deal in game["deals"] if sum(deal["tricks"]))


def _points(lines: list[dict[str, Any]]) -> None:
    _deal(lines)["points"][0] += 1


def _moves(lines: list[dict[str, Any]]) -> None:
    deal = _deal(lines)
    deal["moves"] = " ".join([*deal["moves"].split()[:-1], "7C"])


def _places(lines: list[dict[str, Any]]) -> None:
    lines[1]["games"][0]["places"] = [9] * len(lines[1]["games"][0]["places"])


@pytest.mark.parametrize("alter", [_points, _moves, _places])
def test_it_does_look(tmp_path: Path, alter: Callable[[list[dict[str, Any]]], None]) -> None:
    """An altered record is refused by the outside verifier, so that its consent means something."""
    lines = record(("ghost-hand", {}), "honest", "deals:3")
    alter(lines)
    code, said = outside(write(tmp_path / "altered.jsonl", lines))
    assert code == 1
    assert " WRONG " in said[0]
