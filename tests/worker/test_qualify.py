"""Qualification: what passes, what fails and why, and what is nobody's fault."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tarfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from league import archives
from league.store import Store
from worker import attempt, jobs, qualify, sandbox, trees
from worker.qualify import Played, Qualifier, short_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from league.model import Submission
    from worker.sandbox import Ran
    from worker.settings import Settings

FAKE_CHECK = """
import json, sys, time
print(json.dumps({"step": 1, "name": "start", "title": "Starts", "status": "passed", "detail": "", "seconds": 0.1}))
"""
RUN_PROGRAM = qualify.run_program
FAKE_REFEREE = Path(__file__).with_name("fake_referee.py")


@pytest.fixture
def arena(settings: Settings) -> Iterator[Store]:
    """An empty store with an owner."""
    with Store.open(settings.store_url) as store:
        store.add_owner("ann")
        yield store


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sandboxes that isolate nothing, and a check that passes: what is tested is what lies between."""
    monkeypatch.setenv("ARENA_ALLOW_UNSANDBOXED", "1")
    monkeypatch.setattr(sandbox, "seat", lambda tree: {"cwd": str(tree)})
    monkeypatch.setattr(sandbox, "check_options", lambda _tree: [])
    checks(monkeypatch, FAKE_CHECK)


