"""One decision: what may be answered, the guesses at what is hidden, and what each answer comes to in them."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from arena import Card, Move, Phase, View
from arena.sdk.words import CALLS, CODE_BY_SUIT
from sample_bots.python.rollout.bidder import Bidder
from sample_bots.python.rollout.bids import Bids
from sample_bots.python.rollout.contract import NUMBERS
from sample_bots.python.rollout.layout import Floats, Ints
from sample_bots.python.rollout.plausible import plausibility
from sample_bots.python.rollout.scores import Scores
from sample_bots.python.rollout.tricks import Tricks
from sample_bots.python.rollout.turned import Turned
from sample_bots.python.rollout.worlds import Hidden, Worlds
from sample_bots.python.worlds import candidates


def known(moves: Sequence[Move]) -> Sequence[Move]:
    """Those of some moves that this version knows; of the others nobody could say what they come to."""
    return tuple(move for move in moves if isinstance(move, Card) or move in CALLS)


class Decision:
    """A question, and worlds in which to try the answers.

    Args:
        view: the question.
        guesses: how many worlds are guessed; those in which the others would have called as they did are drawn more often.
    """

    def __init__(self, view: View, guesses: int) -> None:
        self.view = view
        self.options: Sequence[Move] = candidates(view) if view.phase is Phase.PLAY else known(view.legal)
        self._bidder = Bidder(view)
        self._layout = self._bidder.layout
        self._hidden = Hidden(view, self._layout)
        # The dice follow from what the seat knows, so that the same view gives the same answer.
        seen = f"{view.deal} {view.seat} {view.dealer} {view.phase} {view.hand} {view.said} {view.played}"
        self._chance = np.random.default_rng(crc32(seen.encode()))
        self._pool = self._hidden.deal(guesses, self._chance)
        weights = self._pool.weights + plausibility(view, self._hidden, self._pool, self._bidder)
        best = weights.max()
        # Where nothing fits any more, anything must do.
        shares = np.exp(weights - best) if best > -np.inf else np.ones(guesses)
        self._drawn = np.cumsum(shares) / shares.sum()

    def worlds(self, count: int) -> Worlds:
        """Some of the guesses, drawn by their weights, evenly spread over them."""
        points = (self._chance.random() + np.arange(count)) / count
        chosen = np.minimum(np.searchsorted(self._drawn, points), self._pool.size - 1)
        self._chance.shuffle(chosen)
        return self._pool.take(chosen)

    def outcomes(self, worlds: Worlds, options: Sequence[Move]) -> Floats:
        """[option, world]: points over the average opponent when it is answered, and everybody goes on sensibly."""
        if self.view.phase is Phase.PLAY:
            return self._played(worlds, [card for card in options if isinstance(card, Card)])
        kind = Bids if self.view.turned_card is None else Turned
        return kind(self.view, self._hidden, worlds, self._bidder, options).worth()

    def _played(self, worlds: Worlds, cards: Sequence[Card]) -> Floats:
        """What playing each of some cards comes to."""
        view, layout, trump = self.view, self._layout, CODE_BY_SUIT[self.view.trump]
        seats = sorted(view.active)
        bits = [self._own(card) for card in cards]
        hands = [
            layout.ranked(np.array([self._hidden.hand ^ bit for bit in bits]), trump).repeat(worlds.size)
            if seat == view.seat
            else np.tile(layout.ranked(worlds.cards[seat], trump), len(cards))
            for seat in seats
        ]
        lying = [np.full(len(hands[0]), layout.ranked_one(layout.mask([card.code]), trump)) for card in self._lying()]
        lying.append(layout.ranked(np.array(bits), trump).repeat(worlds.size))
        dead = sum(cards for place, cards in worlds.cards.items() if place not in seats)
        unseen = np.tile(layout.ranked(dead | np.zeros(worlds.size, np.int64), trump), len(cards))
        sides = [view.side_of(seat) for seat in seats]
        tricks = Tricks(layout, sides, view.side_of(view.maker or 0), np.array(hands), unseen)
        taken = tricks.finish(seats.index(self._leader()), len(view.hand), lying)
        return self._worth(seats, taken).reshape(len(cards), worlds.size)

    def _worth(self, seats: Sequence[int], taken: Ints) -> Floats:
        view, size = self.view, taken.shape[1]
        tricks = np.repeat(np.array(view.taken)[:, None], size, axis=1)
        tricks[seats] += taken
        bid = NUMBERS[view.bid] if view.bid else 0
        alone = sum(1 << seat for seat in view.alone)
        maker = 0 if view.maker is None else view.maker
        return Scores(view).worth(tricks, *(np.full(size, number, np.int64) for number in (maker, bid, alone)))

    def _lying(self) -> tuple[Card, ...]:
        return self.view.trick.cards if self.view.trick else ()

    def _leader(self) -> int:
        return self.view.trick.leader if self.view.trick else self.view.seat

    def _own(self, card: Card) -> int:
        """The bit of a card in the seat's own hand."""
        bit = self._layout.mask([card.code])
        return bit if self._hidden.hand & bit else bit << 1
