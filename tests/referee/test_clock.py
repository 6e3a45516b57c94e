from __future__ import annotations

import pytest

from referee.clock import Clock
from referee.errors import BadClock


def test_defaults_are_those_of_the_design() -> None:
    """A clock of nothing has one second, a bank of ten, twenty to start, five of grace and three faults."""
    assert Clock.of({}).as_json() == {"answer": 1.0, "bank": 10.0, "start": 20.0, "grace": 5.0, "faults": 3}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"answer": 0}, "clock answer: 0"),
        ({"bank": -1}, "clock bank: -1"),
        ({"faults": 0}, "clock faults: 0"),
        ({"faults": 1.5}, "whole number"),
        ({"answer": float("nan")}, "clock answer: nan"),
        ({"answer": "1"}, "is no number"),
        ({"answer": True}, "is no number"),
        ({"increment": 1}, "known: answer, bank, start, grace, faults"),
    ],
)
def test_a_bad_setting_is_named(given: dict[str, object], told: str) -> None:
    """A setting that cannot be kept is refused with its name and what is allowed."""
    with pytest.raises(BadClock, match=told):
        Clock.of(given)


def test_a_clock_survives_its_json() -> None:
    """What as_json gives makes the same clock again."""
    clock = Clock(answer=0.25, bank=0, start=3, grace=0, faults=7)
    assert Clock.of(clock.as_json()) == clock
