"""Matches played in this process by random players, some of whom misbehave."""

from __future__ import annotations

import random
from typing import Any

from referee.game import GONE, ILLEGAL, LATE, Game
from referee.record import Header, complete, set_line
from referee.rules import Rules
from referee.rules.cards import action_text, bits, texts

KEY = bytes(range(32))
CLOCK = {"answer": 1.0, "bank": 10.0, "start": 20.0, "grace": 5.0, "faults": 3}


def play_game(rules: Rules, number: int, fmt: str, chance: random.Random, misbehave: float = 0.0) -> Game:
    """A finished game of random moves, each a fault with the given probability."""
    game = Game(rules, KEY, number, fmt)
    while game.settle():
        deal = game.deal
        if chance.random() >= misbehave:
            game.apply(chance.choice(bits(deal.legal)))
        elif chance.random() < 0.8:
            words = [*(action_text(card) for card in deal.hand(deal.seat)), "pass", "11", None]
            game.fault(ILLEGAL, chance.choice([word for word in words if word not in texts(deal.legal)]))
        else:
            game.fault(chance.choice([LATE, GONE]))
    return game


def play_match(
    variant: str,
    options: dict[str, object] | None = None,
    *,
    sets: int = 2,
    fmt: str = "deals:4",
    misbehave: float = 0.0,
    seed: int = 1,
) -> list[dict[str, Any]]:
    """Every line of a complete record."""
    rules, chance = Rules(variant, options), random.Random(seed)
    lineup = [{"bot": f"bot{index}", "version": index + 1} for index in range(rules.bots)]
    header = Header("match/1", rules, fmt, lineup, KEY, CLOCK, league="summer")
    lines = []
    for number in range(sets):
        games = [(play_game(rules, number, fmt, chance, misbehave), seating) for seating in rules.seatings()]
        lines.append(set_line(number, games[0][0].dealer, [game.record(seating) for game, seating in games]))
    return complete(header, lines)
