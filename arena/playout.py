"""Whole deals in batches, for training, statistics and rollouts: `referee.playout` under the name that authors use."""

from referee.playout import CHUNK, Played, Record, playout, rollout

__all__ = ["CHUNK", "Played", "Record", "playout", "rollout"]
