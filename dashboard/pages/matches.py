"""One match: its sets, its games, replays of its deals, and its record to download."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, render_template, request

from dashboard import compare, data
from dashboard.board import board
from dashboard.errors import Damaged
from dashboard.games import PlayedGame, play_again
from dashboard.luck import luck_of
from dashboard.proof import proof_of
from dashboard.replay import ReplayMismatch
from dashboard.summary import sum_up
from league.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.typing import ResponseReturnValue

    from dashboard.replay import Replay
    from league.model import Game, Match
    from league.store import Store

bp = Blueprint("matches", __name__, url_prefix="/matches")

SETS_A_PAGE = 20
DECISIVE = 3
"""Deals of a set that are named as those that decided it."""
SET = "/<match:match_id>/sets/<int:set_number>"
GAME = SET + "/games/<seating>"


@bp.get("/<match:match_id>")
def show(match_id: str) -> ResponseReturnValue:
    """One match: result, sets with their seatings side by side, attempts."""
    match = data.find_match(match_id)
    league = data.find_league(match.league)
    games = data.store().games(match.id)
    summary = sum_up(match, games, data.store().attempts(match.id))
    page, pages = data.page_number(len(summary.sets), SETS_A_PAGE)
    shown = summary.sets[(page - 1) * SETS_A_PAGE : page * SETS_A_PAGE]
    spread = {
        row.number: compare.by_game([(seating, game) for seating, game in row.games if game]) for row in shown if row.compared
    }
    return render_template(
        "match.html", match=match, league=league, summary=summary, shown=shown, page=page, pages=pages, open=data.is_open(match),
        spread=spread, proof=proof_of(match), luck=luck_of(match, games),
    )  # fmt: skip


@bp.get("/<match:match_id>/record.jsonl")
def record(match_id: str) -> Response:
    """The match record, to keep or to check with `arena verify`; sealed until the match is complete."""
    match = data.find_match(match_id)
    data.unseal(match)
    name = match.id.replace("/", "_") + ".jsonl"
    return Response(
        _lines(data.store(), match.id),
        mimetype="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _lines(store: Store, match_id: str) -> Iterator[str]:
    for line in store.record_lines(match_id):
        yield canonical(line) + "\n"


def load(match_id: str, set_number: int, seating: str) -> PlayedGame:
    """A game of a complete set: 404 where there is none, 403 while it is sealed."""
    match = data.find_match(match_id)
    chairs = data.read_seating(seating, match)
    key = data.unseal_set(match, set_number)
    return _again(match, data.find_game(match, set_number, chairs), key)


def load_set(match_id: str, set_number: int) -> list[PlayedGame]:
    """Every stored game of a complete set, in the order of its seatings: 404 where there is none, 403 while it is sealed."""
    match = data.find_match(match_id)
    key = data.unseal_set(match, set_number)
    games = {game.seating: game for game in data.store().games(match.id) if game.set == set_number}
    if not games:
        abort(404, f"Match {match.id} has no game of set {set_number} so far.")
    return [_again(match, games[seating], key) for seating in match.seatings if seating in games]


def _again(match: Match, game: Game, key: bytes) -> PlayedGame:
    with _damage():
        return play_again(match, game, data.store().game_record(match.id, game.set, game.seating), key)


def find_deal(game: PlayedGame, number: int) -> Replay:
    """One deal of a game, played again; 404 past its last."""
    if number >= game.count:
        abort(404, f"This game has {game.count} deals, numbered from 0; there is no deal {number}.")
    with _damage():
        return game.deal(number)


def all_deals(game: PlayedGame) -> list[Replay]:
    """Every deal of a game, played again."""
    return [find_deal(game, number) for number in range(game.count)]


@contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except ReplayMismatch as error:
        raise Damaged(f"The stored game does not follow from the key and the rules: {error}.") from error


@bp.get(SET)
def whole_set(match_id: str, set_number: int) -> ResponseReturnValue:
    """One set: its deals in every seating side by side, and what was luck and what was play."""
    played = load_set(match_id, set_number)
    rows = compare.by_deal([game.game.seating for game in played], [game.record for game in played])
    parts = [compare.shares(rows, position) for position in range(len(played))]
    decisive = sorted((row for row in rows if row.compared and row.swing > 0), key=lambda row: -row.swing)[:DECISIVE]
    return render_template(
        "set.html", match=played[0].match, league=data.find_league(played[0].match.league), number=set_number, played=played,
        rows=rows, parts=parts, decisive=decisive,
    )  # fmt: skip


@bp.get(SET + "/deals/<int:number>")
def set_deal(match_id: str, set_number: int, number: int) -> ResponseReturnValue:
    """One deal of a set, as it went in every seating."""
    played = load_set(match_id, set_number)
    last = max(game.count for game in played) - 1
    if number > last:
        abort(404, f"This set has deals 0 to {last}; there is no deal {number}.")
    there = [game for game in played if game.count > number]
    deals = [find_deal(game, number) for game in there]
    row = compare.compare(number, [game.game.seating for game in there], [deal.points for deal in deals])
    return render_template(
        "set_deal.html", match=there[0].match, number=set_number, games=list(zip(there, deals, row.cells, strict=True)),
        row=row, last=last, missing=len(played) - len(there), league=data.find_league(there[0].match.league),
    )  # fmt: skip


@bp.get(GAME)
def game(match_id: str, set_number: int, seating: str) -> ResponseReturnValue:
    """One game: its deals as a table."""
    played = load(match_id, set_number, seating)
    league = data.find_league(played.match.league)
    return render_template("game.html", played=played, match=played.match, league=league, deals=all_deals(played))


@bp.get(GAME + "/deals/<int:number>")
def deal(match_id: str, set_number: int, seating: str, number: int) -> ResponseReturnValue:
    """One deal, from the cards dealt to the points."""
    played = load(match_id, set_number, seating)
    shown = find_deal(played, number)
    others = [
        other
        for other in data.store().games(match_id)
        if other.set == set_number and other.seating != played.game.seating and other.deals > number
    ]
    laid = board(played, shown, read_seat(played))
    return render_template(
        "deal.html", played=played, match=played.match, league=data.find_league(played.match.league), deal=shown, board=laid,
        others=others, proof=proof_of(played.match),
    )  # fmt: skip


def read_seat(played: PlayedGame) -> int | None:
    """The seat whose view the request asks for; None for all hands open, 404 for a seat that is not there."""
    text = request.args.get("seat") or None
    known = [str(seat.number) for seat in played.seats]
    if text is not None and text not in known:
        abort(404, f"There is no seat {text!r} at this table (there are: {', '.join(known)}).")
    return None if text is None else int(text)
