"""Live pages and their events: what changes is told once to everybody, nothing is told early, and streams have their limits."""

from __future__ import annotations

import json
import re
import threading
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any

import pytest

from dashboard import create_app, feeds
from dashboard.feeds import Full, Hub, LeagueSource, LeaguesSource
from dashboard.pages.live import hub_of
from league.store import Store
from tests.dashboard.play import create, league_key, play_match, queue
from tests.dashboard.test_pages import page, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.testing import FlaskClient

    from league.model import PlannedMatch

PATIENCE = 120.0
"""Seconds for whatever has to happen: the machine may be busy."""
CARD = re.compile(r"\b[9TJQKA][CDHS]\b|\bXX\b")


@pytest.fixture
def cup(own: tuple[Store, FlaskClient]) -> tuple[Store, FlaskClient, PlannedMatch]:
    """A league of one match, not begun."""
    store, client = own
    (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=3, fmt="deals:3"))
    return store, client, match


@pytest.fixture
def hub(cup: tuple[Store, FlaskClient, PlannedMatch]) -> Iterator[Hub]:
    hub = Hub(cup[0])
    yield hub
    hub.close()


class Ear:
    """Somebody who listens in a thread of his own and keeps what he hears."""

    def __init__(self, hub: Hub, name: str | None, seen: str = "", address: str = "1.2.3.4") -> None:
        self._listener = hub.join(name, address)
        self.heard: Queue[tuple[str, dict[str, Any]] | None] = Queue()
        self.ids: list[str] = []
        self.text = ""
        self._thread = threading.Thread(target=self._run, args=(seen,), daemon=True)
        self._thread.start()

    def _run(self, seen: str) -> None:
        for text in self._listener.stream(seen):
            self.text += text
            for number, kind, data in re.findall(r"id: (.*)\nevent: (.*)\ndata: (.*)\n\n", text):
                self.ids.append(number)
                self.heard.put((kind, json.loads(data)))
        self._listener.leave()
        self.heard.put(None)

    def next(self, *kinds: str) -> dict[str, Any]:
        """The data of the next event of one of these kinds."""
        while True:
            event = self.heard.get(timeout=PATIENCE)
            assert event is not None, "the stream has ended"
            if event[0] in kinds:
                return event[1]

    def end(self) -> None:
        """Wait until the stream has ended."""
        while self.heard.get(timeout=PATIENCE) is not None:
            pass
        self._thread.join(PATIENCE)


def test_progress_tables_and_sets_are_told_as_they_come(cup: tuple[Store, FlaskClient, PlannedMatch], hub: Hub) -> None:
    """First comes the whole state, then what changes: games, the tables that play, and each set once it is finished."""
    store, _, match = cup
    ear = Ear(hub, "cup")
    state = ear.next("state")
    assert (state["progress"]["games"], state["tables"], state["finished"]) == ({"done": 0, "total": 6}, [], [])
    claim = store.claim(match.id, "tester", 600)
    assert claim is not None
    assert ear.next("tables")["tables"][0]["match"] == match.id
    store.release(claim, "interrupted")
    play_match(store, match.id, games=4)  # every set once, and set 0 in both seatings
    play_match(store, match.id)
    while ear.next("progress")["games"]["done"] < 6:
        pass
    store.finish_league("cup")
    ear.next("end")
    ear.end()
    assert [f'"set":{number}' in ear.text or f'"set": {number}' in ear.text for number in range(3)] == [True] * 3
    assert not CARD.search(ear.text)


def test_a_finished_set_is_told_once_and_only_when_whole(cup: tuple[Store, FlaskClient, PlannedMatch]) -> None:
    """Games of a set that is still to be played in another seating make no event; its last one does."""
    store, _, match = cup
    source = LeagueSource(store, "cup")
    source.look()

    def sets() -> list[int]:
        """The sets told by a look while the match is being played."""
        claim = store.claim(match.id, "onlooker", 600)
        told = [data["set"] for kind, data in source.look() if kind == "set"]
        assert claim is not None
        store.release(claim, "interrupted")
        return told

    play_match(store, match.id, games=3)
    assert sets() == []
    play_match(store, match.id, games=1)
    assert sets() == [0]
    assert sets() == []
    play_match(store, match.id)
    assert [data["set"] for kind, data in source.look() if kind == "set"] == [1, 2]
    assert [found["set"] for found in source.state()["finished"]] == [2, 1, 0]


