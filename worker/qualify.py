"""The job that qualifies what an owner has submitted: build it, check it, play a short match of each variant, in a sandbox.

As with matches, every fact stands in the store. The job may run twice or be killed at any moment: a lease lets one attempt
work at a time, and an attempt that comes to nothing through no fault of the bot's is given back and made again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import selectors
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from league import archives
from league.errors import BadArchive, LeagueError
from league.store import Store
from referee.clock import Clock
from referee.rules import Rules
from worker import attempt, jobs, processes, sandbox, settings, trees
from worker.lease import Heart
from worker.sandbox import NoSandbox
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from league.model import Qualification, Submission
    from worker.order import Order
    from worker.settings import Settings

LOG = logging.getLogger(__name__)
BUILD_SECONDS = 600.0
CHECK_SECONDS = 600.0
"""What `arena check` may take: it bounds its own steps, so this is for a check that is itself at an end."""
LONGEST_LINE = 4 << 20
SETS = 2
DEALS = 4
"""Of a game of the short matches: enough for every phase of a variant to come up."""
PARTNER = "greedy"
PARTNER_RUN = "python -m sample_bots.python.greedy"
"""The sample bot in all other seats: fast, and it bids, so that every phase comes up."""
SLOW = frozenset({"LATE", "BANK_EMPTY", "SILENT", "NOT_STARTED", "GONE"})
"""Causes that a machine under load can bring about as well: a match that fails by them alone is played once more."""

Step = dict[str, Any]


class Unfit(Exception):  # noqa: N818 - reads as what happened
    """The bot does not qualify; the text is the reason, for its owner."""


class Stopped(Exception):  # noqa: N818 - reads as what happened
    """The attempt must end now: the worker was told to stop, or the lease is lost."""


class Trouble(Exception):  # noqa: N818 - reads as what happened
    """It could not be found out whether the bot qualifies."""


def qualify(number: int) -> str:
    """Qualify a submission, with the settings of the environment; returns what came of it, for the log."""
    with Store(settings.from_env().store_url) as store:
        return Qualifier(store, settings.from_env()).qualify(number)


@dataclass
class Qualifier:
    """Qualifies submissions of a store. The main thread only."""

    store: Store
    settings: Settings
    tell: Callable[[Step], None] = lambda _step: None
    """Hears of each step as it is done."""

    def qualify(self, number: int) -> str:
        """Qualify a submission.

        Returns:
            `qualified`, `failed`, `trouble` (given back, for later), `stopped` (given back), or `claimed` (somebody else works
            on it, or it is done or withdrawn).
        """
        claim = self.store.claim_submission(number, self.settings.lease)
        if claim is None:
            return "claimed"
        submission = self.store.submission_by_id(number)
        lease = self.settings.lease
        with Heart(self.settings.store_url, str(submission), lambda store: store.renew_submission(claim, lease), lease) as heart:
            outcome = self._try(claim, submission, heart)
        LOG.info("%s: %s", submission, outcome)
        return outcome

    def _try(self, claim: Qualification, submission: Submission, heart: Heart) -> str:
        work = Work(self.store, self.settings, claim, submission, lambda: _reason_to_stop(heart), self.tell)
        try:
            work.run()
        except Unfit as unfit:
            held = self.store.unqualified(claim, str(unfit), work.steps)
            return "failed" if held else "claimed"
        except Stopped as stopped:
            self.store.unfinished(claim, str(stopped), again_at_once=True)
            return "stopped"
        except (Trouble, NoSandbox, LeagueError, OSError) as error:
            LOG.warning("%s cannot be qualified for now: %s", submission, error)
            self.store.unfinished(claim, str(error))
            return "trouble"
        return "qualified" if self.store.qualified(claim, work.steps) else "claimed"


def _reason_to_stop(heart: Heart) -> str | None:
    if jobs.DRAIN.is_set():  # nothing of a qualification is kept: there is no sense in finishing a part of it
        return "the worker was told to stop"
    return "the lease was lost, or the bot was withdrawn" if heart.lost else None


@dataclass
class Work:
    """One attempt at qualifying a submission."""

    store: Store
    settings: Settings
    claim: Qualification
    submission: Submission
    stop: Callable[[], str | None]
    tell: Callable[[Step], None]
    steps: list[Step] = field(default_factory=list)
    """What was done so far: the report."""

    def run(self) -> None:
        """Do all of it.

        Raises:
            Unfit: the bot does not qualify.
            Trouble, NoSandbox, LeagueError, OSError: it could not be found out.
            Stopped: the attempt must end.
        """
        built = self._build()
        folder = trees.ready(self.store, self.settings.data, built)
        if not self.store.submission_built(self.claim, built):
            raise Stopped("the lease was lost, or the bot was withdrawn")
        self._check(folder)
        for variant in self.submission.manifest["variants"]:  # type: ignore[attr-defined]  # JSON
            self._match(variant, folder)

    def _done(self, step: Step, began: float) -> None:
        step["seconds"] = round(time.monotonic() - began, 1)
        self.steps.append(step)
        self.tell(step)

    # ---- build --------------------------------------------------------------------------------------------------------

    def _build(self) -> str:
        """Run the build in a copy of the files, if there is one; the name of the tree to play."""
        command = str(self.submission.manifest.get("build") or "")
        if not command:
            return self.submission.tree
        began = time.monotonic()
        step: Step = {"name": "build", "title": f"Build: {command}", "status": "failed"}
        with self._copy() as folder:
            done = sandbox.build(shlex.split(command), folder, BUILD_SECONDS, self.stop)
            step["output"] = done.output
            step["detail"] = done.how
            try:
                if not done.ok:
                    self._heed()  # it may have been killed for that
                    raise Unfit(f"the build failed ({done.how}): {command}")
                with archives.packed_folder(folder, archives.BUILT, follow=True) as tree:
                    self.store.add_blob(tree.sha256, tree.file)
                step["status"] = "passed"
            except BadArchive as error:
                step["detail"] = str(error)
                raise Unfit(f"what the build left cannot be played: {error}") from None
            finally:
                self._done(step, began)
        self._heed()
        return tree.sha256

    def _copy(self) -> _Copy:
        source = trees.ready(self.store, self.settings.data, self.submission.tree)
        return _Copy(source, self.settings.data / "trees")

    def _heed(self) -> None:
        reason = self.stop()
        if reason is not None:
            raise Stopped(reason)

    # ---- check --------------------------------------------------------------------------------------------------------

    def _check(self, folder: Path) -> None:
        """Run `arena check` on the bot."""
        began = time.monotonic()
        step: Step = {"name": "check", "title": "arena check", "status": "failed", "steps": []}
        try:
            for line in self._check_lines(folder):
                step["steps"].append(line)
            bad = next((one for one in step["steps"] if one["status"] == "failed"), None)
            if bad is not None:
                raise Unfit(f"arena check, step {bad['step']} ({bad['title']}): {bad['detail']}")
            passed = sum(one["status"] == "passed" for one in step["steps"])
            step |= {"status": "passed", "detail": f"{passed} of {len(step['steps'])} steps passed"}
        finally:
            self._done(step, began)

    def _check_lines(self, folder: Path) -> list[Step]:
        manifest = self.submission.manifest
        variants = ",".join(manifest["variants"])  # type: ignore[arg-type]  # JSON
        options = [*sandbox.check_options(folder), "--variants", variants]
        command = [sys.executable, "-m", "arena", "check", "--json", *options, "--", str(manifest["run"])]
        code, out, err = run_program(command, ROOT, CHECK_SECONDS, self.stop)
        try:
            lines = [json.loads(line) for line in out.splitlines() if line.strip()]
        except ValueError:
            lines = []
        if code not in (0, 1) or not lines:
            raise Trouble(f"arena check came to nothing (exit code {code}): {err.strip()[-500:]}")
        return lines

    # ---- matches ------------------------------------------------------------------------------------------------------

    def _match(self, variant: str, folder: Path) -> None:
        """Play a short match of a variant; twice if the first fails by what a busy machine may have done."""
        began = time.monotonic()
        step: Step = {"name": variant, "title": f"A short match of {variant} against {PARTNER}", "status": "failed"}
        try:
            played = self._play(variant, folder)
            if played.faults and set(played.faults) <= SLOW:
                step["first"] = played.told()
                played = self._play(variant, folder)
            step["detail"] = played.told()
            if not played.well:
                step["output"] = played.output
                raise Unfit(f"the match of {variant}: {played.told()}")
            step["status"] = "passed"
        finally:
            self._done(step, began)

    def _play(self, variant: str, folder: Path) -> Played:
        played = Played()
        ending = attempt.run(short_order(self.submission, variant, folder), played.take, self.stop)
        if ending.kind == "stopped":
            raise Stopped(ending.detail)
        if ending.kind == "failed" or played.voids:
            raise Trouble(f"the match of {variant} came to nothing: {ending.detail or played.voids[-1]}")
        return played


class _Copy:
    """A copy of a tree that may be changed, for as long as the block lasts."""

    def __init__(self, source: Path, beside: Path) -> None:
        self._source = source
        self._beside = beside
        self._folder = Path()

    def __enter__(self) -> Path:
        self._folder = Path(tempfile.mkdtemp(prefix="build-", suffix=".new", dir=self._beside))
        target = self._folder / "bot"
        shutil.copytree(self._source, target, copy_function=shutil.copyfile)
        for folder, _, names in os.walk(self._source):
            inner = target / Path(folder).relative_to(self._source)
            inner.chmod(0o755)
            for name in names:
                executable = os.stat(Path(folder) / name).st_mode & 0o111  # noqa: PTH116
                (inner / name).chmod(0o755 if executable else 0o644)
        return target

    def __exit__(self, *_: object) -> None:
        archives.remove(self._folder)


@dataclass
class Played:
    """What came of a short match. The bot is the first of the line-up."""

    games: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    first: str = ""
    """The first fault, in words."""
    forfeits: int = 0
    output: str = ""
    """The end of what the bot wrote, where it failed."""
    voids: list[str] = field(default_factory=list)

    def take(self, event: Mapping[str, Any]) -> None:
        """Take in one of the referee's events."""
        match event["event"]:
            case "game":
                self._game(event)
            case "void":
                self.voids.append(f"{event['cause']}: {event.get('detail', '')}")
            case "log" if event["seating"][event["seat"]] == 0:
                self.output = str(event.get("tail", ""))

    def _game(self, event: Mapping[str, Any]) -> None:
        self.games += 1
        record, seating = event["record"], event["seating"]
        self.forfeits += 0 in [seating[side] for side in record["forfeits"]]
        for number, deal in enumerate(record["deals"]):
            for fault in deal["faults"]:
                if seating[fault["seat"]] == 0:
                    self._fault(fault, number, event["set"])

    def _fault(self, fault: Mapping[str, Any], deal: int, set_number: int) -> None:
        self.faults[fault["cause"]] += 1
        answer = f" (it answered {fault['answer']})" if fault.get("answer") else ""
        self.first = self.first or f"{fault['cause']}{answer} in set {set_number}, deal {deal}, move {fault['move']}"

    @property
    def well(self) -> bool:
        """Whether the bot has done nothing wrong."""
        return not self.faults and not self.forfeits

    def told(self) -> str:
        """It all in a sentence."""
        if self.well:
            return f"{self.games} games without a fault"
        count = sum(self.faults.values())
        lost = f", {self.forfeits} of {self.games} games forfeited" if self.forfeits else ""
        return f"{count} fault{'' if count == 1 else 's'}{lost}; the first: {self.first or 'none was noted'}"


