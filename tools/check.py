"""Every check that needs no running part: `make check`. Runs them all and ends with 1 if one failed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent
PYTHON = sys.executable

CHECKS: dict[str, list[str]] = {
    "format": [str(BIN / "ruff"), "format", "--check", "."],
    "lint": [str(BIN / "ruff"), "check", "."],
    "types": [str(BIN / "mypy")],
    "floors": [str(BIN / "lint-imports"), "--no-logo"],
    "proto format": [str(BIN / "buf"), "format", "--diff", "--exit-code", "proto"],
    "proto lint": [str(BIN / "buf"), "lint", "proto"],
    "proto breaking": [str(BIN / "buf"), "breaking", "proto", "--against", "tests/referee/released/euchre.v1.binpb"],
    "generated code": [PYTHON, "tools/generate.py", "--check"],
    "generated docs": [PYTHON, "-m", "tools.options", "--check"],
    "vendored files": [PYTHON, "-m", "tools.vendor", "--check"],
    "generated reference": [PYTHON, "-m", "tools.reference", "--check"],
}


def run(name: str, command: list[str]) -> bool:
    """Run one check; prints its output only where it failed. Returns whether it passed."""
    started = time.monotonic()
    done = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    passed = done.returncode == 0
    print(f"{'ok    ' if passed else 'FAILED'} {name} ({time.monotonic() - started:.1f} s)", flush=True)
    if not passed:
        print(done.stdout + done.stderr, flush=True)
    return passed


def main() -> int:
    """Run every check; returns the exit code."""
    failed = [name for name, command in CHECKS.items() if not run(name, command)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
