"""Benchmarks: every figure is a ratio of two things measured in turn, in one run, on this machine (`make bench`).

Prints medians and the spread (lowest to highest) over the rounds. Nothing here is a test: a noisy machine makes no build fail.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import grpc
import numpy as np

from arena.playout import CHUNK, playout
from arena.rl.observation import ACTIONS, SIZE, encode, mask
from arena.rl.selfplay import by_view, play
from referee import core
from referee.rules import VARIANTS, Rules
from referee.rules.cards import parse_action
from referee.shuffle import shuffled
from tools import counting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rl.selfplay import Policy
    from referee.rules import View

ROOT = Path(__file__).resolve().parent.parent
Measure = Callable[[], float]
Json = dict[str, Any]

ASK_BYTES, ANSWER_BYTES, CLIENTS = 330, 8, 3
"""What the echo exchanges: one ask and answer as they are on the wire, three bots."""
MATCH = (sys.executable, "-m", "referee", "match")
TABLES, SETS = 64, 640
"""How many tables a stream may have at once, and the sets of a match that is timed while all are open."""


def compare(title: str, ours: Measure, theirs: Measure, rounds: int, unit: str) -> None:
    """Measure two things in turn and print both medians, their ratio and its spread."""
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    ratios = sorted(mine / other for mine, other in pairs)
    mine, other = (statistics.median(values) for values in zip(*pairs, strict=True))
    print(
        f"{title:<68} {mine:>11,.0f} {other:>11,.0f} {unit:<12} "
        f"{statistics.median(ratios):>6.2f} x  ({ratios[0]:.2f} to {ratios[-1]:.2f})",
        flush=True,
    )


# ---- rules ------------------------------------------------------------------------------------------------------------

# by processor time: nothing here waits, and what else the machine does must not count


def playouts(variant: str, deals: int, *, options: dict[str, str] | None = None, count_decisions: bool = False) -> Measure:
    """Deals (or decisions) a second, random legal moves, step by step through the public API, shuffling and scoring included."""
    rules = Rules(variant, options)

    def measure() -> float:
        chance, decisions, started = random.Random(1), 0, time.process_time()
        for number in range(deals):
            pack = list(rules.pack)
            chance.shuffle(pack)
            deal = rules.deal(pack, number % rules.seats)
            while deal.seat >= 0:
                deal.apply(chance.choice(deal.legal_actions()))
                decisions += 1
            deal.points()
        return (decisions if count_decisions else deals) / (time.process_time() - started)

    return measure


def played_out(variant: str, deals: int) -> Measure:
    """Deals a second, one at a time, each played to its end by the rules' own loop (`Deal.play_out`); from shuffle to points."""
    rules = Rules(variant)

    def measure() -> float:
        draw, started = random.Random(1).random, time.process_time()
        for number in range(deals):
            deal = rules.deal(rules.shuffled(draw), number % rules.seats)
            deal.play_out(draw)
            deal.points()
        return deals / (time.process_time() - started)

    return measure


