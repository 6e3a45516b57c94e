"""Start pages and rules pages: what they say is what the commands do and what the referee enforces."""

from __future__ import annotations

import html
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.cli.new import commands
from dashboard import sheets
from dashboard.pages import start
from league.languages import LANGUAGES
from league.manifest import parse
from referee.rules import VARIANTS, Rules
from referee.rules.options import text_of

if TYPE_CHECKING:
    from flask.testing import FlaskClient

ADDRESS = "https://arena.example.org"
ROOT = Path(__file__).parents[2]


def blocks(client: FlaskClient, slug: str) -> list[str]:
    """What a start page has to be copied."""
    text = client.get(f"/start/{slug}").text
    return [html.unescape(found) for found in re.findall(r"<pre[^>]*data-copy>(.*?)</pre>", text, re.DOTALL)]


@pytest.mark.parametrize("slug", start.SLUGS)
def test_a_start_page_tells_what_arena_new_prints(client: FlaskClient, slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build, test, check and play on the page are those of `arena new`, but for where this installation's programs are."""
    monkeypatch.setattr(sys, "argv", ["arena"])  # whatever runs the tests
    name = start.SLUGS[slug]
    language = LANGUAGES[name]
    typed = "\n".join(blocks(client, slug)).splitlines()
    assert f"arena new {name} mybot" in typed
    for command in commands(language, Path("mybot")):
        *_, last = re.split(r"\S*/arena(?= )|-m arena(?= )", command.replace(shlex.quote(sys.executable), "python"))
        plain = re.sub(r'PATH="[^"]*" ', "", last).strip()
        assert any(shlex.split(line)[-len(shlex.split(plain)) :] == shlex.split(plain) for line in typed), (plain, typed)
    assert language.ships in typed


@pytest.mark.parametrize("slug", start.SLUGS)
def test_the_bot_toml_of_a_start_page_is_good(client: FlaskClient, slug: str) -> None:
    """What the page has for bot.toml is taken by the reader of such files."""
    (toml,) = [block for block in blocks(client, slug) if block.startswith("name = ")]
    found = parse(toml.encode(), [variant.name for variant in VARIANTS])
    assert (found.name, found.run) == ("mybot", LANGUAGES[start.SLUGS[slug]].hosted)


def test_the_commands_of_a_start_page_work(client: FlaskClient, tmp_path: Path) -> None:
    """Typed one after another, the Python page's commands write a bot, test it, check it, play it, and make what is submitted."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "HOME": str(tmp_path), "ARENA_DATA": str(tmp_path / "var"), "ARENA_LAG_SECONDS": "600"}
    _, write, test, check, play, ships, toml, submit = blocks(client, "python")
    check = f"{check} --only 3,18"
    play = f"{play} --format deals:2 --answer 20 --start 90"
    local = re.sub(r".*\n(arena submit out) --to \S+", r"arena owner add ann\n\1 --owner ann --no-wait", submit)
    script = "\n".join(["set -eu", write, test, check, play, ships, f"cat >out/bot.toml <<'END'\n{toml}\nEND", local])
    done = subprocess.run(["sh", "-c", script], check=False, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\d  mine .* 0  –$", done.stdout, re.MULTILINE), done.stdout
    assert sorted(one.name for one in (tmp_path / "mybot" / "out").iterdir()) == ["bot.py", "bot.toml"]
    assert "mybot v1" in done.stdout


def test_an_unknown_language_is_a_404_that_helps(client: FlaskClient) -> None:
    """Any other language is sent to the page for anything."""
    answer = client.get("/start/cobol")
    assert answer.status_code == 404
    assert "there are: python, go, rust, java, typescript, cpp, anything" in html.unescape(answer.text)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_a_rules_page_has_every_option_as_enforced(client: FlaskClient, variant: object) -> None:
    """Each option stands there with its default, what is allowed and its meaning, as the referee's own table has them."""
    assert variant in VARIANTS
    rules = Rules(variant.name)  # type: ignore[attr-defined]
    text = client.get(f"/rules/{variant.name}").text  # type: ignore[attr-defined]
    rows = re.findall(
        r'<tr><th scope="row" class="stick"><code>(\w+)</code></th><td>(.*?)</td><td>(.*?)</td><td class="why">(.*?)</td>', text
    )
    told = {name: (default, allowed, html.unescape(re.sub("<[^>]+>", "", meaning))) for name, default, allowed, meaning in rows}
    expected = {
        one.name: (text_of(rules.options[one.name]), ", ".join(one.values), one.doc)
        for one in variant.options  # type: ignore[attr-defined]
    }
    assert told == expected


@pytest.mark.parametrize("name", sheets.names())
def test_a_rules_page_has_every_clause(client: FlaskClient, name: str) -> None:
    """Each clause of the sheet has an address of its own, and every link to a clause leads to one."""
    source = (ROOT / "seeds" / f"{name}.md").read_text(encoding="utf-8")
    text = client.get(f"/rules/{name}").text
    for clause in re.findall(r"^### ([A-Z]\d+) ", source, re.MULTILINE):
        assert f'<h3 id="{clause}">' in text
    assert "Held by" not in text
    assert ".md" not in text
    for page, clause in re.findall(r'href="/rules/([\w-]+)#(\w+)"', text):
        assert f'id="{clause}"' in client.get(f"/rules/{page}").text, (page, clause)
    for page in re.findall(r'href="(/rules/[\w-]+)"', text):
        assert client.get(page).status_code == 200


def test_an_unknown_variant_is_a_404_that_helps(client: FlaskClient) -> None:
    """It names those there are."""
    assert "ghost-hand, cutthroat, bid-euchre, turn-up" in client.get("/rules/poker").text
