"""A measurement over several processes: who plays whom on which sets, and the results in the order of the sets."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from arena.tune.series import BotFailed, Series, SetResult, play_sets
from arena.tune.source import Source, load
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from arena.tune.source import Factory

_CHUNK = 25
"""Sets that a process plays between two reports, at most."""
_CHUNKS = 8
"""Into how many parts a process's share is cut at least, so that all end at about the same time."""


@dataclass(frozen=True)
class Plan:
    """What is to be measured: line-ups, each of which plays the same sets."""

    variant: str
    options: Mapping[str, str]
    fmt: str
    key: bytes
    sets: int
    lineups: tuple[tuple[Source, ...], ...]

    def names(self, lineup: int) -> list[str]:
        """The names in a line-up; bots that are the same have the same name, the first has one that no other has."""
        first, *others = self.lineups[lineup]
        return [f"{first.label} (measured)", *(each.label for each in others)]


def measure(plan: Plan, jobs: int, told: Callable[[int], None] = lambda _played: None) -> list[list[SetResult]]:
    """Play it all, in so many processes; returns the sets by line-up, in order, the same whatever the number of processes.

    `told` gets the number of sets whenever some more have been played. When it is interrupted by KeyboardInterrupt, it returns
    the sets that every line-up has played, from the first to the last before one that is missing. Raises BotFailed.
    """
    done: dict[tuple[int, int], list[SetResult]] = {}
    try:
        for start, lineup, results in _played(plan, jobs):
            done[start, lineup] = results
            told(len(results))
    except KeyboardInterrupt:
        pass
    return _in_order(plan, jobs, done)


def _tasks(plan: Plan, jobs: int) -> Iterator[tuple[int, int, range]]:
    """(first set, line-up, sets): all line-ups of some sets before the next sets."""
    size = max(1, min(_CHUNK, plan.sets // (jobs * _CHUNKS)))
    for start in range(0, plan.sets, size):
        for lineup in range(len(plan.lineups)):
            yield start, lineup, range(start, min(start + size, plan.sets))


def _in_order(plan: Plan, jobs: int, done: dict[tuple[int, int], list[SetResult]]) -> list[list[SetResult]]:
    found: list[list[SetResult]] = [[] for _ in plan.lineups]
    starts = sorted({start for start, _, _ in _tasks(plan, jobs)})
    for start in starts:
        if any((start, lineup) not in done for lineup in range(len(plan.lineups))):
            break
        for lineup in range(len(plan.lineups)):
            found[lineup] += done[start, lineup]
    return found


def _played(plan: Plan, jobs: int) -> Iterator[tuple[int, int, list[SetResult]]]:
    if jobs == 1:
        for start, lineup, numbers in _tasks(plan, jobs):
            yield start, lineup, _play(plan, lineup, numbers)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (list(sys.path),)) as pool:
        try:
            yield from _by_processes(pool, plan, jobs)
        except BrokenProcessPool:
            raise BotFailed("a bot ended the process that it played in") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _by_processes(pool: ProcessPoolExecutor, plan: Plan, jobs: int) -> Iterator[tuple[int, int, list[SetResult]]]:
    """Keep every process busy, and no more in the queue than that takes."""
    tasks, waiting = _tasks(plan, jobs), dict[Future[list[SetResult]], tuple[int, int]]()
    while True:
        for start, lineup, numbers in tasks:
            waiting[pool.submit(_play, plan, lineup, numbers)] = start, lineup
            if len(waiting) >= 2 * jobs:
                break
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            yield *waiting.pop(future), future.result()


# ---- within a process -----------------------------------------------------------------------------------------------


def _begin(path: list[str]) -> None:
    """Make ready a process of the pool: an interrupt is for the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path[:] = path


def _play(plan: Plan, lineup: int, numbers: range) -> list[SetResult]:
    series = Series(Rules(plan.variant, plan.options), plan.key, plan.fmt)
    with redirect_stdout(sys.stderr):  # what bots print is not the result
        factories = [_loaded(source) for source in plan.lineups[lineup]]
        return play_sets(series, numbers, factories, plan.names(lineup))


@cache
def _loaded(source: Source) -> Factory:
    return load(source)
