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
    {"target", "node_modules", "build", "dist", "gen", "generated", "__pycache__", ".build.lock"}
    | {".git", ".gradle", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv"}
)
"""What building and testing make: never copied."""


@dataclass(frozen=True)
class Language:
    """How a starting bot in one language is made from its sample. Commands are a shell's, in the bot's folder."""

    source: str
    """The sample's folder, in the project."""
    run: str
    """The command that starts the bot."""
    test: str
    """The command that tests it."""
    build: tuple[str, ...] = ()
    """The commands that build it."""
    about: str = ""
    """For a README of its own, in place of the sample's: a title, what is needed, and what is where, each a paragraph."""
    proto: bool = True
    """Whether it is built from the .proto files, which then come along."""
    replace: dict[str, str] = field(default_factory=dict)
    """What reads differently outside the project, in any of its files; what all have in common is seen to without."""
    built: frozenset[str] = BUILT
    """Files and folders that are not copied."""


BUF = """`buf`, which `{install} buf-bin` brings if `make check` in the project has not"""
"""How to come by the program that generates Go."""

FAR = """Far from the referee, start the bot with `EUCHRE_REFEREE=tls:host:port` and `EUCHRE_TOKEN` in its environment;
`EUCHRE_TLS_CA` names the certificates to trust, `EUCHRE_TLS_CERT` and `EUCHRE_TLS_KEY` its own."""
"""How each bot plays from elsewhere."""

LANGUAGES = {
    "python": Language("sample_bots/python/starter", "python bot.py", "{python} -m unittest", proto=False),
    "awk": Language("sample_bots/awk", "arena bridge -- awk -W interactive -f bot.awk", "./test.sh", proto=False),
    "go": Language(
        "sample_bots/go",
        "build/bot",
        "go test ./...",
        build=('PATH="{bin}:$PATH" go generate', "go build -o build/bot"),
        about=f"""A bot in Go

Needed: Go 1.26 or newer, and {BUF}. `go generate` makes Go of `proto/` with the plugins that go.mod pins.

`main.go` is the bot, `main_test.go` tests what it answers.""",
    ),
    "rust": Language(
        "sample_bots/rust",
        "target/release/euchre-bot",
        "cargo test --release --locked",
        build=("cargo build --release --locked",),
        about="""A bot in Rust

Needed: Rust 1.88 or newer, and a C compiler for the encryption. `build.rs` makes Rust of `proto/`
with the protoc that Cargo.lock pins.

`src/main.rs` is the bot, `src/tests.rs` tests what it answers.""",
    ),
    "java": Language(
        "sample_bots/java",
        "java -jar target/bot.jar",
        "mvn -q -B test",
        build=("mvn -q -B -DskipTests package",),
        about="""A bot in Java

Needed: JDK 17 and Maven 3.8, or newer. Maven brings the protoc that makes Java of `proto/`.

`src/main/java/Bot.java` is the bot, `src/test/java/BotTest.java` tests what it answers.""",
    ),
    "typescript": Language(
        "sample_bots/typescript",
        "node dist/bot.js",
        "npm test",
        build=("npm ci", "npm run build"),
        about="""A bot in TypeScript

Needed: Node 20 or newer. Types are generated from `proto/`, which the bot also reads when it starts.

`bot.ts` is the bot, `bot.test.js` tests what it answers.""",
    ),
    "cpp": Language(
        "sample_bots/cpp",
        "build/bot",
        "make test",
        build=("make",),
        about="""A bot in C++

Needed: a compiler for C++20 and gRPC; in Debian, the packages g++, make, pkg-config, libgrpc++-dev, libprotobuf-dev,
protobuf-compiler and protobuf-compiler-grpc. `protoc` makes C++ of `proto/`.

`bot.cc` is the bot, `test.cc` tests what it answers.""",
        replace={"make -C sample_bots/cpp": "make"},
    ),
}
"""By name; an entry here makes a language known."""


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
