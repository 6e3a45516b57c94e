"""A game from deal to deal: who deals, when it ends, and what becomes of moves that nobody need be asked for."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from referee.game import BadFormat, Game, places
from referee.rules import VARIANTS, Rules, Variant
from tests.rules import notation as n
from tests.rules import settings
from tests.rules.games import game_of
from tests.rules.stacking import stacked

EVERY_VARIANT = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)


def play(game: Game, rng: random.Random, deals: int) -> list[int]:
    """Play that many deals with random moves, in every third of which all pass; the dealers."""
    dealers = []
    for number in range(deals):
        deal = game.deal
        dealers.append(deal.view(0).dealer)
        while game.deal is deal and not game.finished:
            legal = n.members(deal.legal)
            passing = number % 3 == 1 and n.action("pass") in legal
            game.apply(n.action("pass") if passing else rng.choice(legal))
    return dealers


@EVERY_VARIANT
def test_the_deal_passes_left(variant: Variant) -> None:
    """Each deal is dealt by the next seat, after scored and thrown-in deals alike, beginning with the set's first dealer (K5)."""
    rules = Rules(variant.name, {"target": 1000})
    game = Game(rules, bytes(32), 5)
    first = game.dealer
    assert play(game, random.Random(1), 20) == [(first + deal) % rules.seats for deal in range(20)]
    scored = Counter(bool(sum(deal["tricks"])) for deal in game.deals)
    assert min(scored[True], scored[False]) > 0


@EVERY_VARIANT
def test_a_game_of_passes_ends_at_its_last_deal(variant: Variant) -> None:
    """Deals in which all pass score nothing and are counted; after `max_deals` all share the first place (G4 B3 C4 T2 K8)."""
    rules = Rules(variant.name, {"max_deals": 7})
    game = Game(rules, bytes(32), 0)
    while not game.finished:
        assert game.deal.view(0).deal == len(game.deals) < 7
        game.apply(n.action("pass"))
    assert len(game.deals) == 7
    assert all(deal["points"] == [0] * rules.sides and not sum(deal["tricks"]) for deal in game.deals)
    assert (game.end, game.totals, game.places()) == ("max_deals", [0] * rules.sides, [1] * rules.sides)


@EVERY_VARIANT
def test_a_fixed_number_of_deals(variant: Variant) -> None:
    """In the format deals:N exactly N deals are played, thrown-in ones counted, whatever the totals (K6)."""
    rules = Rules(variant.name, {"target": 1})
    game = Game(rules, bytes(32), 0, "deals:9")
    play(game, random.Random(4), 9)
    assert (game.finished, game.end, len(game.deals)) == (True, "deals", 9)


BAD_FORMATS = [
    "",
    "games",
    "deals",
    "deals:",
    "deals:0",
    "deals:-1",
    "deals:x",
    "deals:1.5",
    "deals:10001",
    "deals:" + "9" * 5000,
]


@pytest.mark.parametrize("bad", BAD_FORMATS, ids=lambda bad: bad[:12])
def test_bad_formats_are_refused(bad: str) -> None:
    """A format that is neither game nor deals:N is an error that says so."""
    with pytest.raises(BadFormat, match="game, or deals:N"):
        Game(Rules("turn-up"), bytes(32), 0, bad)


@pytest.mark.parametrize("setting", settings.ALL, ids=settings.name)
def test_forced_moves_are_asked_of_nobody(setting: settings.Setting) -> None:
    """Where one answer is legal the game makes the move itself, and every move is in the record (K10)."""
    rules = Rules(*setting)
    rng = random.Random(1)
    game = Game(rules, bytes(32), 1, "deals:4")
    asked = 0
    while game.settle():
        legal = n.members(game.deal.legal)
        assert len(legal) > 1
        asked += 1
        game.apply(rng.choice(legal))
    made = sum(len(deal["moves"].split()) for deal in game.deals)
    assert asked <= made
    played = [deal for deal in game.deals if sum(deal["tricks"])]
    assert made - asked >= len(played), "at least the last trick's cards are forced"


