"""What is being played, told to whoever listens: one thread a process looks at the store, however many listen.

A *feed* is what one page follows: one league, or the progress of all. It is looked at only while somebody listens, and never more
than a small part of the time. What has changed becomes events with numbers; who comes back with the number of the last event
seen gets those since, and anybody else the whole state first. Events hold counts, names and finished sets: never a card.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from dashboard import filters
from league.errors import LeagueError
from league.schedule import games_a_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from league.model import League, Match, Progress
    from league.store import Store

Json = dict[str, Any]

LOG = logging.getLogger(__name__)

EVERY = 2.0
"""Seconds between two looks, at least."""
SHARE = 0.04
"""The part of its time that the looking thread may look, at most: a look that takes long is followed by a longer pause."""
HEARTBEAT = 15.0
"""Seconds after which a listener is sent a comment when nothing happens, so that neither side takes the other for gone."""
LONGEST = 3600.0
"""Seconds after which a stream ends; browsers come back by themselves."""
KEPT = 256
"""Events of a feed that are kept for those who come back."""
MOST = 256
"""Streams of a process."""
MOST_OF_ONE = 128
"""Streams of one address, which may be many people behind one router."""
TABLES = 40
"""Running matches that are listed."""
FINISHED = 20
"""Finished sets that are listed."""


class Full(Exception):  # noqa: N818 -- reads as what happened
    """There are as many streams as are allowed."""


class Source(Protocol):
    """What a feed looks at."""

    def look(self) -> list[tuple[str, Json]]:
        """Look again; returns what has changed since, as events. LeagueError if the store cannot be read."""

    def state(self) -> Json:
        """Everything, as of the last look."""

    @property
    def over(self) -> bool:
        """Whether nothing will change any more."""


# ---- sources ------------------------------------------------------------------------------------------------------------


def progress_of(league: League, progress: Progress) -> Json:
    """How far a league is, in counts."""
    entries = progress.variants
    return {
        "league": league.name,
        "state": filters.state(league, progress),
        "games": {"done": progress.games_done, "total": progress.games_total},
        "sets": {"done": sum(entry.sets_done for entry in entries), "total": sum(entry.sets_total for entry in entries)},
        "matches": {
            "running": sum(entry.matches_running for entry in entries),
            "complete": sum(entry.matches_complete for entry in entries),
            "total": sum(entry.matches_total for entry in entries),
        },
    }


def table_of(match: Match) -> Json:
    """A match that is being played, in counts."""
    return {
        "match": match.id,
        "label": match.label,
        "bots": [bot.bot for bot in match.lineup],
        "games": {"done": match.games_done, "total": match.games_total},
        "sets": {"done": match.sets_done, "total": match.sets},
    }


class LeagueSource:
    """One league: its progress, the matches being played, the sets that were finished last."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name
        self._progress: Json = {}
        self._tables: list[Json] = []
        self._finished: deque[Json] = deque(maxlen=FINISHED)
        self._known: dict[str, set[int]] = {}
        self._begun = False
        self.over = False

    def state(self) -> Json:
        """Progress, tables and finished sets, the newest first."""
        return {"progress": self._progress, "tables": self._tables, "finished": list(self._finished)}

    def look(self) -> list[tuple[str, Json]]:
        """See the class."""
        self._begin()
        league, progress = self._store.league(self._name), self._store.progress(self._name)
        running = self._store.matches(self._name, state="running", limit=TABLES)
        events: list[tuple[str, Json]] = []
        if (now := progress_of(league, progress)) != self._progress:
            self._progress = now
            events.append(("progress", now))
        if (tables := [table_of(match) for match in running]) != self._tables:
            events.append(("tables", {"tables": tables}))
            events += [("set", found) for found in self._finished_sets(running)]
            self._tables = tables
        self.over = league.key is not None
        return [*events, *([("end", {})] if self.over else [])]

    def _begin(self) -> None:
        """At first look, begin with the sets of the matches completed last."""
        if not self._begun:
            for match in reversed(self._store.matches(self._name, state="complete", newest_first=True, limit=3)):
                self._new_sets(match)
            self._known.clear()
            self._begun = True

    def _finished_sets(self, running: list[Match]) -> list[Json]:
        """The sets finished since the last look: of the matches that are running, and of those that were."""
        before = {table["match"]: table["sets"]["done"] for table in self._tables}
        there = {match.id for match in running}
        gone = [self._store.match(name) for name in before if name not in there]
        changed = [match for match in (*running, *gone) if match.sets_done != before.get(match.id, 0)]
        found = [entry for match in changed for entry in self._new_sets(match)]
        for match in gone:
            self._known.pop(match.id, None)
        return found

    def _new_sets(self, match: Match) -> list[Json]:
        """The complete sets of a match that have not been told yet."""
        done = Counter(game.set for game in self._store.games(match.id))
        whole = {number for number, games in done.items() if games == games_a_set(match.seatings, match.mode)}
        new = sorted(whole - self._known.get(match.id, set()))
        self._known[match.id] = whole
        found = [{"match": match.id, "set": number, "bots": [bot.bot for bot in match.lineup]} for number in new]
        self._finished.extendleft(found)
        return found


class LeaguesSource:
    """The progress of every league that has not ended."""

    over = False

    def __init__(self, store: Store) -> None:
        self._store = store
        self._leagues: dict[str, Json] = {}

    def state(self) -> Json:
        """The progress of each league."""
        return {"leagues": list(self._leagues.values())}

    def look(self) -> list[tuple[str, Json]]:
        """See the class."""
        open_ones = [league for league in self._store.leagues() if league.key is None]
        now = {league.name: progress_of(league, self._store.progress(league.name)) for league in open_ones}
        changed = [entry for name, entry in now.items() if self._leagues.get(name) != entry]
        ended = [{**entry, "state": "final"} for name, entry in self._leagues.items() if name not in now]
        self._leagues = now
        return [("progress", entry) for entry in (*changed, *ended)]


