"""docs/protocol.md says what is so: its examples are messages, its deals can be played, its numbers are the code's."""

from __future__ import annotations

import inspect
import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf import json_format

from arena.cli.play import play
from arena.sdk import client
from arena.sdk import wire as sdk_wire
from euchre.v1 import referee_pb2, table_pb2
from referee import game, lag, server, service, table, wire
from referee.clock import Clock
from referee.limits import Limits
from referee.rules import Rules
from referee.rules.options import text_of
from tests.conftest import ROOT
from tests.rules import notation as n
from tests.rules.stacking import stacked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message

    from referee.rules import Deal

PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```json (\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TABLE_ROW = re.compile(r"^\| (.*) \|$", re.MULTILINE)


def parsed() -> list[Message]:
    """Every example as a message of the type that it names."""
    return [json_format.Parse(text, getattr(referee_pb2, name)()) for name, text in EXAMPLES]


def of_all(field: str) -> list[Any]:
    """The entries of one field over all examples, in their order."""
    return [entry for message in parsed() if field in message.DESCRIPTOR.fields_by_name for entry in getattr(message, field)]


def rules_of(opened: table_pb2.Opened) -> Rules:
    return Rules(opened.variant, dict(opened.options))


def ask_numbered(number: int) -> table_pb2.Ask:
    return next(ask for ask in of_all("asks") if ask.id == number)


# ---- examples ---------------------------------------------------------------------------------------------------------


def test_there_are_examples_of_everything() -> None:
    """Each kind of message that a bot sends or must understand is shown, and no JSON on the page goes unchecked."""
    assert PAGE.count("```json") == len(EXAMPLES)
    messages = parsed()
    for kind in ("hello", "welcome"):
        assert any(kind in message.DESCRIPTOR.fields_by_name and message.HasField(kind) for message in messages)
    assert all(of_all(field) for field in ("opened", "asks", "answers", "faults", "closed"))
    assert any(getattr(message, "goodbye", False) for message in messages)


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_examples_are_proto_json(name: str, text: str) -> None:
    """Each example parses as its message, unknown names being errors, and is what the message gives back."""
    message = json_format.Parse(text, getattr(referee_pb2, name)())
    assert json_format.MessageToDict(message) == json.loads(text)


def test_examples_name_what_is_there() -> None:
    """Openings give every option of their variant; asks are of open tables; answers and faults are of asks that were shown."""
    opened = {entry.table: entry for entry in of_all("opened")}
    for entry in opened.values():
        rules = rules_of(entry)
        assert dict(entry.options) == {name: text_of(value) for name, value in rules.options.items()}
        assert entry.seats == rules.seats
        assert len(entry.commitment) == 32
        assert (wire.seconds(entry.time), wire.seconds(entry.bank), entry.faults) == (Clock.answer, Clock.bank, Clock.faults)
    for ask in of_all("asks"):
        assert (ask.view.variant, ask.view.seat) == (opened[ask.table].variant, opened[ask.table].seat)
    for answer in of_all("answers"):
        ask = ask_numbered(answer.ask)
        assert answer.call in ask.legal_calls if answer.call else answer.card in ask.view.hand


@pytest.mark.parametrize("ask", of_all("asks"), ids=lambda ask: f"ask {ask.id}")
def test_example_asks_can_be_played(ask: table_pb2.Ask) -> None:
    """A deal that happens as the view says gives that view, to the last field, and that list of legal moves."""
    opened = next(entry for entry in of_all("opened") if entry.table == ask.table)
    deal = relived(rules_of(opened), ask.view)
    assert deal.turn() == ask.view.seat
    rebuilt = wire.ask_message(ask.id, ask.table, deal.view(deal.turn()), deal.legal)
    assert rebuilt.view == ask.view
    assert list(rebuilt.legal_cards) == list(ask.legal_cards)
    assert list(rebuilt.legal_calls) == list(ask.legal_calls)


def test_example_faults_are_what_the_rules_make_of_the_answers() -> None:
    """A fault's move is what the rules play after the answer shown before it, and its text is the referee's."""
    for fault in of_all("faults"):
        ask = ask_numbered(fault.ask)
        answer = next(answer for answer in of_all("answers") if answer.ask == fault.ask)
        opened = next(entry for entry in of_all("opened") if entry.table == fault.table)
        deal = relived(rules_of(opened), ask.view)
        wrong = n.text(answer.card - 1)
        assert fault.detail == f"{wrong} is not legal (allowed: {n.texts(n.members(deal.legal))})"
        assert deal.is_revoke(answer.card - 1)
        assert deal.revoke(answer.card - 1) == fault.card - 1
        assert fault.cause == table_pb2.CAUSE_ILLEGAL


