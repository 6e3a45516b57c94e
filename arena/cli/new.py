"""`arena new`: a starting bot, with its test, in a new folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.languages import FAR, LANGUAGES, Language
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command()
@click.argument("language", metavar="LANGUAGE")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def new(language: str, folder: Path) -> None:
    """Write a starting bot in LANGUAGE, with its test, into the new folder DIR."""
    if language not in LANGUAGES:
        raise click.UsageError(f"no starting bot in {language!r} (there are: {', '.join(LANGUAGES)})")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise click.UsageError(f"{folder} exists and is not empty: a bot is only written into a new folder")
    written = write(LANGUAGES[language], folder)
    click.echo(f"{folder}: {', '.join(written)}\n")
    click.echo("\n".join(commands(LANGUAGES[language], folder)))


def write(language: Language, folder: Path) -> list[str]:
    """Copy the sample and what it needs; returns the files by name. Raises click.ClickException where it is not at hand."""
    source = ROOT / language.source
    files = dict(_files(source, language.built))
    if language.proto:
        files |= {f"proto/{name}": path for name, path in _files(ROOT / "proto", language.built)}
    if not files:
        raise click.ClickException(f"the sample is not here: {source} is missing (a checkout of the project has it)")
    for name, path in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_adapted(path.read_bytes(), language))
        target.chmod(path.stat().st_mode & 0o777)
    if language.about:
        (folder / "README.md").write_text(_readme(language), encoding="utf-8")
    return list(files)


def commands(language: Language, folder: Path) -> Iterator[str]:
    """What to type next: build, test, check, play."""
    yield shlex.join(["cd", str(folder)])
    yield from filter(None, (" && ".join(map(filled, language.build)), filled(language.test)))
    yield shlex.join([*_arena(), "check", language.run])
    yield _play(language)


def filled(text: str) -> str:
    """A command with this installation's interpreter and programs in it."""
    python = shlex.quote(sys.executable)
    uv = Path(sys.executable).with_name("uv")
    install = f"{shlex.quote(str(uv))} pip install --python {python}" if uv.exists() else f"{python} -m pip install"
    return text.format(python=python, install=install, bin=Path(sys.executable).parent)


def _play(language: Language) -> str:
    return f'{shlex.join(_arena())} play --variant turn-up --bots "mine={language.run}",greedy --sets 4'


def _readme(language: Language) -> str:
    """What is needed, three commands, and what is where."""
    title, needed, parts = language.about.split("\n\n")
    build, test = " && ".join(map(filled, language.build)), filled(language.test)
    check = shlex.join([*_arena(), "check", language.run])
    more = f"`{check}` shows whether the bot keeps the protocol."
    return f"# {title}\n\n{filled(needed)}\n\n```\n{build}\n{test}\n{_play(language)}\n```\n\n{parts}\n{more}\n\n{FAR}\n"


def _files(folder: Path, built: frozenset[str]) -> Iterator[tuple[str, Path]]:
    """The files below a folder, by their path in it, less what is in folders that are not copied."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and built.isdisjoint(parts):
            yield "/".join(parts), path


def _adapted(content: bytes, language: Language) -> bytes:
    """A file as it must read outside the project."""
    common = {
        f"{language.source}/test": "./test",
        f"{language.source}/": "",
        "../../proto": "proto",
        ".venv/bin/arena": shlex.join(_arena()),
        ".venv/bin/python": sys.executable,
    }
    for before, after in {**language.replace, **common}.items():
        content = content.replace(before.encode(), after.encode())
    return content


def _arena() -> list[str]:
    """How `arena` is typed in any folder, as words."""
    program = Path(sys.argv[0]).absolute()
    return [str(program)] if program.name != "__main__.py" else [sys.executable, "-m", "arena"]
