"""The SDK: what a view works out, what an answer may be, and how a session with a referee behaves."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import time
from concurrent import futures
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import grpc
import pytest

import arena
from arena.sdk import Bot, Call, Card, Fault, Phase, Result, Table, View, run
from arena.sdk import wire as sdk_wire
from arena.sdk.bot import as_bot, move_of
from arena.sdk.local import play_deal, table_for, view_of
from arena.sdk.words import CALLS, CARDS, parse_move
from euchre.v1 import cards_pb2, referee_pb2, referee_pb2_grpc, table_pb2
from referee import wire as referee_wire
from referee.launch import ROOT
from referee.rules import Rules
from referee.rules.cards import action_text
from tests.referee.matches import finish, order, start
from tests.rules import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

OPTIONS = {"stick_dealer": "off", "double_deck": "off"}


def ask_of(table: Table, legal: str, tricks: list[tuple[int, str, int | None]], **view: object) -> View:
    """A view of a card to be played, from the message that a referee would send; cards in words."""
    ask = table_pb2.Ask(id=1, table=table.number, legal_cards=numbers(legal))
    ask.view.CopyFrom(table_pb2.View(variant=table.variant, seat=table.seat, phase=table_pb2.PHASE_PLAY))
    view.setdefault("taken", [0] * table.seats)
    for leader, cards, winner in tricks:
        ask.view.tricks.append(table_pb2.Trick(leader=leader, cards=numbers(cards), winner=winner))
    for name, value in view.items():
        if isinstance(value, list):
            getattr(ask.view, name).extend(value)
        else:
            setattr(ask.view, name, value)
    return sdk_wire.view_of(ask, table)


def numbers(cards: str) -> list[cards_pb2.Card.ValueType]:
    """Cards in words as the protocol numbers them."""
    return [cards_pb2.Card.ValueType(Card(card).code + 1) for card in cards.split()]


def table(variant: str, seat: int, **options: str) -> Table:
    return table_for(Rules(variant, options), seat)


# ---- words ----------------------------------------------------------------------------------------------------------


def test_cards_and_calls_are_text_in_the_notation_of_the_record() -> None:
    """Each card and call equals its text, is the only one of its name and knows what the text says."""
    assert Card("JC") == "JC"
    assert Card("JC") is CARDS[4]
    assert (Card("TD").suit, Card("TD").rank, Card("XX").suit, Card("XX").is_joker) == ("D", "T", None, True)
    assert [str(call) for call in CALLS] == [action_text(action) for action in range(41, 64)]
    assert (Call("4").bid, Call("moon").bid, Call("H").suit, Call("pass").suit) == (4, None, "H", None)


def test_bowers_and_the_joker_are_trumps() -> None:
    """Both bowers and the joker belong to the trump suit, in which the joker stands highest (K1, K2)."""
    assert Card("JS").is_left("C")
    assert Card("JC").is_right("C")
    assert [Card("JS").suit_in(trump) for trump in ("C", "D", None)] == ["C", "S", "S"]
    assert [card.is_bower("C") for card in map(Card, ("JS", "JC", "JH", "XX"))] == [True, True, False, False]
    assert Card("XX").is_trump("D")
    ascending = [Card(card).strength("C") for card in ("AC", "JS", "JC", "XX")]
    assert ascending == sorted(ascending)
    assert Card("AH").strength("C", "S") == 0


@pytest.mark.parametrize("text", ["1C", "JOKER", "", "jc"])
def test_unknown_words_are_refused_with_what_is_known(text: str) -> None:
    """A text that is neither a card nor a call is an error that lists both."""
    with pytest.raises(ValueError, match=r"9C.*pass"):
        parse_move(text)
    with pytest.raises(ValueError, match="cards are 7C"):
        Card(text)
    with pytest.raises(ValueError, match="calls are pass"):
        Call(text)


# ---- answers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "move", "note"),
    [
        (Card("9C"), "9C", None),
        ("9C", "9C", None),
        ("pass", "pass", None),
        ("10", "10", None),
        ((Call("moon"), "why not"), "moon", "why not"),
        (("XX", None), "XX", None),
    ],
)
def test_an_answer_is_a_move_or_a_move_with_a_note(answer: object, move: str, note: str | None) -> None:
    """Cards and calls may be given as such or as text, alone or with a note."""
    assert move_of(answer) == (move, note)


@pytest.mark.parametrize("answer", [None, 3, [], ("9C", 3), ("9C", "a", "b"), (None, "note")])
def test_what_is_no_answer_is_refused(answer: object) -> None:
    """Anything that is no card and no call raises, and the message shows it."""
    with pytest.raises(TypeError, match=r"must"):
        move_of(answer)


def test_run_takes_bots_and_functions_but_no_classes() -> None:
    """A class given instead of an instance is told what to write."""

    class Mine(Bot):
        pass

    assert as_bot(lambda view: view.legal[0]).name == "<lambda>"
    with pytest.raises(TypeError, match=r"run\(Mine\(\)\)"):
        as_bot(Mine)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not 3"):
        as_bot(3)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="Mine must define choose"):
        Mine().choose(ask_of(table("turn-up", 0), "9C", []))


def test_notes_are_cut_to_what_the_protocol_carries() -> None:
    """A note is at most 1,024 bytes of UTF-8 and never ends in half a character."""
    answer = sdk_wire.answer_to(3, Card("9C"), "é" * 1000)
    assert answer.note == "é" * 512
    assert (answer.ask, answer.card, answer.call) == (3, cards_pb2.CARD_9C, 0)
    assert sdk_wire.answer_to(4, Call("moon"), None).call == cards_pb2.CALL_MOON


# ---- views ----------------------------------------------------------------------------------------------------------


def test_a_left_bower_led_asks_for_trumps() -> None:
    """With the left bower led, the suit led is trumps, and not following it shows a void in trumps, not in its printed suit."""
    view = ask_of(
        table("turn-up", 3),
        "9H AD KD",
        [(0, "JD 9C AH", None)],
        hand=numbers("9H AD KD"),
        trump=cards_pb2.SUIT_HEARTS,
        maker=0,
    )
    assert view.led == "H"
    assert view.winning == (0, "JD")
    assert view.voids == {0: set(), 1: {"H"}, 2: set()}
    assert view.suit(Card("JD")) == "H"
    assert not view.is_trump(Card("AD"))
    assert view.winners() == ()
    assert view.lowest() == "KD"
    assert view.highest() == "9H"
    assert view.trumps() == ("9H",)
    assert view.to_follow == ()
    assert view.cards_left == {0: 2, 1: 2, 2: 2}
    assert not view.partner_is_winning


def test_unseen_counts_copies_in_a_double_deck() -> None:
    """In a double deck one copy in hand and one played leave none unseen; one in hand leaves one."""
    view = ask_of(
        table("bid-euchre", 1, double_deck="on"),
        "JH 9C",
        [(0, "JH", None)],
        hand=numbers("9C 9C JH AD"),
        trump=cards_pb2.SUIT_HEARTS,
        maker=0,
    )
    counts = view.unseen_counts
    assert (counts[Card("JH")], counts[Card("9C")], counts[Card("AD")], counts[Card("KS")]) == (0, 0, 1, 2)
    assert len(view.unseen) == 48 - 4 - 1
    assert not view.beats(Card("JH"))  # the first of two identical cards wins (K4)
    assert view.is_high(Card("JH"))
    assert not view.is_high(Card("AH"))


def test_a_newer_option_changes_no_card() -> None:
    """The pack of a table is known, though one of its options is newer than this version."""
    table = table_for(Rules("cutthroat", {"deck": "25"}), 0)
    table.options = {**table.options, "option_to_come": "on"}
    assert len(table.pack) == 25
    assert table.pack[-1] == "XX"


def test_unseen_leaves_out_what_lies_on_the_table_and_keeps_what_the_dealer_took() -> None:
    """A turned card is unseen only once the dealer has taken it, and he is known to hold it until he plays it."""
    shared = {"dealer": 2, "turned_card": cards_pb2.CARD_AS, "trump": cards_pb2.SUIT_SPADES, "maker": 1}
    for turned in (table_pb2.TURNED_UP, table_pb2.TURNED_LEFT, table_pb2.TURNED_DOWN):
        view = ask_of(table("cutthroat", 0), "9C", [], hand=numbers("9C"), turned=turned, **shared)
        assert Card("AS") not in view.unseen_counts
        assert view.dealer_holds is None
    taken = {"hand": numbers("9C"), "turned": table_pb2.TURNED_TAKEN, **shared}
    view = ask_of(table("cutthroat", 0), "9C", [], **taken)
    assert (view.unseen_counts[Card("AS")], view.dealer_holds) == (1, "AS")
    view = ask_of(table("cutthroat", 0), "9C", [(2, "AS", None)], **taken)
    assert (view.unseen_counts[Card("AS")], view.dealer_holds) == (0, None)
    said = [table_pb2.Said(seat=2, call=cards_pb2.CALL_DUMMY)]
    view = ask_of(table("cutthroat", 0), "9C", [], said=said, **taken)  # he may have thrown it away (C5)
    assert (view.unseen_counts[Card("AS")], view.dealer_holds) == (1, None)


def test_what_was_put_away_is_not_unseen() -> None:
    """Cards laid away, and a hand put down in a swap, are known to their owner and nowhere else."""
    view = ask_of(table("ghost-hand", 0), "9C", [], hand=numbers("9C"), put_away=numbers("TC JC QC KC AC 9D"))
    assert len(view.unseen) == 24 - 7


def test_seats_sides_and_points() -> None:
    """Partners sit opposite, sides are teams or seats, and penalties count at once."""
    view = ask_of(table("turn-up", 3), "9C", [], total=[7, 9], penalty=[0, -2], taken=[1, 0, 1, 2], out=[2])
    assert (view.partner, view.opponents, view.side, view.active) == (1, (0, 2), 1, (0, 1, 3))
    assert (view.points, view.my_points, view.my_tricks, view.tricks_of(0)) == ((7, 7), 7, 2, 2)
    view = ask_of(table("cutthroat", 2), "9C", [], total=[1, 2, 3], penalty=[0, 0, 0], taken=[0, 1, 2])
    assert (view.partner, view.opponents, view.side, view.my_points, view.my_tricks) == (None, (0, 1), 2, 3, 2)


def test_leading_has_no_trick_to_win() -> None:
    """Before the lead every card would win, nothing was led, and everybody else is still to play."""
    view = ask_of(table("ghost-hand", 1), "9C AD", [], hand=numbers("9C AD"), trump=cards_pb2.SUIT_CLUBS, maker=1)
    assert view.is_leading
    assert (view.trick, view.led, view.winning, view.leader, view.to_follow) == (None, None, None, 1, (2, 0))
    assert view.winners() == ("AD", "9C")
    assert view.by_suit() == {"C": ("9C",), "D": ("AD",), "H": (), "S": ()}


def test_time_left_runs() -> None:
    """The time left is that of the answer and the bank together, and it runs."""
    ask = table_pb2.Ask(id=1, legal_cards=numbers("9C"))
    ask.time.FromMilliseconds(1500)
    ask.bank.FromSeconds(10)
    view = sdk_wire.view_of(ask, table("turn-up", 0))
    assert (view.time, view.bank, view.last) == (1.5, 10.0, None)
    first = view.time_left
    assert view.time_left <= first <= 11.5


def public(thing: type) -> list[str]:
    """The public properties of a class."""
    return [
        name
        for name, value in inspect.getmembers(thing)
        if not name.startswith("_") and isinstance(value, property | cached_property)
    ]


@pytest.mark.parametrize("setting", settings.ALL, ids=settings.name)
def test_local_views_are_those_of_the_wire(setting: settings.Setting) -> None:
    """Every property of every view is the same whether it came in a message or straight from the rules."""
    rules, rng = Rules(*setting), Random("views")
    tables = [table_for(rules, seat) for seat in range(rules.seats)]
    names = [name for name in public(View) if name not in {"time_left", "options"}]
    for number in range(4):
        deal = rules.deal(rng.sample(rules.pack, len(rules.pack)), number % rules.seats, number)
        while (seat := deal.seat) >= 0:
            local = view_of(deal, tables[seat])
            ask = referee_wire.ask_message(1, 0, deal.view(seat), deal.legal)
            wired = sdk_wire.view_of(table_pb2.Ask.FromString(ask.SerializeToString()), tables[seat])
            assert local.legal == wired.legal
            for name in names:
                assert getattr(local, name) == getattr(wired, name), name
            deal.apply(rng.choice(deal.legal_actions()))


def test_unseen_cards_are_those_that_are_hidden() -> None:
    """In a game without a ghost or dummy, the unseen cards are the others' hands, their discards, and the stock."""
    rules, rng = Rules("bid-euchre", {"double_deck": "on"}), Random("unseen")
    tables = [table_for(rules, seat) for seat in range(rules.seats)]
    for number in range(5):
        deal = rules.deal(rng.sample(rules.pack, len(rules.pack)), number % 4, number)
        while (seat := deal.seat) >= 0:
            if deal.phase == 10 and not deal.out:
                others = sorted(card for other in range(4) if other != seat for card in deal.hand(other))
                assert [card.code for card in view_of(deal, tables[seat]).unseen] == others
            deal.apply(rng.choice(deal.legal_actions()))