# ---- feeds --------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Feed:
    """The events of one source, numbered from 1 on. Everything but the source belongs to whoever holds the hub's lock."""

    source: Source
    run: str = field(default_factory=lambda: secrets.token_hex(4))
    """Tells the numbers of this feed from those of one before it."""
    listeners: int = 0
    last: int = 0
    events: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=KEPT))
    """Number and text, written once for all listeners."""
    state: str | None = None
    """Everything, as of the last look; None before the first."""
    over: bool = False
    due: float = 0.0

    def publish(self, changes: list[tuple[str, Json]], state: Json) -> None:
        """Number what has changed."""
        for kind, data in changes:
            self.last += 1
            self.events.append((self.last, self._message(kind, data)))
        self.state = self._message("state", state)
        self.over = self.source.over
        if self.over:
            self.state += self._message("end", {})

    def number(self, label: str) -> int:
        """The number of an event by its id; -1 for one of another feed or process."""
        run, _, number = label.partition("-")
        return int(number) if run == self.run and number.isdecimal() else -1

    def news(self, number: int) -> list[str]:
        """What to send to whoever has seen the events up to this one: the later ones, or else the whole state."""
        if self.last - len(self.events) <= number <= self.last:
            return [text for event, text in self.events if event > number]
        return [self.state or ""]

    def _message(self, kind: str, data: Json) -> str:
        """One event, the last so far, in the format of text/event-stream."""
        return f"id: {self.run}-{self.last}\nevent: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"


class Hub:
    """Every feed of a process, and the thread that looks while somebody listens."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._change = threading.Condition()
        self._feeds: dict[str, Feed] = {}
        self._addresses: Counter[str] = Counter()
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether every stream is to end."""
        return self._closed

    @property
    def listeners(self) -> int:
        """Open streams."""
        return self._addresses.total()

    def join(self, name: str | None, address: str) -> Listener:
        """Listen to a league, or to the progress of all; `Listener.leave` must follow.

        Raises:
            Full: there are too many streams, altogether or of this address.
        """
        with self._change:
            if self._closed or self.listeners >= MOST or self._addresses[address] >= MOST_OF_ONE:
                raise Full
            self._addresses[address] += 1
            key = "" if name is None else name
            feed = self._feeds.get(key)
            if feed is None:
                source = LeaguesSource(self._store) if name is None else LeagueSource(self._store, name)
                feed = self._feeds[key] = Feed(source)
            feed.listeners += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="live", daemon=True)
                self._thread.start()
            self._change.notify_all()
        return Listener(self, feed, address)

    def leave(self, feed: Feed, address: str) -> None:
        """End a stream's listening."""
        with self._change:
            feed.listeners -= 1
            self._addresses -= Counter([address])
            if not feed.listeners:
                self._feeds = {key: one for key, one in self._feeds.items() if one is not feed}
            self._change.notify_all()

    def close(self) -> None:
        """End every stream, for good. Safe in a signal handler: it waits for nobody."""
        self._closed = True

    def _watch(self) -> None:
        """Look at the feeds in turn until nobody listens."""
        while True:
            with self._change:
                feeds = list(self._feeds.values())
                if not feeds or self._closed:
                    self._thread = None
                    self._change.notify_all()
                    return
                due = min(feed.due for feed in feeds)
                if (wait := due - time.monotonic()) > 0:
                    self._change.wait(min(wait, EVERY))
                    continue
            for feed in feeds:
                if feed.due <= time.monotonic():
                    self._look(feed)

    def _look(self, feed: Feed) -> None:
        """Look for one feed and wake those who listen. It pauses in proportion to what the look cost."""
        begun = time.monotonic()
        try:
            changes, state = feed.source.look(), feed.source.state()
        except LeagueError as error:
            LOG.warning("live events: %s", error)
            feed.due = time.monotonic() + 5 * EVERY
            return
        with self._change:
            first = feed.state is None
            feed.publish(changes, state)
            feed.due = begun + max(EVERY, (time.monotonic() - begun) / SHARE)
            if changes or first:
                self._change.notify_all()

    def news(self, feed: Feed, number: int, seconds: float) -> tuple[int, list[str]]:
        """Wait, so long at most, for events after this one; returns the number of the last one and what to send, if anything."""
        with self._change:
            self._change.wait_for(lambda: self.closed or (feed.state is not None and feed.last > number), seconds)
            if feed.state is None or self.closed:
                return number, []
            return feed.last, feed.news(number)


class Listener:
    """One open stream."""

    def __init__(self, hub: Hub, feed: Feed, address: str) -> None:
        self._hub = hub
        self._feed = feed
        self._address = address
        self._here = True

    def leave(self) -> None:
        """Stop listening; once more does nothing."""
        if self._here:
            self._here = False
            self._hub.leave(self._feed, self._address)

    def stream(self, seen: str = "") -> Iterator[str]:
        """The stream of events as text, from the one after `seen` on, if that is known; else the whole state first."""
        until = time.monotonic() + LONGEST
        at = self._feed.number(seen)
        yield "retry: 3000\n\n"
        while time.monotonic() < until and not self._hub.closed:
            at, news = self._hub.news(self._feed, at, HEARTBEAT)
            yield "".join(news) or ": still here\n\n"
            if self._feed.over:
                return
