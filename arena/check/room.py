"""Legal play: one process of the bot at the tables of the real referee, with players of the house in the other seats."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from arena.check import house
from arena.check.report import Failed, Skipped
from euchre.v1.referee_pb2 import PlayResponse
from euchre.v1.table_pb2 import Phase
from referee import wire
from referee.auth import TokenBook, digest, new_token
from referee.clock import now
from referee.game import Game
from referee.hall import Finished
from referee.lag import Watch
from referee.limits import Limits
from referee.order import Order, OrderSeat
from referee.rules.deal import PHASE_CLAIM, PHASE_JOKER, PHASE_LAY_AWAY
from referee.server import Server
from referee.session import Session, TableSeat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.check.bench import Bench, Guest
    from euchre.v1.table_pb2 import Answer
    from referee.hall import Event
    from referee.rules import Rules
    from referee.table import Fault, Question

KEY: Final = hashlib.sha256(b"arena check").digest()
"""The same deals every time, so that a failure can be looked into."""
_SETS: Final = 3
"""Games of each setting and seat …"""
_DEALS: Final = 2
"""… and deals of each game."""
_ROUNDS: Final = 15
"""How often such games are played until every phase that a step is about has come up."""
_EARLY: Final = frozenset((PHASE_JOKER, PHASE_LAY_AWAY, PHASE_CLAIM))
"""Phases that the cards alone bring about; all others depend on what is said."""
_SEARCH: Final = 5000
"""Sets looked through for deals that begin in a phase that a step is about."""
_LOOK: Final = 0.02
"""Seconds between looks whether the bot has come."""
_REMEMBERED: Final = 512
"""Asks kept to explain faults."""


class Tapped(Session):
    """A session that remembers what was asked and answered, and calls `on_fault` when the referee steps in."""

    def __init__(self, token: bytes, number: str, bot: str) -> None:
        super().__init__(token, number, bot, Limits())
        self.phases: Counter[int] = Counter()
        self.trouble: asyncio.Future[Failed] = asyncio.get_running_loop().create_future()
        self._asked: dict[int, PlayResponse] = {}
        self._answered: dict[int, Any] = {}

    def begin(self) -> None:
        """A step begins."""
        self.phases.clear()
        self.trouble = asyncio.get_running_loop().create_future()

    def take(self, answers: Iterable[Answer], at: float) -> None:
        """Remember what was answered, then take it."""
        for answer in answers:
            if answer.ask in self.open:
                _remember(self._answered, answer.ask, answer)
            super().take((answer,), at)

    def settled(self, question: Question) -> None:
        """Remember the question, whose view is still what it was."""
        entry = self.open.get(question.number)
        if entry is not None:
            message = PlayResponse()
            wire.fill_ask(message.asks.add(), question.number, entry[0].number, question.view(), question.legal)
            wire.fill_times(message.asks[0], question.table.clock.answer, question.bank, question.last)
            self.phases[message.asks[0].view.phase] += 1
            _remember(self._asked, question.number, message)
        super().settled(question)

    def notice_fault(self, seat: TableSeat, fault: Fault) -> None:
        """A fault fails the step."""
        super().notice_fault(seat, fault)
        if not self.trouble.done():
            number = fault.question.number
            answer = self._answered.get(number)
            why = f"{fault.cause}: {fault.detail or 'the bot is gone'}"
            self.trouble.set_result(Failed(why, [self._asked[number]], [answer] if answer is not None else []))

    def open_asks(self) -> list[PlayResponse]:
        """What the bot has been asked and has not answered."""
        found = []
        for number, (seat, question) in self.open.items():
            message = PlayResponse()
            wire.fill_ask(message.asks.add(), number, seat.number, question.view(), question.legal)
            found.append(message)
        return found


def _remember(kept: dict[int, Any], number: int, what: object) -> None:
    kept[number] = what
    if len(kept) > _REMEMBERED:
        del kept[next(iter(kept))]


class Room:
    """The real referee, with the bot and the house seated at its tables. It opens when it is first used."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._server: Server | None = None
        self.guest: Guest | None = None
        """The bot's process at these tables."""
        self._bot = ""
        self._house: list[str] = []
        self._players: list[asyncio.Task[None]] = []
        self._address = ""
        self._orders = itertools.count()

    async def close(self) -> None:
        """Say goodbye to everybody."""
        if self._server is not None:
            await self._server.stop(0.1)
        for player in self._players:
            player.cancel()
        await asyncio.gather(*self._players, return_exceptions=True)

    # ---- a step -------------------------------------------------------------------------------------------------------

    async def play(self, rules: Rules, wanted: frozenset[int]) -> str:
        """Play games in every seat until the bot was asked in all `wanted` phases, as far as they come up within some rounds."""
        session = await self._seated(rules)
        session.begin()
        first = {seat: chosen_sets(rules, seat, wanted & _EARLY, _SETS) for seat in range(rules.seats)}
        for game in range(_ROUNDS):
            sets = first if not game else dict.fromkeys(first, range(_SEARCH + game * _SETS, _SEARCH + (game + 1) * _SETS))
            await self._judge(session, [self._order(rules, seat, sets[seat], f"deals:{_DEALS}") for seat in first])
            if not wanted - session.phases.keys():
                break
        missing = sorted(wanted - session.phases.keys())
        told = ", ".join(f"{_phase(phase)} {count}" for phase, count in sorted(session.phases.items()))
        never = f"; {', '.join(map(_phase, missing))} never came up" if missing else ""
        return f"{session.phases.total()} questions ({told}){never}"

    async def crowd(self, rules: Rules, tables: int) -> str:
        """Play at many tables at once."""
        session = await self._seated(rules)
        session.begin()
        await self._judge(session, [self._order(rules, 0, range(tables), "deals:1")])
        most = min(tables, session.capacity)
        return f"{most} tables at once" + (", as many as it wants" if most < tables else "")

    async def _judge(self, session: Tapped, orders: list[tuple[Order, int]]) -> None:
        """Play orders to their end. Raises Failed with the first fault, or when the bot is gone."""
        assert self._server is not None
        assert self.guest is not None
        events: asyncio.Queue[tuple[int, Event]] = asyncio.Queue()
        hall = self._server.hall
        for order, seat in orders:
            hall.submit(order, lambda event, seat=seat: events.put_nowait((seat, event)), now())  # type: ignore[misc]
        played = asyncio.create_task(_all_over(events, len(orders)))
        try:
            watched: set[asyncio.Future[Any]] = {played, session.trouble, self.guest.process.ended}
            await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
            if session.trouble.done():
                raise session.trouble.result()
            if not played.done():
                code = self.guest.process.ended.result().code
                raise Failed(f"the bot's process ended with exit code {code}", session.open_asks())
            played.result()
        finally:
            played.cancel()
            for order, _ in orders:
                hall.cancel(order.match)

    def _order(self, rules: Rules, place: int, sets: Iterable[int], fmt: str) -> tuple[Order, int]:
        """An order with the bot in one place and the house in all others."""
        tokens = [self._bot if seat == place else self._house[seat] for seat in range(rules.seats)]
        seats = tuple(OrderSeat(digest(token), "bot" if token == self._bot else "house") for token in tokens)
        match = f"check/{next(self._orders)}"
        return Order(match, rules, fmt, KEY, tuple(sets), rules.seatings()[0], seats, self._bench.clock), place

    # ---- who is there -------------------------------------------------------------------------------------------------

    async def _seated(self, rules: Rules) -> Tapped:
        """The bot's session, started where it is not there. Raises Skipped where it does not play the variant."""
        if self._server is None:
            await self._open()
        assert self._server is not None
        sessions = self._server.hall.sessions
        session = sessions.get(digest(self._bot))
        if self.guest is None or self.guest.gone or not isinstance(session, Tapped):
            session = sessions[digest(self._bot)] = Tapped(digest(self._bot), "bot", "bot")
            self.guest = self._bench.start(self._address, token=self._bot)
        await self._arrival(session)
        if not session.plays(rules.name):
            raise Skipped(f"the bot says that it plays {', '.join(sorted(session.variants))} only")
        return session

    async def _open(self) -> None:
        self._bot, self._house = self._bench.token(), [new_token() for _ in range(4)]
        names = {digest(token): "house" for token in self._house} | {digest(self._bot): "bot"}
        # however slow this machine is, it is no matter here: a bot is never charged for the referee's time
        self._server = Server(TokenBook(bots=names), watch=Watch(math.inf))
        self._bench.stage.referee = self._server.play
        self._address = await self._server.start(f"unix:{self._bench.folder}/referee.sock")
        self._players = [asyncio.create_task(house.play(self._address, token)) for token in self._house]

    async def _arrival(self, session: Tapped) -> None:
        """Wait until the bot has said Hello."""
        assert self.guest is not None
        patience = self._bench.clock.start
        deadline = now() + patience
        while session.stream is None:
            if self.guest.gone:
                raise Failed(f"the bot's process ended before its Hello: {self.guest.process.ended.result().how}")
            if now() > deadline:
                raise Failed(f"no Hello within {patience:g} s")
            await asyncio.sleep(_LOOK)


