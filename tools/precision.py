"""What a league with a precision saves against a plain round robin, and what its intervals cover: by simulation.

``python -m tools.precision [LEAGUES]`` prints the table of docs/ratings.md; ``python -m tools.precision samples [LEAGUES]``
lets the sample bots play turn-up, by the rules and in this process, for it.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from arena.tune import Series, Source, load
from league.model import BotVersion, Entry, League, LeagueVariant, Round
from league.precision import Gaps, next_round
from league.ratings import SCALE, rate
from league.tallies import PairRows
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from league.tallies import Floats

COMMON = 0.4
"""Share of a game's noise that the games of its set have in common, as they have the cards."""
GAMES = 2


@dataclass(frozen=True)
class Case:
    """A league of known strength that is played for a precision, pair against pair."""

    what: str
    elos: tuple[float, ...]
    precision: float
    sets: int = 10
    max_sets: int = 1000


CASES = (
    Case("six bots, −200 … 200, for ± 50", (-200, -120, -40, 40, 120, 200), 50),
    Case("six bots, −400 … 400, for ± 50", (-400, -240, -80, 80, 240, 400), 50),
    Case("ten bots, −300 … 300, for ± 40", tuple(np.linspace(-300, 300, 10)), 40),
    Case("eight bots, two leaders close, for ± 30", (-300, -210, -130, -50, 30, 110, 265, 275), 30),
    Case("six equal bots, for ± 50", (0,) * 6, 50),
    Case("four bots, −50 … 50, for ± 40", (-50, -20, 20, 50), 40),
)


