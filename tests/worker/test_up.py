"""`arena up` and `arena referee`: everything at once, remote bots, and a clean end."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena import spec
from arena.__main__ import main
from league.store import Store
from referee.clock import Clock
from tests.certificates import Authority
from tests.worker.arenas import KEY, SLOW, Arena, until
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    """A fresh arena with a local and a remote bot and a league between them: one match of 2 games, each its own deals."""
    made = Arena(tmp_path / "data")
    made.data.mkdir()
    yield made
    made.close()


@pytest.fixture
def remote(arena: Arena, tmp_path: Path) -> Iterator[list[str]]:
    """Add the remote bot "far", run its two processes far away, and give their tokens."""
    with Store.open(arena.store_url) as store:
        store.add_bot("near", f"python {SLOW} lowest", str(ROOT))
        _, tokens = store.add_remote_bot("far")
        clock = Clock(answer=600.0, start=600.0, bank=600.0, grace=60.0).as_json()
        store.create_league(spec.league_spec("cup", [("turn-up", {})], ("near", "far"), 1, fmt="deals:1", clock=clock, key=KEY))
    with ExitStack() as stack:
        for token in (tokens.own, tokens.partner):
            env = {**os.environ, "EUCHRE_REFEREE": f"unix:{arena.data}/referee.sock", "EUCHRE_TOKEN": token}
            command = ["/bin/sh", "-c", f'until "{sys.executable}" {SLOW} random; do sleep 0.3; done']
            process = subprocess.Popen(command, env={**env, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, process_group=0)
            stack.callback(process.wait)
            stack.callback(os.killpg, process.pid, signal.SIGKILL)
        yield [tokens.own, tokens.partner]


def free_port() -> int:
    """A port that nobody listens on, and none of those that the kernel gives to whoever asks for any."""
    while True:
        with suppress(OSError), socket.create_server(("127.0.0.1", random.randrange(10_000, 30_000))) as server:
            return int(server.getsockname()[1])


def page(port: int) -> bytes | None:
    """The dashboard's first page, or None while it is not there."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
            return bytes(answer.read())
    except OSError:
        return None


def test_everything_at_once(arena: Arena, remote: list[str]) -> None:
    """`arena up` plays an open league, with a remote bot in it, serves the dashboard, and ends cleanly by one Ctrl-C."""
    port = free_port()
    up = arena.start("up", "--workers", "1", "--bind", f"127.0.0.1:{port}")
    until(lambda: "league cup is finished" in arena.err.read_text() or up.poll() is not None, 300)
    assert up.poll() is None, arena.err.read_text()
    with Store(arena.store_url) as store:
        match = store.matches("cup")[0]
        assert (match.mode, match.games_done, match.sets_done) == ("single", 2, 2)
        assert not any(faults for game in store.games(match.id) for faults in game.faults)
    until(lambda: page(port))
    assert b"cup" in (page(port) or b"")
    arena.look()
    up.send_signal(signal.SIGINT)
    assert up.wait(300) == 0
    until(lambda: not arena.survivors())


@pytest.mark.needs("openssl")
def test_an_encrypted_referee(arena: Arena, remote: list[str], tmp_path: Path) -> None:
    """`arena referee` with a certificate has an encrypted address for remote bots, and its socket for workers and their bots."""
    ours = Authority(tmp_path, "ours")
    pair, port = ours.issue("server", "IP:127.0.0.1"), free_port()
    files = ("--tls-cert", str(pair.certificate), "--tls-key", str(pair.key))
    service = arena.start("referee", "--listen", f"127.0.0.1:{port}", *files)
    until(lambda: f"referee at tls:127.0.0.1:{port}" in arena.err.read_text())
    assert (arena.data / "referee.address").read_text().strip() == f"unix:{arena.data}/referee.sock"
    context = ssl.create_default_context(cafile=str(ours.certificate))

    def encrypted() -> bool:
        with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)) as plain:
            context.wrap_socket(plain, server_hostname="127.0.0.1").close()
            return True
        return False

    until(encrypted)
    run = arena.start("league", "run", "cup", "--workers", "1")
    assert run.wait(600) == 0, arena.err.read_text()
    service.send_signal(signal.SIGTERM)
    assert service.wait(300) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--tls-cert", __file__), "go together"),
        (("--tls-client-ca", __file__), "go together"),
        (("--tls-cert", __file__, "--tls-key", __file__), "needs --listen HOST:PORT"),
        (("--tls-cert", "/nowhere", "--tls-key", __file__), "does not exist"),
    ],
)
def test_encryption_that_makes_no_sense(words: tuple[str, ...], told: str) -> None:
    """Options of encryption that do not go together are refused at once, with what is allowed."""
    for command in ("referee", "up"):
        done = CliRunner().invoke(main, [command, *words])
        assert (done.exit_code, told in done.output) == (2, True), done.output


def test_tokens_follow_the_store(arena: Arena, remote: list[str]) -> None:
    """The referee's file of tokens has the bots' hashes, never a token, for its owner only; a revoked token leaves it."""
    service = arena.start("referee")
    file = arena.data / "tokens.json"
    until(file.exists)
    assert file.stat().st_mode & 0o077 == 0
    assert (arena.data / "operator.token").stat().st_mode & 0o077 == 0
    assert [entry["bot"] for entry in json.loads(file.read_text())["bots"].values()] == ["far", "far"]
    assert not any(token in file.read_text() for token in remote)
    second = arena.start("referee")
    assert second.wait(300) == 1
    assert "runs on this data folder already" in arena.err.read_text()
    with Store(arena.store_url) as store:
        store.revoke_tokens("far")
    until(lambda: json.loads(file.read_text())["bots"] == {})
    service.send_signal(signal.SIGTERM)
    assert service.wait(300) == 0
    until(lambda: not arena.find("serve"))
