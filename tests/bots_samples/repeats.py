"""Whether a bot does the same again."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import ROOT


def printed_twice(code: str) -> list[str]:
    """What a program prints in each of two processes, whose hashes differ."""
    return [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
