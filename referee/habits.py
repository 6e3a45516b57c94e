"""What each bot of a match did in its deals: how it bid, what came of it, its faults, and where it lost most for its cards.

Everything follows from the records of a match and its key: the deals are dealt again and the moves repeated. Pure, as rules are.
"""

from __future__ import annotations

import heapq
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from referee.rules import Rules
from referee.rules.cards import NAMES, ORDER, PASS, SWAP, action_text, parse_action
from referee.rules.deal import PHASE_AUCTION
from referee.rules.errors import IllegalAction
from referee.shuffle import first_dealer, shuffled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.rules.deal import Deal

FORMAT: Final = 1
"""Changes whenever these figures mean something else: those of another format are worked out again."""
WORST, LISTED = 5, 20
"""Deals lost worst, and faults, that are listed of a bot in one match."""

ORDERED, NAMED = "order", "name"
"""What making trump is called where nobody bids a number: taking the turned card's suit, and naming one."""

Json = dict[str, Any]


@dataclass
class Habits:
    """One bot over the deals of a match. A pair of numbers is (deals, points), or (tried, made) where that is said.

    Points are those of its side: its own with three players, its team's with four, where it sits twice.
    """

    games: int = 0
    deals: int = 0
    thrown_in: int = 0
    points: int = 0
    made: list[int] = field(default_factory=lambda: [0, 0])
    """As maker: deals, points."""
    defended: list[int] = field(default_factory=lambda: [0, 0])
    """While another side was the maker: deals, points."""
    dealt: list[int] = field(default_factory=lambda: [0, 0])
    """While it was the dealer, or its partner: deals, points."""
    asked: int = 0
    """Decisions in the auction: a seat might pass, or say more than one thing."""
    spoke: int = 0
    """Those of them in which it did not pass."""
    calls: dict[str, int] = field(default_factory=dict)
    """How often it made each call, whether or not it became the maker by it."""
    contracts: dict[str, list[int]] = field(default_factory=dict)
    """As maker, by the call that made it so: tried, made."""
    alone: list[int] = field(default_factory=lambda: [0, 0])
    """As a maker who plays alone: tried, made."""
    stood_alone: list[int] = field(default_factory=lambda: [0, 0])
    """As a defender who plays alone: tried, maker set."""
    faults: dict[str, int] = field(default_factory=dict)
    fault_list: list[list[Any]] = field(default_factory=list)
    """The first ones: cause, set, seating, deal, move."""
    worst: list[list[Any]] = field(default_factory=list)
    """Points lost, set, seating, deal, its own margin, the mean margin of the others in the same chair; the worst first."""


def of_record(lines: Iterable[Mapping[str, Any]], key: bytes) -> list[Json]:
    """The habits of each bot of a match, by line-up index, from the lines of its record: complete sets only.

    Args:
        lines: The record, from its header on; what comes after the sets is not needed.
        key: The match key.

    Raises:
        RulesError: these rules do not know the record's variant or options, or do not allow its moves.
        ValueError: a move is none.
    """
    head, *rest = lines
    rules = Rules(head["variant"], head["options"])
    found = [Habits() for _ in range(rules.bots)]
    for line in rest:
        if "set" in line:
            for game in line["games"]:
                _Game(rules, key, line["set"], game).count(found)
            _note_worst(rules, line["set"], line["games"], found)
    return [asdict(habits) for habits in found]


