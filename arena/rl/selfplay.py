"""Self-play without a referee: many deals side by side, whose questions are put to one policy together."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.rules import Deal, Rules, View

Policy: TypeAlias = "Callable[[Sequence[Deal]], Sequence[int]]"
"""Gets deals, each with a seat to move, and returns a legal action for each. It should look at `deal.legal` and at
`deal.view(deal.seat)`; `by_view` makes sure of that."""


def by_view(choose: Callable[[Sequence[tuple[View, int]]], Sequence[int]]) -> Policy:
    """The policy that is shown (view, mask of legal actions) of each deal, and nothing else."""

    def policy(deals: Sequence[Deal]) -> Sequence[int]:
        return choose([(deal.view(deal.seat), deal.legal) for deal in deals])

    return policy


def play(rules: Rules, policy: Policy, deals: int, seed: int, batch: int = 64) -> list[Deal]:
    """Play `deals` deals, at most `batch` at a time; returns them, finished, in the order in which they were dealt.

    Packs follow from the seed, whatever the batch; seat n mod seats deals number n. Forced moves are made without asking. Raises
    IllegalAction where the policy names an action that is not legal, and ValueError where it returns too few or too many.
    """
    if batch < 1:
        raise ValueError(f"batch {batch} (allowed: 1 and more)")
    dealt: list[Deal] = []
    fresh = _dealing(rules, deals, seed, dealt)
    open_deals = _take(fresh, batch)
    while open_deals:
        for deal, action in zip(open_deals, policy(open_deals), strict=True):
            deal.apply(action)
            _settle(deal)
        open_deals = [deal for deal in open_deals if deal.seat >= 0]
        open_deals += _take(fresh, batch - len(open_deals))
    return dealt


def _dealing(rules: Rules, deals: int, seed: int, dealt: list[Deal]) -> Iterator[Deal]:
    """Deal as many deals, note each in `dealt`, and yield those in which there is something to ask."""
    chance = random.Random(seed)  # noqa: S311 - training needs no secrets
    for number in range(deals):
        pack = list(rules.pack)
        chance.shuffle(pack)
        deal = rules.deal(pack, number % rules.seats)
        dealt.append(deal)
        _settle(deal)
        if deal.seat >= 0:
            yield deal


def _take(fresh: Iterator[Deal], most: int) -> list[Deal]:
    return [deal for _, deal in zip(range(most), fresh, strict=False)]


def _settle(deal: Deal) -> None:
    """Make the moves that are forced."""
    while (legal := deal.legal) and not legal & (legal - 1):
        deal.apply(legal.bit_length() - 1)
