"""What attackers do, as data that hypothesis draws and shrinks: scripts for a bot's stream, a bare socket, and an operator."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from euchre.v1 import control_pb2, referee_pb2, table_pb2
from referee.rules import VARIANTS
from tests.fuzz.arena import GOOD, KEY, OPERATOR, seats

UINT32 = st.integers(0, 2**32 - 1)
INT32 = st.integers(-(2**31), 2**31 - 1)
SIZES = st.sampled_from([0, 1, 30, 1023, 1024, 1025, 5000, 60_000, 70_000, 300_000])
"""Of texts and messages: around the limits, and far beyond."""


@dataclass(frozen=True)
class Step:
    """One thing that a bot does on its stream.

    `what`: greet, send (`data`), good (answer all asks well), mutate (answer them spoilt, by `kind` at `at`), pause, close (its
    half), cancel, cut (the connection), again (one more stream with the same token, this one staying as it is).
    """

    what: str
    data: bytes = b""
    kind: int = 0
    at: int = 0


@dataclass(frozen=True)
class Script:
    """A bot's session: whose token it shows, what is played with it (variant, options), and its steps."""

    token: str
    variant: str
    options: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Request:
    """One call of an operator: `method`, its request, the token shown, and after how many seconds it is broken off."""

    method: str
    data: bytes
    token: str
    patience: float


# ---- messages of bots ---------------------------------------------------------------------------------------------------

