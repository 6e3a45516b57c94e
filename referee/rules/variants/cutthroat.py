"""Three-handed Euchre, or Cutthroat: no partnerships, a turned card and a dummy for the maker (clauses C)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.deal import Deal, Terms
from referee.rules.options import Choice, Number
from referee.rules.phases import (
    DefendersAlone,
    MakerAlone,
    NameJokerSuit,
    NameSuit,
    OrderTurned,
    PickUp,
    Play,
    ThrowDummy,
    lead_from_lone,
)
from referee.rules.variant import TURN_OPTIONS, Variant, common_options, number, single_pack

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.rules.options import Value


def _score(lone_march: int) -> Callable[[Deal], list[int]]:
    """C8 and C9; `lone_march` is what all five tricks score for a maker who is alone."""

    def score(deal: Deal) -> list[int]:
        maker = deal.maker
        made = deal.tricks[maker]
        points = [0, 0, 0]
        if made == 5:
            points[maker] = lone_march if maker in deal.alone else 3
        elif made >= 3:
            points[maker] = 1
        else:
            lone_sweep = 5 in [deal.tricks[seat] for seat in deal.alone]
            points = [4 if lone_sweep else 2] * 3
            points[maker] = 0
        return points

    return score


def _settle(options: dict[str, Value | None]) -> Terms:
    deck = options["deck"]
    return Terms(
        variant="cutthroat",
        seats=3,
        sides=3,
        hand_size=5,
        receivers=4,
        turns_up=True,
        pack=single_pack("7" if deck == 32 else "9", joker=deck == 25),
        target=number(options, "target"),
        max_deals=number(options, "max_deals"),
        revoke_stands=options["revoke"] == "stand",
        revoke_points=number(options, "revoke_points"),
        steps=(
            NameJokerSuit(),
            OrderTurned(),
            PickUp(must=options["dealer_pickup"] == "must"),
            NameSuit(turned_suit=str(options["round2_turned_suit"]), stick_dealer=bool(options["stick_dealer"])),
            MakerAlone(dummy=True),
            ThrowDummy(),
            DefendersAlone(from_maker=True),
            Play(lead_from_lone),
        ),
        score=_score(number(options, "lone_march")),
    )


VARIANT: Variant = Variant(
    name="cutthroat",
    title="Three-Handed Euchre (Cutthroat)",
    seats=3,
    options=(
        Number("deck", 24, (24, 25, 32), "24 cards, 25 with the joker, or 32 with sevens and eights (C1, C11)"),
        Choice("dealer_pickup", ("optional", "must"), "whether a dealer who was ordered may leave the turned card (C3)"),
        *TURN_OPTIONS,
        Number("lone_march", 3, (3, 4, 5, 6), "what all five tricks score for a maker who is alone (C8)"),
        *common_options(target=10, revoke_points=0),
    ),
    settle=_settle,
)