def test_who_comes_back_gets_what_was_missed(cup: tuple[Store, FlaskClient, PlannedMatch], hub: Hub) -> None:
    """With the id of the last event seen the stream goes on after it; with a strange one it begins with the whole state."""
    store, _, match = cup
    first = Ear(hub, "cup")
    first.next("state")
    seen = first.ids[-1]
    play_match(store, match.id, games=1)
    missed = first.next("progress")
    back = Ear(hub, "cup", seen)
    assert back.next("progress", "state") == missed
    assert "event: state" not in back.text
    stranger = Ear(hub, "cup", "0badf00d-3")
    assert stranger.next("progress", "state")["progress"] == missed
    hub.close()
    for ear in (first, back, stranger):
        ear.end()
    assert hub.listeners == 0


def test_one_thread_looks_for_all_and_rests_without_listeners(
    cup: tuple[Store, FlaskClient, PlannedMatch], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many listen, one thread asks the store; when the last has left, it ends, and begins again with the next."""
    lookers: set[str] = set()
    look = LeagueSource.look

    def noted(source: LeagueSource) -> list[tuple[str, dict[str, Any]]]:
        lookers.add(threading.current_thread().name)
        return look(source)

    monkeypatch.setattr(LeagueSource, "look", noted)
    ears = [Ear(hub, "cup") for _ in range(20)]
    for ear in ears:
        ear.next("state")
    assert lookers == {"live"}
    assert sum(thread.name == "live" for thread in threading.enumerate()) == 1
    hub.close()
    for ear in ears:
        ear.end()


def test_streams_are_limited(cup: tuple[Store, FlaskClient, PlannedMatch], hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit of one address, or of all, there is no stream; whoever leaves makes room."""
    monkeypatch.setattr(feeds, "MOST", 3)
    monkeypatch.setattr(feeds, "MOST_OF_ONE", 2)
    first, _ = hub.join("cup", "a"), hub.join("cup", "a")
    with pytest.raises(Full):
        hub.join("cup", "a")
    hub.join(None, "b")
    with pytest.raises(Full):
        hub.join("cup", "c")
    first.leave()
    first.leave()
    assert hub.listeners == 2
    hub.join("cup", "c")


def test_without_room_the_answer_says_when_to_ask_again(
    cup: tuple[Store, FlaskClient, PlannedMatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page of events answers 503 with Retry-After, and a league that is not there is a 404."""
    _, client, _ = cup
    monkeypatch.setattr(feeds, "MOST", 0)
    answer = client.get("/leagues/cup/live/events")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert client.get("/leagues/nope/live/events").status_code == 404


def test_a_stream_is_sent_as_it_comes_and_let_go_when_closed(cup: tuple[Store, FlaskClient, PlannedMatch]) -> None:
    """The answer is an event stream that nobody may keep or buffer, with the usual headers; closing it frees its place."""
    _, client, _ = cup
    with client.get("/leagues/cup/live/events", buffered=False) as answer:
        assert answer.mimetype == "text/event-stream"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        chunks = iter(answer.response)
        assert "retry: 3000" in str(next(chunks))
        assert "event: state" in str(next(chunks))
        assert hub_of(client.application).listeners == 1
    assert hub_of(client.application).listeners == 0


def test_a_store_that_is_away_is_asked_again(
    cup: tuple[Store, FlaskClient, PlannedMatch], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listeners of a store that does not answer hear nothing, and go on hearing once it does."""
    from league.errors import StoreAway  # noqa: PLC0415

    monkeypatch.setattr(feeds, "EVERY", 0.02)
    asked = threading.Event()
    look = LeagueSource.look

    def away(_: LeagueSource) -> list[tuple[str, dict[str, Any]]]:
        asked.set()
        raise StoreAway("gone")

    monkeypatch.setattr(LeagueSource, "look", away)
    ear = Ear(hub, "cup")
    assert asked.wait(PATIENCE)
    with pytest.raises(Empty):
        ear.heard.get_nowait()
    monkeypatch.setattr(LeagueSource, "look", look)
    ear.next("state")
    hub.close()
    ear.end()


def test_the_front_page_hears_of_every_open_league(cup: tuple[Store, FlaskClient, PlannedMatch]) -> None:
    """The stream of all leagues tells the progress of each, and the end of one."""
    store, _, match = cup
    create(store, "other", [("turn-up", {})], bots=("ann", "bea"))
    source = LeaguesSource(store)
    assert {data["league"] for _, data in source.look()} == {"cup", "other"}
    assert source.look() == []
    play_match(store, match.id)
    assert [(data["league"], data["games"]["done"]) for _, data in source.look()] == [("cup", 6)]
    store.finish_league("cup")
    assert [(data["league"], data["state"]) for _, data in source.look()] == [("cup", "final")]
    assert [entry["league"] for entry in source.state()["leagues"]] == ["other"]


def test_the_live_page_works_without_a_script(cup: tuple[Store, FlaskClient, PlannedMatch]) -> None:
    """The page as it is sent shows progress, who plays and the finished sets with links to them, and reloads itself."""
    store, client, match = cup
    assert "Nobody is playing" in page(client, "/leagues/cup/live")
    play_match(store, match.id, games=4)
    claim = store.claim(match.id, "tester", 600)
    text = page(client, "/leagues/cup/live")
    assert claim is not None
    store.release(claim, "interrupted")
    assert "turn-up/0 ann · bea 4 of 6 games, 1 of 3 sets" in words(text)
    assert f'href="/matches/{match.id}/sets/0"' in text
    assert f'href="/matches/{match.id}/sets/1"' not in text
    assert '<noscript><meta http-equiv="refresh"' in text


def leaky(client: FlaskClient, match_id: str, seating: str) -> list[str]:
    """Every address that says something of a match, and of its second set."""
    league = match_id.partition("/")[0]
    pages = ["/", f"/leagues/{league}", f"/leagues/{league}/live", f"/leagues/{league}/matches", f"/matches/{match_id}"]
    parts = ["", "/deals/0", f"/games/{seating}", f"/games/{seating}/deals/0", f"/games/{seating}/deals/1"]
    deep = [f"/matches/{match_id}/sets/1{part}" for part in parts]
    deep += [f"/matches/{match_id}/record.jsonl", f"/matches/{match_id}/record"]
    api = [f"/api{url}" for url in (*pages[1:], *deep, f"/leagues/{league}/progress", f"/leagues/{league}/standings")]
    found = [*pages, *deep, *api, f"/matches/{match_id}/sets/0", f"/matches/{match_id}/sets/0/games/{seating}/deals/0"]
    assert len(found) > 20
    return found


def test_nothing_tells_a_card_of_a_set_that_is_not_finished(cup: tuple[Store, FlaskClient, PlannedMatch]) -> None:
    """While one set of a match is finished and another is not, no page, JSON or event shows a hand of the latter, or a key."""
    store, client, match = cup
    play_match(store, match.id, games=4)
    records = [store.game_record(match.id, number, (0, 1, 0, 1)) for number in (0, 1)]
    deals: list[Any] = [record["deals"] for record in records]
    secrets = [league_key("cup").hex(), store.match_key(match.id).hex(), *(deal["moves"] for deal in deals[1])]
    source = LeagueSource(store, "cup")
    texts = {"event": json.dumps([source.look(), source.state()])}
    texts |= {url: client.get(url).text for url in leaky(client, match.id, "0101")}
    for url, text in texts.items():
        assert not any(secret in text for secret in secrets), url
        if "sets/0" not in url:
            assert not CARD.search(re.sub(r'"[A-Za-z0-9+/=]{40,}"', "", text)), url


def test_the_hub_ends_with_its_application(tmp_path: object) -> None:
    """An application whose server is told to stop ends its streams, so that the server need not wait."""
    app = create_app(f"sqlite:///{tmp_path}/own.db")
    with Store(f"sqlite:///{tmp_path}/own.db") as store:
        create(store, "cup", [("turn-up", {})], bots=("ann", "bea"))
        ear = Ear(hub_of(app), "cup")
        ear.next("state")
        hub_of(app).close()
        ear.end()
        with pytest.raises(Full):
            hub_of(app).join("cup", "a")
    app.extensions["arena-store"].close()
