"""Turn-Up Euchre, the common game: two teams, five cards each, a turned card (clauses T)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.deal import Deal, Terms
from referee.rules.options import Flag
from referee.rules.phases import DefendersAlone, MakerAlone, NameSuit, OrderTurned, PickUp, Play, lead_from_dealer
from referee.rules.variant import TURN_OPTIONS, Variant, common_options, number, single_pack

if TYPE_CHECKING:
    from referee.rules.options import Value


def _score(deal: Deal) -> list[int]:
    """T6: what the maker's team, or the defenders, score."""
    side = deal.maker & 1
    made = deal.taken_by_side()[side]
    points = [0, 0]
    if made == 5:
        points[side] = 4 if deal.maker in deal.alone else 2
    elif made >= 3:
        points[side] = 1
    else:
        points[1 - side] = 4 if 1 - side in [seat & 1 for seat in deal.alone] else 2
    return points


def _settle(options: dict[str, Value | None]) -> Terms:
    defend = (DefendersAlone(from_maker=False),) if options["lone_defender"] else ()
    return Terms(
        variant="turn-up",
        seats=4,
        sides=2,
        hand_size=5,
        receivers=4,
        turns_up=True,
        pack=single_pack(),
        target=number(options, "target"),
        max_deals=number(options, "max_deals"),
        revoke_stands=options["revoke"] == "stand",
        revoke_points=number(options, "revoke_points"),
        steps=(
            OrderTurned(),
            PickUp(must=True),
            NameSuit(turned_suit=str(options["round2_turned_suit"]), stick_dealer=bool(options["stick_dealer"])),
            MakerAlone(dummy=False),
            *defend,
            Play(lead_from_dealer),
        ),
        score=_score,
    )


VARIANT: Variant = Variant(
    name="turn-up",
    title="Turn-Up Euchre",
    seats=4,
    options=(
        *TURN_OPTIONS,
        Flag("lone_defender", "a defender may play alone too (T4)"),
        *common_options(target=10, revoke_points=0),
    ),
    settle=_settle,
)
