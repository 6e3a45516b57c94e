"""The command line: what it makes of its words, what it answers, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from arena.__main__ import COMMANDS, main
from league.store import Store
from worker.settings import from_env

if TYPE_CHECKING:
    from collections.abc import Callable

HEAVY = {"sqlalchemy", "alembic", "redis", "rq", "numpy", "grpc", "flask", "league", "referee", "worker"}


def stored() -> Store:
    """The store that the commands have used."""
    return Store.open(from_env().store_url)


def test_help_comes_at_once() -> None:
    """`arena --help` lists every command and imports none of what the commands need."""
    code = (
        "import sys; from arena.__main__ import main\n"
        "try: main(['--help'])\n"
        f"finally: print('heavy:', sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(f"\n  {name} " in done.stdout for name in COMMANDS)
    assert "heavy: []" in done.stdout


def test_the_worker_never_loads_grpc() -> None:
    """A worker process, which starts others, has no gRPC in it."""
    code = "import sys, worker.__main__, worker.jobs; print([name for name in sys.modules if name.startswith('grpc')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"bridge"}))
def test_every_command_is_there(arena: Callable[..., Result], name: str) -> None:
    """Every command of the table can be loaded and explains itself."""
    result = arena(name, "--help")
    assert result.exit_code == 0
    assert result.output.startswith("Usage:")


def test_an_unknown_command_is_told_which_there_are(arena: Callable[..., Result]) -> None:
    """A command that does not exist is a usage error that lists the commands."""
    result = arena("leeg")
    assert result.exit_code == 2
    assert "no command 'leeg'" in result.output
    assert "standings" not in COMMANDS
    assert "league" in result.output


# ---- bots -------------------------------------------------------------------------------------------------------------


def test_the_samples_are_there_from_the_start(arena: Callable[..., Result]) -> None:
    """A new arena knows the five sample bots; one that was removed does not come back."""
    lines = arena("bot", "list").output.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["counter", "greedy", "lowest", "monte-carlo", "random"]
    assert "python -m sample_bots.python.random_bot" in lines[5]
    assert arena("bot", "remove", "random").exit_code == 0
    assert "random" not in arena("bot", "list").output
    assert "(removed)" in arena("bot", "list", "--all").output


def test_a_local_bot_has_versions(arena: Callable[..., Result], tmp_path: Path) -> None:
    """The same command is the same version, a new command the next; the folder is remembered."""
    assert arena("bot", "add", "ann", "--run", "python bot.py", "--cwd", str(tmp_path)).output.startswith("ann v1")
    assert arena("bot", "add", "ann", "--run", "python bot.py", "--cwd", str(tmp_path)).output.startswith("ann v1")
    assert arena("bot", "add", "ann", "--run", "python bot2.py", "--cwd", str(tmp_path)).output.startswith("ann v2")
    with stored() as store:
        assert [(one.run, one.cwd) for one in store.bot("ann").versions] == [
            ("python bot.py", str(tmp_path)),
            ("python bot2.py", str(tmp_path)),
        ]


def test_a_local_bot_runs_where_it_was_added(
    arena: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --cwd a bot's folder is the current one, and a program that is not there is warned of."""
    monkeypatch.chdir(tmp_path)
    result = arena("bot", "add", "ann", "--run", "./no-such-program --fast")
    assert result.exit_code == 0
    assert "./no-such-program is not found" in result.output
    with stored() as store:
        assert store.bot("ann").latest.cwd == str(tmp_path)


