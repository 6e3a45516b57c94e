"""`arena bridge`: programs that know nothing of gRPC play real matches, by lines of JSON."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from click.testing import CliRunner
from google.protobuf import json_format

from arena.__main__ import main
from arena.bridge import StrayLineError, line_of, request_of
from euchre.v1 import cards_pb2, referee_pb2, table_pb2
from referee import wire
from referee.launch import ROOT
from referee.rules import Rules
from tests.arena.test_play import KEY, PATIENT, arena
from tests.arena.test_sdk import GOODBYE, WELCOME, Host, Played, asking, opening
from tests.conftest import ROOT as PROJECT
from tests.referee.matches import Outcome, order, run
from tests.referee.processes import marked, wait_until
from tests.rules import settings

if TYPE_CHECKING:
    from pathlib import Path

    from referee.rules.deal import Deal

AWK = PROJECT / "sample_bots" / "awk"
BOT = f"awk -W interactive -f {AWK / 'bot.awk'}"
PAGE = (PROJECT / "docs" / "other-languages.md").read_text(encoding="utf-8")


def bridged(command: str, *options: str) -> str:
    """The run command of a bridge."""
    return " ".join(["arena bridge", *options, "--", command])


def script(folder: Path, text: str) -> str:
    """The command of a Bash script."""
    (folder / "bot.sh").write_text(text)
    return f"bash {folder / 'bot.sh'}"


def played(folder: Path, command: str, **rest: Any) -> tuple[Outcome, str]:
    """A match of a bridged command against good bots, and the command's log."""
    outcome = run(order(bridged(command), variant="turn-up", options={}, log_dir=str(folder), **rest))
    return outcome, next(folder.glob("bot0.*.log")).read_text()


# ---- the sample -------------------------------------------------------------------------------------------------------


class Asked:
    """A program of lines that is asked directly, without a referee."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()

    def ask(self, deal: Deal) -> int:
        """The action that it names."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        ask = wire.ask_message(1, 0, deal.view(deal.seat), deal.legal)
        self._process.stdin.write(line_of(referee_pb2.PlayResponse(asks=[ask])))
        self._process.stdin.flush()
        (answer,) = request_of(self._process.stdout.readline()).answers
        action = wire.reply(answer).action
        assert action is not None
        return action


def test_the_awk_bot_answers_legally_whatever_is_played() -> None:
    """Every variant, every value of every option and some together: no answer of the sample is ever illegal."""
    rng = Random("awk")
    with Asked(BOT) as bot:
        for setting in settings.ALL:
            rules = Rules(*setting)
            for number in range(2):
                deal = rules.deal(rng.sample(rules.pack, len(rules.pack)), number % rules.seats, number)
                while deal.seat >= 0:
                    legal = deal.legal_actions()
                    by_chance = len(legal) == 1 or (number % 2 and deal.phase != 10)  # so that rare calls lead somewhere
                    deal.apply(rng.choice(legal) if by_chance else bot.ask(deal))


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        ("turn-up", {}),
        ("turn-up", {"lone_defender": "on"}),
        ("ghost-hand", {"joker": "on"}),
        ("cutthroat", {"deck": "25", "dealer_pickup": "must"}),
        ("bid-euchre", {"joker": "on"}),
        ("bid-euchre", {"double_deck": "on"}),
    ],
)
def test_the_awk_bot_plays_without_a_fault(tmp_path: Path, variant: str, options: dict[str, str]) -> None:
    """Through `arena play`, with several tables in a line, the sample makes no fault in any variant."""
    mine = bridged(BOT, "--max-tables", "16")
    bots = ",".join([f"awk={mine}", "greedy", "greedy"][: Rules(variant, options).bots])
    given = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
    words = ["--variant", variant, "--bots", bots, "--sets", "1", "--format", "deals:4", "--record", "r.jsonl", *PATIENT, *given]
    done = arena(tmp_path, "play", *words)
    assert done.returncode == 0, done.stderr
    _, *sets, _ = map(json.loads, (tmp_path / "r.jsonl").read_text().splitlines())
    deals = [deal for line in sets for game in line["games"] for deal in game["deals"]]
    assert len(deals) >= 8
    assert [deal["faults"] for deal in deals if deal["faults"]] == []


@pytest.mark.parametrize(("variant", "others"), [("turn-up", "random"), ("ghost-hand", "random,random")])
def test_the_awk_bot_beats_random(tmp_path: Path, variant: str, others: str) -> None:
    """The interval of the sample's points over `random`'s lies above zero."""
    bots = f"awk={bridged(BOT, '--max-tables', '16')},{others}"
    words = ["--variant", variant, "--bots", bots, "--sets", "12", "--format", "deals:4", "--key", KEY, *PATIENT]
    done = arena(tmp_path, "play", *words)
    assert done.returncode == 0, done.stderr
    low = re.search(r"awk over random: \+\S+ points a deal, 95 % interval (\S+) to \S+ \(clearly apart\)", done.stdout)
    assert low, done.stdout
    assert float(low[1]) > 0


