"""Self-play in batches is the same play, deal for deal."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from arena.rl.selfplay import by_view, play
from referee.rules import VARIANTS, IllegalAction, Rules
from referee.rules.cards import bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.rules import Deal, View


def choose(seen: Sequence[tuple[View, int]]) -> list[int]:
    """A policy that looks at nothing but what it is shown, and seems random."""
    return [random.Random(f"{view}").choice(bits(legal)) for view, legal in seen]


@pytest.mark.parametrize("variant", [variant.name for variant in VARIANTS])
def test_the_batch_changes_nothing(variant: str) -> None:
    """One deal at a time and many at a time are played move by move alike, in the order of dealing, each to its end."""
    rules = Rules(variant)
    widths: list[int] = []

    def policy(deals: Sequence[Deal]) -> Sequence[int]:
        widths.append(len(deals))
        assert all(deal.legal & (deal.legal - 1) for deal in deals), "a forced move was asked for"
        return by_view(choose)(deals)

    single = play(rules, policy, 30, seed=3, batch=1)
    assert set(widths) == {1}
    widths.clear()
    many = play(rules, policy, 30, seed=3, batch=8)
    assert widths[0] == max(widths) == 8
    assert [deal.moves for deal in many] == [deal.moves for deal in single]
    assert [deal.dealer for deal in many] == [number % rules.seats for number in range(30)]
    assert [deal.points() for deal in many] == [deal.points() for deal in single]
    assert [deal.moves for deal in play(rules, policy, 30, seed=4)] != [deal.moves for deal in single]


def test_a_bad_policy_is_refused() -> None:
    """An illegal action, a missing one and an empty batch are errors."""
    rules = Rules("turn-up")
    with pytest.raises(IllegalAction):
        play(rules, lambda deals: [40] * len(deals), 2, seed=1)
    with pytest.raises(ValueError, match="zip"):
        play(rules, lambda _deals: [], 2, seed=1)
    with pytest.raises(ValueError, match="allowed: 1 and more"):
        play(rules, by_view(choose), 2, seed=1, batch=0)
    assert play(rules, by_view(choose), 0, seed=1) == []
