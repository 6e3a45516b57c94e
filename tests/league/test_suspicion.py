"""Whether a worker is accused: how often wrongly, how surely rightly, and what never counts against it."""

from __future__ import annotations

import itertools
import random

import pytest

from league.model import Trial
from league.suspicion import FALSE_ALARMS, LOOKS, due, judge

BOTS = 6


def attempts(
    chance: random.Random,
    worker: str,
    number: int,
    late: float,
    *,
    stratum: int = 1,
    slow: tuple[int, ...] = (),
    bots: int = BOTS,
) -> list[Trial]:
    """Attempts of a worker on whose machine each attempt has a hiccup, which all its bots feel, with probability `late`.

    Bots in `slow` are late in half of their attempts wherever they play.
    """
    made = []
    for _ in range(number):
        lineup = chance.sample(range(bots), 3)
        hiccup = chance.random() < late
        pairs = tuple((bot, (hiccup and chance.random() < 0.8) or (bot in slow and chance.random() < 0.5)) for bot in lineup)
        made.append(Trial(next(_numbers), worker, stratum, pairs))
    return made


_numbers = itertools.count(1)


def others(chance: random.Random, late: float, number: int = 60, **more: object) -> list[Trial]:
    return [one for worker in "abc" for one in attempts(chance, worker, number // 3, late, **more)]  # type: ignore[arg-type]


def test_false_alarms_keep_to_the_rate() -> None:
    """Equally good workers are accused no more often than declared, though hiccups hit all bots of an attempt together."""
    chance, alarms, rounds = random.Random(1), 0.15, 200
    accused = 0
    for number in range(rounds):
        late = chance.choice((0.05, 0.2, 0.4))
        own = attempts(chance, "w", LOOKS[-1], late, slow=(0,))
        rest = others(chance, late, slow=(0,))
        looks = (judge(own[:count], rest, 4, alarms=4 * alarms, seed=number) for count in LOOKS)  # one of the four workers
        accused += any(look.guilty for look in looks)
    assert accused <= rounds * alarms + 3 * (rounds * alarms * (1 - alarms)) ** 0.5


def test_false_alarms_at_the_default_rate() -> None:
    """At the rate that is in use none of a hundred equally good workers is accused."""
    chance = random.Random(2)
    for number in range(100):
        own, rest = attempts(chance, "w", 20, 0.1), others(chance, 0.1)
        assert not any(judge(own[:count], rest, 4, seed=number).guilty for count in LOOKS)


@pytest.mark.parametrize(("late", "least"), [(0.9, 0.95), (0.5, 0.6)])
def test_a_bad_worker_is_found(late: float, least: float) -> None:
    """A worker nine tenths (half) of whose attempts have hiccups, where others have one in fifty, is found within 20 attempts."""
    chance, rounds, found = random.Random(3), 20, 0
    for number in range(rounds):
        own, rest = attempts(chance, "w", 20, late), others(chance, 0.02)
        found += any(judge(own[:count], rest, 4, seed=number).guilty for count in LOOKS)
    assert found >= least * rounds


def test_a_slow_bot_is_no_bad_worker() -> None:
    """A worker that happened to get all the matches of a bot that is late everywhere is not accused for it."""
    own = [Trial(number, "w", 1, ((0, True), (1, False))) for number in range(20)]
    rest = [Trial(number, "a", 1, ((0, True), (2, False))) for number in range(100, 110)]
    rest += [Trial(number, "a", 1, ((2, False), (1, False))) for number in range(200, 250)]
    verdict = judge(own, rest, 4)
    assert (verdict.late, verdict.expected, verdict.guilty) == (20, 20.0, False)


def test_strata_are_kept_apart() -> None:
    """What is usual in one league says nothing of another; without others in the same league there is no verdict."""
    chance = random.Random(4)
    own = attempts(chance, "w", 20, 0.9, stratum=1)
    assert judge(own, others(chance, 0.0, stratum=2), 4).p == 1.0
    mixed = own[:10] + attempts(chance, "w", 10, 0.9, stratum=2)
    assert judge(mixed, others(chance, 0.0, stratum=1) + others(chance, 0.0, stratum=2), 4).guilty


@pytest.mark.parametrize("late", [0, 1, 2])
def test_a_few_late_bots_accuse_nobody(late: int) -> None:
    """Below three late bots there is no accusation, however good the others are."""
    own = [Trial(number, "w", 1, ((0, number < late), (1, False))) for number in range(20)]
    rest = [Trial(number, "a", 1, ((0, False), (1, False))) for number in range(100, 400)]
    assert judge(own, rest, 2).p == 1.0


def test_a_verdict_says_why() -> None:
    """A verdict reads as a reason for people."""
    own = [Trial(number, "w", 1, ((0, True), (1, True))) for number in range(5)]
    rest = [Trial(number, "a", 1, ((0, False), (1, False))) for number in range(100, 140)]
    verdict = judge(own, rest, 2)
    assert verdict.guilty
    assert verdict.limit == pytest.approx(FALSE_ALARMS / 6)
    assert "late 10 times in 5 attempts at matches; 40 attempts of other workers let 0.0 times be expected" in str(verdict)


def test_looks() -> None:
    """A worker is looked at after 5, 10 and 20 attempts, each time once."""
    assert [due(count, 0) for count in (0, 4, 5, 30)] == [False, False, True, True]
    assert [due(count, 1) for count in (9, 10)] == [False, True]
    assert [due(count, 2) for count in (19, 20)] == [False, True]
    assert not due(100, 3)
