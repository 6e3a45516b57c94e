"""The compiled form of rules and tables: used only when it was made from these very sources, and equal to them in all it says."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee import core
from referee.rules import Rules
from tests.referee.matches import Outcome, bad, finish, order, start
from tools import compile as compiling

ROOT = Path(__file__).resolve().parent.parent.parent
SHOW = """
from referee import core, table
from referee.rules import phases
print(core.form(), phases.__spec__.origin, table.__spec__.origin, sep="\\n")
"""
NATIVE = """
from referee.encode import Telling
from referee.rules import Deal
from referee.rules.phases import Play
from referee.table import Table
print(Deal.apply, Play.apply, Table.answer, Telling.ask)
"""

TESTED = {
    "rules": (
        "tests/rules/test_examples.py",
        "tests/rules/test_records.py",
        "tests/rules/test_game.py",
        "tests/rules/test_traps.py",
    ),
    "tables": (
        "tests/referee/test_table.py",
        "tests/referee/test_clock.py",
        "tests/referee/test_hall.py",
        "tests/referee/test_encode.py",
    ),
}
MISBEHAVED = {"illegal card": "ILLEGAL", "revoke": "ILLEGAL", "notes 2000": ""}
"""What a bot does, and the cause of its faults."""


def python(*words: str, compiled: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Python with the form that is told."""
    inherited = {name: value for name, value in os.environ.items() if name != "ARENA_TEST_PASSED"}  # which leaves tests out
    environment = {**inherited, "ARENA_COMPILED": str(compiled)}
    return subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, check=False, capture_output=True, text=True)


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a build of the present sources; made without optimising, which is quicker."""
    folder = tmp_path_factory.mktemp("builds")
    (folder / "older").mkdir()
    compiling.build(folder, opt="0")
    assert [build.name for build in folder.iterdir()] == [core.digest()], "builds of other sources go"
    return folder


def test_the_source_runs_when_told_to() -> None:
    done = python("-c", SHOW, compiled="off")
    sources = [str(core.SOURCES / "rules" / "phases.py"), str(core.SOURCES / "table.py")]
    assert done.stdout.splitlines() == ["Python source (ARENA_COMPILED=off)", *sources]


def test_a_build_that_is_insisted_on_must_be_there(tmp_path: Path) -> None:
    done = python("-c", SHOW, compiled=tmp_path)
    assert done.returncode == 1
    assert f"ImportError: ARENA_COMPILED={tmp_path}: no build of the present sources there (allowed: off, or " in done.stderr


def test_any_change_of_a_source_is_another_build(tmp_path: Path) -> None:
    """Every compiled module counts for the digest, and what is in no build does not."""
    copy = tmp_path / "referee"
    shutil.copytree(core.SOURCES, copy, ignore=shutil.ignore_patterns("_compiled", "__pycache__"))
    assert core.digest(copy) == core.digest()
    (copy / "rules" / "ruleset.py").write_text("", encoding="utf-8")
    assert core.digest(copy) == core.digest()
    seen = {core.digest()}
    for module in core.MODULES:
        with (copy / f"{module}.py").open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        seen.add(core.digest(copy))
    assert len(seen) == len(core.MODULES) + 1


@pytest.mark.parametrize("module", core.MODULES)
def test_no_constant_comes_from_what_does_not_count(module: str) -> None:
    """What mypyc writes into a build is of modules that count for its name."""
    tree = ast.parse((core.SOURCES / f"{module}.py").read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and str(node.module).startswith("referee")]
    others = [node for node in found if str(node.module).removeprefix("referee.").replace(".", "/") not in core.MODULES]
    assert not [name.name for node in others for name in node.names if name.name.isupper()]
    assert not [name.name for node in others if node.module == "referee" for name in node.names]


def test_a_build_must_be_of_these_sources_and_whole(tmp_path: Path) -> None:
    """A build is taken for one only if it has the name of these sources, every module and the mark that all is there."""
    assert core.build_in(tmp_path) is None
    build = tmp_path / core.digest()
    for folder in (tmp_path / "older", build):
        for module in core.MODULES:
            file = core.compiled(folder, module)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        assert core.build_in(tmp_path) is None, "not marked as complete, or of other sources"
        (folder / "complete").touch()
    assert core.build_in(tmp_path) == build
    core.compiled(build, "rules/deal").unlink()
    assert core.build_in(tmp_path) is None


def test_without_a_compiler_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(sys, "argv", ["compile", "--into", str(tmp_path)])
    assert compiling.main() == 1
    said = capsys.readouterr().err
    assert "no C compiler (no-such-compiler); on Debian: apt-get install gcc python3-dev" in said
    assert "The Python source runs, as before." in said


@pytest.mark.slow
@pytest.mark.needs("mypyc")
def test_compiled_modules_are_used(builds: Path) -> None:
    done = python("-c", SHOW, compiled=builds)
    form, *files = done.stdout.splitlines()
    build = builds / core.digest()
    assert form == f"compiled ({build})"
    assert files == [str(core.compiled(build, module)) for module in ("rules/phases", "table")]
    kinds = python("-c", NATIVE, compiled=builds)
    assert kinds.stdout.count("<method '") == 4, f"native methods, not Python functions: {kinds.stdout}{kinds.stderr}"


@pytest.mark.slow
@pytest.mark.needs("mypyc")
def test_both_forms_say_the_same(builds: Path) -> None:
    """Every question, view, refusal, revoke, copy and score, in deals of every setting."""
    source, compiled = (python("-m", "tests.rules.transcript", "5", "3", compiled=form) for form in ("off", builds))
    assert source.returncode == compiled.returncode == 0, source.stderr + compiled.stderr
    ours, theirs = source.stdout.splitlines(), compiled.stdout.splitlines()
    different = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    assert not different, different[0]
    assert len(ours) > 10_000


@pytest.mark.slow
@pytest.mark.needs("mypyc")
@pytest.mark.parametrize("where", TESTED)
def test_their_tests_pass_compiled(builds: Path, where: str) -> None:
    """Examples, golden records, faults, clocks, what is told to whom: run again on the compiled form."""
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTED[where], compiled=builds)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.slow
@pytest.mark.needs("mypyc")
@pytest.mark.parametrize("variant", ["ghost-hand", "cutthroat", "bid-euchre", "turn-up"])
def test_both_forms_referee_the_same_match(builds: Path, variant: str) -> None:
    """Real processes, one bot that answers illegally, revokes or talks: the same is recorded, noted and kept of faults."""
    for kind, cause in MISBEHAVED.items():
        bots = (bad(*kind.split()), *[bad("lot")] * (Rules(variant).sides - 1))
        given = order(*bots, variant=variant, options={}, sets=3, seatings=2, fmt="deals:3")
        source, compiled = (finish(start(given, ARENA_COMPILED=str(form))) for form in ("off", builds))
        assert (source.exit, source.done, len(source.games)) == (0, True, 6), source.stderr
        assert (compiled.exit, compiled.done) == (0, True), compiled.stderr
        assert told(compiled) == told(source)
        assert source.causes() == ({(0, cause)} if cause else set())
        assert bool(cause) == any(logs for *_, logs in told(source))
        assert (kind == "notes 2000") == any(said for _, _, said, _ in told(source))


def told(outcome: Outcome) -> list[tuple[tuple[int, list[int]], object, list[Any], list[Any]]]:
    """By set and seating: the game's record, the bots' notes, and what was kept of faults, without ids and times."""
    games = [event for event in outcome.events if event["event"] == "game"]
    found = [
        (
            (event["set"], event["seating"]),
            event["record"],
            event.get("notes", []),
            [(log["cause"], log["detail"], [exchanged(one) for one in log["exchanges"]]) for log in event.get("fault_logs", [])],
        )
        for event in games
    ]
    return sorted(found, key=lambda one: one[0])


def exchanged(one: dict[str, Any]) -> list[Any]:
    """What a seat was shown and allowed, and what it answered."""
    parts = (("ask", ("view", "legal_cards", "legal_calls")), ("answer", ("card", "call", "note")))
    return [[one[part][name] for name in names] for part, names in parts if one[part]]
