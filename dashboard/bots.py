"""One bot of a league in figures: what it did in its deals, over all complete matches or those of one variant."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from dashboard import data
from dashboard.tables import AT_WORK
from league.errors import LeagueError
from referee import habits
from referee.rules import RulesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from league.model import Bot, BotVersion, League
    from league.store import Store
    from league.store_habits import MatchHabits

BUDGET = 0.1
"""Seconds after which a page that has nothing to show yet works out no further match."""
LATER = 100
"""Matches that are worked out after a page has been sent, before somebody has to look again."""
WORST, FAULTS = 10, 10
"""Deals lost worst, and faults of each cause, that are shown."""
_PAIRS = ("made", "defended", "dealt", "alone", "stood_alone")
_NUMBERS = ("games", "deals", "thrown_in", "points", "asked", "spoke")


@dataclass(frozen=True, slots=True)
class Place:
    """A deal of a match, to link to."""

    match: str
    set: int
    seating: str
    deal: int


@dataclass(frozen=True, slots=True)
class WorstDeal:
    """A deal that went worse than the same cards in the same chair went for others."""

    at: Place
    lost: float
    margin: float
    others: float


@dataclass
class Sums:
    """Habits summed up over matches: see `referee.habits.Habits` for what each figure is."""

    label: str | None
    matches: int = 0
    games: int = 0
    deals: int = 0
    thrown_in: int = 0
    points: int = 0
    asked: int = 0
    spoke: int = 0
    made: list[int] = field(default_factory=lambda: [0, 0])
    defended: list[int] = field(default_factory=lambda: [0, 0])
    dealt: list[int] = field(default_factory=lambda: [0, 0])
    alone: list[int] = field(default_factory=lambda: [0, 0])
    stood_alone: list[int] = field(default_factory=lambda: [0, 0])
    calls: dict[str, int] = field(default_factory=dict)
    contracts: dict[str, list[int]] = field(default_factory=dict)

    def add(self, found: dict[str, Any]) -> None:
        """Add one match."""
        self.matches += 1
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + found[name])
        for name in _PAIRS:
            _add(getattr(self, name), found[name])
        for call, count in found["calls"].items():
            self.calls[call] = self.calls.get(call, 0) + count
        for call, pair in found["contracts"].items():
            _add(self.contracts.setdefault(call, [0, 0]), pair)

    @property
    def played(self) -> int:
        """Deals in which somebody became the maker."""
        return self.made[0] + self.defended[0]

    @property
    def kept(self) -> int:
        """Deals as maker that were made."""
        return sum(pair[1] for pair in self.contracts.values())

    @property
    def moons(self) -> list[int]:
        """Moons tried and made."""
        return self.contracts.get("moon", [0, 0])

    @property
    def not_dealt(self) -> list[int]:
        """Deals in which it did not deal, and its points in them."""
        return [self.deals - self.dealt[0], self.points - self.dealt[1]]

    @property
    def roles(self) -> list[tuple[str, int, float]]:
        """Points a deal by role: what, deals, points a deal. A bot that sits in both seats of a team is both of them."""
        named = (("as maker", self.made), ("as defender", self.defended), ("as dealer", self.dealt))
        return [(what, deals, points / deals) for what, (deals, points) in (*named, ("not as dealer", self.not_dealt)) if deals]

    @property
    def by_contract(self) -> list[tuple[str, int, int]]:
        """By the call that made it the maker, lowest first: call, tried, made."""
        return [(call, tried, made) for call in sorted(self.contracts, key=_height) for tried, made in [self.contracts[call]]]

    @property
    def by_call(self) -> list[tuple[str, int]]:
        """How often it made each call of the auction, lowest first."""
        return [(call, self.calls[call]) for call in sorted(self.calls, key=_height)]


_ORDER = ("swap", "order", "name", *(str(number) for number in range(3, 12)), "ask", "moon")


def _height(call: str) -> int:
    return _ORDER.index(call) if call in _ORDER else len(_ORDER)


def _add(pair: list[int], other: Sequence[int]) -> None:
    pair[0] += other[0]
    pair[1] += other[1]


@dataclass(frozen=True, slots=True)
class Shown:
    """A version of a bot, as its page lists it."""

    version: BotVersion
    name: str | None
    """Under which name it has played in the league; None if it has not."""
    promoted: bool
    """Whether new leagues are made with it."""


def versions(league: League, found: Bot, *, mine: bool = False) -> list[Shown]:
    """The versions of a bot, the newest first: those that are qualified or have played here, and to its owner all of them."""
    names = {(entry.bot.bot, entry.bot.version): league.shown(entry.bot) for entry in league.entries}
    return [
        Shown(one, names.get((one.bot, one.version)), found.promoted == one.version)
        for one in reversed(found.versions)
        if mine or one.state in {None, "qualified"} or (one.bot, one.version) in names
    ]


@dataclass(frozen=True, slots=True)
class Profile:
    """All that a bot's page shows of its deals."""

    sums: tuple[Sums, ...]
    """By variant, by label."""
    faults: dict[str, list[Place]]
    """By cause, some places, the newest first."""
    counts: dict[str, int]
    """Faults by cause."""
    worst: tuple[WorstDeal, ...]
    missing: int
    """Complete matches that are still to be worked out."""


