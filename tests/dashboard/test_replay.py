"""Replays of deals: every variant, every kind of step, against the record and the rules."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import create_engine, select, update

from dashboard.games import play_again
from dashboard.pages.matches import all_deals
from dashboard.replay import ReplayMismatch
from league.tables import game_records
from referee.rules import VARIANTS
from referee.rules.cards import card_text
from tests.dashboard.play import create, play_match, queue
from tests.dashboard.test_pages import page, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask.testing import FlaskClient

    from dashboard.games import PlayedGame
    from dashboard.replay import Replay
    from league.store import Store


def deals(store: Store, match_id: str) -> Iterator[tuple[PlayedGame, Replay]]:
    """Every deal of a match, played again."""
    match = store.match(match_id)
    for game in store.games(match_id):
        record = store.game_record(match_id, game.set, game.seating)
        played = play_again(match, game, record, store.match_key(match_id))
        for deal in all_deals(played):
            yield played, deal


def url_of(played: PlayedGame, deal: Replay) -> str:
    seating = "".join(map(str, played.game.seating))
    return f"/matches/{played.match.id}/sets/{played.game.set}/games/{seating}/deals/{deal.number}"


def find(store: Store, wanted: Callable[[Replay], bool], *match_ids: str) -> tuple[str, Replay]:
    """The address of the first deal of some matches that is as wanted."""
    for match_id in match_ids:
        for played, deal in deals(store, match_id):
            if wanted(deal):
                return url_of(played, deal), deal
    pytest.fail(f"{match_ids} have no such deal: play more")


def called(phase: str, action: str) -> Callable[[Replay], bool]:
    return lambda deal: any(move.phase == phase and move.action == action for move in deal.before)


MATCHES = [
    "four/ghost-hand/0", "four/cutthroat/0", "four/bid-euchre/0", "four/turn-up/0", "odd/bid-euchre/0", "odd/bid-euchre.2/1",
    "odd/cutthroat/0", "odd/turn-up/2", "odd/ghost-hand/0",
]  # fmt: skip


@pytest.mark.parametrize("match_id", MATCHES)
def test_every_deal_replays_to_its_record(store: Store, match_id: str) -> None:
    """Hands, spare hand, turned card and stock are the whole pack; moves, tricks, points and totals are the record's."""
    count = 0
    for played, deal in deals(store, match_id):
        entry = played.record["deals"][deal.number]
        cards = [card for hand in deal.hands for card in hand] + [*deal.spare_hand, *deal.stock]
        cards += [deal.turned_card] if deal.turned_card else []
        assert sorted(cards) == sorted(map(card_text, played.rules.pack))
        plays = [move for trick in deal.tricks for move in trick.plays]
        assert " ".join(move.action for move in (*deal.before, *plays)) == entry["moves"]
        assert [list(deal.taken), list(deal.points), list(deal.total)] == [entry["tricks"], entry["points"], entry["total"]]
        assert [(fault.seat, fault.cause, fault.answer) for fault in deal.faults] == [
            (fault["seat"], fault["cause"], fault.get("answer")) for fault in entry["faults"]
        ]
        assert sum(map(len, (cell for row in deal.auction() for cell in row))) + len(deal.other_moves()) == len(deal.before)
        count += 1
    assert count >= 18


@pytest.mark.parametrize("match_id", MATCHES)
def test_a_page_shows_the_whole_deal(client: FlaskClient, store: Store, match_id: str) -> None:
    """The page draws every hand at the start, and each trick in order of play with its leader and winner."""
    url, deal = find(store, lambda deal: bool(deal.tricks), match_id)
    text = page(client, url)
    table = text[text.index('class="felt') : text.index("data-player")]
    shown = [card for hand in deal.hands for card in hand] + [*deal.spare_hand, *deal.stock]
    shown += [deal.turned_card] if deal.turned_card else []
    for card in set(shown):
        assert table.count(f'<use href="#c-{card}"/>') == shown.count(card)
        assert text.count(f'<symbol id="c-{card}"') == 1
    for trick in deal.tricks:
        step = text[text.index(f'id="t{trick.number}"') :]
        step = step[: step.index("<details")]
        drawn = [part[: part.index('"')] for part in step.split('<use href="#c-')[1:]]
        assert drawn == [move.action for move in trick.plays]
        assert step.count('class="wins"') == 1
        assert step.index("leads") < step.index(drawn[1] if len(drawn) > 1 else "tag", step.index("leads"))
        winner = step[step.index('class="wins"') :]
        assert drawn[[move.seat for move in trick.plays].index(trick.winner)] in winner[: winner.index("</li>")]
    assert deal.trump is not None
    assert f"Deal {deal.number}" in words(text)


