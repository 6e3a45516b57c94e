"""Owners at the dashboard: who gets in, what may be uploaded, what each may see, and the JSON for their programs."""

from __future__ import annotations

import io
import re
import shutil
import threading
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug.serving import make_server

from dashboard import create_app
from league.archives import SUBMITTED
from league.store import Store
from tests.dashboard.play import create, play_match, queue
from tests.dashboard.site import NOT_PAGES
from tests.dashboard.visitors import HTTPS, TOML, Visitor, archive, bearer, settle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask
    from werkzeug.test import TestResponse


@pytest.fixture
def owned(tmp_path: Path) -> Iterator[tuple[Store, Flask, str]]:
    """A store with the owners ann and bea, the dashboard over it, and ann's key."""
    url = f"sqlite:///{tmp_path}/arena.db"
    app = create_app(url)
    with Store(url) as store:
        store.add_owner("bea")
        yield store, app, store.add_owner("ann")
    app.extensions["arena-store"].close()


# ---- signing in -------------------------------------------------------------------------------------------------------


def test_signing_in_and_out(owned: tuple[Store, Flask, str]) -> None:
    """A good key opens the owner's page, signing out closes it; the key is in no cookie and on no page."""
    _, app, key = owned
    visitor = Visitor(app)
    assert visitor.get("/owner/").headers["Location"] == "/owner/sign-in"
    answer = visitor.sign_in(key)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/owner/")
    cookie = answer.headers["Set-Cookie"]
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    page = visitor.get("/owner/")
    assert page.status_code == 200
    assert "signed in as" in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert key not in page.text + cookie
    assert visitor.post("/owner/sign-out").headers["Location"] == "/owner/sign-in"
    assert visitor.get("/owner/").status_code == 302


@pytest.mark.parametrize("key", ["", "nonsense", "arena-00000000-x", "x" * 5000])
def test_a_wrong_key(owned: tuple[Store, Flask, str], key: str) -> None:
    """A key that is not good opens nothing and says so."""
    visitor = Visitor(owned[1])
    answer = visitor.sign_in(key)
    assert answer.status_code == 403
    assert "not known here, or was revoked" in answer.text
    assert visitor.get("/owner/").status_code == 302


def test_revoking_a_key_signs_out_at_once(owned: tuple[Store, Flask, str]) -> None:
    """A session is no better than its key; that of a removed owner ends too."""
    store, app, key = owned
    other = store.add_key("ann")
    visitors = [Visitor(app), Visitor(app)]
    for visitor, shown in zip(visitors, (key, other), strict=True):
        visitor.sign_in(shown)
        assert visitor.get("/owner/").status_code == 200
    store.revoke_key("ann", store.keys("ann")[0].prefix)
    assert [visitor.get("/owner/").status_code for visitor in visitors] == [302, 200]
    store.remove_owner("ann")
    assert visitors[1].get("/owner/").status_code == 302


def test_cookies_stay_safe(owned: tuple[Store, Flask, str]) -> None:
    """Over plain http a key is taken on this machine alone; elsewhere it is refused with the reason."""
    _, app, key = owned
    for base in ("http://127.0.0.1:8000", "http://localhost", "http://[::1]:8000"):
        assert Visitor(app, base).sign_in(key).status_code == 302
    answer = Visitor(app, "http://arena.example.org").sign_in(key)
    assert (answer.status_code, "Signing in needs https" in answer.text) == (400, True)
    assert "key" not in str(answer.headers.get("Set-Cookie", "")).split("=")[0]


def test_a_forged_session_is_none(owned: tuple[Store, Flask, str], tmp_path: Path) -> None:
    """A session that another store's secret has signed opens nothing here."""
    other = create_app(f"sqlite:///{tmp_path}/other.db")
    with Store(f"sqlite:///{tmp_path}/other.db") as store:
        forger = Visitor(other)
        answer = forger.sign_in(store.add_owner("ann"))
    cookie = answer.headers["Set-Cookie"].split(";")[0].partition("=")[2]
    client = owned[1].test_client()
    client.set_cookie("arena", cookie, domain="arena.example.org")
    assert client.get("/owner/", base_url=HTTPS).status_code == 302
    other.extensions["arena-store"].close()


def test_every_form_needs_its_token(owned: tuple[Store, Flask, str]) -> None:
    """A request that another site has a browser send does nothing, though the cookie goes along."""
    store, app, key = owned
    visitor = Visitor(app)
    visitor.sign_in(key)
    visitor.upload()
    for path, fields in (
        ("/owner/submissions", {"archive": (archive(b"forged"), "bot.tar.gz")}),
        ("/owner/bots/mine/withdraw", {}),
        ("/owner/bots/mine/promote", {"version": "1"}),
        ("/owner/bots/mine/rollback", {}),
        ("/owner/sign-out", {}),
    ):
        answer = visitor._client.post(path, data=fields, base_url=HTTPS)
        assert (answer.status_code, "CSRF" in answer.text) == (400, True), path
    assert [one.state for one in store.submissions()] == ["submitted"]


