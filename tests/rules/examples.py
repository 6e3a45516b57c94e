"""The worked examples under examples/, read and run."""

from __future__ import annotations

import random
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

from referee.rules import Rules, tricks
from tests.rules import notation as n
from tests.rules.contracts import by_side, play_to
from tests.rules.games import game_of
from tests.rules.lines import Line
from tests.rules.stacking import stacked

FOLDER = Path(__file__).parent / "examples"

Example = dict[str, Any]


def load() -> list[Example]:
    """Every example, with the file that it is from."""
    return [
        {**example, "file": path.stem}
        for path in sorted(FOLDER.glob("*.toml"))
        for example in tomllib.loads(path.read_text("utf-8"))["example"]
    ]


def run(example: Example) -> None:
    """Run one example; raises AssertionError where it does not hold."""
    _KINDS[example["kind"]](example)


def _rules(example: Example) -> Rules:
    return Rules(example["variant"], example.get("options", {}))


def _order(example: Example) -> None:
    """Each card beats the one before it when it is played after it, and not when before."""
    trump = n.SUITS.index(example["trump"])
    cards = n.actions(example["ascending"])
    for low, high in pairwise(cards):
        assert tricks.trick_winner([low, high], trump) == 1, f"{n.text(high)} does not beat {n.text(low)}"
        assert tricks.trick_winner([high, low], trump) == 0, f"{n.text(low)} beats {n.text(high)}"
        assert tricks.strength(low, trump, trump) < tricks.strength(high, trump, trump)
    assert {tricks.effective_suit(card, trump) for card in cards} == {trump}


def _trick(example: Example) -> None:
    trump = n.SUITS.index(example["trump"])
    for played, winner in example["tricks"]:
        seats, cards = zip(*(word.split(":") for word in played.split()), strict=True)
        index = tricks.trick_winner([n.action(card) for card in cards], trump)
        assert int(seats[index]) == winner, f"{played}: seat {seats[index]} takes it"


def _follow(example: Example) -> None:
    trump = n.SUITS.index(example["trump"])
    for led, hand, legal in example["cases"]:
        answers = tricks.legal_plays(n.mask(n.actions(hand)), n.action(led), trump)
        assert answers == n.mask(n.actions(legal)), f"{led} | {hand}: {n.texts(n.members(answers))}"


def _claim(example: Example) -> None:
    """The player at the dealer's left, given the hand, is asked whether to claim or is not."""
    rules = _rules(example)
    for hand, may in example["claims"]:
        deal = rules.deal(stacked(rules, 0, random.Random(hand), {1: n.actions(hand)}), 0)
        if n.PHASES[deal.phase] == "lay away":
            deal.apply(n.members(deal.legal)[0])
        asked = n.PHASES[deal.phase] == "claim" and deal.turn() == 1
        assert asked == may, hand


def _line(example: Example) -> None:
    hands = {int(seat): n.actions(cards) for seat, cards in example.get("hands", {}).items()}
    if "extra" in example:
        hands[-1] = n.actions(example["extra"])
    Line(_rules(example), example["dealer"], hands, n.actions(example.get("stock", ""))).run(example["line"])


def _score(example: Example) -> None:
    rules = _rules(example)
    for score in example["scores"]:
        deal, pack = play_to(rules, example["dealer"], score["contract"], score["tricks"])
        assert by_side(deal.tricks, rules.sides) == score["tricks"]
        assert deal.points() == score["points"], f"{score['contract']} with {score['tricks']} scores {deal.points()}"
        if "before" in score:
            _totals(rules, example["dealer"], pack, deal.moves, score)


def _totals(rules: Rules, dealer: int, pack: list[int], moves: list[int], score: Example) -> None:
    """The same deal in a game that stands at `before` leads to `totals`, and to a winner or to another deal for all."""
    with game_of(rules, dealer, [pack], random.Random(1), score["before"]) as game:
        for move in moves:
            assert not game.finished
            game.apply(move)
        assert game.totals == score["totals"]
        won = [side for side, place in enumerate(game.places()) if place == 1]
        if score["winner"] == "none":
            assert not game.finished
            assert game.deal.view(0).dealer == (dealer + 1) % rules.seats
            assert game.deal.view(0).total == score["totals"]
        else:
            assert (game.finished, game.end, won) == (True, "won", [int(score["winner"])])


_KINDS = {"order": _order, "trick": _trick, "follow": _follow, "claim": _claim, "line": _line, "score": _score}
