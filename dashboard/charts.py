"""Geometry of the drawn intervals: from values to per cent of a picture's width."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from dashboard.filters import num

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from league.estimates import Estimate
    from league.history import Moment

MARGIN = 6.0
"""Per cent left free on either side, so that dots and labels stay inside."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the scale: where it stands, its label, and whether it is the one that all is measured from."""

    x: float
    text: str
    main: bool


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale over [low, high]."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def x(self, value: float) -> float:
        """Where a value stands, in per cent; values off the scale stand at its edge."""
        return _place(value, self.low, self.high)


def bar(scale: Scale, elo: tuple[float, float | None, float | None], label: str) -> Markup:
    """An interval drawn on a scale, for a cell of a table: value, low and high; `label` says the same in words."""
    value, low, high = elo
    axes = "".join(
        f'<line class="axis{" mean" * tick.main}" x1="{tick.x}%" x2="{tick.x}%" y1="0" y2="100%"/>' for tick in scale.ticks
    )
    span = "" if low is None or high is None else _span(scale.x(low), scale.x(high))
    dot = f'<circle class="dot" cx="{scale.x(value)}%" cy="50%" r="5"/>'
    return Markup(f'<svg class="bar" role="img" aria-label="{escape(label)}">{axes}{span}{dot}</svg>')  # noqa: S704 -- numbers, and an escaped text


def _span(low: float, high: float) -> str:
    ends = "".join(f'<line class="end" x1="{x}%" x2="{x}%" y1="28%" y2="72%"/>' for x in (low, high))
    return f'<line class="span" x1="{low}%" x2="{high}%" y1="50%" y2="50%"/>{ends}'


def _place(value: float, low: float, high: float) -> float:
    at = (min(max(value, low), high) - low) / (high - low)
    return round(MARGIN + at * (100 - 2 * MARGIN), 2)


def _step(span: float, most: int = 4) -> float:
    """The smallest of 1, 2, 5 x 10^n that needs at most `most` steps."""
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(power * unit for unit in (1, 2, 5, 10) if span / (power * unit) <= most)


def scale(values: Iterable[float | None], main: float) -> Scale:
    """A scale with round ticks that holds every value that is a finite number, and `main`."""
    known = [value for value in values if value is not None and math.isfinite(value)] + [main]
    low, high = min(known), max(known)
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    step = _step(high - low)
    first, last = math.floor(low / step), math.ceil(high / step)
    digits = max(0, -math.floor(math.log10(step)))
    low, high = first * step, last * step
    marks = [index * step for index in range(first, last + 1)]
    ticks = tuple(Tick(_place(mark, low, high), num(mark, digits), math.isclose(mark, main, abs_tol=1e-9)) for mark in marks)
    return Scale(low, high, ticks)


# ---- Elo over time ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Curve:
    """Elo over time, in per cent of a picture: the line, the band around it, and the points in figures."""

    line: str
    band: str
    """Points of the polygon; empty where there is no interval."""
    levels: tuple[Tick, ...]
    """Levels of Elo: their height from the top."""
    steps: tuple[Tick, ...]
    """Numbers of sets along the bottom."""
    points: tuple[tuple[Moment, Estimate], ...]
    low: float
    high: float
    """Elo at the bottom and at the top: bands that are wider, as the first ones are, are cut off there."""


def curve(history: Sequence[Moment], bot: str) -> Curve | None:
    """The curve of a bot; None before it has two points."""
    points = tuple((moment, moment.elo[bot]) for moment in history if bot in moment.elo)
    if len(points) < 2:
        return None
    of_elo = scale(_heights([at for _, at in points]), 1500.0)
    first, last = points[0][0].sets, points[-1][0].sets

    def x(sets: int) -> float:
        return _place(sets, first, last)

    def y(value: float) -> float:
        return round(100 - of_elo.x(value), 2)

    limits = [(x(moment.sets), at.low, at.high) for moment, at in points if at.low is not None and at.high is not None]
    edge = [(at, y(high)) for at, _, high in limits] + [(at, y(low)) for at, low, _ in reversed(limits)]
    return Curve(
        line=_path((x(moment.sets), y(at.value)) for moment, at in points),
        band=_path(edge) if len(limits) > 1 else "",
        levels=tuple(Tick(round(100 - tick.x, 2), tick.text, tick.main) for tick in of_elo.ticks),
        steps=tuple(Tick(x(sets), num(sets), False) for sets in (first, last)),
        points=points,
        low=of_elo.low,
        high=of_elo.high,
    )


def _heights(estimates: Sequence[Estimate]) -> list[float | None]:
    """Every value, the limits of the last one, and as much of the others as does not make the picture flat."""
    values = [at.value for at in estimates]
    last = estimates[-1]
    room = max(100.0, last.half_width or 0.0)
    lowest, highest = min(values) - room, max(values) + room
    limits = [min(max(limit, lowest), highest) for at in estimates for limit in (at.low, at.high) if limit is not None]
    return [*values, *limits, last.low, last.high]


def _path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)