# ---- uploads ----------------------------------------------------------------------------------------------------------


def test_an_upload_becomes_a_version(owned: tuple[Store, Flask, str]) -> None:
    """The page of the new version says what is going on, and later what came of it."""
    store, app, key = owned
    visitor = Visitor(app)
    visitor.sign_in(key)
    answer = visitor.upload()
    assert answer.status_code == 302
    page = answer.headers["Location"]
    found = store.submission("mine")
    assert (found.owner, found.version, found.promote) == ("ann", 1, True)
    assert "It waits for a worker" in visitor.get(page).text
    assert visitor.get(f"{page}/state").get_json() == {"state": "submitted"}
    settle(store, "mine", "arena check, step 3 (Answers): not legal")
    told = visitor.get(page).text
    assert "arena check, step 3 (Answers): not legal" in told
    assert "&lt;b&gt;not legal&lt;/b&gt;" in told
    assert "oops" in told
    assert "not legal" in visitor.get("/owner/").text
    assert visitor.get("/owner/state").get_json()["state"] == "settled"
    visitor.upload(b"better", promote="")
    assert store.submission("mine").promote is False


def test_a_bot_page_has_links_for_its_owner_alone(owned: tuple[Store, Flask, str]) -> None:
    """Submissions with why they failed, the way to manage the bot and its logs are there for its owner, for nobody else."""
    store, app, key = owned
    visitor, other = Visitor(app), Visitor(app)
    visitor.sign_in(key)
    visitor.upload()
    settle(store, "mine")
    first = queue(store, create(store, "cup", [("turn-up", {})], bots=["mine", "ann"], sets=1, fmt="deals:1"))[0]
    play_match(store, first.id)
    visitor.upload(b"worse")
    settle(store, "mine", "arena check, step 3 (Answers): not legal")
    second = store.submission("mine")
    assert (second.version, second.state) == (2, "failed")
    links = ("/owner/#bot-mine", f"/owner/submissions/{second.id}", f"/matches/{first.id}/logs")
    told = visitor.get("/leagues/cup/bots/mine").text
    for part in (*links, "arena check, step 3 (Answers)", "v2"):
        assert part in told, part
    assert visitor.get(f"/owner/submissions/{second.id}").status_code == 200
    other.sign_in(store.add_owner("cid"))
    for text in (other.get("/leagues/cup/bots/mine").text, Visitor(app).get("/leagues/cup/bots/mine").text):
        assert "mine" in text
        for part in (*links, "not legal", "v2"):
            assert part not in text, part
    assert links[0] not in visitor.get("/leagues/cup/bots/ann").text


def test_a_zip_of_a_folder(owned: tuple[Store, Flask, str]) -> None:
    """A folder zipped whole, as file managers do, is the same bot."""
    store, app, key = owned
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr("mybot/bot.toml", TOML)
        packed.writestr("mybot/bot.py", b"pass")
    made.seek(0)
    visitor = Visitor(app)
    visitor.sign_in(key)
    visitor.upload()
    answer = visitor.post("/owner/submissions", archive=(made, "mybot.zip"), promote="1")
    assert answer.status_code == 302
    assert len(store.submissions()) == 1


@pytest.mark.parametrize(
    ("file", "status", "said"),
    [
        ((io.BytesIO(b"hello"), "bot.tar.gz"), 400, "no archive that can be read"),
        ((io.BytesIO(b""), ""), 400, "Choose an archive first"),
        ((archive(toml=b'name = "mine"'), "x.tgz"), 400, "lacks run"),
        ((archive(toml=TOML + b'colour = "red"'), "x.tgz"), 400, "unknown key &#39;colour&#39;"),
        ((archive(toml=TOML.replace(b"mine", b"theirs")), "x.tgz"), 403, "not yours"),
    ],
)
def test_an_upload_that_is_refused(owned: tuple[Store, Flask, str], file: Any, status: int, said: str) -> None:
    """What is wrong is said on a page of the house; nothing is stored."""
    store, app, key = owned
    store.add_bot("theirs", "run")
    visitor = Visitor(app)
    visitor.sign_in(key)
    answer = visitor.post("/owner/submissions", archive=file)
    assert (answer.status_code, said in answer.text) == (status, True), answer.text
    assert store.submissions() == []