def _phase(number: int) -> str:
    return Phase.Name(number).removeprefix("PHASE_")  # type: ignore[arg-type]


async def _all_over(events: asyncio.Queue[tuple[int, Event]], runs: int) -> None:
    """Wait until all runs are over. Raises Failed where a game has a fault of the bot, who sits where the event says."""
    while runs:
        seat, event = await events.get()
        if event is None:
            runs -= 1
        elif not isinstance(event, Finished):
            raise Failed(f"a game came to nothing, which is not the bot's fault: {event.cause}: {event.detail}")
        else:
            causes = [fault["cause"] for deal in event.table.game.deals for fault in deal["faults"] if fault["seat"] == seat]
            if causes:
                raise Failed(f"{causes[0]} in a game of {event.table.game.rules.name}")


def chosen_sets(rules: Rules, seat: int, wanted: frozenset[int], count: int) -> tuple[int, ...]:
    """Numbers of sets, among them for each wanted phase one whose first deal asks the seat in it, if a deal can begin with it."""
    missing = set(wanted)
    chosen: list[int] = []
    for number in range(_SEARCH if missing else 0):
        if found := missing & set(_first_phases(rules, seat, number)):
            chosen.append(number)
            missing -= found
            if not missing:
                break
    plain = (number for number in itertools.count() if number not in chosen)
    return (*chosen, *itertools.islice(plain, max(0, count - len(chosen))))


def _first_phases(rules: Rules, seat: int, number: int) -> Iterator[int]:
    """The phases up to the auction in which a seat is asked in the first deal of a set."""
    game = Game(rules, KEY, number, "deals:1")
    while game.settle() and game.deal.phase <= PHASE_CLAIM:
        if game.deal.seat == seat:
            yield game.deal.phase
        game.apply(game.deal.fallback())
