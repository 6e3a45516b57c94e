"""The worked examples under examples/, read and run."""

from __future__ import annotations

import random
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.rules import Rules, tricks
from tests.rules import notation as n
from tests.rules.contracts import by_side, play_to
from tests.rules.games import game_of
from tests.rules.lines import Line
from tests.rules.stacking import stacked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.rules import Deal

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
    """The trick as a function of its cards, and, for whole tables, in a deal."""
    trump = n.SUITS.index(example["trump"])
    for played, winner in example["tricks"]:
        seats, cards = zip(*(word.split(":") for word in played.split()), strict=True)
        index = tricks.trick_winner([n.action(card) for card in cards], trump)
        assert int(seats[index]) == winner, f"{played}: seat {seats[index]} takes it"
        if len(cards) > 2:
            deal = _until(lambda seed, cards=cards: _played(cards, example["trump"], seed))
            assert deal.view(0).tricks[0][2] == winner


def _follow(example: Example) -> None:
    """What may be played as a function of hand and card led, and in a deal where the hand is filled up."""
    trump = n.SUITS.index(example["trump"])
    for led, hand, legal in example["cases"]:
        answers = tricks.legal_plays(n.mask(n.actions(hand)), n.action(led), trump)
        assert answers == n.mask(n.actions(legal)), f"{led} | {hand}: {n.texts(n.members(answers))}"
        deal = _until(lambda seed, led=led, hand=hand, legal=legal: _answering(led, hand, legal, example["trump"], seed))
        assert deal.legal & n.mask(n.actions(hand)) == n.mask(n.actions(legal))


def _until(attempt: Callable[[int], Deal | None]) -> Deal:
    """The first deal that works out."""
    return next(deal for deal in map(attempt, range(5000)) if deal is not None)


def _led(cards: Sequence[str], seats: int, trump: str, seed: int, hands: dict[int, list[int]]) -> Deal:
    """A deal in which seat 0 has named trump and is to lead; joker and double deck where the cards need them."""
    used = [text for hand in hands.values() for text in map(n.text, hand)] + list(cards)
    options = {"joker": "XX" in used, "double_deck": len(cards) > len(set(cards))}
    rules = Rules("ghost-hand", {"joker": options["joker"]}) if seats == 3 else Rules("bid-euchre", options)
    dealer = rules.seats - 1
    deal = rules.deal(stacked(rules, dealer, random.Random(seed), hands), dealer)
    if options["joker"]:
        spare = [card for card in n.members(deal.legal) if card not in hands.get(dealer, [])]
        deal.apply(spare[0])
    for word in ["3", *["pass"] * dealer, trump]:
        deal.apply(n.action(word))
    return deal


def _played(cards: Sequence[str], trump: str, seed: int) -> Deal | None:
    """A deal whose first trick is these cards, from seat 0 on; None where one of them could not be played."""
    deal = _led(cards, len(cards), trump, seed, {seat: [n.action(card)] for seat, card in enumerate(cards)})
    for card in cards:
        if not deal.legal >> n.action(card) & 1:
            return None
        deal.apply(n.action(card))
    return deal


def _answering(led: str, hand: str, legal: str, trump: str, seed: int) -> Deal | None:
    """A deal in which seat 1 has the hand and answers the card led; None where what fills it up follows and the hand does not."""
    deal = _led([led], 3, trump, seed, {0: [n.action(led)], 1: n.actions(hand)})
    deal.apply(n.action(led))
    void = legal == hand
    named = n.SUITS.index(trump)
    suit = n.suit_of(n.action(led), named)
    rest = [card for card in deal.hand(1) if card not in n.actions(hand)]
    return None if void and any(n.suit_of(card, named) == suit for card in rest) else deal


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
