"""A league's games as arrays, straight from the store's columns: a million of them in seconds."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from league.schedule import games_a_set
from league.store_leagues import seatings_of
from league.tallies import Block, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from league.store import Store
    from league.store_reads import Columns, ResultColumns
    from league.tallies import Ints


def read_sheet(store: Store, league: str, label: str | None = None, bots: Iterable[str] = ()) -> Sheet:
    """The games of complete sets of a league, or of one variant of it: what `sheet_of` makes of the store's `results`.

    `bots` adds names that may not have played. NotFound if there is no such league.
    """
    return _Reading(store.result_columns(league, label), bots).sheet()


class _Reading:
    """What is worked out on the way from columns to a sheet: matches by position, in the order of variant and name."""

    def __init__(self, found: ResultColumns, bots: Iterable[str]) -> None:
        self._games = found.games
        matches = found.matches
        order = _order(matches)
        self._ids = np.array(matches.values["id"], np.int64)[order]
        self._set_size = _set_sizes(matches)[order]
        self._sorted = np.argsort(self._ids)
        played, version = np.unique(np.array(found.seats.values["bot_version_id"], np.int64), return_inverse=True)
        self.bots = tuple(sorted({*bots, *(found.shown[one] for one in played.tolist())}))
        index = {name: number for number, name in enumerate(self.bots)}
        self._seat_bot = np.array([index[found.shown[one]] for one in played.tolist()], np.int64)[version]
        seat_match = np.array(found.seats.values["match_id"], np.int64)
        self._first_seat = np.searchsorted(seat_match, self._ids)
        self._seats = np.searchsorted(seat_match, self._ids, side="right") - self._first_seat

    def sheet(self) -> Sheet:
        """The games of complete sets."""
        match = self._matches()
        number = self._column("set_number")
        width = int(number.max(initial=0)) + 1
        code = match * width + number
        keys, at, count = np.unique(code, return_inverse=True, return_counts=True)
        complete = count == self._set_size[keys // width]
        rows = np.flatnonzero(complete[at])
        sets = (np.cumsum(complete) - 1)[at]
        sizes = np.unique(self._seats[match[rows]]).tolist()
        parts = [(size, rows[self._seats[match[rows]] == size]) for size in sizes]
        blocks = [self._block(size, match, sets, chosen) for size, chosen in parts]
        faults = self._faults([(chosen, block.bots) for (_, chosen), block in zip(parts, blocks, strict=True)])
        return Sheet(self.bots, int(complete.sum()), tuple(blocks), *faults)

    def _matches(self) -> Ints:
        """The position of each game's match."""
        of_game = self._column("match_id")
        found: Ints = self._sorted[np.searchsorted(self._ids, of_game, sorter=self._sorted)] if len(of_game) else of_game
        return found

    def _column(self, name: str) -> NDArray[Any]:
        return np.asarray(self._games.values[name])

    def _block(self, size: int, match: Ints, sets: Ints, rows: Ints) -> Block:
        seats = self._first_seat[match[rows]][:, None] + np.arange(size)
        return Block(
            sets[rows],
            self._column("deals")[rows].astype(np.float64),
            self._seat_bot[seats],
            self._listed("places", size)[self._column("places")[rows]],
            self._listed("points", size)[self._column("points")[rows]].astype(np.float64),
            self._column("stored_at")[rows],
        )

    def _listed(self, name: str, size: int) -> Ints:
        """The lists that a column's texts stand for, (texts, size): those of another length as zeros, as no row has them."""
        lists = [_parsed(text) for text in self._games.texts[name]]
        return np.array([found if len(found) == size else (0,) * size for found in lists], np.int64).reshape(-1, size)

    def _faults(self, parts: Sequence[tuple[Ints, Ints]]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        faults: dict[str, Counter[str]] = {}
        forfeits: Counter[str] = Counter()
        for rows, bots in parts:
            for position in range(bots.shape[1]):
                for found, bot, games in self._counted("faults", rows, bots[:, position]):
                    for cause, count in found[position].items():
                        faults.setdefault(bot, Counter())[cause] += count * games
                for found, bot, games in self._counted("forfeits", rows, bots[:, position]):
                    forfeits[bot] += games * found.count(position)
        return faults, +forfeits

    def _counted(self, name: str, rows: Ints, bots: Ints) -> Iterable[tuple[Any, str, int]]:
        """Each text of a column that says something of somebody, as a list, with a bot and the number of its games."""
        lists = [_parsed(text) for text in self._games.texts[name]]
        telling = np.array([any(found) if name == "faults" else len(found) > 0 for found in lists], np.bool_)
        code = self._column(name)[rows]
        keep = telling[code] if len(code) else np.zeros(0, np.bool_)
        size = max(len(self.bots), 1)
        pairs, counts = np.unique(code[keep] * size + bots[keep], return_counts=True)
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            yield lists[pair // size], self.bots[pair % size], count


def _order(matches: Columns) -> Ints:
    """The positions of matches in the order of label and name."""
    labels = [matches.texts["label"][number] for number in matches.values["label"]]
    keys = list(zip(labels, matches.values["name"], strict=True))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def _set_sizes(matches: Columns) -> Ints:
    """Games a set of each match."""
    seatings, modes = (np.array(matches.values[name], np.int64) for name in ("seatings", "mode"))
    known = matches.texts["mode"]
    sizes = [[games_a_set(seatings_of(text), cast("Any", mode)) for mode in known] for text in matches.texts["seatings"]]
    found: Ints = np.array(sizes, np.int64).reshape(-1, max(len(known), 1))[seatings, modes]
    return found


@lru_cache(maxsize=8192)
def _parsed(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text))