def test_a_remote_bot_shows_its_tokens_once(arena: Callable[..., Result]) -> None:
    """A remote bot's two tokens are printed when it is added, never stored as they are, and can be revoked and renewed."""
    output = arena("bot", "add", "far", "--remote").output
    tokens = [line.split()[-1] for line in output.splitlines() if "token:" in line]
    assert len(set(tokens)) == 2
    assert not any(token in arena("bot", "list").output for token in tokens)
    with stored() as store:
        assert list(store.token_hashes().values()) == ["far", "far"]
    assert arena("bot", "revoke", "far").output == "far: 2 tokens revoked\n"
    with stored() as store:
        assert store.token_hashes() == {}
    assert "remote, tokens revoked" in arena("bot", "list").output
    renewed = arena("bot", "revoke", "far", "--renew").output
    assert "partner token:" in renewed
    assert not any(token in renewed for token in tokens)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "ann"], "either --run COMMAND"),
        (["add", "ann", "--run", "x", "--remote"], "either --run COMMAND"),
        (["add", "ann", "--remote", "--cwd", "/"], "--cwd goes with --run"),
        (["add", "ann", "--run", "python 'x"], "not a command line"),
        (["add", "ann", "--run", ""], "--run is empty"),
        (["add", "Ann!", "--run", "x"], "cannot name a bot"),
    ],
)
def test_mistakes_with_bots(arena: Callable[..., Result], words: list[str], said: str) -> None:
    """A mistake in the words is a usage error (exit code 2) that says what is allowed, and nothing is stored."""
    result = arena("bot", *words)
    assert result.exit_code == 2
    assert said in result.output
    with stored() as store:
        assert "ann" not in [bot.name for bot in store.bots(removed=True)]


def test_a_bot_that_does_not_exist(arena: Callable[..., Result]) -> None:
    """What does not exist is a failure (exit code 1) in one sentence, without a traceback."""
    result = arena("bot", "remove", "nobody")
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert "nobody" in result.output


# ---- leagues ----------------------------------------------------------------------------------------------------------

KEY = "07" * 32


def test_a_league_is_made_as_told(arena: Callable[..., Result]) -> None:
    """Variants, options, format, clock and key end up in the store, every option resolved, the key secret."""
    result = arena(
        *("league", "create", "cup", "--variants", "ghost-hand,bid-euchre:joker=on;awards=12,24,turn-up"),
        *("--bots", "greedy,random,lowest", "--sets", "3", "--format", "deals:4", "--option", "ghost-hand.revoke=stand"),
        *("--answer", "0.5", "--faults", "2", "--key", KEY),
    )
    assert result.exit_code == 0, result.output
    with stored() as store:
        league = store.league("cup")
    assert [(one.label, one.format) for one in league.variants] == [
        ("ghost-hand", "deals:4"),
        ("bid-euchre", "deals:4"),
        ("turn-up", "deals:4"),
    ]
    assert league.variant("bid-euchre").options["joker"] is True
    assert league.variant("bid-euchre").options["awards"] == [12, 24]
    assert league.variant("ghost-hand").options["revoke"] == "stand"
    assert league.clock == {"answer": 0.5, "bank": 10.0, "start": 20.0, "grace": 5.0, "faults": 2}
    assert league.key is None
    assert KEY not in result.output
    assert league.commitment in result.output
    assert [bot.bot for bot in league.bots] == ["greedy", "lowest", "random"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--variants": "bridge"}, "cutthroat"),
        ({"--variants": "cutthroat:colour=red"}, "unknown option 'colour'"),
        ({"--variants": "cutthroat:revoke=often"}, "allowed:"),
        ({"--variants": "cutthroat:revoke"}, "write name=value"),
        ({"--variants": ""}, "empty variant"),
        ({"--option": "turn-up.target=5"}, "not in this league"),
        ({"--bots": "greedy"}, "needs at least 3 bots"),
        ({"--bots": "greedy,greedy,random"}, "named twice"),
        ({"--format": "hours:2"}, "deals:N"),
        ({"--sets": "0"}, "--sets"),
        ({"--answer": "-1"}, "answer"),
        ({"--faults": "0"}, "faults"),
        ({"--key": "abc"}, "64 hex digits"),
    ],
)
def test_mistakes_with_leagues(arena: Callable[..., Result], changed: dict[str, str], said: str) -> None:
    """What cannot be played is refused with exit code 2 and a message that says what is allowed, and nothing is stored."""
    words = {"--variants": "cutthroat", "--bots": "greedy,random,lowest", "--sets": "1", **changed}
    result = arena("league", "create", "cup", *(word for pair in words.items() for word in pair))
    assert result.exit_code == 2
    assert said in result.output
    with stored() as store:
        assert store.leagues() == []