def test_the_partners_best_trump_is_given_without_asking() -> None:
    """After an ask a partner who has trumps is not asked which card to give (B5 K10)."""
    rules = Rules("bid-euchre")
    hands = {0: n.actions("9C JH AH KH QH TC"), 2: n.actions("JD TH AC 9S 9D KD")}
    pack = stacked(rules, 3, random.Random(1), hands)
    with game_of(rules, 3, [pack], random.Random(1)) as game:
        for word in ("ask", "pass", "pass", "pass", "H", "9C"):
            assert game.settle()
            game.apply(n.action(word))
        assert game.settle()
        assert n.PHASES[game.deal.phase] == "play"
        assert game.deal.view(0).received == n.action("JD")


def test_places() -> None:
    """Places follow the totals, ties share the better place, and who forfeited is last (K8)."""
    assert places([10, 7, 7], set()) == [1, 2, 2]
    assert places([7, 10, 10], set()) == [3, 1, 1]
    assert places([0, -3, -3], {0}) == [3, 1, 1]
    assert places([50, 20, 1], {0, 2}) == [2, 1, 2]
    assert places([5, 9], {1}) == [1, 2]
    assert places([5, 9], {0, 1}) == [1, 1]


@EVERY_VARIANT
def test_seats_are_told_how_the_game_stands(variant: Variant) -> None:
    """A view has the number of the deal, the totals before it and the target (K7)."""
    rules = Rules(variant.name, {"target": 500})
    game = Game(rules, bytes(32), 2)
    for number in range(8):
        for seat in range(rules.seats):
            view = game.deal.view(seat)
            assert (view.deal, view.total, view.target) == (number, game.totals, 500)
        play(game, random.Random(number), 1)


@pytest.mark.parametrize("variant", ["ghost-hand", "cutthroat"])
def test_a_forfeit_among_three(variant: str) -> None:
    """The third fault makes the house play that seat to the end of the game, by the fallback; it is placed last."""
    game = Game(Rules(variant), bytes(32), 0)
    rng = random.Random(2)
    while game.settle():
        if game.rules.side(game.deal.turn()) == 1:
            game.fault("SILENT")
        else:
            game.apply(rng.choice(n.members(game.deal.legal)))
    assert sum(len(deal["faults"]) for deal in game.deals) == 3
    assert game.end in ("won", "max_deals")
    record = game.record([0, 1, 2])
    assert record["forfeits"] == [1]
    assert record["places"][1] == 3


def test_a_forfeit_of_a_team() -> None:
    """The third fault of a team ends its game with the deal in progress, which is played out."""
    game = Game(Rules("turn-up"), bytes(32), 0)
    rng = random.Random(2)
    while game.settle():
        if game.deal.turn() % 2 == 0:
            game.fault("LATE")
        else:
            game.apply(rng.choice(n.members(game.deal.legal)))
    assert game.end == "forfeit"
    assert game.record([0, 1, 0, 1])["forfeits"] == [0]
    assert game.places() == [2, 1]
    assert len(game.deals[-1]["moves"].split()) >= 8


FALLBACKS = {"auction": "pass", "claim": "no", "trump": "C", "joker": "C"}


@pytest.mark.parametrize("setting", settings.ALL, ids=settings.name)
def test_fallback(setting: settings.Setting) -> None:
    """The substitute is pass, else no, else together, else alone, else the first call, else the lowest card (K11)."""
    rules = Rules(*setting)
    rng = random.Random(3)
    for number in range(6):
        pack = list(rules.pack)
        rng.shuffle(pack)
        deal = rules.deal(pack, number % rules.seats)
        while deal.turn() >= 0:
            legal = n.members(deal.legal)
            trump = deal.view(0).trump
            if legal[0] < n.FIRST_CALL:
                key = [(n.suit_of(card, trump) == trump or card == 32, n.power(card, trump), card) for card in legal]
                wanted = min(key)[2]
            else:
                words = [n.text(action) for action in legal]
                wanted = n.action(
                    next((word for word in ("pass", "no", "together", "alone", "dummy") if word in words), words[0])
                )
            assert deal.fallback() == wanted
            deal.apply(rng.choice(legal))
