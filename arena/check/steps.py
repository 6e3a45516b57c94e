"""The steps, in their order. A step returns what it saw, in a few words, or raises Failed or Skipped."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import grpc

from arena.check import witness
from arena.check.asks import FUTURE, Questions, answers, envelope, with_unknown
from arena.check.report import Failed, Skipped
from euchre.v1.referee_pb2 import PlayResponse
from euchre.v1.table_pb2 import Closed, Fault, Stale
from referee import wire
from referee.rules import VARIANTS, Rules
from referee.rules.deal import (
    PHASE_ALONE,
    PHASE_CLAIM,
    PHASE_GIFT,
    PHASE_JOKER,
    PHASE_LAY_AWAY,
    PHASE_PICK_UP,
    PHASE_PLAY,
    PHASE_TRUMP,
)

if TYPE_CHECKING:
    from arena.check.bench import Bench, Guest
    from arena.check.room import Room
    from arena.check.stage import Line
    from euchre.v1.table_pb2 import Ask

QUIET: Final = 0.3
"""Seconds in which nothing may come that was not asked for."""
FAREWELL: Final = 1.0
"""Seconds after the goodbye until the referee ends the stream itself …"""
STOP: Final = 3.0
"""… and until the process must have ended."""
TABLES: Final = 64


@dataclass(frozen=True)
class Context:
    """What a step works with."""

    bench: Bench
    room: Room

    @property
    def patience(self) -> float:
        """Seconds for an answer, as long as nothing was drawn from the bank."""
        return self.bench.clock.answer + self.bench.clock.bank


class Work(Protocol):
    """What a step does."""

    async def __call__(self, context: Context, /) -> str:
        """Do it."""


@dataclass(frozen=True)
class Step:
    """A step: a short name, what a bot must do, and how that is found out."""

    name: str
    title: str
    run: Work
    remote: Work | str = ""
    """What is done instead where the bot was not started here, or why nothing can be."""

    async def __call__(self, context: Context, /) -> str:
        """Do it; returns what was seen, in a few words. Raises Failed or Skipped."""
        work = (self.remote or self.run) if context.bench.remote else self.run
        if isinstance(work, str):
            raise Skipped(work)
        return await work(context)


# ---- getting started --------------------------------------------------------------------------------------------------


async def start(context: Context) -> str:
    """The process starts, connects and says Hello within the start-up time."""
    bench = context.bench
    began = asyncio.get_running_loop().time()
    line = await bench.hello(bench.start(bench.stage.address), bench.clock.start)
    return f"{asyncio.get_running_loop().time() - began:.1f} s, {line.hello.agent or 'no agent'}"


async def handshake(context: Context) -> str:
    """The token, the version and the variants are right; after the Welcome the bot waits to be asked."""
    bench = context.bench
    guest = bench.start(bench.stage.address)
    line = await bench.hello(guest, bench.clock.start)
    _check_hello(line, guest)
    await line.welcome(bench.clock.grace)
    await line.quiet(QUIET, "the bot sent a message although it had been asked nothing")
    if not bench.stage.lines.empty():
        raise line.failed("the bot opened a second stream beside the first")
    variants = ", ".join(line.hello.variants) or "every variant"
    return f"plays {variants}, {line.hello.max_tables or 'any number of'} tables at once"


def _check_hello(line: Line, guest: Guest) -> None:
    given = line.hello.token or line.token
    if line.hello.token and line.token and line.hello.token != line.token:
        raise line.failed("the token in the metadata and the token in Hello differ")
    if given != guest.token:
        raise line.failed("the token is not that of EUCHRE_TOKEN" if given else "no token: neither in the metadata nor in Hello")
    if line.hello.protocol != wire.PROTOCOL:
        raise line.failed(f"protocol version {line.hello.protocol} (allowed: {wire.PROTOCOL})")
    known = [variant.name for variant in VARIANTS]
    if line.hello.variants and not set(known) & set(line.hello.variants):
        raise line.failed(f"it plays {', '.join(line.hello.variants)}, none of which is played here (known: {', '.join(known)})")


def _questions(context: Context, line: Line) -> Questions:
    """Questions of a variant that the bot plays."""
    known = [variant.name for variant in VARIANTS]
    plays = [name for name in line.hello.variants if name in known]
    return Questions(plays[0] if plays else "turn-up", context.bench.clock)


async def answer(context: Context) -> str:
    """One question is answered, legally and in time."""
    _, line = await context.bench.greeted()
    questions = _questions(context, line)
    ask = questions.ask(1)
    began = asyncio.get_running_loop().time()
    await line.send(envelope(ask, opened=[questions.opened(1)]))
    await answers(line, [ask], context.patience)
    return f"{(asyncio.get_running_loop().time() - began) * 1000:.0f} ms"


# ---- legal play -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Play:
    """Games of one setting, in which certain phases must come up."""

    variant: str
    options: tuple[tuple[str, str], ...]
    wanted: frozenset[int]

    async def __call__(self, context: Context, /) -> str:
        """Play them."""
        return await context.room.play(Rules(self.variant, dict(self.options)), self.wanted)


async def crowd(context: Context) -> str:
    """Many tables at once, all within the clock."""
    return await context.room.crowd(Rules("turn-up", {"stick_dealer": "on"}), TABLES)


def _play(name: str, about: str, variant: str, *wanted: int, **options: str) -> Step:
    text = " ".join(f"{option}={value}" for option, value in options.items())
    title = f"Plays {variant}{f' {text}' if text else ''}: {about}"
    return Step(name, title, Play(variant, tuple(options.items()), frozenset(wanted)))


# ---- robustness -------------------------------------------------------------------------------------------------------


async def once(context: Context) -> str:
    """Every open ask is answered once, whatever else the message holds, and nothing else is."""
    _, line = await context.bench.greeted()
    questions = _questions(context, line)
    asks = [questions.ask(table) for table in (1, 2, 3)]
    opened = [questions.opened(table) for table in (1, 2, 3)]
    await line.send(envelope(*asks[:2], opened=opened))
    await answers(line, asks[:2], context.patience, once=True)
    await line.quiet(QUIET, "a second answer: every open ask is answered once")
    # as after an answer that crossed with the end of its time: it is stale, a fault is told, and the table has closed
    told = PlayResponse(
        stale=[Stale(ask=asks[0].id)],
        faults=[Fault(table=1, ask=asks[0].id, cause=2, call=1, detail="no answer in time", count=1)],  # type: ignore[arg-type]
        asks=asks[2:],
        closed=[Closed(table=1, total=[0] * questions.rules.sides, end="void"), Closed(table=99, end="void")],
    )
    await line.send(told)
    await answers(line, asks[2:], context.patience, once=True)
    await line.quiet(QUIET, "an answer to nothing: an ask that the referee calls stale is over")
    return "3 asks, 3 answers"


async def unknown(context: Context) -> str:
    """What a later version may add is ignored, or chosen from the legal list, but harms nothing."""
    _, line = await context.bench.greeted()
    questions = _questions(context, line)
    for ask, message in _from_the_future(questions):
        await line.send(message)
        await answers(line, [ask] if ask else [], context.patience)
    return "unknown fields, call, phase, cause and option"


def _from_the_future(questions: Questions) -> list[tuple[Ask | None, PlayResponse]]:
    """Messages as a later referee may send them, and the ask in each."""
    opened = questions.opened(1)
    opened.options["future_option"] = "on"
    fields = questions.ask(1)
    for part in (opened, fields, fields.view):
        with_unknown(part)
    first = envelope(fields, opened=[opened])
    with_unknown(first)
    call = questions.ask(1)
    call.legal_calls.append(FUTURE)  # type: ignore[arg-type]
    call.view.said.add(seat=1, call=FUTURE)
    phases = [questions.ask(1), questions.ask(1, PHASE_PLAY)]
    for ask in phases:
        ask.view.phase = FUTURE  # type: ignore[assignment]
    cause = questions.ask(1)
    fault = Fault(table=1, ask=fields.id, cause=FUTURE, call=FUTURE, detail="from the future", count=1)  # type: ignore[arg-type]
    nothing = PlayResponse()
    with_unknown(nothing)
    return [
        (fields, first),
        (None, nothing),
        (call, envelope(call)),
        *((ask, envelope(ask)) for ask in phases),
        (cause, PlayResponse(faults=[fault], asks=[cause])),
    ]


async def reconnect(context: Context) -> str:
    """The stream is lost twice, with nothing open and with a question open; the bot comes back and answers what is open."""
    bench = context.bench
    guest, line = await bench.greeted()
    questions = _questions(context, line)
    opened = [questions.opened(1)]
    first, second = questions.ask(1), questions.ask(1)
    await line.send(envelope(first, opened=opened))
    await answers(line, [first], context.patience)
    line = await _back(bench, guest, line)
    await line.send(envelope(second, opened=opened))
    # the same ask again, under its id: its answer, if there was one, was lost with the stream
    line = await _back(bench, guest, line)
    await line.send(envelope(second, opened=opened))
    await answers(line, [second], context.patience)
    return "twice, within the grace period"


async def _back(bench: Bench, guest: Guest, line: Line) -> Line:
    """Break the stream and wait for the next."""
    line.end(grpc.StatusCode.UNAVAILABLE)
    try:
        again = await bench.hello(guest, bench.clock.grace, "its new stream after the old one was lost")
    except Failed as failure:
        raise line.failed(failure.why) from None
    _check_hello(again, guest)
    await again.welcome(bench.clock.grace)
    return again


# ---- the end ----------------------------------------------------------------------------------------------------------


async def stop(context: Context) -> str:
    """After the goodbye the process ends by itself, with exit code 0."""
    guest, line = await context.bench.greeted()
    seconds = await _say_goodbye(context, guest, line)
    return f"{seconds:.1f} s after the goodbye"


async def leave(context: Context) -> str:
    """After the goodbye a bot that was not started here stays away; how its process ends cannot be seen."""
    _, line = await context.bench.greeted()
    await _goodbye(context, line)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(FAREWELL):
            await line.ending  # of the bot's own accord
    line.end(grpc.StatusCode.OK)
    try:
        async with asyncio.timeout(STOP):
            await context.bench.stage.lines.get()
    except TimeoutError:
        return "it stays away; whether its process has ended cannot be seen from here"
    raise line.failed("it came back after the goodbye, which says that nothing more will come (or a supervisor started it again)")


async def orphans(context: Context) -> str:
    """Nothing that the bot started outlives it."""
    guest, line = await context.bench.greeted((sys.executable, context.bench.inside(witness.__file__)))
    await _say_goodbye(context, guest, line, witness.PATIENCE)
    lines = guest.process.ended.result().out.split("\n")  # splitlines() would split at the mark itself
    left = [text.removeprefix(witness.LEFT) for text in lines if text.startswith(witness.LEFT)]
    if left:
        raise Failed(f"{len(left)} of its processes still ran after it had ended: {'; '.join(left)}")
    return "nothing is left"


async def _say_goodbye(context: Context, guest: Guest, line: Line, more: float = 0.0) -> float:
    """Say goodbye after a question, and wait for the end of the process."""
    await _goodbye(context, line)
    began = asyncio.get_running_loop().time()
    ended = guest.process.ended
    await asyncio.wait({ended}, timeout=FAREWELL)
    line.end(grpc.StatusCode.OK)
    await asyncio.wait({ended}, timeout=STOP - FAREWELL + more)
    if not ended.done():
        raise line.failed(f"the process still runs {STOP:g} s after the goodbye")
    if ended.result().code:
        raise line.failed(f"{ended.result().how} after the goodbye (allowed: exit code 0)")
    return asyncio.get_running_loop().time() - began


async def _goodbye(context: Context, line: Line) -> None:
    """Play a question, close the table, say goodbye."""
    questions = _questions(context, line)
    ask = questions.ask(1)
    await line.send(envelope(ask, opened=[questions.opened(1)]))
    await answers(line, [ask], context.patience)
    closed = Closed(table=1, total=[0] * questions.rules.sides, places=[1] * questions.rules.sides, end="deals")
    await line.send(PlayResponse(closed=[closed]), PlayResponse(goodbye=True))


STEPS: Final = (
    Step("start", "Starts in time and says Hello", start, "it ran already"),
    Step("handshake", "Shows its token and a supported version, then waits to be asked", handshake),
    Step("answer", "Answers a question, legally and in time", answer),
    Step("once", "Answers each open ask once, and nothing else", once),
    _play("ghost-hand", "bids, swaps, moons", "ghost-hand", PHASE_TRUMP, PHASE_PLAY, stick_dealer="on"),
    _play(
        "ghost-hand-joker",
        "lays away the seventh card, claims",
        "ghost-hand",
        PHASE_LAY_AWAY,
        PHASE_CLAIM,
        joker="on",
        ace_no_face="on",
    ),
    _play(
        "cutthroat", "orders, picks up, goes alone, takes the dummy", "cutthroat", PHASE_PICK_UP, PHASE_ALONE, stick_dealer="on"
    ),
    _play("cutthroat-25", "names the suit of a joker turned up", "cutthroat", PHASE_JOKER, deck="25"),
    _play(
        "cutthroat-32",
        "sevens and eights, revokes stand",
        "cutthroat",
        deck="32",
        dealer_pickup="must",
        round2_turned_suit="yes",
        revoke="stand",
    ),
    _play("bid-euchre", "partners, asks, exchanges a card", "bid-euchre", PHASE_TRUMP, PHASE_GIFT, stick_dealer="on"),
    _play(
        "bid-euchre-joker",
        "lays away the seventh card, claims",
        "bid-euchre",
        PHASE_LAY_AWAY,
        PHASE_CLAIM,
        joker="on",
        ace_no_face="on",
    ),
    _play("bid-euchre-double", "two cards of each", "bid-euchre", double_deck="on"),
    _play("turn-up", "the turned card, partners", "turn-up", PHASE_PICK_UP, PHASE_ALONE, stick_dealer="on"),
    _play(
        "turn-up-defender",
        "a defender may be alone",
        "turn-up",
        stick_dealer="on",
        round2_turned_suit="stuck_only",
        lone_defender="on",
    ),
    Step("tables", f"Plays {TABLES} tables at once within the clock", crowd),
    Step("unknown", "Takes unknown fields and values in its stride", unknown),
    Step("reconnect", "Comes back when the stream is lost, and goes on", reconnect),
    Step("stop", "Ends by itself after the goodbye", stop, leave),
    Step("orphans", "Leaves no process behind", orphans, "its processes are not seen from here"),
)
"""In the order of their numbers, which begin with 1."""
