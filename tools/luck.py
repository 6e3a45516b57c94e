"""How much narrower intervals are with the luck of the cards taken off, and that nothing else is (`python -m tools.luck`).

First, matches between players who move at random, by the batch, of whom one gets half a point in every deal whose first card is
one of the higher half of the pack: its lead is a quarter of a point a deal, by construction, and hangs on the cards. Over many
such matches the mean of what is taken off, the mean error and the part of intervals that hold the truth are printed. Then sample
bots play sets in one seating, and the same sets in every seating; matches of single games are drawn from them.
"""

from __future__ import annotations

import argparse
import hashlib
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arena.cli.common import SAMPLES
from arena.sdk.local import play_deal, table_for
from arena.tune import Source, load
from league.adjusted import adjust_match
from referee.playout import playout
from referee.playout.luck import MEASURES, luck, luck_of_games
from referee.rules import VARIANTS, Rules
from referee.shuffle import first_dealer, shuffled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.sdk import Bot
    from league.adjusted import Adjusted
    from league.estimates import Estimate
    from league.tallies import Floats, Ints

BONUS, TRUTH = 0.5, 0.25
SETS, DEALS, DRAWN = 40, 8, 400
BOTS = "greedy,lowest,random"
"""Sample bots; in a game for teams the first two."""


class Games(NamedTuple):
    """Games of one seating each: deals (games,), points (games, bots), worth (games, bots, measures)."""

    deals: Ints
    points: Floats
    worth: Floats


# ---- between players who move at random -----------------------------------------------------------------------------------


