"""Copies what the dashboard serves of others' work from npm into dashboard/static/vendor: `python -m tools.vendor`.

Wants `npm ci --ignore-scripts` in dashboard/vendor first, whose lock file pins what it fetches. With `--check`, says instead
whether the files in the tree are those of the versions in the lock, which needs neither npm nor a network.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

DASHBOARD = Path(__file__).resolve().parent.parent / "dashboard"
LOCK = DASHBOARD / "vendor" / "package-lock.json"
MODULES = DASHBOARD / "vendor" / "node_modules"
TARGET = DASHBOARD / "static" / "vendor"
LIST = DASHBOARD / "vendor" / "files.json"
FILES = {
    "uPlot.iife.min.js": ("uplot", "dist/uPlot.iife.min.js"),
    "uPlot.min.css": ("uplot", "dist/uPlot.min.css"),
    "uPlot.LICENSE.txt": ("uplot", "LICENSE"),
}
"""By the name it has here: package, and path in it."""


def locked(package: str) -> str:
    """The version of a package in the lock file."""
    version: str = json.loads(LOCK.read_text())["packages"][f"node_modules/{package}"]["version"]
    return version


def copy() -> None:
    """Copy every file, and note where it came from."""
    TARGET.mkdir(parents=True, exist_ok=True)
    noted = {}
    for name, (package, path) in FILES.items():
        content = (MODULES / package / path).read_bytes()
        (TARGET / name).write_bytes(content)
        noted[name] = {
            "package": package,
            "version": locked(package),
            "path": path,
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    LIST.write_text(json.dumps(noted, indent=2) + "\n")


def wrong() -> list[str]:
    """What of the files in the tree does not agree with the lock, a line each."""
    noted = json.loads(LIST.read_text())
    lines = [f"{name} is listed in files.json and by no tool, or the other way round" for name in noted.keys() ^ FILES.keys()]
    lines += [f"{path.name} is in static/vendor and not listed" for path in TARGET.iterdir() if path.name not in noted]
    for name, entry in noted.items():
        if entry["version"] != locked(entry["package"]):
            lines.append(f"{name} is of {entry['package']} {entry['version']}, the lock has {locked(entry['package'])}")
        if hashlib.sha256((TARGET / name).read_bytes()).hexdigest() != entry["sha256"]:
            lines.append(f"{name} is not what was copied")
    return lines


def main(words: list[str]) -> int:
    """Run from the command line; returns the exit code."""
    if words == ["--check"]:
        lines = wrong()
        sys.stderr.writelines(f"{line}\n" for line in lines)
        return 1 if lines else 0
    if words:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    copy()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