def test_a_view_prints_as_one_line() -> None:
    """What a traceback shows of a view is one line with hand and question."""
    view = ask_of(table("turn-up", 3), "9C AD", [], hand=numbers("9C AD"))
    assert repr(view) == "<View turn-up deal 0 seat 3 play: hand 9C AD; legal 9C AD>"


def test_values_of_a_newer_protocol_can_still_be_chosen() -> None:
    """A call, a phase or a cause that this version does not know does not stop a bot."""
    ask = table_pb2.Ask.FromString(table_pb2.Ask(id=1, legal_calls=[1]).SerializeToString() + b"\x2a\x02\x63\x64")
    ask.view.phase = 77  # type: ignore[assignment]
    view = sdk_wire.view_of(ask, table("turn-up", 0))
    assert view.phase is Phase.UNKNOWN
    assert view.legal == ("pass", "call-99", "call-100")
    assert sdk_wire.answer_to(1, view.legal[1], None).call == 99
    fault = sdk_wire.fault_of(table_pb2.Fault(cause=77), table("turn-up", 0))  # type: ignore[arg-type]
    assert "77" in fault.cause


# ---- the front door ---------------------------------------------------------------------------------------------------


def test_importing_arena_loads_nothing() -> None:
    """`import arena` brings in neither the SDK nor gRPC; a name of the SDK does; a wrong name is told the right ones."""
    code = "import arena, sys; assert not {'grpc', 'arena.sdk'} & set(sys.modules); arena.Bot; assert 'arena.sdk' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    with pytest.raises(AttributeError, match="the SDK offers Answer, Bot"):
        arena.Bott  # noqa: B018  # type: ignore[attr-defined]
    assert set(arena.__all__) <= set(dir(arena.sdk)), "the front door offers what the SDK has not"


