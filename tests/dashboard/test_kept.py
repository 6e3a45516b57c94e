"""What is kept of the store: made once for each state, and never waited for where there is an older one."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

import pytest

from dashboard import tables
from dashboard.tables import Kept
from league.errors import StoreAway
from tests.dashboard.play import create, play_match, queue

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from league.store import Store

WAIT = 120.0


@pytest.fixture(autouse=True)
def never_young(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is behind is replaced at once, however long it took to make."""
    monkeypatch.setattr(tables, "PATIENCE", 0.0)


def settle(kept: Kept[str]) -> None:
    """Wait until the job in the background is over."""
    assert kept.job is not None
    kept.job.join(WAIT)
    assert not kept.job.is_alive()


def test_what_is_behind_is_shown_until_the_next_is_there() -> None:
    """The older one is returned at once, while one thread makes the next; those who ask meanwhile begin no other."""
    kept: Kept[str] = Kept()
    assert kept.get(1, lambda: "one", behind=True) == "one"
    go, begun = threading.Event(), []

    def slow() -> str:
        begun.append("two")
        assert go.wait(WAIT)
        return "two"

    assert [kept.get(2, slow, behind=True) for _ in range(3)] == ["one"] * 3
    go.set()
    settle(kept)
    assert begun == ["two"]
    assert kept.get(2, lambda: "again", behind=True) == "two"


def test_two_are_never_made_at_once() -> None:
    """A second one is made when the first is through."""
    some: list[Kept[str]] = [Kept(), Kept()]
    for kept in some:
        kept.get(1, lambda: "old", behind=True)
    go, at_work, most = threading.Event(), [], []

    def make() -> str:
        at_work.append(1)
        most.append(len(at_work))
        assert go.wait(WAIT)
        at_work.pop()
        return "new"

    for kept in some:
        assert kept.get(2, make, behind=True) == "old"
    go.set()
    for kept in some:
        settle(kept)
    assert most == [1, 1]
    assert [kept.get(2, make, behind=True) for kept in some] == ["new", "new"]


def test_without_an_older_one_it_is_waited_for() -> None:
    """So it is where nobody asked for the older one, and an error of the making is that of the asking."""
    kept: Kept[str] = Kept()
    assert kept.get(1, lambda: "one") == "one"
    assert kept.get(2, lambda: "two") == "two"
    assert kept.job is None

    def fail() -> str:
        raise StoreAway("the store does not answer")

    with pytest.raises(StoreAway):
        kept.get(3, fail)
    assert kept.get(3, fail, behind=True) == "two"
    settle(kept)
    assert kept.get(4, lambda: "four", behind=True) == "two"
    settle(kept)
    assert kept.get(4, fail, behind=True) == "four"


def test_a_page_shows_the_table_before_and_says_so(own: tuple[Store, FlaskClient]) -> None:
    """With a new set the page has the former table and how many sets it lacks; the next look after the work has all."""
    store, client = own
    first, second = queue(store, create(store, "cup", [("turn-up", {}), ("cutthroat", {})], sets=1, fmt="deals:1"))[:2]

    def look() -> str:
        return re.sub(r"<[^>]+>", "", client.get("/leagues/cup").get_data(as_text=True))

    play_match(store, first.id)
    assert "1 complete set." in look()
    play_match(store, second.id)
    text = look()
    assert "1 complete set as of" in text
    assert "1 more are being worked in" in text
    shelf = client.application.extensions["arena-tables"]["cup", None]
    settle(shelf.view)
    assert "2 complete sets." in look()
