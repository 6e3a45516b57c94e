"""The compiled form of the rules: used only when it was made from these very sources, and equal to them in every answer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.rules import core
from tools import compile as compiling

ROOT = Path(__file__).resolve().parent.parent.parent
SHOW = "from referee.rules import core, phases; print(core.form()); print(phases.__file__)"


def python(*words: str, compiled: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Python with the form of the rules that is told."""
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
    assert done.stdout.splitlines() == ["Python source (ARENA_COMPILED=off)", str(core.SOURCES / "phases.py")]


def test_a_build_that_is_insisted_on_must_be_there(tmp_path: Path) -> None:
    done = python("-c", SHOW, compiled=tmp_path)
    assert done.returncode == 1
    assert f"ImportError: ARENA_COMPILED={tmp_path}: no build of the present rules there (allowed: off, or " in done.stderr


def test_any_change_of_a_source_is_another_build(tmp_path: Path) -> None:
    """Every compiled module counts for the digest, and what is in no build does not."""
    copy = tmp_path / "rules"
    shutil.copytree(core.SOURCES, copy)
    assert core.digest(copy) == core.digest()
    (copy / "ruleset.py").write_text("", encoding="utf-8")
    assert core.digest(copy) == core.digest()
    seen = {core.digest()}
    for module in core.MODULES:
        with (copy / f"{module}.py").open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        seen.add(core.digest(copy))
    assert len(seen) == len(core.MODULES) + 1


def test_a_build_must_be_of_these_sources_and_whole(tmp_path: Path) -> None:
    """A build is taken for one only if it has the name of these sources, every module and the mark that all is there."""
    assert core.build_in(tmp_path) is None
    build = tmp_path / core.digest()
    for folder in (tmp_path / "older", build):
        (folder / "variants").mkdir(parents=True)
        for module in core.MODULES:
            (folder / f"{module}{core.SUFFIX}").touch()
        assert core.build_in(tmp_path) is None, "not marked as complete, or of other sources"
        (folder / "complete").touch()
    assert core.build_in(tmp_path) == build
    (build / f"deal{core.SUFFIX}").unlink()
    assert core.build_in(tmp_path) is None


def test_without_a_compiler_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(sys, "argv", ["compile", "--into", str(tmp_path)])
    assert compiling.main() == 1
    said = capsys.readouterr().err
    assert "no C compiler (no-such-compiler); on Debian: apt-get install gcc python3-dev" in said
    assert "They run as Python source, as before." in said


@pytest.mark.slow
@pytest.mark.needs("mypyc")
def test_compiled_modules_are_used(builds: Path) -> None:
    done = python("-c", SHOW, compiled=builds)
    form, _ = done.stdout.splitlines()
    assert form == f"compiled ({builds / core.digest()})"
    kinds = python(
        "-c",
        "from referee.rules.phases import Play; from referee.rules import Deal; print(Deal.apply, Play.apply)",
        compiled=builds,
    )
    assert kinds.stdout.count("<method '") == 2, "native methods, not Python functions"


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
def test_the_rules_tests_pass_compiled(builds: Path) -> None:
    """Examples and golden records, run again on the compiled form."""
    names = ("tests/rules/test_examples.py", "tests/rules/test_records.py")
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", *names, compiled=builds)
    assert done.returncode == 0, done.stdout[-4000:]
