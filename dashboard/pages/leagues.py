"""One league: its standings and progress, and the list of its matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, jsonify, render_template, request

from dashboard import arrange, data, tables
from league.names import OVERALL
from league.tabulate import sets_of

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from dashboard.tables import TableView
    from league.model import League, Season

bp = Blueprint("leagues", __name__, url_prefix="/leagues")

MATCHES_A_PAGE = 50
CROSS_MOST = 16
"""Most bots of which the page of standings shows every pair."""


@bp.get("/<name>")
def show(name: str) -> ResponseReturnValue:
    """Standings over all variants or of one, head to head, progress and proof."""
    league = data.find_league(name)
    label = data.read_label(league)
    wanted = arrange.read()
    progress = data.progress(league)
    table = tables.standings_of(league, progress, label)
    return render_template(
        "league.html",
        league=league,
        progress=progress,
        label=label,
        table=table,
        arranged=arrange.arrange(table, wanted),
        behind=max(0, sets_of(progress, label) - table.sets),
        seasons=_seasons(league),
        cross_most=CROSS_MOST,
    )


def _seasons(league: League) -> tuple[Season, ...]:
    return () if league.series is None else data.store().series(league.series).seasons


@bp.get("/<name>/standings.csv")
def standings_csv(name: str) -> ResponseReturnValue:
    """The rows that the page shows with the same query; without a page, all of them."""
    league, label, table = _table(name)
    text = arrange.as_csv(table, arrange.arrange(table, arrange.read(all_pages=True)))
    answer = Response(text, mimetype="text/csv")
    answer.headers.set("Content-Disposition", "attachment", filename=f"{league.name}-{label or OVERALL}-standings.csv")
    return answer


@bp.get("/<name>/standings.json")
def standings_json(name: str) -> ResponseReturnValue:
    """The same as JSON."""
    league, label, table = _table(name)
    return jsonify(arrange.as_json(league.name, label, table, arrange.arrange(table, arrange.read(all_pages=True))))


def _table(name: str) -> tuple[League, str | None, TableView]:
    league = data.find_league(name)
    label = data.read_label(league)
    return league, label, tables.standings_of(league, data.progress(league), label)


@bp.get("/<name>/matches")
def matches(name: str) -> ResponseReturnValue:
    """The league's matches, filtered by variant, bot and state, a page at a time."""
    league = data.find_league(name)
    label, bot, state = data.read_label(league), data.read_bot(league), data.read_state()
    after = request.args.get("after", type=int)
    found = data.store().matches(name, label, bot, state, after=after, limit=MATCHES_A_PAGE + 1)
    if after is not None and not found:
        abort(404, "There are no matches after this one.")
    chosen = {"variant": label, "bot": bot, "state": state}
    return render_template(
        "matches.html",
        league=league,
        progress=data.progress(league),
        matches=found[:MATCHES_A_PAGE],
        more=len(found) > MATCHES_A_PAGE,
        after=after,
        chosen=chosen,
        filtered=any(chosen.values()),
        states=data.STATES,
        names=sorted({entry.bot.bot for entry in league.entries}),
    )
