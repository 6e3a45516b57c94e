"""Ghost Hand Euchre: three players, each alone; six cards and a fourth, face-down hand to swap with (clauses G)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.cards import BID_3, BID_4, BID_5, MOON, mask_of
from referee.rules.deal import Terms
from referee.rules.options import Choice
from referee.rules.phases import Bidding, Claim, LayAway, NameTrump, Play, lead_by_maker
from referee.rules.scoring import bid_score
from referee.rules.variant import BID_OPTIONS, Variant, common_options, number, single_pack

if TYPE_CHECKING:
    from referee.rules.deal import Step
    from referee.rules.options import Value

_LADDER = mask_of((BID_3, BID_4, BID_5, MOON))


def _settle(options: dict[str, Value | None]) -> Terms:
    joker = bool(options["joker"])
    steps: list[Step] = []
    if joker:
        steps.append(LayAway())
    if options["ace_no_face"]:
        steps.append(Claim())
    steps += [
        Bidding(_LADDER, swap=True, stick_dealer=bool(options["stick_dealer"])),
        NameTrump(),
        Play(lead_by_maker),
    ]
    return Terms(
        variant="ghost-hand",
        seats=3,
        sides=3,
        hand_size=6,
        receivers=4,
        turns_up=False,
        pack=single_pack(joker=joker),
        target=number(options, "target"),
        max_deals=number(options, "max_deals"),
        revoke_stands=options["revoke"] == "stand",
        revoke_points=number(options, "revoke_points"),
        steps=tuple(steps),
        score=bid_score({MOON: 24}, {MOON: 24 if options["moon_fail"] == "award" else 6}),
    )


VARIANT: Variant = Variant(
    name="ghost-hand",
    title="Ghost Hand Euchre",
    seats=3,
    options=(
        Choice("moon_fail", ("bid", "award"), "what a failed moon costs: the bid of six, or its award (G8)"),
        *BID_OPTIONS,
        *common_options(target=32, revoke_points=2),
    ),
    settle=_settle,
)
