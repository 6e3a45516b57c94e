"""The samples in other languages: built from the .proto, legal in every game, better than chance, and hard to shake off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest

from tests.certificates import Authority, Pair
from tests.polyglot import samples
from tests.polyglot.scripted import GOODBYE, TOKEN, Line, Scripted, asks, check_answers, ended, running, secret, serving
from tests.rules import settings

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS: list[settings.Setting] = [
    ("ghost-hand", {}),
    ("ghost-hand", {"joker": "on", "ace_no_face": "on", "stick_dealer": "on"}),
    ("cutthroat", {"deck": "25", "dealer_pickup": "must", "round2_turned_suit": "yes"}),
    ("cutthroat", {"deck": "32", "stick_dealer": "on", "round2_turned_suit": "stuck_only"}),
    ("bid-euchre", {"double_deck": "on", "stick_dealer": "on"}),
    ("bid-euchre", {"joker": "on", "ace_no_face": "on", "stick_dealer": "on"}),
    ("turn-up", {"stick_dealer": "on", "lone_defender": "on", "round2_turned_suit": "yes", "revoke": "stand"}),
]
"""Every variant, and every option that changes what a bot is asked."""


@pytest.fixture(scope="module", params=samples.languages())
def bot(request: pytest.FixtureRequest) -> str:
    """The command that starts a sample, once it is built."""
    return samples.build(request.param)


# ---- play -------------------------------------------------------------------------------------------------------------


def test_it_keeps_the_protocol(tmp_path: Path, bot: str) -> None:
    """`arena check` passes every step: each variant in every phase, 64 tables, what is unknown, lost streams, a clean end."""
    samples.arena(tmp_path, "check", bot, *samples.PATIENT)


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=settings.name)
def test_it_plays_every_variant_and_option(tmp_path: Path, bot: str, setting: settings.Setting) -> None:
    """In every seat, as a process among processes, it makes no fault."""
    assert samples.play(tmp_path, bot, setting).faults() == []


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["turn-up", "ghost-hand"])
def test_it_beats_random(tmp_path: Path, bot: str, variant: str) -> None:
    """With partners and without, the whole interval of its margin over `random` is above zero."""
    played = samples.play(tmp_path, bot, (variant, {}), sets=20, deals=8)
    assert played.faults() == []
    assert played.low() > 0


# ---- the stream -------------------------------------------------------------------------------------------------------


def test_it_keeps_its_stream(tmp_path: Path, bot: str) -> None:
    """It waits for the referee, opens lost streams again, answers in one message, takes new values, and goes at goodbye."""
    lost = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.RESOURCE_EXHAUSTED)
    referee = Scripted((*lost, asks(), GOODBYE))
    address = f"unix:{tmp_path}/r.sock"
    with running(bot, address) as process, serving(referee, address):
        code, stderr = ended(process)
    assert code == 0, stderr
    assert referee.tokens == [f"Bearer {TOKEN}"] * 5
    assert [hello.protocol for hello in referee.hellos] == [1] * 5
    (message,) = referee.answers
    check_answers(message)


def test_it_takes_no_for_an_answer(tmp_path: Path, bot: str) -> None:
    """A status that is the referee's word ends it with 1 and a line on stderr, at the first try."""
    referee = Scripted((grpc.StatusCode.UNAUTHENTICATED,))
    address = f"unix:{tmp_path}/r.sock"
    with serving(referee, address), running(bot, address) as process:
        code, stderr = ended(process)
    assert (code, len(referee.hellos)) == (1, 1), stderr
    assert "so says the script" in stderr


def test_it_comes_back_over_a_line_that_was_cut(bot: str) -> None:
    """Over TCP, with its answers given and the stream open: turned away until the line is up again, then it plays on."""
    referee = Scripted((asks(), asks(), GOODBYE), hold=True)
    with serving(referee, "127.0.0.1:0") as port, Line(port) as line, running(bot, f"127.0.0.1:{line.port}") as process:
        for _ in range(2):
            assert referee.answered.wait(120)
            referee.answered.clear()
            line.cut()
            while line.arrivals.acquire(blocking=False):
                pass
            for _ in range(2):
                assert line.arrivals.acquire(timeout=120), "it does not try again"
            line.restore()
        code, stderr = ended(process)
    assert code == 0, stderr
    assert len(referee.hellos) == 3
    for message in referee.answers:
        check_answers(message)


# ---- encryption -------------------------------------------------------------------------------------------------------


class House:
    """An authority, and what it has signed; and another that nobody here knows."""

    def __init__(self, folder: Path) -> None:
        self.ours, self.theirs = Authority(folder, "ours"), Authority(folder, "theirs")
        self.server = self.ours.issue("server", "IP:127.0.0.1", "DNS:localhost")
        self.bot = self.ours.issue("bot")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Certificates for the tests below."""
    return House(tmp_path_factory.mktemp("house"))


def trusting(authority: Authority, own: Pair | None = None) -> dict[str, str]:
    """What a bot's environment says of whom to trust, and of its own certificate."""
    pair = {"EUCHRE_TLS_CERT": str(own.certificate), "EUCHRE_TLS_KEY": str(own.key)} if own else {}
    return {"EUCHRE_TLS_CA": str(authority.certificate), **pair}


@pytest.mark.needs("openssl")
@pytest.mark.parametrize("mutual", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["both certificates", "server's"])
def test_it_plays_over_tls(bot: str, house: House, mutual: bool) -> None:
    """It trusts whom it is told to, and shows its own certificate where it has one."""
    referee = Scripted((asks(), GOODBYE))
    credentials = secret(house.server, house.ours if mutual else None)
    trust = trusting(house.ours, house.bot if mutual else None)
    with serving(referee, "127.0.0.1:0", credentials) as port, running(bot, f"tls:127.0.0.1:{port}", **trust) as process:
        code, stderr = ended(process)
    assert code == 0, stderr
    assert referee.tokens == [f"Bearer {TOKEN}"] * 2
    check_answers(referee.answers[0])


@pytest.mark.slow
@pytest.mark.needs("openssl")
def test_it_tells_no_stranger_its_token(bot: str, house: House) -> None:
    """A referee whose certificate was signed by nobody whom it trusts is not spoken to, however often it is tried."""
    referee = Scripted(())
    with (
        serving(referee, "127.0.0.1:0", secret(house.server, None)) as port,
        Line(port) as line,
        running(bot, f"tls:127.0.0.1:{line.port}", **trusting(house.theirs)) as process,
    ):
        tries = 0
        while tries < 3 and process.poll() is None:
            tries += line.arrivals.acquire(timeout=1)
        assert process.poll() != 0
    assert referee.tokens == []
