"""Figures for Prometheus: what was played, how it went, what is held and what waits.

All of it is read from the store and the queue when it is asked for, so it survives restarts, counts what other machines play, and
costs nothing while nobody asks. Counters never fall.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from league.errors import StoreError
from referee.match import BUCKETS_US
from worker import valkey
from worker.queueing import Matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from league.model import AttemptFigures, Holdings
    from league.store import Store
    from worker.settings import Settings

LOG = logging.getLogger(__name__)
LIVE = "running"
"""The outcome of an attempt that has not ended."""


@dataclass
class Totals:
    """Sums over attempts."""

    attempts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    games: int = 0
    decisions: int = 0
    latency: dict[str, list[int]] = field(default_factory=lambda: {"bot": [], "referee": []})
    sum_us: Counter[str] = field(default_factory=Counter)

    def add(self, one: AttemptFigures) -> None:
        """Add an attempt."""
        self.attempts[one.outcome or LIVE] += 1
        self.faults.update(one.faults)
        self.games += one.games
        self.decisions += one.decisions
        for part, told in one.latency.items():
            counts = self.latency[part] or [0] * len(told["counts"])
            self.latency[part] = [here + there for here, there in zip(counts, told["counts"], strict=True)]
            self.sum_us[part] += told["sum_us"]

    def copy(self) -> Totals:
        """A copy that can be added to."""
        latency = {part: list(counts) for part, counts in self.latency.items()}
        return Totals(Counter(self.attempts), Counter(self.faults), self.games, self.decisions, latency, Counter(self.sum_us))


class Played:
    """Sums over all attempts of a store; what has ended is read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._settled = Totals()
        self._upto = 0

    def totals(self) -> Totals:
        """The sums now."""
        rows = self._store.attempt_figures(self._upto)
        running = next((place for place, row in enumerate(rows) if not row.ended), len(rows))
        for row in rows[:running]:
            self._settled.add(row)
            self._upto = row.id
        totals = self._settled.copy()
        for row in rows[running:]:
            totals.add(row)
        return totals


class Arena(Collector):
    """The arena's figures, gathered when Prometheus asks."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._played = Played(store)

    def collect(self) -> Iterator[Metric]:
        """The families, names as Prometheus has them: base units, `_total` for what only grows."""
        try:
            told = [*self._of_store()]
        except (SQLAlchemyError, StoreError) as error:
            LOG.warning("the store cannot be read: %s", error)
            told = []
        yield _gauge("arena_store_up", "1 where the store can be read.", int(bool(told)))
        yield from told
        yield from self._of_queue()

    def _of_store(self) -> Iterator[Metric]:
        yield from _of_play(self._played.totals())
        yield _counts(
            "arena_void_games", "Games that were void and are played again, by cause.", "cause", self._store.void_counts()
        )
        yield from _of_holdings(self._store.holdings())

    def _of_queue(self) -> Iterator[Metric]:
        connection = valkey.connect(self._settings)
        try:
            up = valkey.answers(connection)
            yield _gauge("arena_queue_up", "1 where the queue server answers.", int(up))
            if up:
                jobs, workers = Matches(connection, self._settings).census()
                family = GaugeMetricFamily("arena_queue_jobs", "Jobs on the queue server, by state.", labels=["state"])
                for state, count in jobs.items():
                    family.add_metric([state], count)
                yield family
                yield _gauge("arena_workers", "Workers that are registered with the queue.", workers)
        finally:
            connection.close()


def _of_play(totals: Totals) -> Iterator[Metric]:
    yield _total("arena_games", "Games stored.", totals.games)
    yield _total("arena_decisions", "Answers of bots, in stored games.", totals.decisions)
    yield _counts("arena_faults", "Faults of bots in stored games, by cause.", "cause", totals.faults)
    family = GaugeMetricFamily("arena_attempts", "Attempts at matches, by outcome.", labels=["outcome"])
    for outcome, count in sorted(totals.attempts.items()):
        family.add_metric([outcome], count)
    yield family
    yield _latency(totals)


def _latency(totals: Totals) -> HistogramMetricFamily:
    text = "Time of decisions: the bot's part with the way there and back, and the referee's own."
    family = HistogramMetricFamily("arena_decision_seconds", text, labels=["part"])
    bounds = [*(str(bound / 1e6) for bound in BUCKETS_US), "+Inf"]
    for part, counts in totals.latency.items():
        below, buckets = 0, []
        for bound, count in zip(bounds, counts or [0] * len(bounds), strict=True):
            below += count
            buckets.append((bound, below))
        family.add_metric([part], buckets, totals.sum_us[part] / 1e6)
    return family


def _of_holdings(now: Holdings) -> Iterator[Metric]:
    yield _gauge("arena_leagues_open", "Leagues that are not finished.", now.leagues_open)
    yield _gauge("arena_leagues_finished", "Leagues whose key is public.", now.leagues_finished)
    yield _gauge("arena_matches_open", "Matches that are made and not complete.", now.matches_open)
    yield _gauge("arena_matches_complete", "Matches that are complete.", now.matches_complete)
    yield _gauge("arena_leases_live", "Matches that somebody plays now.", now.leases_live)
    yield _gauge("arena_leases_expired", "Matches whose player has given no sign of life in time.", now.leases_expired)
    yield _gauge("arena_games_missing", "Games to be played of the matches that are made.", now.games_missing)


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)


def _total(name: str, text: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(name, text, value=value)


def _counts(name: str, text: str, label: str, counts: dict[str, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(name, text, labels=[label])
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family
