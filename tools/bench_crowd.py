"""Many bots and many tables at one referee: `python -m tools.bench_crowd memory|growth`.

The referee is a process of its own (`python -m referee serve`), the bots are streams of this program, four to a match, which
answer at random, at once or after a pause. What is measured is the referee's: resident memory, and processor time a decision,
which other programs on the machine disturb less than decisions a second.

memory   resident memory with so many bots that are connected and answer nothing at so many open tables; then the same while they
         play, each answer after `--pause` seconds, once a minute, with the slope over the last part in MiB an hour.
growth   processor time a decision and decisions a second by the number of tables and by the number of bots, with exponents.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc

from euchre.v1 import control_pb2, control_pb2_grpc, referee_pb2, referee_pb2_grpc
from referee import wire
from referee.auth import digest
from referee.clock import Clock
from referee.order import Order, OrderSeat
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

ROOT: Final = Path(__file__).resolve().parent.parent
RULES: Final = Rules("turn-up")
SEATS: Final = RULES.seats
PATIENT: Final = Clock(answer=36_000.0, start=600.0, bank=0.0)
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass
class Crowd:
    """Bots that answer at random. `pause` is how long each thinks, in seconds; None: for ever."""

    address: str
    pause: float | None
    decisions: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    async def play(self, token: str, tables: int) -> None:
        """One bot, until goodbye."""
        async with grpc.aio.insecure_channel(self.address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
            call: Any = referee_pb2_grpc.RefereeServiceStub(channel).Play()
            await call.write(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol=1, token=token, max_tables=tables)))
            lock = asyncio.Lock()
            thinking: set[asyncio.Task[None]] = set()
            while (message := await call.read()) is not grpc.aio.EOF and not message.goodbye:
                if message.asks and self.pause is not None:
                    task = asyncio.create_task(self._answer(call, lock, self._answers(message)))
                    thinking.add(task)
                    task.add_done_callback(thinking.discard)

    def _answers(self, message: referee_pb2.PlayResponse) -> referee_pb2.PlayRequest:
        request = referee_pb2.PlayRequest()
        for ask in message.asks:
            if ask.legal_cards:
                request.answers.add(ask=ask.id, card=self.chance.choice(ask.legal_cards))
            else:
                request.answers.add(ask=ask.id, call=self.chance.choice(ask.legal_calls))
        self.decisions += len(request.answers)
        return request

    async def _answer(self, call: Any, lock: asyncio.Lock, request: referee_pb2.PlayRequest) -> None:  # noqa: ANN401
        if self.pause:
            await asyncio.sleep(self.pause * self.chance.uniform(0.5, 1.5))
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):  # it is over
            async with lock:
                await call.write(request)


@dataclass
class Referee:
    """A referee's process."""

    process: subprocess.Popen[str]
    address: str
    operator: str

    @property
    def resident(self) -> float:
        """Resident memory, in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    @property
    def processor(self) -> float:
        """Processor time so far, in seconds."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / TICKS


