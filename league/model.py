"""The values that the store takes and returns: frozen dataclasses and nothing behind them.

Times called ``…_at`` and ``…_until`` are Unix seconds (float). Points, places, faults and forfeits of a game are by
*line-up index*: the position of a bot in its match's ``lineup``, whatever seat it had in that game.
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, object]
Seating = tuple[int, ...]
"""``seating[i]`` is the line-up index of the bot at seat i."""
Mode = Literal["duplicate", "single"]
"""``duplicate``: every set is played in every seating. ``single``: set s is played in seating ``s % len(seatings)``."""
MatchState = Literal["waiting", "running", "complete", "dropped"]
Outcome = Literal["complete", "partial", "infrastructure", "interrupted", "lost"]
VoidCause = Literal["INFRASTRUCTURE", "INTERRUPTED"]
State = Literal["submitted", "building", "qualifying", "qualified", "failed", "withdrawn"]
"""Of a submission, and so of the version that it makes. The first three lead to one of the next two; any may be withdrawn."""
StopCause = Literal["precision", "order", "limit"]
"""Why a pairing gets no more sets: its interval is small enough, the order is beyond doubt, it has had the most sets."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """One immutable version of a bot: a command to run here, or a remote program that dials in with its tokens."""

    bot: str
    version: int
    run: str | None
    """Command line of a local bot (shell words); None: the bot is remote."""
    cwd: str | None = None
    tokens: tuple[str, ...] = ()
    """SHA-256 (hex) of a remote bot's own token and of its partner's; empty for local bots and once revoked."""
    created_at: float = 0.0
    tree: str | None = None
    """SHA-256 (hex) of the files of a hosted version, which came from an owner and are played in a sandbox; None: trusted."""
    variants: tuple[str, ...] | None = None
    """What it plays; None: all that there are."""
    description: str = ""
    state: State | None = None
    """Of a version that an owner has submitted; None: the organiser added it, and it may play."""

    @property
    def hosted(self) -> bool:
        """Whether an owner has submitted it."""
        return self.state is not None

    @property
    def remote(self) -> bool:
        """Whether the bot runs elsewhere and dials in."""
        return self.run is None

    def __str__(self) -> str:
        return f"{self.bot} v{self.version}"


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot: its name and every version it has had, oldest first."""

    name: str
    versions: tuple[BotVersion, ...]
    removed_at: float | None = None
    owner: str | None = None
    """Who has submitted it; None: the organiser has added it."""
    promoted: int | None = None
    """Of an owner's bot: the version that plays in new leagues."""

    @property
    def latest(self) -> BotVersion:
        """The newest version, whatever its state."""
        return self.versions[-1]

    @property
    def current(self) -> BotVersion | None:
        """The version that new leagues are made with; None for an owner's bot without one."""
        if self.owner is None:
            return self.latest
        return next((version for version in self.versions if version.version == self.promoted), None)


@dataclass(frozen=True, slots=True)
class NewTokens:
    """The secrets of a remote bot, in the clear, this once: the store keeps only their SHA-256."""

    own: str
    partner: str
    """For the second process that plays the partner's seat in team variants."""


@dataclass(frozen=True, slots=True)
class VariantSpec:
    """A variant as a league plays it; options resolved (every one named), seatings those of a duplicate set."""

    variant: str
    options: Mapping[str, object]
    format: str
    """``game`` or ``deals:N``."""
    seats: int
    seatings: tuple[Seating, ...]
    label: str | None = None
    """Name of this entry within the league; by default the variant's name, the second of one variant ``NAME.2``."""


@dataclass(frozen=True, slots=True)
class LeagueSpec:
    """What a league is made of."""

    name: str
    variants: tuple[VariantSpec, ...]
    bots: tuple[str, ...]
    """Names; each takes part with the version that is its current one when the league is created."""
    sets: int
    """Sets a match."""
    clock: Mapping[str, object]
    key: bytes | None = None
    """32 secret bytes; None: drawn by the store."""
    remote_sets: bool = False
    """Whether matches with remote bots are played as duplicate sets, though such bots cannot be forced to forget."""
    precision: float | None = None
    """Half-width in Elo at which a pairing stops; None: a plain round robin, each pairing one match."""
    max_sets: int | None = None
    """With a precision, where every match is one round of ``sets`` sets: the most sets of one pairing."""


