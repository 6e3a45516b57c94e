"""The round robin of a league: which matches there are, and which games make one up. Pure, and lazy throughout.

Match n of a variant is the n-th (from 0) of ``itertools.combinations`` over the league's first bots in the order of their
names; the matches of each bot that joins later, with all that were there before it, are numbered on from there. So the same
league has the same match ids, and with the same key the same deals, whoever lists them and whenever, and a bot that joins
or leaves moves nobody else's matches.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from league.model import Entry, PlannedMatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from league.model import BotVersion, League, LeagueVariant, Mode, Seating


def planned(league: League) -> Iterator[PlannedMatch]:
    """Yield every match of the league once; the variants take turns, so that all of them come along together."""
    streams = [_of_variant(league, variant) for variant in league.variants]
    return itertools.chain.from_iterable(_transposed(streams))


def _transposed(streams: list[Iterator[PlannedMatch]]) -> Iterator[Iterable[PlannedMatch]]:
    for row in itertools.zip_longest(*streams):
        yield (match for match in row if match is not None)


def roster(league: League) -> tuple[Entry, ...]:
    """Return the league's entries in the order of the schedule: by stage, then by name."""
    return league.entries or tuple(Entry(bot) for bot in sorted(league.bots, key=lambda bot: bot.bot))


def numbered(entries: Sequence[Entry], size: int) -> Iterator[tuple[int, tuple[Entry, ...]]]:
    """Yield every choice of ``size`` entries with its number, those with withdrawn bots too."""
    founders = sum(entry.stage == 0 for entry in entries)
    yield from enumerate(itertools.combinations(entries[:founders], size))
    for place in range(founders, len(entries)):
        for n, rest in enumerate(itertools.combinations(entries[:place], size - 1), math.comb(place, size)):
            yield n, (*rest, entries[place])


def _of_variant(league: League, variant: LeagueVariant) -> Iterator[PlannedMatch]:
    for n, chosen in numbered(roster(league), variant.bots):
        if all(entry.active for entry in chosen):
            yield plan(league, variant, n, tuple(entry.bot for entry in chosen), league.sets)


def plan(league: League, variant: LeagueVariant, n: int, lineup: tuple[BotVersion, ...], sets: int) -> PlannedMatch:
    """Return match ``n`` of a variant between these bots, over so many duplicate sets or as many games."""
    single = not league.remote_sets and any(bot.remote for bot in lineup)
    return PlannedMatch(
        id=f"{league.name}/{variant.label}/{n}",
        league=league.name,
        label=variant.label,
        n=n,
        lineup=lineup,
        # A set that is played in one seating only holds one game: as many more sets keep matches equally long,
        # and every seating equally frequent.
        sets=sets * len(variant.seatings) if single else sets,
        mode="single" if single else "duplicate",
    )


def planned_count(league: League, label: str | None = None) -> int:
    """Return how many matches the league has, or one of its variants; KeyError lists the labels there are."""
    variants = league.variants if label is None else (league.variant(label),)
    return sum(math.comb(len(league.bots), variant.bots) for variant in variants)


def games_a_match(league: League, variant: LeagueVariant) -> int:
    """Return how many games a match of this variant has, whatever its mode."""
    return league.sets * len(variant.seatings)


def sets_planned(league: League, variant: LeagueVariant) -> int:
    """Return how many sets the variant's matches have, all together."""
    total = planned_count(league, variant.label)
    local = sum(not bot.remote for bot in league.bots)
    duplicate = total if league.remote_sets else math.comb(local, variant.bots)
    return league.sets * (duplicate + (total - duplicate) * len(variant.seatings))


def expected(sets: int, seatings: tuple[Seating, ...], mode: Mode) -> Iterator[tuple[int, int]]:
    """Yield (set, position in ``seatings``) of every game of a match, in the order of play.

    That is seating by seating, all sets of one before the next: each seating is played by fresh processes.
    """
    for position in range(len(seatings)):
        first, step = (position, len(seatings)) if mode == "single" else (0, 1)
        for number in range(first, sets, step):
            yield number, position


def games_a_set(seatings: tuple[Seating, ...], mode: Mode) -> int:
    """Return how many games make a set complete."""
    return 1 if mode == "single" else len(seatings)
