"""Games and duplicate sets as a league plays them, by the referee's own rules, with the bots in this process."""

from __future__ import annotations

import random
import sys
import traceback
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from arena.sdk.bot import move_of
from arena.sdk.local import action_of, table_for, view_of
from arena.sdk.table import Result
from referee.game import Game

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arena.sdk.bot import Bot
    from arena.sdk.table import Table
    from arena.sdk.view import View
    from arena.sdk.words import Move
    from arena.tune.source import Factory
    from referee.rules import Rules


class BotFailed(Exception):  # noqa: N818 - reads as what happened
    """A bot raised something or answered what is not legal; the message tells where in which deal."""


@dataclass(frozen=True)
class SetResult:
    """A set that was played, summed over its games."""

    deals: int
    points: tuple[float, ...]
    """By index in the line-up."""
    games: tuple[float, ...]
    """By index in the line-up: of the games, the share in which the first bot placed above this one, less below."""


@dataclass(frozen=True)
class Series:
    """The deals that all the bots of a measurement play. They follow from the key as those of a match do."""

    rules: Rules
    key: bytes
    fmt: str = "game"

    def play_set(self, number: int, factories: Sequence[Factory], names: Sequence[str]) -> SetResult:
        """Play every game of a set; names and what makes the bots by index in the line-up. Raises BotFailed.

        Every seat of every game has a bot of its own, new as the process would be. Seatings that only exchange bots of one name
        are played once.
        """
        deals, totals, games = 0, [0.0] * len(names), []
        for seating in _distinct(self.rules.seatings(), names):
            game = self.play_game(number, seating, factories, names)
            side_of = {index: self.rules.side(seat) for seat, index in enumerate(seating)}
            points = [game.totals[side_of[index]] for index in range(len(names))]
            deals += len(game.deals)
            totals = [before + won for before, won in zip(totals, points, strict=True)]
            games.append([float((points[0] > other) - (points[0] < other)) for other in points])
        return SetResult(deals, tuple(totals), tuple(fmean(column) for column in zip(*games, strict=True)))

    def play_game(self, number: int, seating: Sequence[int], factories: Sequence[Factory], names: Sequence[str]) -> Game:
        """Play one game of a set; `seating` has the index in the line-up by seat. Raises BotFailed."""
        # A bot that throws the dice of the module `random` plays the same again, in whatever process.
        random.seed(f"{self.key.hex()} {number} {list(seating)}")
        game = Game(self.rules, self.key, number, self.fmt)
        seats = [
            _Seat(names[index], factories[index], table_for(self.rules, seat, fmt=self.fmt)) for seat, index in enumerate(seating)
        ]
        try:
            _play(game, seats)
        except BotFailed as failed:
            raise BotFailed(f"set {number}, seating {' '.join(map(str, seating))}, {failed}") from failed.__cause__
        return game


def play_sets(series: Series, numbers: Iterable[int], factories: Sequence[Factory], names: Sequence[str]) -> list[SetResult]:
    """Play some sets; raises BotFailed."""
    return [series.play_set(number, factories, names) for number in numbers]


def _distinct(seatings: Iterable[tuple[int, ...]], names: Sequence[str]) -> Iterator[tuple[int, ...]]:
    done: set[tuple[str, ...]] = set()
    for seating in seatings:
        who = tuple(names[index] for index in seating)
        if who not in done:
            done.add(who)
            yield seating


class _Seat:
    """A bot at its table."""

    def __init__(self, name: str, factory: Factory, table: Table) -> None:
        self.name = name
        self.table = table
        self.bot: Bot = factory()

    def answer(self, game: Game) -> int:
        """The bot's action; raises BotFailed if it is none or not legal."""
        view = view_of(game.deal, self.table)
        try:
            (given,) = self.bot.choose_all([view])
            move, _ = move_of(given)
        except Exception as error:
            raise BotFailed(f"{_place(view, game)}: {self.name} raised\n{_told(error)}") from error
        if move not in view.legal:
            allowed = " ".join(view.legal)
            raise BotFailed(f"{_place(view, game)}: {self.name} answered {move}, which is not legal (allowed: {allowed})")
        return action_of(_same(move, view))


def _same(move: Move, view: View) -> Move:
    """The legal move that a bot means."""
    return view.legal[view.legal.index(move)]


def _play(game: Game, seats: Sequence[_Seat]) -> None:
    for seat in seats:
        seat.bot.opened(seat.table)
    while game.settle():
        game.apply(seats[game.deal.seat].answer(game))
    for seat in seats:
        seat.bot.closed(Result(seat.table, tuple(game.totals), tuple(game.places()), game.end))


def _place(view: View, game: Game) -> str:
    """Where a bot was in a game, in words by which the deal can be found again."""
    from referee.rules.cards import action_text  # noqa: PLC0415 - only for messages

    moves = " ".join(map(action_text, game.deal.moves)) or "none"
    hand = " ".join(view.hand)
    return f"deal {view.deal}, seat {view.seat}, {view.phase}, hand {hand}, moves before: {moves}"


def _told(error: Exception) -> str:
    """The traceback, from the bot's own first line on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None and _ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace)).rstrip()


def _ours(filename: str) -> bool:
    return filename in {__file__, sys.modules["arena.sdk.bot"].__file__}
