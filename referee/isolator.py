"""What an isolator is: something that makes a command of the words of a program and the box it is to run in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.box import Box


@dataclass(frozen=True)
class Command:
    """How a program is started. Descriptors are the starter's to hand on (`fds`), to read at the end (`status`), and to close."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str | None
    fds: tuple[int, ...] = ()
    status: int | None = None
    """Where the isolator tells of its own failure, if it can: see `Isolator.failed`."""
    owner: int | None = None
    """The user that the program becomes, where that is known before; a tree that it writes to must be this user's."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked into, for people: `ok` None where it is as good without."""

    name: str
    ok: bool | None
    text: str


@dataclass(frozen=True)
class Ability:
    """Whether an isolator works on this machine. `features` are for its own use, `why` is empty if it works."""

    features: tuple[str, ...]
    why: str
    findings: tuple[Finding, ...]

    @property
    def works(self) -> bool:
        """Whether programs that are not trusted may run in it."""
        return not self.why


class Isolator(Protocol):
    """Makes sandboxes."""

    name: str
    places: tuple[str, ...]
    """Where in the sandbox the program can write, on file systems that hold `Limits.tmp`."""

    def ability(self) -> Ability:
        """Try it out."""

    def command(self, box: Box, words: Sequence[str], env: Mapping[str, str], number: int) -> Command:
        """How to start a program in a box. `number` is unlike that of any other box on this machine. Raises OSError."""

    def failed(self, code: int, status: bytes) -> bool:
        """Whether the sandbox, rather than the program in it, came to nothing."""

    def inside(self, address: str) -> str:
        """The referee's address as the program has to dial it."""

    def package(self, path: str) -> str:
        """Where the program finds a file of one of the arena's packages."""
