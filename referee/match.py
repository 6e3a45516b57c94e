"""A match run: bots started, sets played seating by seating, every game reported.

Each seating of the sets is played by fresh processes, so that no process sees a deal twice. The processes of the next
seating start while the present one finishes. The referee is one of our own on a unix socket, or that which the order names;
either way it is spoken to through ControlService.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import statistics
import tempfile
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import grpc
from google.protobuf.json_format import MessageToDict

from euchre.v1 import control_pb2, control_pb2_grpc
from referee import isolate, launch, tls, wire
from referee.auth import TokenBook, digest, new_token
from referee.clock import Clock
from referee.errors import BadOrder, IsolationMissing, LauncherGone
from referee.lag import Watch
from referee.order import Order, OrderSeat
from referee.relay import Relay
from referee.rules import Rules
from referee.rules.errors import RulesError
from referee.server import Server
from referee.shuffle import first_dealer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from google.protobuf.message import Message

    from referee.box import Box
    from referee.server import Door

log = logging.getLogger(__name__)

BUCKETS_US: Final = (500, *(digit * 10**power for power in (3, 4, 5, 6) for digit in (1, 2, 5)))
"""Upper bounds (µs) of the classes in which decision times are counted for monitoring; one more class is above them."""
FAREWELL: Final = 1.0
"""Seconds from the goodbye to the end of a bot's process, by force if need be."""
_KNOWN: Final = frozenset(
    ("match", "variant", "format", "options", "lineup", "key", "clock", "games", "referee", "log_dir", "lag", "allow_unsandboxed")
)


# ---- the order --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One bot of the line-up: a command to run, or the digests of the tokens with which it is connected."""

    bot: str
    run: str | None
    cwd: str | None
    tokens: tuple[bytes, ...]
    box: Box | None = None
    """The sandbox that it runs in; None for a bot that is trusted."""


@dataclass(frozen=True)
class Job:
    """A match run as ordered. `games` has the sets of each seating; `referee` is (address, operator token) or None."""

    match: str
    rules: Rules
    format: str
    key: bytes
    clock: Clock
    lineup: tuple[Entry, ...]
    games: Mapping[tuple[int, ...], tuple[int, ...]]
    referee: tuple[str, str] | None
    log_dir: Path | None
    lag: float
    """Seconds above which the referee's own part of decisions (99th percentile) voids games."""