def short_order(submission: Submission, variant: str, folder: Path) -> Order:
    """A match of the bot, in every seat once, against the sample: the same deals whenever it is played."""
    rules = Rules(variant, {})
    bot = {"bot": submission.bot, "version": submission.version, "run": submission.manifest["run"], **sandbox.seat(folder)}
    others = [
        {"bot": f"{PARTNER}{number}", "version": 1, "run": PARTNER_RUN, "cwd": str(ROOT)} for number in range(1, rules.sides)
    ]
    return {
        "match": f"qualification/{submission.bot}/{submission.version}/{variant}",
        "variant": variant,
        "format": f"deals:{DEALS}",
        "options": {},
        "lineup": [bot, *others],
        "key": hashlib.sha256(f"qualification {variant}".encode()).hexdigest(),
        "clock": Clock().as_json(),
        "games": [[number, list(seating)] for seating in _every_seat(rules) for number in range(SETS)],
        "referee": None,
        "log_dir": None,
    }


def _every_seat(rules: Rules) -> Iterator[tuple[int, ...]]:
    """As many seatings as it takes for the first bot to have every seat once."""
    had: set[int] = set()
    for seating in rules.seatings():
        mine = {seat for seat, place in enumerate(seating) if place == 0}
        if not mine <= had:
            had |= mine
            yield seating


