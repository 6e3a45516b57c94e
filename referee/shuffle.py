"""Provable deals: every pack and first dealer follows from the match key, and the key from the league's.

A league key is 32 secret bytes whose SHA-256 is published beforehand. HMAC-SHA256 (RFC 2104, FIPS 180-4) makes of it the match
keys, and of a match key the words that shuffle each deal. Anyone who has the key can deal the cards again (docs/records.md).
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY_BYTES = 32
_WORDS = 1 << 32
_EIGHT = struct.Struct(">8I")


def match_key(league_key: bytes, match: str) -> bytes:
    """The key of a match of a league."""
    return hmac.digest(league_key, match.encode(), "sha256")


def commitment(key: bytes) -> str:
    """SHA-256 of a key, in hex: published before the key is."""
    return hashlib.sha256(key).hexdigest()


class Words:
    """The stream of uniform 32-bit words under a label: HMAC of "label/0", "label/1", … in big-endian pieces of four bytes."""

    def __init__(self, key: bytes, label: str) -> None:
        self._key = key
        self._label = label
        self._counter = 0
        self._words: list[int] = []  # from the last to the next

    def word(self) -> int:
        """The next word."""
        if not self._words:
            digest = hmac.digest(self._key, f"{self._label}/{self._counter}".encode(), "sha256")
            self._words = [*_EIGHT.unpack(digest)][::-1]
            self._counter += 1
        return self._words.pop()

    def below(self, bound: int) -> int:
        """A uniform number in [0, bound), without modulo bias."""
        limit = _WORDS // bound * bound
        while (word := self.word()) >= limit:
            pass
        return word % bound


def shuffled(key: bytes, set_number: int, deal: int, pack: Sequence[int]) -> list[int]:
    """The canonical pack in the order of deal `deal` (thrown-in deals counted) of a set (Fisher–Yates)."""
    cards = list(pack)
    words = Words(key, f"deal/{set_number}/{deal}")
    for last in range(len(cards) - 1, 0, -1):
        other = words.below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


def first_dealer(key: bytes, set_number: int, seats: int) -> int:
    """Who deals first in every game of a set."""
    return Words(key, f"dealer/{set_number}").below(seats)
