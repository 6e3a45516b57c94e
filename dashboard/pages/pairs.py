"""Bots with each other: the table of all pairs, one pair, one triple."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, abort, render_template, request

from dashboard import data, meetings, tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from league.model import League
    from league.results import GameResult

bp = Blueprint("pairs", __name__, url_prefix="/leagues")

SIDE = 20
"""Bots along each side of a table of pairs: larger tables are shown in parts."""
MOST_MATCHES = 100
"""Matches of a pair that its page lists."""


@bp.get("/<name>/pairs")
def cross(name: str) -> ResponseReturnValue:
    """Every pair of bots, in the order of their ranks; a part at a time."""
    league = data.find_league(name)
    label = data.read_label(league)
    progress = data.progress(league)
    table = tables.standings_of(league, progress, label)
    parts = max(1, -(-len(table.rows) // SIDE))
    down, across = _part("down", parts), _part("across", parts)
    return render_template(
        "pairs.html",
        league=league,
        progress=progress,
        label=label,
        table=table,
        rows=table.rows[(down - 1) * SIDE : down * SIDE],
        columns=table.rows[(across - 1) * SIDE : across * SIDE],
        parts=[_span(part, len(table.rows)) for part in range(1, parts + 1)],
        down=down,
        across=across,
    )


def _part(side: str, parts: int) -> int:
    part = request.args.get(side, 1, type=int)
    if not 1 <= part <= parts:
        abort(404, f"The table of pairs has no part {part} (it has {parts} along each side).")
    return part


def _span(part: int, bots: int) -> str:
    return f"{(part - 1) * SIDE + 1}–{min(part * SIDE, bots)}"


@bp.get("/<name>/pairs/<a>/<b>")
def show(name: str, a: str, b: str) -> ResponseReturnValue:
    """Two bots with each other, seen from the first."""
    league = data.find_league(name)
    games = _common(league, a, b)
    listed = meetings.by_match(games, a, b)
    return render_template(
        "pair.html",
        league=league,
        label=None,
        a=a,
        b=b,
        overall=tables.standings_of(league, data.progress(league)),
        variants=meetings.by_variant(games, a, b),
        thirds=meetings.by_third(games, a, b),
        matches=listed[-MOST_MATCHES:][::-1],
        more=len(listed) > MOST_MATCHES,
    )


@bp.get("/<name>/triples/<a>/<b>/<c>")
def triple(name: str, a: str, b: str, c: str) -> ResponseReturnValue:
    """Three bots at one table."""
    league = data.find_league(name)
    games = _common(league, a, b, c)
    matches = sorted({(game.variant, game.match) for game in games})
    return render_template(
        "triple.html", league=league, label=None, bots=(a, b, c), tables=meetings.tables(games), matches=matches
    )


def _common(league: League, *names: str) -> Sequence[GameResult]:
    """The games of complete sets that all of these bots took part in; 404 for a bot that is not there, or named twice."""
    if len(set(names)) < len(names):
        abort(404, "A bot does not play against itself.")
    bots = [data.find_entry(league, name).bot for name in names]
    return list(data.store().results(league.name, among=bots))
