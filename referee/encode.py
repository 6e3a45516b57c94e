"""Asks as bytes: the protocol's encoding written out, for the one message that is sent millions of times.

`wire.fill_ask` and `wire.fill_times` say the same by protobuf's own classes, in three times the time; a property test holds the
two equal, byte by byte. Encoding: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from referee.rules.cards import CARDS, bits
from referee.rules.deal import NOBODY, PHASE_JOKER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.rules.deal import Deal

Times = tuple[float, float, "float | None"]
"""Seconds for this answer, in the bank, and that the last answer took, if there was one."""
_CALL: Final = 40
_NEXT: Final = bytes(min(code + 1, 255) for code in range(256))
"""Translates cards and suits of the rules to the protocol's, which begin at 1."""
_CALLS: Final = bytes(max(code - _CALL, 0) for code in range(256))
"""Translates actions to the protocol's calls."""


def varint(value: int) -> bytes:
    """A whole number, not negative."""
    if value < 128:
        return _ONE[value]
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


_ONE: Final = tuple(bytes((value,)) for value in range(128))


def _field(tag: bytes, value: int) -> bytes:
    """A number, which is left out where it is 0."""
    return tag + varint(value) if value else b""


def _tag(field: int, kind: int) -> bytes:
    return varint(field << 3 | kind)


def _numbers(field: int, count: int = 128) -> tuple[bytes, ...]:
    """By value: a field with a small number, which is left out where it is 0."""
    return (b"", *(_tag(field, 0) + _ONE[value] for value in range(1, count)))


_SEAT, _DEALER, _PHASE, _TURNED_CARD, _TURNED, _JOKER_SUIT, _TRUMP, _BID, _RECEIVED = map(
    _numbers, (1, 4, 5, 7, 8, 9, 11, 13, 22)
)
_VARIANT, _DEAL, _HAND, _SAID, _ALONE, _OUT, _TRICKS, _TAKEN, _TOTAL, _PENALTY, _PUT_AWAY = (
    _tag(field, kind)
    for field, kind in ((2, 2), (3, 0), (6, 2), (10, 2), (14, 2), (15, 2), (16, 2), (17, 2), (18, 2), (19, 2), (21, 2))
)
_MAKER: Final = (b"", *(_tag(12, 0) + _ONE[seat] for seat in range(4)))
"""[seat + 1]: a seat may be 0, and is left out where there is none."""
_TARGET: Final = _tag(20, 0)
_SAYINGS: Final = tuple(
    tuple(_SAID + varint(len(body)) + body for body in (_SEAT[seat] + _numbers(2)[call] for call in range(24)))
    for seat in range(4)
)
"""[seat][call]: a whole element of `said`."""
_LEADER: Final = tuple(_numbers(1)[seat] + _tag(2, 2) for seat in range(8))
"""[seat]: a trick up to its cards' length."""
_WINNER: Final = tuple(_tag(3, 0) + _ONE[seat] for seat in range(8))
_ID, _TABLE, _VIEW, _LEGAL_CARDS, _LEGAL_CALLS, _TIME, _BANK, _LAST = (
    _tag(field, kind) for field, kind in ((1, 0), (2, 0), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2))
)
_ASK: Final = _tag(5, 2)


@lru_cache(maxsize=64)
def _variant(name: str) -> bytes:
    text = name.encode()
    return _VARIANT + varint(len(text)) + text


def _signed(values: Sequence[int]) -> bytes:
    """Numbers that may be negative, packed, after their length."""
    body = b"".join([varint(value << 1 if value >= 0 else -2 * value - 1) for value in values])
    return _ONE[len(body)] + body


def _list(tag: bytes, values: bytes) -> bytes:
    """Small numbers, packed; left out where there are none."""
    return tag + _ONE[len(values)] + values if values else b""


def _trick(leader: int, cards: list[int], winner: int) -> bytes:
    body = _LEADER[leader] + _ONE[len(cards)] + bytes(cards).translate(_NEXT)
    if winner >= 0:
        body += _WINNER[winner]
    return _TRICKS + _ONE[len(body)] + body


_PART: Final = 11
_LOW: Final = (1 << _PART) - 1


def _third(first: int) -> list[bytes]:
    """By mask of eleven cards from `first` on: the cards, in the protocol's numbers. Each card doubles what there is."""
    found = [b""]
    for card in range(first, first + _PART):
        found += [fewer + _ONE[card + 1] for fewer in found]
    return found


_CARDS: Final = (_third(0), _third(_PART), _third(2 * _PART))
"""[third][mask]: the cards of a mask of eleven, in the protocol's numbers; three of them are any hand's."""


def _cards(mask: int) -> bytes:
    """The cards of a mask, ascending, in the protocol's numbers."""
    low, middle, high = _CARDS
    return low[mask & _LOW] + middle[mask >> _PART & _LOW] + high[mask >> 2 * _PART]


@lru_cache(maxsize=1024)
def _calls(legal: int) -> bytes:
    """Legal actions that are not all cards, as an ask lists them."""
    return _list(_LEGAL_CALLS, bytes(bits(legal)).translate(_CALLS))


def _duration(seconds: float) -> bytes:
    """A Duration, after its length."""
    whole = int(seconds)
    nanos = int((seconds - whole) * 1e9)
    body = b"\x08" + varint(whole) if whole else b""
    if nanos:
        body += b"\x10" + varint(nanos)
    return _ONE[len(body)] + body


