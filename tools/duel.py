"""Measure bots against each other in one process, with duplicate sets and no wire: for tuning, not for ratings.

    python tools/duel.py counter greedy --variant turn-up --sets 40
    python tools/duel.py counter greedy random --variant ghost-hand --format deals:12
    python tools/duel.py counter greedy --variant cutthroat --option stick_dealer=on

A bot is the name of a sample, or `module:Class`. In a game for three, two bots are measured as first, second, second.
The bots share a process and may keep what they saw, which real matches rule out, so measure only bots that go by the view.
"""

import argparse
import hashlib
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import fmean, stdev

from arena.sdk import Bot
from arena.sdk.local import play_deal, table_for
from referee.rules import VARIANTS, Rules
from referee.shuffle import first_dealer, shuffled

SAMPLES = {
    "random": "sample_bots.python.random_bot:RandomBot",
    "lowest": "sample_bots.python.lowest:Lowest",
    "greedy": "sample_bots.python.greedy:Greedy",
    "counter": "sample_bots.python.counter:Counter",
}
# Student's t at 97.5 %, for few sets; 1.96 beyond.
T_975 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 7: 2.36, 9: 2.26, 14: 2.14, 19: 2.09, 29: 2.05, 39: 2.02}


@dataclass(frozen=True)
class Game:
    """A finished game: points and places by the bot's index in the line-up, and how many deals it took."""

    points: tuple[float, ...]
    places: tuple[float, ...]
    deals: int


@dataclass
class Margin:
    """What the first bot is ahead of another, one number a set: points a deal, and games placed above less below."""

    points: list[float] = field(default_factory=list)
    games: list[float] = field(default_factory=list)


def load(name: str) -> Bot:
    """A bot by the name of a sample or as `module:Class`; raises SystemExit if there is none."""
    module, _, attribute = SAMPLES.get(name, name).partition(":")
    try:
        bot = getattr(import_module(module), attribute)()
    except (ImportError, AttributeError, ValueError) as error:
        raise SystemExit(f"no bot {name!r} ({error}); samples are {', '.join(SAMPLES)}, else module:Class") from error
    if not isinstance(bot, Bot):
        raise SystemExit(f"{name!r} is no Bot")
    return bot


@dataclass(frozen=True)
class Series:
    """The deals that all the bots of a measurement play."""

    rules: Rules
    key: bytes
    deals: int = 0
    """How many deals a game has; 0 plays to the target."""

    def play_game(self, bots: Sequence[Bot], seating: Sequence[int], number: int) -> Game:
        """One game of set `number` in one seating."""
        rules = self.rules
        total = [0] * rules.sides
        tables = [table_for(rules, seat) for seat in range(rules.seats)]
        seated = [bots[index] for index in seating]
        first = first_dealer(self.key, number, rules.seats)
        played = 0
        while played < (self.deals or rules.max_deals):
            pack = shuffled(self.key, number, played, rules.pack)
            deal = rules.deal(pack, (first + played) % rules.seats, played, total)
            play_deal(deal, tables, seated)
            total = [before + won for before, won in zip(total, deal.points(), strict=True)]
            played += 1
            best = max(total)
            if not self.deals and best >= rules.target and total.count(best) == 1:
                break
        return by_bot(rules, seating, total, played)

    def play_set(self, bots: Sequence[Bot], number: int) -> Iterator[Game]:
        """Every game of a set; seatings that only exchange a bot with itself are played once."""
        done: set[tuple[int, ...]] = set()
        for seating in self.rules.seatings():
            who = tuple(id(bots[index]) for index in seating)
            if who not in done:
                done.add(who)
                yield self.play_game(bots, seating, number)


def by_bot(rules: Rules, seating: Sequence[int], total: Sequence[int], played: int) -> Game:
    """Points and places by line-up index rather than by seat."""
    sides = {seating[seat]: rules.side(seat) for seat in range(rules.seats)}
    points = tuple(float(total[sides[index]]) for index in range(rules.sides))
    places = tuple(1.0 + sum(other > own for other in points) for own in points)
    return Game(points, places, played)


def duel(series: Series, bots: Sequence[Bot], sets: range) -> dict[int, Margin]:
    """The margins of the first bot over each other one, by line-up index."""
    margins = {index: Margin() for index in range(1, len(bots))}
    for number in sets:
        games = list(series.play_set(bots, number))
        played = sum(game.deals for game in games)
        for index, margin in margins.items():
            margin.points.append(sum(game.points[0] - game.points[index] for game in games) / played)
            margin.games.append(fmean(_sign(game.places[index] - game.places[0]) for game in games))
    return margins


def merge(margins: dict[int, Margin], names: Sequence[str]) -> dict[str, Margin]:
    """Margins by name: two seats of one bot are one opponent, so their numbers are averaged within the set."""
    merged: dict[str, Margin] = {}
    for name in dict.fromkeys(names[1:]):
        same = [margins[index] for index in margins if names[index] == name]
        points = [fmean(values) for values in zip(*(margin.points for margin in same), strict=True)]
        games = [fmean(values) for values in zip(*(margin.games for margin in same), strict=True)]
        merged[name] = Margin(points, games)
    return merged


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean of the sets and the half-width of its 95 % interval (infinite for a single set)."""
    if len(values) < 2:
        return fmean(values), math.inf
    freedom = len(values) - 1
    t = T_975[max(known for known in T_975 if known <= freedom)]
    return fmean(values), t * stdev(values) / math.sqrt(len(values))


def line_up(names: Sequence[str], rules: Rules) -> list[str]:
    """The names of all the bots that the variant takes; raises SystemExit if there are too many or too few."""
    full = [*names, names[-1]] if len(names) == 2 and rules.bots == 3 else list(names)
    if len(full) != rules.bots:
        raise SystemExit(f"{rules.name} takes {rules.bots} bots, not {len(names)}")
    return full


def _sign(number: float) -> float:
    return float((number > 0) - (number < 0))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bots", nargs="+", help=f"{', '.join(SAMPLES)} or module:Class")
    parser.add_argument("--variant", default="all", choices=["all", *(variant.name for variant in VARIANTS)])
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--format", default="game", help='"game" or "deals:N"')
    parser.add_argument("--key", default="tuning", help="any text; the same text gives the same deals")
    return parser.parse_args()


def main() -> None:
    """Play and print one line for each variant and opponent."""
    given = _arguments()
    sys.path.insert(0, str(Path.cwd()))  # where an author's own module is
    deals = int(given.format.partition(":")[2] or 0)
    key = hashlib.sha256(given.key.encode()).digest()
    options = dict(option.split("=", 1) for option in given.option)
    for variant in VARIANTS:
        if given.variant not in ("all", variant.name):
            continue
        rules = Rules(variant.name, options)
        names = line_up(given.bots, rules)
        loaded = {name: load(name) for name in names}
        began = time.monotonic()
        margins = merge(duel(Series(rules, key, deals), [loaded[name] for name in names], range(given.sets)), names)
        seconds = time.monotonic() - began
        for name, margin in margins.items():
            points, games = interval(margin.points), interval(margin.games)
            print(
                f"{variant.name:11} {names[0]} over {name:8} {points[0]:+.3f} ± {points[1]:.3f} points a deal, "
                f"games {games[0]:+.2f} ± {games[1]:.2f} ({given.sets} sets, {seconds:.0f} s)",
                flush=True,
            )


if __name__ == "__main__":
    main()
