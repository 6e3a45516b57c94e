"""Looking ahead: guess the hidden hands in ways that fit what was seen, and play each guess out.

A guess deals the unseen cards to the seats at random, as many as each still holds, none of a suit that a seat has shown
to be out of, and the turned card to the dealer who took it.
"""

from collections.abc import Callable, Sequence
from math import sqrt
from random import Random
from zlib import crc32

from arena import Card, View
from arena.sdk.words import CODE_BY_SUIT
from sample_bots.python.playout import RANKINGS, Playout, Ranking

MAKER_BIAS = 0.3
"""How much sooner the maker, who chose it, is dealt a trump than another card; cards are drawn in an order from 0 to 1."""
ROUND = 4
"""Guesses between two looks at who trails."""


def look_ahead(view: View, payoff: Callable[[Sequence[int]], float], budget: int) -> Card:
    """The legal card that does best over some guesses; `payoff` judges the tricks by seat at the end of the deal.

    `budget` is how many cards may be played out in all. A card that trails clearly is dropped on the way, so that the
    guesses go to those between which it is close.
    """
    cards = candidates(view)
    if len(cards) == 1:
        return cards[0]
    race = Race(view, payoff, cards)
    while budget > 0 and len(race.running) > 1:
        budget -= race.run()
        race.drop()
    return cards[max(race.running, key=lambda place: sum(race.results[place]))]


class Race:
    """The candidates for one decision, compared guess by guess."""

    def __init__(self, view: View, payoff: Callable[[Sequence[int]], float], cards: Sequence[Card]) -> None:
        assert view.trump is not None
        self.view = view
        self.payoff = payoff
        ranking = RANKINGS[CODE_BY_SUIT[view.trump]]
        self.playout = playout_of(view, ranking)
        self.guesser = Guesser(view, ranking)
        self.plays = [(seat, 1 << ranking.place[card.code]) for seat, card in view.trick.plays] if view.trick else []
        self.bits = [1 << ranking.place[card.code] for card in cards]
        self.cost = ROUND * (len(view.hand) * self.playout.width - len(self.plays) + 10)
        self.running = list(range(len(cards)))
        self.results: list[list[float]] = [[] for _ in cards]

    def run(self) -> int:
        """Play some more guesses out with each card that is still in the running; returns the cards played."""
        for _ in range(ROUND):
            hands = self.guesser.deal()
            for place in self.running:
                self.results[place].append(self.payoff(self.tricks(list(hands), self.bits[place])))
        return self.cost * len(self.running)

    def tricks(self, hands: list[int], card: int) -> list[int]:
        """Tricks by seat when the card is played in this guess."""
        seat = self.view.seat
        hands[seat] ^= card
        taken = list(self.view.taken)
        self.playout.finish(hands, self.playout.following[seat], [*self.plays, (seat, card)], taken)
        return taken

    def drop(self) -> None:
        """Let go of those that trail the best by more than chance explains."""
        best = max(self.running, key=lambda place: sum(self.results[place]))
        self.running = [place for place in self.running if place == best or not self.trails(place, best)]

    def trails(self, place: int, best: int) -> bool:
        """Whether one card is clearly behind another, going by the differences in the same guesses."""
        gaps = [ahead - behind for ahead, behind in zip(self.results[best], self.results[place], strict=True)]
        return sum(gaps) > 1.5 * sqrt(sum(gap * gap for gap in gaps)) + 1e-9


def candidates(view: View) -> tuple[Card, ...]:
    """The legal cards, lowest first, one of each run that differs in nothing: no card still out lies between."""
    out = [*view.unseen_counts, *(view.trick.cards if view.trick else ())]
    chosen: list[Card] = []
    for card in sorted(view.legal_cards, key=lambda card: (view.is_trump(card), view.suit(card), view.rank(card))):
        last = chosen[-1] if chosen else None
        if (
            last is None
            or view.suit(last) != view.suit(card)
            or any(
                view.suit(other) == view.suit(card) and view.rank(last) <= view.rank(other) <= view.rank(card) for other in out
            )
        ):
            chosen.append(card)
    return tuple(sorted(chosen, key=lambda card: (view.is_trump(card), view.rank(card))))


def playout_of(view: View, ranking: Ranking) -> Playout:
    """The seats of this deal, for playing it out."""
    around = sorted(view.active)
    following = [0] * view.seats
    for place, seat in enumerate(around):
        following[seat] = around[(place + 1) % len(around)]
    for seat in view.out:  # whoever sits out is never asked; the entry only has to be some seat of the deal
        following[seat] = around[0]
    side = [view.side_of(seat) for seat in range(view.seats)]
    return Playout(ranking, following, side, -1 if view.maker is None else view.side_of(view.maker))


class Guesser:
    """Deals the unseen cards in ways that fit what was seen."""

    def __init__(self, view: View, ranking: Ranking) -> None:
        # The dice follow from what the seat knows, so that the same view gives the same answer.
        seen = f"{view.deal} {view.seat} {view.dealer} {view.hand} {view.said} {view.played}"
        self.random = Random(crc32(seen.encode())).random
        own = ranking.mask(card.code for card in view.hand)
        self.hands = [0] * view.seats
        self.hands[view.seat] = own
        needs = dict(view.cards_left)
        self.unseen: list[int] = []
        held = view.dealer_holds if view.dealer in needs else None
        for card in view.unseen:
            bit = 1 << ranking.place[card.code]
            bit = bit << 1 if own & bit or bit in self.unseen else bit
            if card == held:
                self.hands[view.dealer] = bit
                needs[view.dealer] -= 1
                held = None
            else:
                self.unseen.append(bit)
        self.seats = [(seat, need, self.barred(view, seat, ranking)) for seat, need in needs.items()]
        # Whoever is barred from most chooses first, so that there is a fit nearly always; then the maker, who likes trumps.
        self.maker = -1 if view.maker is None else view.maker
        self.trumps = ranking.trumps
        self.seats.sort(key=lambda entry: (-entry[2].bit_count(), entry[0] != self.maker))

    @staticmethod
    def barred(view: View, seat: int, ranking: Ranking) -> int:
        """The mask of what a seat cannot hold."""
        return sum(ranking.suits[CODE_BY_SUIT[suit]] for suit in view.voids[seat])

    def deal(self) -> list[int]:
        """One guess: hands by seat."""
        random = self.random
        pool = sorted(self.unseen, key=lambda _: random())
        hands = list(self.hands)
        for seat, need, barred in self.seats:
            if seat == self.maker:
                trumps = self.trumps
                pool.sort(key=lambda bit: random() - (MAKER_BIAS if bit & trumps else 0.0))
            # Where nothing fits any more, anything must do.
            chosen = [bit for bit in pool if not bit & barred][:need] if barred else pool[:need]
            chosen += [bit for bit in pool if bit & barred][: need - len(chosen)] if len(chosen) < need else []
            hands[seat] |= sum(chosen)
            pool = [bit for bit in pool if bit not in chosen] if barred else pool[need:]
        return hands
