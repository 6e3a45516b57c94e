"""What the tricks of many worlds are worth to one seat: the rules of stakes.py, as arrays."""

import numpy as np

from arena import View
from sample_bots.python.rollout.layout import Floats, Ints
from sample_bots.python.stakes import LEANING, march_points, slam_stakes

SLAMS = {"ask": -1, "moon": -2}
"""How a bid of all tricks is written among numbers."""


class Scores:
    """The stakes of a variant with its options, seen from one seat."""

    def __init__(self, view: View) -> None:
        self._sides = [view.side_of(seat) for seat in range(view.seats)]
        self._side = view.side
        self._count = 2 if view.seats == 4 else 3
        self._rivals = self._count - 1
        self._turned = view.variant in ("cutthroat", "turn-up")
        self._size = 5 if self._turned else 12 if view.table.is_on("double_deck") else 6
        self._slams = {number: slam_stakes(view.options, call, self._size) for call, number in SLAMS.items()}
        self._march = march_points(view.options, self._rivals, alone=False)
        self._lone_march = march_points(view.options, self._rivals, alone=True)

    def worth(self, tricks: Ints, maker: Ints, bid: Ints, alone: Ints) -> Floats:
        """Points over the average opponent, by world.

        Args:
            tricks: [seat, world].
            maker: the seat that must make it.
            bid: tricks bid, or as SLAMS has it.
            alone: the mask of the seats that play alone.
        """
        taken = np.zeros((self._count, tricks.shape[1]), np.int64)
        for seat, side in enumerate(self._sides):
            taken[side] += tricks[seat]
        making = np.array(self._sides)[maker]
        points = self._of_turned(taken, making, maker, alone) if self._turned else self._of_bid(taken, making, bid)
        own = points[self._side]
        found: Floats = own - (points.sum(axis=0) - own) / self._rivals + LEANING * taken[self._side]
        return found

    def _of_bid(self, taken: Ints, making: Ints, bid: Ints) -> Floats:
        points = taken.astype(np.float64)
        columns = np.arange(taken.shape[1])
        made = taken[making, columns]
        won = np.where(made >= bid, made, -bid).astype(np.float64)
        for number, (award, cost) in self._slams.items():
            won = np.where(bid == number, np.where(made == self._size, award, -cost), won)
        points[making, columns] = won
        return points

    def _of_turned(self, taken: Ints, making: Ints, maker: Ints, alone: Ints) -> Floats:
        columns = np.arange(taken.shape[1])
        made = taken[making, columns]
        march = np.where(alone >> maker & 1, self._lone_march, self._march)
        won = np.where(made == 5, march, 1.0)
        swept = (self._rivals == 1) | (taken.max(axis=0) == 5)
        others = alone & ~np.left_shift(1, maker)
        lost = np.where((others != 0) & swept, 4.0, 2.0)
        points = np.where(made >= 3, 0.0, lost)[None].repeat(self._count, axis=0)
        points[making, columns] = np.where(made >= 3, won, 0.0)
        return points
