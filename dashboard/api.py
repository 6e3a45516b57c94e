"""The same as JSON, read-only and without keys: /api/v1, described by itself at /api/v1/openapi.json and /api/v1/docs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from flask import Blueprint, Response, abort, request, url_for
from msgspec import UNSET, Meta, Struct, UnsetType

from dashboard import bot_shapes, data, shapes, tables
from dashboard.bots import profile
from dashboard.luck import luck_of
from dashboard.pages import matches as pages
from dashboard.routes import Routes
from dashboard.summary import sum_up

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from league.model import League

T = TypeVar("T")

PREFIX = "/api/v1"
bp = Blueprint("api", __name__, url_prefix=PREFIX)
api = Routes(bp)

MOST = 500
"""Entries of a page of a list."""
_BIGGEST = 2**31 - 1

Limit = Annotated[int, Meta(ge=1, le=MOST, description="Entries of a page")]
After = Annotated[int, Meta(ge=0, le=_BIGGEST, description="What the page before ends with: follow `next` instead")]
Name = Annotated[str, Meta(description="What the page before ends with: follow `next` instead")]
Label = Annotated[str, Meta(description="A variant of the league, by its label; all of them unless given")]


class ByName(Struct, forbid_unknown_fields=True):
    """A list that goes on behind a name."""

    limit: Limit = 50
    after: Name | UnsetType = UNSET


class ByNumber(Struct, forbid_unknown_fields=True):
    """A list that goes on behind a number."""

    limit: Limit = 50
    after: After | UnsetType = UNSET


class TableQuery(ByName, forbid_unknown_fields=True):
    """A page of a table of standings."""

    variant: Label = ""


class VariantQuery(Struct, forbid_unknown_fields=True):
    """Which variant."""

    variant: Label = ""


class MatchQuery(ByNumber, forbid_unknown_fields=True):
    """Which matches."""

    variant: Label = ""
    bot: Annotated[str, Meta(description="A bot that takes part, in any version")] = ""
    state: shapes.MatchState | UnsetType = UNSET


@api.get("/leagues")
def leagues(query: ByName) -> shapes.Leagues:
    """Every league, the newest first."""
    found = data.store().leagues()
    page, following = _page(found, query, lambda league: league.name)
    shown = [shapes.league(one, data.progress(one)) for one in page]
    return shapes.Leagues(leagues=shown, next=next_page("api.leagues", query, following))


@api.get("/leagues/<name>")
def league(name: str) -> shapes.League:
    """One league: rules, bots, progress, commitment, and its key once revealed."""
    found = data.find_league(name)
    return shapes.league(found, data.progress(found))


@api.get("/leagues/<name>/progress")
def progress(name: str) -> shapes.Progress:
    """How far a league has come: made to be polled."""
    found = data.find_league(name)
    return shapes.progress(found, data.progress(found))


@api.get("/leagues/<name>/standings")
def standings(name: str, query: TableQuery) -> shapes.Standings:
    """Standings over all variants or of one, the best first."""
    _, label, view = _table(name, query)
    page, following = _page(view.rows, query, lambda row: row.standing.bot)
    return shapes.Standings(
        league=name,
        variant=label,
        sets=view.sets,
        bots=len(view.rows),
        rows=[shapes.row(row) for row in page],
        next=next_page("api.standings", query, following, name=name),
    )


@api.get("/leagues/<name>/pairs")
def pairs(name: str, query: TableQuery) -> shapes.Pairs:
    """Head to head: every pair of bots that has met, over all variants or in one."""
    _, label, view = _table(name, query)
    found = [pair for _, pair in sorted(view.table.pairs.items())]
    page, following = _page(found, query, lambda pair: f"{pair.a}/{pair.b}")
    shown = [shapes.pair(pair) for pair in page]
    return shapes.Pairs(league=name, variant=label, pairs=shown, next=next_page("api.pairs", query, following, name=name))


@api.get("/leagues/<name>/bots")
def bots(name: str, query: ByName) -> bot_shapes.Bots:
    """The bots of a league, those that were withdrawn too, in the order in which they joined."""
    found = data.find_league(name)
    page, following = _page(found.entries, query, lambda entry: found.shown(entry.bot))
    shown = [bot_shapes.bot_line(found, entry) for entry in page]
    return bot_shapes.Bots(league=name, bots=shown, next=next_page("api.bots", query, following, name=name))


@api.get("/leagues/<name>/bots/<bot>")
def bot(name: str, bot: str, query: VariantQuery) -> bot_shapes.BotInFull:
    """One bot in figures: standings by variant, opponents, bidding habits, points by role, faults and worst deals.

    Habits, faults and worst deals are those of complete matches, whose deals are open. Those of a match are worked out once,
    some with every request: `matches_to_come` says how many are left.
    """
    found, label, view = _table(name, query)
    entry, progress = data.find_entry(found, bot), data.progress(found)
    labels: list[str | None] = [None, *(one.label for one in found.variants)]
    lines = [bot_shapes.in_variant(one, tables.standings_of(found, progress, one), bot) for one in labels]
    figures, known = profile(found, entry.bot, label), data.store().bot(entry.bot.bot)
    return bot_shapes.in_full(found, entry, label=label, found=known, view=view, standings=lines, profile=figures)


@api.get("/leagues/<name>/matches")
def matches(name: str, query: MatchQuery) -> shapes.MatchList:
    """Matches of a league in the order of their schedule."""
    found = data.find_league(name)
    label, bot = data.known_label(found, query.variant), data.known_bot(found, query.bot)
    state = None if query.state is UNSET else query.state
    listed = data.store().matches(name, label, bot, state, after=after_number(query), limit=query.limit + 1)
    following = listed[query.limit - 1].cursor if len(listed) > query.limit else None
    shown = [shapes.match(match) for match in listed[: query.limit]]
    return shapes.MatchList(matches=shown, next=next_page("api.matches", query, following, name=name))


@api.get("/matches/<match:match_id>")
def match(match_id: str) -> shapes.MatchInFull:
    """One match: who played it, by which rules, and what came of it."""
    found = data.find_match(match_id)
    games = data.store().games(match_id)
    return shapes.match_in_full(found, sum_up(found, games, ()), data.is_open(found), luck_of(found, games))


@api.get("/matches/<match:match_id>/sets")
def sets(match_id: str, query: ByNumber) -> shapes.Sets:
    """The sets of a match, each with its games side by side."""
    found = data.find_match(match_id)
    rows = sum_up(found, data.store().games(match_id), ()).sets
    page, following = _behind(rows, query, lambda row: row.number)
    shown = [shapes.one_set(row, data.is_open(found)) for row in page]
    return shapes.Sets(match=match_id, sets=shown, next=next_page("api.sets", query, following, match_id=match_id))


@api.get("/matches/<match:match_id>/attempts")
def attempts(match_id: str, query: ByNumber) -> shapes.Attempts:
    """Who has tried to play a match, the newest first."""
    data.find_match(match_id)
    found = data.store().attempts(match_id)
    page, following = _behind(found, query, lambda attempt: attempt.id, falling=True)
    shown = [shapes.attempt(attempt) for attempt in page]
    return shapes.Attempts(match=match_id, attempts=shown, next=next_page("api.attempts", query, following, match_id=match_id))


@api.get("/matches/<match:match_id>/record", errors=(403,), content="application/jsonl")
def record(match_id: str) -> Response:
    """The match record as JSON Lines, once the match is complete."""
    found = data.find_match(match_id)
    data.unseal(found)
    response = pages.record(match_id)
    response.set_etag(f"{found.commitment[:32]}-{found.games_done}-{found.completed_at}")
    response.make_conditional(request)
    return response


@api.get("/matches" + pages.GAME, errors=(403,))
def game(match_id: str, set_number: int, seating: str) -> shapes.PlayedGame:
    """One game of a complete match."""
    return shapes.played_game(pages.load(match_id, set_number, seating))


@api.get("/matches" + pages.GAME + "/deals", errors=(403,))
def deals(match_id: str, set_number: int, seating: str, query: ByNumber) -> shapes.DealLines:
    """The deals of a game of a complete match, in a line each."""
    played = pages.load(match_id, set_number, seating)
    page, following = _behind(range(played.count), query, lambda number: number)
    where: dict[str, Any] = {"match_id": match_id, "set_number": set_number, "seating": seating}
    return shapes.DealLines(
        match=match_id,
        set=set_number,
        seating=seating,
        deals=[shapes.deal_line(played, pages.find_deal(played, number)) for number in page],
        next=next_page("api.deals", query, following, **where),
    )


@api.get("/matches" + pages.GAME + "/deals/" + "<int:number>", errors=(403,))
def deal(match_id: str, set_number: int, seating: str, number: int) -> shapes.Deal:
    """One deal, every card and call."""
    played = pages.load(match_id, set_number, seating)
    return shapes.deal(played, pages.find_deal(played, number))


# ---- lists, a page at a time -------------------------------------------------------------------------------------------


def _table(name: str, query: TableQuery | VariantQuery) -> tuple[League, str | None, tables.TableView]:
    league = data.find_league(name)
    label = data.known_label(league, query.variant)
    return league, label, tables.standings_of(league, data.progress(league), label)


def _page(entries: Sequence[T], query: ByName, name: Callable[[T], str]) -> tuple[Sequence[T], str | None]:
    """A page of a list whose entries have names, and the last name on it where more follow; 404 for a name not in the list."""
    begin = 0
    if query.after is not UNSET:
        at = next((at for at, entry in enumerate(entries) if name(entry) == query.after), None)
        begin = _missing(query.after) if at is None else at + 1
    page = entries[begin : begin + query.limit]
    return page, name(page[-1]) if begin + query.limit < len(entries) else None


def _missing(after: object) -> int:
    abort(404, f"Nothing here is called {after!r}, so that nothing can be told to follow it. Begin without `after`.")


def _behind(
    entries: Sequence[T], query: ByNumber, number: Callable[[T], int], *, falling: bool = False
) -> tuple[list[T], int | None]:
    """A page of a list whose entries have numbers that grow (or fall), and the last number on it where more follow."""
    rest, after = list(entries), after_number(query)
    if after is not None:
        rest = [one for one in rest if (number(one) < after if falling else number(one) > after)]
    page = rest[: query.limit]
    return page, number(page[-1]) if len(rest) > len(page) else None


def after_number(query: ByNumber) -> int | None:
    """What the page before ended with; None on the first page."""
    return None if query.after is UNSET else query.after


def next_page(endpoint: str, query: Struct, after: object, **where: str | int) -> str | None:
    """The address of the page that follows, with everything else that was asked for."""
    if after is None:
        return None
    asked: dict[str, Any] = dict(where)
    asked |= {name: value for name in query.__struct_fields__ if (value := getattr(query, name)) not in (UNSET, "")}
    return url_for(endpoint, **(asked | {"after": after}))
