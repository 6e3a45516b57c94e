"""Whole deals in batches, for training, statistics and rollouts: the rules of `referee.rules`, a thousand deals at a time."""

from referee.playout.run import CHUNK, Played, playout, rollout
from referee.playout.state import Record

__all__ = ["CHUNK", "Played", "Record", "playout", "rollout"]
