"""What a sandbox is asked to be: which files, how much of everything. Plain data, as it travels in orders and to the launcher."""

from __future__ import annotations

import dataclasses
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from referee.errors import BadLimit

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE: Final = "ARENA_LIMITS"
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _limit(default: float, lowest: float, *, size: bool, meaning: str) -> Any:  # noqa: ANN401 - what dataclasses give
    return field(default=default, metadata={"lowest": lowest, "size": size, "meaning": meaning})


@dataclass(frozen=True)
class Limits:
    """What one sandbox may use; of its seat alone, never shared with another."""

    memory: int = _limit(
        1 << 30, 16 << 20, size=True, meaning="memory of all its processes and its files in /tmp, /dev/shm and home"
    )
    processes: int = _limit(64, 1, size=False, meaning="processes and threads at once")
    files: int = _limit(256, 16, size=False, meaning="open files of each process")
    tmp: int = _limit(64 << 20, 4096, size=True, meaning="each of /tmp, /dev/shm and home")
    entries: int = _limit(10_000, 10, size=False, meaning="files and folders in each of /tmp, /dev/shm and home")
    cpus: float = _limit(1.0, 0.01, size=False, meaning="cores")
    tree: int = _limit(2 << 30, 4096, size=True, meaning="the folder that a build writes to")
    tree_entries: int = _limit(200_000, 10, size=False, meaning="files and folders in it")

    @classmethod
    def of(cls, given: Mapping[str, Any], base: Limits | None = None) -> Limits:
        """Limits by name, numbers or text such as 512M; those left out are `base`'s. Raises BadLimit, with what is allowed."""
        known = {part.name: part for part in dataclasses.fields(cls)}
        if unknown := given.keys() - known.keys():
            raise BadLimit(f"unknown limit {', '.join(sorted(unknown))} (known: {', '.join(known)})")
        values: dict[str, Any] = {name: _value(known[name], value) for name, value in given.items()}
        return dataclasses.replace(base or cls(), **values)

    @classmethod
    def of_text(cls, text: str, base: Limits | None = None) -> Limits:
        """Limits such as `memory=2G,processes=128`. Raises BadLimit."""
        pairs = [word.partition("=") for word in text.split(",") if word.strip()]
        for name, equals, value in pairs:
            if not equals:
                raise BadLimit(f"{name.strip()!r} is not NAME=VALUE (known: {', '.join(cls.names())})")
            del value
        return cls.of({name.strip(): value.strip() for name, _, value in pairs}, base)

    @classmethod
    def of_environment(cls, env: Mapping[str, str] = os.environ) -> Limits:
        """The organiser's limits: what ARENA_LIMITS says, for the rest the defaults. Raises BadLimit."""
        try:
            return cls.of_text(env.get(VARIABLE, ""))
        except BadLimit as error:
            raise BadLimit(f"{VARIABLE}: {error}") from None

    @classmethod
    def names(cls) -> list[str]:
        """The names of all limits."""
        return [part.name for part in dataclasses.fields(cls)]

    def as_json(self) -> dict[str, Any]:
        """By name."""
        return dataclasses.asdict(self)


def _value(part: dataclasses.Field[Any], given: object) -> float:
    lowest, size = part.metadata["lowest"], part.metadata["size"]
    value = _number(given, size=size)
    if value is None or value < lowest:
        allowed = f"{size_text(lowest)} or more, such as 512M" if size else f"a number, {lowest:g} or more"
        raise BadLimit(f"{part.name} is {given!r} (allowed: {allowed})")
    return value if part.name == "cpus" else int(value)


def _number(given: object, *, size: bool) -> float | None:
    if isinstance(given, bool) or not isinstance(given, (int, float, str)):
        return None
    found = _SIZE.fullmatch(str(given).strip())
    if found is None or (found[2] and not size):
        return None
    return float(found[1]) * _UNITS[found[2].upper()]


def size_text(size: float) -> str:
    """A number of bytes for people: 1 GiB, 64 MiB."""
    for name, unit in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size:g} bytes"


@dataclass(frozen=True)
class Box:
    """A sandbox as the launcher is told to make it."""

    isolator: str
    """Name of the isolator that makes it."""
    tree: str
    """Folder that the program finds as /bot and starts in."""
    limits: Limits = Limits()
    features: tuple[str, ...] = ()
    """What the isolator found out that it can do here."""
    socket: str | None = None
    """Unix socket of the referee, the one thing outside that the program may reach."""
    writable: bool = False
    """Whether it may change its tree: for builds."""
    network: bool = False
    """Whether it has the network of this machine: for builds that fetch what they need, never for play."""
    read: tuple[str, ...] = ()
    """More folders that it may read."""
    hide: tuple[str, ...] = ()
    """Folders in the tree that it finds empty."""

    def as_json(self) -> dict[str, Any]:
        """As the launcher takes it."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Box:
        """Back from `as_json`."""
        return cls(
            **{
                **given,
                "limits": Limits(**given["limits"]),
                "features": tuple(given["features"]),
                "read": tuple(given["read"]),
                "hide": tuple(given["hide"]),
            }
        )
