"""The job of the queue: play one match as far as it is not played yet.

Every fact of a match stands in the store. A job may therefore run twice, at once or later, or be killed at any moment: a lease
lets one attempt play at a time, each game is stored as it ends and counts once, and the next attempt plays what is missing.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from league.errors import BadGame, LeagueClosed, LeagueError, MatchDropped, NotFound, Quarantined, StoreAway
from league.store import Store
from referee import habits, logs
from referee.rules import RulesError
from referee.shuffle import first_dealer
from worker import attempt, order, settings, trees
from worker.attempt import Broken, Ending
from worker.lease import Heart
from worker.sandbox import NoSandbox
from worker.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from league.model import Claim, Match
    from worker.reserve import Reserve
    from worker.settings import Settings

LOG = logging.getLogger(__name__)
T = TypeVar("T")
TRIES = 3
"""Runs of the referee in one job; a match that fails so often goes back to the queue for later."""
FIRST_PAUSE = 0.5
"""Seconds before the second run; twice as long before each further one."""
STORE_PAUSES = (0.2, 5.0)
"""Seconds before a store that is away is asked again: the first time, and at most."""
STOP = threading.Event()
"""Set when this process is to stop at once: whatever match is being played is given back."""
DRAIN = threading.Event()
"""Set when this process is to stop once the games in hand are played; they may take `Settings.drain` seconds."""
QUARANTINE = threading.Event()
"""Set when the store has refused this process since its worker is in quarantine; cleared by whoever finds it released."""
RESERVE: Reserve | None = None
"""Where this process holds a referee from one match to the next, if it does so."""
PROCESS = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
"""Name of this process as a worker; the host's name in it is for people, the rest makes it unique."""


def play_match(match_id: str) -> str:
    """Play what is missing of a match, with the settings of the environment; returns what came of it, for the log."""
    with Store(settings.from_env().store_url) as store:
        return Player(store, settings.from_env()).play(match_id)


@dataclass
class Player:
    """Plays matches of a store."""

    store: Store
    settings: Settings

    def play(self, match_id: str) -> str:
        """`play_on`, with the match named on every line of the log."""
        with logs.about(match=match_id):
            return self.play_on(match_id)

    def play_on(self, match_id: str) -> str:
        """Play what is missing of a match, running the referee again a few times if it breaks down.

        Returns:
            `complete`, `interrupted`, `infrastructure` (given back after several failures), `claimed` (somebody else plays it,
            or it is complete already), `closed` (its league has ended, or a bot of it was withdrawn), `quarantined` (this worker
            may not play), `away` (the store did not answer), or `unknown`.
        """
        deadline = time.monotonic() + self.settings.match_seconds
        pause = FIRST_PAUSE
        for left in reversed(range(TRIES)):
            outcome = self._try(match_id, deadline)
            if outcome != "infrastructure" or left == 0 or DRAIN.is_set() or STOP.wait(pause):
                break
            pause *= 2
        LOG.info("the job ends: %s", outcome)
        return outcome

    def _try(self, match_id: str, deadline: float) -> str:
        try:
            claim = self.store.claim(match_id, PROCESS, self.settings.lease, host=socket.gethostname())
            return "claimed" if claim is None else self._held(claim, deadline)
        except NotFound:
            return "unknown"
        except (LeagueClosed, MatchDropped):
            return "closed"
        except Quarantined:
            QUARANTINE.set()
            return "quarantined"
        except StoreAway as error:  # a claim's lease runs out, and whoever takes the match over plays what is missing
            LOG.warning("the store is away: %s", error)
            return "away"

    def _held(self, claim: Claim, deadline: float) -> str:
        lease = self.settings.lease
        LOG.info("attempt %d begins", claim.attempt)
        with Heart(self.settings.store_url, claim.match, lambda store: store.heartbeat(claim, lease), lease) as heart:
            ending = self._run(claim, heart, deadline)
            # The heart goes on beating: as long as the claim is held the store's answer is worth waiting for.
            outcome = patiently(lambda: self._outcome(claim.match, ending), heart)
            detail = "" if outcome == "complete" else ending.detail or "the referee left games out"
            patiently(lambda: self.store.release(claim, outcome, detail), heart)
        if outcome == "complete":
            self._note_habits(claim.match)
        if detail:
            LOG.warning("%s: %s", outcome, detail)
        return outcome

    def _note_habits(self, match_id: str) -> None:
        """Work out what the bots of a complete match did. Whatever goes wrong costs figures that can be had again, no result."""
        try:
            match, key = self.store.match(match_id), self.store.match_key(match_id)
            found = habits.of_record(self.store.record_lines(match_id), key)
            if match.completed_at is not None:
                self.store.save_habits(match_id, match.completed_at, habits.FORMAT, found)
        except (LeagueError, RulesError, ValueError) as error:
            LOG.warning("what the bots did could not be worked out: %s", error)

    def _run(self, claim: Claim, heart: Heart, deadline: float) -> Ending:
        match = patiently(lambda: self.store.match(claim.match), heart)
        key = patiently(lambda: self.store.match_key(match.id), heart)
        missing = patiently(lambda: self.store.missing_games(match.id), heart)
        if not missing:
            return Ending("done")
        try:
            folders = trees.of_lineup(self.store, self.settings.data, match.lineup)
            told = order.make(match, key, missing, self.settings, folders)
        except (order.NoReferee, NoSandbox, LeagueError, OSError) as error:
            return Ending("failed", str(error))
        intake = Intake(self.store, match, key, claim, heart)
        drain = Drain(missing, self.settings.drain)
        intake.played = drain.played
        ending = attempt.run(told, intake.take, lambda: reason_to_stop(heart, deadline) or drain.reason(), RESERVE)
        return replace(ending, detail=ending.detail or intake.voids())

    def _outcome(self, match_id: str, ending: Ending) -> Literal["complete", "interrupted", "infrastructure"]:
        if not self.store.missing_games(match_id):
            return "complete"
        return "interrupted" if ending.kind == "stopped" else "infrastructure"


