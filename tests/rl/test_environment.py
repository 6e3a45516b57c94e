"""The PettingZoo environment: the same rules, behind PettingZoo's own tests."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

from arena import rl
from arena.rl.observation import encode
from referee.game import BadFormat
from referee.rules import VARIANTS, BadOption, IllegalAction, UnknownVariant
from referee.rules.cards import bits

pytestmark = pytest.mark.needs("pettingzoo")

SETTINGS: list[tuple[str, dict[str, str]]] = [
    *[(variant.name, {}) for variant in VARIANTS],
    ("bid-euchre", {"double_deck": "on"}),
    ("bid-euchre", {"joker": "on", "ace_no_face": "on"}),
    ("ghost-hand", {"joker": "on"}),
    ("cutthroat", {"deck": "25"}),
]
EXPECTED = (
    "Observation is not a NumPy array",  # it is a dict, for the mask
    "Observation space for each agent probably should be gymnasium.spaces.box",  # likewise
    "Action mask is all zeros",  # of seats that are not to move, and once all is over
    "Action mask numpy array is all zeros",
)


def usual(setting: tuple[str, dict[str, str]]) -> str:
    return " ".join([setting[0], *map("=".join, setting[1].items())])


def played(env: Any, seed: int, episodes: int = 1) -> list[tuple[str, int, dict[str, float]]]:
    """Random episodes: (agent, action, rewards after it) of every step."""
    rng, steps = random.Random(seed), []
    for episode in range(episodes):
        env.reset(seed=seed if episode == 0 else None)
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            action = None if terminated or truncated else rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
            env.step(action)
            if action is not None:
                steps.append((agent, action, dict(env.rewards)))
    return steps


@pytest.mark.parametrize("setting", SETTINGS, ids=usual)
@pytest.mark.parametrize("fmt", ["deals:1", "game"])
def test_api_and_seed(setting: tuple[str, dict[str, str]], fmt: str) -> None:
    """PettingZoo's api_test and seed_test pass, with no warning but those that a mask brings with it."""
    from pettingzoo.test import api_test, seed_test  # noqa: PLC0415 - an optional extra

    with warnings.catch_warnings():
        for text in EXPECTED:
            warnings.filterwarnings("ignore", message=text)
        api_test(rl.env(*setting, fmt=fmt), num_cycles=200)
        seed_test(lambda: rl.env(*setting, fmt=fmt), num_cycles=100)


@pytest.mark.parametrize("setting", SETTINGS, ids=usual)
def test_it_plays_by_the_rules(setting: tuple[str, dict[str, str]]) -> None:
    """Each step's observation is the encoded view of the rules' own deal, its mask their moves, its rewards their points."""
    env = rl.env(*setting, fmt="deals:3")
    game_of: Any = env.unwrapped
    env.reset(seed=5)
    rng, sums, moves = random.Random(5), dict.fromkeys(env.agents, 0.0), 0
    while not all(env.terminations.values()):
        deal, agent = game_of.game.deal, env.agent_selection
        for seat, other in enumerate(env.agents):
            seen = env.observe(other)
            assert np.array_equal(seen["observation"], encode(deal.view(seat), len(env.agents)))
            assert np.flatnonzero(seen["action_mask"]).tolist() == list(bits(deal.legal) if other == agent else ())
            assert env.observation_space(other).contains(seen)
        env.step(rng.choice(bits(deal.legal)))
        sums = {name: total + env.rewards[name] for name, total in sums.items()}
        moves += 1
    game = game_of.game
    assert len(game.deals) == 3
    assert moves == sum(len(deal["moves"].split()) for deal in game.deals)
    for seat, agent in enumerate(game_of.possible_agents):
        own = game.totals[game.rules.side(seat)]
        others = [total for side, total in enumerate(game.totals) if side != game.rules.side(seat)]
        assert sums[agent] == pytest.approx(own - sum(others) / len(others))


def test_seeds() -> None:
    """The same seed gives the same episodes one after another; other seeds give others, and an episode never repeats the last."""
    first = played(rl.env("turn-up", fmt="game"), 7, episodes=3)
    assert first == played(rl.env("turn-up", fmt="game"), 7, episodes=3)
    assert first != played(rl.env("turn-up", fmt="game"), 8, episodes=3)
    env = rl.env("turn-up")
    hands = []
    for _ in range(3):
        env.reset()
        hands.append(tuple(env.unwrapped.game.deal.hand(0)))
    assert len(set(hands)) == 3


def test_an_illegal_action_ends_the_episode() -> None:
    """The wrapper ends the episode at the price given, and the rules never see the action; bare, the rules refuse it."""
    env = rl.env("turn-up", illegal_reward=-9.0)
    env.reset(seed=1)
    agent, moves = env.agent_selection, list(env.unwrapped.game.deal.moves)
    env.step(40)
    assert env.rewards[agent] == -9.0
    assert all(env.terminations.values())
    assert env.unwrapped.game.deal.moves == moves
    bare = rl.env("turn-up").unwrapped
    bare.reset(seed=1)
    with pytest.raises(IllegalAction, match="may not answer action 40"):
        bare.step(40)


def test_what_is_wrong_is_named() -> None:
    """An unknown variant, option, format or render mode is refused when the environment is made, with what is allowed."""
    with pytest.raises(UnknownVariant, match="turn-up"):
        rl.env("hearts")
    with pytest.raises(BadOption, match="joker"):
        rl.env("bid-euchre", {"jokers": "on"})
    with pytest.raises(BadFormat, match="deals:N"):
        rl.env("turn-up", fmt="deals:0")
    with pytest.raises(ValueError, match="allowed: None, ansi, human"):
        rl.env("turn-up", render_mode="rgb_array")


def test_render() -> None:
    """Mode "ansi" returns the moves of the deal, who is to move and what that seat holds."""
    env = rl.env("turn-up", render_mode="ansi")
    env.reset(seed=3)
    text = env.render()
    assert text is not None
    assert f"{env.agent_selection} to move" in text
    assert len(text.split("to move ")[1].split()) == 5
