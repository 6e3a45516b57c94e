"""What the rules say in many deals, line by line: `python -m tests.rules.transcript SEED DEALS` (deals a setting).

Two forms of the same rules print the same.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

from referee.rules import IllegalAction, Rules
from referee.rules.cards import bits
from tests.rules import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.rules import Deal


def lines(setting: settings.Setting, seed: int, deals: int) -> Iterator[str]:
    """Deals of one setting: every question with all views of it, what is refused and how, revokes, copies, points."""
    rules, chance = Rules(*setting), random.Random(seed)
    yield f"{settings.name(setting)}: {rules.options}"
    for number in range(deals):
        pack = list(rules.pack)
        chance.shuffle(pack)
        deal = rules.deal(pack, number % rules.seats, number, list(range(rules.sides)))
        while deal.seat >= 0:
            yield f"{deal.seat} {deal.phase} {deal.legal:x} {deal.legal_actions()} {deal.fallback()}"
            yield " ".join(str(deal.view(seat)) for seat in range(rules.seats))
            yield refusal(deal, chance.randrange(-2, 70))
            yield played_out(deal.copy(), chance) if chance.random() < 0.1 else ""
            deal = move(deal, chance)
        yield f"{deal.moves} {deal.trick_list()} {deal.tricks} {deal.thrown_in} {deal.points()}"


def played_out(deal: Deal, chance: random.Random) -> str:
    """How a deal ends at random."""
    deal.play_out(chance.random)
    return f"{deal.moves} {deal.points()}"


def refusal(deal: Deal, action: int) -> str:
    """What is said to an action that is not legal."""
    if action >= 0 and deal.legal >> action & 1:
        return "legal"
    try:
        deal.apply(action)
    except IllegalAction as error:
        return str(error)
    raise AssertionError(f"{action} was taken")


def move(deal: Deal, chance: random.Random) -> Deal:
    """Make a move, now and then in a copy, now and then a revoke; returns the deal that goes on."""
    deal = deal.copy() if chance.random() < 0.1 else deal
    wrong = [card for card in bits(deal.hands[deal.seat]) if deal.is_revoke(card)]
    if wrong and chance.random() < 0.2:
        deal.revoke(chance.choice(wrong))
    else:
        deal.apply(chance.choice(deal.legal_actions()))
    return deal


def main() -> None:
    seed, deals = map(int, sys.argv[1:])
    for setting in settings.ALL:
        for line in lines(setting, seed, deals):
            print(line)


if __name__ == "__main__":
    main()
