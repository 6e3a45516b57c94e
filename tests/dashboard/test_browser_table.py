"""Replays, proofs and live pages in a real browser."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from league.canonical import canonical
from league.store import Store
from referee.rules import VARIANTS, Rules
from tests.dashboard.play import create, play_match, queue
from tests.dashboard.test_browser import address, browser, follow, own_address, watched  # noqa: F401 -- fixtures
from tests.dashboard.test_replay import MATCHES, called, find
from tests.rules import notation as n

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

    from dashboard.replay import Replay

pytestmark = pytest.mark.needs("chromium")

VECTORS = json.loads((Path(__file__).parents[1] / "rules/data/deal-vectors.json").read_text("utf-8"))


def drawn(page: Page, where: str) -> list[str]:
    """The cards drawn in a part of the table, in order."""
    uses = page.locator(where).locator("use").evaluate_all("found => found.map(use => use.getAttribute('href'))")
    return [use.removeprefix("#c-") for use in uses if use.startswith("#c-")]


def at_step(page: Page, step: int, last: int) -> None:
    """Wait until the table shows this step: it hears of an address that changed a moment later."""
    page.locator("[data-count]", has_text=re.compile(rf"^{step} / {last}$")).wait_for()


@pytest.fixture(scope="module")
def desk(browser: Browser, address: str) -> Page:  # noqa: F811
    """A page on a desk, on which nothing may complain."""
    page, page.troubles = watched(browser, 1280)  # type: ignore[attr-defined]
    page.base = address  # type: ignore[attr-defined]
    return page


def sits_out_or_played(deal: Replay) -> bool:
    return bool(deal.tricks)


KINDS: dict[str, tuple[tuple[str, ...], Callable[[Replay], bool]]] = {
    **{match_id: ((match_id,), sits_out_or_played) for match_id in MATCHES},
    "swap": (("four/ghost-hand/0",), called("auction", "swap")),
    "dummy": (("four/cutthroat/0",), called("alone", "dummy")),
    "ask": (("four/bid-euchre/0",), called("auction", "ask")),
    "joker": (("odd/cutthroat/0",), lambda deal: any("XX" in hand for hand in deal.hands) and bool(deal.tricks)),
    "fault": (tuple(MATCHES), lambda deal: any(fault.revoke for fault in deal.faults)),
    "thrown in": (("four/ghost-hand/0",), lambda deal: deal.thrown_in),
}
WALK = """() => {
    const cards = (where) => [...document.querySelectorAll(`${where} use`)].map(use => use.getAttribute("href").slice(3));
    const look = () => ({
        hash: location.hash,
        current: document.querySelector("a.move[aria-current]")?.id,
        fault: document.querySelector("[data-fault]").hidden ? "" : document.querySelector("[data-fault]").textContent,
        tells: document.querySelector("[data-tells]").textContent,
        hands: [...document.querySelectorAll("[data-seat]")].map(
            (box) => [box.dataset.seat, cards(`[data-seat="${box.dataset.seat}"] .hand`)]),
        slots: Object.fromEntries([...document.querySelectorAll("[data-slot]")].map(
            (slot) => [slot.dataset.slot, cards(`[data-slot="${slot.dataset.slot}"]`)])),
    });
    const seen = [look()];
    while (document.querySelector("[data-go=next]").getAttribute("aria-disabled") === "false") {
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        seen.push(look());
    }
    return seen;
}"""
"""Goes through a deal with the arrow key; returns what the table shows at each step."""
WIDEST = """moves => Math.max(...Array.from({ length: moves }, () => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    return document.documentElement.scrollWidth;
}))"""
"""Goes through a deal with the arrow key; returns how wide the page is at the widest."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_replay_goes_from_the_cards_dealt_to_the_last(desk: Page, store: Store, kind: str) -> None:
    """Step by step the table shows the hands, the trick and the words of every move, and at the end the points."""
    match_ids, wanted = KINDS[kind]
    url, deal = find(store, wanted, *match_ids)
    desk.goto(desk.base + url)  # type: ignore[attr-defined]
    begun, *seen = desk.evaluate(WALK)
    assert {int(seat): sorted(cards) for seat, cards in begun["hands"]} == dict(enumerate(map(sorted, deal.hands)))
    assert len(seen) == len(deal.moves)
    for move, step in zip(deal.moves, seen, strict=True):
        assert (step["hash"], step["current"]) == (f"#m{move.number}", f"m{move.number}")
        assert bool(step["fault"]) == bool(move.fault)
        if move.phase == "play":
            assert step["slots"][str(move.seat)] == [move.action]
            assert "plays the " in step["tells"]
    for seat, cards in seen[-1]["hands"]:
        assert not cards or deal.thrown_in or int(seat) in deal.out
    assert re.search("is over|thrown in", seen[-1]["tells"])
    assert desk.troubles == []  # type: ignore[attr-defined]


