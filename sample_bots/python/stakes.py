"""What the outcomes of a deal are worth to one seat: points over the average opponent."""

from collections.abc import Mapping, Sequence

from arena import View

LEANING = 0.02
"""What a trick is worth that changes no points: enough to prefer it, too little to risk anything for."""


class Stakes:
    """The outcomes of the deal that a view shows, once there is a maker."""

    def __init__(self, view: View) -> None:
        played = sum(seat == view.seat for trick in view.tricks for seat, _ in trick.plays)
        self.size = len(view.hand) + played
        self.side = view.side
        self.sides = [view.side_of(seat) for seat in range(view.seats)]
        self.rivals = rivals_of(view)
        self.maker = -1 if view.maker is None else view.side_of(view.maker)
        self.lone = {view.side_of(seat) for seat in view.alone}
        self.bid = view.bid
        self.options = view.options

    def payoff(self, tricks: Sequence[int]) -> float:
        """The worth of an outcome, given the tricks by seat."""
        taken = [0] * (self.rivals + 1)
        for seat, count in enumerate(tricks):
            taken[self.sides[seat]] += count
        points = self.bid_points(taken) if self.bid else self.euchre_points(taken)
        own = points[self.side]
        return own - (sum(points) - own) / self.rivals + LEANING * taken[self.side]

    def bid_points(self, taken: list[int]) -> list[float]:
        """Points by side where a bid is to be made (G6-G8, B7, B8)."""
        points = [float(count) for count in taken]
        made = taken[self.maker]
        if self.bid is not None and self.bid.bid is None:
            award, cost = slam_stakes(self.options, self.bid, self.size)
            points[self.maker] = award if made == self.size else -cost
        elif self.bid is not None and self.bid.bid and made < self.bid.bid:
            points[self.maker] = -float(self.bid.bid)
        return points

    def euchre_points(self, taken: list[int]) -> list[float]:
        """Points by side where three tricks make it (C8, C9, T6)."""
        points = [0.0] * len(taken)
        made = taken[self.maker]
        if made >= 3:
            points[self.maker] = 1.0 if made < 5 else march_points(self.options, self.rivals, alone=self.maker in self.lone)
            return points
        swept = self.rivals == 1 or max(taken) == 5
        won = 4.0 if self.lone - {self.maker} and swept else 2.0
        return [0.0 if side == self.maker else won for side in range(len(taken))]


def rivals_of(view: View) -> int:
    """How many sides there are against you."""
    return 1 if view.partner is not None else view.seats - 1


def slam_stakes(options: Mapping[str, str], call: str, size: int) -> tuple[float, float]:
    """What `ask` or `moon` wins, and what it costs if it fails."""
    ask, moon = map(float, options.get("awards", "12,24").split(","))
    award = moon if call == "moon" else ask
    return award, award if options.get(f"{call}_fail") == "award" else float(size)


def march_points(options: Mapping[str, str], rivals: int, *, alone: bool) -> float:
    """What all five tricks score for the maker."""
    if rivals == 1:
        return 4.0 if alone else 2.0
    return float(options.get("lone_march", "3")) if alone else 3.0
