"""What games come to by set, as compact arrays: the part of a table that is kept, so that no game is summed up twice.

Everything here goes by the store's own numbers, not by names, which change as versions join. All of it are whole numbers, so
sums of sums are those of the games, to the last bit.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from league.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from league.tallies import Floats, Ints

Records = NDArray[np.void]
"""Rows of a structured array."""

FORMAT = 1
"""Changes whenever the bytes of kept sums, or what is summed, mean something else."""

FORFEIT = ""
"""Stands for a forfeit among the causes of faults."""

# One fault or forfeit counts a game's line-up position and its cause.
FAULTS = np.dtype([("match", "<i8"), ("position", "<i2"), ("cause", "<i2"), ("count", "<i4")])


@lru_cache(maxsize=16)
def matches_type(size: int) -> np.dtype[np.void]:
    """A match with `size` bots: row ids of its variant and bot versions, and places[position, place - 1] counting games."""
    fields = [("id", "<i8"), ("variant", "<i8"), ("n", "<i8"), ("sets", "<i4"), ("bots", "<i8", (size,))]
    return np.dtype([*fields, ("places", "<i4", (size, size))])


@lru_cache(maxsize=16)
def sets_type(size: int) -> np.dtype[np.void]:
    """A complete set of `size` bots: sums over its games, and when the last one was stored.

    `score` counts, for each pair of positions in the order of `combinations`, the games in which the first placed above
    the second, twice, and those in which they shared a place, once.
    """
    fields = [("number", "<i4"), ("games", "<i4"), ("deals", "<i4"), ("stored", "<f8"), ("points", "<i4", (size,))]
    return np.dtype([*fields, ("score", "<i4", (size * (size - 1) // 2,))])


@dataclass(frozen=True, slots=True)
class Sums:
    """Matches with their complete sets by line-up length, both in the order of the matches' ids; and faults.

    `sets` of a match are its next `matches["sets"]` rows. `faults` are counted by match, position and cause (a position in
    `causes`).
    """

    matches: dict[int, Records]
    sets: dict[int, Records]
    causes: tuple[str, ...]
    faults: Records

    def pack(self) -> bytes:
        """The sums as bytes."""
        sizes = [[size, len(self.matches[size]), len(self.sets[size])] for size in self.matches]
        head = canonical({"sizes": sizes, "causes": self.causes, "faults": len(self.faults)}).encode()
        arrays = [part.tobytes() for size in self.matches for part in (self.matches[size], self.sets[size])]
        return b"".join([len(head).to_bytes(4, "little"), head, *arrays, self.faults.tobytes()])


def unpack(data: bytes) -> Sums:
    """The sums from bytes."""
    start = 4 + int.from_bytes(data[:4], "little")
    head = json.loads(data[4:start])
    matches, sets = {}, {}
    for size, of_matches, of_sets in head["sizes"]:
        matches[size], start = _taken(data, matches_type(size), of_matches, start)
        sets[size], start = _taken(data, sets_type(size), of_sets, start)
    return Sums(matches, sets, tuple(head["causes"]), _taken(data, FAULTS, head["faults"], start)[0])


def _taken(data: bytes, kind: np.dtype[np.void], count: int, start: int) -> tuple[Records, int]:
    return np.frombuffer(data, kind, count, start), start + count * kind.itemsize


def joined(parts: Sequence[Sums]) -> Sums:
    """Sums of several ranges of matches, in the order of their ids, as one."""
    sizes = sorted({size for part in parts for size in part.matches})
    causes = tuple(sorted({cause for part in parts for cause in part.causes}))
    return Sums(
        {size: _concatenated([part.matches[size] for part in parts if size in part.matches]) for size in sizes},
        {size: _concatenated([part.sets[size] for part in parts if size in part.sets]) for size in sizes},
        causes,
        _concatenated([np.zeros(0, FAULTS), *(_renumbered(part, causes) for part in parts)]),
    )


def _concatenated(parts: Sequence[Records]) -> Records:
    found: Records = np.concatenate(parts)
    return found


def _renumbered(part: Sums, causes: Sequence[str]) -> Records:
    faults = part.faults.copy()
    faults["cause"] = np.array([causes.index(cause) for cause in part.causes], np.int64)[faults["cause"]]
    return faults


# ---- from games -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchColumns:
    """Matches in the order of their ids, (matches,) each, and who plays in them, match by match in line-up order, (seats,).

    Row ids of match, variant and bot version; the match's number in its variant; the games that make a set of it complete.
    """

    id: Ints
    variant: Ints
    n: Ints
    set_size: Ints
    seat_match: Ints
    seat_version: Ints

    @property
    def first_seat(self) -> Ints:
        """Where the seats of each match begin."""
        return np.searchsorted(self.seat_match, self.id).astype(np.int64)

    @property
    def sizes(self) -> Ints:
        """Length of each line-up."""
        return np.searchsorted(self.seat_match, self.id, side="right") - self.first_seat


@dataclass(frozen=True, slots=True)
class GameColumns:
    """Games in any order, (games,) each: match (row id), set, time; `outcome` is a position in `outcomes`.

    An outcome is the JSON of points, places, deals, faults and forfeits, one after the other.
    """

    match: Ints
    number: Ints
    stored: Floats
    outcome: Ints
    outcomes: Sequence[str]


def sums_of(matches: MatchColumns, games: GameColumns) -> Sums:
    """Sum the games of complete sets of these matches; games of other matches are left out."""
    return _Summing(matches, games).sums()


class _Summing:
    """Games sorted by match and set, and where each set begins."""

    def __init__(self, matches: MatchColumns, games: GameColumns) -> None:
        self._matches, self._many = matches, len(matches.id)
        self._outcomes = _Outcomes(games.outcomes, int(matches.sizes.max(initial=0)))
        match, number = _positions(matches.id, games.match), games.number
        width = int(number.max(initial=0)) + 1
        code = match * width + number
        order = None if len(code) and match[0] >= 0 and bool((np.diff(code) >= 0).all()) else np.argsort(code, kind="stable")
        if order is not None:
            order = order[match[order] >= 0]
        self._code, self._outcome, self._stored = (
            column if order is None else column[order] for column in (code, games.outcome, games.stored)
        )
        self._start = np.flatnonzero(np.diff(self._code, prepend=-1))
        self._match, self._number = np.divmod(self._code[self._start], width)
        self._count = np.diff(self._start, append=len(self._code))
        self._complete = self._count == matches.set_size[self._match]
        self._done = np.repeat(self._complete, self._count)
        self._match_of_game = np.repeat(self._match, self._count)

    def sums(self) -> Sums:
        sizes = self._matches.sizes
        parts = {size: self._of_size(size, np.flatnonzero(sizes == size)) for size in sorted(set(sizes.tolist()))}
        matches, sets = ({size: part[which] for size, part in parts.items()} for which in (0, 1))
        return Sums(matches, sets, self._outcomes.causes, self._faults())

    def _of_size(self, size: int, of_size: Ints) -> tuple[Records, Records]:
        wanted = np.zeros(self._many, np.bool_)
        wanted[of_size] = True
        chosen = wanted[self._match] & self._complete
        sets = np.zeros(int(chosen.sum()), sets_type(size))
        sets["number"], sets["games"] = self._number[chosen], self._count[chosen]
        if len(self._start):
            sets["stored"] = np.maximum.reduceat(self._stored, self._start)[chosen]
            sets["deals"] = self._summed(self._outcomes.deals)[chosen]
            for position in range(size):
                sets["points"][:, position] = self._summed(self._outcomes.points[:, position])[chosen]
            for pair, (i, j) in enumerate(combinations(range(size), 2)):
                sets["score"][:, pair] = self._summed(self._outcomes.score(i, j))[chosen]
        return self._matches_of_size(size, of_size, np.bincount(self._match[chosen], minlength=len(wanted))[of_size]), sets

    def _matches_of_size(self, size: int, of_size: Ints, sets: Ints) -> Records:
        found, rows = np.zeros(len(of_size), matches_type(size)), self._matches
        for name in ("id", "variant", "n"):
            found[name] = getattr(rows, name)[of_size]
        found["bots"] = rows.seat_version[rows.first_seat[of_size][:, None] + np.arange(size)]
        found["sets"], found["places"] = sets, self._places(size)[of_size]
        return found

    def _summed(self, values: Ints) -> Ints:
        """Sums by set of something that an outcome has."""
        found: Ints = np.add.reduceat(values[self._outcome], self._start)
        return found

    def _places(self, size: int) -> Ints:
        """How often each position of each match came in at each place, (matches, size, size), in its complete sets."""
        match, outcome = self._match_of_game[self._done], self._outcome[self._done]
        counts = np.zeros((self._many, size, size), np.int64)
        for position in range(size):
            place = np.clip(self._outcomes.places[outcome, position], 1, size) - 1
            code = np.bincount(match * size + place, minlength=self._many * size)
            counts[:, position] = code.reshape(-1, size)
        return counts

    def _faults(self) -> Records:
        telling = np.array([bool(found) for found in self._outcomes.faults], np.bool_)
        chosen = self._done & telling[self._outcome] if len(self._outcome) else self._done
        width = max(len(telling), 1)
        pairs, times = np.unique(self._match_of_game[chosen] * width + self._outcome[chosen], return_counts=True)
        counts: Counter[tuple[int, int, int]] = Counter()
        ids = self._matches.id.tolist()
        for pair, count in zip(pairs.tolist(), times.tolist(), strict=True):
            for (position, cause), often in self._outcomes.faults[pair % width].items():
                counts[ids[pair // width], position, cause] += often * count
        return np.array([(*key, count) for key, count in sorted(counts.items())], FAULTS)


def _positions(known: Ints, ids: Ints) -> Ints:
    """The position of each game's match, -1 for a match that is not among them."""
    if not len(known):
        return np.full(len(ids), -1)
    at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[at] == ids, at, -1)


