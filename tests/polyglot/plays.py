"""What every sample of another language must do, whatever it is written in: build, play, win, and keep its stream."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from euchre.v1 import cards_pb2, referee_pb2, referee_pb2_grpc, table_pb2
from referee.record import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_bots"
KEY = "a7" * 32
PATIENT = ("--answer", "10", "--bank", "100", "--start", "90")
"""The machine may be building something else meanwhile; how fast a bot is is not what these tests are about."""

TOGETHER = [
    ("ghost-hand", "joker=on ace_no_face=on stick_dealer=on"),
    ("cutthroat", "deck=25 stick_dealer=on dealer_pickup=must"),
    ("bid-euchre", "joker=on ace_no_face=on stick_dealer=on"),
    ("turn-up", "lone_defender=on stick_dealer=on round2_turned_suit=yes"),
]
"""Each variant with options that bring most of its phases about."""

APART = [
    ("ghost-hand", ""),
    ("cutthroat", ""),
    ("cutthroat", "deck=32 round2_turned_suit=stuck_only stick_dealer=on"),
    ("bid-euchre", ""),
    ("bid-euchre", "double_deck=on"),
    ("turn-up", ""),
]
"""What else is different in how a deal is played."""

WON = ["turn-up", "ghost-hand"]
"""The variants in which a sample has to beat `random`: one with partners, one without."""


def build(language: str, output: str, *commands: str) -> Path:
    """Run a sample's build commands in its folder, unless its output is there, made of the same sources; returns the output.

    Only one test process builds, and none builds while another's bots run from there.
    """
    folder = SAMPLES / language
    with (folder / ".build.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        wanted = _state(folder, commands)
        if lock.read() != wanted or not (folder / output).exists():
            for command in commands:
                done = subprocess.run(shlex.split(command), check=False, cwd=folder, capture_output=True, text=True, timeout=900)
                assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
            lock.truncate(0)
            lock.write(wanted)
    return folder / output


def _state(folder: Path, commands: Sequence[str]) -> str:
    """A digest of what a build is made from: the sample's files that are not ignored, and the protocol's."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", folder, ROOT / "proto"],
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    digest = hashlib.sha256(repr(commands).encode())
    for name in sorted(set(listed.stdout.splitlines())):
        digest.update(name.encode() + (ROOT / name).read_bytes())
    return digest.hexdigest()


def play(folder: Path, bot: str, variant: str, *words: str, sets: int = 2, deals: int = 4) -> str:
    """Play `bot`, a command, against samples; returns what `arena play` printed. The record is folder/record.jsonl."""
    company = ",random" * (2 if variant in {"ghost-hand", "cutthroat"} else 1)
    words = (*words, "--bots", f"mine={bot}{company}", "--sets", str(sets), "--format", f"deals:{deals}", *PATIENT)
    command = [sys.executable, "-m", "arena", "play", "--variant", variant, "--key", KEY, "--record", "record.jsonl", *words]
    environment = {**os.environ, "ARENA_DATA": str(folder / "var")}
    done = subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def faults(folder: Path) -> list[dict[str, object]]:
    """The faults in the match that was played in a folder, whoever made them."""
    games = [game for line in read(folder / "record.jsonl") if "games" in line for game in line["games"]]
    assert games
    return [fault for game in games for deal in game["deals"] for fault in deal.get("faults", ())]


def assert_plays(folder: Path, bot: str, variant: str, options: str) -> None:
    """The bot plays every seating of two sets without a fault."""
    given = [word for option in options.split() for word in ("--option", option)]
    play(folder, bot, variant, *given)
    assert faults(folder) == []


def assert_beats_random(folder: Path, bot: str, variant: str) -> None:
    """The 95 % interval of the bot's margin over `random` is above zero."""
    told = play(folder, bot, variant, sets=20, deals=8)
    assert faults(folder) == []
    found = re.search(r"^mine over random: .* 95 % interval (\S+) to", told, re.MULTILINE)
    assert found, told
    assert float(found[1]) > 0, told


# --- a referee that keeps to a script -----------------------------------------------------------------------------------


