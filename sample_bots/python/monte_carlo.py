"""Guesses the hidden cards many times, in ways that fit what was seen and said, and plays every guess out with every answer.

The guesses and their play are in `rollout`, where the arithmetic is done for all of them at once. Here is how many of them an
answer is worth, and how long it may take: the clock is looked at between rounds, and where there is no time `counter` answers.
"""

from collections.abc import Sequence
from math import inf, sqrt
from time import monotonic

import numpy as np

from arena import Answer, Bot, Move, Phase, View, run
from arena.sdk.bot import move_of
from sample_bots.python.counter import Counter
from sample_bots.python.rollout.decision import Decision

BUDGET = 2000
"""Worlds to be played out for one decision, over all its answers: ten to twenty milliseconds' worth."""
GUESSES = 800
"""Worlds to be guessed for it, of which those that fit the auction best are played out."""
ROUND = 128
"""Worlds that each answer is tried in between two looks at the clock and at who trails."""
BEHIND = 2.0
"""Standard deviations by which an answer that is let go of trails the best."""
PARTING = frozenset({Phase.LAY_AWAY, Phase.PICK_UP, Phase.DUMMY, Phase.GIFT})
"""Where much the same comes out of many answers, `counter`'s is kept unless another is better beyond doubt."""
SHARE = 0.25
"""The part of the time for an answer that is spent on it; the bank is never touched."""
FADING = 0.8
"""How much of the longest first round still counts at the next decision."""


class MonteCarlo(Bot):
    """Plays guesses at the hidden cards out."""

    name = "monte-carlo"
    max_tables = 16

    def __init__(self) -> None:
        self._counter = Counter()
        self._least = 0.0
        """Seconds that the first round of a decision has lately taken: with less than that `counter` answers."""

    def choose(self, view: View) -> Answer:
        """Answer one question."""
        return self.decide(view, seconds_for(view))

    def choose_all(self, views: Sequence[View]) -> Sequence[Answer]:
        """Answer questions that came together: their answers leave together too, so they share the time of the most pressing."""
        answers: list[Answer] = []
        for number, view in enumerate(views):
            pressing = min(seconds_for(each) for each in views)
            answers.append(self.decide(view, pressing / (len(views) - number)))
        return answers

    def decide(self, view: View, seconds: float) -> Answer:
        """Answer within so many seconds."""
        # A dealer who names a joker's suit has not seen his hand yet, and of what is not known yet there is nothing to guess.
        if seconds <= self._least or view.phase in {Phase.JOKER, Phase.UNKNOWN}:
            self._least *= FADING
            return self._counter.choose(view)
        began = monotonic()
        race = Race(Decision(view, GUESSES))
        if not race.running:
            return self._counter.choose(view)
        if len(race.running) > 1:
            race.run()
            self._least = max(monotonic() - began, FADING * self._least)
        while race.played < BUDGET and len(race.running) > 1 and monotonic() - began < seconds:
            race.run()
        return race.best(move_of(self._counter.choose(view))[0] if view.phase in PARTING else None)


def seconds_for(view: View) -> float:
    """How long may be thought about a question from now on; without a clock as long as one likes."""
    return SHARE * (view.time_left - view.bank) if view.time or view.bank or view.table.time else inf


class Race:
    """The answers to one question, compared world by world."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self._results = [np.zeros(0)] * len(decision.options)
        self.running = list(range(len(decision.options)))
        """Those of the answers that may be the best."""
        self.played = 0

    def run(self) -> None:
        """Try all that are in the running in some more worlds, the same for all, and let go of those that trail clearly."""
        options = [self._decision.options[place] for place in self.running]
        worlds = self._decision.worlds(ROUND)
        for place, row in zip(self.running, self._decision.outcomes(worlds, options), strict=True):
            self._results[place] = np.concatenate([self._results[place], row])
        self.played += worlds.size * len(options)
        best = self._leading()
        self.running = [place for place in self.running if place == best or not self._trails(place, best)]

    def best(self, otherwise: Move | None = None) -> Move:
        """The answer that did best; the first of equals. Where one is given, that one unless it trails clearly."""
        leading = self._leading()
        if otherwise is not None:
            place = self._decision.options.index(otherwise)
            if place in self.running and not self._trails(place, leading):
                return otherwise
        return self._decision.options[leading]

    def _leading(self) -> int:
        return max(self.running, key=lambda place: float(self._results[place].sum()))

    def _trails(self, place: int, best: int) -> bool:
        gaps = self._results[best] - self._results[place]
        return float(gaps.sum()) > BEHIND * sqrt(float((gaps * gaps).sum())) + 1e-9


if __name__ == "__main__":
    run(MonteCarlo())
