"""`arena new`: a starting bot, with its test, in a new folder."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

BUILT = frozenset(
    {"target", "node_modules", "build", "dist", "gen", "generated", "__pycache__"}
    | {".git", ".gradle", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv"}
)
"""Folders that hold what building and testing make: never copied."""


@dataclass(frozen=True)
class Language:
    """How a starting bot in one language is made from its sample."""

    source: str
    """The sample's folder, in the project."""
    run: str
    """The command that starts the bot, in its folder."""
    test: str
    """The command that tests it, in its folder."""
    build: tuple[str, ...] = ()
    """The commands that build it, in its folder."""
    proto: bool = True
    """Whether it is built from the .proto files, which then come along."""
    replace: dict[str, str] = field(default_factory=dict)
    """What reads differently outside the project, in any of its files; what all have in common is seen to without."""
    built: frozenset[str] = BUILT
    """Folders that are not copied."""


LANGUAGES = {
    "python": Language("sample_bots/python/starter", "python bot.py", "{python} -m unittest", proto=False),
    "awk": Language("sample_bots/awk", "arena bridge -- awk -W interactive -f bot.awk", "./test.sh", proto=False),
}
"""By name; a line here makes a language known."""


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
    return list(files)


def commands(language: Language, folder: Path) -> Iterator[str]:
    """What to type next: build, test, play."""
    yield shlex.join(["cd", str(folder)])
    yield from language.build
    yield language.test.format(python=sys.executable)
    yield f'{_arena()} play --variant turn-up --bots "mine={language.run}",greedy --sets 4'


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
        ".venv/bin/arena": _arena(),
        ".venv/bin/python": sys.executable,
    }
    for before, after in {**language.replace, **common}.items():
        content = content.replace(before.encode(), after.encode())
    return content


def _arena() -> str:
    """How `arena` is typed in any folder."""
    program = Path(sys.argv[0]).absolute()
    if program.name != "__main__.py":
        return shlex.quote(str(program))
    return f"{shlex.quote(sys.executable)} -m arena"
