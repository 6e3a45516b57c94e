"""Turn-up against OpenSpiel's euchre, move by move.

What differs is theirs, and is allowed for here: they deal the first card to the dealer, not to his left neighbour (the same
hands are given to both); ordering is the call of the turned suit; points are zero-sum between the teams; the dealer is stuck
unless told otherwise. Their text for a second round says "Pick up!" where hearts were named, and their header promises 4 points
lost for a lone maker who is euchred, which their scoring does not give: only moves and returns are looked at.
"""

from __future__ import annotations

import importlib
import random
from typing import TYPE_CHECKING, Any

import pytest

from referee.rules import Rules
from tests.rules import notation as n

if TYPE_CHECKING:
    from types import ModuleType

    from referee.rules import Deal

pytestmark = pytest.mark.needs("open_spiel")

SETTINGS = [(stick, lone) for stick in (False, True) for lone in (False, True)]
THEIR_CALLS = dict(zip(range(24, 31), "pass C D H S alone together".split(), strict=True))  # noqa: SIM905


@pytest.fixture(scope="module")
def pyspiel() -> ModuleType:
    """OpenSpiel itself."""
    return importlib.import_module("pyspiel")


def theirs(card: int) -> int:
    """Our card in their numbers: ranks from the nine, suits C D H S within them."""
    return (card % 8 - 2) * 4 + card // 8


def word(action: int) -> str:
    """Their action in our notation."""
    return THEIR_CALLS[action] if action in THEIR_CALLS else n.text(action % 4 * 8 + action // 4 + 2)


def dealt(game: Any, deal: Deal, dealer: int) -> Any:
    """Their state after the same deal."""
    state = game.new_initial_state()
    state.apply_action(dealer)
    hands = [deal.hand(seat) for seat in range(4)]
    for index in range(20):
        state.apply_action(theirs(hands[(dealer + index) % 4][index // 4]))
    state.apply_action(theirs(deal.view(0).turned_card))
    return state


def compare(game: Any, rules: Rules, rng: random.Random) -> None:
    """Play a random deal in both."""
    pack = list(rules.pack)
    rng.shuffle(pack)
    dealer = rng.randrange(4)
    deal = rules.deal(pack, dealer)
    state = dealt(game, deal, dealer)
    keen = rng.random()
    while not state.is_terminal():
        ordering = n.action("order") if n.action("order") in n.members(deal.legal) else None
        turned = n.SUITS[deal.view(0).turned_card // 8]
        legal = {("order" if ordering and word(action) == turned else word(action)): action for action in state.legal_actions()}
        assert deal.turn() == state.current_player()
        assert set(legal) == {n.text(action) for action in n.members(deal.legal)}
        choices = sorted(legal)
        if "pass" in choices and len(choices) > 1 and rng.random() < keen:
            choices = ["pass"]
        chosen = rng.choice(choices)
        state.apply_action(legal[chosen])
        deal.apply(n.action(chosen))
    points = deal.points()
    margin = points[0] - points[1]
    assert state.returns() == [margin, -margin, margin, -margin]


def run(pyspiel: ModuleType, setting: tuple[bool, bool], deals: int, seed: int) -> None:
    """Compare that many deals under (stick_dealer, lone_defender)."""
    stick, lone = setting
    game = pyspiel.load_game("euchre", {"stick_the_dealer": stick, "allow_lone_defender": lone})
    rules = Rules("turn-up", {"stick_dealer": stick, "lone_defender": lone})
    rng = random.Random(f"{seed} {setting}")
    compare_many(game, rules, rng, deals)


def compare_many(game: Any, rules: Rules, rng: random.Random, deals: int) -> None:
    """Compare that many random deals."""
    for _ in range(deals):
        compare(game, rules, rng)


@pytest.mark.parametrize("setting", SETTINGS)
def test_turn_up(pyspiel: ModuleType, setting: tuple[bool, bool]) -> None:
    """In 2,000 deals both let the same seat choose among the same moves, and score alike (T1 T2 T3 T4 T5 T6 K1 K2 K3 K4)."""
    run(pyspiel, setting, 500, 1)


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_turn_up_at_length(pyspiel: ModuleType, setting: tuple[bool, bool]) -> None:
    """The same in 20,000 deals."""
    run(pyspiel, setting, 5000, 2)


@pytest.mark.parametrize("wrong", [{"stick_dealer": "off"}, {"stick_dealer": "on", "round2_turned_suit": "yes"}])
def test_a_difference_is_seen(pyspiel: ModuleType, wrong: dict[str, str]) -> None:
    """Rules that differ from theirs fail the comparison."""
    game = pyspiel.load_game("euchre", {"stick_the_dealer": True, "allow_lone_defender": False})
    with pytest.raises(AssertionError):
        compare_many(game, Rules("turn-up", wrong), random.Random(1), 100)
