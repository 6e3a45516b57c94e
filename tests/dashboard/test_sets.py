"""The pages of sets: the same deals in every seating, what was luck and what was play, and how long they are sealed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dashboard.compare import by_deal, by_game, compare, shares
from league.adjusted import adjust_match
from referee.playout.luck import luck_of_games
from referee.rules import Rules
from tests.dashboard.play import create, play_match, queue
from tests.dashboard.test_pages import page, words

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from league.adjusted import BotLuck
    from league.store import Store

SEATINGS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


def test_cards_and_play_by_hand() -> None:
    """Two teams on one deal: seats 0 and 2 are worth the mean of what both teams make of them; the rest is play."""
    row = compare(0, ((0, 1, 0, 1), (1, 0, 1, 0)), [(4, 0), (1, 2)])
    first, second = row.cells
    assert first is not None
    assert second is not None
    assert [(cell.points, cell.par, cell.gain) for cell in first] == [(4, 2.5, 1.5), (0, 1.0, -1.0)]
    assert [(cell.points, cell.par, cell.gain) for cell in second] == [(2, 1.0, 1.0), (1, 2.5, -1.5)]
    assert [row.gain(bot) for bot in (0, 1)] == [2.5, -2.5]
    assert row.swing == 2.5


def test_a_deal_of_one_seating_is_not_compared() -> None:
    """What only one game came to has nothing to be compared with, and counts as luck."""
    row = compare(9, ((0, 1, 0, 1), (1, 0, 1, 0)), [None, (1, 2)])
    assert not row.compared
    assert row.cells[0] is None
    part = shares([row], 1)[0]
    assert (part.points, part.cards, part.play, part.alone) == (2, 2.0, 0.0, 2)


@pytest.mark.parametrize("match_id", ["four/ghost-hand/0", "four/turn-up/0", "odd/cutthroat/0", "odd/bid-euchre/0"])
def test_gains_cancel_and_points_add_up(store: Store, match_id: str) -> None:
    """On every deal the gains of all bots add up to zero, and each game's points are its cards and its play."""
    match = store.match(match_id)
    records = [store.game_record(match_id, 0, seating) for seating in match.seatings]
    rows = by_deal(match.seatings, records)
    bots = range(len(match.lineup))
    assert all(abs(sum(row.gain(bot) for bot in bots)) < 1e-9 for row in rows)
    games = {game.seating: game for game in store.games(match_id) if game.set == 0}
    for position, seating in enumerate(match.seatings):
        for bot, part in enumerate(shares(rows, position)):
            assert part.points == games[seating].points[bot]
            assert part.cards + part.play == pytest.approx(part.points)
    whole = by_game([(seating, games[seating]) for seating in match.seatings])
    mean = sum(sum(game.points) for game in games.values()) / len(bots)
    for bot in bots:
        assert whole.gain(bot) == pytest.approx(sum(game.points[bot] for game in games.values()) - mean)


def test_a_set_shows_every_deal_in_every_seating(client: FlaskClient, store: Store) -> None:
    """Each deal has a figure of each bot in each seating, which is the stored one and leads to that replay."""
    text = page(client, "/matches/four/cutthroat/0/sets/1")
    for seating in SEATINGS:
        name = "".join(map(str, seating))
        record = store.game_record("four/cutthroat/0", 1, seating)
        for number, deal in enumerate(record["deals"]):  # type: ignore[arg-type, var-annotated]
            links = re.findall(rf'/sets/1/games/{name}/deals/{number}" aria-label="(\w+) ([^ ]+) in', text)
            points = {"ann": 0, "bea": 1, "cid": 2}
            assert [int(value.replace("−", "-")) for _, value in links] == [
                deal["points"][seating.index(points[bot])] for bot, _ in links
            ]
            assert len(links) == 3
    assert "Gained by play" in text


def test_a_deal_side_by_side(client: FlaskClient) -> None:
    """One deal has a line a seating with who sat where, what was called and what came of it; the cards are drawn once."""
    text = page(client, "/matches/four/ghost-hand/0/sets/0/deals/1")
    body = text[text.index('id="ways-caption"') :]
    assert re.findall(r'/games/(\d{3})/deals/1"', body) == ["012", "021", "102", "120", "201", "210"]
    assert text.count('<use href="#c-') == 24
    page(client, "/matches/four/ghost-hand/0/sets/0/deals/99", 404)


def test_a_match_links_its_sets_and_tells_play_from_luck(client: FlaskClient) -> None:
    """The page of a match leads to each set and says what every bot gained by play in it."""
    text = page(client, "/matches/four/ghost-hand/0")
    assert [f"/matches/four/ghost-hand/0/sets/{number}" in text for number in (0, 1)] == [True, True]
    assert words(text).count("Gained by play") == 2