@dataclass
class Scripted(referee_pb2_grpc.RefereeServiceServicer):
    """Plays no euchre: does at each stream what the script says, and keeps what it was told."""

    script: Sequence[grpc.StatusCode | referee_pb2.PlayResponse]
    tokens: list[str] = field(default_factory=list)
    hellos: list[referee_pb2.Hello] = field(default_factory=list)
    answers: list[referee_pb2.PlayRequest] = field(default_factory=list)

    def Play(  # noqa: N802 - the name that gRPC has for it
        self, requests: Iterator[referee_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[referee_pb2.PlayResponse]:
        """One stream: end with the status of the script, or send its message, and wait for the answers to its asks."""
        step = self.script[len(self.hellos)]
        self.tokens.append(dict(context.invocation_metadata()).get("authorization", ""))
        self.hellos.append(next(requests).hello)
        if isinstance(step, grpc.StatusCode):
            context.abort(step, "as the script says")
            return
        yield referee_pb2.PlayResponse(welcome=referee_pb2.Welcome(session="1", protocol=1))
        yield step
        if step.asks:
            self.answers.append(next(requests))


@contextlib.contextmanager
def serving(folder: Path, servicer: Scripted) -> Iterator[str]:
    """Serve on a socket in a folder; yields the address."""
    server = grpc.server(ThreadPoolExecutor(4))
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(servicer, server)
    address = f"unix:{folder}/referee.sock"
    server.add_insecure_port(address)
    server.start()
    try:
        yield address
    finally:
        server.stop(None).wait()


def run_scripted(folder: Path, bot: str, *script: grpc.StatusCode | referee_pb2.PlayResponse) -> tuple[Scripted, int, str]:
    """Run a bot against a scripted referee; returns what the referee saw, the bot's exit code and its stderr."""
    referee = Scripted(script)
    with serving(folder, referee) as address:
        environment = {"PATH": os.environ["PATH"], "EUCHRE_REFEREE": address, "EUCHRE_TOKEN": "secret"}
        done = subprocess.run(
            shlex.split(bot), check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
        )
    return referee, done.returncode, done.stderr


def _strange_asks() -> list[table_pb2.Ask]:
    view = table_pb2.View(seat=1, variant="next-year", phase=table_pb2.PHASE_PLAY, hand=[1, 2], taken=[0] * 5)
    later = table_pb2.View(seat=1, variant="next-year", hand=[cards_pb2.CARD_9C, cards_pb2.CARD_AC])
    later.phase = 77  # type: ignore[assignment] - a phase of a later version
    return [
        table_pb2.Ask(id=7, table=1, view=later, legal_calls=[97, 98]),  # type: ignore[list-item] - calls of a later version
        table_pb2.Ask(id=8, table=2, view=later, legal_cards=[cards_pb2.CARD_AC, cards_pb2.CARD_9C]),
        table_pb2.Ask(id=9, table=3, view=view, legal_cards=[2]),
    ]


def assert_keeps_its_stream(folder: Path, bot: str) -> None:
    """Comes back after UNAVAILABLE and after a stream that just ended, answers in one message, exits 0 after goodbye."""
    asks, goodbye = referee_pb2.PlayResponse(asks=_strange_asks()), referee_pb2.PlayResponse(goodbye=True)
    referee, code, stderr = run_scripted(folder, bot, grpc.StatusCode.UNAVAILABLE, asks, goodbye)
    assert code == 0, stderr
    assert referee.tokens == ["Bearer secret"] * 3
    assert [hello.protocol for hello in referee.hellos] == [1, 1, 1]
    (message,) = referee.answers
    assert [answer.ask for answer in message.answers] == [7, 8, 9]
    assert message.answers[0].call == 97, "of calls that it does not know, the first"
    assert message.answers[1].card in {cards_pb2.CARD_AC, cards_pb2.CARD_9C}
    assert message.answers[2].card == 2


def assert_takes_no_for_an_answer(folder: Path, bot: str) -> None:
    """A status that is the referee's word ends it with 1 and a line on stderr, at the first try."""
    referee, code, stderr = run_scripted(folder, bot, grpc.StatusCode.UNAUTHENTICATED)
    assert (code, len(referee.hellos)) == (1, 1), stderr
    assert "as the script says" in stderr
