"""The values that the store takes and returns: frozen dataclasses and nothing behind them.

Times called ``…_at`` and ``…_until`` are Unix seconds (float). Points, places, faults and forfeits of a game are by
*line-up index*: the position of a bot in its match's ``lineup``, whatever seat it had in that game.
"""

from __future__ import annotations

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
MatchState = Literal["waiting", "running", "complete"]
Outcome = Literal["complete", "partial", "infrastructure", "interrupted", "lost"]
VoidCause = Literal["INFRASTRUCTURE", "INTERRUPTED"]


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

    @property
    def latest(self) -> BotVersion:
        """The version that new leagues are made with."""
        return self.versions[-1]


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
    """Names; each takes part with the version that is its latest when the league is created."""
    sets: int
    """Sets a match."""
    clock: Mapping[str, object]
    key: bytes | None = None
    """32 secret bytes; None: drawn by the store."""
    remote_sets: bool = False
    """Whether matches with remote bots are played as duplicate sets, though such bots cannot be forced to forget."""


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
class League:
    """A stored league. Its bots are in the order of their names, which is the order of the schedule."""

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
        """Whether every game of every match is stored."""
        return self.games_done == self.games_total