@dataclass(frozen=True, slots=True)
class LeagueVariant:
    """A variant of a stored league: :class:`VariantSpec` with its label settled."""

    label: str
    variant: str
    options: Json
    format: str
    seats: int
    seatings: tuple[Seating, ...]
    """Sorted."""

    @property
    def bots(self) -> int:
        """Number of bots in one match: 3 for three seats, 2 for two teams."""
        return 1 + max(itertools.chain.from_iterable(self.seatings))


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot version's part in a league, from when it joined until it was withdrawn, if it was."""

    bot: BotVersion
    stage: int = 0
    """0: there from the start; then 1, 2 … in the order of joining."""
    added_at: float | None = None
    withdrawn_at: float | None = None

    @property
    def active(self) -> bool:
        """Whether it still plays."""
        return self.withdrawn_at is None


@dataclass(frozen=True, slots=True)
class League:
    """A stored league. ``bots`` are those that play in it now, by name."""

    name: str
    commitment: str
    """SHA-256 of the league's key, hex: public from the start."""
    sets: int
    clock: Json
    variants: tuple[LeagueVariant, ...]
    bots: tuple[BotVersion, ...]
    remote_sets: bool
    created_at: float
    revealed_at: float | None = None
    key: bytes | None = None
    """The league's key; None until the league is finished."""
    entries: tuple[Entry, ...] = ()
    """Every bot version that plays or has played in it, by stage and name, which is the order of the schedule."""
    precision: float | None = None
    max_sets: int | None = None
    series: str | None = None
    """The series that it is a season of."""
    season: int | None = None
    """Its number in the series, from 1."""

    def shown(self, bot: BotVersion) -> str:
        """The name of a version in standings: the bot's; with the version's number once another has taken its place."""
        versions = [entry.bot.version for entry in self.entries if entry.bot.bot == bot.bot]
        return bot.bot if not versions or bot.version == versions[-1] else str(bot)

    def variant(self, label: str) -> LeagueVariant:
        """Return the entry with this label; KeyError lists those there are."""
        for entry in self.variants:
            if entry.label == label:
                return entry
        known = ", ".join(entry.label for entry in self.variants)
        raise KeyError(f"league {self.name} has no variant {label!r} (it has: {known})")


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match of a league's round robin, whether stored yet or not."""

    id: str
    """``{league}/{variant label}/{n}``."""
    league: str
    label: str
    n: int
    lineup: tuple[BotVersion, ...]
    sets: int
    mode: Mode


@dataclass(frozen=True, slots=True)
class Match:
    """A stored match: everything needed to play it but its key (see ``Store.match_key``)."""

    id: str
    league: str
    label: str
    variant: str
    format: str
    options: Json
    clock: Json
    seatings: tuple[Seating, ...]
    mode: Mode
    sets: int
    lineup: tuple[BotVersion, ...]
    commitment: str
    """SHA-256 of the match key, hex."""
    games_total: int
    games_done: int
    sets_done: int
    state: MatchState
    created_at: float
    completed_at: float | None
    cursor: int
    """Position in the list of matches, for paging."""
    dropped_at: float | None = None
    """When it was given up because a bot of it was withdrawn."""


@dataclass(frozen=True, slots=True)
class Game:
    """A stored game without its moves (see ``Store.game_record`` for these)."""

    match: str
    set: int
    seating: Seating
    dealer: int
    points: tuple[int, ...]
    places: tuple[int, ...]
    deals: int
    end: str
    forfeits: tuple[int, ...]
    """Line-up indexes of the bots that forfeited."""
    faults: tuple[Mapping[str, int], ...]
    """Number of faults by cause, for each line-up index."""
    times: Json | None
    stored_at: float


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's right to play a match, until its lease runs out."""

    match: str
    attempt: int
    token: str
    worker: str
    lease_until: float


