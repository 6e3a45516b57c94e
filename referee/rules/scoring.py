"""The score of the games with bids, shared by ghost hand and bid euchre (G6–G8, B7, B8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.cards import ASK, BID_3, MOON

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.rules.deal import Deal


def bid_score(awards: Mapping[int, int], costs: Mapping[int, int]) -> Callable[[Deal], list[int]]:
    """The scoring of a variant with bids.

    `awards` and `costs`, by the calls ASK and MOON: what taking every trick wins, flat, and what failing costs.
    """

    def score(deal: Deal) -> list[int]:
        points = deal.taken_by_side()
        side = deal.terms.side(deal.maker)
        bid = deal.bid
        all_tricks = bid in (ASK, MOON)
        needed = deal.terms.hand_size if all_tricks else bid - BID_3 + 3
        if points[side] < needed:
            points[side] = -costs[bid] if all_tricks else -needed
        elif all_tricks:
            points[side] = awards[bid]
        return points

    return score
