"""Two or three bots with each other: what their common games come to, by variant, by third bot and by match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from league.duels import Duels
from league.standings import table_of
from league.tallies import sheet_of, tally

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from league.duels import HeadToHead
    from league.results import GameResult
    from league.standings import Table


@dataclass(frozen=True, slots=True)
class Meeting:
    """Some games of two bots with each other."""

    variant: str | None
    """Label of the variant; None: all of them."""
    third: str | None
    """Who else played; None: nobody, or it does not matter."""
    match: str | None
    duel: HeadToHead


def by_variant(games: Sequence[GameResult], a: str, b: str) -> list[Meeting]:
    """All games together, and those of each variant if there are several, seen from a."""
    each = _each(games, a, b, lambda game: game.variant)
    return each if len(each) < 2 else [*_each(games, a, b, lambda _: None), *each]


def by_third(games: Sequence[GameResult], a: str, b: str) -> list[Meeting]:
    """The games of three, by variant and third bot."""
    return _each([game for game in games if len(game.bots) == 3], a, b, lambda game: (game.variant, _third(game, a, b)))


def by_match(games: Sequence[GameResult], a: str, b: str) -> list[Meeting]:
    """The games by match."""
    return _each(games, a, b, lambda game: game.match)


def _third(game: GameResult, a: str, b: str) -> str | None:
    return next((bot for bot in game.bots if bot not in {a, b}), None)


def _each(games: Iterable[GameResult], a: str, b: str, key: Callable[[GameResult], Hashable]) -> list[Meeting]:
    parts: dict[Hashable, list[GameResult]] = {}
    for game in games:
        parts.setdefault(key(game), []).append(game)
    meetings = [_meeting(part, a, b) for part in parts.values()]
    return [meeting for meeting in meetings if meeting is not None]


def _meeting(games: Sequence[GameResult], a: str, b: str) -> Meeting | None:
    duel = Duels.of(tally(games)).seen_from(a, b)
    if duel is None:
        return None
    variants, thirds, matches = ({value(game) for game in games} for value in _columns(a, b))
    return Meeting(_only(variants), _only(thirds), _only(matches), duel)


def _columns(a: str, b: str) -> tuple[Callable[[GameResult], str | None], ...]:
    return (lambda game: game.variant, lambda game: _third(game, a, b), lambda game: game.match)


def _only(values: set[str | None]) -> str | None:
    return next(iter(values)) if len(values) == 1 else None


def tables(games: Sequence[GameResult]) -> list[tuple[str, Table]]:
    """The table of these games for each variant, by its label."""
    labels = sorted({game.variant for game in games})
    return [(label, _table([game for game in games if game.variant == label], label)) for label in labels]


def _table(games: Sequence[GameResult], label: str) -> Table:
    return table_of(sheet_of(games), label)
