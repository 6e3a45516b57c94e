"""Standings as visitors want them, pairs and triples, and the page of a bot."""

from __future__ import annotations

import csv
import html
import io
import itertools
import re
import time
from typing import TYPE_CHECKING

import pytest

from dashboard import tables
from league.standings import standings
from referee import habits
from tests.dashboard.play import BOTS, create, play_match, queue
from tests.dashboard.test_pages import page, words

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from league.standings import Standing
    from league.store import Store


def shown(client: FlaskClient, query: str) -> list[str]:
    """The bots of the standings in the order of their rows."""
    text = page(client, f"/leagues/four{query}")
    table = text[text.index('<table class="standings">') :]
    return re.findall(r'<th scope="row".*?<bdi title="([^"]+)"', table[: table.index("</table>")])


def table_of(store: Store) -> tuple[Standing, ...]:
    return standings(store.results("four"), BOTS).rows


def test_rows_are_sorted_by_every_column_both_ways(client: FlaskClient, store: Store) -> None:
    """Each column sorts the rows, a minus in front turns them round, and the head says which one is sorted by."""
    rows = table_of(store)
    by_points = [row.bot for row in sorted(rows, key=lambda row: row.points.value if row.points else 0)]
    assert shown(client, "") == [row.bot for row in rows]
    assert shown(client, "?sort=points") == by_points
    assert shown(client, "?sort=-points") == by_points[::-1]
    assert shown(client, "?sort=bot") == sorted(BOTS)
    assert shown(client, "?sort=-rank") == [row.bot for row in rows][::-1]
    for sort in ("move", "elo", "gap", "games", "faults"):
        assert set(shown(client, f"?sort=-{sort}")) == set(BOTS)
        assert 'aria-sort="descending"' in page(client, f"/leagues/four?sort=-{sort}")
    assert "cannot be sorted by 'luck'" in words(page(client, "/leagues/four?sort=luck", 404))


def test_rows_are_filtered_by_name(client: FlaskClient) -> None:
    """A part of a name leaves the bots that have it, whatever its case; what it was is kept in the form and in the links."""
    assert shown(client, "?find=BE") == ["bea"]
    text = page(client, "/leagues/four?find=BE&sort=-elo")
    assert 'value="BE"' in text
    assert "find=BE&amp;sort" in text or "sort=elo&amp;find=BE" in text
    assert "No bot has" in words(page(client, "/leagues/four?find=zz"))


@pytest.mark.parametrize("query", ["", "?sort=-points", "?find=a&sort=bot", "?variant=turn-up&sort=-elo&page=1"])
def test_csv_and_json_are_what_is_shown(client: FlaskClient, query: str) -> None:
    """The files have the rows of the page in its order, and the same numbers as each other."""
    text = client.get(f"/leagues/four/standings.csv{query}")
    assert text.mimetype == "text/csv"
    lines = list(csv.DictReader(io.StringIO(text.text)))
    found = client.get(f"/leagues/four/standings.json{query}").get_json()
    assert [line["bot"] for line in lines] == [row["bot"] for row in found["rows"]] == shown(client, query)
    for line, row in zip(lines, found["rows"], strict=True):
        assert float(line["elo"]) == row["elo"]["value"]
        assert float(line["points_per_deal_high"]) == row["points_a_deal"]["high"]
        assert [int(line[f"place_{at}"]) for at in range(1, len(row["places"]) + 1)] == row["places"]
        assert {name[6:]: int(value) for name, value in line.items() if name.startswith("fault_") and value != "0"} == row[
            "faults"
        ]


def test_rows_say_what_separates_them_from_the_next_in_rank(client: FlaskClient, store: Store) -> None:
    """The difference to the next in rank, and whether it is clear, are those of the league's own table."""
    table = standings(store.results("four"), BOTS)
    rows = client.get("/leagues/four/standings.json").get_json()["rows"]
    for above, below in itertools.pairwise(rows):
        difference = table.difference(above["bot"], below["bot"])
        assert difference is not None
        assert above["above_next"] == {"value": difference.value, "low": difference.low, "high": difference.high}
        assert above["clearly_above_next"] == table.separated(above["bot"], below["bot"])
    assert rows[-1]["above_next"] is None


def test_movement_is_since_the_first_sets_or_the_season_before(client: FlaskClient, store: Store) -> None:
    """Rows say how many ranks a bot has won since the first four fifths of the sets, and the page since what."""
    earlier = standings(store.results("four"), BOTS).earlier
    assert earlier is not None
    assert earlier.sets == 12
    rows = client.get("/leagues/four/standings.json").get_json()["rows"]
    assert {row["bot"]: row["rank_before"] for row in rows} == earlier.ranks
    assert all(row["moved"] == row["rank_before"] - row["rank"] for row in rows)
    assert "Movement since the first 12 sets" in words(page(client, "/leagues/four"))


def test_everybody_has_a_pair_page_with_everybody(client: FlaskClient, store: Store) -> None:
    """A pair's page has the figures of the table of pairs, by variant and by third bot; seen from the other they are turned."""
    pair = standings(store.results("four"), BOTS).pair("ann", "cid")
    assert pair is not None
    text = words(page(client, "/leagues/four/pairs/ann/cid"))
    assert f"all variants {100 * pair.share.value:.1f} " in text
    assert f"all variants {100 * (1 - pair.share.value):.1f} " in words(page(client, "/leagues/four/pairs/cid/ann"))
    for part in ("At a table of three", "bea ghost-hand", "ghost-hand/0", "turn-up/1"):
        assert part in text
    assert "no complete set with each other" in words(page(client, "/leagues/empty/pairs/ann/cid"))
    assert "does not play against itself" in words(page(client, "/leagues/four/pairs/ann/ann", 404))
    assert "No bot called" in words(page(client, "/leagues/four/pairs/ann/zoe", 404))


