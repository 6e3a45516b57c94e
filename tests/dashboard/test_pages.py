"""What the pages show."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, update

from league.errors import StoreAway
from league.standings import standings
from league.store import Store
from league.tables import bots, leagues
from tests.dashboard.play import BOTS, CLOCK, create, play_match, queue

if TYPE_CHECKING:
    from flask.testing import FlaskClient


def page(client: FlaskClient, url: str, status: int = 200) -> str:
    answer = client.get(url)
    assert answer.status_code == status, (url, answer.status_code, answer.text[-600:])
    return answer.text


def words(text: str) -> str:
    """The text of a page without its tags, white space joined."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_home_shows_every_league_with_progress_state_and_top(client: FlaskClient) -> None:
    """The front page lists all leagues with what they are at, how far they are, and who leads."""
    text = words(page(client, "/"))
    for name, state in (("four", "final"), ("odd", "complete"), ("live", "paused"), ("empty", "waiting")):
        assert re.search(rf"\b{name} {state}\b", text), name
    assert "0 of 12 games" in text
    assert "Top of the table" in text


def test_an_empty_store_says_how_to_begin(own: tuple[Store, FlaskClient]) -> None:
    """Without a league the front page names the command that makes one."""
    assert "arena league create" in page(own[1], "/")


def test_home_is_paged(own: tuple[Store, FlaskClient]) -> None:
    """More leagues than fit on a page are all reachable, and a page that is not there is a 404."""
    store, client = own
    for number in range(14):
        create(store, f"cup-{number}", [("turn-up", {})])
    assert "cup-13" in page(client, "/")
    assert "cup-1<" not in page(client, "/")
    assert "cup-1<" in page(client, "/?page=2")
    page(client, "/?page=3", 404)


@pytest.mark.parametrize("label", [None, "ghost-hand", "cutthroat", "bid-euchre", "turn-up"])
def test_standings_show_every_figure(client: FlaskClient, label: str | None) -> None:
    """A table of standings has Elo with its interval drawn, points, games, sets and faults of every bot."""
    text = page(client, "/leagues/four" + (f"?variant={label}" if label else ""))
    table = text[text.index('id="standings-caption"') : text.index("</table>")]
    for bot in BOTS:
        assert f">{bot}</bdi>" in table
    assert table.count('class="bar"') == len(BOTS)
    assert table.count('class="span"') == len(BOTS)
    assert "±" in table
    assert "illegal" in table


def test_standings_are_those_of_the_league(client: FlaskClient, store: Store) -> None:
    """The Elo and the points on the page are the ones that the league's own table has."""
    text = words(page(client, "/leagues/four?variant=cutthroat"))
    for row in standings(store.results("four", "cutthroat"), BOTS, "cutthroat").rows:
        assert row.elo is not None
        assert row.half_width is not None
        assert f"{row.bot} v1 {row.elo:.0f} ± {row.half_width:.0f}" in text


def test_neighbours_that_are_not_separated_are_marked(own: tuple[Store, FlaskClient]) -> None:
    """Bots of equal strength are marked as not separated, and the mark is explained; a clear winner is not."""
    store, client = own
    for name, weak in (("even", {}), ("clear", {"bea": 0.5})):
        for match in queue(store, create(store, name, [("turn-up", {})], bots=("ann", "bea"), sets=8 if weak else 2)):
            play_match(store, match.id, weak=weak)
    assert "not separated from the next in rank" in page(client, "/leagues/even")
    rows = client.get("/api/leagues/clear/standings").get_json()["rows"]
    assert [(row["bot"], row["separated_from_above"]) for row in rows] == [("ann", None), ("bea", True)]
    assert "not separated from the next in rank" not in page(client, "/leagues/clear")


def test_head_to_head_is_seen_from_the_row(client: FlaskClient, store: Store) -> None:
    """Each cell of the head-to-head table is the share of the row's bot."""
    text = page(client, "/leagues/four")
    duels = text[text.index('class="duel"') :]
    duels = duels[: duels.index("</table>")]
    table = standings(store.results("four"), BOTS)
    for a in BOTS:
        row = duels[duels.index(f'<bdi title="{a}">', duels.index("<tbody>")) :]
        row = words(row[: row.index("</tr>")])
        for b in set(BOTS) - {a}:
            pair = table.pair(a, b)
            assert pair is not None
            assert f"{100 * pair.share.value:.1f}" in row