def reason_to_stop(heart: Heart, deadline: float) -> str | None:
    """Why the attempt in progress must end now; None: it need not."""
    if STOP.is_set():
        return "the worker was told to stop"
    if QUARANTINE.is_set():
        return "the worker was put in quarantine"
    if heart.lost:
        return "the lease on the match was lost"
    if time.monotonic() > deadline:
        return "the job ran out of time (ARENA_MATCH_SECONDS)"
    return None


def patiently(step: Callable[[], T], heart: Heart) -> T:
    """Do something with the store, again and again while it is away and the claim is held all the same.

    Nothing is lost by waiting: the referee plays on, and what it reports waits in the pipe.

    Raises:
        StoreAway: the claim is lost, or this process is to stop, before the store is back.
    """
    pause, longest = STORE_PAUSES
    while True:
        try:
            return step()
        except StoreAway as error:
            if heart.lost or STOP.wait(pause):
                raise
            LOG.warning("trying again: %s", error)
        pause = min(2 * pause, longest)


class Drain:
    """When a worker that is asked to stop has played the games in hand.

    A match is played seating by seating, each by fresh processes, so the games in hand are those of the seating in hand: what is
    left of it when somebody asks is played to its end, and not a moment of the next.

    Args:
        missing: the games of this attempt, in the order of play.
        seconds: that this may take.
    """

    def __init__(self, missing: Sequence[order.Missing], seconds: float) -> None:
        self._left = list(missing)
        self._seconds = seconds
        self._until = float("inf")
        self._in_hand: set[order.Missing] | None = None

    def played(self, number: int, seating: tuple[int, ...]) -> None:
        """Note that a game is over, by whatever end."""
        game = (number, seating)
        if game in self._left:
            self._left.remove(game)
        if self._in_hand is not None:
            self._in_hand.discard(game)

    def reason(self) -> str | None:
        """Why the attempt must end now; None: it need not."""
        if not DRAIN.is_set():
            return None
        if self._in_hand is None:
            self._in_hand = {game for game in self._left if game[1] == self._left[0][1]}
            self._until = time.monotonic() + self._seconds
        if not self._in_hand:
            return "the worker was told to stop, and has played the games in hand"
        if time.monotonic() > self._until:
            return (
                f"the worker was told to stop, and the games in hand took longer than {self._seconds:g} s (ARENA_DRAIN_SECONDS)"
            )
        return None


def _unnoted(_number: int, _seating: tuple[int, ...]) -> None:
    """Take no note of a game."""


@dataclass
class Intake:
    """Puts the events of one attempt into the store."""

    store: Store
    match: Match
    key: bytes
    claim: Claim
    heart: Heart
    played: Callable[[int, tuple[int, ...]], None] = _unnoted
    """Told of each game that is over: its set and seating."""
    void: list[str] = field(default_factory=list)
    """Why games were void, one a game."""
    tally: Tally = field(default_factory=Tally)

    def voids(self) -> str:
        """How many games were void, and why the last one was; empty if none."""
        return f"{len(self.void)} games were void: {self.void[-1]}" if self.void else ""

    def take(self, event: attempt.Event) -> None:
        """Store one event; kinds that are not known are left alone.

        Raises:
            Broken: the event makes no sense, or does not fit the match.
        """
        kinds = {"game": self._game, "void": self._void, "log": self._log}
        handle = kinds.get(event["event"])
        if handle is None:
            return
        try:
            patiently(lambda: handle(event), self.heart)
        except StoreAway as error:
            raise Broken(str(error)) from error
        except Quarantined as error:
            QUARANTINE.set()
            raise Broken(str(error)) from error
        except (BadGame, KeyError, TypeError, ValueError) as error:
            raise Broken(f"the referee reported a {event['event']} that cannot be taken in: {error!r}") from error
        except LeagueError as error:
            raise Broken(f"the store does not take a {event['event']}: {error}") from error

    def _game(self, event: attempt.Event) -> None:
        number, seating, record = event["set"], tuple(event["seating"]), event["record"]
        dealer = first_dealer(self.key, number, len(seating))
        figures = self.tally.with_game(record, event.get("latency"))
        told: dict[str, Any] = {"times": event.get("times"), "claim": self.claim, "figures": figures}
        if self.store.add_game(self.match.id, number, seating, dealer, record, **told):
            self.tally.keep()
        for log in event.get("fault_logs", ()):
            bot = self.match.lineup[seating[log["seat"]]].bot
            self.store.add_fault_log(self.claim, bot=bot, set=number, seating=seating, log=log)
        self.played(number, seating)

    def _void(self, event: attempt.Event) -> None:
        detail = event.get("detail", "")
        self.store.add_void(self.claim, event["cause"], detail)
        self.void.append(f"{event['cause']} ({detail})" if detail else event["cause"])
        self.played(event["set"], tuple(event["seating"]))

    def _log(self, event: attempt.Event) -> None:
        self.store.add_log(
            self.claim,
            bot=event["bot"],
            seat=event["seat"],
            seating=tuple(event["seating"]),
            exit=event.get("exit"),
            tail=event.get("tail", ""),
        )
