"""Bots in Python measured against each other in one process, without a wire: duplicate sets by the thousand, for tuning.

The modules, from the bottom: `source` (a bot by its name, with some of its numbers changed), `series` (games and sets as the
referee plays them, less the clock), `figures` (margins with intervals), `run` (over several processes).
"""

from arena.tune.figures import Margins, difference, games_margin, margins_of, points_margin
from arena.tune.run import Plan, measure
from arena.tune.series import BotFailed, Series, SetResult, play_sets
from arena.tune.source import BadBot, Source, load

__all__ = [
    "BadBot",
    "BotFailed",
    "Margins",
    "Plan",
    "Series",
    "SetResult",
    "Source",
    "difference",
    "games_margin",
    "load",
    "margins_of",
    "measure",
    "play_sets",
    "points_margin",
]
