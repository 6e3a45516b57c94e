"""Asks as bytes: the protocol's encoding written out, for the one message that is sent millions of times.

`wire.fill_ask` and `wire.fill_times` say the same by protobuf's own classes, in three times the time; a property test holds the
two equal, byte by byte. Encoding: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from referee.rules.cards import CARDS, bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.rules import View

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


def view_bytes(view: View) -> bytes:
    """A View message."""
    parts = [
        _SEAT[view.seat],
        _variant(view.variant),
        _field(_DEAL, view.deal),
        _DEALER[view.dealer],
        _PHASE[view.phase],
        _list(_HAND, bytes(view.hand).translate(_NEXT)),
        _TURNED_CARD[view.turned_card + 1],
        _TURNED[view.turned],
        _JOKER_SUIT[view.joker_suit + 1],
        *[_SAYINGS[seat][call - _CALL] for seat, call in view.said],
        _TRUMP[view.trump + 1],
        _MAKER[view.maker + 1],
        _BID[view.bid - _CALL if view.bid >= 0 else 0],
        _list(_ALONE, bytes(view.alone)),
        _list(_OUT, bytes(view.out)),
        *[_trick(leader, cards, winner) for leader, cards, winner in view.tricks],
        _list(_TAKEN, bytes(view.taken)),
        _TOTAL,
        _signed(view.total),
        _PENALTY,
        _signed(view.penalty),
        _TARGET,
        varint(view.target),
        _list(_PUT_AWAY, bytes(view.put_away).translate(_NEXT)),
        _RECEIVED[view.received + 1],
    ]
    return b"".join(parts)


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


def ask_bytes(number: int, table: int, view: View, legal: int, times: Times) -> bytes:
    """An Ask message.

    Args:
        number: its id.
        table: the bot's own number of the table.
        view: what the seat may know.
        legal: mask of its legal actions.
        times: as the clock has them.
    """
    seen = view_bytes(view)
    if cards := legal & CARDS:
        actions = bits(cards)
        tag, values = _LEGAL_CARDS, bytes(actions).translate(_NEXT)
    else:
        actions = bits(legal)
        tag, values = _LEGAL_CALLS, bytes(actions).translate(_CALLS)
    time, bank, last = times
    parts = [_field(_ID, number), _field(_TABLE, table), _VIEW, varint(len(seen)), seen]
    if values:
        parts += (tag, _ONE[len(values)], values)
    parts += (_TIME, _usual(time), _BANK, _usual(bank))
    if last is not None:
        parts += (_LAST, _duration(last))
    return b"".join(parts)


def element(ask: bytes) -> bytes:
    """An ask as an element of a PlayResponse."""
    return _ASK + varint(len(ask)) + ask
