"""Deals that come out with wanted tricks: a contract is reached, then the play is steered, for as many packs as it takes."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from tests.rules import notation as n
from tests.rules.stacking import hand_size, receivers, stacked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.rules import Deal, Rules

TRIES = 3000


def said(contract: str) -> dict[str, int | str | None]:
    """Who is to do what, from "3 by 1", "maker 0", "lone maker 0, lone defender 2"."""
    bid = re.match(r"(\w+) by (?P<seat>\d)", contract)
    maker = bid or re.search(r"maker (?P<seat>\d)", contract)
    defender = re.search(r"lone defender (\d)", contract)
    return {
        "bid": bid and bid[1],
        "maker": int(maker["seat"]),
        "lone": contract.startswith("lone maker"),
        "defender": defender and int(defender[1]),
    }


def call(deal: Deal, terms: dict[str, int | str | None], trump: int) -> int:
    """The action of the seat to move, before the play, that leads to the contract."""
    legal = n.members(deal.legal)
    phase, seat = n.PHASES[deal.phase], deal.turn()
    if phase == "auction":
        wanted = terms["bid"] or ("order" if n.action("order") in legal else n.SUITS[trump])
        return n.action(wanted if seat == terms["maker"] else "pass")
    if phase == "alone":
        lone = terms["lone"] if seat == terms["maker"] else seat == terms["defender"]
        others = [action for action in legal if action != n.action("alone")]
        return n.action("alone") if lone else others[0]
    if phase in ("trump", "joker"):
        return n.action(n.SUITS[trump])
    if phase == "claim":
        return n.action("no")
    # a discard or a gift: the weakest, and never the turned card where leaving it is possible
    cards = [card for card in legal if card != deal.view(seat).turned_card] or legal
    return min(cards, key=lambda card: worth(card, trump))


def worth(card: int, trump: int) -> int:
    return n.power(card, trump) + (100 if n.suit_of(card, trump) == trump else 0)


def winning(deal: Deal, trump: int) -> Callable[[int], int]:
    """How a card would fare in the trick under way: below 0 it does not take it now."""
    tricks = deal.view(deal.turn()).tricks
    if not tricks or tricks[-1][2] >= 0 or not tricks[-1][1]:
        return lambda card: worth(card, trump)
    cards = tricks[-1][1]
    led = n.suit_of(cards[0], trump)

    def key(card: int) -> int:
        return worth(card, trump) if n.suit_of(card, trump) in (led, trump) else -1

    best = max(map(key, cards))
    return lambda card: key(card) - best if key(card) != best else -1


def steer(deal: Deal, trump: int, missing: list[int], rng: random.Random) -> int:
    """A card for the seat to move: one that takes the trick if its side still needs tricks, else one that does not."""
    legal = n.members(deal.legal)
    side = deal.turn() % len(missing)
    fare = winning(deal, trump)
    if rng.random() < 0.1:
        return rng.choice(legal)
    if missing[side] > 0:
        takers = [card for card in legal if fare(card) > 0]
        return max(takers, key=fare) if takers else min(legal, key=lambda card: worth(card, trump))
    losers = [card for card in legal if fare(card) < 0]
    return max(losers, key=lambda card: worth(card, trump)) if losers else min(legal, key=fare)


def favouring(rules: Rules, dealer: int, trump: int, tricks: Sequence[int], rng: random.Random) -> list[int]:
    """A pack that gives trumps and high cards to whom tricks are wanted for."""
    order = sorted(rules.pack, key=lambda card: -worth(card, trump) - rng.random() * 4)
    weights = {seat: tricks[seat % len(tricks)] ** 2 + 0.2 for seat in range(rules.seats)}
    hands: dict[int, list[int]] = {seat: [] for seat in receivers(rules, dealer)}
    weights.setdefault(-1, 0.2)
    for card in order:
        room = [seat for seat in hands if len(hands[seat]) < hand_size(rules)]
        if not room:
            break
        seat = rng.choices(room, [weights[seat] for seat in room])[0]
        hands[seat].append(card)
    return stacked(rules, dealer, rng, hands)


def play_to(rules: Rules, dealer: int, contract: str, tricks: Sequence[int], *, seed: int = 1) -> tuple[Deal, list[int]]:
    """A finished deal with that contract and those tricks, by seat (three players) or by team; and its pack."""
    terms = said(contract)
    for attempt in range(TRIES):
        rng = random.Random(f"{seed} {contract} {tricks} {attempt}")
        trump = rng.randrange(4)
        pack = favouring(rules, dealer, trump, tricks, rng)
        deal = rules.deal(pack, dealer)
        while deal.turn() >= 0:
            now = deal.view(deal.turn()).trump
            if n.PHASES[deal.phase] != "play":
                deal.apply(call(deal, terms, trump if now < 0 else now))
                continue
            taken = by_side(deal.tricks, len(tricks))
            missing = [want - have for want, have in zip(tricks, taken, strict=True)]
            if min(missing) < 0:
                break
            deal.apply(steer(deal, now, missing, rng))
        if deal.turn() < 0 and by_side(deal.tricks, len(tricks)) == list(tricks):
            return deal, pack
    raise AssertionError(f"no deal found with {contract} and tricks {tricks}")


def by_side(tricks: Sequence[int], sides: int) -> list[int]:
    """Tricks by seat as tricks by side."""
    return [sum(tricks[side::sides]) if sides == 2 else tricks[side] for side in range(sides)]
