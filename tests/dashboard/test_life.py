"""What the pages and the JSON show of precision, seasons, and bots that came and went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from league.model import LeagueSpec, SeriesSpec, VariantSpec
from league.schedule import planned
from tests.dashboard.play import create, play_match, queue

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from league.store import Store


def test_who_came_and_went(own: tuple[Store, FlaskClient]) -> None:
    """A former version, a withdrawn bot and a newcomer are told apart; dropped matches are listed as such."""
    store, client = own
    league = create(store, "cup", [("turn-up", {})], fmt="deals:2")
    for match in queue(store, league)[:2]:
        play_match(store, match.id)
    store.add_bot("ann", "a better ann")
    store.add_league_bot("cup", "ann", replace=True, now=1e9)
    store.withdraw_league_bot("cup", "bea", now=1e9)
    store.add_matches(planned(store.league("cup")))
    page = client.get("/leagues/cup").text
    assert page.count("<small>withdrawn</small>") == 2
    assert "joined" in page
    assert "<bdi>ann</bdi> v2" in page
    matches = client.get("/leagues/cup/matches?bot=bea&state=dropped").text
    assert "turn-up/2" in matches
    assert "turn-up/0" not in matches
    found = client.get("/api/leagues/cup").get_json()
    assert [(one["name"], one["version"], one["withdrawn"] is None) for one in found["members"]] == [
        *(("ann v1", 1, False), ("bea", 1, False), ("cid", 1, True)),
        ("ann", 2, True),
    ]
    rows = client.get("/api/leagues/cup/standings").get_json()["rows"]
    assert {row["bot"]: row["version"] for row in rows} == {"ann": 2, "ann v1": 1, "bea": 1, "cid": 1}


def test_options_are_shown(own: tuple[Store, FlaskClient]) -> None:
    """A season's page tells its series, its precision with the most sets, and what remote bots play, as `show` does."""
    store, client = own
    create(store, "cup", [("turn-up", {})])
    wanted = store.league("cup")
    assert "round robin, 2 sets a match" in client.get("/leagues/cup").text
    template = SeriesSpec("spring", 86400.0, 0.0, _template(store), None)
    store.create_series(template)
    store.open_season("spring", now=10.0)
    page = client.get("/leagues/spring-1").text
    assert "<dt>Season</dt><dd>1 of spring</dd>" in page
    assert "at most 80" in page
    assert "single games, each with deals of its own" in page
    found = client.get("/api/leagues/spring-1").get_json()
    assert found["season"] == {"series": "spring", "number": 1}
    assert found["precision"] == {"elo": 40.0, "most_sets": 80}
    assert client.get("/api/leagues/cup").get_json()["precision"] is None
    assert wanted.series is None


def _template(store: Store) -> LeagueSpec:
    entry = store.league("cup").variants[0]
    variant = VariantSpec(entry.variant, entry.options, entry.format, entry.seats, entry.seatings)
    return LeagueSpec("", (variant,), (), 4, store.league("cup").clock, precision=40.0, max_sets=80)
