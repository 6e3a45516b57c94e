"""The JSON beside the pages."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from dashboard import api
from league.standings import standings
from referee.record import read, verify
from tests.dashboard.play import BOTS, TIMES, create, league_key, play_match, queue

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

    from league.store import Store


API = "/api/v1"


def get(client: FlaskClient, url: str, status: int = 200) -> Any:
    answer = client.get(url)
    assert answer.status_code == status, (url, answer.status_code, answer.text[:300])
    assert answer.mimetype == ("application/json" if status < 400 else "application/problem+json")
    return answer.get_json()


def test_the_index_lists_every_route(client: FlaskClient) -> None:
    """Each address of the JSON is listed at its root, and each that is listed and needs no key answers."""
    routes = get(client, API)["routes"]
    assert get(client, f"{API}/")["routes"] == routes
    values = {"league": "four", "variant": "cutthroat", "n": 0, "set": 0, "seating": "012", "deal": 1, "name": "ann"}
    public = [route.removeprefix("GET ") for route in routes if "/owner" not in route]
    for route in public:
        assert client.get(route.format(**values)).status_code == 200
    rules = [rule for rule in client.application.url_map.iter_rules() if rule.endpoint.startswith(("api.", "owner_api."))]
    assert len(rules) == len(routes)


def test_former_addresses_answer_alike(client: FlaskClient) -> None:
    """An address without a version is answered as the one with it is, and names that as its successor."""
    for path in ("/leagues/four", "/leagues/four/standings?limit=1", "/matches/four/cutthroat/0", ""):
        new, old = client.get(API + path), client.get("/api" + path)
        assert (old.status_code, old.data, old.headers["ETag"]) == (200, new.data, new.headers["ETag"])
        assert old.headers["Deprecation"].startswith("@")
        assert old.headers["Link"] == f'<{API}{path.partition("?")[0]}>; rel="successor-version"'
        assert "Deprecation" not in new.headers
    assert client.get("/api/owner").status_code == 401


def test_leagues_tell_their_rules_and_progress(client: FlaskClient, store: Store) -> None:
    """A league says what it is played by, between whom, how far it is, and its proof; never a command or a token."""
    leagues = {league["name"]: league for league in get(client, "/api/leagues")["leagues"]}
    assert set(leagues) == {"four", "odd", "live", "empty"}
    four = get(client, "/api/leagues/four")
    assert four == leagues["four"]
    assert four["commitment"] == store.league("four").commitment
    assert four["key"] == league_key("four").hex()
    assert leagues["live"]["key"] is None
    assert four["progress"]["state"] == "final"
    assert [entry["variant"] for entry in four["variants"]] == ["ghost-hand", "cutthroat", "bid-euchre", "turn-up"]
    assert four["variants"][0]["options"]["moon_fail"] == "bid"
    assert "sample_bots" not in json.dumps(leagues)


def test_progress_is_that_of_the_store(client: FlaskClient, store: Store) -> None:
    """What is polled is the number of stored games, sets and matches."""
    progress = get(client, "/api/leagues/live/progress")
    found = store.progress("live")
    assert progress["games"] == {"total": found.games_total, "done": found.games_done}
    assert progress["state"] == "paused"
    cutthroat = progress["variants"][0]
    assert cutthroat["games"] == {"total": 12, "done": 7}
    assert cutthroat["matches"] == {"total": 1, "complete": 0, "running": 0, "waiting": 1}


@pytest.mark.parametrize("label", [None, "cutthroat", "bid-euchre"])
def test_standings_are_those_of_the_league(client: FlaskClient, store: Store, label: str | None) -> None:
    """Elo, points, faults and head to head are, number for number, those that the league works out."""
    found = get(client, "/api/leagues/four/standings" + (f"?variant={label}" if label else ""))
    table = standings(store.results("four", label), BOTS, label)
    assert found["variant"] == label
    for row, standing in zip(found["rows"], table.rows, strict=True):
        assert row["bot"] == standing.bot
        assert row["elo"] == {"value": standing.elo, "low": standing.elo_low, "high": standing.elo_high}
        assert standing.points is not None
        assert row["points_a_deal"]["value"] == standing.points.value
        assert row["faults"] == standing.faults
        assert row["games"] == standing.games
    duels = get(client, f"{API}/leagues/four/pairs" + (f"?variant={label}" if label else ""))["pairs"]
    assert len(duels) == 3
    for duel in duels:
        pair = table.pair(duel["a"], duel["b"])
        assert pair is not None
        assert duel["share"]["value"] == pair.share.value


@pytest.mark.parametrize("label", [None, "bid-euchre"])
def test_a_bot_is_told_in_figures(client: FlaskClient, store: Store, label: str | None) -> None:
    """Its standings and opponents are those of the tables, its habits add up, and every deal that is named is there."""
    found = get(client, f"{API}/leagues/four/bots/ann" + (f"?variant={label}" if label else ""))
    rows = {one["variant"]: one["row"] for one in found["standings"]}
    assert list(rows) == [None, "ghost-hand", "cutthroat", "bid-euchre", "turn-up"]
    table = get(client, f"{API}/leagues/four/standings" + (f"?variant={label}" if label else ""))
    assert rows[label] == next(row for row in table["rows"] if row["bot"] == "ann")
    assert {pair["b"] for pair in found["opponents"]} == {"bea", "cid"}
    assert found["matches_to_come"] == 0
    played = [match for match in store.matches("four", label, "ann") if match.state == "complete"]
    assert sum(habits["matches"] for habits in found["habits"]) == len(played)
    for habits in found["habits"]:
        roles = habits["roles"]
        assert roles["dealer"]["deals"] + roles["not_dealer"]["deals"] == habits["deals"]
        assert roles["maker"]["deals"] + roles["defender"]["deals"] == habits["deals"] - habits["thrown_in"]
        assert roles["maker"]["deals"] == sum(contract["tried"] for contract in habits["contracts"])
        assert habits["spoke"] == sum(call["count"] for call in habits["calls"] if call["call"] != "swap")
    assert {one["cause"]: one["count"] for one in found["faults"]} == rows[label]["faults"]
    named = [*found["worst_deals"], *(at for one in found["faults"] for at in one["newest"])]
    assert len(named) > 5
    for at in named:
        assert get(client, at["url"])["deal"] == at["deal"]


def test_the_bots_of_a_league_are_listed(client: FlaskClient) -> None:
    """They come a page at a time, each with the address of its figures, played or not; never with a command."""
    first = get(client, f"{API}/leagues/empty/bots?limit=2")
    rest = get(client, first["next"])
    found = [*first["bots"], *rest["bots"]]
    assert ([one["name"] for one in found], rest["next"]) == (list(BOTS), None)
    assert "sample_bots" not in json.dumps(found)
    bot = get(client, found[0]["url"])
    assert bot["versions"] == [
        {"version": 1, "created": bot["versions"][0]["created"], "description": "", "plays_here_as": "ann", "promoted": False}
    ]
    assert (bot["habits"], bot["opponents"], bot["worst_deals"]) == ([], [], [])
    assert get(client, f"{API}/leagues/empty/bots/nobody", 404)["status"] == 404


def test_standings_of_a_league_without_games(client: FlaskClient) -> None:
    """Bots that have not played are listed with null, not with made-up figures."""
    rows = get(client, "/api/leagues/empty/standings")["rows"]
    assert [row["bot"] for row in rows] == list(BOTS)
    assert all(row["elo"] is None and row["rank"] is None and row["points_a_deal"] is None for row in rows)


def test_standings_follow_the_store(own: tuple[Store, FlaskClient]) -> None:
    """A table is worked out anew when another set is complete, and not before."""
    store, client = own
    (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=2))
    assert get(client, "/api/leagues/cup/standings")["sets"] == 0
    client.application.extensions["arena-tables"].clear()
    play_match(store, match.id, games=1)
    assert get(client, "/api/leagues/cup/standings")["sets"] == 0
    client.application.extensions["arena-tables"].clear()
    play_match(store, match.id)
    first = get(client, "/api/leagues/cup/standings")
    assert first["sets"] == 2
    assert get(client, "/api/leagues/cup/standings") == first


def test_matches_are_paged_and_filtered(client: FlaskClient) -> None:
    """Pages of matches follow each other by their `next`, with the filters kept."""
    found, url = [], "/api/leagues/four/matches?bot=ann&limit=2"
    while url:
        answer = get(client, url)
        assert len(answer["matches"]) <= 2
        found += answer["matches"]
        url = answer["next"]
    assert len(found) == 6
    assert all("ann" in [bot["bot"] for bot in match["lineup"]] for match in found)
    assert get(client, "/api/leagues/four/matches?state=waiting")["matches"] == []
    assert len(get(client, f"/api/leagues/four/matches?limit={api.MOST}")["matches"]) == 8


@pytest.mark.parametrize(
    ("path", "what", "many"),
    [
        ("/leagues", "leagues", 4),
        ("/leagues/four/standings", "rows", 3),
        ("/leagues/four/pairs?variant=cutthroat", "pairs", 3),
        ("/matches/four/cutthroat/0/sets", "sets", 2),
        ("/matches/four/cutthroat/0/attempts", "attempts", 1),
        ("/matches/four/cutthroat/0/sets/0/games/012/deals", "deals", 8),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 500])
def test_every_list_is_paged(client: FlaskClient, path: str, what: str, many: int, limit: int) -> None:
    """Whatever the size of a page, the pages together are the list, in its order, each entry once."""
    whole = get(client, API + path)[what]
    found: list[Any] = []
    url = f"{API}{path}{'&' if '?' in path else '?'}limit={limit}"
    pages = 0
    while url:
        answer = get(client, url)
        assert 1 <= len(answer[what]) <= limit
        found += answer[what]
        url, pages = answer["next"], pages + 1
    assert found == whole
    assert (len(found), pages) == (many, -(-many // limit))


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("limit=0", 400, "`int` >= 1 (in `limit`)"),
        ("limit=501", 400, "`int` <= 500 (in `limit`)"),
        ("limit=many", 400, "(in `limit`)"),
        ("limit=1&limit=2", 400, "'limit' is given 2 times"),
        ("lmit=1", 400, "no parameter 'lmit' here (there are: limit, after, variant, bot, state)"),
        ("state=odd", 400, "Invalid enum value 'odd' (in `state`)"),
        ("after=null", 400, "(in `after`)"),
        ("after=99999999999999999999", 400, "(in `after`)"),
        ("bot=zoe", 404, "has no bot 'zoe' (it has: ann, bea, cid)"),
    ],
)
def test_what_makes_no_sense_is_told(client: FlaskClient, query: str, status: int, told: str) -> None:
    """A parameter that is unknown, given twice or not what it must be is refused by name, with what is allowed."""
    assert told in get(client, f"{API}/leagues/four/matches?{query}", status)["detail"]


def test_a_page_behind_nothing_is_a_404(client: FlaskClient) -> None:
    """A name that is not in the list has nothing behind it, which is not the same as an empty rest."""
    assert "Begin without `after`" in get(client, f"{API}/leagues?after=none", 404)["detail"]


def test_a_match_has_its_sets_and_sums(client: FlaskClient, store: Store) -> None:
    """Every game stands in its set with its seating; sums are those of the games."""
    match = get(client, "/api/matches/four/cutthroat/0")
    games = store.games("four/cutthroat/0")
    rows = get(client, match["sets_url"])["sets"]
    assert [game["seating"] for game in rows[0]["games"]] == ["012", "021", "102", "120", "201", "210"]
    assert sum(len(row["games"]) for row in rows) == len(games) == 12
    for index, bot in enumerate(match["bots"]):
        assert bot["points"] == sum(game.points[index] for game in games)
        assert sum(bot["places"]) == 12
    assert match["times_us"]["decisions"] == 12 * sum(TIMES["decisions"])  # type: ignore[arg-type]
    assert match["open"] is True


def test_a_half_played_match_says_what_is_missing(client: FlaskClient) -> None:
    """Games still to be played are marked, and nothing links to deals."""
    match = get(client, "/api/matches/live/cutthroat/0")
    rows = get(client, match["sets_url"])["sets"]
    games = [game for row in rows for game in row["games"]]
    assert len(games) == 7
    assert sum(len(row["missing"]) for row in rows) == 5
    assert match["open"] is False
    assert match["record"] is None
    assert not any(game["url"] for game in games)


def test_a_game_and_its_deals(client: FlaskClient, store: Store) -> None:
    """A game's totals are the sums of its deals, and each links to its replay with every card and call."""
    game = get(client, "/api/matches/four/ghost-hand/0/sets/1/games/120")
    record = store.game_record("four/ghost-hand/0", 1, (1, 2, 0))
    assert [seat["bot"] for seat in game["seats"]] == ["bea", "cid", "ann"]
    lines = get(client, game["deals_url"])["deals"]
    assert game["deals"] == len(lines)
    assert [deal["points"] for deal in lines] == [deal["points"] for deal in record["deals"]]  # type: ignore[attr-defined]
    for line in lines:
        deal = get(client, line["url"])
        assert deal["points"] == line["points"]
        assert len({card for hand in deal["hands"] for card in hand} | set(deal["spare"]["hand"])) == 24
        for trick in deal["tricks"]:
            assert all(play["action"] in play["legal"] or play["fault"] for play in trick["plays"])


