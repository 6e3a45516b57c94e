"""A worked example told line by line, and run against a real deal.

S is a seat, CARDS are cards, MOVES are cards or calls. Each line is one of:

    S says X, S plays X, S discards X, S gives X    S is to move, X is legal, and X is done
    S may MOVES                                     S is to move, and these are all the legal moves
    S discards something, S plays something         the first legal card is taken
    S leaves the turned card                        S, who dealt, "discards" the turned card itself
    S throws five away                              five discards, whichever
    S revokes X and Y is played                     X is a revoke, and Y is what the referee makes of it
    S leads                                         S is to lead a trick
    S holds CARDS, nobody holds CARDS               whole hands; or that none of these cards is in a hand
    S put away CARDS|nothing                        what S sees of its own cards that left its hand
    S received CARD|nothing                         the card that S sees to have come from its partner
    S sees no hand, S sees CARDS                    the hand in S's view
    nobody sees CARDS, only S sees CARDS            in which views these cards occur anywhere
    CARD is in no trick
    phase P, trump X, joker suit X, maker S, turned up|taken|left|down, turned up CARD, alone SEATS, out SEATS
    sizes N N N, taken by S, penalty N N N, thrown in, points N N N, points include N for S, play out
    next deal: dealer S                             another deal of the same game begins
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from tests.rules import notation as n
from tests.rules.games import game_of
from tests.rules.stacking import stacked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.game import Game
    from referee.rules import Deal, Rules


def seen_cards(view: object) -> set[int]:
    """Every card that occurs anywhere in a view."""
    tricks = [card for _, cards, _ in view.tricks for card in cards]
    cards = {*view.hand, view.turned_card, *tricks, *view.put_away, view.received}
    return cards - {-1}


class Line:
    """One deal and the lines that check it."""

    def __init__(
        self, rules: Rules, dealer: int, hands: Mapping[int, Sequence[int]], stock: Sequence[int], *, seed: int = 1
    ) -> None:
        self.rules = rules
        self.dealer = dealer
        self.rng = random.Random(seed)
        self.pack = stacked(rules, dealer, self.rng, hands, stock)
        self.deal: Deal
        self.game: Game

    def run(self, text: str) -> None:
        """Run all the lines; the first that does not hold is named in the AssertionError."""
        with game_of(self.rules, self.dealer, [self.pack], self.rng) as self.game:
            self.deal = self.game.deal
            for line in filter(None, map(str.strip, text.splitlines())):
                try:
                    self._run(line)
                except AssertionError as error:
                    raise AssertionError(f"at {line!r}: {error}") from error

    def _run(self, line: str) -> None:
        for pattern, handler in _PATTERNS:
            found = re.fullmatch(pattern, line)
            if found:
                handler(self, *found.groups())
                return
        raise ValueError(f"what does {line!r} mean?")

    # ---- moves

    def to_move(self, seat: str) -> None:
        assert self.deal.turn() == int(seat), f"seat {self.deal.turn()} is to move"

    def move(self, seat: str, word: str) -> None:
        self.to_move(seat)
        legal = n.members(self.deal.legal)
        action = legal[0] if word == "something" else n.action(word)
        assert action in legal, f"legal is {n.texts(legal)}"
        self.game.apply(action)

    def may(self, seat: str, words: str) -> None:
        self.to_move(seat)
        legal = n.members(self.deal.legal)
        assert legal == sorted(n.actions(words)), f"legal is {n.texts(legal)}"

    def leave(self, seat: str) -> None:
        self.move(seat, n.text(self.deal.view(int(seat)).turned_card))

    def throw(self, seat: str) -> None:
        for _ in range(5):
            self.move(seat, "something")

    def revoke(self, seat: str, answer: str, made: str) -> None:
        self.to_move(seat)
        assert self.deal.is_revoke(n.action(answer)), "that is no revoke"
        assert self.game.fault("ILLEGAL", answer) == n.action(made)
        assert self.deal.moves[-1] == n.action(made)

    def leads(self, seat: str) -> None:
        self.phase("play")
        self.to_move(seat)
        tricks = self.deal.view(int(seat)).tricks
        assert not tricks or tricks[-1][2] >= 0 or not tricks[-1][1], "a trick is under way"

    def play_out(self) -> None:
        while self.deal.turn() >= 0:
            self.game.apply(self.rng.choice(n.members(self.deal.legal)))

    def next_deal(self, dealer: str) -> None:
        assert self.deal.turn() == -1, "the deal is not over"
        assert self.game.deal is not self.deal, "the game is over"
        self.deal = self.game.deal
        assert self.deal.view(0).dealer == int(dealer)

    # ---- what must hold

    def holds(self, seat: str, cards: str) -> None:
        held = self.deal.hand(int(seat))
        assert sorted(held) == sorted(n.actions(cards)), f"the hand is {n.texts(held)}"

    def nobody_holds(self, cards: str) -> None:
        held = {card for seat in range(self.rules.seats) for card in self.deal.hand(seat)}
        assert not held & set(n.actions(cards))

    def put_away(self, seat: str, cards: str) -> None:
        wanted = [] if cards == "nothing" else n.actions(cards)
        away = self.deal.view(int(seat)).put_away
        assert sorted(away) == sorted(wanted), f"put away is {n.texts(away)}"

    def received(self, seat: str, card: str) -> None:
        assert self.deal.view(int(seat)).received == (-1 if card == "nothing" else n.action(card))

    def sees(self, seat: str, cards: str) -> None:
        hand = self.deal.view(int(seat)).hand
        assert sorted(hand) == ([] if cards == "no hand" else sorted(n.actions(cards)))

    def seen_only_by(self, who: str, cards: str) -> None:
        allowed = set() if who == "nobody" else {int(who.split()[1])}
        for seat in range(self.rules.seats):
            seen = seen_cards(self.deal.view(seat)) & set(n.actions(cards))
            assert bool(seen) == (seat in allowed), f"seat {seat} sees {n.texts(seen)}"

    def in_no_trick(self, card: str) -> None:
        played = [c for _, cards, _ in self.deal.view(0).tricks for c in cards]
        assert n.action(card) not in played

    def phase(self, name: str) -> None:
        assert n.PHASES[self.deal.phase] == name, f"the phase is {n.PHASES[self.deal.phase]}"

    def suit(self, which: str, suit: str) -> None:
        assert getattr(self.deal.view(0), which.replace(" ", "_")) == n.SUITS.index(suit)

    def maker(self, seat: str) -> None:
        assert self.deal.view(0).maker == int(seat)

    def turned(self, what: str) -> None:
        assert self.deal.view(0).turned == n.TURNED[what]

    def turned_up(self, card: str) -> None:
        assert self.deal.view(0).turned_card == n.action(card)

    def seats(self, which: str, seats: str) -> None:
        wanted = [] if seats == "nobody" else [int(seat) for seat in seats.split()]
        assert sorted(getattr(self.deal.view(0), which)) == wanted

    def sizes(self, counts: str) -> None:
        assert [len(self.deal.hand(seat)) for seat in range(self.rules.seats)] == [int(count) for count in counts.split()]

    def taken_by(self, seat: str) -> None:
        finished = [trick for trick in self.deal.view(0).tricks if trick[2] >= 0]
        assert finished[-1][2] == int(seat), f"seat {finished[-1][2]} took it"

    def penalty(self, numbers: str) -> None:
        assert self.deal.view(0).penalty == [int(number) for number in numbers.split()]

    def thrown_in(self) -> None:
        assert self.deal.thrown_in
        assert self.deal.turn() == -1
        assert self.deal.legal == 0

    def points(self, numbers: str) -> None:
        assert self.deal.turn() == -1
        assert self.deal.points() == [int(number) for number in numbers.split()]

    def points_include(self, number: str, seat: str) -> None:
        """The bidder aside, a seat's points are its tricks and the penalty."""
        assert self.deal.points()[int(seat)] == self.deal.tricks[int(seat)] + int(number)