def test_proof_panel_keeps_the_key_until_it_is_revealed(client: FlaskClient, store: Store) -> None:
    """The commitment is always shown, the key only once the league is finished."""
    for name in ("four", "live"):
        league = store.league(name)
        text = page(client, f"/leagues/{name}")
        assert league.commitment in text
        assert (league.key is not None and league.key.hex() in text) == (name == "four")
    assert "Secret until the league is finished" in page(client, "/leagues/live")


def test_live_pages_renew_themselves_with_and_without_scripts(client: FlaskClient) -> None:
    """A league that is not finished is polled by the script and reloaded where there is none; a finished one is left alone."""
    for url in ("/leagues/live", "/leagues/live/matches", "/matches/live/cutthroat/0"):
        text = page(client, url)
        assert '<noscript><meta http-equiv="refresh"' in text
        assert "data-poll=" in text
        assert "data-final" not in text
    for url in ("/leagues/four", "/leagues/four/matches", "/matches/four/cutthroat/0"):
        text = page(client, url)
        assert "http-equiv" not in text
        assert "data-final" in text


def test_matches_are_listed_and_filtered(client: FlaskClient) -> None:
    """The list of matches narrows to a variant, a bot and a state, and says so when nothing is left."""

    def listed(query: str) -> list[str]:
        return re.findall(r'href="/matches/([^"?#]+)"', page(client, f"/leagues/four/matches{query}"))

    assert len(listed("")) == 8
    assert listed("?variant=cutthroat") == ["four/cutthroat/0"]
    assert all(match.split("/")[1] in {"ghost-hand", "cutthroat"} or match[-1] in "01" for match in listed("?bot=ann"))
    assert len(listed("?bot=ann")) == 6
    assert listed("?state=waiting") == []
    assert "No match fits" in page(client, "/leagues/four/matches?state=waiting")
    assert "No match has been queued" in page(client, "/leagues/empty/matches")
    live = page(client, "/leagues/live/matches?state=complete")
    assert "live/turn-up/0" in live
    assert "live/cutthroat/0" not in live


def test_matches_are_paged(own: tuple[Store, FlaskClient]) -> None:
    """Every match of a large league is on just one page, and filters survive from page to page."""
    store, client = own
    queue(store, create(store, "big", [("turn-up", {})], bots=[f"bot-{number}" for number in range(12)]))
    found: list[str] = []
    url: str | None = "/leagues/big/matches?state=waiting"
    while url:
        text = page(client, url)
        found += re.findall(r'href="/matches/([^"?#]+)"', text)
        following = re.search(r'rel="next" href="([^"]+)"', text)
        url = html.unescape(following[1]) if following else None
        assert url is None or "state=waiting" in url
    assert found == [f"big/turn-up/{number}" for number in range(66)]


def test_a_match_shows_its_sets_seating_by_seating(client: FlaskClient, store: Store) -> None:
    """Every game of every set is shown with points, places and end, beside the others on the same deals."""
    text = page(client, "/matches/four/cutthroat/0")
    assert text.count('class="group"') == 2
    for game in store.games("four/cutthroat/0"):
        seating = "".join(map(str, game.seating))
        row = text[text.index(f"/sets/{game.set}/games/{seating}") :]
        row = words(row[row.index(">") + 1 : row.index("</tr>")])
        for place, points in zip(game.places, game.points, strict=True):
            assert f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}[place] } {points}".replace("-", "−") in row
        assert "all deals played" in row or "forfeited" in row
    assert "Download the record" in text
    assert "495 µs typical" in words(text).replace("\u202f", " ")


def test_attempts_are_shown_with_their_causes(own: tuple[Store, FlaskClient]) -> None:
    """What went wrong with the arena while a match was played stands on its page."""
    store, client = own
    (match,) = queue(store, create(store, "cup", [("cutthroat", {})]))
    claim = store.claim(match.id, "worker-7", 60)
    assert claim is not None
    store.add_void(claim, "INFRASTRUCTURE", "the referee lagged")
    store.release(claim, "infrastructure", "lost its queue")
    text = words(page(client, f"/matches/{match.id}"))
    for part in ("worker-7", "infrastructure", "INFRASTRUCTURE 1", "the referee lagged", "lost its queue"):
        assert part in text


