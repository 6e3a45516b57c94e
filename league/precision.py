"""Which pairings of a league get more sets: those whose interval is still too wide and whose order is still in doubt.

A league with a precision is played in rounds, variant by variant. A match is one round of one pairing. When every match of
a variant's rounds so far is complete, the next round is decided from their results, and from nothing else, so that the order in
which matches end changes nothing. docs/ratings.md says what this does to the intervals, and how much it saves.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from league.model import Round, RoundMatch, Stopped
from league.ratings import rate
from league.schedule import numbered, roster
from league.tallies import tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from league.estimates import Estimate
    from league.model import BotVersion, Entry, League, LeagueVariant, StopCause
    from league.ratings import Ratings
    from league.results import GameResult
    from league.store import Store

DOUBT = 2.0
"""The order of two bots is beyond doubt once zero is this many times as far from their difference as the limit of its interval
on that side: the 95 % interval, stretched to twice its length, leaves out zero."""


def extend(store: Store, league: League, now: float | None = None) -> list[str]:
    """Decide and store the next round of every variant whose rounds so far are complete; the ids of the new matches."""
    made: list[str] = []
    for label in store.rounds_due(league.name):
        entry = league.variant(label)
        done = store.rounds(league.name, label)
        decided = decide(league, entry, done, store.results(league.name, label))
        made += store.add_round(league.name, decided, now)
    return made


def decide(league: League, entry: LeagueVariant, done: Sequence[Round], results: Iterable[GameResult]) -> Round:
    """Return the next round of a variant, from its rounds so far and the results of all of them.

    ValueError if the league has no precision.
    """
    sums = tally(results, [league.shown(one.bot) for one in roster(league)])
    return next_round(league, entry, done, rate(sums.pairs, len(sums.bots)), sums.bots)


def next_round(league: League, entry: LeagueVariant, done: Sequence[Round], ratings: Ratings, names: Sequence[str]) -> Round:
    """Return the next round of a variant, from its rounds so far and the ratings of the bots, by index of ``names``.

    A pairing that has had no round gets one. After that it gets another while it has two bots the difference of whose Elo
    has a half-width above the league's precision and an order that is in doubt, up to the league's most sets.

    Raises:
        ValueError: The league has no precision.
    """
    if league.precision is None or league.max_sets is None:
        raise ValueError(f"league {league.name} has no precision to play for")
    played, gaps = _sets_so_far(done), Gaps(names, ratings, league.precision)
    free = sum(len(one.matches) for one in done)
    matches: list[RoundMatch] = []
    stopped: list[Stopped] = []
    for lineup in _pairings(roster(league), entry.bots):
        had = played.get(lineup, 0)
        shown = tuple(league.shown(bot) for bot in lineup)
        why = gaps.verdict(shown) if had else None
        if why is None and had < league.max_sets:
            matches.append(RoundMatch(free + len(matches), lineup, min(league.sets, league.max_sets - had)))
        else:
            stopped.append(Stopped(shown, why or "limit", gaps.widest(shown)))
    members = tuple(sorted(str(bot) for bot in league.bots))
    return Round(entry.label, len(done), tuple(matches), tuple(stopped), members)


def _sets_so_far(done: Sequence[Round]) -> dict[tuple[BotVersion, ...], int]:
    played: dict[tuple[BotVersion, ...], int] = {}
    for match in itertools.chain.from_iterable(one.matches for one in done):
        played[match.lineup] = played.get(match.lineup, 0) + match.sets
    return played


def _pairings(entries: Sequence[Entry], size: int) -> Iterable[tuple[BotVersion, ...]]:
    for _, chosen in numbered(entries, size):
        if all(entry.active for entry in chosen):
            yield tuple(entry.bot for entry in chosen)


class Gaps:
    """What is known of the Elo differences between some bots.

    Args:
        names: of the bots, by index of ``ratings``.
        ratings: fitted to the results so far.
        precision: half-width in Elo that is wanted.
    """

    def __init__(self, names: Sequence[str], ratings: Ratings, precision: float) -> None:
        self._index = {name: index for index, name in enumerate(names)}
        self._ratings = ratings
        self._precision = precision
        self._known: dict[tuple[str, str], Estimate | None] = {}

    def difference(self, a: str, b: str) -> Estimate | None:
        """Elo of a minus Elo of b; None where no chain of games links them."""
        if (a, b) not in self._known:
            self._known[a, b] = self._ratings.difference(self._index[a], self._index[b])
        return self._known[a, b]

    def verdict(self, lineup: Sequence[str]) -> StopCause | None:
        """Why a pairing needs no more sets: "precision", or "order" if an order helped; None if it needs more."""
        verdicts = {self._verdict(self.difference(a, b)) for a, b in itertools.combinations(lineup, 2)}
        if None in verdicts:
            return None
        return "order" if "order" in verdicts else "precision"

    def _verdict(self, difference: Estimate | None) -> StopCause | None:
        if difference is None or difference.low is None or difference.high is None:
            return None
        if (difference.high - difference.low) / 2 <= self._precision:
            return "precision"
        near = difference.value - difference.low if difference.value > 0 else difference.high - difference.value
        return "order" if abs(difference.value) >= DOUBT * near else None

    def widest(self, lineup: Sequence[str]) -> float | None:
        """The half-width of the widest difference between two of the bots, to a hundredth; None if one is unknown."""
        differences = [self.difference(a, b) for a, b in itertools.combinations(lineup, 2)]
        widths = [None if one is None else one.half_width for one in differences]
        known = [width for width in widths if width is not None]
        return round(max(known), 2) if len(known) == len(widths) else None
