"""A league's sets as arrays, straight from the store's sums: a million games in seconds, or in less where sums are kept."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from league.sums import FORFEIT
from league.tallies import Block, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from league.store import Store
    from league.store_sums import LeagueSums
    from league.sums import Records
    from league.tallies import Ints


def read_sheet(store: Store, league: str, label: str | None = None, bots: Iterable[str] = (), *, keep: bool = False) -> Sheet:
    """The complete sets of a league, or of one variant of it: what `sheet_of` makes of the store's `results`.

    `bots` adds names that may not have played. With `keep` the sums are used that the store keeps, and kept in it for the next
    time: for large leagues. NotFound if there is no such league.
    """
    return _Reading(store.league_sums(league, keep=keep), label, bots).sheet()


class _Reading:
    """What is worked out on the way from sums to a sheet, by line-up length: matches by label and name, names of bots."""

    def __init__(self, found: LeagueSums, label: str | None, bots: Iterable[str]) -> None:
        self._sums = found.sums
        labels = sorted(set(found.labels.values()))
        self._label = {number: labels.index(name) for number, name in found.labels.items() if label in {None, name}}
        self._chosen = {size: np.isin(rows["variant"], list(self._label)) for size, rows in self._sums.matches.items()}
        self._matches = {size: rows[self._chosen[size]] for size, rows in self._sums.matches.items()}
        played = sorted({version for rows in self._matches.values() for version in np.unique(rows["bots"]).tolist()})
        self._versions = np.array(played, np.int64)
        self.bots = tuple(sorted({*bots, *(found.shown[one] for one in played)}))
        index = {name: number for number, name in enumerate(self.bots)}
        self._bot = np.array([index[found.shown[one]] for one in played], np.int64)

    def sheet(self) -> Sheet:
        """The complete sets."""
        sizes = [size for size, rows in self._matches.items() if rows["sets"].any()]
        positions = self._positions(sizes)
        blocks = [self._block(size, positions[size]) for size in sizes]
        return Sheet(self.bots, sum(map(len, positions.values())), tuple(blocks), self._places(), *self._faults())

    def _lineups(self, size: int) -> Ints:
        """The bots of each match, (matches, size)."""
        found: Ints = self._bot[np.searchsorted(self._versions, self._matches[size]["bots"])]
        return found

    def _ranks(self, sizes: list[int]) -> dict[int, Ints]:
        """The places of matches in the order of label and name, all line-up lengths together."""
        rows = {size: self._matches[size] for size in sizes}
        labels = np.concatenate([[self._label[one] for one in rows[size]["variant"].tolist()] for size in sizes])
        order = np.lexsort((*_as_text(np.concatenate([rows[size]["n"] for size in sizes])), labels))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return dict(zip(sizes, np.split(rank, np.cumsum([len(rows[size]) for size in sizes])[:-1]), strict=True))

    def _positions(self, sizes: list[int]) -> dict[int, Ints]:
        """The place of each set in the order of its match and number, all line-up lengths together."""
        if not sizes:
            return {}
        ranks = self._ranks(sizes)
        match = {size: np.repeat(ranks[size], self._matches[size]["sets"]) for size in sizes}
        numbers = {size: self._sets(size)["number"].astype(np.int64) for size in sizes}
        width = max(int(found.max(initial=0)) for found in numbers.values()) + 1
        code = np.concatenate([match[size] * width + numbers[size] for size in sizes])
        place = np.empty(len(code), np.int64)
        place[np.argsort(code, kind="stable")] = np.arange(len(code))
        return dict(zip(sizes, np.split(place, np.cumsum([len(match[size]) for size in sizes])[:-1]), strict=True))

    def _sets(self, size: int) -> Records:
        chosen = self._chosen[size]
        sets = self._sums.sets[size]
        return sets if chosen.all() else sets[np.repeat(chosen, self._sums.matches[size]["sets"])]

    def _block(self, size: int, position: Ints) -> Block:
        order = np.argsort(position)
        rows = self._sets(size)[order]
        bots = np.repeat(self._lineups(size), self._matches[size]["sets"], axis=0)[order]
        games, deals, points, score = (rows[name].astype(np.float64) for name in ("games", "deals", "points", "score"))
        return Block(position[order], games, deals, bots, points, score / 2, rows["stored"].astype(np.float64))

    def _places(self) -> Ints:
        counts = np.zeros((len(self.bots), max(self._matches, default=0)), np.int64)
        for size, rows in self._matches.items():
            for place in range(size):
                np.add.at(counts[:, place], self._lineups(size), rows["places"][:, :, place])
        used = np.flatnonzero(counts.any(axis=0))
        return counts[:, : used[-1] + 1] if len(used) else counts[:, :0]

    def _faults(self) -> tuple[dict[str, Counter[str]], Counter[str]]:
        faults: dict[str, Counter[str]] = {}
        forfeits: Counter[str] = Counter()
        for size, rows in self._matches.items():
            found, lineups = self._sums.faults, self._lineups(size)
            at = np.minimum(np.searchsorted(rows["id"], found["match"]), max(len(rows) - 1, 0))
            here = found[rows["id"][at] == found["match"]] if len(rows) else found[:0]
            bots = lineups[np.searchsorted(rows["id"], here["match"]), here["position"]]
            for bot, cause, count in zip(bots.tolist(), here["cause"].tolist(), here["count"].tolist(), strict=True):
                if self._sums.causes[cause] == FORFEIT:
                    forfeits[self.bots[bot]] += count
                else:
                    faults.setdefault(self.bots[bot], Counter())[self._sums.causes[cause]] += count
        return faults, forfeits


def _as_text(numbers: Ints) -> tuple[Ints, Ints]:
    """Keys, the last first, that sort whole numbers from 0 as their decimal texts sort: that is how names of matches do."""
    digits = 1 + np.searchsorted(10 ** np.arange(1, 18), numbers, side="right")
    longest = int(digits.max(initial=1))
    return digits, numbers * 10 ** (longest - digits)
