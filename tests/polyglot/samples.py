"""The samples in other languages: what each needs, building one once for the whole test run, and having it play."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.cli.new import LANGUAGES, filled
from referee.launch import ROOT
from referee.record import read, verify
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Collection

    from tests.rules.settings import Setting

KEY = "5a" * 32
PATIENT = ("--answer", "10", "--bank", "100", "--start", "90")
"""The machine may be building something else meanwhile; how fast a bot is is not what these tests are about."""

NEEDS = {
    "go": ("go", "buf"),
    "rust": ("cargo",),
    "java": ("maven",),
    "typescript": ("node",),
    "cpp": ("c++ grpc",),
}
"""The samples that speak gRPC by themselves, and what building each takes."""


def languages(slow: Collection[str] = frozenset({"rust"})) -> list[object]:
    """Parameters for tests, one a language, with the marks that go with it.

    Rust is for `make test-all` only: its first build takes a minute and a half of processor time; C++ and Java take half a
    minute, Go and TypeScript less. What is built is kept, so later runs do not pay again.
    """
    return [
        pytest.param(name, marks=[pytest.mark.needs(*needs), *([pytest.mark.slow] if name in slow else [])])
        for name, needs in NEEDS.items()
    ]


def build(name: str) -> str:
    """Build a sample as its README says, unless that has been done with the same files; returns the command that starts it.

    Only one test process builds, and none builds while another's bots run from there.
    """
    language = LANGUAGES[name]
    folder = Path(ROOT) / language.source
    with (folder / ".build.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        wanted = _state(folder, language.build)
        *_, program = language.run.split()
        if lock.read() != wanted or not (folder / program).exists():
            for command in language.build:
                shell(folder, filled(command))
            lock.truncate(0)
            lock.write(wanted)
    return language.run.replace(program, str(folder / program))


def lend_build(name: str, folder: Path) -> None:
    """Let a copy of a sample find what of its build is the same anywhere: the libraries, which for Rust take a minute.

    All others keep them where every project of a user finds them.
    """
    if name == "rust":
        build(name)
        subprocess.run(["cp", "-al", f"{ROOT}/{LANGUAGES[name].source}/target", folder], check=True)
        for own in folder.glob("target/release/**/euchre*bot*"):  # its build script knows where the sample's protocol is
            shutil.rmtree(own) if own.is_dir() else own.unlink(missing_ok=True)


QUICKLY = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}
"""Optimising takes the compiler twice as long, and the tests are not about speed."""


def shell(folder: Path, command: str) -> str:
    """Run a command of a shell in a folder; returns what it printed."""
    env = {**os.environ, **QUICKLY}
    done = subprocess.run(command, shell=True, check=False, cwd=folder, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def _state(folder: Path, commands: tuple[str, ...]) -> str:
    """A digest of what a build is made from: the sample's files that are not ignored, and the protocol's."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", folder, f"{ROOT}/proto"],
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    digest = hashlib.sha256(repr(commands).encode())
    for name in sorted(set(listed.stdout.splitlines())):
        path = Path(ROOT) / name
        digest.update(name.encode() + (path.read_bytes() if path.exists() else b""))
    return digest.hexdigest()


@dataclass(frozen=True)
class Played:
    """A match that was played by `arena play`."""

    text: str
    """What it printed."""
    record: Path

    def faults(self) -> list[dict[str, object]]:
        """The faults of all bots in all games."""
        games = [game for line in read(self.record) if "games" in line for game in line["games"]]
        assert games, self.text
        return [fault for game in games for deal in game["deals"] for fault in deal.get("faults", ())]

    def low(self) -> float:
        """The lower end of the 95 % interval of `mine` over `random`, in points a deal."""
        found = re.search(r"^mine over random: .* 95 % interval (\S+) to", self.text, re.MULTILINE)
        assert found, self.text
        return float(found[1])


def play(folder: Path, bot: str, setting: Setting, *, sets: int = 2, deals: int = 4) -> Played:
    """Have `mine`, a command, play against `random` in every other seat, each bot a process of its own, and verify the record."""
    variant, options = setting
    company = ",random" * (Rules(variant, options).bots - 1)
    words = ["--variant", variant, *(word for option in options.items() for word in ("--option", "=".join(option)))]
    words += ["--bots", f"mine={bot}{company}", "--sets", str(sets), "--format", f"deals:{deals}", *PATIENT]
    played = Played(arena(folder, "play", "--key", KEY, "--record", "record.jsonl", *words), folder / "record.jsonl")
    verify(read(played.record))
    return played


def arena(folder: Path, *words: str) -> str:
    """Run `arena` in a folder, with its data there; returns what it printed."""
    environment = {**os.environ, "ARENA_DATA": str(folder / "var")}
    command = [sys.executable, "-m", "arena", *words]
    done = subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
