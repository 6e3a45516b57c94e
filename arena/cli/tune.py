"""`arena tune`: bots in Python measured in this process, by the thousand of sets, and what changing their numbers brings."""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import os
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import SAMPLES, counted, say, table
from arena.cli.play import pairs
from arena.cli.progress import BAR_SECONDS, LINE_SECONDS, bar, duration
from arena.tune import BadBot, Plan, Source, difference, games_margin, load, margins_of, measure, points_margin
from referee.game import BadFormat, deals_of
from referee.rules import VARIANTS, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.tune import Margins, SetResult
    from arena.tune.source import Setting
    from league.estimates import Estimate

_SAMPLE_MODULES = {name: command.split()[-1] for name, command in SAMPLES.items()}


@click.command()
@click.argument("bot", metavar="BOT")
@click.option("--against", required=True, metavar="BOT[,BOT]", help="Opponent; in a game for three, the two others may differ.")
@click.option("--variant", required=True, metavar="NAME|all", help="Variant to play, such as ghost-hand, or all of them.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Option of the variant; may be repeated.")
@click.option("--sets", default=100, show_default=True, type=click.IntRange(1, 10_000_000), help="Duplicate sets to play.")
@click.option("--format", "fmt", default="game", show_default=True, metavar="game|deals:N", help="Whole games, or N deals each.")
@click.option("--seed", default="tuning", show_default=True, help="Any text; the same text gives the same deals.")
@click.option("--vary", multiple=True, metavar="NAME=V1,V2,…", help="Play each value of BOT's NAME; repeated, every combination.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Processes to play in.  [default: one for each core]")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def tune(**given: Any) -> None:  # noqa: ANN401 - click's parameters
    """Measure BOT against others: duplicate sets without referee, wire and clock, but by the referee's own rules.

    A bot is a sample, a MODULE, a FILE.py, or either with :NAME, a class that derives from Bot or a function of a view. With
    --vary, every value plays the same deals against the same opponents, so that differences show sooner than margins do. A
    NAME is looked for in the bot's class, then in its module; MODULE.NAME is one of another module of its own.
    """
    variants = [variant.name for variant in VARIANTS] if given["variant"] == "all" else [given["variant"]]
    plans = [_plan(given, variant) for variant in variants]
    found = [_measured(plan, given["jobs"] or len(os.sched_getaffinity(0))) for plan in plans]
    if given["as_json"]:
        click.echo(json.dumps({"results": [_as_json(plan, results, given) for plan, results in zip(plans, found, strict=True)]}))
        return
    for plan, results in zip(plans, found, strict=True):
        click.echo(_as_text(plan, results))


# ---- what is asked for --------------------------------------------------------------------------------------------------


def _plan(given: dict[str, Any], variant: str) -> Plan:
    """The measurement of one variant; raises click.UsageError, RulesError or BadBot."""
    rules = Rules(variant, pairs("--option", given["options"]))
    try:
        deals_of(given["fmt"])
    except BadFormat as error:
        raise click.UsageError(f"--format: {error}") from None
    others = _others(given["against"], rules)
    lineups = tuple((replace(_source(given["bot"]), settings=settings), *others) for settings in grid(given["vary"]))
    for source in dict.fromkeys(itertools.chain.from_iterable(lineups)):
        _try(source)
    key = hashlib.sha256(given["seed"].encode()).digest()
    return Plan(variant, pairs("--option", given["options"]), given["fmt"], key, given["sets"], lineups)


def _try(source: Source) -> None:
    """Load a bot here first, where what is wrong with it is soonest told; raises BadBot."""
    try:
        load(source)
    except BadBot as error:
        if not isinstance(error.__cause__, ImportError):
            raise
        raise BadBot(f"{error} (a bot is {', '.join(SAMPLES)}, a MODULE, a FILE.py, or either with :NAME)") from error


def _source(text: str) -> Source:
    return Source(_SAMPLE_MODULES.get(text, text), name=text)


def _others(text: str, rules: Rules) -> tuple[Source, ...]:
    """The opponents, as many as the variant has room for; raises click.UsageError."""
    sources = [_source(word.strip()) for word in text.split(",")]
    seats = rules.bots - 1
    if len(sources) == 1:
        sources *= seats
    if len(sources) != seats:
        raise click.UsageError(f"--against: {counted(len(sources), 'bot')} given, {rules.name} has room for {seats}")
    return tuple(sources)


def grid(vary: Sequence[str]) -> list[tuple[Setting, ...]]:
    """Every combination of the values to be tried, the last name's running fastest; raises click.UsageError."""
    names = [text.partition("=")[0].strip() for text in vary]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"--vary: {name} is given twice (allowed: once, with all its values)")
    return list(itertools.product(*map(_axis, vary)))