@asynccontextmanager
async def refereed() -> AsyncIterator[Referee]:
    """A referee at a socket in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        words = [sys.executable, "-m", "referee", "serve", "--listen", f"unix:{folder}/referee.sock"]
        env = {**os.environ, "ARENA_LAG_SECONDS": "600", "ARENA_LOG_LEVEL": "ERROR"}
        process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        try:
            yield Referee(process, told["address"], told["operator"])
        finally:
            process.terminate()
            process.wait()


async def order(referee: Referee, match: int, sets: int, deals: int) -> None:
    """Have a match played by four bots of its own, and read its games as they come."""
    tokens = tokens_of(match)
    seats = tuple(OrderSeat(digest(token), f"bot-{match}-{seat}") for seat, token in enumerate(tokens))
    ordered = Order(f"m{match}", RULES, f"deals:{deals}", bytes(32), tuple(range(sets)), (0, 1, 0, 1), seats, PATIENT)
    async with grpc.aio.insecure_channel(referee.address) as channel:
        metadata = (("authorization", f"Bearer {referee.operator}"),)
        request = control_pb2.PlayMatchRequest(order=wire.order_message(ordered))
        async for _ in control_pb2_grpc.ControlServiceStub(channel).PlayMatch(request, metadata=metadata):
            pass


def tokens_of(match: int) -> list[str]:
    """The tokens of the four bots of a match."""
    return [f"token-{match}-{seat}" for seat in range(SEATS)]


@asynccontextmanager
async def playing(referee: Referee, crowd: Crowd, bots: int, tables: int, sets: int) -> AsyncIterator[None]:
    """Matches of so many bots, with so many open tables in all, going on."""
    matches = bots // SEATS
    each = max(1, tables // matches)
    orders = [asyncio.create_task(order(referee, match, sets, 4)) for match in range(matches)]
    await asyncio.sleep(1 + matches / 100)  # the tokens count once the orders are known
    seats = [asyncio.create_task(crowd.play(token, each)) for match in range(matches) for token in tokens_of(match)]
    try:
        yield
    finally:
        for task in [*orders, *seats]:
            task.cancel()
        await asyncio.gather(*orders, *seats, return_exceptions=True)


# ---- memory -----------------------------------------------------------------------------------------------------------


async def memory(bots: int, tables: int, minutes: float, pause: float) -> None:
    """Print resident memory: empty, with idle bots, and while they play."""
    async with refereed() as referee:
        print(f"no bot: {referee.resident:.0f} MiB", flush=True)
        async with playing(referee, Crowd(referee.address, None), bots, tables, 1000):
            await settled(referee)
            idle = await busy(referee, 10.0)
            print(f"{bots:,} idle bots, {tables:,} open tables: {referee.resident:.0f} MiB, {idle:.1%} of a core", flush=True)
    async with refereed() as referee:
        crowd = Crowd(referee.address, pause)
        async with playing(referee, crowd, bots, tables, 4000):
            await watch(referee, crowd, minutes)


async def settled(referee: Referee) -> None:
    """Wait until memory has stopped growing."""
    before = 0.0
    while referee.resident - before > 0.5:
        before = referee.resident
        await asyncio.sleep(3)


async def busy(referee: Referee, seconds: float) -> float:
    """The share of a core that the referee takes."""
    before, began = referee.processor, time.monotonic()
    await asyncio.sleep(seconds)
    return (referee.processor - before) / (time.monotonic() - began)


async def watch(referee: Referee, crowd: Crowd, minutes: float) -> None:
    """Print memory once a minute, and its slope without the first quarter."""
    began, seen = time.monotonic(), list[tuple[float, float]]()
    while (passed := (time.monotonic() - began) / 60) < minutes:
        await asyncio.sleep(60)
        seen.append((passed + 1, referee.resident))
        print(f"after {passed + 1:5.1f} min: {referee.resident:.1f} MiB, {crowd.decisions:,} decisions", flush=True)
    later = [(at / 60, resident) for at, resident in seen if at > minutes / 4]
    if len(later) > 1:
        slope = statistics.linear_regression(*zip(*later, strict=True)).slope
        print(
            f"slope after the first quarter: {slope:+.1f} MiB an hour, {crowd.decisions / (minutes * 60):,.0f} decisions a second"
        )


# ---- growth -----------------------------------------------------------------------------------------------------------


async def speed(bots: int, tables: int, seconds: float) -> tuple[float, float]:
    """Microseconds of the referee's processor for a decision, and decisions a second."""
    async with refereed() as referee:
        crowd = Crowd(referee.address, 0.0)
        async with playing(referee, crowd, bots, tables, 4000):
            await asyncio.sleep(2)
            before, decisions, began = referee.processor, crowd.decisions, time.monotonic()
            await asyncio.sleep(seconds)
            made = crowd.decisions - decisions
            return (referee.processor - before) / made * 1e6, made / (time.monotonic() - began)


async def growth(rounds: int, seconds: float) -> None:
    """Print how the cost of a decision grows."""
    matches = {1: 4, 8: 4, 64: 4, 256: 16, 1024: 64}
    await table("tables", [(tables, bots, tables) for tables, bots in matches.items()], rounds, seconds)
    await table("bots, five tables to a bot", [(bots, bots, bots * 5) for bots in (12, 100, 1000)], rounds, seconds)


async def table(title: str, cases: Sequence[tuple[int, int, int]], rounds: int, seconds: float) -> None:
    """Print medians for each (number, bots, tables), and exponents from one number to the next."""
    found: dict[int, list[tuple[float, float]]] = {number: [] for number, _, _ in cases}
    for _ in range(rounds):
        for number, bots, tables in cases:
            found[number].append(await speed(bots, tables, seconds))
    print(f"\n{title:>28} {'µs of the referee':>18} {'decisions a second':>20} {'exponent':>9}")
    before: tuple[int, float] | None = None
    for number, measured in found.items():
        cost, rate = (statistics.median(column) for column in zip(*measured, strict=True))
        told = f"{math.log(cost / before[1]) / math.log(number / before[0]):+.2f}" if before else ""
        print(f"{number:>28,} {cost:>18.1f} {rate:>20,.0f} {told:>9}", flush=True)
        before = number, cost


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("memory", "growth"))
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--tables", type=int, default=5000)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--pause", type=float, default=5.0, help="seconds that a bot takes for an answer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement of growth")
    given = parser.parse_args()
    if given.what == "memory":
        asyncio.run(memory(given.bots, given.tables, given.minutes, given.pause))
    else:
        asyncio.run(growth(given.rounds, given.seconds))


if __name__ == "__main__":
    main()
