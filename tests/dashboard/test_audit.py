"""Every page, looked at in a real browser: for everybody, on a telephone and on a desk, light and dark, small, and in order."""

from __future__ import annotations

import gzip
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.dashboard.site import NOT_PAGES, addresses, copy, inhabit
from tests.dashboard.test_browser import browser, serve, watched  # noqa: F401 -- a fixture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from axe_playwright_python.sync_playwright import Axe
    from flask import Flask
    from playwright.sync_api import Browser, Page, Response

pytestmark = pytest.mark.needs("chromium")

MOST_BYTES = 150_000
"""Of a page with all that it loads, compressed."""
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
TEXTS = re.compile(r"text/|javascript|json|svg")
RESOURCES = {"document", "stylesheet", "script", "image", "font"}
AGAINST = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
HOW = {"resultTypes": ["violations"], "runOnly": AGAINST, "preload": False, "iframes": False}
ALIKE = [
    ["tbody tr:nth-child(n+4)"],
    ["tbody:nth-of-type(n+3)"],
    [".step:nth-child(n+4):not(.whole)"],
    ["section.stack > article:nth-of-type(n+4)"],
]
"""Lines that are like those before them."""
DESK, PHONE = 1280, 390


@pytest.fixture(scope="module")
def site(store_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Flask, str, str]]:
    """The dashboard of the finished, unfinished and empty leagues, with an owner: the application, its address and the key."""
    url = copy(Path(store_url.removeprefix("sqlite:///")), tmp_path_factory.mktemp("audit") / "arena.db")
    app, key = inhabit(url)
    for address in serve(app):
        yield app, address, key
    app.extensions["arena-store"].close()


@pytest.fixture(scope="module")
def axe() -> Axe:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 -- slow, and not everywhere

    return Axe()


def signed_in(page: Page, address: str, key: str) -> None:
    page.goto(f"{address}/owner/sign-in")
    page.get_by_label("Your key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("signed in as").wait_for()


def failings(page: Page, axe: Axe, *, whole: bool) -> list[str]:
    """What axe finds that is serious or critical, with where; unless whole, of long lists only in their first lines."""
    page.evaluate(axe.axe_script)
    found = page.evaluate("([what, how]) => axe.run(what, how)", [{"exclude": [] if whole else ALIKE}, HOW])
    bad = [one for one in found["violations"] if one["impact"] in {"serious", "critical"}]
    return [f"{one['id']}: {node['html'][:200]} {node['failureSummary']}" for one in bad for node in one["nodes"][:3]]


def names(url: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "_", url.lower()).strip("_") or "home"


@pytest.mark.parametrize(("width", "scheme"), [(DESK, "light"), pytest.param(PHONE, "dark", marks=pytest.mark.slow)])
def test_every_page_is_for_everybody(
    browser: Browser,  # noqa: F811
    site: tuple[Flask, str, str],
    axe: Axe,
    width: int,
    scheme: str,
) -> None:
    """On no page does axe find anything serious, does the window scroll sideways, or does anything complain; and all are small.

    Each is loaded as by a browser that has never been here.
    """
    app, address, key = site
    page, troubles = watched(browser, width, color_scheme=scheme)
    signed_in(page, address, key)
    page.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    got: list[Response] = []
    page.on("response", lambda one: got.append(one))  # noqa: PLW0108 -- what is built in cannot listen
    bad: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for url in addresses(app):
        got.clear()
        troubles.clear()
        answer = page.goto(address + url)
        assert answer is not None
        assert answer.status == (404 if url == "/nowhere" else 403 if "live" in url and "games" in url else 200), url
        sizes[url] = sum(compressed(one) for one in got if one.request.resource_type in RESOURCES)
        found = looked_at(page, axe, names(url), width, scheme)
        found += [text for text in troubles if answer.ok or "Failed to load resource" not in text]
        if found:
            bad[url] = found
    page.context.close()
    print(*(f"{size / 1000:6.1f} kB  {url}" for url, size in sorted(sizes.items(), key=lambda item: -item[1])), sep="\n")
    assert bad == {}
    assert min(sizes.values()) > 5_000, "the stylesheet alone is more"
    assert {url: size for url, size in sizes.items() if size > MOST_BYTES} == {}


def looked_at(page: Page, axe: Axe, name: str, width: int, scheme: str) -> list[str]:
    """What is wrong with the page that is open; from the desk it is taken to the telephone too, to see whether it fits."""
    found = failings(page, axe, whole=width == PHONE) + too_wide(page, width)
    if not page.evaluate("[...document.images].every(image => image.naturalWidth > 0)"):
        found.append("a picture is not there")
    page.screenshot(path=SCREENSHOTS / f"{width}-{scheme}" / f"{name}.jpeg", full_page=True, type="jpeg", quality=75)
    if width == DESK:
        page.set_viewport_size({"width": PHONE, "height": 800})
        page.emulate_media(color_scheme="dark")
        found += too_wide(page, PHONE)
        page.screenshot(path=SCREENSHOTS / f"{PHONE}-dark" / f"{name}.jpeg", full_page=True, type="jpeg", quality=75)
        page.set_viewport_size({"width": DESK, "height": 800})
        page.emulate_media(color_scheme="light")
    return found


def too_wide(page: Page, width: int) -> list[str]:
    wide = page.evaluate("document.documentElement.scrollWidth")
    return [f"{wide} pixels wide, not {width}"] if wide > width else []


def compressed(answer: Response) -> int:
    body = answer.body()
    packs = TEXTS.search(answer.headers.get("content-type", "")) is not None
    return len(gzip.compress(body, 6)) if packs else len(body)


def test_the_policy_is_kept_in_the_browser(browser: Browser, site: tuple[Flask, str, str]) -> None:  # noqa: F811
    """A script, a style or a picture that is put into a page from without is not run, applied or fetched."""
    _, address, _ = site
    page, troubles = watched(browser, 1280)
    page.goto(address)
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.stolen = true";
        document.body.append(script);
        const main = document.querySelector("main"); main.setAttribute("style", "display: none");
        const image = document.createElement("img"); image.src = "http://127.0.0.1:1/x.png"; document.body.append(image);
    }""")
    page.wait_for_function("document.images[document.images.length - 1].complete")
    assert page.evaluate("window.stolen") is None
    assert page.locator("main").is_visible()
    assert len([text for text in troubles if "Content Security Policy" in text]) == 3
    page.context.close()


def test_only_what_is_known_is_left_out(site: tuple[Flask, str, str]) -> None:
    """What is named as no page is an address still, and no page at all is left out with it."""
    app, _, _ = site
    endpoints = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert set(NOT_PAGES) <= endpoints
    for endpoint in set(NOT_PAGES) - {"static"}:
        assert "render_template" not in inspect.getsource(app.view_functions[endpoint])