@pytest.mark.parametrize(
    ("match_id", "wanted", "says"),
    [
        ("four/ghost-hand/0", called("auction", "swap"), "swaps hands"),
        ("four/ghost-hand/0", lambda deal: deal.thrown_in, "thrown in and scores nothing"),
        ("four/ghost-hand/0", lambda deal: deal.spare == "ghost", "The ghost"),
        ("four/cutthroat/0", called("alone", "dummy"), "takes up the dummy"),
        ("four/cutthroat/0", lambda deal: deal.turned == "left", "on the table"),
        ("four/cutthroat/0", lambda deal: len(deal.alone) == 2, "plays alone"),
        ("four/cutthroat/0", lambda deal: deal.turned == "down", "turned down"),
        ("four/bid-euchre/0", called("auction", "ask"), "gives the partner"),
        ("four/bid-euchre/0", called("auction", "moon"), "sits out"),
        ("four/turn-up/0", lambda deal: deal.turned == "taken", "and discards"),
        ("odd/bid-euchre/0", lambda deal: len(deal.hands[0]) == 12 and len(deal.tricks) == 12, "Trick 12"),
        ("odd/bid-euchre.2/1", lambda deal: len(deal.hands[deal.dealer]) == 7, "takes the twenty-fifth card and lays away"),
        ("odd/cutthroat/0", lambda deal: "XX" in deal.cards, "joker"),
        ("odd/turn-up/2", lambda deal: any({a, b} <= set(deal.alone) for a in (0, 2) for b in (1, 3)), "plays alone"),
    ],
)
def test_every_kind_of_step_is_told(
    client: FlaskClient, store: Store, match_id: str, wanted: Callable[[Replay], bool], says: str
) -> None:
    """Swap, dummy, exchange, discards, lone hands, jokers, double decks and deals thrown in are all told in words."""
    url, _ = find(store, wanted, match_id)
    assert says in words(page(client, url))


def test_cards_thrown_away_for_the_dummy_are_told_together(store: Store) -> None:
    """The five cards that the maker throws away for the dummy are one happening; everything else is one each."""
    _, deal = find(store, called("alone", "dummy"), "four/cutthroat/0")
    sizes = {moves[0].phase: len(moves) for moves in deal.happenings()}
    assert sizes.pop("dummy") == 5
    assert set(sizes.values()) == {1}
    assert [move for moves in deal.happenings() for move in moves] == deal.other_moves()


def test_a_claim_is_told(own: tuple[Store, FlaskClient]) -> None:
    """An ace-no-face hand that is shown throws the deal in, and the page says who showed it."""
    store, client = own
    variant = ("bid-euchre", {"ace_no_face": True})
    for match in queue(store, create(store, "cup", [variant], bots=("ann", "bea"), sets=3, fmt="deals:60")):
        play_match(store, match.id)
        url, deal = find(store, called("claim", "claim"), match.id)
        assert deal.thrown_in
        assert "claims ace, no face, and shows the hand" in words(page(client, url))


def test_a_turned_up_joker_is_told(own: tuple[Store, FlaskClient]) -> None:
    """With the joker turned up the page says for which suit the dealer lets it stand."""
    store, client = own
    for match in queue(store, create(store, "cup", [("cutthroat", {"deck": 25})], sets=2, fmt="deals:60")):
        play_match(store, match.id)
        url, _ = find(store, lambda deal: deal.turned_card == "XX", match.id)
        assert "says that the joker stands for" in words(page(client, url))


def test_a_fault_stands_where_it_happened(client: FlaskClient, store: Store) -> None:
    """A revoke is shown at its trick, with the answer, what was allowed and what was played instead."""
    url, deal = find(store, lambda deal: any(fault.revoke for fault in deal.faults), *MATCHES[:-1])
    trick = next(trick for trick in deal.tricks for move in trick.plays if move.fault and move.fault.revoke)
    move = next(move for move in trick.plays if move.fault and move.fault.revoke)
    assert move.fault is not None
    assert move.fault.answer in trick.hands[move.seat]
    assert move.fault.answer not in move.legal
    text = page(client, url)
    step = text[text.index(f'id="t{trick.number}"') :]
    step = words(step[: step.index("<details")])
    assert f"answered {move.fault.answer} , a revoke; allowed: {' '.join(move.legal)} . The referee made it {move.action}" in step


def test_a_revoke_that_stands_is_played(store: Store) -> None:
    """Where a revoke stands, the card played is the illegal one, and the replay still agrees with the record."""
    _, deal = find(
        store,
        lambda deal: any(move.fault and move.fault.revoke for trick in deal.tricks for move in trick.plays),
        "odd/ghost-hand/0",
    )
    moves = [move for trick in deal.tricks for move in trick.plays if move.fault and move.fault.revoke]
    assert moves
    assert all(move.fault and move.action == move.fault.answer for move in moves)
    assert any(value < 0 for value in deal.penalty)


