"""`arena check --connect`: the steps with a bot that runs already, dials in, and is never started or ended by the check."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from arena.__main__ import main
from arena.check.steps import STEPS
from referee.launch import ROOT
from tests.arena.test_check import NUMBERS, PATIENT
from tests.certificates import Authority

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "a-token-of-this-test"
UNSEEN = {"start": "skipped", "orphans": "skipped"}
"""Steps about what only who starts a bot can see."""


class Check:
    """A running `arena check --connect`."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "arena", "check", "--connect", TOKEN, "--json", *PATIENT, *words]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = re.search("at (.*);", self.told("waiting for the bot"))[1]  # type: ignore[index]
        assert self.told("EUCHRE_REFEREE") == f"  EUCHRE_REFEREE={self.address} EUCHRE_TOKEN={TOKEN} COMMAND\n"

    def told(self, what: str) -> str:
        """The next line on stderr that holds something."""
        assert self._process.stderr is not None
        lines = []
        while what not in (line := self._process.stderr.readline()):
            lines.append(line)
            assert line, lines
        return line

    def end(self) -> tuple[list[dict[str, Any]], int]:
        """The steps, and the exit code."""
        out, _ = self._process.communicate(timeout=1200)
        return [json.loads(line) for line in out.splitlines()], self._process.returncode


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Bots, which end with the test."""
    bots: list[subprocess.Popen[bytes]] = []
    yield bots
    for bot in bots:
        if bot.poll() is None:
            os.killpg(bot.pid, signal.SIGKILL)
        bot.wait()


def start(bots: list[subprocess.Popen[bytes]], command: str, address: str, token: str = TOKEN, **more: str) -> None:
    """Start a bot, far away as it were."""
    environment = {**os.environ, **more, "EUCHRE_REFEREE": address, "EUCHRE_TOKEN": token, "PYTHONPATH": ROOT}
    words = [sys.executable if word == "python" else word for word in shlex.split(command)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    bots.append(subprocess.Popen(words, cwd=ROOT, env=environment, start_new_session=True, **quiet))  # type: ignore[call-overload]


def statuses(found: list[dict[str, Any]]) -> dict[str, str]:
    return {step["name"]: step["status"] for step in found}


GOOD = ["python -m sample_bots.python.greedy", pytest.param("python -m tests.bots.first_legal", marks=pytest.mark.slow)]


@pytest.mark.parametrize("bot", GOOD)
def test_a_good_bot_passes_every_step_that_can_be_seen(started: list[subprocess.Popen[bytes]], bot: str) -> None:
    """One process of it, which comes back for each step, and is let go in the end."""
    check = Check()
    assert check.address.startswith("127.0.0.1:")
    start(started, bot, check.address)
    found, code = check.end()
    assert statuses(found) == {step.name: UNSEEN.get(step.name, "passed") for step in STEPS}
    assert code == 0
    assert started[0].wait(60) == 0, "it was said goodbye to"


@pytest.mark.parametrize(
    ("kind", "step", "why"),
    [
        ("illegal card", "answer", "is not among its legal"),
        ("never_comes_back", "answer", r"did not come back within \S+ s after its stream had been lost \(UNAVAILABLE\)"),
        pytest.param("two_hellos", "handshake", "although it had been asked nothing", marks=pytest.mark.slow),
        pytest.param("strict", "unknown", "no answer|gone|lost|closed", marks=pytest.mark.slow),
        pytest.param("forgets_the_token_later", "answer", "did not come back", marks=pytest.mark.slow),
    ],
)
def test_a_bad_bot_fails(started: list[subprocess.Popen[bytes]], kind: str, step: str, why: str) -> None:
    """The step that is about what is bad in it; one that does not come back fails where it is first expected to."""
    check = Check(*(("--start", "3") if "come back" in why else ()))  # those that are there have time
    start(started, f"python -m tests.bots.bad {kind}", check.address)
    found, code = check.end()
    number = NUMBERS[step]
    expected = ["skipped"] + ["passed"] * (number - 2) + ["failed"] + ["not reached"] * (len(STEPS) - number)
    assert [each["status"] for each in found] == expected
    assert re.search(why, found[number - 1]["detail"]), found[number - 1]
    assert found[number - 1]["output"] == "(it is where the bot was started)"
    assert code == 1


@pytest.mark.slow
def test_one_that_is_started_again_after_the_goodbye_fails_to_stop(started: list[subprocess.Popen[bytes]]) -> None:
    """What a supervisor does that starts a bot whatever it ended with."""
    check = Check("--only", "3,18,19")
    start(started, f"sh -c 'while :; do {sys.executable} -m tests.bots.first_legal; done'", check.address)
    found, code = check.end()
    assert statuses(found) == {"answer": "passed", "stop": "failed", "orphans": "not reached"}
    assert "it came back after the goodbye" in found[1]["detail"]
    assert code == 1


@pytest.mark.slow
def test_it_goes_on_after_a_failure(started: list[subprocess.Popen[bytes]]) -> None:
    """With --keep-going the bot plays on: at the stage, at the real tables, and there again after a fault."""
    check = Check("--keep-going", "--only", "3,5,6,16")
    start(started, "python -m tests.bots.bad revoke", check.address)
    found, code = check.end()
    assert [step["status"] for step in found] == ["passed", "failed", "failed", "passed"]
    assert found[1]["detail"].startswith("ILLEGAL"), found[1]
    assert found[2]["detail"].startswith("ILLEGAL"), found[2]
    assert code == 1


def test_strangers_are_refused_and_told_of(started: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    """A bot with another token does no harm; the right one is still waited for."""
    check = Check("--listen", f"unix:{tmp_path}/c.sock", "--only", "2")
    start(started, "python -m tests.bots.first_legal", check.address, token="another")
    assert check.told("refused") == "refused: a bot with another token (test)\n"
    start(started, "python -m tests.bots.first_legal", check.address)
    found, code = check.end()
    assert (statuses(found), code) == ({"handshake": "passed"}, 0)
    assert not (tmp_path / "c.sock").exists()


@pytest.mark.slow
@pytest.mark.needs("openssl")
def test_it_dials_in_over_tls(started: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    """With certificates on both sides, on the stage and at the real tables."""
    ours = Authority(tmp_path, "ours")
    server, bot = ours.issue("server", "IP:127.0.0.1"), ours.issue("bot")
    files = ("--tls-cert", str(server.certificate), "--tls-key", str(server.key), "--tls-client-ca", str(ours.certificate))
    check = Check("--listen", "127.0.0.1:0", *files, "--only", "3,13")
    assert check.address.startswith("tls:127.0.0.1:")
    trust = {"EUCHRE_TLS_CA": ours.certificate, "EUCHRE_TLS_CERT": bot.certificate, "EUCHRE_TLS_KEY": bot.key}
    start(started, "python -m sample_bots.python.lowest", check.address, **{name: str(file) for name, file in trust.items()})
    found, code = check.end()
    assert (statuses(found), code) == ({"answer": "passed", "turn-up": "passed"}, 0)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "say either COMMAND, which starts the bot, or --connect TOKEN"),
        (("greedy", "--connect", "t"), 2, "say either COMMAND"),
        (("greedy", "--listen", "127.0.0.1:0"), 2, "--insecure-any-address and --tls-… go with --connect"),
        (("--connect", "two words"), 2, "a token is ASCII without white space"),
        (("--connect", ""), 2, "a token is ASCII without white space"),
        (("--connect", "t", "--listen", "0.0.0.0:0"), 2, "0.0.0.0 is not on loopback"),
        (("--connect", "t", "--listen", "nowhere"), 2, "address 'nowhere' (allowed: unix:/path, or host:port)"),
        (("--connect", "t", "--wait", "0.2"), 1, "no bot with this token came within 0.2 s"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], code: int, said: str) -> None:
    """Each mistake on the command line gives exit code 2; a bot that never comes, 1."""
    done = CliRunner().invoke(main, ["check", *words])
    assert done.exit_code == code, done.output
    assert said in " ".join(done.output.split())
