"""`arena league season`: series of leagues that begin anew at fixed times."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from arena import spec
from arena.cli.common import command_line, opened, say, table
from arena.cli.league_options import league_options
from arena.cli.league_show import when
from league.model import SeriesSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from league.model import LeagueSpec, Season, Series
    from league.store import Store

ALL = "all"
_UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def seconds_of(text: str) -> float:
    """A length of time written like 90m, 12h, 7d or 2w, in seconds; UsageError says so where it is not."""
    match = re.fullmatch(r"([0-9]+)([mhdw])", text)
    if match is None:
        raise click.UsageError(f"{text!r} is no length of time; write a number and m, h, d or w, like 12h or 7d")
    return float(match[1]) * _UNITS[match[2]]


def time_of(text: str | None) -> float:
    """A time written like 2026-03-01 or 2026-03-01T18:00 (UTC unless it names an offset), the present for None."""
    if text is None:
        return time.time()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"{text!r} is no time; write YYYY-MM-DD or YYYY-MM-DDTHH:MM, in UTC") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def every(seconds: float) -> str:
    """A length of time as it is written on the command line."""
    unit = next(unit for unit in reversed(_UNITS) if seconds % _UNITS[unit] == 0 or unit == "m")
    return f"{seconds / _UNITS[unit]:g}{unit}"


@click.group()
def season() -> None:
    """Recurring seasons: a series is a league that begins anew at fixed times.

    Season N of the series NAME is the league NAME-N, with deals and a key of its own. It ends when all is played, or when
    the next begins. `arena up` and `arena league run NAME` open seasons when they are due.
    """


@season.command()
@click.argument("name")
@click.option("--every", "period", required=True, metavar="TIME", help="From one season to the next: 12h, 7d, 2w.")
@click.option("--first", metavar="TIME", help="When the first begins, in UTC: 2026-03-01 or 2026-03-01T18:00; now unless given.")
@click.option("--bots", default=ALL, show_default=True, metavar="A,B,…", help="Who takes part; all: every bot there is by then.")
@click.option("--join", "joins", is_flag=True, help="New bots and new versions join the season that is being played.")
@league_options
def create(name: str, period: str, first: str | None, bots: str, joins: bool, wanted: LeagueSpec) -> None:  # noqa: PLR0913, PLR0917  (one parameter an option)
    """Create the series NAME. Each season takes the latest versions of its bots, as they are when it begins."""
    named = None if bots == ALL else spec.names(bots)
    with opened() as (_, store):
        made = store.create_series(SeriesSpec(name, seconds_of(period), time_of(first), wanted, named, joins))
    click.echo(f"series {name}: a season every {every(made.period)}, the first from {when(made.next_start)}")
    say(f"play it with: {command_line('league', 'run', name)}, or {command_line('up')}")


@season.command("list")
def list_series() -> None:
    """List the series."""
    with opened() as (_, store):
        found = store.all_series()
    rows = [[one.name, every(one.period), len(one.seasons), _next(one)] for one in found]
    click.echo(table(["series", "every", "seasons", "next begins"], rows))


def _next(series: Series) -> str:
    return "stopped" if series.stopped_at is not None else when(series.next_start)


@season.command()
@click.argument("name")
def show(name: str) -> None:
    """Show the series NAME: its options, and the standings of its seasons in short."""
    with opened() as (_, store):
        found = store.series(name)
        rows = [_row(store, one) for one in found.seasons]
    click.echo("\n".join(_facts(found)))
    click.echo(table(["season", "begun", "state", "games", "leader", "Elo", "separated"], rows))


def _facts(series: Series) -> Iterator[str]:
    template = series.template
    yield f"series {series.name}"
    yield f"  every       {every(series.period)}"
    yield f"  next        {_next(series)}"
    yield f"  bots        {'every bot that there is' if series.bots is None else ', '.join(series.bots)}"
    yield f"  newcomers   {'join the season that is being played' if series.joins else 'wait for the next season'}"
    yield f"  variants    {', '.join(one.label or one.variant for one in template.variants)}"
    yield f"  sets        {template.sets}"
    if template.precision is not None:
        yield f"  precision   ± {template.precision:g} Elo, at most {template.max_sets} sets a pairing"
    yield f"  clock       {' '.join(f'{name}={value}' for name, value in template.clock.items())}"
    yield ""


def _row(store: Store, one: Season) -> list[object]:
    from league.standings import standings  # noqa: PLC0415  (numpy: not for every command)

    progress = store.progress(one.league)
    state = "open" if one.revealed_at is None else "finished" if progress.complete else "ended early"
    best = standings(store.results(one.league)).rows[:2]
    rated = [row for row in best if row.elo is not None]
    leader, elo = (rated[0].bot, f"{rated[0].elo:.0f}") if rated else ("–", "–")
    table_ = standings(store.results(one.league)) if len(rated) == 2 else None
    apart = "–" if table_ is None else "yes" if table_.separated(rated[0].bot, rated[1].bot) else "no"
    return [one.league, when(one.created_at), state, f"{progress.games_done}/{progress.games_total}", leader, elo, apart]


@season.command("open")
@click.argument("name")
def open_now(name: str) -> None:
    """Begin the next season of NAME now, though it is not due, and end the present one."""
    with opened() as (_, store):
        made = store.open_season(name, early=True)
    assert made is not None
    click.echo(f"season {made.season} of {name} has begun: league {made.name}, {len(made.bots)} bots")


@season.command()
@click.argument("name")
def stop(name: str) -> None:
    """Let no more seasons of NAME begin. The present one is played to its end."""
    with opened() as (_, store):
        store.stop_series(name)
    click.echo(f"series {name} is stopped")
