"""From an empty system to standings, in a browser: what an author, an organiser and a spectator do one after another."""

from __future__ import annotations

import re
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.dashboard.test_audit import SCREENSHOTS
from tests.dashboard.test_browser import browser, follow, watched  # noqa: F401 -- a fixture
from tests.worker.arenas import Arena
from tests.worker.test_up import free_port, page
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.slow, pytest.mark.needs("bubblewrap", "chromium")]

BOT = ROOT / "tests" / "bots" / "hosted" / "good"
LONG = 600_000
"""Milliseconds for what workers do meanwhile."""


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    made = Arena(tmp_path / "data")
    made.data.mkdir()
    yield made
    made.close()


def test_from_an_empty_system_to_standings(arena: Arena, browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    """An author submits a bot and sees it qualify, an organiser has it play, a spectator reads how it did; nothing complains."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    arena.start("up", "--workers", "1", "--bind", f"127.0.0.1:{port}")
    while page(port) is None:
        pass
    looked, troubles = watched(browser, 390)
    looked.set_default_timeout(LONG)
    begin(looked, address)
    key = re.search(r"arena-[0-9a-f]{8}-\S+", arena("owner", "add", "ann"))
    assert key is not None
    submit(looked, address, key[0], tmp_path)
    create = ("--variants", "turn-up", "--bots", "good,lowest", "--sets", "2", "--format", "deals:2")
    arena("league", "create", "cup", *create)
    looked.set_viewport_size({"width": 1280, "height": 900})
    watch(looked, address)
    assert troubles == []
    looked.context.close()


def begin(looked: Page, address: str) -> None:
    """The first look at an empty system, and from there to the first bot."""
    looked.goto(address)
    looked.get_by_text("No league yet").wait_for()
    shot(looked, "1-empty")
    follow(looked.get_by_role("link", name="Write your first bot"))
    follow(looked.get_by_role("link", name="Python").first)
    looked.get_by_text("arena new python mybot").wait_for()


def submit(looked: Page, address: str, key: str, folder: Path) -> None:
    """Sign in, upload, and watch the version qualify and be promoted without a reload."""
    with tarfile.open(folder / "good.tar.gz", "w:gz") as packed:
        packed.add(BOT, "good")
    follow(looked.get_by_role("link", name="Your bots").first)
    looked.get_by_label("Your key").fill(key)
    follow(looked.get_by_role("button", name="Sign in"))
    looked.get_by_label("Archive of the bot's folder").set_input_files(folder / "good.tar.gz")
    follow(looked.get_by_role("button", name="Submit"))
    looked.evaluate("window.same = true")
    looked.locator("[data-refresh=state] .chip", has_text="qualified").wait_for()
    assert looked.evaluate("window.same")
    shot(looked, "2-qualified")
    looked.goto(f"{address}/owner")
    looked.get_by_text("v1 plays in new leagues").wait_for()


def watch(looked: Page, address: str) -> None:
    """See the league end, who leads, how they did against each other, and a deal of it."""
    looked.goto(address)
    follow(looked.get_by_role("link", name="cup"))
    looked.locator(".chip", has_text="final").first.wait_for()
    looked.reload()
    text = looked.inner_text("main")
    assert "good" in text
    assert "lowest" in text
    shot(looked, "3-standings")
    led(looked, "Head to head", "cup")
    led(looked, looked.locator("main .duel td a").first, "against")
    shot(looked, "4-pair")
    led(looked, looked.locator('main a[href="/matches/cup/turn-up/0"]').first, "good · lowest|lowest · good")
    led(looked, "Set 0", "Set 0")
    led(looked, looked.locator(".same th a").first, "Deal 0 in every seating")
    led(looked, looked.locator("tbody th a").first, "Deal 0")
    looked.locator("[data-go=next]").click()
    looked.locator("[data-count]", has_text=re.compile("^1 /")).wait_for()
    shot(looked, "5-replay")
    led(looked, looked.locator(".head .sub").get_by_role("link", name="good").first, "good")
    assert "How it bids and plays" in looked.inner_text("main")
    led(looked, "cup", "cup")
    led(looked, "Live", "cup")
    looked.locator("[data-finished] a").first.wait_for()


def led(looked: Page, link: str | Locator, heading: str) -> None:
    """Follow a link, by its name or itself, to the page with this heading."""
    follow(looked.locator("main").get_by_role("link", name=link, exact=True).first if isinstance(link, str) else link)
    looked.get_by_role("heading", level=1, name=re.compile(heading)).wait_for()


def shot(looked: Page, name: str) -> None:
    looked.screenshot(path=SCREENSHOTS / "journey" / f"{name}.png", full_page=True)