def test_a_name_is_taken_once(arena: Callable[..., Result]) -> None:
    """A second league of the same name is a failure, and the first stays as it is."""
    words = ("league", "create", "cup", "--variants", "turn-up", "--bots", "greedy,random", "--sets")
    assert arena(*words, "1").exit_code == 0
    result = arena(*words, "2")
    assert result.exit_code == 1
    assert "already" in result.output
    with stored() as store:
        assert store.league("cup").sets == 1


def test_a_league_that_has_not_begun(arena: Callable[..., Result], tmp_path: Path) -> None:
    """List, status, standings and export of a league without games work and show that there is nothing yet."""
    arena("league", "create", "cup", "--variants", "turn-up,cutthroat", "--bots", "greedy,random,lowest", "--sets", "1")
    assert "0/12" in arena("league", "list").output
    status = arena("league", "status", "cup").output
    assert "league cup: open" in status
    assert "secret until the league is finished" in status
    standings = arena("league", "standings", "cup")
    assert standings.exit_code == 0
    assert [standings.output.count(name) for name in ("greedy", "random", "lowest")] == [3, 3, 3]
    assert arena("league", "export", "cup", "--to", str(tmp_path / "out")).exit_code == 0
    assert json.loads((tmp_path / "out" / "standings.json").read_text())["key"] is None


def test_what_is_not_there(arena: Callable[..., Result]) -> None:
    """An unknown league is a failure that lists the leagues; an unknown variant of one lists its variants."""
    arena("league", "create", "cup", "--variants", "turn-up", "--bots", "greedy,random", "--sets", "1")
    for command in ("status", "standings", "run"):
        result = arena("league", command, "cop")
        assert result.exit_code == 1
        assert "cup" in result.output
    result = arena("league", "standings", "cup", "--variant", "cutthroat")
    assert result.exit_code == 2
    assert "turn-up" in result.output


def test_an_abandoned_league(arena: Callable[..., Result]) -> None:
    """A league can be ended early after a question; its key is public then, and running it plays nothing."""
    arena("league", "create", "cup", "--variants", "turn-up", "--bots", "greedy,random", "--sets", "1", "--key", KEY)
    assert CliRunner().invoke(main, ["league", "abandon", "cup"], input="n\n").exit_code == 1
    assert arena("league", "abandon", "cup", "--yes").exit_code == 0
    status = arena("league", "status", "cup").output
    assert "league cup: abandoned" in status
    assert KEY in status
    assert arena("league", "run", "cup").exit_code == 0


def test_bad_settings(arena: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting that makes no sense is named, with what is allowed, and the exit code is 2."""
    monkeypatch.setenv("ARENA_LEASE_SECONDS", "soon")
    result = arena("bot", "list")
    assert result.exit_code == 2
    assert "ARENA_LEASE_SECONDS is 'soon'" in result.output
    monkeypatch.delenv("ARENA_LEASE_SECONDS")
    monkeypatch.setenv("ARENA_STORE", "mysql://nobody")
    assert arena("bot", "list").exit_code == 2


def test_no_queue_server(arena: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where REDIS_URL names a server that does not answer, the run fails in one sentence that names it."""
    arena("league", "create", "cup", "--variants", "turn-up", "--bots", "greedy,random", "--sets", "1")
    monkeypatch.setenv("REDIS_URL", f"unix://{tmp_path}/nobody.sock")
    monkeypatch.setattr("worker.valkey.PATIENCE", 0.2)
    result = arena("league", "run", "cup")
    assert result.exit_code == 1
    assert "nobody.sock" in result.output
    assert "REDIS_URL" in result.output


def test_settings_are_handed_on(tmp_path: Path) -> None:
    """A child that gets a process's settings reads the same ones, whatever its own folder is."""
    first = from_env(
        {"ARENA_DATA": str(tmp_path), "ARENA_LEASE_SECONDS": "4", "REDIS_URL": "redis://there", "ARENA_REFEREE": "x"}
    )
    assert from_env(first.env()) == first
    assert from_env({"ARENA_STORE": "sqlite:///here.db"}).store_url == f"sqlite:///{Path.cwd()}/here.db"
    for url in (f"sqlite:///{tmp_path}/there.db", "postgresql://me@there/arena"):
        assert from_env({"ARENA_STORE": url}).store_url == url
    assert from_env({}).data == (Path.cwd() / "var").resolve()
