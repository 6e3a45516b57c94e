"""What a match would look like without the luck of the cards: for matches whose bots had different cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from flask import current_app

from dashboard import data
from league.adjusted import FEWEST, adjust_match
from referee.playout.luck import luck_of_games
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Flask

    from league.adjusted import BotLuck
    from league.model import Game, Match

Luck = tuple["BotLuck", ...]

_NAME = "arena-luck"
MOST_DEALS = 4_000
"""Of a match that is looked at: two seconds' work."""
_KEPT = 200


def init_app(app: Flask) -> None:
    """Give the application its cache."""
    app.extensions[_NAME] = {}


def luck_of(match: Match, games: Sequence[Game]) -> Luck | None:
    """What each bot of a match made a deal, with luck taken off, by line-up index.

    None where there is nothing to take off (the same deals were played in every seating), where it would narrow no interval, and
    while the deals are sealed.
    """
    played = [game for game in games if game.deals]
    if match.mode != "single" or len(played) < FEWEST or not data.is_open(match):
        return None
    if sum(game.deals for game in played) > MOST_DEALS:
        return None
    kept = cast("dict[tuple[object, ...], Luck | None]", current_app.extensions[_NAME])
    stamp = (match.id, match.commitment, match.completed_at, len(played))
    if stamp not in kept:
        if len(kept) >= _KEPT:
            kept.clear()
        kept[stamp] = _work_out(match, played)
    return kept[stamp]


def _work_out(match: Match, games: Sequence[Game]) -> Luck | None:
    rules = Rules(match.variant, match.options)
    worth = luck_of_games(
        rules, data.store().match_key(match.id), [(game.set, game.seating, game.dealer, game.deals) for game in games]
    )
    points = np.array([game.points for game in games], np.float64)
    found = adjust_match([game.set for game in games], [game.deals for game in games], points, worth)
    return found if found and any(bot.lead.narrowed > 0 for bot in found) else None