def batches(
    variant: str, deals: int, *, batch: int = CHUNK, options: dict[str, str] | None = None, count_decisions: bool = False
) -> Measure:
    """Deals (or decisions) a second, played `batch` at a time by `playout`; what the rules tabulate has been tabulated before."""
    rules = Rules(variant, options)
    playout(rules, 2 * CHUNK, rng=np.random.default_rng(0))

    def measure() -> float:
        chance, started = np.random.default_rng(1), time.process_time()
        decisions = sum(playout(rules, batch, rng=chance).decisions for _ in range(max(1, deals // batch)))
        done = max(1, deals // batch) * batch
        return (decisions if count_decisions else done) / (time.process_time() - started)

    return measure


def forms() -> dict[str, str]:
    """The forms that there are to measure, each with what ARENA_COMPILED says for it."""
    if core.build_in(core.BUILDS):
        return {"source": "off", "compiled": str(core.BUILDS)}
    print("compiled: skipped, there is none (make compiled)")
    return {"source": "off"}


def in_form(form: str, way: str, deals: int) -> Measure:
    """A way of WAYS in a process of its own that runs the source ("off") or the compiled rules in a folder of builds."""
    words = [sys.executable, "-m", "tools.bench", "--playouts", way, str(deals)]

    def measure() -> float:
        environment = {**os.environ, "ARENA_COMPILED": form}
        done = subprocess.run(words, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
        return float(done.stdout)

    return measure


WAYS: dict[str, Callable[[str, int], Measure]] = {"step by step": playouts, "played out": played_out}


def open_spiel(deals: int, *, outcomes: bool = False) -> Measure:
    """The same for OpenSpiel's euchre driven from Python, its chance nodes included.

    At chance nodes it is asked for its legal actions, which are all as likely; with `outcomes` for its outcomes with their
    probabilities, as its documentation does.
    """
    import pyspiel  # noqa: PLC0415 - only this benchmark needs it

    game = pyspiel.load_game("euchre")

    def measure() -> float:
        chance, started = random.Random(1), time.process_time()
        for _ in range(deals):
            state = game.new_initial_state()
            while not state.is_terminal():
                if outcomes and state.is_chance_node():
                    actions, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(chance.choices(actions, weights)[0])
                else:
                    state.apply_action(chance.choice(state.legal_actions()))
            state.returns()
        return deals / (time.process_time() - started)

    return measure


def open_spiel_inside(deals: int) -> Measure:
    """OpenSpiel's own loop, in C++, with its uniformly random bots."""
    import pyspiel  # noqa: PLC0415 - only this benchmark needs it

    game = pyspiel.load_game("euchre")
    bots = [pyspiel.make_uniform_random_bot(player, 1) for player in range(4)]

    def measure() -> float:
        started = time.process_time()
        for number in range(deals):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, number)
        return deals / (time.process_time() - started)

    return measure


def bench_rules(rounds: int) -> None:
    """The rules against OpenSpiel, and the variants against turn-up."""
    print(f"rules in this process: {core.form()}")
    try:
        _against_open_spiel(rounds)
    except ImportError:
        print("turn-up against OpenSpiel: skipped, the package open_spiel is not installed")
    for way, played in (("step by step", playouts), ("in batches", batches)):
        deals = 2000 if played is playouts else 8 * CHUNK
        base = played("turn-up", deals, count_decisions=True)
        for variant in VARIANTS:
            if variant.name != "turn-up":
                measure = played(variant.name, deals, count_decisions=True)
                compare(f"{variant.name}, {way}, against turn-up", measure, base, rounds, "decisions/s")
        double = played("bid-euchre", deals // 2, options={"double_deck": "on"}, count_decisions=True)
        compare(f"bid-euchre, double deck, {way}, against turn-up", double, base, rounds, "decisions/s")
    _growth(rounds)


def _against_open_spiel(rounds: int) -> None:
    builds = forms()
    others = {
        "OpenSpiel from Python": open_spiel(1000),
        "the same by chance_outcomes": open_spiel(500, outcomes=True),
        "OpenSpiel's C++ loop": open_spiel_inside(3000),
    }
    ours = {f"{way}, {name}": in_form(form, way, 30_000) for way in WAYS for name, form in builds.items()}
    ours["in batches"] = batches("turn-up", 20 * CHUNK)
    for way, measure in ours.items():
        for name, other in others.items():
            compare(f"turn-up, {way}, against {name}", measure, other, rounds, "deals/s")


def _growth(rounds: int) -> None:
    """How the time of a batch grows with its deals."""
    sizes = (1, 8, 64, 256, 1024, 10_000)
    times = {}
    for size in sizes:
        rates = [batches("turn-up", min(20 * size, 20_000), batch=size)() for _ in range(rounds)]
        times[size] = size / statistics.median(rates)
        print(f"turn-up, a batch of {size:>6,} deals {times[size] * 1e3:>10.2f} ms {size / times[size]:>11,.0f} deals/s")
    for few, many in ((1, 64), (64, 1024), (1024, 10_000)):
        exponent = math.log(times[many] / times[few]) / math.log(many / few)
        print(f"the time of a batch grows from {few} to {many:,} deals with their number to the power {exponent:.2f}")


# ---- self-play --------------------------------------------------------------------------------------------------------


def self_play(deals: int, batch: int, policy: Policy, seed: int = 1) -> Measure:
    """Turn-up deals a second through arena.rl.selfplay."""
    rules = Rules("turn-up")

    def measure() -> float:
        started = time.perf_counter()
        play(rules, policy, deals, seed, batch)
        return deals / (time.perf_counter() - started)

    return measure


def random_policy() -> Policy:
    """Any legal move."""
    chance = random.Random(1)
    return lambda deals: [chance.choice(deal.legal_actions()) for deal in deals]


def small_net() -> Policy:
    """A net of two layers with fixed random weights: of the legal moves, the one that it values most."""
    noise = np.random.default_rng(1)
    first = noise.standard_normal((SIZE, 128), np.float32)
    second = noise.standard_normal((128, ACTIONS), np.float32)

    def choose(seen: Sequence[tuple[View, int]]) -> Sequence[int]:
        inputs = np.stack([encode(view, 4) for view, _ in seen])
        values = np.maximum(inputs @ first, 0) @ second
        masks = np.stack([mask(legal) for _, legal in seen])
        chosen: list[int] = np.where(masks, values, -np.inf).argmax(axis=1).tolist()
        return chosen

    return by_view(choose)


def bench_selfplay(rounds: int) -> None:
    """Batched self-play against step by step: without a policy to speak of, and with a net that likes batches."""
    batched = self_play(3000, 64, random_policy())
    compare("self-play, batch 64, random, against step by step", batched, playouts("turn-up", 3000), rounds, "deals/s")
    net = small_net()
    compare("self-play, small net, batch 64 against 1", self_play(400, 64, net), self_play(400, 1, net), rounds, "deals/s")


# ---- wire -------------------------------------------------------------------------------------------------------------


def _order(sets: int, deals: int, command: str) -> str:
    """A match of three bots at ghost-hand, as `referee match` reads it."""
    rules = Rules("ghost-hand")
    order = {
        "match": "bench",
        "variant": rules.name,
        "format": f"deals:{deals}",
        "options": rules.options,
        "lineup": [{"bot": f"random.{index}", "version": 1, "run": command} for index in range(3)],
        "key": "00" * 32,
        "clock": {},
        "games": [[number, [0, 1, 2]] for number in range(sets)],
        "lag": 60.0,
    }
    return json.dumps(order) + "\n"


def refereed(sets: int, command: str = "", form: str = "off") -> Measure:
    """Decisions a second of a match of three bots, by default `random`, at 64 tables a stream; `form` as for `in_form`.

    The clock runs while all tables are open: from the 64th finished game to the 64th before the last. What is begun at either
    moment is as much, so that games whose decisions were made before do not count for those that come after.
    """
    from arena.cli.common import SAMPLES  # noqa: PLC0415 - click and SQLAlchemy are slow to import

    order = _order(sets, 8, command or SAMPLES["random"])
    environment = {**os.environ, "ARENA_COMPILED": form}

    def measure() -> float:
        with subprocess.Popen(
            MATCH, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(order)
            child.stdin.flush()
            events = ((time.perf_counter(), json.loads(line)) for line in child.stdout)
            games = [(at, sum(event["times"]["decisions"])) for at, event in events if event["event"] == "game"]
        first, *counted = games[TABLES - 1 : sets - TABLES]
        return float(sum(decisions for _, decisions in counted) / (counted[-1][0] - first[0]))

    return measure


def echo(messages: int, batch: int, clients: int = CLIENTS, *, in_turn: bool = False) -> Measure:
    """Decisions a second of a bare grpc.aio stream: the same bytes and batches, and nobody thinks.

    With `in_turn` one client is asked after the other, as the bots at a single table are.
    """

    def measure() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return asyncio.run(Echo(f"unix:{folder}/echo.sock", messages, batch, clients, in_turn=in_turn).measure())

    return measure


class Echo:
    """A server and its clients, each a process, as the arena's bots are; `arena.run` uses the same kind of stream."""

    def __init__(self, address: str, messages: int, batch: int, clients: int, *, in_turn: bool) -> None:
        self.address = address
        self.messages = messages
        self.batch = batch
        self.clients = clients
        self._in_turn = in_turn
        self._ask = bytes(ASK_BYTES * batch)
        self._streams: list[grpc.aio.ServicerContext[bytes, bytes]] = []
        self._all_there = asyncio.Event()
        self._over = asyncio.Event()

    async def measure(self) -> float:
        """Decisions a second."""
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", {"Play": handler}),))
        server.add_insecure_port(self.address)
        await server.start()
        command = [sys.executable, "-m", "tools.bench", "--echo-client", self.address, "--echo-batch", str(self.batch)]
        started = [await asyncio.create_subprocess_exec(*command, cwd=ROOT) for _ in range(self.clients)]
        await self._all_there.wait()
        began = time.perf_counter()
        await (self._one_after_the_other() if self._in_turn else self._all_at_once())
        taken = time.perf_counter() - began
        self._over.set()
        for client in started:
            await client.wait()
        await server.stop(0)
        return self.messages * self.batch * (1 if self._in_turn else self.clients) / taken

    async def _play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await context.read()
        self._streams.append(context)
        if len(self._streams) == self.clients:
            self._all_there.set()
        await self._over.wait()

    async def _one_after_the_other(self) -> None:
        for number in range(self.messages):
            await self._exchange(self._streams[number % self.clients], 1)

    async def _all_at_once(self) -> None:
        await asyncio.gather(*(self._exchange(stream, self.messages) for stream in self._streams))

    async def _exchange(self, stream: grpc.aio.ServicerContext[bytes, bytes], times: int) -> None:
        for _ in range(times):
            await stream.write(self._ask)
            await stream.read()


def echo_client(address: str, batch: int) -> None:
    """One client of the echo: answers every message until the stream ends."""
    answer = bytes(ANSWER_BYTES * batch)
    replies: SimpleQueue[bytes] = SimpleQueue()
    replies.put(answer)
    with grpc.insecure_channel(address) as channel:
        for _ in channel.stream_stream("/bench.Echo/Play")(iter(replies.get, None)):  # type: ignore[arg-type]
            replies.put(answer)


def bench_wire(rounds: int) -> None:
    """Refereed play against the bare echo: with as many tables as a stream may have, and with one."""
    with tempfile.TemporaryDirectory() as folder:
        refereed(SETS, counting.command(folder))()
        together = round(counting.asks_a_message(folder))
    builds = forms()
    for form, build in builds.items():
        for batch, which in ((together, f"{together}, as many as travel together"), (10, "10")):
            title = f"{TABLES} tables, {form}; an echo of {which}"
            compare(title, refereed(SETS, form=build), echo(1500, batch), rounds, "decisions/s")
    alone = echo(3000, 1, in_turn=True)
    for form, build in builds.items():
        title = f"one table, {form}; an echo of one, three clients in turn"
        compare(title, refereed_alone(60, build), alone, rounds, "decisions/s")


def refereed_alone(deals: int, form: str) -> Measure:
    """Decisions a second at a single table: by the medians of the times that the referee notes, its own part and the rest.

    `form` as for `in_form`.
    """
    from arena.cli.common import SAMPLES  # noqa: PLC0415 - click and SQLAlchemy are slow to import

    order = _order(1, deals, SAMPLES["random"])
    environment = {**os.environ, "ARENA_COMPILED": form}

    def measure() -> float:
        done = subprocess.run(MATCH, cwd=ROOT, env=environment, input=order, stdout=subprocess.PIPE, text=True, check=True)
        (game,) = [event for event in map(json.loads, done.stdout.splitlines()) if event["event"] == "game"]
        times = game["times"]
        rest = statistics.fmean(seat["median"] for seat in times["rest_us"])
        return float(1e6 / (times["own_us"]["median"] + rest))

    return measure


# ---- records ----------------------------------------------------------------------------------------------------------


def _information(header: Json, lines: Sequence[Json]) -> tuple[float, int]:
    """Bits in the choices of a record's seats, each as likely as the others that were legal; and its deals."""
    *sets, end = lines
    rules, key = Rules(header["variant"], header["options"]), bytes.fromhex(end["key"])
    choices, count = 0.0, 0
    for line in sets:
        for game in line["games"]:
            for number, told in enumerate(game["deals"]):
                pack = shuffled(key, line["set"], number, rules.pack)
                deal = rules.deal(pack, (line["dealer"] + number) % rules.seats, number)
                for move in map(parse_action, told["moves"].split()):
                    choices += math.log2(deal.legal.bit_count())
                    make = deal.revoke if deal.is_revoke(move) else deal.apply
                    make(move)
                count += 1
    return choices, count


def bench_standings(rounds: int) -> None:
    """Tables of standings against one pass in SQL."""
    from tools import bench_standings as standings  # noqa: PLC0415 - SQLAlchemy is slow to import

    standings.bench_standings(rounds)


def bench_records(_rounds: int) -> None:
    """Bytes of a record as a backup has it, against the information in it: the choices of the seats, and nothing that follows."""
    for variant, sets in itertools.product(VARIANTS, (20, 40)):
        bots = ("greedy", "counter", "lowest")[: Rules(variant.name).bots]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "match.jsonl"
            words = ("play", "--variant", variant.name, "--bots", ",".join(bots), "--sets", str(sets), "--record", str(file))
            subprocess.run([sys.executable, "-m", "arena", *words], cwd=ROOT, check=True, capture_output=True)
            lines = [*map(json.loads, file.read_bytes().splitlines())]
            packed, plain = _in_a_backup(lines, Path(folder) / "backup.zip")
        header, *others = lines
        choices, deals = _information(header, others)
        title = f"{variant.name}, {sets} sets: bytes of a deal in a packed record"
        print(
            f"{title:<58} {packed / deals:>11,.1f} {choices / 8 / deals:>11,.1f} {'bytes':<12} "
            f"{packed * 8 / choices:>6.2f} x  ({deals:,} deals, {plain / deals:,.0f} bytes each unpacked)",
            flush=True,
        )


def _in_a_backup(lines: Sequence[Json], path: Path) -> tuple[int, int]:
    """Bytes of a match record in the backup of a league, and of its text."""
    from league.backup import RECORDS, writing  # noqa: PLC0415 - as below

    with writing(path, private=False) as backup:
        backup.part(f"{RECORDS}match.jsonl", lines)
    with zipfile.ZipFile(path) as archive:
        part = archive.getinfo(f"{RECORDS}match.jsonl")
    return part.compress_size, part.file_size


BENCHES: dict[str, Callable[[int], None]] = {
    "rules": bench_rules,
    "selfplay": bench_selfplay,
    "wire": bench_wire,
    "records": bench_records,
    "standings": bench_standings,
}


def main() -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benches", nargs="*", help=f"which to run: {', '.join(BENCHES)} (all)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (5)")
    parser.add_argument("--echo-client", metavar="ADDRESS", help=argparse.SUPPRESS)
    parser.add_argument("--echo-batch", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--playouts", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.playouts:
        way, deals = given.playouts
        WAYS[way]("turn-up", 2000)()  # what the rules tabulate has been tabulated before, as in batches
        print(WAYS[way]("turn-up", int(deals))())
        return 0
    if given.echo_client:
        echo_client(given.echo_client, given.echo_batch)
        return 0
    if unknown := [name for name in given.benches if name not in BENCHES]:
        parser.error(f"unknown: {', '.join(unknown)} (known: {', '.join(BENCHES)})")
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}; medians of {given.rounds} rounds, measured in turn\n")
    print(f"{'what':<68} {'this':>11} {'other':>11} {'unit':<12} {'ratio':>6}    spread")
    for name in given.benches or BENCHES:
        BENCHES[name](given.rounds)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
