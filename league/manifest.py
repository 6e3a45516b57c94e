"""`bot.toml`: what a submitted bot says of itself."""

from __future__ import annotations

import shlex
import tomllib
from typing import TYPE_CHECKING

import msgspec

from league.errors import BadManifest, BadName
from league.names import check_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.model import Json

LONGEST_COMMAND = 1000
LONGEST_DESCRIPTION = 500


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a bot.toml."""

    name: str
    """Of the bot."""
    run: str
    """Command line that starts it (shell words), in the folder of its files."""
    build: str = ""
    """Command line that makes it, run once in a writable copy of the folder; empty: there is nothing to make."""
    variants: tuple[str, ...] = ()
    """What it plays; as stored never empty."""
    description: str = ""

    def as_json(self) -> Json:
        """The same for JSON."""
        return {name: list(value) if isinstance(value := getattr(self, name), tuple) else value for name in KEYS}


KEYS = Manifest.__struct_fields__


def parse(raw: bytes | None, variants: Sequence[str]) -> Manifest:
    """Read a bot.toml.

    Args:
        raw: the file's content; None where there is no such file.
        variants: those that there are. A bot.toml that names none means all.

    Raises:
        BadManifest: it cannot be understood; the message says where, and what is allowed.
    """
    found = _convert(_load(raw))
    _check_name(found.name)
    _check_command("run", found.run)
    if found.build:
        _check_command("build", found.build)
    if len(found.description) > LONGEST_DESCRIPTION or not _plain(found.description, lines=True):
        raise BadManifest(f"bot.toml: description must be at most {LONGEST_DESCRIPTION} characters that can be printed")
    for name in found.variants:
        if name not in variants:
            raise BadManifest(f"bot.toml: no variant {name!r} (allowed: {', '.join(variants)})")
    if len(set(found.variants)) != len(found.variants):
        raise BadManifest("bot.toml: a variant is named twice")
    return msgspec.structs.replace(found, variants=found.variants or tuple(variants))


def renamed(found: Manifest, name: str) -> Manifest:
    """The same under another name; BadManifest if that breaks the rule for names."""
    _check_name(name)
    return msgspec.structs.replace(found, name=name)


def _load(raw: bytes | None) -> Json:
    if raw is None:
        raise BadManifest(
            "there is no bot.toml at the top of the bot's folder (or it is longer than 64 KB). It needs at least two lines: "
            'name = "mybot" and run = "python bot.py"'
        )
    try:
        return tomllib.loads(raw.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadManifest(f"bot.toml is not TOML: {error}") from None


def _convert(values: Json) -> Manifest:
    unknown = [key for key in values if key not in KEYS]
    if unknown:
        raise BadManifest(f"bot.toml: unknown key {', '.join(map(repr, unknown))} (allowed: {', '.join(KEYS)})")
    missing = [key for key in ("name", "run") if key not in values]
    if missing:
        raise BadManifest(f"bot.toml lacks {' and '.join(missing)} (allowed keys: {', '.join(KEYS)})")
    try:
        return msgspec.convert(values, Manifest)
    except msgspec.ValidationError as error:
        text = str(error).replace("`", "").replace("array", "a list").replace("str", "a string")
        raise BadManifest(f"bot.toml: {text.replace(' - at $.', ' for ')}") from None


def _check_name(name: str) -> None:
    try:
        check_name(name, "bot")
    except BadName as error:
        raise BadManifest(f"bot.toml: {error}") from None


def _check_command(key: str, command: str) -> None:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadManifest(f"bot.toml: {key} = {command!r} cannot be split into words: {error}") from None
    if not words:
        raise BadManifest(f'bot.toml: {key} is empty; give a command line, such as {key} = "python bot.py"')
    if len(command) > LONGEST_COMMAND or not _plain(command):
        raise BadManifest(f"bot.toml: {key} must be one line of at most {LONGEST_COMMAND} characters")


def _plain(text: str, *, lines: bool = False) -> bool:
    return (text.replace("\n", "") if lines else text).isprintable()