def random_games(rules: Rules, count: int, deals: int, seed: int) -> Games:
    """So many games, of so many deals or (0) to the target; bot i of game n sits at side i + n, the first gets the bonus."""
    chance = np.random.default_rng(seed)
    found = Games(np.zeros(count, np.int64), np.zeros((count, rules.sides)), np.zeros((count, rules.sides, MEASURES)))
    first, better = chance.integers(0, rules.seats, count), np.isin(rules.pack, sorted(rules.pack)[len(rules.pack) // 2 :])
    side = (np.arange(rules.sides)[None, :] + np.arange(count)[:, None]) % rules.sides
    playing = np.arange(count)
    for number in range(deals or rules.max_deals):
        order = np.argsort(chance.random((len(playing), len(rules.pack))), axis=1)
        packs, dealers = np.asarray(rules.pack)[order], (first[playing] + number) % rules.seats
        points = playout(rules, packs=packs, dealers=dealers, rng=chance).points
        cards = luck(rules, packs.tolist(), dealers.tolist(), f"{seed}/{number}".encode())
        here = np.arange(len(playing))[:, None]
        found.points[playing] += points[here, side[playing]]
        found.points[playing, 0] += BONUS * better[order[:, 0]]
        found.worth[playing] += cards[here, side[playing]]
        found.deals[playing] += 1
        if not deals:
            ranked = np.sort(found.points[playing], axis=1)
            playing = playing[(ranked[:, -1] < rules.target) | (ranked[:, -1] == ranked[:, -2])]
        if not len(playing):
            break
    return found


def adjusted_leads(games: Games) -> list[Adjusted]:
    """The first bot's lead in matches of 40 games each."""
    found = []
    for start in range(0, len(games.deals), SETS):
        part = slice(start, start + SETS)
        match = adjust_match(range(SETS), games.deals[part].tolist(), games.points[part], games.worth[part])
        assert match is not None
        found.append(match[0].lead)
    return found


def unbiased(rules: Rules, matches: int, deals: int) -> None:
    """Print what many matches between random players say; nothing of games that would not end before the last deal allowed."""
    if not deals and playout(rules, 4000, rng=np.random.default_rng(1)).points.mean() < 0:
        print(f"{rules.name:11} {_format(deals):8} players who move at random do not come to the target", flush=True)
        return
    leads = adjusted_leads(random_games(rules, matches * SETS, deals, 1))
    report(f"{rules.name:11} {_format(deals):8} {matches:5}", leads, TRUTH)


def report(title: str, leads: Sequence[Adjusted], truth: float) -> None:
    """Print what is taken off, errors, and how many intervals hold the truth, raw and adjusted."""
    taken, error = mean_of([lead.luck for lead in leads]), mean_of([lead.adjusted.value - truth for lead in leads])
    raw, adjusted = covered([lead.raw for lead in leads], truth), covered([lead.adjusted for lead in leads], truth)
    narrowed = mean_of([100 * lead.narrowed for lead in leads])[0]
    print(
        f"{title} taken off {taken[0]:+.4f} ± {taken[1]:.4f}  error {error[0]:+.4f} ± {error[1]:.4f}  "
        f"covered {raw:.1f} %, {adjusted:.1f} %  narrower by {narrowed:.1f} %",
        flush=True,
    )


def covered(estimates: Sequence[Estimate], truth: float) -> float:
    """Per cent of intervals that hold the truth."""
    return 100 * float(np.mean([not estimate.excludes(truth) for estimate in estimates]))


def mean_of(values: Sequence[float]) -> tuple[float, float]:
    """Mean and the half-width of its 95 % interval."""
    return float(np.mean(values)), 1.96 * float(np.std(values, ddof=1)) / math.sqrt(len(values))


# ---- between sample bots --------------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """What is played, by whom, and over how many deals (0: to the target)."""

    rules: Rules
    bots: Sequence[Bot]
    deals: int
    key: bytes = hashlib.sha256(b"luck").digest()

    def dealer(self, number: int) -> int:
        """Who deals first in a set."""
        return first_dealer(self.key, number, self.rules.seats)

    def game(self, number: int, seating: Sequence[int]) -> list[list[int]]:
        """Points by line-up index of each deal of a game."""
        rules, total, found = self.rules, [0] * self.rules.sides, []
        tables = [table_for(rules, seat) for seat in range(rules.seats)]
        side = {bot: rules.side(seat) for seat, bot in enumerate(seating)}
        for at in range(self.deals or rules.max_deals):
            pack = shuffled(self.key, number, at, rules.pack)
            deal = rules.deal(pack, (self.dealer(number) + at) % rules.seats, at, total)
            play_deal(deal, tables, [self.bots[index] for index in seating])
            points = deal.points()
            total = [before + won for before, won in zip(total, points, strict=True)]
            found.append([points[side[bot]] for bot in range(rules.sides)])
            if not self.deals and max(total) >= rules.target and total.count(max(total)) == 1:
                break
        return found


Place = tuple[int, tuple[int, ...]]


def sampled(table: Table, names: Sequence[str], sets: int) -> None:
    """Print by how much the first bot's interval is narrower, for one seating a set and for all."""
    seatings = table.rules.seatings()
    games = {(number, seating): table.game(number, seating) for number in range(sets) for seating in seatings}
    single = {(number, seatings[number % len(seatings)]) for number in range(sets)}
    for title, chosen in (("one seating", {place: games[place] for place in sorted(single)}), ("all seatings", games)):
        what = f"{table.rules.name:11} {_format(table.deals):8} {', '.join(names):24} {title:12}"
        print(what, told(table, chosen), flush=True)
    if sets >= 2 * SETS:
        drawn(table, games, sets)


def drawn(table: Table, games: Mapping[Place, list[list[int]]], sets: int) -> None:
    """Print what matches of 40 single games say that are drawn from all, against the lead in all seatings together."""
    places, seatings, chance = list(games), table.rules.seatings(), np.random.default_rng(1)
    worth = luck_of_games(table.rules, table.key, [(*place, table.dealer(place[0]), len(games[place])) for place in places])
    points = np.array([np.sum(games[place], axis=0) for place in places], np.float64)
    deals = np.array([len(games[place]) for place in places])
    truth = (points[:, 0] - points[:, 1:].mean(axis=1)).sum() / deals.sum()
    leads = []
    for _ in range(DRAWN):
        seating = (np.arange(SETS) + chance.integers(len(seatings))) % len(seatings)
        chosen = chance.permutation(sets)[:SETS] * len(seatings) + seating
        match = adjust_match(range(SETS), deals[chosen].tolist(), points[chosen], worth[chosen])
        assert match is not None
        leads.append(match[0].lead)
    report(f"  {DRAWN} matches of {SETS} single games of these:", leads, truth)


def told(table: Table, games: Mapping[Place, list[list[int]]]) -> str:
    """The lead of the first bot with and without luck, in words."""
    where = [(number, seating, table.dealer(number), len(deals)) for (number, seating), deals in games.items()]
    points = np.array([np.sum(deals, axis=0) for deals in games.values()], np.float64)
    worth = luck_of_games(table.rules, table.key, where)
    match = adjust_match([one[0] for one in where], [one[3] for one in where], points, worth)
    if match is None:
        return "every bot had the same cards"
    lead = match[0].lead
    raw, adjusted = (f"{one.value:+.3f} ± {one.half_width:.3f}" for one in (lead.raw, lead.adjusted))
    return f"{raw}, {adjusted}, narrower by {100 * lead.narrowed:.1f} %"


def _format(deals: int) -> str:
    return f"deals:{deals}" if deals else "game"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--matches", type=int, default=400, help="matches between random players (400), 0: none")
    parser.add_argument("--sets", type=int, default=100, help="sets between sample bots (100), 0: none")
    parser.add_argument("--bots", default=BOTS, help=f"three sample bots; the first two play where there are teams ({BOTS})")
    known = [variant.name for variant in VARIANTS]
    parser.add_argument("--variant", action="append", choices=known, help="which variants (all)")
    given = parser.parse_args()
    names = given.bots.split(",")
    played = [(Rules(name), deals) for name in given.variant or known for deals in (DEALS, 0)]
    for rules, deals in played if given.matches else ():
        unbiased(rules, given.matches, deals)
    for rules, deals in played if given.sets else ():
        chosen = names[: rules.bots]
        sampled(Table(rules, [load(Source(SAMPLES[name].split()[-1]))() for name in chosen], deals), chosen, given.sets)


if __name__ == "__main__":
    main()
