"""Leagues and games to test the store with; the processes of the tests import them too."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from league.model import LeagueSpec, VariantSpec
from league.schedule import planned
from league.tallies import sum_up
from referee.game import Game
from referee.rules import Rules
from referee.rules.cards import bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.model import League, Match
    from league.store import Store
    from league.tallies import Sheet

CLOCK = {"answer": 1.0, "bank": 10.0, "start": 20.0, "grace": 5.0, "faults": 3}
KEY = bytes(range(32))


def variant(name: str = "ghost-hand", fmt: str = "deals:2", label: str | None = None, **options: object) -> VariantSpec:
    """A variant as the command line would resolve it."""
    rules = Rules(name, options)
    return VariantSpec(name, rules.options, fmt, rules.seats, rules.seatings(), label)


def spec(name: str = "summer", bots: Sequence[str] = "abcd", sets: int = 2, **others: Any) -> LeagueSpec:
    """A league of ghost-hand and turn-up between local bots, unless told otherwise."""
    variants = others.pop("variants", (variant("ghost-hand"), variant("turn-up")))
    return LeagueSpec(name, tuple(variants), tuple(bots), sets, CLOCK, **{"key": KEY, **others})


def add_bots(store: Store, names: Sequence[str] = "abcd") -> None:
    """Add local bots of these names."""
    for name in names:
        store.add_bot(name, f"play {name}")


def make_league(store: Store, **others: Any) -> League:
    """A stored league, its bots stored before it and all its matches behind it."""
    wanted = spec(**others)
    for bot in wanted.bots:
        if bot not in {known.name for known in store.bots()}:
            store.add_bot(bot, f"play {bot}")
    league = store.create_league(wanted)
    store.add_matches(planned(league))
    return league


def record(seating: Sequence[int], total: Sequence[int] = (5, 3, 1), **others: Any) -> dict[str, Any]:
    """A made-up game of one deal."""
    deal = {"moves": "pass pass pass", "faults": [], "tricks": [0, 0, 0], "points": list(total), "total": list(total)}
    ranking = sorted(total, reverse=True)
    places = [ranking.index(points) + 1 for points in total]
    game = {"seating": list(seating), "deals": [deal], "total": list(total), "places": places}
    return {**game, "end": "deals", "forfeits": [], **others}


def play(match: Match, key: bytes, set_number: int, seating: Sequence[int]) -> tuple[int, dict[str, Any]]:
    """A real game between bots that move at random, the same whenever it is played: its first dealer and its record."""
    chance = random.Random(f"{match.id} {set_number} {seating}")
    game = Game(Rules(match.variant, match.options), key, set_number, match.format)
    while not game.finished:
        game.apply(chance.choice(bits(game.deal.legal)))
    return game.dealer, game.record(seating)


def play_missing(store: Store, match_id: str, limit: int | None = None) -> int:
    """Play and store the missing games of a match, or the first few; how many were new."""
    match, key = store.match(match_id), store.match_key(match_id)
    missing = store.missing_games(match_id)[:limit]
    return sum(store.add_game(match_id, s, seating, *play(match, key, s, seating)) for s, seating in missing)


def same_sheet(one: Sheet, other: Sheet) -> None:
    """Both sheets have the same of everything, and come to the same sums, to the last bit."""
    assert (one.bots, one.sets, one.faults, one.forfeits) == (other.bots, other.sets, other.faults, other.forfeits)
    assert one.places.tolist() == other.places.tolist()
    first, second = sum_up(one), sum_up(other)
    for a, b in ((first.seats, second.seats), (first.pairs, second.pairs)):
        assert all(getattr(a, part.name).tolist() == getattr(b, part.name).tolist() for part in fields(a))
    assert first.when.tolist() == second.when.tolist()