class _Game:
    """One game of a match, dealt and played again."""

    def __init__(self, rules: Rules, key: bytes, number: int, record: Mapping[str, Any]) -> None:
        self._rules, self._key, self._number, self._record = rules, key, number, record
        self._seating: Sequence[int] = record["seating"]

    def count(self, found: Sequence[Habits]) -> None:
        """Add what the bots did in it."""
        for habits in found:
            habits.games += 1
        first = first_dealer(self._key, self._number, self._rules.seats)
        total = [0] * self._rules.sides
        for number, entry in enumerate(self._record["deals"]):
            pack = shuffled(self._key, self._number, number, self._rules.pack)
            deal = self._rules.deal(pack, (first + number) % self._rules.seats, number, total)
            self._play(deal, entry, number, found)
            self._sum_up(deal, found)
            total = entry["total"]

    def _play(self, deal: Deal, entry: Mapping[str, Any], number: int, found: Sequence[Habits]) -> None:
        faults = {fault["move"]: fault for fault in entry.get("faults", ())}
        for at, text in enumerate(entry["moves"].split()):
            habits, action, fault = found[self._seating[deal.seat]], parse_action(text), faults.get(at)
            if fault is not None:
                self._note_fault(habits, fault, number)
            elif deal.phase == PHASE_AUCTION and deal.legal & deal.legal - 1:
                _note_call(habits, action)
            _move(deal, action, fault)

    def _note_fault(self, habits: Habits, fault: Mapping[str, Any], number: int) -> None:
        cause = fault["cause"]
        habits.faults[cause] = habits.faults.get(cause, 0) + 1
        if len(habits.fault_list) < LISTED:
            habits.fault_list.append([cause, self._number, list(self._seating), number, fault["move"]])

    def _sum_up(self, deal: Deal, found: Sequence[Habits]) -> None:
        points, side_of = deal.points(), self._rules.side
        maker = -1 if deal.thrown_in else side_of(deal.maker)
        kept = maker >= 0 and points[maker] - deal.penalty[maker] > 0
        for side in range(self._rules.sides):
            habits = found[self._seating[side]]
            habits.deals += 1
            habits.points += points[side]
            habits.thrown_in += deal.thrown_in
            if side == side_of(deal.dealer):
                _add(habits.dealt, points[side])
            if maker >= 0:
                _add(habits.made if side == maker else habits.defended, points[side])
        if maker >= 0:
            self._note_maker(deal, found, kept=kept)

    def _note_maker(self, deal: Deal, found: Sequence[Habits], *, kept: bool) -> None:
        made_by = found[self._seating[deal.maker]]
        _add(made_by.contracts.setdefault(_contract(deal), [0, 0]), int(kept))
        for seat in deal.alone:
            habits = found[self._seating[seat]]
            if self._rules.side(seat) == self._rules.side(deal.maker):
                _add(habits.alone, int(kept))
            else:
                _add(habits.stood_alone, int(not kept))


def _add(pair: list[int], value: int) -> None:
    pair[0] += 1
    pair[1] += value


def _move(deal: Deal, action: int, fault: Mapping[str, Any] | None) -> None:
    """Repeat a move of a record; a revoke as the referee has taken it."""
    answer = None if fault is None else fault.get("answer")
    if answer is not None and _is_revoke(deal, str(answer)):
        if deal.revoke(parse_action(str(answer))) != action:
            raise IllegalAction(f"a revoke does not lead to {action_text(action)}")
    else:
        deal.apply(action)


def _is_revoke(deal: Deal, answer: str) -> bool:
    try:
        return deal.is_revoke(parse_action(answer))
    except ValueError:
        return False


def _call(action: int) -> str:
    """What a call in the auction is counted as."""
    return NAMED if NAMES >> action & 1 else action_text(action)


def _contract(deal: Deal) -> str:
    """What made the maker so: its bid, ordering the turned card, or naming a suit."""
    if deal.bid >= 0:
        return action_text(deal.bid)
    return ORDERED if any(call == ORDER for _, call in deal.said) else NAMED


def _note_call(habits: Habits, action: int) -> None:
    """Count a decision in the auction; a swap is a call, but the bid comes after it."""
    if action != SWAP:
        habits.asked += 1
    if action == PASS:
        return
    habits.spoke += action != SWAP
    call = _call(action)
    habits.calls[call] = habits.calls.get(call, 0) + 1


# ---- luck made visible: the same deal in the other seatings ----------------------------------------------------------


def _margin(points: Sequence[int], side: int) -> float:
    """Points of a side minus the mean of the others'."""
    others = [value for other, value in enumerate(points) if other != side]
    return points[side] - sum(others) / len(others)


def _note_worst(rules: Rules, number: int, games: Sequence[Mapping[str, Any]], found: Sequence[Habits]) -> None:
    """Compare each deal of a set between the seatings: the same cards in the same chair, in other hands."""
    lost: list[list[list[Any]]] = [[] for _ in found]
    for at in range(max(len(game["deals"]) for game in games)):
        played = [game for game in games if len(game["deals"]) > at]
        for side in range(rules.sides):
            chairs = [(game["seating"], game["seating"][side], _margin(game["deals"][at]["points"], side)) for game in played]
            for seating, bot, margin in chairs:
                others = [other for _, sitter, other in chairs if sitter != bot]
                if others:
                    mean = sum(others) / len(others)
                    lost[bot].append([mean - margin, number, list(seating), at, margin, mean])
    for habits, each in zip(found, lost, strict=True):
        habits.worst = _greatest([*habits.worst, *_apart(each)])


def _apart(lost: Iterable[list[Any]]) -> list[list[Any]]:
    """Of each deal the seating that was lost worst: with two teams the other one says the same from the other side."""
    best: dict[tuple[int, int], list[Any]] = {}
    for one in lost:
        at = (one[1], one[3])
        if at not in best or one[0] > best[at][0]:
            best[at] = one
    return [one for one in best.values() if one[0] > 0]


def _greatest(lost: list[list[Any]]) -> list[list[Any]]:
    return heapq.nsmallest(WORST, lost, key=lambda one: (-one[0], one[1], one[3]))