def test_a_bot_without_a_referee_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Started by hand, a bot ends with a message that says how to play."""
    monkeypatch.delenv("EUCHRE_REFEREE", raising=False)
    with pytest.raises(SystemExit, match=r"(?s)EUCHRE_REFEREE is not set.*arena play"):
        run(lambda view: view.legal[0])
    with pytest.raises(SystemExit, match="EUCHRE_TOKEN is not set"):
        run(lambda view: view.legal[0], address="unix:/nowhere")


def test_nobody_there_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where no referee comes up in time, the bot ends with a message that names the address."""
    monkeypatch.setattr("arena.sdk.client.START_PATIENCE", 0.2)
    address = f"unix:{tmp_path}/none"
    with pytest.raises(SystemExit, match=r"no referee answers at unix:.*UNAVAILABLE"):
        run(lambda view: view.legal[0], address=address, token="t")


# ---- a session with a referee of the test's own ------------------------------------------------------------------------


class Host(referee_pb2_grpc.RefereeServiceServicer):
    """A referee with one script a stream: messages; None waits for answers, a number is silence, an error ends the stream."""

    def __init__(self, *scripts: list[referee_pb2.PlayResponse | grpc.StatusCode | float | None]) -> None:
        self.scripts = list(scripts)
        self.heard: list[referee_pb2.PlayRequest] = []
        self.tokens: list[str] = []

    def Play(  # noqa: N802
        self, request_iterator: Iterator[referee_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[referee_pb2.PlayResponse]:
        self.tokens.append(dict(context.invocation_metadata())["authorization"])
        self.heard.append(next(request_iterator))
        for step in self.scripts.pop(0):
            if step is None:
                self.heard.append(next(request_iterator))
            elif isinstance(step, float):
                time.sleep(step)
            elif isinstance(step, grpc.StatusCode):
                context.abort(step, "as the script says")
            else:
                yield step


class Played:
    """A bot's session with a Host, over a socket."""

    def __init__(self, folder: Path, host: Host) -> None:
        self.host = host
        self.address = f"unix:{folder}/s"
        self.server = grpc.server(futures.ThreadPoolExecutor(4))
        referee_pb2_grpc.add_RefereeServiceServicer_to_server(host, self.server)
        self.server.add_insecure_port(self.address)
        self.server.start()

    def run(self, bot: Bot) -> Host:
        try:
            run(bot, address=self.address, token="secret")
        finally:
            self.server.stop(None)
        return self.host


class Witness(Bot):
    """A bot that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.batches: list[int] = []

    def choose(self, view: View) -> Card | Call | tuple[str, str]:
        view.table.memory["asked"] = True
        view.note = "unless the answer has one"
        return (str(view.legal[0]), "first") if view.deal else view.legal[0]

    def choose_all(self, views: list[View]) -> list[object]:  # type: ignore[override]
        self.batches.append(len(views))
        return list(super().choose_all(views))

    def opened(self, table: Table) -> None:
        self.told.append((table.number, dict(table.memory)))

    def fault(self, fault: Fault) -> None:
        self.told.append(fault)

    def closed(self, result: Result) -> None:
        self.told.append(result)


def opening(table: int) -> table_pb2.Opened:
    return table_pb2.Opened(table=table, match="m", variant="turn-up", options={"target": "10"}, seat=1, seats=4, faults=3)


def asking(ask: int, table: int, deal: int = 0) -> table_pb2.Ask:
    return table_pb2.Ask(id=ask, table=table, legal_calls=[1, 2], view=table_pb2.View(deal=deal, variant="turn-up"))


WELCOME = referee_pb2.Welcome(session="s", protocol=1, limits=referee_pb2.Limits(message_bytes=4096))
GOODBYE = referee_pb2.PlayResponse(goodbye=True)


def test_a_session_from_hello_to_goodbye(tmp_path: Path) -> None:
    """A bot says hello with its token, answers all asks of a message in one, is told of faults and endings, and goes."""
    bot = Witness()
    fault = table_pb2.Fault(table=1, ask=9, cause=table_pb2.CAUSE_LATE, call=1, detail="too slow", count=1)  # type: ignore[arg-type]
    closed = table_pb2.Closed(table=1, total=[10, 7], places=[1, 2], end="won")
    host = Played(
        tmp_path,
        Host(
            [
                referee_pb2.PlayResponse(welcome=WELCOME, opened=[opening(1), opening(2)]),
                referee_pb2.PlayResponse(asks=[asking(5, 1), asking(6, 2, deal=1)]),
                None,
                referee_pb2.PlayResponse(faults=[fault], closed=[closed], stale=[table_pb2.Stale(ask=3)]),
                GOODBYE,
            ]
        ),
    ).run(bot)
    hello, answers = host.heard
    assert host.tokens == ["Bearer secret"]
    assert (hello.hello.protocol, hello.hello.agent.startswith("Witness (python")) == (1, True)
    assert [(answer.ask, answer.call, answer.note) for answer in answers.answers] == [
        (5, 1, "unless the answer has one"),
        (6, 1, "first"),
    ]
    assert bot.batches == [2]
    late, won = bot.told[2:]
    assert isinstance(late, Fault)
    assert (late.cause, late.move, late.detail, late.count, late.table.faults) == ("LATE", "pass", "too slow", 1, 3)
    assert isinstance(won, Result)
    assert (won.points, won.places, won.end, won.table.number) == ((10, 7), (1, 2), "won", 1)


def test_answers_that_are_too_long_for_one_message_travel_in_several(tmp_path: Path) -> None:
    """No message grows beyond what the referee allows, and every ask is answered."""

    class Chatty(Bot):
        def choose(self, view: View) -> tuple[Call | Card, str]:
            return view.legal[0], "because " * 128

    asks = [asking(number, number) for number in range(10)]
    opened = [opening(number) for number in range(10)]
    script = [referee_pb2.PlayResponse(welcome=WELCOME, opened=opened, asks=asks), None, None, None, None, GOODBYE]
    host = Played(tmp_path, Host(script)).run(Chatty())
    requests = host.heard[1:]
    assert [answer.ask for request in requests for answer in request.answers] == list(range(10))
    assert max(request.ByteSize() for request in requests) <= 4096


def test_a_lost_stream_is_restored(tmp_path: Path) -> None:
    """After a lost connection the bot comes back, keeps what it remembered, and answers what is still open."""
    bot = Witness()
    again = referee_pb2.PlayResponse(welcome=WELCOME, opened=[opening(1)], asks=[asking(5, 1)])
    host = Played(tmp_path, Host([again, None, grpc.StatusCode.UNAVAILABLE], [again, None, GOODBYE])).run(bot)
    assert [[answer.ask for answer in heard.answers] for heard in host.heard] == [[], [5], [], [5]]
    assert bot.told == [(1, {}), (1, {"asked": True})]


@pytest.mark.parametrize("code", ["UNAUTHENTICATED", "FAILED_PRECONDITION", "INVALID_ARGUMENT", "ABORTED"])
def test_a_refusal_is_final(tmp_path: Path, code: str) -> None:
    """A bot that the referee refuses does not knock again; it says why it ends."""
    refusal: list[referee_pb2.PlayResponse | grpc.StatusCode | None] = [grpc.StatusCode[code]]
    with pytest.raises(SystemExit, match=f"ended the session: {code}: as the script says"):
        Played(tmp_path, Host(refusal)).run(Witness())


def test_a_referee_that_is_gone_ends_the_session_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """When the referee does not come back within the grace, the bot ends without an error."""
    limits = referee_pb2.Limits()
    limits.grace.FromMilliseconds(200)
    welcome = referee_pb2.PlayResponse(welcome=referee_pb2.Welcome(limits=limits))
    lost: list[referee_pb2.PlayResponse | grpc.StatusCode | None] = [grpc.StatusCode.UNAVAILABLE]
    Played(tmp_path, Host([welcome], *[lost] * 20)).run(Witness())
    assert "is gone (UNAVAILABLE" in capsys.readouterr().err


def test_patience_counts_from_the_loss(tmp_path: Path) -> None:
    """A bot that waits for a match in silence, longer than it would bear with a loss, comes back after one all the same."""
    limits = referee_pb2.Limits()
    limits.grace.FromMilliseconds(200)
    welcome = referee_pb2.PlayResponse(welcome=referee_pb2.Welcome(limits=limits))
    host = Played(tmp_path, Host([welcome, 1.0, grpc.StatusCode.UNAVAILABLE], [GOODBYE])).run(Witness())
    assert len(host.heard) == 2


def test_what_a_bot_raises_is_passed_on_with_the_question(tmp_path: Path) -> None:
    """An exception in a bot ends the session at once, and says what was being decided."""

    class Broken(Bot):
        def choose(self, view: View) -> Card:
            raise ZeroDivisionError

    script = [referee_pb2.PlayResponse(welcome=WELCOME, opened=[opening(1)], asks=[asking(5, 1)]), None]
    with pytest.raises(ZeroDivisionError) as raised:
        Played(tmp_path, Host(script)).run(Broken())
    assert raised.value.__notes__ == ["while deciding <View turn-up deal 0 seat 0 unknown: hand ; legal pass order>"]


def test_a_fault_is_printed_unless_the_bot_handles_it(capsys: pytest.CaptureFixture[str]) -> None:
    """An author sees each fault: what it was, what was played instead, and how many are left."""
    table = Table(1, "m", "turn-up", OPTIONS, 0, 4, faults=3)
    Bot().fault(Fault(table, "ILLEGAL", Card("9C"), "AS does not follow (allowed: 9C)", 0.0, 2))
    assert capsys.readouterr().err == "fault 2 of 3: ILLEGAL, AS does not follow (allowed: 9C); 9C instead\n"


# ---- the page for authors -----------------------------------------------------------------------------------------------

GUIDE = Path(ROOT, "docs", "writing-a-bot.md").read_text("utf-8")
PROGRAMS = [block.split("```")[0] for block in GUIDE.split("```python\n")[1:]]


@pytest.mark.parametrize("thing", [View, Table, Bot, Card, Call, Fault, Result], ids=lambda thing: thing.__name__)
def test_the_page_names_everything_that_an_author_may_use(thing: type) -> None:
    """Every public name of the SDK's classes is on the page, as code."""
    inherited = set(dir(str)) if issubclass(thing, str) else set()
    names = {name for name in {*dir(thing), *vars(thing).get("__annotations__", {})} if not name.startswith("_")} - inherited
    words = {word for span in GUIDE.split("`")[1::2] for word in re.findall(r"\w+", span)}
    assert names <= words


def test_the_page_names_every_attribute_of_a_view() -> None:
    """What a view sets itself, and every phase, is on the page too."""
    view = ask_of(table("turn-up", 0), "9C", [])
    words = set(re.findall(r"\w+", GUIDE))
    assert {name for name in vars(view) if not name.startswith("_")} <= words
    assert {phase.name for phase in Phase} - {"UNKNOWN"} <= words


@pytest.mark.parametrize("program", [text for text in PROGRAMS if "run(" in text])
def test_the_bots_on_the_page_play(program: str, tmp_path: Path) -> None:
    """Each bot on the page plays a real match without a fault."""
    bot = tmp_path / "bot.py"
    bot.write_text(program)
    outcome = finish(start(order(f"python {bot}", variant="turn-up", options={}, fmt="deals:12")))
    assert (outcome.exit, len(outcome.games)) == (0, 1), outcome.stderr
    assert outcome.faults() == []


@pytest.mark.parametrize("program", [text for text in PROGRAMS if "run(" not in text])
def test_the_other_programs_on_the_page_run(program: str) -> None:
    """What the page shows besides bots does what it says."""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[")


# ---- real matches -------------------------------------------------------------------------------------------------------


def test_a_three_line_bot_plays_a_match(tmp_path: Path) -> None:
    """A bot of three lines plays a real match, of every deal, without a fault."""
    bot = tmp_path / "first.py"
    bot.write_text("from arena import Bot, run\nclass First(Bot): choose = lambda self, view: view.legal[0]\nrun(First())\n")
    one_line = "python -c 'from arena import run; run(lambda view: view.legal[0])'"
    outcome = finish(start(order(f"python {bot}", one_line, variant="ghost-hand", options={}, sets=2)))
    assert (outcome.exit, outcome.done, len(outcome.games)) == (0, True, 2), outcome.stderr
    assert outcome.faults() == []


def test_a_bot_that_raises_crashes_in_the_open(tmp_path: Path) -> None:
    """A bot's exception is its process's end: the cause is CRASHED, and the traceback is in its log."""
    bot = tmp_path / "broken.py"
    bot.write_text("from arena import run\nrun(lambda view: view.legal[99])\n")
    outcome = finish(start(order(f"python {bot}")))
    assert (0, "CRASHED") in outcome.causes()
    assert "IndexError" in outcome.tail()
    assert "while deciding <View cutthroat" in outcome.tail()


def test_an_illegal_move_goes_through_to_the_referee(tmp_path: Path) -> None:
    """The SDK judges no move: an illegal one is the referee's to find, and the bot is told."""
    bot = tmp_path / "cheat.py"
    bot.write_text("from arena import run\nrun(lambda view: 'XX')\n")
    outcome = finish(start(order(f"python {bot}")))
    assert outcome.causes() == {(0, "ILLEGAL")}
    assert "fault 1 of 3: ILLEGAL" in outcome.tail()


def test_playing_locally_asks_only_where_there_is_a_choice() -> None:
    """In-process play asks nobody who has only one legal answer, as the referee does (K10), and finishes the deal."""
    rules = Rules("turn-up", {})
    asked: list[View] = []

    def choose(view: View) -> Card | Call:
        asked.append(view)
        return view.legal[-1]

    deal = rules.deal(rules.pack, 0)
    play_deal(deal, [table_for(rules, seat) for seat in range(4)], [choose] * 4)
    assert deal.seat == -1
    assert asked
    assert min(len(view.legal) for view in asked) > 1
    with pytest.raises(ValueError, match="the deal is over"):
        view_of(deal, table_for(rules, 0))
