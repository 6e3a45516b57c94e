"""The card table of a replay: what lies where between two moves, in every variant, and what the page says of it."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from dashboard import telling
from dashboard.board import board
from referee.rules.cards import card_text
from tests.dashboard.test_pages import page, words
from tests.dashboard.test_replay import MATCHES, called, deals, find

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from dashboard.positions import Position
    from dashboard.replay import Move, Replay
    from league.store import Store


def table_of(text: str) -> dict[str, Any]:
    """What the page of a deal hands to its script."""
    found = re.search(r"data-table='([^']*)'", text)
    assert found is not None
    table: dict[str, Any] = json.loads(html.unescape(found[1]))
    return table


def everywhere(position: Position, deal: Replay, before: list[Move]) -> list[str]:
    """Every card that a position shows somewhere, with those played before."""
    cards = [card for cards in (*position.hands, position.spare, *position.away) for card in cards]
    cards += [card for _, card in position.passing]
    cards += [*deal.stock, *([position.turned] if position.turned else [])]
    return cards + [move.action for move in before if move.phase == "play"]


@pytest.mark.parametrize("match_id", MATCHES)
def test_no_card_is_lost_or_shown_twice(store: Store, match_id: str) -> None:
    """In every position of every deal each card of the pack lies in exactly one place."""
    for played, deal in deals(store, match_id):
        found = played.positions(deal.number)
        assert len(found) == len(deal.moves) + 1
        pack = sorted(map(card_text, played.rules.pack))
        for number, position in enumerate(found):
            assert sorted(everywhere(position, deal, list(deal.moves[:number]))) == pack, (played.game, deal.number, number)


@pytest.mark.parametrize("match_id", MATCHES)
def test_positions_lead_from_move_to_move(store: Store, match_id: str) -> None:
    """Each position says who moves next and what is allowed, the trick holds the last card, and the end is that of the replay."""
    for played, deal in deals(store, match_id):
        found = played.positions(deal.number)
        for move, before, after in zip(deal.moves, found, found[1:], strict=False):
            assert before.turn == move.seat
            assert before.phase == move.phase
            assert before.legal == move.legal
            if move.phase == "play":
                assert after.trick[-1] == (move.seat, move.action)
                assert move.action in before.hands[move.seat]
        assert [sorted(hand) for hand in found[0].hands] == [sorted(hand) for hand in deal.hands]
        end = found[-1]
        assert (end.turn, end.taken, end.trump, end.maker) == (None, deal.taken, deal.trump, deal.maker)
        assert (end.alone, end.out) == (deal.alone, deal.out)
        winners = [position.winner for position in found if position.winner is not None]
        assert winners == [trick.winner for trick in deal.tricks]


def test_a_table_is_laid_from_any_seat(store: Store) -> None:
    """Whoever looks sits nearest, the others follow clockwise, and their hands are hidden; all open, nothing is."""
    played, deal = next(deals(store, "four/turn-up/0"))
    for view in range(4):
        laid = board(played, deal, view)
        assert [laid.place((view + step) % 4) for step in range(4)] == ["s", "w", "n", "e"]
        assert [laid.hidden(seat) for seat in range(4)] == [seat != view for seat in range(4)]
    assert not any(board(played, deal, None).hidden(seat) for seat in range(4))


def test_one_seats_view_shows_no_other_hand(client: FlaskClient, store: Store) -> None:
    """Without a script too, the table as one seat sees it draws its own hand and the backs of all the others."""
    url, deal = find(store, lambda deal: deal.spare == "ghost" and bool(deal.tricks), "four/ghost-hand/0")
    text = page(client, url + "?seat=1")
    table = text[text.index('id="hands"') : text.index("data-player")]
    drawn = re.findall(r'<use href="#c-(\w+)"/>', table[table.index("<h2") :])
    assert sorted(card for card in drawn if card != "back") == sorted(deal.hands[1])
    assert drawn.count("back") == 18
    assert "no seat" in words(page(client, url + "?seat=7", 404))


@pytest.mark.parametrize("match_id", MATCHES)
def test_every_move_has_an_address_and_words(client: FlaskClient, store: Store, match_id: str) -> None:
    """Each move is an anchor of the page once, and is told in a sentence with the bot's name."""
    url, deal = find(store, lambda deal: bool(deal.tricks), match_id)
    text = page(client, url)
    assert re.findall(r'id="m(\d+)"', text) != []
    assert sorted(map(int, re.findall(r'id="m(\d+)"', text))) == list(range(len(deal.moves)))
    table = table_of(text)
    assert [move["action"] for move in table["moves"]] == [move.action for move in deal.moves]
    assert all(re.match(r"(ann|bea|cid)( \(seat \d\))? [a-z]+", move["tells"]) for move in table["moves"])
    assert len(table["positions"]) == len(deal.moves) + 1


def test_faults_are_told_at_their_move(client: FlaskClient, store: Store) -> None:
    """The move at which the referee stepped in, and no other, carries the fault's sentence, and the page links to it."""
    url, deal = find(store, lambda deal: bool(deal.faults) and bool(deal.tricks), *MATCHES)
    text = page(client, url)
    told = [number for number, move in enumerate(table_of(text)["moves"]) if move["fault"]]
    assert told == [move.number for move in deal.moves if move.fault]
    for number in told:
        assert f'<a class="chip bad" href="#m{number}">' in text
        assert "The referee made it" in table_of(text)["moves"][number]["fault"]


@pytest.mark.parametrize(
    ("match_id", "phase", "action", "says"),
    [
        ("four/ghost-hand/0", "auction", "swap", "swaps hands with the ghost"),
        ("four/ghost-hand/0", "auction", "moon", "shoots the moon"),
        ("four/cutthroat/0", "auction", "order", "orders it up"),
        ("four/cutthroat/0", "alone", "dummy", "takes up the dummy"),
        ("four/bid-euchre/0", "auction", "4", "bids 4"),
        ("four/bid-euchre/0", "trump", "H", "names hearts trump"),
        ("four/turn-up/0", "alone", "together", "does not play alone"),
    ],
)
def test_calls_in_words(store: Store, match_id: str, phase: str, action: str, says: str) -> None:
    """Calls are told as what somebody does."""
    _, deal = find(store, called(phase, action), match_id)
    move = next(move for move in deal.before if (move.phase, move.action) == (phase, action))
    assert telling.does(move, deal) == says


def test_hostile_names_stay_text(store: Store) -> None:
    """The ending, which names bots, is data: the page escapes it like every other attribute."""
    played, deal = next(deals(store, "four/turn-up/0"))
    assert "ann" in board(played, deal, None).data["ending"] or deal.thrown_in
