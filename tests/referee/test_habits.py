"""What bots did in a match: worked examples by the rules, and sums that must agree with the records."""

from __future__ import annotations

import random
from typing import Any

import pytest

from referee import habits
from referee.game import Game
from referee.rules import Rules
from tests.dashboard.play import play_out

KEY = bytes(range(32))


def record(rules: Rules, sets: dict[int, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    head = {"variant": rules.name, "options": rules.options}
    return [head, *({"set": number, "dealer": 0, "games": games} for number, games in sets.items()), {"end": "complete"}]


def played(name: str, options: dict[str, object], sets: int = 2, slips: float = 0.03) -> tuple[Rules, list[dict[str, Any]]]:
    """A match played at random, in every seating of its sets."""
    rules, lines = Rules(name, options), {}
    for number in range(sets):
        lines[number] = []
        for seating in rules.seatings():
            game = Game(rules, KEY, number, "deals:6")
            play_out(game, random.Random(f"{number} {seating}"), [slips] * rules.seats)
            lines[number].append(game.record(seating))
    return rules, record(rules, lines)


def scripted(rules: Rules, seating: tuple[int, ...], calls: list[str]) -> dict[str, Any]:
    """A game of one deal: these calls in turn as long as any is wanted, then what the referee would answer."""
    game, said = Game(rules, KEY, 0, "deals:1"), iter(calls)
    from referee.rules.cards import parse_action  # noqa: PLC0415

    while game.settle():
        deal = game.deal
        call = None if deal.phase == 10 else next(said, None)
        game.apply(deal.fallback() if call is None else parse_action(call))
    return game.record(seating)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ghost-hand", {}), ("ghost-hand", {"joker": True, "ace_no_face": True}), ("cutthroat", {}), ("cutthroat", {"deck": 25}),
        ("bid-euchre", {}), ("bid-euchre", {"double_deck": True}), ("turn-up", {}), ("turn-up", {"lone_defender": True}),
    ],
)  # fmt: skip
def test_sums_agree_with_the_record(name: str, options: dict[str, object]) -> None:
    """Deals, points and faults are the record's; every deal has one maker or is thrown in; each share is within its whole."""
    rules, lines = played(name, options)
    found = habits.of_record(lines, KEY)
    games = [game for line in lines[1:-1] for game in line["games"]]
    deals = [deal for game in games for deal in game["deals"]]
    thrown_in = found[0]["thrown_in"]
    assert sum(one["made"][0] for one in found) == len(deals) - thrown_in
    for bot, one in enumerate(found):
        assert (one["games"], one["deals"], one["thrown_in"]) == (len(games), len(deals), thrown_in)
        assert one["points"] == sum(
            deal["points"][side]
            for game in games
            for deal in game["deals"]
            for side in range(rules.sides)
            if game["seating"][side] == bot
        )
        assert one["made"][0] + one["defended"][0] + one["thrown_in"] == len(deals)
        assert sum(tried for tried, _ in one["contracts"].values()) == one["made"][0]
        assert all(made <= tried for tried, made in (*one["contracts"].values(), one["alone"], one["stood_alone"]))
        assert 0 < one["spoke"] < one["asked"]
        assert one["spoke"] == sum(count for call, count in one["calls"].items() if call != "swap")
    faults = [fault for deal in deals for fault in deal.get("faults", ())]
    assert sum(count for one in found for count in one["faults"].values()) == len(faults)
    assert sum(one["dealt"][0] for one in found) == len(deals)


def test_a_contract_worked_by_hand() -> None:
    """Who orders is the maker; made and points are what the score of the deal says (T6)."""
    rules = Rules("turn-up")
    game = scripted(rules, (0, 1, 0, 1), ["order"])
    (deal,) = game["deals"]
    dealer_left = (rules.seats + habits.first_dealer(KEY, 0, 4) + 1) % 4
    maker = game["seating"][dealer_left]
    found = habits.of_record(record(rules, {0: [game]}), KEY)
    tricks = deal["tricks"][dealer_left] + deal["tricks"][(dealer_left + 2) % 4]
    assert found[maker]["contracts"] == {"order": [1, int(tricks >= 3)]}
    assert found[maker]["calls"] == {"order": 1}
    assert found[maker]["made"] == [1, deal["points"][dealer_left & 1]]
    assert found[1 - maker]["defended"] == [1, deal["points"][1 - (dealer_left & 1)]]
    assert (found[1 - maker]["contracts"], found[1 - maker]["spoke"]) == ({}, 0)


def test_a_moon_worked_by_hand() -> None:
    """A moon is tried by the first who says so, closes the auction, and is made only with all six tricks (G8)."""
    rules = Rules("ghost-hand")
    game = scripted(rules, (2, 0, 1), ["moon"])
    (deal,) = game["deals"]
    seat = (habits.first_dealer(KEY, 0, 3) + 1) % 3
    found = habits.of_record(record(rules, {0: [game]}), KEY)
    bot = game["seating"][seat]
    assert found[bot]["contracts"] == {"moon": [1, int(deal["tricks"][seat] == 6)]}
    assert found[bot]["made"] == [1, 24 if deal["tricks"][seat] == 6 else -6]
    assert [one["asked"] for one in found] == [int(index == bot) for index in range(3)]


def test_worst_deals_compare_the_same_chair() -> None:
    """A deal is lost by as much as the others' mean margin in the same chair lies above a bot's own."""
    rules = Rules("turn-up")
    games = [scripted(rules, seating, calls) for seating, calls in zip(rules.seatings(), (["order"], ["pass"] * 8), strict=True)]
    margins = [game["deals"][0]["points"][0] - game["deals"][0]["points"][1] for game in games]
    found = habits.of_record(record(rules, {0: games}), KEY)
    swing = margins[0] - margins[1]  # of bot 0, which sits at side 0 in the first seating and at side 1 in the second
    assert swing != 0
    loser = 0 if swing < 0 else 1
    assert [round(one[0], 6) for one in found[loser]["worst"]] == [abs(swing)]
    assert found[1 - loser]["worst"] == []


def test_faults_are_where_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fault that is listed stands in the record at that set, seating, deal and move, and of many the first are listed."""
    monkeypatch.setattr(habits, "LISTED", 3)
    rules, lines = played("cutthroat", {}, slips=0.1)
    found = habits.of_record(lines, KEY)
    for bot, one in enumerate(found):
        assert len(one["fault_list"]) == min(3, sum(one["faults"].values()))
        for cause, number, seating, at, move in one["fault_list"]:
            (game,) = [game for game in lines[1 + number]["games"] if list(game["seating"]) == seating]
            (fault,) = [fault for fault in game["deals"][at]["faults"] if fault["move"] == move]
            assert (fault["cause"], seating[fault["seat"]]) == (cause, bot)
    assert sum(len(one["fault_list"]) for one in found) > 3
    assert rules.bots == len(found)
