"""Spares `make test-all`, run right after `make test` on the same tree, what has just passed there. `.ci/run` asks for it.

The environment variable ARENA_TEST_PASSED names a file. A run without ARENA_TEST_ALL=1 writes into it the tests that
passed, with a digest of the tree; a run with it leaves those out and says how many. Without the variable, after any
change of the tree, or where the file cannot be read, everything is run. Tests that failed or were skipped are always run
again, and so are those marked `deeper`, which prove more with ARENA_TEST_ALL=1.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLE = "ARENA_TEST_PASSED"


def tree_digest(root: Path) -> str:
    """SHA-256 of the interpreter's version and of all files below `root` that git does not ignore; "" where git cannot tell."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    whole = hashlib.sha256(sys.version.encode())
    for name in sorted(set(listed.split(b"\0"))):
        path = root / name.decode(errors="surrogateescape")
        whole.update(name + (hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b"-"))
    return whole.hexdigest()


def recalled(file: Path, tree: str) -> list[str]:
    """The tests that passed on this very tree, by node id; none where the file is missing, damaged or of another tree."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return sorted(map(str, found["passed"])) if tree and found["tree"] == tree else []
    except (OSError, ValueError, KeyError, TypeError):
        return []


class Remember:
    """Writes down which tests passed. Belongs to the process that hears every report: the only one, or the one that deals out."""

    def __init__(self, file: Path, root: Path) -> None:
        self._file = file
        self._tree = tree_digest(root)
        self._phases: dict[str, list[bool]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of a phase of a test: set-up, call or end."""
        self._phases.setdefault(report.nodeid, []).append(report.passed)

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        passed = [name for name, phases in self._phases.items() if phases == [True] * 3]
        self._file.write_text(json.dumps({"tree": self._tree, "passed": passed}), encoding="utf-8")


class LeaveOut:
    """Leaves out what has passed; the process that deals out gives its helpers the list, so that all see the same tests."""

    def __init__(self, passed: Sequence[str]) -> None:
        self._passed = list(passed)
        self._left_out = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect the tests that passed, but those that are marked `deeper`."""
        passed = set(self._passed)
        again = [item for item in items if item.nodeid not in passed or item.get_closest_marker("deeper")]
        spared = [item for item in items if item not in set(again)]
        if spared:
            config.hook.pytest_deselected(items=spared)
            items[:] = again
        self._left_out = len(spared)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a helper process the list."""
        node.workerinput["passed"] = self._passed

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Hear from a helper process how many it left out: all of them leave out the same."""
        self._left_out = getattr(node, "workeroutput", {}).get("left_out", self._left_out)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell, as a helper process, how many were left out."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["left_out"] = self._left_out

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many tests were left out, and why."""
        if self._left_out:
            terminalreporter.write_line(f"{self._left_out} passed in make test, run just before, are not repeated")


def pytest_configure(config: pytest.Config) -> None:
    """Register what this process needs of the above, if anything."""
    helper = getattr(config, "workerinput", None)
    file = os.environ.get(VARIABLE)
    if helper is not None:
        if "passed" in helper:
            config.pluginmanager.register(LeaveOut(helper["passed"]))
    elif file and os.environ.get("ARENA_TEST_ALL") == "1":
        config.pluginmanager.register(LeaveOut(recalled(Path(file), tree_digest(config.rootpath))))
    elif file:
        config.pluginmanager.register(Remember(Path(file), config.rootpath))
