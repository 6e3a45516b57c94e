"""The PettingZoo AEC environment: the rules, one seat a step. Made by `arena.rl.env`."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from arena.rl.observation import ACTIONS, SIZE, encode, mask
from referee.game import Game, deals_of
from referee.rules import Rules
from referee.rules.cards import action_text

if TYPE_CHECKING:
    from collections.abc import Mapping


class Environment(AECEnv):
    """A game at one table. Agents "seat_0", "seat_1", … clockwise; every move is a step, forced ones too.

    An observation is {"observation": arena.rl.observation.encode of the seat's view, "action_mask": its legal actions}; only the
    seat to move has any. At the end of each deal every seat gets its side's points less the mean of the other sides' points. The
    episode ends with the last deal. Bare, without the wrappers, `step` raises IllegalAction.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "euchre_v1", "render_modes": ["ansi", "human"], "is_parallelizable": False}

    def __init__(self, variant: str, options: Mapping[str, object], fmt: str, render_mode: str | None) -> None:
        super().__init__()
        deals_of(fmt)  # raises where there is no such format
        if render_mode not in {None, *self.metadata["render_modes"]}:
            raise ValueError(f"render mode {render_mode!r} (allowed: None, {', '.join(self.metadata['render_modes'])})")
        self.rules = Rules(variant, options)
        self.fmt = fmt
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.rules.seats)]
        self.agents: list[str] = []
        self.observation_spaces = {agent: _observations() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}
        self._key = secrets.token_bytes(32)
        self._episode = -1

    def observation_space(self, agent: str) -> spaces.Space:
        """The same object for an agent, always."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """The same object for an agent, always."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. A seed determines it and all that follow without one; `options` are not used."""
        if seed is not None:
            self._key = hashlib.sha256(f"arena.rl/{seed}".encode()).digest()
            self._episode = -1
        self._episode += 1
        self.game = Game(self.rules, self._key, self._episode, self.fmt)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.game.deal.seat]

    def observe(self, agent: str) -> dict[str, Any]:
        """What the agent's seat may know, and its legal actions if it is to move."""
        deal, seat = self.game.deal, self.possible_agents.index(agent)
        return {
            "observation": encode(deal.view(seat), self.rules.seats),
            "action_mask": mask(deal.legal if deal.seat == seat else 0),
        }

    def step(self, action: int | None) -> None:
        """Make the move of the agent selected. Raises IllegalAction; the wrapper of `arena.rl.env` never lets it come to that."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        played = len(self.game.deals)
        self.game.apply(-1 if action is None else int(action))
        if len(self.game.deals) > played:
            self._reward(self.game.deals[-1]["points"])
        if self.game.finished:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[self.game.deal.seat]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _reward(self, points: list[int]) -> None:
        others = len(points) - 1
        for seat, agent in enumerate(self.possible_agents):
            own = points[self.rules.side(seat)]
            self.rewards[agent] = own - (sum(points) - own) / others

    def render(self) -> str | None:
        """The deal so far as one line of text, with what the seat to move holds: returned, or printed in mode "human"."""
        deal = self.game.deal
        moves = " ".join(map(action_text, deal.moves))
        turn = f"{self.agent_selection} to move" if deal.seat >= 0 else "over"
        hand = " ".join(map(action_text, deal.hand(deal.seat))) if deal.seat >= 0 else ""
        text = f"deal {deal.number}, seat_{deal.dealer} deals, {self.game.totals}: {moves} | {turn} {hand}".rstrip()
        if self.render_mode == "human":
            print(text, flush=True)
        return text if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held."""


def _observations() -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(-np.inf, np.inf, (SIZE,), np.float32),
            "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
        }
    )


def wrapped(variant: str, options: Mapping[str, object], fmt: str, render_mode: str | None, illegal_reward: float) -> Environment:
    """The environment in PettingZoo's usual wrappers."""
    bare = Environment(variant, options, fmt, render_mode)
    guarded = wrappers.TerminateIllegalWrapper(bare, illegal_reward=illegal_reward)
    ordered: Environment = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))
    return ordered
