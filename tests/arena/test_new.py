"""`arena new`: what it writes plays, and its own test passes, outside the project."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena.__main__ import main
from arena.cli.new import LANGUAGES, Language, write
from tests.arena.test_play import arena
from tests.polyglot import samples
from worker.settings import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def follow(folder: Path, told: str) -> str:
    """Do what `arena new` says to do next, as it is printed, only less of it; returns what the last command printed."""
    enter, *steps, check, play = told.split("\n\n")[1].splitlines()
    assert enter == f"cd '{folder.name}'"
    for command in (*steps, f"{check} --only 3,18", f"{play} --sets 1 --format deals:3 --answer 20 --start 90"):
        printed = samples.shell(folder, command)
    return printed


@pytest.mark.parametrize("language", ["python", "awk", *samples.languages(slow=samples.NEEDS)])
def test_a_starting_bot_tests_itself_and_plays(tmp_path: Path, language: str) -> None:
    """The commands that are printed after writing work as they are printed, and the bot makes no fault."""
    done = arena(tmp_path, "new", language, "my bot")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "my bot"
    written = kept(folder)
    samples.lend_build(language, folder)
    printed = follow(folder, done.stdout)
    samples.shell(folder, LANGUAGES[language].ships)
    shipped = {path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*")}
    assert {word.removeprefix("./") for word in LANGUAGES[language].hosted.split()} & shipped, (
        "the program that runs is not there"
    )
    shutil.rmtree(folder / "out")
    assert re.search(r"^\d  mine .* 0  –$", printed, re.MULTILINE), printed
    assert kept(folder) == written, "what was built is not covered by .gitignore"


def kept(folder: Path) -> set[str]:
    """The files in a folder that git would keep."""
    return set(samples.shell(folder, "git init -q . && git ls-files -co --exclude-standard").splitlines())


@pytest.mark.parametrize("language", [name for name, language in LANGUAGES.items() if language.about])
def test_the_readme_has_the_commands_that_are_printed(tmp_path: Path, language: str) -> None:
    """Three of them: build, test, play; and the check in a sentence."""
    done = CliRunner().invoke(main, ["new", language, str(tmp_path / "bot")])
    _, build, test, check, play = done.output.split("\n\n")[1].splitlines()
    readme = (tmp_path / "bot" / "README.md").read_text(encoding="utf-8")
    assert f"\n```\n{build}\n{test}\n{play}\n```\n" in readme
    assert f"`{check}`" in readme
    named = re.findall(r"`([\w./]+\.(?:go|rs|java|ts|js|cc))`", readme)
    assert named
    assert [name for name in named if not (tmp_path / "bot" / name).exists()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_file_points_back_into_the_project(tmp_path: Path, language: str) -> None:
    """What is written stands by itself: no path that only holds beside the samples."""
    for name in write(LANGUAGES[language], tmp_path / "bot"):
        text = (tmp_path / "bot" / name).read_text(encoding="utf-8")
        assert "sample_bots" not in text, name
        assert "../../proto" not in text, name
        assert " .venv/" not in text, name
    assert (tmp_path / "bot" / "README.md").exists()


def test_a_language_is_one_line(tmp_path: Path) -> None:
    """The .proto files come along where a sample is built from them, and its files find them; what was built stays behind."""
    sample = tmp_path / "sample"
    (sample / "src").mkdir(parents=True)
    (sample / "target").mkdir()
    (sample / "target" / "bot").write_text("built")
    (sample / "build.rs").write_text('compile("../../proto/euchre/v1/referee.proto", "../../proto", "special")')
    (sample / "src" / "logo.png").write_bytes(b"\xff\x00")
    words = {"title": "Any", "ships": "true", "hosted": "./bot", "needs": "Nothing."}
    language = Language(str(sample), "./bot", "make check", **words, build=("make",), replace={"special": "plain"})
    written = write(language, tmp_path / "bot")
    assert written[:2] == ["build.rs", "src/logo.png"]
    assert "proto/euchre/v1/referee.proto" in written
    assert not (tmp_path / "bot" / "target").exists()
    assert (tmp_path / "bot" / "build.rs").read_text() == 'compile("proto/euchre/v1/referee.proto", "proto", "plain")'
    assert (tmp_path / "bot" / "src" / "logo.png").read_bytes() == b"\xff\x00"
    for name in ("cards", "table"):
        copy = tmp_path / "bot" / "proto" / "euchre" / "v1" / f"{name}.proto"
        assert copy.read_bytes() == (ROOT / "proto" / "euchre" / "v1" / f"{name}.proto").read_bytes()


def test_mistakes_are_told(tmp_path: Path) -> None:
    """An unknown language is told which there are, and nothing is written where something is."""
    done = CliRunner().invoke(main, ["new", "lisp", str(tmp_path / "bot")])
    assert done.exit_code == 2
    assert f"no starting bot in 'lisp' (there are: {', '.join(LANGUAGES)})" in done.output
    assert not (tmp_path / "bot").exists()
    (tmp_path / "full").mkdir()
    for name in ("full/file", "file"):
        (tmp_path / name).write_text("mine")
        where = str(tmp_path / name.split("/", maxsplit=1)[0])
        done = CliRunner().invoke(main, ["new", "python", where])
        assert done.exit_code == 2
        assert f"{where} exists and is not empty" in done.output
        assert (tmp_path / name).read_text() == "mine"
    (tmp_path / "empty").mkdir()
    assert CliRunner().invoke(main, ["new", "python", str(tmp_path / "empty")]).exit_code == 0