def test_a_long_match_is_shown_in_pages_of_sets(own: tuple[Store, FlaskClient]) -> None:
    """All sets of a long match can be reached."""
    store, client = own
    (match,) = queue(store, create(store, "long", [("turn-up", {})], bots=("ann", "bea"), sets=45))
    seen = [
        number for at in (1, 2, 3) for number in re.findall(r'id="set-(\d+)"', page(client, f"/matches/{match.id}?page={at}"))
    ]
    assert seen == [str(number) for number in range(45)]
    page(client, f"/matches/{match.id}?page=4", 404)


def test_fair_play_is_explained(client: FlaskClient) -> None:
    """The page on fairness speaks of keys, sets, ratings and faults."""
    text = page(client, "/fair-play")
    for anchor in ("deals", "sets", "ratings", "faults"):
        assert f'id="{anchor}"' in text


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("/leagues/none", "none"),
        ("/leagues/four?variant=poker", "turn-up"),
        ("/leagues/four/matches?bot=zoe", "ann"),
        ("/leagues/four/matches?state=odd", "waiting"),
        ("/leagues/four/matches?after=999999", "no matches after"),
        ("/matches/four/cutthroat/9", "four/cutthroat/9"),
        ("/matches/four/cutthroat/0/sets/9/games/012", "set 9"),
        ("/matches/four/cutthroat/0/sets/0/games/000", "012"),
        ("/matches/four/cutthroat/0/sets/0/games/012/deals/99", "8 deals"),
        ("/nowhere", "404"),
    ],
)
def test_what_is_not_there_is_a_404_that_says_what_is(client: FlaskClient, url: str, names: str) -> None:
    """Unknown things are a page with status 404 that names what was wrong or what is known."""
    assert names in words(page(client, url, 404))


EVIL = "<img src=x onerror=alert(1)>\u202etac"


def test_hostile_names_are_text(own: tuple[Store, FlaskClient], tmp_path: object) -> None:
    """A bot, a league or a cause whose text is HTML is shown as text, on every page that names it."""
    store, client = own
    for match in queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=1, fmt="deals:3")):
        play_match(store, match.id)
    claim = store.claim(queue(store, create(store, "two", [("turn-up", {})], bots=("ann", "bea")))[0].id, EVIL, 60)
    assert claim is not None
    store.add_void(claim, "INFRASTRUCTURE", EVIL)
    store.release(claim, "interrupted", EVIL)
    engine = create_engine(f"sqlite:///{tmp_path}/own.db")
    with engine.begin() as connection:
        connection.execute(update(bots).where(bots.c.name == "ann").values(name=EVIL))
        connection.execute(update(leagues).where(leagues.c.name == "cup").values(name=EVIL))
    engine.dispose()
    league = "/leagues/%3Cimg%20src=x%20onerror=alert(1)%3E%E2%80%AEtac"
    game = "/matches/cup/turn-up/0/sets/0/games/0101"
    urls = ["/", league, f"{league}/matches", "/matches/cup/turn-up/0", game, f"{game}/deals/0", "/matches/two/turn-up/0"]
    for url in urls:
        text = page(client, url)
        assert "<img src=x" not in text
        assert "&lt;img src=x" in text, url
    assert "<img" not in client.get("/leagues/<img src=x>").text.replace('<img src="/static/', "")


def test_pages_are_well_formed_for_readers_of_every_kind(client: FlaskClient) -> None:
    """Every page has a language, a title, one h1, a skip link, and tables with captions and scoped heads."""
    for url in ("/", "/fair-play", "/leagues/four", "/leagues/four/matches", "/matches/four/cutthroat/0", "/nowhere"):
        text = client.get(url).text
        assert '<html lang="en">' in text
        assert text.count("<h1") == 1
        assert '<a class="skip" href="#main">' in text
        assert text.count("<table") == text.count("<caption")
        assert not re.search(r"<th(?![^>]*scope=)[ >]", text), url


def test_the_clock_and_the_options_of_a_league_are_shown(client: FlaskClient) -> None:
    """The rules by which a league is played stand on its page, each option with its value."""
    text = words(page(client, "/leagues/odd"))
    assert "double_deck on" in text
    assert "deck 25" in text
    for name, value in CLOCK.items():
        assert f"{name} {value}" in text


def test_a_store_that_is_away(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the store does not answer, pages and JSON say so with 503 and when to try again; then all is as before."""

    def away(*_: object) -> None:
        raise StoreAway("the store does not answer: gone")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "leagues", away)
        for path in ("/", "/api/leagues"):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
            assert "does not answer at the moment" in answer.get_data(as_text=True)
    assert client.get("/").status_code == 200