def run_program(command: Sequence[str], cwd: Path, seconds: float, stop: Callable[[], str | None]) -> tuple[int, str, str]:
    """Run one of our own programs to its end: exit code (negative if it had to be stopped), and what it wrote, each up to 4 MB.

    Raises:
        Stopped: `stop` gave a reason; the program is gone then.
    """
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    child = processes.spawn(command, cwd=cwd, env={"PYTHONPATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    texts: dict[int, bytearray] = {child.stdout.fileno(): bytearray(), child.stderr.fileno(): bytearray()}
    deadline = time.monotonic() + seconds
    try:
        with selectors.DefaultSelector() as selector:
            for pipe in (child.stdout, child.stderr):
                selector.register(pipe, selectors.EVENT_READ)
            while selector.get_map() and time.monotonic() < deadline:
                reason = stop()
                if reason is not None:
                    raise Stopped(reason)
                _read_ready(selector, texts)
                if child.poll() is not None and not selector.select(0):
                    break
        with suppress(subprocess.TimeoutExpired):
            child.wait(max(0.0, min(deadline - time.monotonic(), attempt.GRACE)))
    finally:
        code = processes.stop(child)
        for pipe in (child.stdout, child.stderr):
            pipe.close()
    out, err = (bytes(text).decode(errors="replace") for text in texts.values())
    return code, out, err


def _read_ready(selector: selectors.BaseSelector, texts: Mapping[int, bytearray]) -> None:
    for key, _ in selector.select(attempt.TICK):
        data = os.read(key.fd, 1 << 16)
        if not data:
            selector.unregister(key.fileobj)
        elif len(texts[key.fd]) < LONGEST_LINE:
            texts[key.fd] += data
