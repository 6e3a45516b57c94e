"""Views without a referee: the same decisions made in one process, for tests and for tuning a bot.

A bot meets exactly what it would meet over the wire, minus the clock::

    rules = Rules("cutthroat", {})
    deal = rules.deal(shuffled(key, 0, 0, rules.pack), dealer=0)
    play_deal(deal, [table_for(rules, seat) for seat in range(rules.seats)], bots)
    print(deal.points())
"""

from collections.abc import Callable, Sequence

from arena.sdk.bot import Answer, Bot, move_of
from arena.sdk.lazy import cached_property
from arena.sdk.table import Said, Table, Trick, trick_of
from arena.sdk.view import View
from arena.sdk.words import (
    CALL_BASE,
    CARDS,
    PHASES,
    SUIT_BY_CODE,
    TURNED,
    Call,
    Card,
    Move,
    Phase,
    Suit,
    Turned,
    call_numbered,
    move_numbered,
)
from referee.rules import Deal, Rules
from referee.rules import View as RulesView
from referee.rules.cards import bits
from referee.rules.options import text_of


class LocalFacts:
    """The facts of a decision, read from the rules' own view."""

    def __init__(self, view: RulesView) -> None:
        self._view = view
        self.seat = view.seat
        self.variant = view.variant
        self.deal = view.deal
        self.dealer = view.dealer
        self.target = view.target

    @property
    def phase(self) -> Phase:
        """As in View."""
        return PHASES[self._view.phase]

    @property
    def hand(self) -> tuple[Card, ...]:
        """As in View."""
        return _cards(self._view.hand)

    @property
    def turned_card(self) -> Card | None:
        """As in View."""
        return _card(self._view.turned_card)

    @property
    def turned(self) -> Turned:
        """As in View."""
        return TURNED[self._view.turned]

    @property
    def joker_suit(self) -> Suit | None:
        """As in View."""
        return SUIT_BY_CODE[self._view.joker_suit]

    @property
    def said(self) -> tuple[Said, ...]:
        """As in View."""
        return tuple(Said(seat, call_numbered(call - CALL_BASE)) for seat, call in self._view.said)

    @property
    def trump(self) -> Suit | None:
        """As in View."""
        return SUIT_BY_CODE[self._view.trump]

    @property
    def maker(self) -> int | None:
        """As in View."""
        return _seat(self._view.maker)

    @property
    def bid(self) -> Call | None:
        """As in View."""
        return call_numbered(self._view.bid - CALL_BASE) if self._view.bid > 0 else None

    @property
    def alone(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.alone)

    @property
    def out(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.out)

    @cached_property
    def tricks(self) -> tuple[Trick, ...]:
        """As in View."""
        active = [seat for seat in range(len(self._view.taken)) if seat not in self._view.out]
        return tuple(trick_of(leader, _cards(cards), _seat(winner), active) for leader, cards, winner in self._view.tricks)

    @property
    def taken(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.taken)

    @property
    def total(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.total)

    @property
    def penalty(self) -> tuple[int, ...]:
        """As in View."""
        return tuple(self._view.penalty)

    @property
    def put_away(self) -> tuple[Card, ...]:
        """As in View."""
        return _cards(self._view.put_away)

    @property
    def received(self) -> Card | None:
        """As in View."""
        return _card(self._view.received)


def table_for(rules: Rules, seat: int, number: int = 0, fmt: str = "game") -> Table:
    """The table as it would be opened for a seat, but without a clock."""
    options = {name: text_of(value) for name, value in rules.options.items()}
    return Table(number, "local", rules.name, options, seat, rules.seats, fmt)


def view_of(deal: Deal, table: Table) -> View:
    """The decision that the seat to move has to make; raises ValueError when the deal is over."""
    if deal.seat < 0:
        raise ValueError("the deal is over: nobody is to move")
    return View(LocalFacts(deal.view(deal.seat)), table, tuple(map(move_numbered, bits(deal.legal))))


def action_of(move: Move) -> int:
    """The rules' number of a card or call."""
    return move.code if isinstance(move, Card) else CALL_BASE + move.number


def play_deal(deal: Deal, tables: Sequence[Table], bots: Sequence[Bot | Callable[[View], Answer]]) -> None:
    """Play a deal to its end; table and bot by seat. A seat with one legal answer is not asked, as at a real table.

    Raises IllegalAction where a bot answers what is not legal.
    """
    chooses = [bot.choose if isinstance(bot, Bot) else bot for bot in bots]
    while (seat := deal.seat) >= 0:
        legal = deal.legal
        if legal & (legal - 1):
            move, _ = move_of(chooses[seat](view_of(deal, tables[seat])))
            deal.apply(action_of(move))
        else:
            deal.apply(legal.bit_length() - 1)


def _card(code: int) -> Card | None:
    return CARDS[code] if code >= 0 else None


def _cards(codes: Sequence[int]) -> tuple[Card, ...]:
    return tuple([CARDS[code] for code in codes])


def _seat(seat: int) -> int | None:
    return seat if seat >= 0 else None