def test_the_samples_own_test_passes() -> None:
    """What an author is told to run says ok, and fails where an answer is another."""
    done = subprocess.run([AWK / "test.sh"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok: 4 answers as expected\n")
    done = subprocess.run([AWK / "test.sh"], check=False, capture_output=True, text=True, env={**os.environ, "AWK": "true"})
    assert done.returncode == 1
    assert "expected:" in done.stderr


# ---- the page ---------------------------------------------------------------------------------------------------------


def exchange() -> tuple[bytes, bytes]:
    """The question and the answer on the page, each as the one line that it is on the pipe."""
    (block,) = re.findall(r"```text\n(> .*?)```", PAGE, re.DOTALL)
    question, answer = block.replace("\n  ", "").splitlines()
    return question[2:].encode() + b"\n", answer[2:].encode() + b"\n"


def test_the_exchange_on_the_page_is_what_happens() -> None:
    """The message on the page is complete, it is what the bridge would write, and the sample answers it as shown."""
    question, answer = exchange()
    message = json_format.Parse(question, referee_pb2.PlayResponse())
    assert json.loads(line_of(message)) == json.loads(question)
    assert message.asks[0].view.hand[0] == cards_pb2.CARD_JS
    done = subprocess.run(shlex.split(BOT), input=question, capture_output=True, check=True)
    assert done.stdout == answer
    assert request_of(answer).answers[0].call == cards_pb2.CALL_ORDER


def test_the_bash_bot_on_the_page_plays(tmp_path: Path) -> None:
    """The smallest bot plays a match without a fault."""
    (text,) = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    outcome, log = played(tmp_path, script(tmp_path, text))
    assert len(outcome.games) == 1
    assert (outcome.faults(), log.strip()) == ([], "")


# ---- lines ------------------------------------------------------------------------------------------------------------


def test_nothing_that_is_zero_is_left_out() -> None:
    """Seat 0 is written as 0, an empty list as [], an enum by its name; what is truly absent is not there."""
    ask = table_pb2.Ask(id=1, legal_cards=[1], view=table_pb2.View(tricks=[table_pb2.Trick()]))  # type: ignore[list-item]
    found = json.loads(line_of(referee_pb2.PlayResponse(asks=[ask])))["asks"][0]
    assert (found["view"]["seat"], found["view"]["hand"], found["view"]["trump"]) == (0, [], "SUIT_UNSPECIFIED")
    assert found["legal_cards"] == ["CARD_7C"]
    assert "maker" not in found["view"]
    assert found["view"]["tricks"] == [{"leader": 0, "cards": []}]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"hello", "no JSON"),
        (b"", "no JSON"),
        (b"\xff\xfe{", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[1]", "no object"),
        (b'{"answer":[]}', 'no field named "answer"'),
        (b'{"answers":[{"ask":1,"card":"10C"}]}', "10C"),
        (b'{"answers":[{"ask":-1}]}', "-1"),
        (b'{"answers":{"ask":1}}', "answers"),
        (b'{"hello":{}}', "said by the bridge"),
    ],
)
def test_a_stray_line_says_what_is_wrong(line: bytes, wrong: str) -> None:
    """Whatever is no message to the referee is refused with the reason."""
    with pytest.raises(StrayLineError, match=re.escape(wrong)):
        request_of(line)


# ---- the command ------------------------------------------------------------------------------------------------------


def test_stray_output_is_reported_and_play_goes_on(tmp_path: Path) -> None:
    """A line of stdout that is no message is shown in the log by number and text, cut; stderr is there too; no ask is lost."""
    long = "thinking " * 40
    text = f"echo loaded >&2\necho loading\necho '{long}'\necho \"token $EUCHRE_TOKEN.\" >&2\nexec {BOT}\n"
    outcome, log = played(tmp_path, script(tmp_path, text))
    assert outcome.faults() == []
    assert "loaded\n" in log
    assert "token .\n" in log
    assert "line 1 of stdout is ignored, no JSON" in log
    assert ": loading\n" in log
    assert "line 2 of stdout" in log
    assert f": {long[:200]}…\n" in log
    assert 'allowed: one object a line, {"answers":[' in log


@pytest.mark.parametrize("code", [0, 3])
def test_a_command_that_ends_ends_the_bridge(tmp_path: Path, code: int) -> None:
    """End of output ends the bot with the command's exit code, and its log tells at how many tables it sat."""
    outcome, log = played(tmp_path, script(tmp_path, f"read; read; exit {code}\n"))
    assert outcome.causes() == {(0, "CRASHED")}
    assert f"has ended its output (exit code {code}); 1 table open" in log
    assert {entry["exit"] for entry in outcome.logs} <= {code}