def test_the_record_verifies(client: FlaskClient, store: Store, tmp_path: Path) -> None:
    """What is downloaded is the match's record, and the referee's own check passes it."""
    for url in ("/matches/four/bid-euchre/1/record.jsonl", "/api/matches/four/bid-euchre/1/record"):
        answer = client.get(url)
        assert answer.mimetype == "application/jsonl"
        assert re.fullmatch(r'attachment; filename="[\w-]+\.jsonl"', answer.headers["Content-Disposition"])
        lines = [json.loads(line) for line in answer.text.splitlines()]
        assert lines == list(store.record_lines("four/bid-euchre/1"))
        path = tmp_path / "record.jsonl"
        path.write_bytes(answer.data)
        assert verify(read(path)).games == 4


def test_errors_are_json(client: FlaskClient) -> None:
    """Below /api an error is JSON with its status and what was wrong, whatever it is."""
    for url, status in (("/api/leagues/none", 404), ("/api/nowhere", 404), ("/api/leagues/four/standings?variant=x", 404)):
        error = get(client, url, status)
        assert (error["type"], error["status"]) == ("about:blank", status)
        assert error["detail"]
    sealed = get(client, f"{API}/matches/live/cutthroat/0/record", 403)
    assert (sealed["type"], sealed["title"]) == (f"{API}/docs#sealed", "Sealed")
    answer = client.post("/api/leagues")
    assert answer.status_code == 405
    assert answer.get_json()["status"] == 405
    assert "GET" in answer.headers["Allow"]


def test_what_has_not_changed_is_not_sent_again(client: FlaskClient) -> None:
    """A poll that names what it has is answered 304 without a body."""
    first = client.get("/api/leagues/four/progress")
    again = client.get("/api/leagues/four/progress", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert again.data == b""
    record = f"{API}/matches/four/cutthroat/0/record"
    with client.get(record) as first:
        tag = first.headers["ETag"]
    assert client.get(record, headers={"If-None-Match": tag}).status_code == 304
