"""`arena owner`, `arena submit`, `arena submission`, and the commands that choose which version plays."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from werkzeug.serving import make_server

from arena.__main__ import main
from dashboard import create_app
from league.store import Store
from worker.settings import from_env

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from league.model import Submission

BOTS = Path(__file__).parent.parent / "bots" / "hosted"


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs `arena` with these words on a fresh data folder that knows the owner ann, whose key is in the environment."""
    for name in ("ARENA_STORE", "REDIS_URL", "ARENA_QUEUE", "ARENA_REFEREE", "ARENA_OPERATOR_TOKEN", "ARENA_LEASE_SECONDS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARENA_DATA", str(tmp_path / "data"))
    run = lambda *words: CliRunner().invoke(main, list(map(str, words)))  # noqa: E731
    monkeypatch.setenv("ARENA_KEY", run("owner", "add", "ann").stdout.strip())
    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder that may be changed."""
    return Path(shutil.copytree(BOTS / "good", tmp_path / "good"))


@pytest.fixture
def store(arena: Callable[..., Result]) -> Iterator[Store]:
    """The store that the commands use."""
    with Store(from_env().store_url) as opened:
        yield opened


@pytest.fixture
def url(store: Store) -> Iterator[str]:
    """A dashboard over the same store, served."""
    app = create_app(str(from_env().store_url))
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
    app.extensions["arena-store"].close()


def settle(store: Store, found: Submission, reason: str | None = None) -> None:
    """Do what a worker does."""
    claim = store.claim_submission(found.id, 30)
    assert claim is not None
    assert store.submission_built(claim, found.tree)
    step = {
        "name": "turn-up",
        "title": "A match",
        "status": "passed" if reason is None else "failed",
        "seconds": 1,
        "output": "ouch",
    }
    assert store.qualified(claim, [step]) if reason is None else store.unqualified(claim, reason, [step])


def test_owners_and_keys(arena: Callable[..., Result]) -> None:
    """Keys are shown once and listed by how they begin; a revoked one is of no use."""
    made = arena("owner", "add", "bea", "--bots", "2", "--submissions", "1")
    assert made.exit_code == 0
    key = made.stdout.strip()
    assert key.startswith("arena-")
    assert "bea: 2 bots, 1 submission an hour" in made.stderr
    assert "shown this once" in made.stderr
    other = arena("owner", "key", "add", "bea", "--label", "laptop").stdout.strip()
    listed = arena("owner", "key", "list", "bea").stdout
    assert "laptop" in listed
    assert key not in listed
    assert other not in listed
    prefix = key.rsplit("-", 1)[0] if key.count("-") == 2 else "-".join(key.split("-")[:2])
    assert arena("owner", "key", "revoke", "bea", f"{prefix}-…").stdout == f"{prefix} revoked; bea has 1 key left\n"
    assert "revoked" in arena("owner", "key", "list", "bea").stdout
    assert arena("owner", "set", "bea", "--bots", "9").stdout == "bea: 9 bots, 1 submission an hour\n"
    assert "bea" in arena("owner", "list").stdout
    assert arena("owner", "remove", "bea").stdout == "bea removed\n"
    assert "bea (removed)" in arena("owner", "list", "--all").stdout


def test_submit(arena: Callable[..., Result], folder: Path, store: Store) -> None:
    """A folder becomes a version; the same again is the same version, a change the next."""
    first = arena("submit", folder, "--no-wait")
    assert (first.exit_code, first.stdout) == (0, "good v1 submitted\n")
    assert arena("submit", folder, "--no-wait").stdout == "good v1 submitted\n"
    (folder / "bot.py").write_text("changed")
    assert arena("submit", folder, "--no-wait").stdout == "good v2 submitted\n"
    assert arena("submit", folder, "--no-wait", "--bot", "other").stdout == "other v1 submitted\n"
    assert store.bot("good").owner == "ann"
    listed = arena("submission", "list", "--bot", "good").stdout.splitlines()
    assert [line.split()[:2] for line in listed[1:]] == [["good", "v2"], ["good", "v1"]]


def test_waiting_for_what_becomes_of_it(arena: Callable[..., Result], folder: Path, store: Store) -> None:
    """Submitting waits, and ends with 0 for a version that qualified and with 1 and the reason for one that did not."""
    for reason, code in ((None, 0), ("the match of turn-up: 2 faults", 1)):
        (folder / "bot.py").write_text(str(reason))

        def work(reason: str | None = reason) -> None:
            with Store(store.url.render_as_string(hide_password=False)) as mine:
                while not (waiting := mine.waiting_submissions()):
                    time.sleep(0.05)
                settle(mine, mine.submission_by_id(waiting[0]), reason)

        worker = threading.Thread(target=work)
        worker.start()
        result = arena("submit", folder)
        worker.join()
        assert result.exit_code == code, result.output
        assert ("is qualified" if reason is None else f"failed: {reason}") in result.stdout


def test_what_came_of_it(arena: Callable[..., Result], folder: Path, store: Store) -> None:
    """The steps and the verdict are shown, what was written is logged, and where there is nothing that is said."""
    arena("submit", folder, "--no-wait")
    assert "good v1 of ann" in arena("submission", "show", "good").stdout
    assert arena("submission", "log", "good").stdout == "(nothing was written down)\n"
    settle(store, store.submission("good"), "it cheats")
    shown = arena("submission", "show", "good", "1").stdout
    assert "FAILED A match" in shown
    assert shown.endswith("good v1 failed: it cheats\n")
    assert "ouch" in arena("submission", "log", "good").stdout
    missing = arena("submission", "show", "good", "2")
    assert (missing.exit_code, "no version 2 (it has: 1)" in missing.stderr) == (1, True)


def test_sweeping(arena: Callable[..., Result], folder: Path, store: Store) -> None:
    """Files that nobody can play go on demand, not before their time; their submission stays to be read."""
    arena("submit", folder, "--no-wait")
    settle(store, store.submission("good"), "it cheats")
    assert arena("submission", "sweep").stdout == "0 sets of files removed, nothing before compression\n"
    for words, said in (
        (("--look",), "1 set of files would be removed"),
        ((), "1 set of files removed"),
        ((), "0 sets of files"),
    ):
        swept = arena("submission", "sweep", "--days", "0", *words)
        assert (swept.exit_code, swept.stdout.startswith(said)) == (0, True), swept.output
    assert "it cheats" in arena("submission", "show", "good").stdout
    assert arena("submission", "sweep", "--days", "-1").exit_code == 2


def test_which_version_plays(arena: Callable[..., Result], folder: Path, store: Store) -> None:
    """promote, rollback and withdraw say what plays now; a version that failed enters no league."""
    for number in range(3):
        (folder / "bot.py").write_text(str(number))
        arena("submit", folder, "--no-wait")
        settle(store, store.submission("good"), "it cheats" if number == 1 else None)
    assert arena("bot", "rollback", "good").stdout == "good v1 plays in new leagues\n"
    assert arena("bot", "promote", "good", "3").stdout == "good v3 plays in new leagues\n"
    refused = arena("bot", "promote", "good", "2")
    assert (refused.exit_code, "good v2 did not qualify: it cheats" in refused.stderr) == (2, True)
    assert "(of ann; current)" in arena("bot", "list").stdout
    assert arena("bot", "withdraw", "good", "3").stdout == "good: withdrawn: v3; v1 plays in new leagues\n"
    assert arena("bot", "withdraw", "good").stdout == "good: withdrawn: v2, v1; none plays in new leagues\n"
    league = arena("league", "create", "cup", "--variants", "turn-up", "--bots", "good,lowest", "--sets", "1")
    assert (league.exit_code, "bot 'good' cannot enter a league: good v3 was withdrawn" in league.stderr) == (2, True)


@pytest.mark.parametrize(
    ("change", "words", "code", "said"),
    [
        (lambda folder: (folder / "bot.toml").unlink(), (), 2, "there is no bot.toml"),
        (
            lambda folder: (folder / "bot.toml").write_text('name = "x"\nrum = "y"'),
            (),
            2,
            "unknown key 'rum' (allowed: name, run",
        ),
        (lambda folder: (folder / "link").symlink_to("bot.py"), (), 2, "'link' is a symbolic link"),
        (lambda _: None, ("--owner", "nobody"), 1, "no owner 'nobody' (there are: ann)"),
        (lambda _: None, ("--bot", "greedy"), 1, "there is a bot 'greedy' already, and it is not yours"),
        (lambda _: None, ("--bot", "No Name"), 2, "cannot name a bot"),
        (lambda _: None, ("--to", "ftp://x"), 2, "allowed: https://host"),
        (lambda _: None, ("--to", "http://example.org"), 2, "where others can read it"),
        (lambda _: None, ("--to", "http://localhost", "--owner", "ann"), 2, "--to takes your key"),
        (lambda _: None, ("--to", "http://127.0.0.1:1"), 1, "cannot be reached: [Errno 111] Connection refused"),
    ],
)
def test_what_cannot_be_submitted(
    arena: Callable[..., Result], folder: Path, change: Callable[[Path], object], words: tuple[str, ...], code: int, said: str
) -> None:
    """What is wrong is named with what is allowed; nothing is stored."""
    change(folder)
    result = arena("submit", folder, "--no-wait", *words)
    assert result.exit_code == code, result.output
    assert said in result.stderr
    assert arena("submission", "list").stdout.splitlines()[1:] == []


def test_without_a_good_key(arena: Callable[..., Result], folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, and one that is not good, are told apart; a key may come from a file."""
    key = tmp_path / "key"
    key.write_text(arena("owner", "key", "add", "ann").stdout)
    monkeypatch.setenv("ARENA_KEY", "arena-nonsense")
    assert "not known here, or was revoked" in arena("submit", folder, "--no-wait").stderr
    monkeypatch.delenv("ARENA_KEY")
    missing = arena("submit", folder, "--no-wait")
    assert (missing.exit_code, "ARENA_KEY is not set (allowed: " in missing.stderr) == (2, True)
    assert arena("submit", folder, "--no-wait", "--key-file", key).exit_code == 0


