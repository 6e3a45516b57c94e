"""`arena check`: good bots pass every step, and every bad bot fails just the step that is about what is bad in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from arena.__main__ import main
from arena.check.steps import STEPS
from tests.referee.processes import marked

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS = {step.name: number for number, step in enumerate(STEPS, 1)}
PATIENT = ("--answer", "30", "--bank", "60", "--grace", "30", "--start", "120")
"""A clock on which nobody fails because the machine is busy."""
WIDTHS = (1.0, 4.0, 16.0)
"""Of clocks on which a bot has to fail: where the machine is too busy for the tightest, the next is tried."""

BAD = {
    "exits start": "start",
    "no_hello": "start",
    "garbage first": "start",
    "garbage later": "handshake",
    "oversized": "handshake",
    "two_hellos": "handshake",
    "protocol 0": "handshake",
    "protocol 2": "handshake",
    "wrong_token": "handshake",
    "many_streams": "handshake",
    "replaces_itself": "handshake",
    "other_variant": "handshake",
    "flood": "handshake",
    "exits hello": "handshake",
    "silent": "answer",
    "never_reads": "answer",
    "slow 3": "answer",
    "illegal card": "answer",
    "illegal call": "answer",
    "illegal other": "answer",
    "illegal both": "answer",
    "illegal unspecified": "answer",
    "illegal unknown": "answer",
    "exits 4": "answer",
    "silent_after 3": "ghost-hand",
    "revoke": "ghost-hand",
    "comes_back 3 300": "ghost-hand",
    "exits 5": "ghost-hand",
    "exits 10": "ghost-hand",
    "exits 2": "ghost-hand-joker",
    "exits 3": "ghost-hand-joker",
    "exits 6": "cutthroat",
    "exits 7": "cutthroat",
    "exits 8": "cutthroat",
    "exits 1": "cutthroat-25",
    "exits 9": "bid-euchre",
    "slow 0.01": "tables",
    "twice": "once",
    "other_seat": "once",
    "repeats_what_is_stale": "once",
    "strict": "unknown",
    "never_comes_back": "reconnect",
    "forgets_the_token_later": "reconnect",
    "comes_back 9 0.2": "reconnect",  # it is back in time once, of its own accord; it does not expect to lose a stream
    "one_table": "reconnect",
    "ignores_goodbye": "stop",
    "ends_badly": "stop",
    "daemon left-by-a-checked-bot": "orphans",
}
"""What is bad, and the step that must find it."""

TIMED = {
    **dict.fromkeys(("silent", "silent_after 3", "never_reads", "slow 3", "comes_back 3 300", "never_comes_back"), 0.5),
    "slow 0.01": 0.125,
}
"""Those that fail by the clock, and the seconds for an answer that it takes."""

SOON = ("exits start", "wrong_token", "silent", "revoke", "exits 1", "strict", "never_comes_back", "daemon left-by-a-checked-bot")
"""One of each kind for every test run; the others are long together."""


def check(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `arena check`."""
    command = [sys.executable, "-m", "arena", "check", *PATIENT, *words]
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=1200)


def bad(kind: str, width: float) -> list[str]:
    """How a bad bot is checked; by the clock, all times being multiplied by `width`, where it is the clock that finds it."""
    what, *arguments = kind.split()
    if what == "slow":
        arguments = [str(float(arguments[0]) * width)]
    answer = TIMED.get(kind, 0.0) * width
    clock = ["--answer", f"{answer}", "--bank", f"{2 * answer}", "--grace", f"{6 * answer}"] if answer else []
    return [" ".join(["python -m tests.bots.bad", what, *arguments]), *clock]