def test_a_command_that_goes_on_without_its_output_is_ended(tmp_path: Path) -> None:
    """A closed stdout is the end too, and nothing that the command started is left."""
    outcome, log = played(tmp_path, script(tmp_path, "read; read; exec >&-; sleep 1000\n"))
    assert outcome.causes() == {(0, "CRASHED")}
    assert "has ended its output (it had to be ended)" in log


def hosted(folder: Path, command: str, *scripts: list[Any]) -> tuple[Host, subprocess.CompletedProcess[str]]:
    """A bridge with a referee that follows a script."""
    host = Host(*scripts)
    table = Played(folder, host)
    environment = {**os.environ, "EUCHRE_REFEREE": table.address, "EUCHRE_TOKEN": "secret", "PYTHONPATH": ROOT}
    words = [sys.executable, "-m", "arena", "bridge", "--max-tables", "8", "--", *shlex.split(command)]
    try:
        done = subprocess.run(words, check=False, capture_output=True, text=True, env=environment, timeout=600)
    finally:
        table.server.stop(None)
    return host, done


def test_a_lost_connection_is_nothing_to_the_command(tmp_path: Path) -> None:
    """The bridge comes back by itself, and the command merely sees the open ask again."""
    again = referee_pb2.PlayResponse(welcome=WELCOME, opened=[opening(1)], asks=[asking(5, 1)])
    host, done = hosted(tmp_path, BOT, [again, None, grpc.StatusCode.UNAVAILABLE], [again, None, GOODBYE])
    assert (done.returncode, done.stderr) == (0, "")
    assert [[answer.ask for answer in heard.answers] for heard in host.heard] == [[], [5], [], [5]]
    assert host.tokens == ["Bearer secret"] * 2
    assert (host.heard[0].hello.max_tables, host.heard[0].hello.agent) == (8, f"{BOT[:100]} (arena bridge)")


def test_goodbye_ends_a_command_that_stays(tmp_path: Path) -> None:
    """A command that does not end when its stdin does is ended with what it started; the session went well all the same."""
    _, done = hosted(tmp_path, script(tmp_path, "setsid sleep 1000 & sleep 1000\n"), [GOODBYE])
    assert done.returncode == 0
    assert "was ended 1 s after its stdin was closed" in done.stderr
    assert marked(str(tmp_path)) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_bridge_leaves_no_command(tmp_path: Path, number: signal.Signals) -> None:
    """The command goes with the bridge, whether that is stopped or killed outright."""
    table = Played(tmp_path, Host([referee_pb2.PlayResponse(welcome=WELCOME), None]))
    environment = {**os.environ, "EUCHRE_REFEREE": table.address, "EUCHRE_TOKEN": "secret", "PYTHONPATH": ROOT}
    words = [sys.executable, "-m", "arena", "bridge", "--", "bash", "-c", f"read; : > {tmp_path}/up; read"]
    bridge = subprocess.Popen(words, env=environment)
    try:
        assert wait_until((tmp_path / "up").exists)
        bridge.send_signal(number)
        assert bridge.wait(300) == {signal.SIGTERM: 128 + signal.SIGTERM, signal.SIGKILL: -signal.SIGKILL}[number]
    finally:
        bridge.kill()
        bridge.wait()
        table.server.stop(None)
    assert wait_until(lambda: marked(f"{tmp_path}/up") == [])


def test_a_command_that_does_not_read_is_ended(tmp_path: Path) -> None:
    """What a command leaves unread does not pile up: it is ended, with a word on why."""
    stale = referee_pb2.PlayResponse(stale=[table_pb2.Stale(ask=1)])
    _, done = hosted(tmp_path, "sleep 1000", [referee_pb2.PlayResponse(welcome=WELCOME), *[stale] * 3000, None])
    assert done.returncode == 1
    assert "sleep 1000 has left 1000 messages unread (it had to be ended); 0 tables open" in done.stderr


def test_what_cannot_run_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No command, an unknown one, and no referee: each with its message."""
    _, done = hosted(tmp_path, "no-such-program", [GOODBYE])
    assert done.returncode == 2
    assert "cannot start 'no-such-program': No such file or directory" in done.stderr
    assert CliRunner().invoke(main, ["bridge"]).exit_code == 2
    monkeypatch.delenv("EUCHRE_REFEREE", raising=False)
    alone = CliRunner().invoke(main, ["bridge", "--", "awk", "-f", "bot.awk"])
    assert alone.exit_code == 1
    assert "EUCHRE_REFEREE is not set" in alone.output
    assert 'me=arena bridge -- awk -f bot.awk"' in alone.output
