"""One bot in a league: its ratings over time, against whom, how it bids, its faults and its worst deals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flask import Blueprint, jsonify, render_template

from dashboard import charts, data, sessions, tables
from dashboard.bots import profile, versions
from dashboard.filters import iso
from league.estimates import Estimate

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from dashboard.tables import Row, TableView
    from league.history import Moment
    from league.model import League, Progress, Submission

bp = Blueprint("bots", __name__, url_prefix="/leagues")

RECENT = 10
"""Matches that are listed."""
OPPONENTS = 40
"""Most opponents that are listed; of more, those next in rank."""


@bp.get("/<name>/bots/<bot>")
def show(name: str, bot: str) -> ResponseReturnValue:
    """One bot by its name in the standings."""
    league = data.find_league(name)
    label = data.read_label(league)
    version = data.find_entry(league, bot).bot
    progress = data.progress(league)
    table = tables.standings_of(league, progress, label)
    history = _history(league, progress, label, table, bot)
    known, mine = data.store().bot(version.bot), sessions.owns(version.bot)
    return render_template(
        "bot.html",
        league=league,
        label=label,
        bot=bot,
        version=version,
        versions=versions(league, known, mine=mine),
        table=table,
        row=table.row(bot),
        variants=_by_variant(league, progress, bot),
        opponents=_opponents(table, bot),
        curve=charts.curve(history, bot),
        profile=profile(league, version, label),
        recent=data.store().matches(name, label, version.bot, limit=RECENT, newest_first=True),
        mine=_mine(known.owner, version.bot) if mine else None,
    )


@bp.get("/<name>/bots/<bot>/elo.json")
def elo(name: str, bot: str) -> ResponseReturnValue:
    """Elo over time with its interval: after how many sets, when, the value and its limits."""
    league = data.find_league(name)
    label = data.read_label(league)
    data.find_entry(league, bot)
    progress = data.progress(league)
    history = _history(league, progress, label, tables.standings_of(league, progress, label), bot)
    points = [
        {"sets": moment.sets, "at": iso(moment.at), "elo": at.value, "low": at.low, "high": at.high}
        for moment in history
        if (at := moment.elo.get(bot)) is not None
    ]
    curve = charts.curve(history, bot)
    shown = None if curve is None else [curve.low, curve.high]
    return jsonify({"league": name, "variant": label, "bot": bot, "shown": shown, "points": points})


def _history(league: League, progress: Progress, label: str | None, table: TableView, bot: str) -> tuple[Moment, ...]:
    """Elo over time, which ends with what the standings say of the bot: their interval is worked out with more care."""
    history, row = tables.history_of(league, progress, label), table.row(bot)
    if not history or row is None or row.standing.elo is None or history[-1].sets != table.sets:
        return history
    now = Estimate(row.standing.elo, row.standing.elo_low, row.standing.elo_high)
    return (*history[:-1], replace(history[-1], elo=history[-1].elo | {bot: now}))


def _by_variant(league: League, progress: Progress, bot: str) -> list[tuple[str | None, TableView, Row | None]]:
    labels: list[str | None] = [None] if len(league.variants) > 1 else []
    labels += [entry.label for entry in league.variants]
    views = [(label, tables.standings_of(league, progress, label)) for label in labels]
    return [(label, view, view.row(bot)) for label, view in views]


def _opponents(table: TableView, bot: str) -> list[Row]:
    """The other bots by rank; of many those next to this one."""
    others = [row for row in table.rows if row.standing.bot != bot]
    at = next((index for index, row in enumerate(table.rows) if row.standing.bot == bot), 0)
    first = max(0, min(at - OPPONENTS // 2, len(others) - OPPONENTS))
    return others[first : first + OPPONENTS]


def _mine(owner: str | None, bot: str) -> dict[int, Submission]:
    """The submissions of a bot by version."""
    found = data.store().submissions(owner, limit=1000) if owner else []
    return {one.version: one for one in found if one.bot == bot}