def test_a_triple_page_has_the_games_of_three_seats_only(client: FlaskClient) -> None:
    """The page of three bots has a table for each variant of three players, with the pairs within it."""
    text = page(client, "/leagues/four/triples/ann/bea/cid")
    assert re.findall(r'<h2 id="variant-\d+">([^<]+)', text) == ["cutthroat", "ghost-hand"]
    assert text.count("heat-") == 12


def test_the_table_of_pairs_is_shown_in_parts(own: tuple[Store, FlaskClient]) -> None:
    """Of many bots every pair can be reached, a part of the table at a time; the page of standings links to it."""
    store, client = own
    bots = [f"bot-{number:02}" for number in range(23)]
    for match in queue(store, create(store, "big", [("turn-up", {})], bots=bots, sets=1, fmt="deals:1"))[:3]:
        play_match(store, match.id)
    assert "/leagues/big/pairs" in page(client, "/leagues/big")
    seen = set()
    for down, across in ((1, 1), (1, 2), (2, 1), (2, 2)):
        text = page(client, f"/leagues/big/pairs?down={down}&across={across}")
        seen |= set(re.findall(r'href="/leagues/big/pairs/([^/"]+/[^/"]+)"', text))
    assert len(seen) == 6
    page(client, "/leagues/big/pairs?down=3", 404)


def test_a_large_league_is_tabulated_by_a_program_of_its_own(
    own: tuple[Store, FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first table is waited for, kept in the store, and shown with its time while a newer one is worked out."""
    store, client = own
    monkeypatch.setattr(tables, "LARGE_BOTS", 1)
    matches = queue(store, create(store, "big", [("turn-up", {}), ("cutthroat", {})], sets=2, fmt="deals:4"))
    for match in matches[:2]:
        play_match(store, match.id)

    def until(part: str) -> str:
        for _ in range(600):
            text = page(client, "/leagues/big")
            if part in words(text):
                return text
            time.sleep(0.2)
        raise AssertionError(words(text))

    text = until("4 complete sets")
    direct = standings(store.results("big"), BOTS)
    rows = client.get("/leagues/big/standings.json").get_json()["rows"]
    assert [(row["bot"], row["elo"]["value"]) for row in rows] == [(row.bot, row.elo) for row in direct.rows]
    pair = direct.pair("ann", "bea")
    assert pair is not None
    assert f"{100 * pair.share.value:.1f}" in words(text)
    assert len(client.get("/leagues/big/bots/ann/elo.json").get_json()["points"]) > 1
    play_match(store, matches[2].id)
    until("6 complete sets")


# ---- the page of a bot ------------------------------------------------------------------------------------------------


def test_a_bot_page_has_everything(client: FlaskClient) -> None:
    """Ratings, curve, variants, opponents, habits by variant, worst deals, faults, matches and versions are there."""
    text = words(page(client, "/leagues/four/bots/ann"))
    for part in (
        "Rank", "The same in figures", "By variant", "Against whom", "as maker", "as defender", "as dealer", "Makes it",
        "ordered the turned card", "bid 3", "Deals lost worst", "illegal", "Recent matches", "Versions", "this one",
    ):  # fmt: skip
        assert part in text, part
    assert "No complete match yet" in words(page(client, "/leagues/empty/bots/ann"))
    assert "still to be worked" not in text


def test_links_of_a_bot_page_lead_to_deals(client: FlaskClient) -> None:
    """Every deal that is linked is there, and those behind faults have a fault of this bot."""
    text = page(client, "/leagues/four/bots/ann")
    faults = text[text.index('id="faults-title"') : text.index('id="recent-title"')]
    worst = text[text.index('id="worst-title"') : text.index('id="faults-title"')]
    for part in (faults, worst):
        links = [html.unescape(link) for link in re.findall(r'href="(/matches/[^"]+/deals/\d+)"', part)]
        assert links
        for link in links[:3]:
            deal = client.get(f"/api{link}").get_json()
            if part is faults:
                moves = [*deal["before"], *(move for trick in deal["tricks"] for move in trick["plays"])]
                bots = [seat["bot"] for seat in deal["seats"]]
                assert "ann" in [bots[move["fault"]["seat"]] for move in moves if move["fault"]]


def test_habits_are_worked_out_for_complete_matches_alone(own: tuple[Store, FlaskClient]) -> None:
    """A match whose deals are sealed tells nothing; the page works out and keeps what is missing of those that are open."""
    store, client = own
    first, second = queue(store, create(store, "cup", [("turn-up", {}), ("cutthroat", {})], sets=1, fmt="deals:4"))[:2]
    play_match(store, first.id)
    play_match(store, second.id, games=3)
    assert [name for _, name in store.habits_due(habits.FORMAT, "cup")] == [first.id]
    text = words(page(client, "/leagues/cup/bots/ann"))
    assert "over 8 deals" in text
    assert store.habits_due(habits.FORMAT, "cup") == []
    assert store.count_habits(habits.FORMAT, "cup") == (1, 1)
    bot = store.league("cup").bots[0]
    assert [(one.match, (one.found or {})["games"]) for one in store.habits("cup", bot, habits.FORMAT)] == [(first.id, 2)]
    assert store.habits("cup", bot, habits.FORMAT + 1)[0].found is None