def test_a_set_that_is_not_there(client: FlaskClient) -> None:
    """A set past the last is a 404 that says which there are."""
    assert "it has 0 to 1" in page(client, "/matches/four/cutthroat/0/sets/2", 404)
    assert "it has 0 to 1" in page(client, "/matches/four/cutthroat/0/sets/2/games/012", 404)


def test_a_table_is_shown_once_its_set_is_finished(own: tuple[Store, FlaskClient]) -> None:
    """A set opens with its own last game, while another set of the match is still sealed, and with it the key and the record."""
    store, client = own
    (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=2, fmt="deals:4"))
    deal = "/games/{}/deals/0"
    play_match(store, match.id, games=2)  # both sets in the first seating
    for number in (0, 1):
        page(client, f"/matches/{match.id}/sets/{number}", 403)
        page(client, f"/matches/{match.id}/sets/{number}/deals/0", 403)
        page(client, f"/matches/{match.id}/sets/{number}{deal.format('0101')}", 403)
    play_match(store, match.id, games=1)  # set 0 in the second
    assert "Luck and play" in page(client, f"/matches/{match.id}/sets/0")
    page(client, f"/matches/{match.id}/sets/0/deals/0")
    for seating in ("0101", "1010"):
        page(client, f"/matches/{match.id}/sets/0{deal.format(seating)}")
        assert client.get(f"/api/matches/{match.id}/sets/0{deal.format(seating)}").status_code == 200
    sealed = [f"/sets/1{deal.format('0101')}", "/sets/1/games/0101", "/sets/1", "/sets/1/deals/0", "/record.jsonl"]
    for part in sealed:
        text = page(client, f"/matches/{match.id}{part}", 403)
        assert not re.search(r"\b[9TJQKA][CDHS]\b", text)
    assert client.get(f"/api/matches/{match.id}/sets/1{deal.format('0101')}").status_code == 403
    key = store.match_key(match.id).hex()
    for url in (f"/matches/{match.id}", f"/matches/{match.id}/sets/0", f"/matches/{match.id}/sets/0{deal.format('0101')}"):
        assert key not in page(client, url)


def test_games_without_duplicates_are_sets_of_one(own: tuple[Store, FlaskClient]) -> None:
    """Where each deal is played once the page says that luck and play cannot be told apart, and divides nothing."""
    store, client = own
    store.add_remote_bot("far")
    (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "far"), sets=2, fmt="deals:3"))
    play_match(store, match.id)
    text = page(client, f"/matches/{match.id}/sets/1")
    assert "cannot be told apart" in text
    assert "Gained" not in text
    page(client, f"/matches/{match.id}/sets/1/deals/0")
    assert "Gained by play" not in page(client, f"/matches/{match.id}")


def test_single_games_are_shown_without_luck(own: tuple[Store, FlaskClient]) -> None:
    """A match of single games tells points a deal with luck taken off once it is complete; one of duplicate sets never does."""
    store, client = own
    store.add_remote_bot("ann")
    store.add_bot("bea", "play")
    store.add_bot("cid", "play")
    league = create(store, "far", [("turn-up", {})], bots=("ann", "bea", "cid"), sets=16, fmt="deals:2")
    queue(store, league)
    single = next(match for match in store.matches("far") if match.mode == "single")
    duplicate = next(match for match in store.matches("far") if match.mode == "duplicate")
    play_match(store, single.id, games=31)
    play_match(store, duplicate.id)
    assert client.get(f"/api/v1/matches/{single.id}").json["luck"] is None  # type: ignore[index]
    assert "Without the luck" not in client.get(f"/matches/{single.id}").text
    play_match(store, single.id)
    found = adjusted_of(store, single.id)
    told = client.get(f"/api/v1/matches/{single.id}").json["luck"]  # type: ignore[index]
    assert client.get(f"/api/v1/matches/{duplicate.id}").json["luck"] is None  # type: ignore[index]
    assert min(bot.lead.narrowed for bot in found) > 0
    assert [one["bot"] for one in told] == [bot.bot for bot in single.lineup]
    assert [one["lead_a_deal"]["adjusted"]["value"] for one in told] == [bot.lead.adjusted.value for bot in found]
    assert "Without the luck of the cards" in client.get(f"/matches/{single.id}").text


def adjusted_of(store: Store, match_id: str) -> tuple[BotLuck, ...]:
    """A match without luck, worked out here from its record."""
    *_, end = lines = list(store.record_lines(match_id))
    rules = Rules(lines[0]["variant"], lines[0]["options"])
    games = [(line["set"], line["dealer"], game) for line in lines[1:-1] for game in line["games"]]
    places = [(number, game["seating"], dealer, len(game["deals"])) for number, dealer, game in games]
    points = np.array([[game["total"][game["seating"].index(bot)] for bot in (0, 1)] for *_, game in games], float)
    worth = luck_of_games(rules, bytes.fromhex(end["key"]), places)
    found = adjust_match([place[0] for place in places], [place[3] for place in places], points, worth)
    assert found is not None
    return found
