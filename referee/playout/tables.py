"""Functions of the rules, tabulated: the rules answer each case once, and the answers are looked up for whole batches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from referee.playout.state import Ints


class Tabulated:
    """A function of small whole numbers whose value is some small numbers; each case is worked out when it first comes up.

    `sizes` are how many values each argument has, from 0 up; `width` is how many numbers a value is.
    """

    def __init__(self, function: Callable[..., Sequence[int]], sizes: Sequence[int], width: int) -> None:
        self._function = function
        self._sizes = tuple(sizes)
        cases = math.prod(self._sizes)
        self._values: NDArray[np.int16] = np.zeros((width, cases), np.int16)
        self._known: NDArray[np.bool_] = np.zeros(cases, bool)

    def __call__(self, *arguments: Ints) -> NDArray[np.int16]:
        """The values [width, deal] for arguments that are arrays [deal]."""
        case = arguments[0].copy()
        for size, argument in zip(self._sizes[1:], arguments[1:], strict=True):
            case *= size
            case += argument
        known = self._known.take(case)
        if not known.all():
            self._work_out(np.unique(case[~known]).tolist())
        return np.stack([row.take(case) for row in self._values])

    def _work_out(self, cases: list[int]) -> None:
        for case in cases:
            arguments = [int(number) for number in np.unravel_index(case, self._sizes)]
            self._values[:, case] = self._function(*arguments)
            self._known[case] = True
