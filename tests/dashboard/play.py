"""Leagues with real games for the dashboard's tests: random deals through the referee's own rules, no bots and no network."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

from league.model import LeagueSpec, VariantSpec
from league.schedule import planned
from referee.game import Game
from referee.rules import Rules
from referee.rules.cards import action_text, bits, texts
from referee.shuffle import first_dealer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from league.model import League, Match, PlannedMatch
    from league.store import Store
    from referee.rules import Deal

CLOCK = {"answer": 1.0, "bank": 10.0, "start": 20.0, "grace": 5.0, "faults": 3}
TIMES = {
    "decisions": [41, 40, 39],
    "rest_us": [{"median": 480, "p99": 2100}, {"median": 510, "p99": 2400}, {"median": 495, "p99": 1900}],
    "own_us": {"median": 60, "p99": 240},
}
BOTS = ("ann", "bea", "cid")

Wanted = tuple[str, dict[str, object]]


def league_key(name: str) -> bytes:
    """The key of a league of these tests: always the same, so that its games are."""
    return hashlib.sha256(name.encode()).digest()


def create(
    store: Store, name: str, variants: Sequence[Wanted], *, bots: Sequence[str] = BOTS, sets: int = 2, fmt: str = "game"
) -> League:
    """Create a league of these variants with their options, whose bots exist already or are added."""
    known = {bot.name for bot in store.bots()}
    for bot in bots:
        if bot not in known:
            store.add_bot(bot, f"python -m sample_bots.python.{bot}")
    specs = []
    for variant, options in variants:
        rules = Rules(variant, options)
        specs.append(VariantSpec(variant, rules.options, fmt, rules.seats, rules.seatings()))
    return store.create_league(LeagueSpec(name, tuple(specs), tuple(bots), sets, CLOCK, key=league_key(name)))


def queue(store: Store, league: League) -> list[PlannedMatch]:
    """Store every match of a league's schedule."""
    matches = list(planned(league))
    store.add_matches(matches)
    return matches


def play_match(
    store: Store, match_id: str, *, games: int | None = None, slips: float = 0.0, weak: Mapping[str, float] | None = None
) -> Match:
    """Play the missing games of a match, or the first `games` of them, and store them.

    `slips` is the chance that a decision is a fault; `weak[bot]` is that of one bot.
    """
    match = store.match(match_id)
    claim = store.claim(match_id, "tester", 600)
    assert claim is not None
    key = store.match_key(match_id)
    rules = Rules(match.variant, match.options)
    for set_number, seating in store.missing_games(match_id)[:games]:
        rng = random.Random(f"{match_id} {set_number} {seating}")
        game = Game(rules, key, set_number, match.format)
        play_out(game, rng, [(weak or {}).get(match.lineup[index].bot, slips) for index in seating])
        dealer = first_dealer(key, set_number, rules.seats)
        store.add_game(match_id, set_number, seating, dealer, game.record(seating), times=TIMES, claim=claim)
    done = store.match(match_id)
    store.release(claim, "complete" if done.state == "complete" else "interrupted")
    return done


def play_out(game: Game, rng: random.Random, slips: Sequence[float]) -> None:
    """Play a game at random to its end; a seat errs with its chance in `slips`, by revoking if it can."""
    while game.settle():
        deal = game.deal
        if rng.random() < slips[deal.seat]:
            held = [card for card in deal.hand(deal.seat) if deal.is_revoke(card)]
            answer = (
                action_text(rng.choice(held)) if held else next(text for text in ("11", "claim") if text not in texts(deal.legal))
            )
            game.fault(*rng.choice([("ILLEGAL", answer), ("ILLEGAL", answer), ("LATE", None)]))
        else:
            game.apply(choose(deal, rng))


def choose(deal: Deal, rng: random.Random) -> int:
    """Any legal action, but the higher calls less often, so that games go on."""
    legal = bits(deal.legal)
    if legal[0] > 32:
        return legal[min(int(rng.expovariate(0.9)), len(legal) - 1)]
    return rng.choice(legal)
