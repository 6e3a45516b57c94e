"""One match: its sets, its games, replays of its deals, and its record to download."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, render_template

from dashboard import data
from dashboard.errors import Damaged
from dashboard.games import PlayedGame, play_again
from dashboard.replay import ReplayMismatch
from dashboard.summary import sum_up
from league.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.typing import ResponseReturnValue

    from dashboard.replay import Replay
    from league.store import Store

bp = Blueprint("matches", __name__, url_prefix="/matches")

SETS_A_PAGE = 20
GAME = "/<match:match_id>/sets/<int:set_number>/games/<seating>"


@bp.get("/<match:match_id>")
def show(match_id: str) -> ResponseReturnValue:
    """One match: result, sets with their seatings side by side, attempts."""
    match = data.find_match(match_id)
    league = data.find_league(match.league)
    summary = sum_up(match, data.store().games(match.id), data.store().attempts(match.id))
    page, pages = data.page_number(len(summary.sets), SETS_A_PAGE)
    shown = summary.sets[(page - 1) * SETS_A_PAGE : page * SETS_A_PAGE]
    return render_template(
        "match.html", match=match, league=league, summary=summary, shown=shown, page=page, pages=pages, open=data.is_open(match)
    )


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
    """A game of a complete match: 404 where there is none, 403 while it is sealed."""
    match = data.find_match(match_id)
    chairs = data.read_seating(seating, match)
    key = data.unseal(match)
    game = data.find_game(match, set_number, chairs)
    with _damage():
        return play_again(match, game, data.store().game_record(match.id, set_number, chairs), key)


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


@bp.get(GAME)
def game(match_id: str, set_number: int, seating: str) -> ResponseReturnValue:
    """One game: its deals as a table."""
    played = load(match_id, set_number, seating)
    return render_template("game.html", played=played, match=played.match, deals=all_deals(played))


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
    return render_template("deal.html", played=played, match=played.match, deal=shown, others=others)
