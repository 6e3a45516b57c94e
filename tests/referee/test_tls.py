"""Encryption between a referee and those who dial it: who gets in, who does not, and what each is told."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
import pytest

from arena.sdk import client, run
from euchre.v1 import control_pb2, control_pb2_grpc
from referee import tls
from referee.errors import BadCertificate
from referee.launch import ROOT
from tests.certificates import Authority, Pair
from tests.referee.matches import finish, order, start
from tests.referee.processes import wait_until
from tests.referee.test_service import OPERATOR, metadata, sha

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Serve = Callable[..., tuple[str, str]]

SAMPLE = "python -m sample_bots.python.lowest"
pytestmark = pytest.mark.needs("openssl")


@dataclass
class House:
    """A folder with two authorities that do not know each other, and what ours has signed."""

    folder: Path
    ours: Authority
    theirs: Authority
    server: Pair
    bot: Pair
    stranger: Pair


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("house")
    ours, theirs = Authority(folder, "ours"), Authority(folder, "theirs")
    server = ours.issue("server", "IP:127.0.0.1", "DNS:localhost")
    return House(folder, ours, theirs, server, ours.issue("bot"), theirs.issue("stranger"))


@pytest.fixture
def serve(house: House, tmp_path: Path) -> Iterator[Serve]:
    """Start a referee; gives its socket for operators and its encrypted address. `mutual`: it wants to see certificates."""
    started: list[subprocess.Popen[str]] = []

    def listen(*, mutual: bool = False) -> tuple[str, str]:
        tokens = tmp_path / "tokens.json"
        tokens.write_text(json.dumps({"operators": [sha(OPERATOR)], "bots": {sha(bot): {"bot": bot} for bot in ("ann", "bea")}}))
        files = ["--tls-cert", str(house.server.certificate), "--tls-key", str(house.server.key)]
        files += ["--tls-client-ca", str(house.ours.certificate)] if mutual else []
        where = ["--listen", f"unix:{tmp_path}/r.sock", "--listen", "127.0.0.1:0"]
        command = [sys.executable, "-m", "referee", "serve", *where, "--tokens", str(tokens), *files]
        started.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout is not None
        socket, encrypted = json.loads(started[-1].stdout.readline())["addresses"]
        return socket, encrypted

    yield listen
    for process in started:
        process.terminate()
        assert process.wait(120) == 0
        assert process.stdout is not None
        process.stdout.close()


def trusting(authority: Authority, own: Pair | None = None) -> dict[str, str]:
    """What a client's environment says of whom to trust, and of its own certificate."""
    found = {tls.TRUSTED: str(authority.certificate)}
    if own is not None:
        found |= {tls.CERTIFICATE: str(own.certificate), tls.KEY: str(own.key)}
    return found