def checks(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Let a program stand in for `arena check`."""

    def run(_command: Sequence[str], cwd: Path, seconds: float, stop: Callable[[], str | None]) -> tuple[int, str, str]:
        return RUN_PROGRAM([sys.executable, "-c", program], cwd, seconds, stop)

    monkeypatch.setattr(qualify, "run_program", run)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Set what the referee does, run by run."""

    def script(words: str) -> None:
        (tmp_path / "runs").unlink(missing_ok=True)
        monkeypatch.setattr(attempt, "COMMAND", (sys.executable, str(FAKE_REFEREE), words, str(tmp_path / "runs")))

    script("ok")
    return script


def hand_in(store: Store, files: dict[str, str] | None = None, **manifest: Any) -> Submission:
    """Submit a bot with these files."""
    given = {"name": "hosted", "run": "python bot.py", "build": "", "variants": ["turn-up"], "description": "", **manifest}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in (files or {"bot.toml": "", "bot.py": "pass"}).items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o755 if content.startswith("#!") else 0o644
            archive.addfile(info, io.BytesIO(content.encode()))
    with archives.received(made) as tree:
        store.add_blob(tree.sha256, tree.file)
        return store.submit("ann", given, tree.sha256)


def test_a_good_bot_qualifies(arena: Store, settings: Settings, play: Callable[[str], None]) -> None:
    """Check and a match of each variant pass: the version is promoted, and its files are unpacked, read-only."""
    found = hand_in(arena, variants=["turn-up", "cutthroat"])
    steps: list[dict[str, Any]] = []
    assert Qualifier(arena, settings, steps.append).qualify(found.id) == "qualified"
    done = arena.submission("hosted")
    assert [(step["name"], step["status"]) for step in done.report] == [
        ("check", "passed"), ("turn-up", "passed"), ("cutthroat", "passed"),
    ]  # fmt: skip
    assert [step["name"] for step in steps] == ["check", "turn-up", "cutthroat"]
    assert "6 games without a fault" in done.report[2]["detail"]
    assert arena.bot("hosted").promoted == 1
    assert (trees.folder_of(settings.data, found.tree) / "bot.py").read_text() == "pass"
    assert Qualifier(arena, settings).qualify(found.id) == "claimed"


def test_a_build_makes_what_is_played(arena: Store, settings: Settings, play: Callable[[str], None]) -> None:
    """The build runs in a copy; what it leaves is a tree of its own, executable files and links to its own files included."""
    build = (
        "#!/bin/sh\nset -e\necho compiling\nprintf '#!/bin/sh\\nexec true\\n' > out\nchmod +x out\nln -s out bot\nrm make.sh\n"
    )
    found = hand_in(arena, {"make.sh": build, "src.c": "int x;"}, build="sh make.sh", run="./bot")
    assert Qualifier(arena, settings).qualify(found.id) == "qualified"
    done = arena.submission("hosted")
    assert (done.report[0]["name"], done.report[0]["output"]) == ("build", "compiling\n")
    assert done.built is not None
    assert done.built != done.tree
    built = trees.folder_of(settings.data, done.built)
    assert sorted(path.name for path in built.iterdir()) == ["bot", "out", "src.c"]
    assert (built / "bot").stat().st_mode & 0o777 == 0o555
    assert not (built / "bot").is_symlink()
    assert sorted(path.name for path in trees.folder_of(settings.data, done.tree).iterdir()) == ["make.sh", "src.c"]
    assert [path for path in (settings.data / "trees").iterdir() if path.name.endswith(".new")] == []
    current = arena.bot("hosted").current
    assert current is not None
    assert current.tree == done.built


@pytest.mark.parametrize(
    ("build", "said"),
    [
        ("sh -c 'echo no compiler; exit 3'", r"the build failed \(exit code 3\)"),
        ("nowhere-to-be-found", r"the build failed \(exit code 127\)"),
        ("ln -s /etc/passwd stolen", "what the build left cannot be played: the link 'stolen' leads to '/etc/passwd'"),
        ("mkfifo pipe", "cannot be played: 'pipe' is no regular file"),
        ("sh -c 'rm -rf ./*'", "cannot be played: there is no file"),
    ],
)
def test_a_build_that_fails(arena: Store, settings: Settings, build: str, said: str) -> None:
    """A build that fails, or leaves what cannot be played, fails the version, and its owner reads what it wrote."""
    found = hand_in(arena, build=build)
    assert Qualifier(arena, settings).qualify(found.id) == "failed"
    done = arena.submission("hosted")
    assert re.search(said, done.reason), done.reason
    assert (done.report[0]["name"], done.report[0]["status"]) == ("build", "failed")
    if "no compiler" in build:
        assert done.report[0]["output"] == "no compiler\n"


def test_a_build_that_does_not_end(arena: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build is stopped after its time."""
    monkeypatch.setattr(qualify, "BUILD_SECONDS", 1.0)
    found = hand_in(arena, build="sleep 600")
    assert Qualifier(arena, settings).qualify(found.id) == "failed"
    assert "not done after 1 s" in arena.submission("hosted").reason


def test_a_build_is_not_waited_for(arena: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is told to stop kills the build, and the next one begins at once."""
    found = hand_in(arena, build="sleep 600")
    monkeypatch.setattr(jobs.DRAIN, "is_set", lambda: any((settings.data / "trees").glob("build-*")))
    assert Qualifier(arena, settings).qualify(found.id) == "stopped"
    assert arena.waiting_submissions() == [found.id]


def test_a_check_that_fails(arena: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step that failed is the reason, with all that `arena check` tells of it."""
    line = {"step": 3, "name": "answer", "title": "Answers", "status": "failed", "detail": "not legal", "seconds": 0.1}
    checks(monkeypatch, f"import sys; print('''{json.dumps(line | {'output': 'oops', 'sent': [], 'got': []})}'''); sys.exit(1)")
    found = hand_in(arena)
    assert Qualifier(arena, settings).qualify(found.id) == "failed"
    done = arena.submission("hosted")
    assert done.reason == "arena check, step 3 (Answers): not legal"
    assert done.report[0]["steps"][0]["output"] == "oops"


@pytest.mark.parametrize("program", ["import sys; sys.exit('no such module')", "print('{')", "import os; os.abort()"])
def test_a_check_that_breaks_down_fails_nobody(
    arena: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """Where the check itself comes to nothing the version is tried again later, with a note."""
    checks(monkeypatch, program)
    found = hand_in(arena)
    assert Qualifier(arena, settings).qualify(found.id) == "trouble"
    again = arena.submission("hosted")
    assert (again.state, again.tries) == ("submitted", 1)
    assert "arena check came to nothing" in again.note


@pytest.mark.parametrize("script", ["void", "some:1", "noise", "nodone"])
def test_a_referee_that_breaks_down_fails_nobody(
    arena: Store, settings: Settings, play: Callable[[str], None], script: str
) -> None:
    """Void games and a referee that falls over are no fault of the bot's."""
    play(script)
    found = hand_in(arena)
    assert Qualifier(arena, settings).qualify(found.id) == "trouble"
    assert "the match of turn-up came to nothing" in arena.submission("hosted").note


def test_without_a_sandbox_nothing_is_run(arena: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that cannot isolate gives the submission back; it does not fail."""

    def missing(*_: object) -> Ran:
        raise sandbox.NoSandbox("bubblewrap is not installed")

    monkeypatch.setattr(sandbox, "build", missing)
    found = hand_in(arena, build="make")
    assert Qualifier(arena, settings).qualify(found.id) == "trouble"
    assert arena.submission("hosted").note == "bubblewrap is not installed"


def game(seating: list[int], faults: dict[int, list[str]], forfeits: Sequence[int] = ()) -> dict[str, Any]:
    """The event of a game in which seats commit faults."""
    made = [{"move": 4, "seat": seat, "cause": cause, "answer": "AH"} for seat, causes in faults.items() for cause in causes]
    return {"event": "game", "set": 1, "seating": seating, "record": {"deals": [{"faults": made}], "forfeits": list(forfeits)}}


def test_only_the_bots_own_faults_count() -> None:
    """Faults of the sample bots are not charged; a fault of the bot's in any seat is, and a forfeit of its side."""
    played = Played()
    played.take(game([1, 0, 1, 0], {0: ["LATE"], 2: ["ILLEGAL"]}))
    assert played.well
    played.take(game([1, 0, 1, 0], {1: ["ILLEGAL"], 3: ["LATE"]}))
    assert played.told() == "2 faults; the first: ILLEGAL (it answered AH) in set 1, deal 0, move 4"
    lost = Played()
    lost.take(game([1, 2, 0], {}, forfeits=[2]))
    assert lost.told() == "0 faults, 1 of 1 games forfeited; the first: none was noted"


def test_slow_answers_get_a_second_chance(
    arena: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch, play: Callable[[str], None]
) -> None:
    """A match that fails by time alone is played again, and fails the bot only if it does so twice; an illegal answer at once."""
    runs: list[list[str]] = []

    def faulty(causes: list[list[str]]) -> Callable[..., attempt.Ending]:
        def run(_order: object, take: Callable[[dict[str, Any]], None], _stop: object) -> attempt.Ending:
            runs.append(causes[len(runs)])
            take(game([0, 1, 0, 1], {0: runs[-1]}))
            return attempt.Ending("done")

        return run

    for causes, outcome in (([["LATE"], []], "qualified"), ([["LATE"], ["SILENT"]], "failed"), ([["ILLEGAL", "LATE"]], "failed")):
        runs.clear()
        monkeypatch.setattr(qualify.attempt, "run", faulty(causes))
        found = hand_in(arena, {"bot.toml": "", "bot.py": repr(causes)})
        assert Qualifier(arena, settings).qualify(found.id) == outcome
        assert len(runs) == len(causes)
    assert "the match of turn-up: 2 faults; the first: ILLEGAL (it answered AH)" in arena.submission("hosted").reason


def test_a_worker_that_is_told_to_stop_gives_it_back(
    arena: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch, play: Callable[[str], None]
) -> None:
    """It stops what it runs, and the next worker may begin at once."""
    play("hang:1")
    found = hand_in(arena)
    monkeypatch.setattr(jobs.DRAIN, "is_set", (settings.data / "trees" / found.tree).exists)
    assert Qualifier(arena, settings).qualify(found.id) == "stopped"
    assert arena.waiting_submissions() == [found.id]


def test_withdrawn_while_it_is_qualified(arena: Store, settings: Settings, play: Callable[[str], None]) -> None:
    """Whatever comes of it then, the version stays withdrawn."""
    found = hand_in(arena)
    outcome = Qualifier(arena, settings, lambda _step: arena.withdraw("hosted") and None).qualify(found.id)
    assert outcome in ("claimed", "stopped")
    assert arena.submission("hosted").state == "withdrawn"


def test_the_bot_has_every_seat_once(arena: Store, tmp_path: Path) -> None:
    """The short matches seat the bot in every seat of every variant, with the same deals whoever plays them."""
    found = hand_in(arena)
    for variant, seats in (("turn-up", 4), ("bid-euchre", 4), ("cutthroat", 3), ("ghost-hand", 3)):
        order: dict[str, Any] = short_order(found, variant, tmp_path)
        had = [seat for number, seating in order["games"] if number == 0 for seat in range(seats) if seating[seat] == 0]
        assert sorted(had) == list(range(seats))
        assert order == short_order(found, variant, tmp_path)


def test_a_tree_is_unpacked_once_whoever_comes(arena: Store, settings: Settings) -> None:
    """Several threads that need a tree at once all get it whole, and nothing else is left beside it."""
    found = hand_in(arena, {f"d{number}/f{number}": "x" * number for number in range(50)} | {"bot.toml": ""})
    gate, got = threading.Barrier(6), []

    def fetch() -> None:
        with Store(settings.store_url) as mine:
            gate.wait()
            got.append(trees.ready(mine, settings.data, found.tree))

    threads = [threading.Thread(target=fetch) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (folder,) = set(got)
    assert sum(path.is_file() for path in folder.rglob("*")) == 51
    assert [path.name for path in folder.parent.iterdir()] == [found.tree]


def test_trees_that_nobody_uses_go(arena: Store, settings: Settings) -> None:
    """A tree is removed when it has not been used for long, and fetched again when it is wanted; drafts go after a day."""
    old, used, new = (hand_in(arena, {"bot.py": name, "bot.toml": ""}) for name in ("old", "used", "new"))
    folders = [trees.ready(arena, settings.data, one.tree) for one in (old, used)]
    drafts = [folders[0].with_name(f"{'0' * 64}.{name}.new") for name in ("stale", "fresh")]
    for path in drafts:
        path.mkdir()
    for path in (*folders, drafts[0]):
        os.utime(path, times=(0, time.time() - trees.UNUSED - 60))
    assert trees.ready(arena, settings.data, used.tree) == folders[1]
    trees.ready(arena, settings.data, new.tree)
    left = {path.name for path in folders[0].parent.iterdir()}
    assert left == {used.tree, new.tree, drafts[1].name}
    assert (trees.ready(arena, settings.data, old.tree) / "bot.py").read_text() == "old"