class Simulation:
    """Plays sets of two games between bots of known strength.

    Within a game a bot's performance is its strength plus Gumbel noise, so that places follow Bradley and Terry exactly.
    """

    def __init__(self, case: Case, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._elos = np.array(case.elos)
        self._pairs: list[tuple[int, int]] = []
        self._shares: list[Floats] = []
        self.sets = 0

    def play(self, pairs: Sequence[tuple[int, int]], sets: int) -> None:
        """Play so many sets of each of these pairs."""
        lineups = np.repeat(np.array(pairs).reshape(-1, 2), sets, axis=0)
        common = self._random.standard_normal((len(lineups), 1, 2))
        own = self._random.standard_normal((len(lineups), GAMES, 2))
        noise = -np.log(-np.log(ndtr(np.sqrt(COMMON) * common + np.sqrt(1 - COMMON) * own)))
        performance = (self._elos / SCALE)[lineups][:, None, :] + noise
        self._pairs += [(int(a), int(b)) for a, b in lineups]
        self._shares.append((performance[:, :, 0] > performance[:, :, 1]).sum(axis=1).astype(np.float64))
        self.sets += len(lineups)

    def rows(self) -> PairRows:
        """Everything played so far."""
        first, second = np.array(self._pairs, np.int64).reshape(-1, 2).T
        games = np.full(len(first), float(GAMES))
        return PairRows(np.arange(len(first)), first, second, games, np.concatenate(self._shares), np.zeros(len(first)), games)

    def gaps(self, precision: float) -> Gaps:
        """What is known of the differences."""
        return Gaps(NAMES[: len(self._elos)], rate(self.rows(), len(self._elos)), precision)


class Samples(Simulation):
    """Plays sets of turn-up between sample bots, whose strength nobody knows. Each pair has deals of its own."""

    def __init__(self, case: Case, seed: int) -> None:
        super().__init__(case, seed)
        self._bots = [load(Source(f"sample_bots.python.{module}")) for module in SAMPLES]
        self._series = [Series(Rules("turn-up"), self._random.bytes(32), f"deals:{DEALS}") for _ in range(len(SAMPLES) ** 2)]
        self._next = [0] * len(self._series)

    def play(self, pairs: Sequence[tuple[int, int]], sets: int) -> None:
        """Play so many sets of each of these pairs."""
        shares = [self._play_set(a, b) for a, b in pairs for _ in range(sets)]
        self._pairs += [pair for pair in pairs for _ in range(sets)]
        self._shares.append(np.array(shares))
        self.sets += len(shares)

    def _play_set(self, a: int, b: int) -> float:
        pair = a * len(SAMPLES) + b
        played = self._series[pair].play_set(self._next[pair], [self._bots[a], self._bots[b]], ["first", "second"])
        self._next[pair] += 1
        return GAMES * (0.5 + 0.5 * played.games[1])


SAMPLES = ("counter", "greedy", "lowest", "random_bot")
DEALS = 8
SAMPLE_CASE = Case("counter, greedy, lowest, random", (0, 0, 0, 0), 50, sets=5)


NAMES = [f"bot{number:02}" for number in range(50)]


def league_of(case: Case) -> League:
    """The case as a league of one variant."""
    entries = tuple(Entry(BotVersion(NAMES[i], 1, "play")) for i in range(len(case.elos)))
    variant = LeagueVariant("turn-up", "turn-up", {}, "game", 4, ((0, 1, 0, 1), (1, 0, 1, 0)))
    bots = tuple(entry.bot for entry in entries)
    return League(
        "cup", "", case.sets, {}, (variant,), bots, False, 0.0, entries=entries, precision=case.precision, max_sets=case.max_sets
    )


def make(case: Case, seed: int) -> Simulation:
    """Whatever plays a case."""
    return Samples(case, seed) if case is SAMPLE_CASE else Simulation(case, seed)


def adaptive(case: Case, seed: int) -> Simulation:
    """The league with its precision, to its end."""
    league, simulation = league_of(case), make(case, seed)
    names = NAMES[: len(case.elos)]
    done: list[Round] = []
    nobody, nothing = np.zeros(0, np.int64), np.zeros(0)
    ratings = rate(PairRows(nobody, nobody, nobody, nothing, nothing, nothing, nothing), len(names))
    while not done or done[-1].matches:
        decided = next_round(league, league.variants[0], done, ratings, names)
        done.append(decided)
        for sets, matches in itertools.groupby(decided.matches, key=lambda match: match.sets):
            simulation.play([(names.index(m.lineup[0].bot), names.index(m.lineup[1].bot)) for m in matches], sets)
        ratings = rate(simulation.rows(), len(names))
    return simulation


def plain(case: Case, seed: int) -> Iterator[Simulation]:
    """The plain round robin, after 10, 20 … sets of each pair."""
    simulation = make(case, seed)
    pairs = list(itertools.combinations(range(len(case.elos)), 2))
    while True:
        simulation.play(pairs, case.sets)
        yield simulation


@dataclass(frozen=True)
class Ending:
    """One league with a precision, at its end."""

    sets: int
    widest: float
    held: tuple[bool, ...]
    """Of each pair: whether its interval holds the true difference."""
    held_order: tuple[bool, ...]
    """The same of those that stopped because their order was beyond doubt."""


def end(case: Case, seed: int) -> Ending:
    """Play one league with its precision."""
    played = adaptive(case, seed)
    gaps, pairs = played.gaps(case.precision), pairs_of(case)
    held = {pair: _held(case, gaps, pair) for pair in pairs}
    order = tuple(held[pair] for pair in pairs if gaps.verdict(pair) == "order")
    return Ending(played.sets, max(gaps.widest(pair) or 0.0 for pair in pairs), tuple(held.values()), order)


def pairs_of(case: Case) -> list[tuple[str, str]]:
    """Every two bots."""
    return list(itertools.combinations(NAMES[: len(case.elos)], 2))


def _held(case: Case, gaps: Gaps, pair: tuple[str, str]) -> bool:
    difference = gaps.difference(*pair)
    truth = case.elos[NAMES.index(pair[0])] - case.elos[NAMES.index(pair[1])]
    return difference is not None and not difference.excludes(truth)


def plain_sets(case: Case, seed: int, widest: float) -> tuple[int, int]:
    """Sets of a plain round robin until every pairing would be stopped, and until no interval is wider than ``widest``."""
    verdicts = width = 0
    for simulation in plain(case, seed):
        now = simulation.gaps(case.precision)
        verdicts = verdicts or (simulation.sets if all(now.verdict(pair) for pair in pairs_of(case)) else 0)
        narrow = max(now.widest(pair) or 0.0 for pair in pairs_of(case)) <= widest
        width = width or (simulation.sets if narrow else 0)
        if verdicts and width:
            break
    return verdicts, width


def line(case: Case, leagues: int) -> str:
    """One row of the table: savings from so many leagues, coverage from five times as many."""
    endings = [end(case, 1000 * seed + 7) for seed in range(5 * leagues)]
    sets, widest = (float(np.mean([getattr(one, name) for one in endings])) for name in ("sets", "widest"))
    others = [plain_sets(case, 1000 * seed + 8, endings[seed].widest) for seed in range(leagues)]
    verdicts, width = np.mean(others, axis=0)
    covered = 100 * float(np.mean([one.held for one in endings]))
    of_order = list(itertools.chain.from_iterable(one.held_order for one in endings))
    order = f"{100 * float(np.mean(of_order)):.1f} %" if of_order else "–"
    saved = f"{verdicts:.0f} | {100 * (1 - sets / verdicts):.0f} % | {width:.0f} | {100 * (1 - sets / width):.0f} %"
    return f"| {case.what} | {sets:.0f} | {saved} | {widest:.0f} | {covered:.1f} % | {order} |"


def samples(leagues: int) -> None:
    """Print what each league of the sample bots took, and the plain round robin after it."""
    for seed in range(leagues):
        ending = end(SAMPLE_CASE, seed)
        verdicts, width = plain_sets(SAMPLE_CASE, 1000 + seed, ending.widest)
        print(f"{ending.sets} sets, widest ± {ending.widest:.0f}; plain: {verdicts}, for the same widest {width}", flush=True)


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["samples"]:
        samples(int((sys.argv[2:] or ["10"])[0]))
        return
    leagues = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print("| league | sets | plain, all stopped | saved | plain, same widest | saved | widest ± | covered | stopped by order |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for case in CASES:
        print(line(case, leagues), flush=True)


if __name__ == "__main__":
    main()