def parse(given: Mapping[str, Any]) -> Job:
    """The job that JSON describes. Raises BadOrder or BadClock, with what would be allowed."""
    if not isinstance(given, Mapping):
        raise BadOrder(f"an order is a JSON object, not {json.dumps(given)[:40]}")
    if unknown := given.keys() - _KNOWN:
        raise BadOrder(f"unknown part of the order: {', '.join(sorted(unknown))} (known: {', '.join(sorted(_KNOWN))})")
    try:
        return _parse(given)
    except RulesError as error:
        raise BadOrder(str(error)) from None
    except KeyError as error:
        raise BadOrder(f"the order lacks {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, BadOrder):
            raise
        raise BadOrder(f"the order cannot be read: {error}") from None


def _parse(given: Mapping[str, Any]) -> Job:
    rules = Rules(given["variant"], given.get("options") or {})
    referee = given.get("referee")
    job = Job(
        match=str(given["match"]),
        rules=rules,
        format=given.get("format", "game"),
        key=bytes.fromhex(given["key"]),
        clock=Clock.of(given.get("clock") or {}),
        lineup=tuple(_entry(entry, rules, bool(given.get("allow_unsandboxed"))) for entry in given["lineup"]),
        games=_by_seating(given["games"]),
        referee=(referee["address"], referee["token"]) if referee else None,
        log_dir=Path(given["log_dir"]) if given.get("log_dir") else None,
        lag=float(given.get("lag", Watch().limit)),
    )
    if len(job.lineup) != rules.sides:
        raise BadOrder(f"{len(job.lineup)} bots in the line-up (allowed: {rules.sides} for {rules.name})")
    for seating in job.games:  # so that a bad order is refused before a bot is started
        _order(job, seating, [bytes([seat]) * 32 for seat in range(rules.seats)])
    return job


def _entry(given: Mapping[str, Any], rules: Rules, allow_unsandboxed: bool) -> Entry:
    name, run = str(given["bot"]), given.get("run")
    tokens = tuple(bytes.fromhex(token) for token in given.get("tokens") or ())
    seats = rules.seats // rules.sides
    if run is None and len(tokens) != seats:
        raise BadOrder(f"bot {name}: no run command and {len(tokens)} token digests (allowed: {seats}, one a seat)")
    if run is not None:
        launch.command(run)
    sandbox = given.get("sandbox")
    box = isolate.of_order(sandbox, allow_unsandboxed=allow_unsandboxed) if run is not None and sandbox else None
    return Entry(name, run, given.get("cwd"), tokens, box)


def _by_seating(games: Sequence[Any]) -> dict[tuple[int, ...], tuple[int, ...]]:
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for number, seating in games:
        found[tuple(seating)] = (*found.get(tuple(seating), ()), int(number))
    if not found:
        raise BadOrder("the order has no games (allowed: [[set, [bot at seat 0, bot at seat 1, ...]], ...])")
    return found


def _order(job: Job, seating: tuple[int, ...], tokens: Sequence[bytes]) -> Order:
    if any(place >= len(job.lineup) for place in seating):
        raise BadOrder(f"seating {list(seating)} names a bot that is not in the line-up of {len(job.lineup)}")
    return Order(
        match=job.match,
        rules=job.rules,
        format=job.format,
        key=job.key,
        sets=job.games[seating],
        seating=seating,
        seats=tuple(OrderSeat(token, job.lineup[place].bot) for token, place in zip(tokens, seating, strict=True)),
        clock=job.clock,
    )


# ---- playing ----------------------------------------------------------------------------------------------------------


async def play(job: Job, launcher: launch.Launcher, report: Callable[[dict[str, Any]], None]) -> None:
    """Play a job and report its events, `done` last. Whatever ends it early ends its bots too."""
    async with _folder(launcher) as folder, _referee(job, folder) as (address, token, server), _channel(address) as channel:
        control = control_pb2_grpc.ControlServiceStub(channel)
        link = _Link(address, control, (("authorization", f"Bearer {token}"),), server, folder)
        match = _Match(job, launcher, report, link)
        async with asyncio.TaskGroup() as group:
            guards = [group.create_task(launcher.lost()), group.create_task(match.broken())]
            await _play_seatings(match, job, group)
            for guard in guards:
                guard.cancel()
    report({"event": "done"})


def _channel(address: str) -> grpc.aio.Channel:
    """A channel to a referee. Raises BadCertificate where the environment names files that are of no use."""
    target, credentials = tls.dial(address)
    return grpc.aio.secure_channel(target, credentials) if credentials else grpc.aio.insecure_channel(target)


async def _play_seatings(match: _Match, job: Job, group: asyncio.TaskGroup) -> None:
    """One seating after the other; the next begins when the present one is halfway, so that two at most are alive."""
    running: set[asyncio.Task[None]] = set()
    for seating in job.games:
        if len(running) > 1:
            _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        halfway = asyncio.Event()
        running.add(group.create_task(match.play(seating, halfway)))
        await halfway.wait()
    await asyncio.wait(running)


@contextlib.asynccontextmanager
async def _folder(launcher: launch.Launcher) -> AsyncIterator[Path]:
    """A private folder for sockets."""
    with tempfile.TemporaryDirectory(prefix="euchre-", dir=_short_folder(), ignore_cleanup_errors=True) as folder:
        launcher.send({"remove": folder})  # should this process be killed
        yield Path(folder)


@contextlib.asynccontextmanager
async def _referee(job: Job, folder: Path) -> AsyncIterator[tuple[str, str, Server | None]]:
    """The address of the referee, an operator's token for it, and the referee itself if it is our own."""
    if job.referee is not None:
        yield (*job.referee, None)
        return
    token = new_token()
    server = Server(TokenBook(operators={digest(token)}), watch=Watch(job.lag))
    address = await server.start(f"unix:{folder}/referee.sock")
    try:
        yield address, token, server
    finally:
        await server.stop(grace=0.2)


def _short_folder() -> str | None:
    """Where a socket's path is short enough: the usual place for temporary files, unless that is too deep."""
    return "/tmp" if len(tempfile.gettempdir()) > 60 else None  # noqa: S108 - mkdtemp makes a private folder in it


class _Seat:
    """One seat of a seating: its token's digest, and the process if it is ours."""

    def __init__(self, place: int, entry: Entry, digest_: bytes, token: str | None) -> None:
        self.place = place
        self.entry = entry
        self.digest = digest_
        self.token = token
        self.process: launch.Bot | None = None
        self.door: Door | Relay | None = None
        self.faulted = False


@dataclass(frozen=True)
class _Link:
    """The way to the referee."""

    address: str
    control: Any
    metadata: tuple[tuple[str, str], ...]
    server: Server | None
    """The referee, if it is our own."""
    folder: Path
    """Where sockets can be made."""

    async def door(self, seat: _Seat) -> tuple[str, Door | Relay]:
        """A way to the referee for one seat in a sandbox, and its address: it is nobody else's."""
        path = self.folder / f"{seat.digest.hex()[:12]}.sock"
        if self.server is not None:
            return f"unix:{path}", await self.server.door(path, seat.digest)
        return f"unix:{path}", await Relay.open(path, self.address)


class _Match:
    """What the seatings of a job have in common."""

    def __init__(
        self,
        job: Job,
        launcher: launch.Launcher,
        report: Callable[[dict[str, Any]], None],
        link: _Link,
    ) -> None:
        self._job = job
        self._launcher = launcher
        self._report = report
        self._link = link
        self._broken: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def broken(self) -> NoReturn:
        """Wait for a sandbox that cannot be made. Raises IsolationMissing: no bot is to blame."""
        raise IsolationMissing(await self._broken)

    async def play(self, seating: tuple[int, ...], halfway: asyncio.Event) -> None:
        """Play all sets of one seating; sets `halfway` when half of the games have ended."""
        seats = self._seats(seating)
        order = _order(self._job, seating, [seat.digest for seat in seats])
        request = control_pb2.PlayMatchRequest(order=wire.order_message(order))
        watchers: list[asyncio.Task[None]] = []
        patience = 0.0
        try:
            call = self._link.control.PlayMatch(request, metadata=self._link.metadata)
            await call.initial_metadata()  # only now do the tokens count
            await self._start(seats)
            watchers = [asyncio.create_task(self._watch(seat)) for seat in seats if seat.process]
            left = len(order.sets)
            async for response in call:
                self._event(response, seating, seats)
                left -= 1
                if left <= len(order.sets) // 2:
                    halfway.set()
            patience = FAREWELL
        finally:
            halfway.set()
            for watcher in watchers:
                watcher.cancel()
            await self._end(seats, seating, patience)

    def _seats(self, seating: tuple[int, ...]) -> list[_Seat]:
        seats: list[_Seat] = []
        for place, index in enumerate(seating):
            entry = self._job.lineup[index]
            if entry.run is None:
                partner = sum(seat.entry is entry for seat in seats)
                seats.append(_Seat(place, entry, entry.tokens[partner], None))
            else:
                token = new_token()
                seats.append(_Seat(place, entry, digest(token), token))
        return seats

    async def _start(self, seats: list[_Seat]) -> None:
        for seat in seats:
            if seat.token is not None and seat.entry.run is not None:
                words, address, box = launch.command(seat.entry.run), self._link.address, seat.entry.box
                if box is not None:
                    address, seat.door = await self._link.door(seat)
                    box, address = isolate.seated(box, address)
                env = launch.environment(words, address, seat.token) | tls.handed_down(address)
                seat.process = self._launcher.start(words, env, seat.entry.cwd, box)

    async def _watch(self, seat: _Seat) -> None:
        """Tell the referee at once when a bot's process has ended."""
        assert seat.process is not None
        with contextlib.suppress(LauncherGone):
            end = await asyncio.shield(seat.process.ended)
            if end.broken:
                if not self._broken.done():
                    self._broken.set_result(f"the sandbox of {seat.entry.bot} could not be made: {end.err.strip()}")
                return
            request = control_pb2.ReportExitRequest(token_sha256=seat.digest, detail=end.how)
            await self._link.control.ReportExit(request, metadata=self._link.metadata)

    async def _end(self, seats: list[_Seat], seating: tuple[int, ...], patience: float) -> None:
        """Give the processes a moment after the goodbye, then kill them; report what is worth knowing of their ends."""
        processes = {seat.place: seat.process for seat in seats if seat.process}
        ends = [process.ended for process in processes.values()]
        if not ends:
            return
        try:
            if patience:
                await asyncio.wait(ends, timeout=patience)
        finally:
            killed = {place for place, process in processes.items() if not process.ended.done()}
            for place in killed:
                processes[place].stop()
            await asyncio.wait(ends)
        for seat in seats:
            if seat.door is not None:
                await seat.door.close()
        for place, process in processes.items():
            if process.ended.exception() is None:
                self._tell_end(seats[place], seating, process.ended.result(), killed=place in killed)

    def _tell_end(self, seat: _Seat, seating: tuple[int, ...], end: launch.Exit, *, killed: bool) -> None:
        if self._job.log_dir is not None:
            self._job.log_dir.mkdir(parents=True, exist_ok=True)
            name = f"{seat.entry.bot}.{''.join(map(str, seating))}.seat{seat.place}.log"
            (self._job.log_dir / name).write_text(end.tail(2 * 64 * 1024) + "\n", encoding="utf-8")
        hosted = seat.entry.box is not None and bool(end.out or end.err)  # its owner sees it nowhere else
        if seat.faulted or hosted or (end.code and not killed):
            event = {"event": "log", "bot": seat.entry.bot, "seat": seat.place, "seating": list(seating)}
            self._report({**event, "exit": None if killed else end.code, "tail": _tail(end)})

    # ---- events -------------------------------------------------------------------------------------------------------

    def _event(self, response: control_pb2.PlayMatchResponse, seating: tuple[int, ...], seats: list[_Seat]) -> None:
        if response.HasField("void"):
            void = response.void
            event = {"event": "void", "set": void.set, "seating": list(seating), "cause": void.cause, "detail": void.detail}
            self._report(event)
            return
        game = response.game
        record = json.loads(game.record)
        for deal in record["deals"]:
            for fault in deal["faults"]:
                seats[fault["seat"]].faulted = True
        event = {
            "event": "game",
            "set": game.set,
            "seating": list(seating),
            "dealer": first_dealer(self._job.key, game.set, self._job.rules.seats),
            "record": record,
            "times": times(game.times),
        }
        event["latency"] = latency(game.times)
        if game.notes:
            event["notes"] = [_note(note, seats) for note in game.notes]
        if game.fault_logs:
            event["fault_logs"] = [_fault_log(log) for log in game.fault_logs]
        self._report(event)


def times(given: Sequence[control_pb2.Times]) -> dict[str, Any]:
    """Median and 99th percentile of a game's decision times, in microseconds: the bots' by seat, the referee's own of all."""
    own = [value for seat in given for value in seat.own_us]
    return {
        "decisions": [seat.decisions for seat in given],
        "rest_us": [_summary(seat.rest_us) for seat in given],
        "own_us": _summary(own),
    }


def latency(given: Sequence[control_pb2.Times]) -> dict[str, dict[str, Any]]:
    """A game's decision times as counts in `BUCKETS_US` and their sum: the bots' part and the referee's."""
    rest = [value for seat in given for value in seat.rest_us]
    own = [value for seat in given for value in seat.own_us]
    return {"bot": _histogram(rest), "referee": _histogram(own)}


def _histogram(values: Sequence[int]) -> dict[str, Any]:
    counts = [0] * (len(BUCKETS_US) + 1)
    for value in values:
        counts[bisect_left(BUCKETS_US, value)] += 1
    return {"counts": counts, "sum_us": sum(values)}


def _summary(values: Sequence[int]) -> dict[str, int]:
    if not values:
        return {"median": 0, "p99": 0}
    ordered = sorted(values)
    return {"median": int(statistics.median(ordered)), "p99": ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]}


def _fault_log(log: control_pb2.FaultLog) -> dict[str, Any]:
    """Cards, calls and all else as the line protocol has them, so that an author can feed the ask to the bot again."""
    exchanges = [
        {name: _as_line(getattr(exchange, name)) if exchange.HasField(name) else None for name in ("ask", "answer")}
        for exchange in log.exchanges
    ]
    head = {"deal": log.deal, "move": log.move, "seat": log.seat, "cause": log.cause, "detail": log.detail}
    return {**head, "exchanges": exchanges}


def _as_line(message: Message) -> dict[str, Any]:
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def _tail(end: launch.Exit) -> str:
    """What a bot wrote last; before it, what its sandbox has to say."""
    told = [f"[sandbox] {text}" for text in (end.reason, *end.notes) if text]
    return "\n".join([*told, end.tail()]) if told else end.tail()


def _note(note: control_pb2.Note, seats: list[_Seat]) -> dict[str, Any]:
    if note.cut:
        log.warning("%s, seat %d: a note is %d bytes too long and was cut", seats[note.seat].entry.bot, note.seat, note.cut)
    return {"deal": note.deal, "move": note.move, "seat": note.seat, "text": note.text, "cut": note.cut}