_S = r"(\d)"
_PATTERNS: list[tuple[str, Callable[..., None]]] = [
    (rf"{_S} leaves the turned card", Line.leave),
    (rf"{_S} throws five away", Line.throw),
    (rf"{_S} (?:says|plays|discards|gives) (\w+)", Line.move),
    (rf"{_S} may (.+)", Line.may),
    (rf"{_S} revokes (\w\w) and (\w\w) is played", Line.revoke),
    (rf"{_S} leads", Line.leads),
    (rf"{_S} holds (.+)", Line.holds),
    (r"nobody holds (.+)", Line.nobody_holds),
    (rf"{_S} put away (.+)", Line.put_away),
    (rf"{_S} received (.+)", Line.received),
    (r"(nobody|only \d) sees (.+)", Line.seen_only_by),
    (rf"{_S} sees (.+)", Line.sees),
    (r"(\w\w) is in no trick", Line.in_no_trick),
    (r"phase (.+)", Line.phase),
    (r"(trump|joker suit) ([CDHS])", Line.suit),
    (r"maker (\d)", Line.maker),
    (r"turned (up|taken|left|down)", Line.turned),
    (r"turned up (\w\w)", Line.turned_up),
    (r"(alone|out) ([\d ]+|nobody)", Line.seats),
    (r"sizes ([\d ]+)", Line.sizes),
    (r"taken by (\d)", Line.taken_by),
    (r"penalty (.+)", Line.penalty),
    (r"thrown in", Line.thrown_in),
    (r"points (-?\d.*)", Line.points),
    (r"points include (-?\d+) for (\d)", Line.points_include),
    (r"play out", Line.play_out),
    (r"next deal: dealer (\d)", Line.next_deal),
]