def steps(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """What `--json` printed."""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("bot", ["greedy", "random", "python -m tests.bots.first_legal", "python -m tests.bots.bad noisy"])
def test_good_bots_pass_every_step(bot: str) -> None:
    """A bot that keeps the protocol passes all steps, with exit code 0."""
    done = check(bot, "--json")
    assert {step["status"] for step in steps(done)} == {"passed"}, done.stdout
    assert [step["step"] for step in steps(done)] == list(range(1, len(STEPS) + 1))
    assert done.returncode == 0, done.stderr


def test_every_phase_comes_up() -> None:
    """Whatever can be asked for is asked for, of a bot that says everything at times."""
    done = check("random", "--json", "--only", ",".join(str(number) for number in range(5, 15)))
    told = " ".join(step["detail"] for step in steps(done))
    for phase in ("JOKER", "LAY_AWAY", "CLAIM", "AUCTION", "TRUMP", "PICK_UP", "ALONE", "DUMMY", "GIFT", "PLAY"):
        assert f"{phase} " in told
    assert "never came up" not in told


@pytest.mark.parametrize("kind", [kind if kind in SOON else pytest.param(kind, marks=pytest.mark.slow) for kind in BAD])
def test_a_bad_bot_fails_the_step_that_is_about_it(kind: str) -> None:
    """Steps before it pass, it fails and says why, and those after it are not reached."""
    number = NUMBERS[BAD[kind]]
    expected = ["passed"] * (number - 1) + ["failed"] + ["not reached"] * (len(STEPS) - number)
    for width in WIDTHS:
        done = check(*bad(kind, width), "--json")
        found = steps(done)
        if kind not in TIMED or [step["status"] for step in found] == expected:
            break
    assert [step["status"] for step in found] == expected, done.stdout + done.stderr
    assert found[number - 1]["detail"]
    assert done.returncode == 1


@pytest.mark.slow
def test_a_bot_that_never_connects_fails_to_start() -> None:
    """The start-up time bounds the first step."""
    done = check("python -m tests.bots.bad never_connects", "--start", "3", "--only", "1", "--json")
    assert [step["status"] for step in steps(done)] == ["failed"]
    assert "did not connect within 3 s" in steps(done)[0]["detail"]


def test_a_failure_tells_what_was_sent_and_what_came_back(tmp_path: Path) -> None:
    """The report of a failure holds the ask, the answer and the bot's last output, and nothing stays behind."""
    bot = tmp_path / f"checked_{os.getpid()}.py"
    bot.write_text(
        "import sys\n"
        "from arena import run\n"
        "print('thinking aloud', file=sys.stderr)\n"
        "run(lambda view: view.hand[0] if view.legal_cards else view.legal[-1])\n"
    )
    done = check(f"python {bot.name}", "--only", "5", folder=tmp_path)
    assert done.returncode == 1
    assert "FAILED  Plays ghost-hand" in done.stdout
    assert "why       ILLEGAL: " in done.stdout
    assert '"phase":"PHASE_PLAY"' in done.stdout
    assert 'came back {"ask":' in done.stdout
    assert "| thinking aloud" in done.stdout
    assert "docs/check.md, step 5" in done.stdout
    assert marked(bot.name) == []


def test_going_on_after_a_failure() -> None:
    """With --keep-going the steps after a failure run too, each on its own."""
    done = check("python -m tests.bots.bad ends_badly", "--keep-going", "--only", "3,18,2", "--json")
    assert [(step["step"], step["status"]) for step in steps(done)] == [(2, "passed"), (3, "passed"), (18, "failed")]


def test_a_bot_of_one_variant_is_checked_in_that(tmp_path: Path) -> None:
    """Steps of variants that a bot says it does not play are skipped, which is no failure."""
    (tmp_path / "bot.py").write_text(
        "from arena import Bot, run\n\n\nclass One(Bot):\n    variants = ['cutthroat']\n\n"
        "    def choose(self, view):\n        return view.legal[0]\n\n\nrun(One())\n"
    )
    done = check("python bot.py", "--only", "3,7,10", "--json", folder=tmp_path)
    assert [step["status"] for step in steps(done)] == ["passed", "passed", "skipped"]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("greedy", "--only", "0"), "'0' is no step (allowed: 1 to 19, separated by commas)"),
        (("greedy", "--only", "one"), "'one' is no step"),
        (("'",), 'run command "\'": No closing quotation'),
        ((" ",), "run command is empty"),
        (("greedy", "--answer", "0"), "clock answer: 0.0 (allowed: 0.01 to"),
    ],
)
def test_bad_input_names_what_is_allowed(words: tuple[str, ...], said: str) -> None:
    """Each mistake on the command line gives exit code 2, before any bot is started."""
    done = CliRunner().invoke(main, ["check", *words])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_the_steps_are_listed_and_documented(root: Path) -> None:
    """`--list` names every step, and the documentation has a section for each."""
    listed = CliRunner().invoke(main, ["check", "--list"])
    page = (root / "docs" / "check.md").read_text(encoding="utf-8")
    assert listed.exit_code == 0
    for number, step in enumerate(STEPS, 1):
        assert f"{number:>3}  {step.name} " in listed.output
        assert f"| {number} | {step.name} |" in page
