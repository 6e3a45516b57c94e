"""The isolators that there are, by name. Another one is another line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from referee.bubblewrap import Bubblewrap
from referee.isolator import Ability, Command, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.box import Box
    from referee.isolator import Isolator

CGROUP: Final = "cgroup"
"""The feature of a box that the kernel holds to its limits."""


class Plain:
    """No sandbox: the program runs as whoever runs the referee. For programs that are trusted, or by express permission."""

    name: str = "none"
    places: tuple[str, ...] = ()

    def ability(self) -> Ability:
        """It always works."""
        return Ability((), "", (Finding("isolation", ok=False, text="none: programs can do whatever this user can"),))

    def command(self, box: Box, words: Sequence[str], env: Mapping[str, str], number: int) -> Command:
        """The words themselves, in the tree."""
        del number
        return Command(tuple(words), dict(env), box.tree)

    def failed(self, code: int, status: bytes) -> bool:
        """There is nothing that could fail."""
        del code, status
        return False

    def inside(self, address: str) -> str:
        """The same address."""
        return address

    def package(self, path: str) -> str:
        """The same path."""
        return path


ISOLATORS: Final[dict[str, Isolator]] = {isolator.name: isolator for isolator in (Bubblewrap(), Plain())}
