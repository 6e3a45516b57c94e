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
from typing import TYPE_CHECKING, Any, Literal

from league.errors import BadGame, LeagueClosed, LeagueError, NotFound
from league.store import Store
from referee import logs
from referee.shuffle import first_dealer
from worker import attempt, order, settings
from worker.attempt import Broken, Ending
from worker.lease import Heart
from worker.tally import Tally

if TYPE_CHECKING:
    from league.model import Claim, Match
    from worker.settings import Settings

LOG = logging.getLogger(__name__)
TRIES = 3
"""Runs of the referee in one job; a match that fails so often goes back to the queue for later."""
FIRST_PAUSE = 0.5
"""Seconds before the second run; twice as long before each further one."""
STOP = threading.Event()
"""Set when this process is to stop: whatever match is being played is given back."""
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
            or it is complete already), `closed` (its league has ended), or `unknown`.
        """
        deadline = time.monotonic() + self.settings.match_seconds
        pause = FIRST_PAUSE
        for left in reversed(range(TRIES)):
            outcome = self._try(match_id, deadline)
            if outcome != "infrastructure" or left == 0 or STOP.wait(pause):
                break
            pause *= 2
        LOG.info("the job ends: %s", outcome)
        return outcome

    def _try(self, match_id: str, deadline: float) -> str:
        try:
            claim = self.store.claim(match_id, PROCESS, self.settings.lease, host=socket.gethostname())
        except NotFound:
            return "unknown"
        except LeagueClosed:
            return "closed"
        if claim is None:
            return "claimed"
        LOG.info("attempt %d begins", claim.attempt)
        with Heart(self.settings.store_url, claim, self.settings.lease) as heart:
            ending = self._run(claim, heart, deadline)
        outcome = self._outcome(match_id, ending)
        detail = "" if outcome == "complete" else ending.detail or "the referee left games out"
        self.store.release(claim, outcome, detail)
        if detail:
            LOG.warning("%s: %s", outcome, detail)
        return outcome

    def _run(self, claim: Claim, heart: Heart, deadline: float) -> Ending:
        match = self.store.match(claim.match)
        key = self.store.match_key(match.id)
        missing = self.store.missing_games(match.id)
        if not missing:
            return Ending("done")
        try:
            told = order.make(match, key, missing, self.settings)
        except order.NoReferee as error:
            return Ending("failed", str(error))
        intake = Intake(self.store, match, key, claim)
        ending = attempt.run(told, intake.take, lambda: reason_to_stop(heart, deadline))
        return replace(ending, detail=ending.detail or intake.voids())

    def _outcome(self, match_id: str, ending: Ending) -> Literal["complete", "interrupted", "infrastructure"]:
        if not self.store.missing_games(match_id):
            return "complete"
        return "interrupted" if ending.kind == "stopped" else "infrastructure"


def reason_to_stop(heart: Heart, deadline: float) -> str | None:
    """Why the attempt in progress must end now; None: it need not."""
    if STOP.is_set():
        return "the worker was told to stop"
    if heart.lost:
        return "the lease on the match was lost"
    if time.monotonic() > deadline:
        return "the job ran out of time (ARENA_MATCH_SECONDS)"
    return None


@dataclass
class Intake:
    """Puts the events of one attempt into the store."""

    store: Store
    match: Match
    key: bytes
    claim: Claim
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
            handle(event)
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

    def _void(self, event: attempt.Event) -> None:
        detail = event.get("detail", "")
        self.store.add_void(self.claim, event["cause"], detail)
        self.void.append(f"{event['cause']} ({detail})" if detail else event["cause"])

    def _log(self, event: attempt.Event) -> None:
        self.store.add_log(
            self.claim,
            bot=event["bot"],
            seat=event["seat"],
            seating=tuple(event["seating"]),
            exit=event.get("exit"),
            tail=event.get("tail", ""),
        )