@dataclass(frozen=True, slots=True)
class Void:
    """Games of one attempt that failed by nobody's fault in the game; they are played again."""

    cause: str
    count: int
    detail: str
    """Of the latest."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at playing a match. An attempt is never a result."""

    id: int
    match: str
    worker: str
    host: str
    started_at: float
    progress_at: float | None
    """When this attempt last reported a game: progress, not contact."""
    games: int
    ended_at: float | None
    outcome: Outcome | None
    """None while it runs."""
    detail: str
    voids: tuple[Void, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """One process of a worker. It is recycled every now and then, and replaced when it dies."""

    name: str
    """What attempts call it."""
    host: str
    pid: int
    started_at: float
    heartbeat_at: float
    """When the store last heard from it: contact, not progress."""
    ended_at: float | None
    """When it said that it stops; None: it has not said so."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A data folder on some host, in which matches are played."""

    uuid: str
    host: str
    """Name of the machine, for display only."""
    created_at: float
    quarantined_at: float | None
    """None: it may play."""
    reason: str
    """Why it is in quarantine."""
    block_from: int
    """Attempts after this one (by id) are those in hand for judging it."""
    looks: int
    """How often these have been looked at."""
    processes: tuple[WorkerProcess, ...]
    """Newest first."""
    matches: int
    """Attempts in which it completed a match."""
    games: int
    """Games that it reported."""
    late: int
    """Attempts in which a bot was too late or out of bank."""
    progress_at: float | None
    """When it last reported a game."""
    aside: int
    """Games set aside for its sake and not restored."""

    def live(self, now: float, seconds: float) -> list[WorkerProcess]:
        """Return its processes that have been heard from within so many seconds and have not stopped."""
        return [one for one in self.processes if one.ended_at is None and one.heartbeat_at > now - seconds]


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt at a match: which bots played in it, and which of them were late."""

    attempt: int
    """Number that grows in the order of attempts."""
    worker: str
    stratum: int
    """Attempts of one stratum (a variant of a league) are alike but for their bots."""
    bots: tuple[tuple[int, bool], ...]
    """(bot version, whether it was late in any game)."""

    @property
    def late(self) -> int:
        """Number of bots that were late."""
        return sum(late for _, late in self.bots)


@dataclass(frozen=True, slots=True)
class SetAside:
    """A game that does not count: out of the results, kept with the reason."""

    match: str
    set: int
    seating: Seating
    worker: str
    """UUID of the worker for whose sake it was set aside."""
    reason: str
    stored_at: float
    set_aside_at: float
    restored_at: float | None
    """When it was made to count again; None: it does not."""
    replayed: bool
    """Whether the game has been played again meanwhile."""


@dataclass(frozen=True, slots=True)
class AttemptFigures:
    """What one attempt came to, for monitoring."""

    id: int
    ended: bool
    outcome: Outcome | None
    games: int
    decisions: int
    faults: dict[str, int]
    """By cause, over all bots."""
    latency: dict[str, Any]
    """For "bot" and "referee", their parts of the times: ``counts`` in the referee's classes, and ``sum_us``."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What is open and held now."""

    leagues_open: int
    leagues_finished: int
    matches_open: int
    matches_complete: int
    leases_live: int
    leases_expired: int
    games_missing: int
    """Of the matches that are open."""


@dataclass(frozen=True, slots=True)
class BotLog:
    """The end of what a bot that failed had written."""

    attempt: int
    match: str
    bot: str
    seat: int
    seating: Seating
    exit: int | None
    tail: str
    logged_at: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question to a bot and its answer, as the line protocol has them; either may be missing."""

    ask: dict[str, Any] | None
    answer: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class FaultLog:
    """What went before a fault of a bot. For its owner alone: it shows what its seat knew."""

    attempt: int
    match: str
    bot: str
    set: int
    seating: Seating
    seat: int
    deal: int
    move: int
    """The number in the deal of the move that the referee made."""
    cause: str
    detail: str
    exchanges: tuple[Exchange, ...]
    """The last ones of this seat in this game; that of the fault is the last."""
    logged_at: float


@dataclass(frozen=True, slots=True)
class OwnerLogs:
    """All that there is to tell the owner of a bot about a match: what it wrote, and its faults in the order of the games."""

    match: str
    bot: str
    outputs: tuple[BotLog, ...]
    faults: tuple[FaultLog, ...]


@dataclass(frozen=True, slots=True)
class VariantProgress:
    """How far one variant of a league has come. Matches not yet stored count as waiting."""

    label: str
    variant: str
    matches_total: int
    matches_complete: int
    matches_running: int
    games_total: int
    games_done: int
    sets_total: int
    sets_done: int

    @property
    def matches_waiting(self) -> int:
        """Matches that are neither complete nor being played."""
        return self.matches_total - self.matches_complete - self.matches_running


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a league has come, variant by variant."""

    league: str
    variants: tuple[VariantProgress, ...] = field(default=())
    settled: bool = True
    """False while a league with a precision may yet have more rounds: the totals are those of the rounds so far."""

    @property
    def games_total(self) -> int:
        """Games of the whole league."""
        return sum(entry.games_total for entry in self.variants)

    @property
    def games_done(self) -> int:
        """Games stored."""
        return sum(entry.games_done for entry in self.variants)

    @property
    def complete(self) -> bool:
        """Whether every game of every match is stored, and no more matches are to come."""
        return self.settled and self.games_done == self.games_total


# ---- owners and what they submit --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody who may submit bots."""

    name: str
    most_bots: int
    """Bots that the owner may have at a time."""
    most_hourly: int
    """Submissions within an hour."""
    created_at: float
    removed_at: float | None = None
    bots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnerKey:
    """A key of an owner's, without its secret: the store keeps only the SHA-256."""

    id: int
    owner: str
    prefix: str
    """How the key begins: what it is called."""
    label: str
    created_at: float
    used_at: float | None = None
    """When it was last used, give or take a minute."""
    revoked_at: float | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A version of a bot as its owner submitted it, and what became of it."""

    id: int
    bot: str
    version: int
    owner: str
    state: State
    tree: str
    """SHA-256 (hex) of the files as submitted."""
    built: str | None
    """The same of the files as they are played, once they are built."""
    manifest: Json
    """Its bot.toml, with the variants resolved."""
    promote: bool
    """Whether it becomes the bot's version once it is qualified."""
    reason: str
    """Why it failed, in a sentence; otherwise empty."""
    note: str
    """What has kept it from being qualified so far, through no fault of its own; otherwise empty."""
    report: tuple[Json, ...]
    """Step by step, what its qualification did: see docs/submitting.md."""
    submitted_at: float
    started_at: float | None
    ended_at: float | None
    tries: int

    @property
    def pending(self) -> bool:
        """Whether it is still to be qualified."""
        return self.state in PENDING

    def __str__(self) -> str:
        return f"{self.bot} v{self.version}"

    def as_json(self) -> Json:
        """The same for JSON."""
        return dataclasses.asdict(self) | {"report": list(self.report), "pending": self.pending}


PENDING: tuple[State, ...] = ("submitted", "building", "qualifying")


@dataclass(frozen=True, slots=True)
class Qualification:
    """A worker's right to qualify a submission, until its lease runs out."""

    submission: int
    token: str
    tries: int
    """Of those before it that came to nothing."""


@dataclass(frozen=True, slots=True)
class SeriesSpec:
    """What a series of seasons is made of."""

    name: str
    period: float
    """Seconds from the start of one season to that of the next."""
    start: float
    """When the first begins."""
    league: LeagueSpec
    """What each season is made of; its name, bots and key are not used."""
    bots: tuple[str, ...] | None
    """Who takes part; None: every bot that there is when a season begins."""
    joins: bool = False
    """Whether new bots and new versions join the season that is being played."""


@dataclass(frozen=True, slots=True)
class Season:
    """One season of a series: a league of its own."""

    number: int
    league: str
    created_at: float
    revealed_at: float | None


@dataclass(frozen=True, slots=True)
class Series:
    """A stored series, with its seasons from the first to the newest."""

    name: str
    period: float
    next_start: float
    template: LeagueSpec
    bots: tuple[str, ...] | None
    joins: bool
    created_at: float
    stopped_at: float | None
    seasons: tuple[Season, ...]


@dataclass(frozen=True, slots=True)
class RoundMatch:
    """A match that a round consists of; ``sets`` are duplicate sets, also where a remote bot plays single ones."""

    n: int
    lineup: tuple[BotVersion, ...]
    sets: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """A pairing that gets no more sets, and why."""

    lineup: tuple[str, ...]
    why: StopCause
    half_width: float | None
    """Of the widest interval between two of its bots, in Elo."""


@dataclass(frozen=True, slots=True)
class Round:
    """What was decided for one variant when the rounds before were over; without matches, the variant is at its end."""

    label: str
    number: int
    matches: tuple[RoundMatch, ...]
    stopped: tuple[Stopped, ...]
    members: tuple[str, ...]
    """The bot versions that were considered, as "NAME vN"."""
    decided_at: float = 0.0
