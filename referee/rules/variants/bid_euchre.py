"""Bid Euchre: two teams, six cards each and no kitty; single or double deck (clauses B)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.cards import ASK, BID_3, BID_5, BID_11, MOON, mask_of
from referee.rules.deal import Terms
from referee.rules.errors import BadOption
from referee.rules.options import Awards, Choice, Flag
from referee.rules.phases import Bidding, Claim, Gift, LayAway, NameTrump, Play, lead_by_maker
from referee.rules.scoring import bid_score
from referee.rules.variant import BID_OPTIONS, Variant, common_options, number, single_pack

if TYPE_CHECKING:
    from referee.rules.deal import Step
    from referee.rules.options import Value


def _settle(options: dict[str, Value | None]) -> Terms:
    double, joker = bool(options["double_deck"]), bool(options["joker"])
    if double and joker:
        raise BadOption("options double_deck and joker exclude each other (allowed: one of them, or neither) (B17)")
    if options["awards"] is None:
        options["awards"] = [18, 24] if double else [12, 24]
    size = 12 if double else 6
    pack = single_pack(joker=joker)
    return Terms(
        variant="bid-euchre",
        seats=4,
        sides=2,
        hand_size=size,
        receivers=4,
        turns_up=False,
        pack=tuple(card for card in pack for _ in range(2)) if double else pack,
        target=number(options, "target"),
        max_deals=number(options, "max_deals"),
        revoke_stands=options["revoke"] == "stand",
        revoke_points=number(options, "revoke_points"),
        steps=_steps(options),
        score=bid_score(*_stakes(options, size)),
        double=double,
    )


def _steps(options: dict[str, Value | None]) -> tuple[Step, ...]:
    steps: list[Step] = []
    if options["joker"]:
        steps.append(LayAway())
    if options["ace_no_face"]:
        steps.append(Claim())
    highest = BID_11 if options["double_deck"] else BID_5
    ladder = mask_of((*range(BID_3, highest + 1), ASK, MOON))
    bidding = Bidding(ladder, swap=False, stick_dealer=bool(options["stick_dealer"]))
    return (*steps, bidding, NameTrump(), Gift(), Play(lead_by_maker))


def _stakes(options: dict[str, Value | None], size: int) -> tuple[dict[int, int], dict[int, int]]:
    """What an ask and a moon win, and what they cost when they fail (B7, B8, B17)."""
    given = options["awards"]
    assert isinstance(given, list)
    awards = {ASK: given[0], MOON: given[1]}
    fails = {ASK: options["ask_fail"], MOON: options["moon_fail"]}
    return awards, {call: award if fails[call] == "award" else size for call, award in awards.items()}


VARIANT: Variant = Variant(
    name="bid-euchre",
    title="Bid Euchre",
    seats=4,
    options=(
        Flag("double_deck", "48 cards, two of each; twelve each, bids 3 to 11, ask and moon (B17)"),
        Awards("what an ask and a moon win when every trick is taken; 12,24, or 18,24 with the double deck (B7, B17)"),
        Choice("ask_fail", ("bid", "award"), "what a failed ask costs: as many as there are tricks, or its award (B8)"),
        Choice("moon_fail", ("bid", "award"), "what a failed moon costs: as many as there are tricks, or its award (B8)"),
        *BID_OPTIONS,
        *common_options(target=32, revoke_points=2),
    ),
    settle=_settle,
)
