"""`arena league show`: everything that a league is, and how far it has come."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from arena.cli.common import counted, opened, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from league.model import Entry, League, Progress, Round


@click.command()
@click.argument("name")
def show(name: str) -> None:
    """Show the league NAME: its options, all of them, its bots and versions, its key's commitment and its progress."""
    with opened() as (_, store):
        entry, progress, rounds = store.league(name), store.progress(name), store.rounds(name)
    click.echo("\n".join(league_text(entry, progress, rounds)))


def league_text(entry: League, progress: Progress, rounds: list[Round]) -> Iterator[str]:
    """The lines that tell a league."""
    yield f"league {entry.name}"
    yield from (f"  {title:<11} {text}" for title, text in _facts(entry))
    yield ""
    for variant in entry.variants:
        options = " ".join(f"{name}={_value(value)}" for name, value in variant.options.items())
        yield f"variant {variant.label}: {variant.variant}, {variant.seats} seats, {_format(variant.format)}"
        yield f"  options     {options}"
    yield ""
    yield table(["bot", "version", "kind", "joined", "withdrawn"], [_member(entry, one) for one in entry.entries], left=5)
    yield ""
    rows = [
        [
            *(one.label, _rounds(rounds, one.label), f"{one.matches_complete}/{one.matches_total}"),
            *(f"{one.sets_done}/{one.sets_total}", f"{one.games_done}/{one.games_total}"),
        ]
        for one in progress.variants
    ]
    yield table(["progress", "rounds", "matches", "sets", "games"], rows)
    for label in (one.label for one in progress.variants):
        yield from _stopped([one for one in rounds if one.label == label])


def _facts(entry: League) -> Iterator[tuple[str, str]]:
    if entry.series is not None:
        yield "season", f"{entry.season} of {entry.series}"
    yield "created", when(entry.created_at)
    if entry.precision is None:
        yield "schedule", f"round robin, {counted(entry.sets, 'set')} a match"
    else:
        yield "schedule", f"rounds of {counted(entry.sets, 'set')} a pairing, at most {counted(entry.max_sets or 0, 'set')}"
        yield "precision", f"± {entry.precision:g} Elo"
    yield "remote bots", "play duplicate sets" if entry.remote_sets else "play single games, each with deals of its own"
    yield "clock", " ".join(f"{name}={_value(value)}" for name, value in entry.clock.items())
    yield "commitment", entry.commitment
    yield "key", entry.key.hex() if entry.key is not None else "secret until the league is finished"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _format(fmt: str) -> str:
    return "whole games" if fmt == "game" else f"{fmt.removeprefix('deals:')} deals a game"


def _member(entry: League, one: Entry) -> list[str]:
    joined = when(one.added_at) if one.stage and one.added_at is not None else "at the start"
    withdrawn = "" if one.withdrawn_at is None else when(one.withdrawn_at)
    return [entry.shown(one.bot), f"v{one.bot.version}", "remote" if one.bot.remote else "local", joined, withdrawn]


def _rounds(rounds: list[Round], label: str) -> str:
    return str(sum(bool(one.matches) for one in rounds if one.label == label)) if rounds else "–"


_WHY = {"precision": "interval small enough", "order": "order beyond doubt", "limit": "most sets played"}


def _stopped(rounds: list[Round]) -> Iterator[str]:
    """What the newest decision about a variant stopped."""
    if not rounds or not rounds[-1].stopped:
        return
    rows = [
        [" – ".join(one.lineup), _WHY[one.why], "unknown" if one.half_width is None else f"± {one.half_width:.0f}"]
        for one in rounds[-1].stopped
    ]
    yield ""
    yield table([f"stopped in {rounds[-1].label}", "why", "widest interval"], rows, left=2)


def when(seconds: float) -> str:
    """A time, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))