texts = st.one_of(st.text(max_size=20), SIZES.map(lambda size: "é" * (size // 2)))
hellos = st.builds(
    referee_pb2.Hello,
    token=st.sampled_from(["", "", "", "another"]),
    agent=texts,
    protocol=st.one_of(st.just(1), UINT32),
    variants=st.lists(st.one_of(st.sampled_from([variant.name for variant in VARIANTS]), st.text(max_size=5)), max_size=3),
    max_tables=st.one_of(st.integers(0, 3), UINT32),
)
answers = st.builds(
    table_pb2.Answer,
    ask=st.one_of(st.integers(0, 8), UINT32),
    card=st.one_of(st.integers(0, 34), INT32),
    call=st.one_of(st.integers(0, 24), INT32),
    note=st.one_of(st.just(""), texts),
)
requests = st.builds(
    referee_pb2.PlayRequest,
    hello=st.one_of(st.none(), st.none(), hellos),
    answers=st.one_of(
        st.lists(answers, max_size=6), st.builds(lambda one, n: [one] * n, answers, st.sampled_from([150, 250, 3000]))
    ),
).map(lambda message: message.SerializeToString())
garbage = st.one_of(st.binary(max_size=64), st.builds(lambda byte, size: byte * size, st.binary(min_size=1, max_size=1), SIZES))

steps = st.one_of(
    st.builds(Step, what=st.just("send"), data=st.one_of(requests, requests, garbage)),
    st.builds(Step, what=st.just("mutate"), kind=st.integers(0, 11), at=st.integers(0, 255)),
    st.builds(Step, what=st.sampled_from(["greet", "good", "good", "good", "pause", "close", "cancel", "cut", "again"])),
)


def _options(name: str) -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    flags = [
        option.name for option in next(one for one in VARIANTS if one.name == name).options if option.values == ("on", "off")
    ]
    return st.lists(st.sampled_from(flags), max_size=1).map(lambda chosen: tuple((flag, "on") for flag in chosen))


def _script(variant: str) -> st.SearchStrategy[Script]:
    greeted = st.builds(lambda rest: (Step("greet"), *rest), st.lists(steps, max_size=12))
    return st.builds(
        Script,
        token=st.sampled_from(["ordered", "ordered", "ordered", "standing", "unknown", ""]),
        variant=st.just(variant),
        options=_options(variant),
        steps=st.one_of(greeted, greeted, greeted, st.lists(steps, max_size=8).map(tuple)),
    )


scripts = st.sampled_from([variant.name for variant in VARIANTS]).flatmap(_script)


def spoilt(ask: table_pb2.Ask, good: table_pb2.Answer, kind: int, at: int) -> bytes:  # noqa: C901 - a line or two a kind
    """A message with a good answer, mutated."""
    answer = table_pb2.Answer()
    answer.CopyFrom(good)
    one = referee_pb2.PlayRequest(answers=[answer])
    match kind:
        case 0:
            one.answers[0].ask = (ask.id + at - 128) % 2**32
        case 1:
            one.answers[0].card, one.answers[0].call = answer.call, answer.card  # type: ignore[assignment]
        case 2:
            one.answers[0].card = one.answers[0].call = at % 24 + 1  # type: ignore[assignment]
        case 3:
            one.answers[0].card = 34 + at  # type: ignore[assignment]
        case 4:
            one.answers[0].ClearField("card")
            one.answers[0].ClearField("call")
        case 5:
            one.answers[0].note = "é" * (at * 40)
        case 6:
            one.answers.extend([answer] * at)
        case 7:
            hand = ask.view.hand
            one.answers[0].card = hand[at % len(hand)] if hand else 1  # often a revoke
    data = bytearray(one.SerializeToString())
    place = at % len(data)
    match kind:
        case 8:
            data[place] ^= 1 << at % 8
        case 9:
            del data[place:]
        case 10:
            data[place:place] = bytes([at] * 9)
        case 11:
            del data[place : place + 2]
    return bytes(data)


# ---- a bare socket --------------------------------------------------------------------------------------------------------

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
frames = st.builds(
    lambda kind, flags, stream, body: len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body,
    kind=st.integers(0, 12),
    flags=st.integers(0, 255),
    stream=st.one_of(st.integers(0, 5), UINT32),
    body=st.binary(max_size=40),
)
noises = st.builds(
    lambda start, parts: start + b"".join(parts),
    start=st.sampled_from([b"", PREFACE, PREFACE + b"\0\0\0\4\0\0\0\0\0", b"GET / HTTP/1.1\r\n\r\n"]),
    parts=st.lists(st.one_of(frames, frames, st.binary(max_size=64)), max_size=8),
)

# ---- operators ------------------------------------------------------------------------------------------------------------

spans = st.one_of(
    st.none(), st.builds(dict, seconds=st.one_of(st.integers(-1, 2), st.integers(-(2**63), 2**63 - 1)), nanos=INT32)
)
clocks = st.builds(control_pb2.Clock, answer=spans, bank=spans, start=spans, grace=spans, faults=st.one_of(st.just(3), UINT32))
option_names = [option.name for variant in VARIANTS for option in variant.options]
option_maps = st.dictionaries(
    st.one_of(st.sampled_from(option_names), st.text(max_size=5)),
    st.one_of(st.sampled_from(["on", "off", "stand", "1", "24", "12,24"]), texts, st.integers().map(str)),
    max_size=3,
)
set_lists = st.one_of(
    st.lists(UINT32, max_size=5), st.sampled_from([1, 3, 1000, 100_000, 100_001]).map(lambda count: list(range(count)))
)
orders = st.builds(
    control_pb2.Order,
    match=st.one_of(st.text(max_size=8), SIZES.map(lambda size: "m" * size)),
    variant=st.one_of(st.sampled_from([variant.name for variant in VARIANTS]), texts),
    options=st.one_of(st.just({}), option_maps),
    format=st.one_of(
        st.sampled_from(["", "game", "deals:1", "deals:10000", "deals:10001", "deals:0", "deals:-1", "deals:1" + "0" * 5000]),
        texts,
    ),
    key=st.one_of(st.just(KEY), st.binary(max_size=40)),
    sets=set_lists,
    seating=st.one_of(st.sampled_from([[0, 1, 2], [2, 1, 0], [0, 1, 0, 1]]), st.lists(UINT32, max_size=6)),
    seats=st.one_of(
        st.sampled_from([seats("x", "y", "z"), seats("w", "x", "y", "z"), seats(*GOOD[:3]), seats(*GOOD), seats("x", *GOOD[:2])]),
        st.lists(st.builds(control_pb2.OrderSeat, token_sha256=st.binary(max_size=33), bot=st.text(max_size=5)), max_size=5),
    ),
    clock=st.one_of(st.none(), clocks),
)


def _request(method: str, data: st.SearchStrategy[bytes]) -> st.SearchStrategy[Request]:
    return st.builds(
        Request,
        method=st.just(method),
        data=data,
        token=st.sampled_from([OPERATOR, OPERATOR, OPERATOR, OPERATOR, "nobody"]),
        patience=st.sampled_from([0.0, 0.02, 0.2]),
    )


control_requests = st.one_of(
    _request("PlayMatch", st.builds(control_pb2.PlayMatchRequest, order=orders).map(lambda one: one.SerializeToString())),
    _request("PlayMatch", st.builds(control_pb2.PlayMatchRequest, order=orders).map(lambda one: one.SerializeToString())),
    _request("CancelMatch", st.builds(control_pb2.CancelMatchRequest, match=texts).map(lambda one: one.SerializeToString())),
    _request(
        "ReportExit",
        st.builds(control_pb2.ReportExitRequest, token_sha256=st.binary(max_size=40), detail=texts).map(
            lambda one: one.SerializeToString()
        ),
    ),
    _request("ListSessions", st.just(b"")),
    _request("Nothing", garbage),
    _request("CancelMatch", garbage),
    _request("PlayMatch", garbage),
)
operators = st.lists(control_requests, min_size=1, max_size=5)
