"""A game: deals until somebody has won, with the faults in it, as the record has it. No clock and no I/O, like the rules.

Who runs a game asks `automatic` first: forced moves, and the moves of a side that the house plays, are asked of nobody (K10).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from referee.rules.cards import action_text, parse_action
from referee.shuffle import first_dealer, shuffled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.rules import Rules
    from referee.rules.deal import Deal

ILLEGAL: Final = "ILLEGAL"
LATE: Final = "LATE"
BANK_EMPTY: Final = "BANK_EMPTY"
SILENT: Final = "SILENT"
GONE: Final = "GONE"
CRASHED: Final = "CRASHED"
NOT_STARTED: Final = "NOT_STARTED"
INFRASTRUCTURE: Final = "INFRASTRUCTURE"
INTERRUPTED: Final = "INTERRUPTED"

ABSENT: Final = frozenset({GONE, CRASHED, NOT_STARTED})
"""The causes after which nobody is left to ask: they forfeit at once."""

FAULTS: Final = ABSENT | {ILLEGAL, LATE, BANK_EMPTY, SILENT}
"""The causes for which a seat is to blame."""

_DIGITS: Final = 5


class BadFormat(ValueError):  # noqa: N818 - reads as what happened
    """The format is neither "game" nor "deals:N"."""


def deals_of(fmt: str) -> int | None:
    """N of the format "deals:N", None for "game"; raises BadFormat."""
    if fmt == "game":
        return None
    kind, _, count = fmt.partition(":")
    digits = count.isascii() and count.isdigit() and len(count) <= _DIGITS  # Python itself refuses to read thousands of them
    if kind != "deals" or not digits or not 1 <= int(count) <= 10_000:
        raise BadFormat(f"bad format {fmt[:40]!r} (allowed: game, or deals:N with N from 1 to 10000)")
    return int(count)


class Game:
    """A game in progress.

    Public to read: `deal` (in progress, or the last), `totals` (points by side), `house` (sides that forfeited), `finished`,
    and once finished `end` ("won", "deals", "max_deals" or "forfeit").
    """

    def __init__(self, rules: Rules, key: bytes, set_number: int, fmt: str = "game", fault_limit: int = 3) -> None:
        self.rules = rules
        self.set_number = set_number
        self.fault_limit = fault_limit
        self.totals = [0] * rules.sides
        self.house: set[int] = set()
        self.faults_by_side = [0] * rules.sides
        self.finished = False
        self.end = ""
        self.dealer = first_dealer(key, set_number, rules.seats)
        self._key = key
        self._fixed = deals_of(fmt)
        self._deals: list[dict[str, Any]] = []
        self._faults: list[dict[str, Any]] = []
        self.deal = self._new_deal()

    @property
    def deal_number(self) -> int:
        """The number of the deal in progress, from 0."""
        return self.deal.number

    def _new_deal(self) -> Deal:
        number = len(self._deals)
        pack = shuffled(self._key, self.set_number, number, self.rules.pack)
        return self.rules.deal(pack, (self.dealer + number) % self.rules.seats, number, tuple(self.totals))

    # ---- moving -----------------------------------------------------------------------------------------------------

    def automatic(self) -> int | None:
        """The move that is made without asking, if it is forced or the house's (K10); None if the seat must be asked."""
        deal = self.deal
        legal = deal.legal
        if not legal & (legal - 1):
            return legal.bit_length() - 1
        if self.house and self.rules.side(deal.seat) in self.house:
            return deal.fallback()
        return None

    def settle(self) -> bool:
        """Make every automatic move; True while a seat is to be asked, False once the game is finished."""
        while not self.finished:
            action = self.automatic()
            if action is None:
                return True
            self.apply(action)
        return False

    def apply(self, action: int) -> None:
        """Make a move, and go on to the next deal after a deal's last; raises IllegalAction, also when the game is finished."""
        self.deal.apply(action)
        if self.deal.seat < 0:
            self._close_deal()

    def fault(self, cause: str, answer: str | None = None) -> int:
        """Step in for the seat to move: note the fault, make the move that counts and forfeit the game where it is due.

        `cause` is one of FAULTS, `answer` the notation of what was answered, if anything. A card that the seat holds and may not
        play is a revoke and handled as the variant says. Returns the move made.
        """
        deal = self.deal
        seat, side = deal.seat, self.rules.side(deal.seat)
        entry: dict[str, Any] = {"move": len(deal.moves), "seat": seat, "cause": cause}
        if answer is not None:
            entry["answer"] = answer
        self._faults.append(entry)
        self.faults_by_side[side] += 1
        if cause in ABSENT or self.faults_by_side[side] >= self.fault_limit:
            self.house.add(side)
        return self._substitute(answer)

    def _substitute(self, answer: str | None) -> int:
        deal = self.deal
        card = _parsed(answer)
        if deal.is_revoke(card):
            made = deal.revoke(card)
        else:
            made = deal.fallback()
            deal.apply(made)
        if deal.seat < 0:
            self._close_deal()
        return made

    def _close_deal(self) -> None:
        deal = self.deal
        points = deal.points()
        self.totals = [total + won for total, won in zip(self.totals, points, strict=True)]
        self._deals.append(
            {
                "moves": " ".join(map(action_text, deal.moves)),
                "faults": self._faults,
                "tricks": list(deal.tricks),
                "points": points,
                "total": list(self.totals),
            }
        )
        self._faults = []
        self.end = self._end()
        self.finished = bool(self.end)
        if not self.finished:
            self.deal = self._new_deal()

    def _end(self) -> str:
        """How the game ends after the deal just closed, or "" (K6–K8)."""
        played = len(self._deals)
        if self.house and self.rules.sides == 2:
            return "forfeit"
        if self._fixed is not None:
            return "deals" if played == self._fixed else ""
        best = max(self.totals)
        if best >= self.rules.target and self.totals.count(best) == 1:
            return "won"
        return "max_deals" if played >= self.rules.max_deals else ""

    # ---- reading ------------------------------------------------------------------------------------------------------

    @property
    def deals(self) -> Sequence[dict[str, Any]]:
        """The finished deals as the record has them."""
        return self._deals

    def places(self) -> list[int]:
        """By side: 1 = best, ties share the better place; forfeiters are last, together, whatever the points."""
        return places(self.totals, self.house)

    def record(self, seating: Sequence[int]) -> dict[str, Any]:
        """The finished game as an entry of the record's "games"."""
        return {
            "seating": list(seating),
            "deals": self._deals,
            "total": list(self.totals),
            "places": self.places(),
            "end": self.end,
            "forfeits": sorted(self.house),
        }


def places(totals: Sequence[int], forfeits: set[int]) -> list[int]:
    """Places by side from points by side; the sides in `forfeits` share the last place."""
    others = [total for side, total in enumerate(totals) if side not in forfeits]
    return [
        1 + (len(others) if side in forfeits else sum(other > total for other in others)) for side, total in enumerate(totals)
    ]


def _parsed(answer: str | None) -> int:
    try:
        return parse_action(answer) if answer is not None else -1
    except ValueError:
        return -1