_usual: Final = lru_cache(maxsize=1024)(_duration)
"""The same for times that come again and again, such as that for an answer."""


class Telling:
    """A deal as its seats are told of it. What all of them may know is encoded when it changes, not for each ask.

    Bids change in the auction alone and points at a fault; a finished trick is never touched again. Nothing of what one seat
    knows is kept: hands and cards put away are encoded for the seat that asks.
    """

    __slots__ = ("_bidding", "_heads", "_known", "_penalty", "_points", "_taken", "_tricks", "_won", "deal")

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        terms = deal.terms
        same = _variant(terms.variant) + _field(_DEAL, deal.number) + _DEALER[deal.dealer]
        self._heads = tuple(_SEAT[seat] + same for seat in range(terms.seats))
        self._taken = _TAKEN + _ONE[terms.seats]
        self._known: tuple[object, ...] = ()
        self._bidding = b""
        self._penalty: list[int] = []
        self._points = b""
        self._tricks = b""
        self._won = 0

    def ask(self, number: int, table: int, seat: int, times: Times) -> bytes:
        """An Ask message for the seat to move; for another, one without anything to answer.

        Args:
            number: its id.
            table: the bot's own number of the table.
            seat: who is asked.
            times: as the clock has them.
        """
        seen = self.view(seat)
        legal = self.deal.legal if seat == self.deal.seat else 0
        cards = legal & CARDS
        may = _LEGAL_CARDS + _ONE[cards.bit_count()] + _cards(cards) if cards else _calls(legal)
        time, bank, last = times
        asked = _field(_ID, number) + _field(_TABLE, table) + _VIEW + varint(len(seen))
        taken = b"" if last is None else _LAST + _duration(last)
        return asked + seen + may + _TIME + _usual(time) + _BANK + _usual(bank) + taken

    def view(self, seat: int) -> bytes:
        """A View message: what the seat may know, and no more (K9)."""
        deal = self.deal
        if (deal.turned, deal.joker_suit, len(deal.said), deal.trump, deal.maker, deal.bid, deal.alone, deal.out) != self._known:
            self._bid()
        if deal.penalty != self._penalty:
            self._score()
        put_away = deal.put_away[seat]
        return b"".join(
            (
                self._heads[seat],
                _PHASE[deal.phase],
                self._hand(seat),
                self._bidding,
                self._played(),
                self._taken,
                bytes(deal.tricks),
                self._points,
                _list(_PUT_AWAY, bytes(put_away).translate(_NEXT)) if put_away else b"",
                _RECEIVED[deal.received[seat] + 1],
            )
        )

    def _hand(self, seat: int) -> bytes:
        deal = self.deal
        if deal.phase == PHASE_JOKER and seat == deal.dealer:
            return b""  # the dealer names the joker's suit before looking at his hand (C11)
        held = bytes(deal.hand(seat)).translate(_NEXT) if deal.twice[seat] else _cards(deal.hands[seat])
        return _list(_HAND, held)

    def _bid(self) -> None:
        """Encode what was said and what came of it."""
        deal = self.deal
        said, out = deal.said, [seat for seat in range(deal.terms.seats) if deal.out >> seat & 1]
        self._known = (deal.turned, deal.joker_suit, len(said), deal.trump, deal.maker, deal.bid, deal.alone, deal.out)
        self._bidding = b"".join(
            (
                _TURNED_CARD[deal.turned_card + 1],
                _TURNED[deal.turned],
                _JOKER_SUIT[deal.joker_suit + 1],
                *[_SAYINGS[seat][call - _CALL] for seat, call in said],
                _TRUMP[deal.trump + 1],
                _MAKER[deal.maker + 1],
                _BID[deal.bid - _CALL if deal.bid >= 0 else 0],
                _list(_ALONE, bytes(deal.alone)),
                _list(_OUT, bytes(out)),
            )
        )

    def _score(self) -> None:
        """Encode points and penalties."""
        deal = self.deal
        self._penalty = list(deal.penalty)
        booked = _TOTAL + _signed(deal.total) + _PENALTY + _signed(deal.penalty)
        self._points = booked + _TARGET + varint(deal.terms.target)

    def _played(self) -> bytes:
        """The tricks; those that are finished are kept."""
        deal = self.deal
        width, won, winners, plays = deal.width, self._won, deal.winners, deal.plays()
        leader = winners[won - 1] if won else deal.leader
        while won < len(winners):
            self._tricks += _trick(leader, plays[won * width : (won + 1) * width], winners[won])
            leader = winners[won]
            self._won = won = won + 1
        begun = plays[won * width :]
        return self._tricks + _trick(leader, begun, NOBODY) if begun else self._tricks


class Teller:
    """What the seats of one table share: the telling of the deal that is played there."""

    __slots__ = ("_telling",)

    def __init__(self) -> None:
        self._telling: Telling | None = None

    def of(self, deal: Deal) -> Telling:
        """The telling of the deal; that of the one before is forgotten."""
        telling = self._telling
        if telling is None or telling.deal is not deal:
            telling = self._telling = Telling(deal)
        return telling


def element(ask: bytes) -> bytes:
    """An ask as an element of a PlayResponse."""
    return _ASK + varint(len(ask)) + ask
