"""The files of deploy/: every command in them exists and takes its options; systemd has nothing to say against the units."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena.__main__ import main
from tests.conftest import ROOT
from worker.settings import from_env

if TYPE_CHECKING:
    from pathlib import Path

UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
PROGRAM = "/opt/arena/.venv/bin/arena"


def environment() -> dict[str, str]:
    """What the example of the environment file sets, comments taken in."""
    text = (ROOT / "deploy" / "systemd" / "arena.env.example").read_text()
    return dict(re.findall(r"^(?:# )?([A-Z_]+)=(\S+)$", text, re.MULTILINE))


def directives(unit: Path) -> dict[str, str]:
    """The settings of a unit; the last of one name counts."""
    return dict(line.split("=", 1) for line in unit.read_text().splitlines() if "=" in line and not line.startswith("#"))


def understood(words: list[str]) -> None:
    """The command exists and knows these options."""
    result = CliRunner().invoke(main, [*words, "--help"])
    assert result.exit_code == 0, f"{words}: {result.output}"
    assert result.output.startswith("Usage:")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_commands_of_units(unit: Path) -> None:
    """What a unit starts is a command of `arena` with options that it knows; every variable in it has an example."""
    command = directives(unit)["ExecStart"]
    command = re.sub(r"\$\{(\w+)\}", lambda found: environment()[found[1]], command)
    program, *words = shlex.split(command)
    assert program == PROGRAM
    understood(words)


def test_units_of_every_part() -> None:
    """Dashboard, referee, scheduler and workers have a unit each; a worker gets longer to stop than its drain takes."""
    assert [unit.name for unit in UNITS] == [
        "arena-dashboard.service",
        "arena-referee.service",
        "arena-scheduler.service",
        "arena-worker@.service",
    ]
    worker = directives(UNITS[-1])
    assert float(worker["TimeoutStopSec"]) > float(environment()["ARENA_DRAIN_SECONDS"]) + 10
    assert worker["KillMode"] == "mixed"


def test_the_environment_file() -> None:
    """Every setting of the example is one that the arena reads, with a value that it takes."""
    given = environment()
    own = {"ARENA_REFEREE_LISTEN", "ARENA_DASHBOARD_BIND"}
    known = from_env(given).env()
    assert {name: value for name, value in known.items() if name in given}.keys() == given.keys() - own
    assert "ARENA_DATA" not in given


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze on the PATH")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """`systemd-analyze verify` finds nothing, with the program where this test has it."""
    program = tmp_path / "arena"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -m arena\n")
    program.chmod(0o755)
    for unit in UNITS:
        (tmp_path / unit.name).write_text(unit.read_text().replace(PROGRAM, str(program)))
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / unit.name) for unit in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if "arena" in line]
    assert (done.returncode, said) == (0, [])


def test_commands_of_the_compose_file() -> None:
    """Every service of ours in the compose file runs a command of `arena` with options that it knows."""
    text = (ROOT / "deploy" / "compose.yaml").read_text()
    ours = re.findall(r"<<: \*arena\n(?:    #.*\n)*    command: \[(.*)\]", text)
    assert len(ours) == 3
    for command in ours:
        understood([word.strip().strip('"') for word in command.split(",")])


def test_what_the_image_holds() -> None:
    """The image has every package of the project, and the files that its installation reads."""
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    copied = set(re.findall(r"^COPY (\w+) \1$", text, re.MULTILINE))
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "tools"}
    assert copied >= packages
