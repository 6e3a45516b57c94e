"""Whole deals in batches: shuffled, dealt, played by uniformly random legal moves, scored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from referee.playout.state import Batch, Record, deal_out, gather, shuffle
from referee.playout.steps import BATCH_STEPS
from referee.playout.tables import Tabulated
from referee.playout.tricks import Tricks
from referee.rules.cards import BID_3, MOON
from referee.rules.deal import Deal
from referee.rules.phases import Bidding, Play

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from referee.playout.state import Cards, Ints
    from referee.playout.steps import BatchStep
    from referee.rules import Rules
    from referee.rules.deal import Step, Terms

CHUNK: Final = 4096
"""Deals played side by side; their arrays should stay within a core's second-level cache."""
_CALLS: Final = 24
"""More than the moves that a deal can have beside the tricks."""


@dataclass(frozen=True)
class Played:
    """Deals that were played: what each side scored [deal, side], and how many moves each took [deal]."""

    points: NDArray[np.int16]
    moves: Ints
    packs: Cards | None = None
    """[deal, card of the pack], where they were dealt here."""
    dealers: Ints | None = None
    record: Record | None = None
    """Every move, where it was asked for."""

    @property
    def decisions(self) -> int:
        """How many moves were made in all, forced ones included."""
        return int(self.moves.sum())


def playout(  # noqa: PLR0913 - what is played, by which chance, and three settings
    rules: Rules,
    deals: int | None = None,
    *,
    rng: np.random.Generator,
    packs: ArrayLike | None = None,
    dealers: ArrayLike | None = None,
    record: bool = False,
    chunk: int = CHUNK,
) -> Played:
    """Play whole deals from shuffle to points, each move uniformly random among the legal ones.

    Either `deals` says how many, of packs shuffled here, or `packs` [deal, card] gives them as `Rules.deal` takes them. `dealers`
    [deal] says who deals; else seat n mod seats deals number n. With `record` every move is kept. Raises ValueError.
    """
    if chunk < 1:
        raise ValueError(f"chunk {chunk} (allowed: 1 and more)")
    given = None if packs is None else _checked_packs(rules, packs)
    size = _size(deals, given)
    seats = _checked_dealers(rules, dealers, size)
    player = _player(rules.terms)
    parts = [
        player.deal(seats[start : start + chunk], None if given is None else given[:, start : start + chunk], rng, record=record)
        for start in range(0, size, chunk)
    ]
    return _joined(rules.terms, parts)