@dataclass(frozen=True, slots=True)
class _Match:
    """A match whose figures are there."""

    match: str
    label: str
    found: dict[str, Any]


def profile(league: League, bot: BotVersion, label: str | None) -> Profile:
    """The profile of a bot over its complete matches, whose deals are open."""
    store = data.store()
    found = _worked_out(store, store.habits(league.name, bot, habits.FORMAT, label), bot)
    there = [_Match(one.match, one.label, one.found) for one in found if one.found is not None]
    sums: dict[str, Sums] = {}
    counts: Counter[str] = Counter()
    for one in there:
        sums.setdefault(one.label, Sums(one.label)).add(one.found)
        counts.update(one.found["faults"])
    return Profile(
        tuple(sums[each] for each in sorted(sums)),
        _fault_places(there),
        dict(sorted(counts.items())),
        _worst(there),
        len(found) - len(there),
    )


def _worked_out(store: Store, found: Sequence[MatchHabits], bot: BotVersion) -> Sequence[MatchHabits]:
    """The same; where nothing is there yet with a few worked out, and kept, as time allows. The others are seen to meanwhile."""
    end, done = time.monotonic() + BUDGET, False
    missing = [one for one in found if one.found is None]
    nothing = len(missing) == len(found)
    while nothing and missing:
        done = _work_out(store, missing.pop(0)) or done
        if time.monotonic() >= end:
            break
    if missing:
        _LATER.begin(store, missing[:LATER])
    if not done:
        return found
    first = store.match(found[0].match)
    return store.habits(first.league, bot, habits.FORMAT, first.label if len({one.label for one in found}) == 1 else None)


class _Later:
    """Works out matches that nobody waits for: one at a time in a process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._job: Thread | None = None

    def begin(self, store: Store, some: Sequence[MatchHabits]) -> None:
        """Begin with these, unless others are being worked out."""
        with self._lock:
            if self._job is None or not self._job.is_alive():
                self._job = Thread(target=self._work, args=(store, some), daemon=True)
                self._job.start()

    def _work(self, store: Store, some: Sequence[MatchHabits]) -> None:
        for one in some:
            with AT_WORK:
                _work_out(store, one)


_LATER = _Later()


def _work_out(store: Store, one: MatchHabits) -> bool:
    try:
        figures = habits.of_record(store.record_lines(one.match), store.match_key(one.match))
        return store.save_habits(one.match, one.completed_at, habits.FORMAT, figures)
    except (LeagueError, RulesError, ValueError):  # a damaged record: its own page says so
        return False


def _fault_places(found: Iterable[_Match]) -> dict[str, list[Place]]:
    places: dict[str, list[Place]] = {}
    for one in found:
        for cause, number, seating, deal, _ in one.found["fault_list"]:
            places.setdefault(cause, []).append(Place(one.match, number, "".join(map(str, seating)), deal))
    return {cause: some[-FAULTS:][::-1] for cause, some in sorted(places.items())}


def _worst(found: Iterable[_Match]) -> tuple[WorstDeal, ...]:
    deals = [
        WorstDeal(Place(one.match, number, "".join(map(str, seating)), deal), lost, margin, others)
        for one in found
        for lost, number, seating, deal, margin, others in one.found["worst"]
    ]
    return tuple(heapq.nlargest(WORST, deals, key=lambda deal: deal.lost))