def sessions(address: str, env: dict[str, str]) -> dict[str, control_pb2.Session]:
    """Who is connected, asked over an encrypted stream or a socket."""
    target, credentials = tls.dial(address, env)
    with grpc.secure_channel(target, credentials) if credentials else grpc.insecure_channel(target) as channel:
        stub = control_pb2_grpc.ControlServiceStub(channel)
        listed = stub.ListSessions(control_pb2.ListSessionsRequest(), metadata=metadata(), timeout=120)
    return {session.bot: session for session in listed.sessions}


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot of this process that soon gives up on a referee that is not there."""
    monkeypatch.setattr(client, "START_PATIENCE", 0.3)
    for name in tls.VARIABLES:
        monkeypatch.delenv(name, raising=False)


def refused(monkeypatch: pytest.MonkeyPatch, address: str, env: dict[str, str]) -> str:
    """What a bot ends with that does not get in."""
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        run(lambda view: view.legal[0], address=address, token="ann")
    return str(ended.value)


# ---- getting in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mutual", [False, True], ids=["server certificate", "both certificates"])
def test_remote_bots_play_over_tls(house: House, serve: Serve, mutual: bool) -> None:
    """A match with two remote bots on encrypted streams, ordered and helped by one on the socket, is played without a fault."""
    socket, encrypted = serve(mutual=mutual)
    assert encrypted.startswith("tls:127.0.0.1:")
    env = {**os.environ, **trusting(house.ours, house.bot if mutual else None), "EUCHRE_REFEREE": encrypted}
    command = SAMPLE.replace("python", sys.executable, 1).split()
    bots = [subprocess.Popen(command, cwd=ROOT, env={**env, "EUCHRE_TOKEN": token}) for token in ("ann", "bea")]
    try:
        assert wait_until(lambda: sessions(socket, {}).keys() >= {"ann", "bea"})
        given = order(variant="cutthroat", sets=2, referee={"address": socket, "token": OPERATOR})
        for index, token in enumerate(("ann", "bea")):
            given["lineup"][index] = {"bot": token, "version": 1, "tokens": [sha(token)]}
        outcome = finish(start(given))
        assert outcome.exit == 0, outcome.stderr
        assert len(outcome.games) == 2
        assert outcome.faults() == []
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()


def test_a_match_is_ordered_over_tls(house: House, serve: Serve) -> None:
    """A worker far from the referee orders over an encrypted stream, and so play the bots that it starts."""
    _, encrypted = serve()
    given = order(*[SAMPLE] * 3, variant="cutthroat", referee={"address": encrypted, "token": OPERATOR})
    outcome = finish(start(given, **trusting(house.ours)))
    assert outcome.exit == 0, outcome.stderr
    assert len(outcome.games) == 1
    assert outcome.faults() == []


def test_the_environment_asks_for_encryption(house: House, serve: Serve) -> None:
    """EUCHRE_TLS=1, or a list of whom to trust, encrypts an address that does not say so itself."""
    _, encrypted = serve()
    plain = encrypted.removeprefix(tls.SCHEME)
    for env in (trusting(house.ours), {**trusting(house.ours), tls.SWITCH: "1"}):
        assert sessions(plain, env) == {}
    assert tls.dial(plain, {**trusting(house.ours), tls.SWITCH: "0"}) == (plain, None)
    assert tls.dial("unix:/s", {tls.SWITCH: "1"}) == ("unix:/s", None)


# ---- staying out ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("hurried")
def test_a_referee_of_another_authority_is_not_trusted(house: House, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot gives its token to nobody whose certificate it does not trust; the message says what to look at."""
    _, encrypted = serve()
    told = refused(monkeypatch, encrypted, trusting(house.theirs))
    assert "CERTIFICATE_VERIFY_FAILED" in told
    assert f"{tls.TRUSTED} must name who signed it" in told


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("who", ["nobody", "stranger"])
def test_a_bot_without_a_good_certificate_is_refused(
    house: House, serve: Serve, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """Where both sides show a certificate, a bot with none, or with one of another authority, does not get in."""
    socket, encrypted = serve(mutual=True)
    own = house.stranger if who == "stranger" else None
    assert "no referee answers" in refused(monkeypatch, encrypted, trusting(house.ours, own))
    assert sessions(socket, {}) == {}
    assert sessions(encrypted, trusting(house.ours, house.bot)) == {}


@pytest.mark.usefixtures("hurried")
def test_plain_text_to_an_encrypted_port(house: House, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that does not encrypt ends with a message that says how to; the referee goes on."""
    socket, encrypted = serve()
    told = refused(monkeypatch, encrypted.removeprefix(tls.SCHEME), {})
    assert "no referee answers" in told
    assert "the address is tls:HOST:PORT" in told
    assert sessions(socket, {}) == sessions(encrypted, trusting(house.ours)) == {}


# ---- what is told about files and options -----------------------------------------------------------------------------


def serving(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee", "serve", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def test_options_that_make_no_sense(house: House) -> None:
    """A referee that cannot encrypt as told does not start, and says why."""
    certificate, key = str(house.server.certificate), str(house.server.key)
    both = ("--tls-cert", certificate, "--tls-key", key)
    for options, told in {
        ("--listen", "127.0.0.1:0", "--tls-cert", certificate): "go together",
        ("--listen", "127.0.0.1:0", "--tls-client-ca", certificate): "go together",
        ("--listen", f"unix:{house.folder}/s", *both): "a unix socket is not encrypted",
        ("--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", str(house.bot.key)): "belong together",
        ("--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", "/nowhere"): "/nowhere: No such file",
        ("--listen", "127.0.0.1:0", *both, "--tls-client-ca", key): "certificates in PEM",
        ("--listen", "0.0.0.0:0"): "others with --tls-cert, or --insecure-any-address",
    }.items():
        done = serving(*options)
        assert (done.returncode, told in done.stderr) == (2, True), done.stderr


def test_any_address_may_be_served_encrypted(house: House) -> None:
    """With a certificate an address beyond loopback needs no flag."""

    async def main() -> str:
        from referee.auth import TokenBook  # noqa: PLC0415
        from referee.server import Server  # noqa: PLC0415

        server = Server(TokenBook())
        address = server.listen("0.0.0.0:0", tls=tls.Tls(house.server.certificate, house.server.key))
        await server.serve()
        await server.stop(0)
        return address

    assert asyncio.run(main()).startswith("tls:0.0.0.0:")


def test_a_client_with_useless_files_is_told(house: House) -> None:
    """What the environment says wrongly of encryption is named."""
    for env, told in {
        (tls.SWITCH, "yes"): "allowed: 1 for encryption",
        (tls.TRUSTED, str(house.server.key)): "certificates in PEM",
        (tls.TRUSTED, "/nowhere"): "/nowhere: No such file",
        (tls.CERTIFICATE, str(house.bot.certificate)): "only EUCHRE_TLS_CERT is set",
        (tls.KEY, str(house.bot.key)): "only EUCHRE_TLS_KEY is set",
    }.items():
        with pytest.raises(BadCertificate, match=told):
            tls.dial("tls:localhost:1" if env[0] != tls.SWITCH else "localhost:1", dict([env]))
