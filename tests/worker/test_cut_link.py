"""A league with two remote seats behind a link that is cut, again and again: a network namespace is the world outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from arena import spec
from league.store import Store
from referee.clock import Clock
from tests.certificates import Authority
from tests.worker.arenas import KEY, SLOW, Arena, until
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CUTS = (0.3, 1.0, 2.0, 0.3, 1.0, 2.0, 0.3, 1.0, 2.0, 0.3)
"""Seconds that each lasts."""
SETS = 8
REST = 2.0
"""Seconds after each game, until the link has been cut often enough."""
NET = f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 250}"
"""One that no other run of these tests on this machine uses."""
HERE, THERE, PORT = f"{NET}.1", f"{NET}.2", 7443


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Link:
    """A pair of interfaces, one here, one in a namespace of its own."""

    def __init__(self, stack: ExitStack) -> None:
        self.space, self._near, far = f"eu{os.getpid()}", f"eu{os.getpid()}a", f"eu{os.getpid()}b"
        ip("netns", "add", self.space)
        stack.callback(ip, "netns", "del", self.space)
        ip("link", "add", self._near, "type", "veth", "peer", "name", far, "netns", self.space)
        ip("addr", "add", f"{HERE}/30", "dev", self._near)
        ip("-n", self.space, "addr", "add", f"{THERE}/30", "dev", far)
        ip("-n", self.space, "link", "set", far, "up")
        self.up()

    def up(self) -> None:
        ip("link", "set", self._near, "up")

    def down(self) -> None:
        ip("link", "set", self._near, "down")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def bots(link: Link, tokens: list[str], trusted: Path, stack: ExitStack, arena: Arena) -> None:
    """The remote bot's two processes, beyond the link, started again whenever their session is over."""
    for token in tokens:
        env = {**os.environ, "EUCHRE_REFEREE": f"tls:{HERE}:{PORT}", "EUCHRE_TOKEN": token, "EUCHRE_TLS_CA": str(trusted)}
        again = f'until "{sys.executable}" {SLOW} random {arena.hurry} {REST}; do sleep 0.3; done'
        command = ["ip", "netns", "exec", link.space, "/bin/sh", "-c", again]
        process = subprocess.Popen(command, env={**env, "PYTHONPATH": str(ROOT)}, cwd=arena.data, process_group=0)
        stack.callback(process.wait)
        stack.callback(os.killpg, process.pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.needs("netns", "openssl")
def test_a_league_survives_a_link_that_is_cut(tmp_path: Path, stack: ExitStack) -> None:
    """A whole league with two remote seats, on encrypted streams, is played without a fault though the link is cut ten times."""
    arena = Arena(tmp_path / "data")
    stack.callback(arena.close)
    arena.data.mkdir()
    with Store.open(arena.store_url) as store:
        store.add_bot("near", f"python {SLOW} lowest {arena.hurry} {REST}", str(ROOT))
        _, tokens = store.add_remote_bot("far")
        clock = Clock(answer=600.0, start=600.0, bank=600.0, grace=300.0).as_json()
        store.create_league(
            spec.league_spec("cup", [("turn-up", {})], ("near", "far"), SETS, fmt="deals:4", clock=clock, key=KEY)
        )
    link = Link(stack)
    ours = Authority(tmp_path, "ours")
    pair = ours.issue("server", f"IP:{HERE}")
    files = ("--tls-cert", str(pair.certificate), "--tls-key", str(pair.key))
    service = arena.start("referee", "--listen", f"{HERE}:{PORT}", *files)
    until(lambda: "referee at tls:" in arena.err.read_text())
    bots(link, [tokens.own, tokens.partner], ours.certificate, stack, arena)
    run = arena.start("league", "run", "cup", "--workers", "1")
    until(lambda: arena.find("referee") or run.poll() is not None)
    for seconds in CUTS:
        assert run.poll() is None, "the league was over before the link had been cut often enough"
        link.down()
        time.sleep(seconds)
        link.up()
        time.sleep(0.7)
    arena.hurry.touch()
    assert run.wait(600) == 0, arena.err.read_text()
    with Store(arena.store_url) as store:
        match = store.matches("cup")[0]
        assert match.games_done == 2 * SETS
        assert not any(faults for game in store.games(match.id) for faults in game.faults)
    service.send_signal(signal.SIGTERM)
    assert service.wait(300) == 0
