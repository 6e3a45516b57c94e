"""What the tests of samples in other languages share: building one once, and having it play."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.launch import ROOT
from referee.record import read, verify
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.rules.settings import Setting

SAMPLES = Path(ROOT) / "sample_bots"
TOOLS = Path(sys.executable).parent
"""Where buf is."""
KEY = "5a" * 32

SETTINGS: list[Setting] = [
    ("ghost-hand", {}),
    ("ghost-hand", {"joker": "on", "ace_no_face": "on", "stick_dealer": "on"}),
    ("cutthroat", {}),
    ("cutthroat", {"deck": "25", "dealer_pickup": "must", "round2_turned_suit": "yes"}),
    ("cutthroat", {"deck": "32", "stick_dealer": "on", "round2_turned_suit": "stuck_only"}),
    ("bid-euchre", {}),
    ("bid-euchre", {"double_deck": "on", "stick_dealer": "on"}),
    ("bid-euchre", {"joker": "on", "ace_no_face": "on", "stick_dealer": "on"}),
    ("turn-up", {}),
    ("turn-up", {"stick_dealer": "on", "lone_defender": "on", "round2_turned_suit": "yes", "revoke": "stand"}),
]
"""Every variant, and every option that changes what a bot is asked."""


def build(folder: Path, *commands: Sequence[str]) -> None:
    """Run a sample's build commands in its folder, one process of the test run at a time; what is built already costs little."""
    (folder / "build").mkdir(exist_ok=True)
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    with (folder / "build" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in commands:
            environment = {**os.environ, "PATH": path}
            done = subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


@dataclass(frozen=True)
class Played:
    """A match that was played by `arena play`."""

    text: str
    """What it printed."""
    record: Path

    def faults(self) -> int:
        """The faults of all bots in all games."""
        games = [game for line in self.record.read_text().splitlines() for game in json.loads(line).get("games", ())]
        assert games, self.text
        return sum(len(deal.get("faults", ())) for game in games for deal in game["deals"])

    def low(self, bot: str, other: str) -> float:
        """The lower end of the interval of a bot's margin over another, in points a deal."""
        found = re.search(rf"{bot} over {other}: .* interval (\S+) to", self.text)
        assert found, self.text
        return float(found[1])


def play(folder: Path, name: str, command: Path, setting: Setting, *, rival: str, sets: int, deals: int) -> Played:
    """Have a sample play against `rival` in every other seat, through the referee, each bot a process of its own."""
    variant, options = setting
    bots = ",".join([f"{name}={command}"] + [rival] * (Rules(variant, options).bots - 1))
    words = ["play", "--variant", variant, "--bots", bots, "--sets", str(sets), "--format", f"deals:{deals}", "--key", KEY]
    words += [word for option, value in options.items() for word in ("--option", f"{option}={value}")]
    words += ["--record", "match.jsonl", "--answer", "20"]  # this is no test of how busy the machine is
    environment = {**os.environ, "ARENA_DATA": str(folder / "var")}
    done = subprocess.run(
        [sys.executable, "-m", "arena", *words], check=False, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    verify(read(folder / "match.jsonl"))
    return Played(done.stdout + done.stderr, folder / "match.jsonl")
