"""`arena play`: a match on this machine, through the real referee and real bot processes."""

from __future__ import annotations

import contextlib
import os
import secrets
import statistics
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.clock import clock_options
from arena.cli.common import SAMPLES, counted, say
from arena.cli.sandbox import sandbox_options
from league.results import GameResult
from league.standings import format_table, paired_margin, standings
from league.store_games import summarize
from referee.game import BadFormat, deals_of
from referee.record import Header, complete, dumps, set_line
from referee.rules import Rules
from referee.shuffle import KEY_BYTES
from worker import attempt
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.cli.sandbox import Sandbox
    from worker.order import Order

MATCH = "play"
ROUNDS = 3
"""How often games that came to nothing through no bot's fault are played again."""


@dataclass(frozen=True)
class Entrant:
    """A bot of a local match."""

    name: str
    run: str
    version: int = 1
    cwd: str | None = None
    tree: str | None = None
    """What it may see in a sandbox; None for the folder that it is started in."""

    def entry(self) -> dict[str, Any]:
        """The bot as the order's line-up has it."""
        return {"bot": self.name, "version": self.version, "run": self.run, "cwd": self.folder}

    @property
    def folder(self) -> str:
        """Where it is started."""
        return self.cwd or os.getcwd()  # noqa: PTH109 - text for JSON


@dataclass(frozen=True)
class Plan:
    """What is to be played."""

    rules: Rules
    format: str
    entrants: tuple[Entrant, ...]
    sets: int
    key: bytes
    clock: dict[str, Any]
    sandbox: Sandbox | None = None

    def header(self) -> Header:
        """The record's first line."""
        return Header(MATCH, self.rules, self.format, [entrant.entry() for entrant in self.entrants], self.key, self.clock)

    def games(self) -> list[tuple[int, tuple[int, ...]]]:
        """Every game, by set and seating."""
        return [(number, seating) for seating in self.rules.seatings() for number in range(self.sets)]


@dataclass
class Outcome:
    """What has come in."""

    plan: Plan
    games: dict[tuple[int, tuple[int, ...]], dict[str, Any]] = field(default_factory=dict)
    dealers: dict[int, int] = field(default_factory=dict)
    times: list[tuple[list[int], dict[str, Any]]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)
    logs: list[dict[str, Any]] = field(default_factory=list)
    voids: list[str] = field(default_factory=list)

    def missing(self) -> list[tuple[int, tuple[int, ...]]]:
        """The games that are not in."""
        return [game for game in self.plan.games() if game not in self.games]

    def take(self, event: dict[str, Any]) -> None:
        """Take one of the referee's events."""
        match event["event"]:
            case "game":
                self.games[event["set"], tuple(event["seating"])] = event["record"]
                self.dealers[event["set"]] = event["dealer"]
                self.times.append((event["seating"], event.get("times") or {}))
                self._keep_notes(event)
            case "void":
                self.voids.append(f"{event['cause']}: {event.get('detail', '')}")
            case "log":
                self.logs.append(event)

    def _keep_notes(self, event: dict[str, Any]) -> None:
        place = {"set": event["set"], "seating": event["seating"]}
        for note in event.get("notes", ()):
            bot = self.plan.entrants[event["seating"][note["seat"]]].name
            self.notes.append({**place, "bot": bot, **note})

    def set_lines(self) -> Iterator[dict[str, Any]]:
        """The lines of the sets that are whole, up to the first that is not."""
        seatings = self.plan.rules.seatings()
        for number in range(self.plan.sets):
            games = [self.games.get((number, seating)) for seating in seatings]
            if None in games:
                return
            yield set_line(number, self.dealers[number], [game for game in games if game])

    def results(self) -> Iterator[GameResult]:
        """The games of whole sets, for the statistics."""
        names = tuple(entrant.name for entrant in self.plan.entrants)
        for line in self.set_lines():
            for record in line["games"]:
                game = summarize(record)
                yield GameResult(
                    match=MATCH,
                    variant=self.plan.rules.name,
                    set=line["set"],
                    bots=names,
                    places=game.places,
                    points=game.points,
                    deals=game.deals,
                    faults=game.faults,
                    forfeits=game.forfeits,
                )