def relived(rules: Rules, view: table_pb2.View) -> Deal:
    """A deal in which all that a view tells has happened; what it does not tell is as it comes."""
    hands = {view.seat: [card - 1 for card in view.hand]}
    seen = []
    for trick in view.tricks:
        for place, card in enumerate(trick.cards):
            hands.setdefault((trick.leader + place) % rules.seats, []).append(card - 1)
            seen.append(card - 1)
    stock = [view.turned_card - 1] if view.turned_card else []
    pack = stacked(rules, view.dealer, random.Random(1), hands, stock)
    deal = rules.deal(pack, view.dealer, view.deal, list(view.total))
    calls, cards = iter([said.call for said in view.said]), iter(seen)
    for move in _moves(deal, calls, cards):
        deal.apply(move)
    assert next(calls, None) is None
    return deal


def _moves(deal: Deal, calls: Iterator[int], cards: Iterator[int]) -> Iterator[int]:
    while True:
        phase = n.PHASES[deal.phase]
        if phase == "pick up":  # another's, and hidden
            yield min(n.members(deal.legal))
            continue
        move = next(cards, None) if phase == "play" else next(calls, None)
        if move is None:
            return
        yield move if phase == "play" else n.action(n.CALLS[move - 1])


# ---- numbers ----------------------------------------------------------------------------------------------------------


def rows(title: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return [row.split(" | ") for row in TABLE_ROW.findall(section)][2:]


def test_the_clock() -> None:
    """The times on the page are the defaults, and its options exist and have them."""
    found = {option.strip("`"): float(default.removesuffix(" s")) for _, default, option in rows("Time")}
    defaults = Clock().as_json()
    assert found == {f"--{name}": value for name, value in defaults.items() if name != "faults"}
    options = {name: parameter.default for parameter in play.params for name in parameter.opts}
    assert {name: options[name] for name in found} == found
    assert f"The {('first', 'second', 'third')[Clock.faults - 1]} fault\nof a game (`--faults`)" in PAGE


def test_the_limits() -> None:
    """The limits on the page, and in its example of a Welcome, are those that sessions have."""
    limits = Limits()
    for stated in (
        f"{limits.message_bytes // 1024} KiB a message",
        f"{limits.open_asks} asks open at once",
        f"{limits.stray_answers}\nstray answers a second",
        f"{limits.streams} streams with one token within {_word(limits.stream_window)} seconds",
        f"note of up to {table.NOTE_BYTES:,} bytes",
        f"above {lag.LIMIT * 1000:g} ms",
    ):
        assert stated in PAGE
    assert sdk_wire.NOTE_BYTES == table.NOTE_BYTES
    welcome = next(message.welcome for message in parsed() if getattr(message, "welcome", None) and message.HasField("welcome"))
    assert welcome.limits == wire.limits_message(limits, Clock.grace)


def _word(seconds: float) -> str:
    return {10: "ten"}[int(seconds)]


def test_the_pings() -> None:
    """The page says how often each side pings, and what the referee bears."""
    allowed = dict(server.OPTIONS)
    assert allowed["grpc.http2.max_ping_strikes"] == 0
    for stated in (
        f"The referee pings every {server.KEEPALIVE_MS // 1000} s",
        f"The SDK pings after {client.PING_MS // 1000} s of silence\nand waits {client.PONG_MS // 1000} s",
        f"the referee bears a ping every {allowed['grpc.http2.min_ping_interval_without_data_ms'] // 1000} s",
    ):
        assert stated in PAGE


def test_the_version() -> None:
    """The page, its examples, the referee and the SDK speak of one protocol version."""
    stated = re.search(r"protocol version (\d+)\.", PAGE)
    assert stated
    greeting = next(message for message in parsed() if getattr(message, "hello", None) and message.HasField("hello"))
    assert int(stated[1]) == wire.PROTOCOL == client.PROTOCOL == greeting.hello.protocol


def test_the_causes() -> None:
    """The table of causes holds every value of the enum, and blames whom the referee blames."""
    found = {cause: blame.split(":")[0] for cause, _, blame in rows("Faults")}
    assert [f"CAUSE_{cause}" for cause in found] == list(table_pb2.Cause.keys())[1:]
    assert {cause for cause, blame in found.items() if blame == "bot"} == game.FAULTS
    assert {cause for cause, blame in found.items() if blame == "nobody"} == {game.INFRASTRUCTURE, game.INTERRUPTED}


def test_the_statuses() -> None:
    """Statuses that the page names are among those that the referee ends streams with."""
    code = inspect.getsource(service) + inspect.getsource(server) + (ROOT / "referee/session.py").read_text(encoding="utf-8")
    for status in set(re.findall(r"\b(?:FAILED_PRECONDITION|ABORTED|RESOURCE_EXHAUSTED)\b", PAGE)):
        assert f'"{status}"' in code