def test_keys_links_and_the_slider_lead_to_a_move(desk: Page, store: Store) -> None:
    """Home and end go to the ends, a link in the list and an address go to their move, and so does the slider."""
    url, deal = find(store, sits_out_or_played, "four/turn-up/0")
    last = len(deal.moves)
    desk.goto(f"{desk.base}{url}#m5")  # type: ignore[attr-defined]
    at_step(desk, 6, last)
    count = desk.locator("[data-count]")
    for key, at in (
        ("End", last),
        ("ArrowRight", last),
        ("ArrowLeft", last - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
    ):
        desk.keyboard.press(key)
        assert count.inner_text() == f"{at} / {last}", key
    desk.click("#m9")
    at_step(desk, 10, last)
    desk.locator("[data-track]").fill("3")
    assert count.inner_text() == f"3 / {last}"
    assert desk.evaluate("location.hash") == "#m2"
    desk.goto(f"{desk.base}{url}#t2")  # type: ignore[attr-defined]
    lead = deal.tricks[1].plays[0].number
    at_step(desk, lead + 1, last)


def test_the_table_plays_by_itself_and_pauses(desk: Page, store: Store) -> None:
    """Space starts and stops, the speed is remembered, and at the end it stops by itself."""
    url, deal = find(store, sits_out_or_played, "four/cutthroat/0")
    last = len(deal.moves)
    desk.goto(desk.base + url)  # type: ignore[attr-defined]
    desk.select_option("[data-speed]", "250")
    desk.locator("h1").click()
    desk.keyboard.press("Space")
    desk.locator("[data-count]", has_text=re.compile(r"^([3-9]|\d\d) /")).wait_for()  # or later: the browser may be slow
    desk.keyboard.press("Space")
    held = desk.inner_text("[data-count]")
    assert desk.locator(".player.playing").count() == 0
    assert desk.inner_text("[data-count]") == held
    desk.keyboard.press("Space")
    desk.locator("[data-count]", has_text=f"{last} / {last}").wait_for()
    desk.locator(".player:not(.playing)").wait_for()
    desk.reload()
    assert desk.locator("[data-speed]").input_value() == "250"


def test_one_seat_sees_its_own_cards(desk: Page, store: Store) -> None:
    """Seen from a seat it sits nearest, the others' hands are backs, played cards are open, and the next deal keeps the view."""
    url, deal = find(store, sits_out_or_played, "four/turn-up/0")
    desk.goto(f"{desk.base}{url}")  # type: ignore[attr-defined]
    desk.select_option("[data-hands]", "2")
    assert sorted(drawn(desk, "[data-seat='2'] .hand")) == sorted(deal.hands[2])
    for seat in (0, 1, 3):
        assert set(drawn(desk, f"[data-seat='{seat}'] .hand")) == {"back"}
    assert "at-s" in (desk.locator("[data-seat='2']").get_attribute("class") or "")
    assert "at-n" in (desk.locator("[data-seat='0']").get_attribute("class") or "")
    first = deal.tricks[0].plays[0]
    desk.goto(f"{desk.base}{url}?seat=2#m{first.number}")  # type: ignore[attr-defined]
    at_step(desk, first.number + 1, len(deal.moves))
    assert drawn(desk, f"[data-slot='{first.seat}']") == [first.action]
    follow(desk.locator("a[rel=next]"))
    assert "seat=2" in desk.url


def test_four_colours_are_remembered(desk: Page, store: Store) -> None:
    """Two colours at first; with four, each suit has its own, and the next page and the next visit keep it."""
    url, _ = find(store, lambda deal: {"QS", "QH", "QD", "QC"} <= deal.cards, "four/turn-up/0", "four/cutthroat/0")
    desk.goto(desk.base + url)  # type: ignore[attr-defined]
    colours = """() => ["C", "D", "H", "S"].map(suit =>
        getComputedStyle(document.querySelector(`#c-Q${suit} .f-${suit}`)).fill)"""
    assert len(set(desk.evaluate(colours))) == 2
    desk.check("[data-colours]")
    assert len(set(desk.evaluate(colours))) == 4
    desk.reload()
    assert len(set(desk.evaluate(colours))) == 4
    assert desk.is_checked("[data-colours]")
    desk.uncheck("[data-colours]")
    assert len(set(desk.evaluate(colours))) == 2


@pytest.mark.parametrize("width", [390, 1280])
def test_hands_stay_on_the_table(browser: Browser, address: str, store: Store, width: int) -> None:  # noqa: F811
    """Even twelve cards a hand close up like a fan, and the table is no wider than the window."""
    url, deal = find(store, sits_out_or_played, "odd/bid-euchre/0")
    page, troubles = watched(browser, width)
    page.goto(address + url)
    felt = page.locator(".felt").bounding_box()
    assert felt is not None
    boxes = page.locator(".felt .hand .card").evaluate_all("found => found.map(card => card.getBoundingClientRect().right)")
    assert len(boxes) == 48
    assert max(boxes) <= felt["x"] + felt["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDEST, len(deal.moves)) <= width
    assert troubles == []
    page.context.close()


def test_without_a_script_the_whole_deal_can_be_read(browser: Browser, address: str, store: Store) -> None:  # noqa: F811
    """No controls without a script: the hands as dealt, every call and trick, and links to views and moves that work."""
    url, deal = find(store, sits_out_or_played, "four/ghost-hand/0")
    page, _ = watched(browser, 390, java_script_enabled=False)
    page.goto(address + url)
    assert not page.locator("[data-player]").is_visible()
    for seat, hand in enumerate(deal.hands):
        assert drawn(page, f"[data-seat='{seat}'] .hand") == list(hand)
    follow(page.locator(f"#m{deal.moves[-1].number}"))
    assert page.url.endswith(f"#m{deal.moves[-1].number}")
    follow(page.locator("nav[aria-label='Whose cards are shown'] a").nth(2))
    assert page.url.endswith("?seat=1")
    assert set(drawn(page, "[data-seat='0'] .hand")) == {"back"}
    page.context.close()


# ---- proof --------------------------------------------------------------------------------------------------------------


def checks(page: Page) -> dict[str, str]:
    """How each check of the panel came out."""
    page.locator(".verdict.good, .verdict.bad").wait_for()
    found = page.locator("[data-check]")
    return {item.get_attribute("data-check") or "": item.get_attribute("data-state") or "" for item in found.all()}


def test_a_good_record_is_proved_in_the_browser(desk: Page) -> None:
    """One click checks the record of a match, from the seal to the digest, the league's key too; what was compared is shown."""
    desk.goto(f"{desk.base}/matches/four/cutthroat/0")  # type: ignore[attr-defined]
    desk.click("[data-verify]")
    found = checks(desk)
    assert list(found) == ["record", "commitment", "league", "dealers", "moves", "points", "digest"]
    assert set(found.values()) == {"passed"}
    assert "96 deals shuffled from the key" in desk.inner_text("[data-check=moves]")
    assert desk.locator("[data-verdict]").inner_text() == "Everything agrees."
    script = Path(__file__).parents[2] / "dashboard/static/verify.mjs"
    assert hashlib.sha256(script.read_bytes()).hexdigest() in (desk.locator("[data-proof]").text_content() or "")


def test_the_cards_on_a_page_are_proved(desk: Page, store: Store) -> None:
    """On the page of a deal the cards shown are compared with those that the key deals; other cards are found out."""
    url, _ = find(store, sits_out_or_played, "odd/bid-euchre.2/1")
    for change, verdict in (("", "passed"), ("JC", "failed")):
        desk.goto(desk.base + url)  # type: ignore[attr-defined]
        if change:
            desk.evaluate("""() => { const felt = document.querySelector("[data-table]"), table = JSON.parse(felt.dataset.table);
                table.positions[0].hands[0].pop(); felt.dataset.table = JSON.stringify(table); }""")
        desk.click("[data-verify]")
        assert checks(desk)["shown"] == verdict


Record = list[dict[str, Any]]


def _reseal(lines: Record) -> None:
    """Forge the digest, so that only the check meant can find the forgery."""
    text = "".join(canonical(line) + "\n" for line in lines[:-1])
    lines[-1]["digest"] = hashlib.sha256(text.encode()).hexdigest()


def _first_deal(lines: Record) -> dict[str, Any]:
    found: dict[str, Any] = next(deal for game in lines[1]["games"] for deal in game["deals"] if len(deal["moves"].split()) > 15)
    return found


def _swap_plays(lines: Record) -> None:
    deal = _first_deal(lines)
    moves = deal["moves"].split()
    moves[-1], moves[-2] = moves[-2], moves[-1]
    deal["moves"] = " ".join(moves)


def _more_points(lines: Record) -> None:
    _first_deal(lines)["points"][0] += 1


def _other_dealer(lines: Record) -> None:
    lines[1]["dealer"] = (lines[1]["dealer"] + 1) % 3


def _other_key(lines: Record) -> None:
    lines[-1]["key"] = "00" * 32


def _other_name(lines: Record) -> None:
    lines[0]["lineup"][0]["bot"] = "eve"


def _no_end(lines: Record) -> None:
    lines.pop()


def _other_place(lines: Record) -> None:
    lines[2]["games"][3]["places"].reverse()


@pytest.mark.parametrize(
    ("forge", "seal", "fails"),
    [
        (_swap_plays, True, "moves"),
        (_more_points, True, "points"),
        (_other_place, True, "points"),
        (_other_dealer, True, "dealers"),
        (_other_key, True, "commitment"),
        (_other_name, False, "digest"),
        (_no_end, False, "record"),
    ],
)
def test_a_forged_record_fails_at_the_right_check(
    desk: Page, store: Store, forge: Callable[[Record], None], seal: bool, fails: str
) -> None:
    """A record that was altered, though its digest was forged to fit, fails at the check that concerns it, and only there."""
    lines: Record = [json.loads(canonical(line)) for line in store.record_lines("four/cutthroat/0")]
    forge(lines)
    if seal:
        _reseal(lines)
    desk.goto(f"{desk.base}/matches/four/cutthroat/0")  # type: ignore[attr-defined]
    text = "".join(canonical(line) + "\n" for line in lines)
    desk.set_input_files("[data-file]", {"name": "forged.jsonl", "mimeType": "application/jsonl", "buffer": text.encode()})
    found = checks(desk)
    expected = {fails, "league"} if fails == "commitment" else {fails}  # a key of somebody's own is not the league's either
    assert {check for check, state in found.items() if state == "failed"} == expected
    assert "not what was played" in desk.inner_text("[data-verdict]")


def test_the_script_deals_by_the_vectors(desk: Page) -> None:
    """Keys, packs and first dealers of the script are those of the published vectors."""
    desk.goto(f"{desk.base}/fair-play")  # type: ignore[attr-defined]
    packs = []
    for vector in VECTORS["packs"]:
        rules = Rules(vector["variant"], vector["options"])
        packs.append({**vector, "pack": n.texts(list(rules.pack)).split(), "rules": rules.options})
    found = desk.evaluate(
        """async ([vectors, packs]) => {
            const tools = await import("/static/verify.mjs");
            const dealer = await tools.Dealer.of(tools.fromHex(vectors.key));
            const shuffled = [], whole = [];
            for (const vector of packs) {
                const rules = tools.rulesOf(vector.variant, vector.rules);
                whole.push(rules.pack);
                shuffled.push((await dealer.shuffled(rules.pack, vector.set, vector.deal)).join(" "));
            }
            const dealers = {};
            for (const [seats, list] of Object.entries(vectors.first_dealers)) {
                dealers[seats] = [];
                for (const set of list.keys()) dealers[seats].push(await dealer.firstDealer(set, Number(seats)));
            }
            const { league_key, match } = vectors.match_key;
            return { shuffled, whole, dealers, commitment: await tools.sha256(tools.fromHex(vectors.key)),
                key: await tools.matchKey(tools.fromHex(league_key), match) };
        }""",
        [VECTORS, packs],
    )
    assert found["whole"] == [vector["pack"] for vector in packs]
    assert found["shuffled"] == [vector["shuffled"] for vector in packs]
    assert found["dealers"] == VECTORS["first_dealers"]
    assert found["commitment"] == VECTORS["commitment"]
    assert found["key"] == VECTORS["match_key"]["key"]


@pytest.mark.parametrize("match_id", [match_id for match_id in MATCHES if match_id != "four/cutthroat/0"])
def test_the_script_knows_the_rules_of_every_variant(desk: Page, store: Store, match_id: str) -> None:
    """Records of every variant, with faults, revokes and forfeits in them, are proved by the script's own rules."""
    desk.goto(f"{desk.base}/fair-play")  # type: ignore[attr-defined]
    text = "".join(canonical(line) + "\n" for line in store.record_lines(match_id))
    found = desk.evaluate(
        """async (text) => {
            const { verify } = await import("/static/verify.mjs");
            const states = {};
            await verify(text, {}, ({ check, state, detail }) => (states[check] = state === "failed" ? detail : state));
            return states;
        }""",
        text,
    )
    assert found.pop("league") == "skipped"
    assert set(found.values()) == {"passed"}, found
    assert {variant.name for variant in VARIANTS} <= {name.split("/")[1].partition(".")[0] for name in MATCHES}


# ---- live ---------------------------------------------------------------------------------------------------------------


def test_the_live_page_follows_by_events(browser: Browser, own_address: str, tmp_path: Path) -> None:  # noqa: F811
    """Tables, progress and finished sets appear without a reload or asking again, on the match's page too; the end is told."""
    with Store(f"sqlite:///{tmp_path}/own.db") as store:
        (match,) = queue(store, create(store, "cup", [("turn-up", {})], bots=("ann", "bea"), sets=2, fmt="deals:2"))
        page, troubles = watched(browser, 1280)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{own_address}/leagues/cup/live")
        page.locator("[data-link].running").wait_for()
        other, _ = watched(browser, 390)
        other.goto(f"{own_address}/matches/{match.id}")
        other.locator("[data-match][data-live]").wait_for()
        polled: list[str] = []
        other.on("request", lambda request: polled.append(request.url))
        claim = store.claim(match.id, "tester", 600)
        assert claim is not None
        page.locator("[data-tables] a", has_text="turn-up/0").wait_for()
        store.release(claim, "interrupted")
        play_match(store, match.id)
        page.locator("[data-progress] progress[value='4']").wait_for()
        other.locator("[data-refresh=state] .chip", has_text="complete").wait_for()
        other.locator("[data-refresh=sets] a", has_text="Set 1").wait_for()
        assert not [url for url in polled if "/api/" in url]
        other.context.close()
        store.finish_league("cup")
        page.locator("[data-link]", has_text="ended").wait_for()
        page.locator("[data-finished] a").first.wait_for()
        assert len([url for url in asked if "/events" in url]) == 1
        assert not [url for url in asked if url.endswith("/live")][1:]
        follow(page.locator("[data-finished] a", has_text="set 0").first)
        assert "Luck and play" in page.inner_text("main")
        assert troubles == []
        page.context.close()
