"""The floors of the house: who may import whom."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.needs("import_linter")
def test_imports_point_downwards_only(root: Path) -> None:
    """Every contract of .importlinter is kept."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-logo"]
    done = subprocess.run(command, check=False, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.needs("import_linter")
def test_an_arrow_upwards_is_found(root: Path, tmp_path: Path) -> None:
    """The contracts can fail: with the floors upside down they do."""
    text = (root / ".importlinter").read_text(encoding="utf-8")
    upside_down = text.replace("    league | referee\n    euchre\n", "    euchre\n    league | referee\n")
    assert upside_down != text
    config = tmp_path / "upside-down.ini"
    config.write_text(upside_down, encoding="utf-8")
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-logo", "--no-cache", "--config", str(config)]
    done = subprocess.run(command, check=False, cwd=root, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "BROKEN" in done.stdout