def test_limits(arena: Callable[..., Result], folder: Path) -> None:
    """Beyond the owner's limits nothing is taken, and it is said when to come again."""
    arena("owner", "set", "ann", "--submissions", "1", "--bots", "1")
    assert arena("submit", folder, "--no-wait").exit_code == 0
    (folder / "bot.py").write_text("changed")
    again = arena("submit", folder, "--no-wait")
    assert (again.exit_code, "(allowed: 1); try again in 60 min" in again.stderr) == (1, True)


def test_to_a_dashboard_elsewhere(arena: Callable[..., Result], folder: Path, store: Store, url: str) -> None:
    """The same commands work over HTTP with the owner's key, for what is that owner's."""
    to = ("--to", url)
    assert arena("submit", folder, "--no-wait", *to).stdout == "good v1 submitted\n"
    settle(store, store.submission("good"))
    assert arena("submit", folder, "--bot", "other", "--no-wait", "--hold", *to).stdout == "other v1 submitted\n"
    assert store.submission("other").promote is False
    shown = arena("submission", "show", "good", *to).stdout
    assert "good v1 of ann" in shown
    assert "ok     A match" in shown
    assert "other" in arena("submission", "list", *to).stdout
    (folder / "bot.py").write_text("changed")
    arena("submit", folder, "--no-wait", *to)
    settle(store, store.submission("good"))
    assert arena("bot", "rollback", "good", *to).stdout == "good v1 plays in new leagues\n"
    assert arena("bot", "promote", "good", "2", *to).stdout == "good v2 plays in new leagues\n"
    assert arena("bot", "withdraw", "good", "2", *to).stdout == "good: withdrawn: v2; v1 plays in new leagues\n"
    stranger = arena("bot", "withdraw", "greedy", *to)
    assert (stranger.exit_code, "You have no bot 'greedy'" in stranger.stderr) == (1, True)
    (folder / "bot.toml").write_text('name = "good"')
    broken = arena("submission", "show", "nobody", *to)
    assert (broken.exit_code, "you have submitted no version" in broken.stderr) == (1, True)


def test_a_dashboard_that_refuses(arena: Callable[..., Result], folder: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the dashboard answers is what the user reads."""
    arena("owner", "set", "ann", "--submissions", "1")
    arena("submit", folder, "--no-wait", "--to", url)
    (folder / "bot.py").write_text("changed")
    late = arena("submit", folder, "--no-wait", "--to", url)
    assert (late.exit_code, "try again in 60 min" in late.stderr) == (1, True)
    monkeypatch.setenv("ARENA_KEY", "arena-nonsense")
    refused = arena("submit", folder, "--no-wait", "--to", url)
    assert (refused.exit_code, "unknown or was revoked" in refused.stderr) == (1, True)