def test_a_swap_and_the_bid_after_it_share_a_cell(store: Store) -> None:
    """Who swaps speaks again at once, so the auction has no gap and no round of its own for it."""
    _, deal = find(store, called("auction", "swap"), "four/ghost-hand/0")
    cells = [cell for row in deal.auction() for cell in row if any(move.action == "swap" for move in cell)]
    assert [len(cell) for cell in cells] == [2]
    assert len(deal.auction()) == 1


def test_the_other_seatings_of_a_deal_are_linked(client: FlaskClient) -> None:
    """From one deal the same cards in every other seating of its set are one click away."""
    text = page(client, "/matches/four/cutthroat/0/sets/1/games/012/deals/3")
    for seating in ("021", "102", "120", "201", "210"):
        assert f"/sets/1/games/{seating}/deals/3" in text
        other = client.get(f"/api/matches/four/cutthroat/0/sets/1/games/{seating}/deals/3").get_json()
        mine = client.get("/api/matches/four/cutthroat/0/sets/1/games/012/deals/3").get_json()
        assert [sorted(hand) for hand in other["hands"]] == [sorted(hand) for hand in mine["hands"]]


def test_a_game_lists_its_deals(client: FlaskClient, store: Store) -> None:
    """The page of a game has a line a deal that links to its replay, with points and running totals."""
    text = page(client, "/matches/four/bid-euchre/0/sets/0/games/0101")
    record = store.game_record("four/bid-euchre/0", 0, (0, 1, 0, 1))
    for number, deal in enumerate(record["deals"]):  # type: ignore[arg-type, var-annotated]
        row = text[text.index(f'deals/{number}"') :]
        row = words(row[: row.index("</tr>")]).replace("−", "-").replace("+", "")
        for points, total in zip(deal["points"], deal["total"], strict=True):
            assert f"{points} {total}" in row


def tamper(path: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change every stored record of a database behind the store's back."""
    engine = create_engine(path)
    with engine.begin() as connection:
        for row in connection.execute(select(game_records)).all():
            record = json.loads(row.record)
            change(record)
            this = (game_records.c.match_id == row.match_id) & (game_records.c.seating == row.seating)
            connection.execute(update(game_records).where(this).values(record=json.dumps(record)))
    engine.dispose()


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["deals"][0]["points"].__setitem__(0, 99),
        lambda record: record["deals"][0].update(moves="moon " + record["deals"][0]["moves"].partition(" ")[2]),
        lambda record: record["deals"][0].update(moves="nonsense"),
        lambda record: record["deals"][0].update(moves=""),
    ],
)
def test_a_damaged_record_is_named_and_never_shown(
    own: tuple[Store, FlaskClient], tmp_path: object, change: Callable[[dict[str, Any]], None]
) -> None:
    """A record that does not replay gives an error that says so, as a page and as JSON, and no picture of the deal."""
    store, client = own
    for match in queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=1, fmt="deals:2")):
        play_match(store, match.id)
    tamper(f"sqlite:///{tmp_path}/own.db", change)
    url = "/matches/cup/turn-up/0/sets/0/games/0101/deals/0"
    text = page(client, url, 500)
    assert "does not follow from the key and the rules" in text
    assert "Traceback" not in text
    assert client.get(f"/api{url}").get_json()["title"] == "Damaged record"


def test_options_that_these_rules_do_not_know_are_a_mismatch(store: Store) -> None:
    """A stored match of unknown rules is refused by name instead of being replayed by others."""
    match = store.match("four/turn-up/0")
    game = store.games(match.id)[0]
    with pytest.raises(ReplayMismatch, match="poker"):
        play_again(replace(match, variant="poker"), game, store.game_record(match.id, game.set, game.seating), b"k" * 32)


def test_hands_are_sorted_with_trumps_first(store: Store) -> None:
    """The bowers stand at the head of a hand in which they are trumps, the left one among them."""
    seen = 0
    for _, deal in deals(store, "four/turn-up/0"):
        left = {"C": "JS", "S": "JC", "D": "JH", "H": "JD"}.get(deal.trump or "")
        for hand in deal.hands:
            if left in hand:
                right = f"J{deal.trump}"
                assert hand.index(left) == (1 if right in hand else 0)
                seen += 1
    assert seen > 5


def test_rules_of_every_match_are_in_the_tests() -> None:
    """Every variant of the arena has a match that these tests replay."""
    played = {match.split("/")[1].partition(".")[0] for match in MATCHES}
    assert played == {variant.name for variant in VARIANTS}
