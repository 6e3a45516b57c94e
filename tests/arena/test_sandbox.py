"""`arena play` and `arena check` with --sandbox: an author's own bot, kept as a hosted one is."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs("bubblewrap")

BOT = """
import os, sys
from arena import Bot, run
from helper import choose

print("SEES", sorted(os.listdir(".")), os.path.isdir("var") and os.listdir("var"), os.getcwd(), flush=True)

class Mine(Bot):
    def choose(self, view):
        return choose(view)

run(Mine())
sys.exit(9)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder, with the arena's data in it, as they are by default."""
    made = tmp_path / "mine"
    made.mkdir(mode=0o755)
    (made / "bot.py").write_text(BOT)
    (made / "helper.py").write_text("def choose(view):\n    return view.legal[0]\n")
    (made / "var").mkdir()
    (made / "var" / "arena.db").write_text("secret")
    for path in made.rglob("*"):
        path.chmod(0o755)
    return made


def arena(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    return subprocess.run(
        [sys.executable, "-m", "arena", *words],
        check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def test_a_match_in_sandboxes(folder: Path) -> None:
    """The bot finds its files and none of the arena's data; its output and its exit code are shown; samples are kept alike."""
    done = arena(
        folder,
        "play",
        "--variant",
        "turn-up",
        "--bots",
        "me=python bot.py,lowest",
        "--sets",
        "1",
        "--format",
        "deals:1",
        "--sandbox",
    )
    assert done.returncode == 0, done.stderr
    assert "turn-up, 1 set, 2 games" in done.stdout
    assert "SEES ['bot.py', 'helper.py', 'var'] [] /bot" in done.stderr
    assert "exit code 9" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--sandbox", "--limit", "memory=little"), "memory is 'little' (allowed: 16 MiB or more, such as 512M)"),
        (("--sandbox", "--limit", "ram=1G"), "unknown limit ram (known: memory, processes"),
        (("--limit", "memory=1G"), "--limit goes with --sandbox"),
    ],
)
def test_limits_are_checked_first(folder: Path, words: tuple[str, ...], told: str) -> None:
    """A mistake of the user's, with what is allowed."""
    done = arena(folder, "play", "--variant", "turn-up", "--bots", "lowest,greedy", *words)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_check_in_a_sandbox(folder: Path) -> None:
    """Steps go as without; what the sandbox does to a bot is in the report."""
    (folder / "bot.py").write_text(BOT.replace("sys.exit(9)", ""))
    done = arena(folder, "check", "python bot.py", "--sandbox", ".", "--only", "1,3,19")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3 steps passed" in done.stdout
    (folder / "bot.py").write_text("hoard = []\nwhile True: hoard.append(bytes(range(256)) * (1 << 15))\n")
    done = arena(folder, "check", "python bot.py", "--sandbox", ".", "--only", "1", "--limit", "memory=64M")
    assert done.returncode == 1
    assert "killed: memory over 64 MiB" in done.stdout
    assert "there is no folder" in arena(folder, "check", "python bot.py", "--sandbox", "nowhere").stderr