def rollout(  # noqa: PLR0913 - likewise
    rules: Rules, deals: Sequence[Deal], *, rng: np.random.Generator, times: int = 1, record: bool = False, chunk: int = CHUNK
) -> Played:
    """Play deals on from where they stand, each as many `times` as told, by uniformly random legal moves; they are not changed.

    Every card of the deals is taken to lie where they have it: who may not know that deals the unseen cards out first. Returns a
    row for each time of the first deal, then of the second, and so on. Raises ValueError where a deal is of other rules.
    """
    if chunk < 1 or times < 1:
        raise ValueError(f"chunk {chunk}, times {times} (allowed: 1 and more)")
    if any(deal.terms is not rules.terms for deal in deals):
        raise ValueError("a deal of other rules (allowed: deals that the given rules made)")
    player = _player(rules.terms)
    each = max(1, chunk // times)
    parts = [player.resume(deals[start : start + each], times, rng, record=record) for start in range(0, len(deals), each)]
    return _joined(rules.terms, parts)


class _Player:
    """Plays batches of one variant with its options settled. Keeps what it has tabulated."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        *calls, play = terms.steps
        assert isinstance(play, Play)
        self._steps = [_batch_step(step, terms) for step in calls]
        self._tricks = Tricks(play, terms)
        self._score = _tabulated_score(terms)
        self._drawn = terms.hand_size * terms.receivers + 1

    def deal(self, dealers: Ints, packs: Cards | None, chance: np.random.Generator, *, record: bool) -> Played:
        """Play deals from the start."""
        terms = self._terms
        if packs is None:
            packs = shuffle(terms.pack, dealers.size, self._drawn, chance)
        batch = deal_out(terms, packs, dealers, chance)
        self._play(batch, record=record)
        return Played(self._points(batch), batch.moves, packs.T, dealers, batch.record)

    def resume(self, deals: Sequence[Deal], times: int, chance: np.random.Generator, *, record: bool) -> Played:
        """Play begun deals on."""
        batch = gather(deals, self._terms, times, chance)
        self._play(batch, record=record)
        penalty = np.repeat(np.array([deal.penalty for deal in deals], np.int16), times, axis=0)
        return Played(self._points(batch) + penalty, batch.moves, None, None, batch.record)

    def _play(self, batch: Batch, *, record: bool) -> None:
        terms = self._terms
        if record:
            batch.record = Record(batch.size, terms.hand_size * terms.seats + _CALLS)
        over = ~batch.live
        for number, step in enumerate(self._steps):
            asked = np.flatnonzero(batch.live & (batch.begun == number))
            fresh = np.flatnonzero(batch.live & (batch.begun < number))
            if fresh.size:
                asked = np.concatenate((asked, step.begin(batch, fresh)))
            while asked.size:
                asked = step.apply(batch, asked, batch.answer(asked))
        self._play_tricks(batch)
        batch.live |= over & ~batch.thrown_in

    def _play_tricks(self, batch: Batch) -> None:
        fresh = np.flatnonzero(batch.live & (batch.begun < len(self._steps)))
        bare = np.empty((0, fresh.size), np.int8)
        self._tricks.play(batch, fresh, self._tricks.begin(batch, fresh), self._terms.hand_size, bare)
        if batch.begun.max(initial=-1) >= len(self._steps):
            begun = batch.live & (batch.begun == len(self._steps))
            for case in np.unique(batch.to_play[begun] * 4 + batch.lying[begun]).tolist():
                tricks, lying = divmod(case, 4)
                deals = np.flatnonzero(begun & (batch.to_play == tricks) & (batch.lying == lying))
                self._tricks.play(batch, deals, batch.leader[deals], tricks, batch.table[:lying, deals])

    def _points(self, batch: Batch) -> NDArray[np.int16]:
        points: NDArray[np.int16] = np.zeros((batch.size, self._terms.sides), np.int16)
        deals = np.flatnonzero(batch.live)
        bid = np.maximum(batch.bid[deals] - BID_3 + 1, 0)
        points[deals] = self._score(batch.maker[deals], bid, batch.alone[deals], *batch.tricks[:-1, deals]).T
        return points


def _batch_step(step: Step, terms: Terms) -> BatchStep:
    try:
        made = BATCH_STEPS[type(step)]
    except KeyError:
        known = ", ".join(sorted(kind.__name__ for kind in BATCH_STEPS))
        raise ValueError(f"{terms.variant} has a step that no batch can play: {type(step).__name__} (known: {known})") from None
    return made(step, terms)


def _tabulated_score(terms: Terms) -> Tabulated:
    """The variant's own scoring by maker, bid (0: none, else 1 for a bid of 3 and so on), who was alone, and tricks by seat."""
    model = Deal(terms, terms.pack, 0, 0, [0] * terms.sides)

    def score(maker: int, bid: int, alone: int, *tricks: int) -> list[int]:
        model.maker, model.bid = maker, BID_3 + bid - 1 if bid else -1
        model.alone = tuple(seat for seat in range(terms.seats) if alone >> seat & 1)
        model.tricks = [*tricks, terms.hand_size - sum(tricks)]
        return terms.score(model)

    bids = MOON - BID_3 + 2 if any(isinstance(step, Bidding) for step in terms.steps) else 1
    sizes = (terms.seats, bids, 1 << terms.seats, *[terms.hand_size + 1] * (terms.seats - 1))
    return Tabulated(score, sizes, terms.sides)


_player = lru_cache(maxsize=64)(_Player)


def _checked_packs(rules: Rules, packs: ArrayLike) -> Cards:
    """The packs, turned to [card, deal]."""
    given = np.asarray(packs)
    cards = len(rules.pack)
    if given.ndim != 2 or given.shape[1] != cards or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"packs of shape {given.shape}, {given.dtype} (allowed: [deals, {cards}], whole numbers)")
    wrong = np.flatnonzero((np.sort(given, axis=1) != np.sort(rules.pack)).any(axis=1))
    if wrong.size:
        raise ValueError(f"pack {wrong[0]} is not the pack of {rules.name} in some order (allowed: rules.pack, shuffled)")
    turned: Cards = np.ascontiguousarray(given.T, np.int8)
    return turned


def _size(deals: int | None, packs: Cards | None) -> int:
    size = deals if packs is None else packs.shape[1]
    if size is None or (deals is not None and deals != size) or size < 0:
        raise ValueError(f"deals {deals} and {'no' if packs is None else size} packs (allowed: one of them, or as many of both)")
    return size


def _checked_dealers(rules: Rules, dealers: ArrayLike | None, size: int) -> Ints:
    if dealers is None:
        return np.arange(size, dtype=np.intp) % rules.seats
    seats = np.asarray(dealers)
    if seats.shape != (size,) or not ((seats >= 0) & (seats < rules.seats)).all():
        raise ValueError(f"dealers of shape {seats.shape} (allowed: a seat from 0 to {rules.seats - 1} for each of {size} deals)")
    found: Ints = seats.astype(np.intp)
    return found


def _joined(terms: Terms, parts: list[Played]) -> Played:
    """The chunks as one."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Played(np.zeros((0, terms.sides), np.int16), np.zeros(0, np.intp))
    return Played(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.moves for part in parts]),
        _together([part.packs for part in parts]),
        _together([part.dealers for part in parts]),
        Record.joined([part.record for part in parts if part.record is not None]),
    )


def _together(arrays: list[NDArray[Any] | None]) -> NDArray[Any] | None:
    there = [array for array in arrays if array is not None]
    return np.concatenate(there) if there else None