@click.command()
@click.option("--variant", required=True, help="Variant to play, such as ghost-hand.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Option of the variant; may be repeated.")
@click.option("--bots", required=True, metavar="A,B[,C]", help='Bots: samples, bots of the store, or NAME="COMMAND".')
@click.option("--sets", default=4, show_default=True, type=click.IntRange(1, 100_000), help="Duplicate sets to play.")
@click.option("--format", "fmt", default="game", show_default=True, metavar="game|deals:N", help="Whole games, or N deals each.")
@click.option("--key", metavar="HEX", help="Key of the deals, 64 hexadecimal digits; drawn at random if left out.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="File to write the match record to.")
@click.option("--notes", type=click.Path(dir_okay=False, path_type=Path), help="File to write the bots' notes to, as JSON lines.")
@sandbox_options
@clock_options
def play(**given: Any) -> None:  # noqa: ANN401 - click's parameters
    """Play a match here and now: real referee, real bot processes."""
    plan = plan_of(given)
    target: Path | None = given["record"]
    for option in ("record", "notes"):
        if given[option] is not None and not given[option].absolute().parent.is_dir():
            raise click.UsageError(f"--{option}: there is no folder {given[option].absolute().parent}")
    outcome = Outcome(plan)
    started = time.monotonic()
    ending = _play(outcome)
    if target is not None:
        _write(outcome, target)
    if given["notes"] is not None:
        given["notes"].write_text("".join(dumps(note) + "\n" for note in outcome.notes), encoding="utf-8")
    _report(outcome, time.monotonic() - started, target)
    if outcome.missing():
        raise click.ClickException(f"{len(outcome.missing())} games are missing: {ending}")


def plan_of(given: dict[str, Any]) -> Plan:
    """The plan that the command line describes; raises click.UsageError or RulesError."""
    rules = Rules(given["variant"], pairs("--option", given["options"]))
    entrants = entrants_of(given["bots"])
    if len(entrants) != rules.bots:
        seats = "one a seat" if rules.sides == 3 else "one a team"
        raise click.UsageError(f"--bots: {len(entrants)} given, {rules.name} takes {rules.bots} ({seats})")
    try:
        deals_of(given["fmt"])
    except BadFormat as error:
        raise click.UsageError(f"--format: {error}") from None
    return Plan(rules, given["fmt"], entrants, given["sets"], key_of(given["key"]), given["clock"], given["sandbox"])


def pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE pairs as a dictionary; raises click.UsageError."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"{option}: {text!r} is not NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def key_of(text: str | None) -> bytes:
    """The key that the text spells in hex, or a new one; raises click.UsageError."""
    if text is None:
        return secrets.token_bytes(KEY_BYTES)
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise click.UsageError(f"--key: must be {2 * KEY_BYTES} hexadecimal digits, {text!r} is not")
    return key


def entrants_of(text: str) -> tuple[Entrant, ...]:
    """The bots of a comma-separated list; a name that comes again gets a number. Raises click.UsageError."""
    entrants: list[Entrant] = []
    for word in text.split(","):
        entrant = _entrant(word.strip())
        count = sum(other.name.split(".")[0] == entrant.name for other in entrants)
        name = f"{entrant.name}.{count + 1}" if count else entrant.name
        entrants.append(replace(entrant, name=name))
    return tuple(entrants)


def _entrant(word: str) -> Entrant:
    name, equals, command = word.partition("=")
    if equals and name and command:
        return Entrant(name, command)
    if word in SAMPLES:
        return Entrant(word, SAMPLES[word], cwd=str(ROOT), tree=str(ROOT / "sample_bots"))
    return _stored(word)


def _stored(name: str) -> Entrant:
    """A local bot of the store, where there is a store."""
    from arena.cli.common import opened  # noqa: PLC0415 - opening the store costs time that samples need not pay
    from league.errors import NotFound  # noqa: PLC0415

    known = ", ".join(SAMPLES)
    with opened() as (_, store):
        try:
            bot = store.bot(name).latest
        except NotFound:
            others = ", ".join(bot.name for bot in store.bots() if bot.name not in SAMPLES)
            known = f"{known}, {others}" if others else known
            raise click.UsageError(f'--bots: unknown bot {name!r} (known: {known}; or NAME="COMMAND")') from None
    if bot.run is None:
        raise click.UsageError(f"--bots: {name!r} is a remote bot; it can play in leagues only")
    return Entrant(bot.bot, bot.run, bot.version, bot.cwd)


def _play(outcome: Outcome) -> str:
    """Play what is missing, again where nobody was to blame; returns why it stopped."""
    ending = ""
    total = len(outcome.missing())
    with click.progressbar(length=total, label="playing", file=sys.stderr, width=30) as bar:

        def take(event: dict[str, Any]) -> None:
            before = len(outcome.games)
            outcome.take(event)
            bar.update(len(outcome.games) - before)

        for _ in range(ROUNDS):
            if not outcome.missing():
                break
            with contextlib.suppress(KeyboardInterrupt):
                ending = attempt.run(_order(outcome), take, lambda: None).detail or "; ".join(outcome.voids[-3:])
                continue
            return "interrupted"
    return ending


def _order(outcome: Outcome) -> Order:
    plan = outcome.plan
    return {
        "match": MATCH,
        "variant": plan.rules.name,
        "format": plan.format,
        "options": plan.rules.options,
        "lineup": [_seated(entrant, plan.sandbox) for entrant in plan.entrants],
        "key": plan.key.hex(),
        "clock": plan.clock,
        "games": [[number, list(seating)] for number, seating in outcome.missing()],
        "referee": None,
        "log_dir": None,
        "allow_unsandboxed": plan.sandbox is not None and plan.sandbox.allow_unsandboxed,
    }


def _seated(entrant: Entrant, sandbox: Sandbox | None) -> dict[str, Any]:
    entry = entrant.entry()
    return {**entry, "sandbox": sandbox.entry(entrant.tree or entrant.folder)} if sandbox else entry


def _write(outcome: Outcome, target: Path) -> None:
    """The whole record; without its end line, and so without the key, if games are missing."""
    header, sets = outcome.plan.header(), list(outcome.set_lines())
    lines = [header.line(), *sets] if outcome.missing() else complete(header, sets)
    new = target.with_name(target.name + ".new")
    new.write_text("".join(dumps(line) + "\n" for line in lines), encoding="utf-8")
    new.replace(target)


# ---- telling ------------------------------------------------------------------------------------------------------------


def _report(outcome: Outcome, seconds: float, target: Path | None) -> None:
    results = list(outcome.results())
    plan = outcome.plan
    names = [entrant.name for entrant in plan.entrants]
    if results:
        sets = counted(len({result.set for result in results}), "set")
        click.echo(f"{plan.rules.name}, {sets}, {counted(len(results), 'game')}\n")
        click.echo(format_table(standings(results, names)))
        click.echo()
        for first, second in ((a, b) for index, a in enumerate(names) for b in names[index + 1 :]):
            click.echo(_margin_line(results, first, second))
    _report_times(outcome, seconds)
    for log in outcome.logs:
        _report_log(log)
    for void in dict.fromkeys(outcome.voids):
        say(f"played again, nobody to blame: {void}")
    if target is not None:
        click.echo(f"record: {target} ({target.stat().st_size} bytes)")


def _margin_line(results: list[GameResult], first: str, second: str) -> str:
    margin = paired_margin(results, first, second)
    if margin is None:
        return f"{first} and {second} played no deal"
    if margin.low is None or margin.high is None:
        return f"{first} over {second}: {margin.value:+.3f} points a deal (too few sets for an interval)"
    verdict = "clearly apart" if margin.excludes(0.0) else "not separated"
    return (
        f"{first} over {second}: {margin.value:+.3f} points a deal, "
        f"95 % interval {margin.low:+.3f} to {margin.high:+.3f} ({verdict})"
    )


def _report_times(outcome: Outcome, seconds: float) -> None:
    decisions = sum(sum(times.get("decisions", ())) for _, times in outcome.times)
    if not decisions:
        return
    click.echo(f"\n{decisions} decisions in {seconds:.1f} s, start-up of the bots included: {decisions / seconds:,.0f} a second")
    own = [times["own_us"] for _, times in outcome.times if times.get("own_us")]
    click.echo(f"time for a decision: the referee's own part {_time_text(own)}")
    for index, entrant in enumerate(outcome.plan.entrants):
        click.echo(f"  {entrant.name} and the wire {_time_text(list(_rest_of(outcome, index)))}")


def _rest_of(outcome: Outcome, index: int) -> Iterator[dict[str, int]]:
    """A bot's part of the times, one entry a game and seat that it filled."""
    for seating, times in outcome.times:
        for seat, rest in enumerate(times.get("rest_us", ())):
            if seating[seat] == index and times["decisions"][seat]:
                yield rest


def _time_text(entries: list[dict[str, int]]) -> str:
    if not entries:
        return "unknown"
    median = statistics.median(entry["median"] for entry in entries)
    return (
        f"median {median / 1000:.2f} ms, worst 99th percentile of a game {max(entry['p99'] for entry in entries) / 1000:.2f} ms"
    )


def _report_log(log: dict[str, Any]) -> None:
    code = log.get("exit")
    ended = "" if code is None else f", exit code {code}"
    say(f"--- output of {log['bot']} at seat {log['seat']}, seating {log['seating']}{ended}")
    say((log.get("tail") or "(it wrote nothing)").rstrip())