class _Outcomes:
    """What the texts of outcomes say, as arrays by position in them: for line-ups of up to `width`, with zeros at their ends."""

    def __init__(self, texts: Iterable[str], width: int) -> None:
        read = [_read(text) for text in texts]
        causes: dict[str, int] = {}
        self.faults = [_fault_counts(faults, forfeits, causes) for *_, faults, forfeits in read]
        self.causes = tuple(causes)
        self.deals: Ints = np.array([deals for _, _, deals, _, _ in read], np.int64)
        width = max(width, *(len(points) for points, *_ in read), 0)
        self.points, self.places = (
            np.array([[*one[column], *[0] * (width - len(one[column]))] for one in read], np.int64).reshape(-1, width)
            for column in (0, 1)
        )

    def score(self, i: int, j: int) -> Ints:
        """Two where position i is placed above j, one where they share a place, else none."""
        found: Ints = 1 + np.sign(self.places[:, j] - self.places[:, i])
        return found


def _fault_counts(faults: Sequence[dict[str, int]], forfeits: Sequence[int], causes: dict[str, int]) -> Counter[tuple[int, int]]:
    """Faults and forfeits of one game by position and cause; numbers causes as they come."""
    counts: Counter[tuple[int, int]] = Counter()
    for position, found in enumerate(faults):
        for cause, count in found.items():
            counts[position, causes.setdefault(cause, len(causes))] += count
    for position in forfeits:
        counts[position, causes.setdefault(FORFEIT, len(causes))] += 1
    return counts


_DECODER = json.JSONDecoder()


def _read(text: str) -> tuple[Any, ...]:
    found, at = [], 0
    while at < len(text):
        value, at = _DECODER.raw_decode(text, at)
        found.append(value)
    return tuple(found)
