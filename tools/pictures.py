"""Take the pictures of README.md and docs/ of a played league: `python -m tools.pictures STORE LEAGUE REPLAY`.

STORE is the URL of the store, REPLAY the path of a deal's page with the move to show, such as
`/matches/autumn/bid-euchre/0/sets/0/games/0101/deals/3#m20`. Needs Debian's chromium and the group `test`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from werkzeug.serving import make_server

from dashboard import create_app

IMAGES = Path(__file__).parents[1] / "docs/images"
WIDTH = 1180


def main() -> int:
    """Take them."""
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    store, league, replay = sys.argv[1:]
    server = make_server("127.0.0.1", 0, create_app(store), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": WIDTH, "height": 800}, color_scheme="light")
        page.goto(f"{base}/leagues/{league}")
        take(page, "standings", "section[aria-labelledby=duels-title]")
        page.goto(base + replay)
        take(page, "replay", "[data-options]", top="[data-table]")
        bot = browser.new_page(viewport={"width": WIDTH, "height": 800}, color_scheme="dark")
        bot.goto(f"{base}/leagues/{league}")
        bot.locator("table.standings tbody th a").first.click()
        bot.locator(".curve canvas").wait_for()
        take(bot, "bot", "section[aria-labelledby=opponents-title]")
        browser.close()
    server.shutdown()
    return 0


def take(page: Page, name: str, bottom: str, top: str = "body") -> None:
    """Keep what the page shows from the top of one thing to the top of another, in 256 colours where a tool for that is there."""
    page.wait_for_load_state("load")
    edges = "([top, bottom]) => [top, bottom].map(one => document.querySelector(one).getBoundingClientRect().top + scrollY)"
    begin, end = page.evaluate(edges, [top, bottom])
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path, full_page=True, clip={"x": 0, "y": max(begin - 12, 0), "width": WIDTH, "height": end - begin - 12})
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--output", str(path), "64", str(path)], check=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    raise SystemExit(main())
