"""Games whose packs are told, so that a game can be brought to a wanted score."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

from referee.game import Game
from tests.rules.stacking import stacked

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from referee.rules import Rules


@contextmanager
def game_of(
    rules: Rules, dealer: int, packs: Sequence[Sequence[int]], rng: random.Random, before: Sequence[int] = ()
) -> Iterator[Game]:
    """A game that `dealer` begins with totals `before` and the given packs, after which packs are as `rng` likes."""

    def pack(_key: bytes, _set: int, number: int, _pack: Sequence[int]) -> list[int]:
        return list(packs[number]) if number < len(packs) else stacked(rules, 0, rng)

    with mock.patch("referee.game.shuffled", pack), mock.patch("referee.game.first_dealer", return_value=dealer):
        game = Game(rules, bytes(32), 0)
        if before:
            game.totals = list(before)
        yield game