def test_an_upload_that_is_too_long(owned: tuple[Store, Flask, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A body beyond the cap is refused by its length, before it is read, and by what comes where no length is given."""
    store, app, key = owned
    client = app.test_client()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/gzip"}
    long = {"CONTENT_LENGTH": str(SUBMITTED.archive + 1)}
    answer = client.post("/api/v1/owner/submissions", data=b"x" * 100, headers=headers, environ_overrides=long)
    assert (answer.status_code, answer.get_json()["detail"]) == (413, "The archive is longer than 32 MB.")
    visitor = Visitor(app)
    visitor.sign_in(key)
    monkeypatch.setitem(app.config, "MAX_CONTENT_LENGTH", 1000)
    answer = visitor.post("/owner/submissions", archive=(io.BytesIO(b"x" * 5000), "x.zip"))
    assert (answer.status_code, "The archive is longer than 32 MB." in answer.text) == (413, True)
    assert store.submissions() == []


def test_uploads_are_never_served(owned: tuple[Store, Flask, str]) -> None:
    """No address gives an archive back, and no page outside the owner's own tells a bot's command or its failure."""
    store, app, key = owned
    visitor = Visitor(app)
    visitor.sign_in(key)
    visitor.upload(b"TOP SECRET STRATEGY")
    settle(store, "mine", "its weights are missing")
    tree = store.submission("mine").tree
    stranger = Visitor(app)
    for rule in app.url_map.iter_rules():
        url = rule.rule.replace("<int:number>", "1").replace("<name>", "mine")
        if "GET" not in (rule.methods or ()) or "<" in url or NOT_PAGES.get(rule.endpoint) == "a stream":
            continue
        for who in (visitor, stranger):
            assert "TOP SECRET STRATEGY" not in who.get(url).get_data(as_text=True), url
        assert not re.search(f"python bot.py|weights|{tree}", stranger.get(url).get_data(as_text=True)), url


# ---- whose is whose ---------------------------------------------------------------------------------------------------


def test_owners_see_and_change_their_own_alone(owned: tuple[Store, Flask, str]) -> None:
    """To another owner a submission does not exist, and another's bot cannot be changed; a page and JSON alike."""
    store, app, key = owned
    ann, bea = Visitor(app), Visitor(app)
    bea_key = store.add_key("bea")
    ann.sign_in(key)
    bea.sign_in(bea_key)
    ann.upload()
    settle(store, "mine")
    assert ann.get("/owner/submissions/1").status_code == 200
    for path in ("/owner/submissions/1", "/owner/submissions/1/state", "/owner/submissions/2"):
        assert bea.get(path).status_code == 404
    assert "mine" not in bea.get("/owner/").text
    for what in ("withdraw", "promote", "rollback"):
        assert bea.post(f"/owner/bots/mine/{what}", version="1").status_code == 404
        answer = app.test_client().post(f"/api/v1/owner/bots/mine/{what}", json={"version": 1}, headers=bearer(bea_key))
        assert answer.status_code == 404
    assert app.test_client().get("/api/v1/owner/submissions/1", headers=bearer(bea_key)).status_code == 404
    assert app.test_client().get("/api/v1/owner/submissions", headers=bearer(bea_key)).get_json()["submissions"] == []
    assert store.bot("mine").promoted == 1


def test_which_version_plays(owned: tuple[Store, Flask, str]) -> None:
    """Promote, roll back and withdraw by their buttons, which are there where they can do something."""
    store, app, key = owned
    visitor = Visitor(app)
    visitor.sign_in(key)
    for number in range(2):
        visitor.upload(str(number).encode())
        settle(store, "mine")
    assert "Roll back" in visitor.get("/owner/").text
    visitor.post("/owner/bots/mine/rollback")
    assert store.bot("mine").promoted == 1
    assert "Roll back" not in visitor.get("/owner/").text
    visitor.post("/owner/bots/mine/promote", version="2")
    assert store.bot("mine").promoted == 2
    visitor.post("/owner/bots/mine/withdraw", version="2")
    assert store.bot("mine").promoted == 1
    visitor.post("/owner/bots/mine/withdraw")
    page = visitor.get("/owner/").text
    assert "no version plays in new leagues" in page
    assert "for good" not in page
    assert visitor.post("/owner/bots/mine/promote", version="2").status_code == 400


# ---- JSON -------------------------------------------------------------------------------------------------------------


def test_the_json_takes_keys_and_no_cookies(owned: tuple[Store, Flask, str]) -> None:
    """Without a key there is nothing, whatever cookie goes along; so no other site can use it."""
    _, app, key = owned
    visitor = Visitor(app)
    visitor.sign_in(key)
    for headers in ({}, bearer("nonsense"), {"Authorization": f"Basic {key}"}, {"Authorization": "Bearer"}):
        answer = visitor._client.get("/api/v1/owner", headers=headers, base_url=HTTPS)
        assert (answer.status_code, answer.get_json()["title"]) == (401, "Unauthorized")
    answer = app.test_client().get("/api/v1/owner", headers=bearer(key))
    assert answer.get_json() == {"owner": "ann", "limits": {"bots": 5, "submissions_an_hour": 10}, "bots": []}
    assert answer.headers["Cache-Control"] == "no-store"


def test_limits_are_429_with_a_time(owned: tuple[Store, Flask, str]) -> None:
    """An owner who has submitted too often hears when to come again; too many bots is refused for good."""
    store, app, key = owned
    store.limit_owner("ann", most_bots=1, most_hourly=2)
    client = app.test_client()

    def post(content: bytes, toml: bytes = TOML) -> TestResponse:
        return client.post("/api/v1/owner/submissions", data=archive(content, toml).getvalue(), headers=bearer(key))

    assert post(b"1").status_code == 201
    other = post(b"1", TOML.replace(b"mine", b"other"))
    assert (other.status_code, "1 bots already (mine; allowed: 1)" in other.get_json()["detail"]) == (403, True)
    assert post(b"2").status_code == 201
    late = post(b"3")
    assert late.status_code == 429
    assert 3500 < int(late.headers["Retry-After"]) <= 3600
    assert "2 times within an hour (allowed: 2)" in late.get_json()["detail"]
    visitor = Visitor(app)
    visitor.sign_in(key)
    page = visitor.upload(b"4")
    assert (page.status_code, "Retry-After" in page.headers) == (429, True)
    assert len(store.submissions()) == 2


def test_what_makes_no_sense_to_the_json(owned: tuple[Store, Flask, str]) -> None:
    """Bodies that cannot be read are answered with what is allowed."""
    store, app, key = owned
    client = app.test_client()
    client.post("/api/v1/owner/submissions", data=archive().getvalue(), headers=bearer(key))
    for body in (b"[]", b"{", b'{"version": "1"}', b'{"version": true}', b'{"version": 0}', b""):
        answer = client.post("/api/v1/owner/bots/mine/promote", data=body, headers=bearer(key), content_type="application/json")
        assert (answer.status_code, "{&#34;" in answer.text or '{\\"version\\": 3}' in answer.text) == (400, True), body
    early = client.post("/api/v1/owner/bots/mine/promote", json={"version": 1}, headers=bearer(key))
    assert (early.status_code, "is submitted" in early.get_json()["detail"]) == (409, True)
    assert store.bot("mine").promoted is None


# ---- in a browser -----------------------------------------------------------------------------------------------------


@pytest.mark.needs("chromium")
def test_a_journey_in_a_browser(owned: tuple[Store, Flask, str], tmp_path: Path) -> None:
    """Sign in, upload, watch it qualify without a reload, roll back, withdraw, sign out; on a telephone and on a desk."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- slow, and not everywhere

    store, app, key = owned
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        with sync_playwright() as playwright:
            program = shutil.which("chromium") or shutil.which("chromium-browser")
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 390, "height": 800})
            page.set_default_timeout(120_000)
            said: list[str] = []
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(f"{url}/owner")
            page.get_by_label("Your key").fill(key)
            page.get_by_role("button", name="Sign in").click()
            for number, width in enumerate((390, 1280)):
                page.set_viewport_size({"width": width, "height": 900})
                (tmp_path / "bot.tar.gz").write_bytes(archive(str(number).encode()).getvalue())
                page.get_by_label("Archive of the bot's folder").set_input_files(tmp_path / "bot.tar.gz")
                page.get_by_role("button", name="Submit").click()
                page.get_by_text("It waits for a worker").wait_for()
                settle(store, "mine")
                page.locator("h3", has_text="arena check").wait_for()
                page.get_by_text("qualified").first.wait_for()
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                page.get_by_role("link", name="Your bots").first.click()
                page.get_by_text(f"v{number + 1} plays in new leagues").wait_for()
                assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.get_by_role("button", name="Roll back").click()
            page.get_by_text("v1 plays in new leagues").wait_for()
            page.get_by_text("Withdraw the bot").click()
            page.get_by_role("button", name="Withdraw every version for good").click()
            page.get_by_text("no version plays in new leagues").wait_for()
            page.get_by_role("button", name="Sign out").click()
            page.get_by_label("Your key").wait_for()
            assert said == []
            browser.close()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert [one.state for one in store.submissions()] == ["withdrawn", "withdrawn"]
