"""What pages do in a real browser, on a telephone and on a desk, with scripts and without; test_audit.py looks at all of them."""

from __future__ import annotations

import re
import shutil
import threading
from typing import TYPE_CHECKING

import pytest
from werkzeug.serving import make_server

from dashboard import create_app
from league.store import Store
from tests.dashboard.play import create, league_key, play_match, queue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask
    from playwright.sync_api import Browser, Locator, Page, Request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 180_000
"""Milliseconds for whatever has to happen: the machine may be busy."""
WIDTHS = (390, 1280)

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- slow, and not everywhere

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        yield browser
        browser.close()


def serve(app: Flask) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def address(app: Flask) -> Iterator[str]:
    yield from serve(app)


@pytest.fixture
def own_address(tmp_path: Path) -> Iterator[str]:
    app = create_app(f"sqlite:///{tmp_path}/own.db")
    yield from serve(app)
    app.extensions["arena-store"].close()


def failure(request: Request) -> list[str]:
    """Why a request failed, unless the page was left meanwhile."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"{request.url}: {request.failure}"]


def watched(browser: Browser, width: int, **options: object) -> tuple[Page, list[str]]:
    """A page of this width, and the list in which its complaints are gathered."""
    page = browser.new_context(viewport={"width": width, "height": 800}, **options).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE)
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("requestfailed", lambda request: troubles.extend(failure(request)))
    return page, troubles


def follow(link: Locator) -> None:
    """Click on what leads to another page or place, and wait until that is there, whole.

    A click alone waits until the browser begins to read the page: what is read of it at once may be a half.
    """
    with link.page.expect_navigation():
        link.click()


@pytest.mark.parametrize("width", WIDTHS)
def test_cards_are_drawn(browser: Browser, address: str, width: int) -> None:
    """Every card of a deal has a size, a name and a face, and none lies outside of the table."""
    page, _ = watched(browser, width)
    page.goto(f"{address}/matches/four/cutthroat/0/sets/0/games/012/deals/0")
    cards = page.locator("#hands svg.card")
    assert cards.count() == 24
    table = page.locator("#hands").bounding_box()
    assert table is not None
    for index in range(24):
        box = cards.nth(index).bounding_box()
        assert box is not None
        assert box["width"] > 35
        assert box["x"] + box["width"] <= table["x"] + table["width"]
        assert " of " in (cards.nth(index).get_attribute("aria-label") or "")
    uses = "[...document.querySelectorAll('#hands svg.card use')].map(use => use.getBoundingClientRect().width)"
    assert min(page.evaluate(uses)) > 35
    page.context.close()


def test_the_keyboard_reaches_everything_and_is_seen(browser: Browser, address: str) -> None:
    """The first tab stop is the skip link, it leads to the content, and whatever has the focus has a visible outline."""
    page, _ = watched(browser, 1280)
    page.goto(f"{address}/leagues/four")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert page.locator(".skip").bounding_box()["y"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    page.locator("#main:focus").wait_for()
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.context.close()


def test_a_league_in_progress_updates_by_itself(browser: Browser, own_address: str, tmp_path: Path) -> None:
    """New games appear on the open page of a league, in its progress and its table, without a reload."""
    with Store(f"sqlite:///{tmp_path}/own.db") as store:
        (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=4))
        page, troubles = watched(browser, 1280)
        page.goto(f"{own_address}/leagues/cup")
        page.evaluate("window.same = true")
        assert "0 of 8 games" in page.inner_text("main")
        assert "no games yet" in page.inner_text("main")
        play_match(store, match.id)
        page.locator("[data-refresh=progress] progress[value='8']").wait_for()
        page.locator("[data-refresh=standings] .dot").nth(1).wait_for()
        store.finish_league("cup")
        page.locator("[data-refresh=state] .chip", has_text="final").wait_for()
        assert league_key("cup").hex() in page.inner_text("#proof")
        assert page.evaluate("window.same")
        assert troubles == []
        page.context.close()


def test_a_table_that_is_behind_is_asked_for_again(browser: Browser, own_address: str, tmp_path: Path) -> None:
    """A page that is renewed once, while its table is being worked out, shows the new one without hearing of anything else."""
    with Store(f"sqlite:///{tmp_path}/own.db") as store:
        (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=4))
        page, _ = watched(browser, 1280)
        page.route(re.compile(r"/events$|/api/"), lambda route: route.abort())
        page.goto(f"{own_address}/leagues/cup")
        assert "no games yet" in page.inner_text("main")
        play_match(store, match.id)
        page.evaluate("document.dispatchEvent(new CustomEvent('arena:changed'))")
        page.locator("[data-refresh=standings] .dot").nth(1).wait_for()
        page.context.close()


def test_everything_works_without_scripts(browser: Browser, address: str) -> None:
    """With scripts switched off the table, the filters, the pages of a match and the steps of a deal work by links alone."""
    page, _ = watched(browser, 390, java_script_enabled=False)
    page.goto(f"{address}/leagues/four/matches")
    page.select_option("select[name=variant]", "cutthroat")
    follow(page.get_by_role("button", name="Filter"))
    follow(page.get_by_role("link", name="cutthroat/0").first)
    for heading in ("ann · bea · cid", "Set 0", "Set 0, seating 012"):
        assert page.locator("h1").inner_text() == heading
        follow(page.locator("tbody th:not(.bot) a").first)
    assert page.locator("h1").inner_text() == "Deal 0"
    follow(page.get_by_text("Points").first)
    assert page.url.endswith("#result")
    page.context.close()
