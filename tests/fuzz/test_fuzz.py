"""Nothing that comes in over a stream, a socket or an operator's call harms the referee or those who play meanwhile.

Each attack is drawn by hypothesis from a fixed seed and judged by tests.fuzz.arena: nobody may log an error, every call ends with
a status that the protocol names, nothing is left behind, and a match at other tables gives the records of undisturbed play. The
long run is `python -m tests.fuzz.run`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from tests.fuzz import run
from tests.fuzz.arena import Arena, Broken, opened, resident

if TYPE_CHECKING:
    from collections.abc import Callable

FEW = {"streams": 25, "sockets": 10, "operators": 12}
MANY = {"streams": 250, "sockets": 50, "operators": 100}
GROWTH = 128 * 1024 * 1024


@pytest.mark.parametrize("kind", FEW)
def test_a_few(kind: str) -> None:
    """A few attacks of each kind leave no trace."""
    with opened() as arena:
        assert run.attack(arena, kind, 7, FEW[kind]) > 0
        assert arena.healthy_matches > 0


@pytest.mark.slow
def test_many() -> None:
    """Many attacks of all kinds on one referee leave no trace, and memory does not grow with them."""
    with opened() as arena:
        for kind in MANY:
            run.attack(arena, kind, 8, 20)
        before = resident()
        for kind, count in MANY.items():
            assert run.attack(arena, kind, 9, count) >= count
        assert resident() - before < GROWTH


def _fail(arena: Arena) -> None:
    logging.getLogger("referee").error("a traceback")


def _leave(arena: Arena) -> None:
    arena.server.hall._session(b"left", "left")


def _disturb(arena: Arena) -> None:
    next(iter(arena._reference.values()))["total"] = []


@pytest.mark.parametrize(
    ("harm", "told"), [(_fail, "a traceback"), (_leave, "left behind: left"), (_disturb, "differ from those of undisturbed play")]
)
def test_the_arena_notices(harm: Callable[[Arena], None], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that is logged, a session left behind, and a healthy game that goes otherwise are found."""
    if harm is _leave:  # which is waited for in vain
        monkeypatch.setattr("tests.fuzz.arena.PATIENCE", 3.0)

    async def act(arena: Arena) -> None:
        harm(arena)
        await arena._another_match()

    with Arena() as arena:
        arena.run(act(arena))
        with pytest.raises(Broken, match=told):
            arena.check()
