"""Head to head: two bots' games with each other, kept as arrays, since a thousand bots make half a million pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from league.estimates import Estimate, estimate_of, ratio_columns, ratio_estimates, share_columns
from league.tallies import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from league.tallies import Floats, Ints, PairRows, Tally


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two bots' games with each other, seen from bot `a`.

    `share` of games in which a placed above b (mean over sets, a shared place is half), `margin` a's points minus b's
    per deal.
    """

    a: str
    b: str
    share: Estimate
    margin: Estimate | None
    games: int
    sets: int

    def turned(self) -> HeadToHead:
        """The same games seen from bot `b`."""
        margin = None if self.margin is None else self.margin.mirrored(0.0)
        return HeadToHead(self.b, self.a, self.share.mirrored(1.0), margin, self.games, self.sets)


class Duels(Mapping[tuple[str, str], HeadToHead]):
    """Each pair of bots that met, once, under its names in alphabetical order.

    Args:
        bots: names, sorted.
        code: (pairs,) index of the first bot times the number of bots plus that of the second, ascending.
        counts: (pairs, 2) games and sets.
        share: (pairs, 3) value, low, high.
        margin: (pairs, 3) the same; NaN where there is none.
    """

    def __init__(self, bots: tuple[str, ...], code: Ints, counts: Ints, share: Floats, margin: Floats) -> None:
        self.bots, self.code, self.counts, self.share, self.margin = bots, code, counts, share, margin
        self._index = {name: index for index, name in enumerate(bots)}

    @classmethod
    def of(cls, sums: Tally) -> Duels:
        """The pairs of all sets of a tally."""
        rows, size = sums.pairs, max(len(sums.bots), 1)
        code, group = grouped(rows.first * size + rows.second, size**2)
        count = len(code)
        counts = np.stack([np.bincount(group, rows.games, count), np.bincount(group, minlength=count)], axis=1)
        share, margin = share_columns(group, rows.share, count), ratio_columns(group, rows.margin, rows.deals, count)
        return cls(sums.bots, code, counts.astype(np.int64), share, margin)

    def __len__(self) -> int:
        return len(self.code)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        size = max(len(self.bots), 1)
        return ((self.bots[code // size], self.bots[code % size]) for code in self.code.tolist())

    def __getitem__(self, pair: tuple[str, str]) -> HeadToHead:
        first, second = (self._index.get(name, -1) for name in pair)
        code = first * len(self.bots) + second
        at = int(np.searchsorted(self.code, code))
        if first < 0 or second < 0 or at == len(self.code) or self.code[at] != code:
            raise KeyError(pair)
        games, sets = self.counts[at].tolist()
        share = estimate_of(self.share[at].tolist())
        assert share is not None  # a pair that met has one
        return HeadToHead(*pair, share, estimate_of(self.margin[at].tolist()), games, sets)

    def seen_from(self, a: str, b: str) -> HeadToHead | None:
        """Bot a against bot b, whichever comes first; None if they never met."""
        turned = self.get((b, a))
        return self.get((a, b)) if turned is None else turned.turned()


def margins(pairs: PairRows, group: Ints, groups: int) -> list[Estimate | None]:
    """Margin per deal of the first bot of each group of rows."""
    return ratio_estimates(group, pairs.margin, pairs.deals, groups)