def _axis(text: str) -> list[Setting]:
    name, equals, values = text.partition("=")
    found = [value for value in _split(values) if value]
    if not (equals and name.strip() and found):
        raise click.UsageError(f"--vary: {text!r} is not NAME=VALUE,VALUE,…")
    return [(name.strip(), value) for value in found]


def _split(text: str) -> list[str]:
    """Values with commas between them, but not within brackets or quotes."""
    try:
        parsed = ast.parse(f"[{text}]", mode="eval").body
    except SyntaxError:
        return [value.strip() for value in text.split(",")]
    assert isinstance(parsed, ast.List)
    return [ast.unparse(value) for value in parsed.elts]


# ---- playing ------------------------------------------------------------------------------------------------------------


def _measured(plan: Plan, jobs: int) -> list[list[SetResult]]:
    """The sets of every line-up; raises BotFailed, and click.ClickException if it was interrupted before there was anything."""
    progress = _Progress(plan)
    jobs = min(jobs, plan.sets * len(plan.lineups))
    results = measure(plan, jobs, progress.told)
    progress.end()
    if not results[0]:
        raise click.ClickException("interrupted before a set was played by all")
    if len(results[0]) < plan.sets:
        say(f"interrupted: the figures are of the first {len(results[0])} of {plan.sets} sets")
    return results


class _Progress:
    """How far it has come, on standard error: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, plan: Plan) -> None:
        self._what = plan.variant
        self._total = plan.sets * len(plan.lineups)
        self._done = 0
        self._began = time.monotonic()
        self._shown = self._began
        self._bar = sys.stderr.isatty()

    def told(self, played: int) -> None:
        """So many more sets have been played."""
        self._done += played
        now = time.monotonic()
        if now - self._shown >= (BAR_SECONDS if self._bar else LINE_SECONDS):
            self._shown = now
            self._show(f", {duration((now - self._began) * (self._total - self._done) / self._done)} left")

    def end(self) -> None:
        """All has been played that will be."""
        self._show(f" in {time.monotonic() - self._began:.1f} s")
        if self._bar:
            click.echo(err=True)

    def _show(self, rest: str) -> None:
        text = f"{self._what}: {self._done}/{self._total} sets{rest}"
        click.echo(f"\r{bar(self._done, self._total)} {text}\033[K" if self._bar else text, err=True, nl=not self._bar)


# ---- telling ------------------------------------------------------------------------------------------------------------


def _as_text(plan: Plan, results: list[list[SetResult]]) -> str:
    rows = []
    varied = len(plan.lineups) > 1
    for lineup, opponent, margins, base in _margins(plan, results):
        row = [_label(plan, lineup), opponent, _text(points_margin(margins)), _text(games_margin(margins), 2)]
        gap = [_text(difference(margins, base)) if lineup else ""] if varied else []
        rows.append(row + gap)
    header = ["bot", "against", "points a deal", "games above less below", *(["less the first's"] if varied else [])]
    deals = sum(result.deals for result in results[0])
    first = plan.lineups[0][0].label
    played = f"{counted(len(results[0]), 'set')}, {counted(deals, 'deal')}"
    title = f"{plan.variant}, {played}: what {first} is ahead, 95 % intervals by sets"
    return f"{title}\n{table(header, rows, left=2)}\n"


def _margins(plan: Plan, results: list[list[SetResult]]) -> list[tuple[int, str, Margins, Margins]]:
    """(line-up, opponent, its margins, the first line-up's) of every row."""
    found = [margins_of(each, plan.names(lineup)) for lineup, each in enumerate(results)]
    return [(lineup, opponent, each, found[0][opponent]) for lineup, row in enumerate(found) for opponent, each in row.items()]


def _label(plan: Plan, lineup: int) -> str:
    first = plan.lineups[lineup][0]
    return " ".join(f"{name}={value}" for name, value in first.settings) or first.label


def _text(estimate: Estimate, digits: int = 3) -> str:
    half = estimate.half_width
    return f"{estimate.value:+.{digits}f}" + ("" if half is None else f" ± {half:.{digits}f}")


def _as_json(plan: Plan, results: list[list[SetResult]], given: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {
            "settings": dict(plan.lineups[lineup][0].settings),
            "against": opponent,
            "deals": sum(result.deals for result in results[lineup]),
            "points": _limits(points_margin(margins)),
            "games": _limits(games_margin(margins)),
            "difference": _limits(difference(margins, base)) if lineup else None,
        }
        for lineup, opponent, margins, base in _margins(plan, results)
    ]
    options = Rules(plan.variant, plan.options).options
    head = {"variant": plan.variant, "options": options, "format": plan.fmt, "seed": given["seed"], "bot": given["bot"]}
    return {**head, "sets": len(results[0]), "rows": rows}


def _limits(estimate: Estimate) -> dict[str, float | None]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}
