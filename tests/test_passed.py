"""What `make test` has passed is not repeated by the `make test-all` of `.ci/run`; whatever else there is is run."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests import passed
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["pytester"]

CONFTEST = "from tests.passed import pytest_configure"
TESTS = """
import os
import pytest

ALL = os.environ.get("ARENA_TEST_ALL") == "1"

def test_good(): pass
@pytest.mark.parametrize("number", [1, 2])
def test_numbered(number): pass
def test_skipped():
    if not ALL: pytest.skip("later")
def test_failed(): assert ALL
@pytest.mark.deeper
def test_deeper(): pass
@pytest.fixture
def untidy():
    yield
    assert ALL
def test_untidy(untidy): pass
"""
WORDS = ("-p", "no:cacheprovider", "-rA", "-q")


@pytest.fixture
def both(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.Pytester:
    """A small project under git, in whose folder `make test` and `make test-all` share a file."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv(passed.VARIABLE, str(tmp_path / "passed.json"))
    monkeypatch.delenv("ARENA_TEST_ALL", raising=False)
    pytester.makeconftest(CONFTEST)
    pytester.makeini("[pytest]\nmarkers =\n  deeper\n")
    pytester.makepyfile(test_it=TESTS)
    (pytester.path / ".gitignore").write_text("__pycache__\nstdout\nstderr\n")
    subprocess.run(["git", "init", "-q"], cwd=pytester.path, check=True)
    return pytester


def run(both: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, *words: str, everything: bool) -> tuple[set[str], str]:
    """Run the tests as `make test` or `make test-all` does; the names of those that were run to an end, and the output."""
    monkeypatch.setenv("ARENA_TEST_ALL", "1" if everything else "0")
    done = (both.runpytest_subprocess if words else both.runpytest_inprocess)(*WORDS, *words)
    lines = [line.split() for line in done.outlines]
    ran = {line[1].removeprefix("test_it.py::") for line in lines if line[:1] == ["PASSED"] and len(line) == 2}
    return ran, "\n".join(done.outlines)


EVERYTHING = {"test_good", "test_numbered[1]", "test_numbered[2]", "test_skipped", "test_failed", "test_deeper", "test_untidy"}
SPARED = {"test_good", "test_numbered[1]", "test_numbered[2]"}


@pytest.mark.parametrize("words", [(), ("-p", "xdist", "-n", "2", "--dist", "worksteal")], ids=["one process", "two helpers"])
def test_only_what_passed_is_left_out(both: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    """Failed, skipped and untidy tests are run again, and those that prove more; the rest is left out, and counted."""
    first, said = run(both, monkeypatch, *words, everything=False)
    assert first >= SPARED
    assert "not repeated" not in said
    second, said = run(both, monkeypatch, *words, everything=True)
    assert second == EVERYTHING - SPARED
    assert "3 passed in make test, run just before, are not repeated" in said


@pytest.mark.parametrize("change", ["tree", "file", "git", "variable"])
def test_in_doubt_everything_is_run(both: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: str) -> None:
    """A changed tree, a damaged file, a tree that git does not know, and a developer's `make test-all`: nothing is left out."""
    run(both, monkeypatch, everything=False)
    if change == "tree":
        (both.path / "new.py").write_text("")
    elif change == "file":
        (tmp_path / "passed.json").write_text("{")
    elif change == "git":
        (both.path / ".git" / "HEAD").unlink()
    else:
        monkeypatch.delenv(passed.VARIABLE)
    ran, said = run(both, monkeypatch, everything=True)
    assert ran == EVERYTHING
    assert "not repeated" not in said


def test_the_file_holds_what_passed(both: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The file names the tests that passed in all their phases, and the tree."""
    run(both, monkeypatch, everything=False)
    found = json.loads((tmp_path / "passed.json").read_text())
    assert set(found["passed"]) == {f"test_it.py::{name}" for name in {*SPARED, "test_deeper"}}
    assert found["tree"] == passed.tree_digest(both.path) != ""
