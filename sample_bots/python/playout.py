"""A quick play of the cards when all hands are known, or guessed: one simple rule for every seat, and fast.

A hand is a bit mask whose bits are sorted as the cards rank under the trump suit, plain cards by rank below all trumps, so
that the lowest card is the lowest bit. Each card has two bits side by side, for the two copies in a double deck.
"""

from collections.abc import Iterable, Sequence

from arena.sdk.words import CARDS, CODE_BY_SUIT, SUITS, Suit


class Ranking:
    """How the cards rank under one trump suit: masks over the sorted bits."""

    def __init__(self, trump: Suit) -> None:
        ranked = sorted(CARDS, key=lambda card: card.strength(trump))
        self.place = {card.code: 2 * place for place, card in enumerate(ranked)}
        """The lower of the two bits of a card, by code."""
        self.suits = [self._pairs(card.code for card in ranked if card.suit_in(trump) == suit) for suit in SUITS]
        """The cards of each suit, the left bower and the joker among the trumps."""
        self.trumps = self.suits[CODE_BY_SUIT[trump]]
        self.aces = self._pairs(card.code for card in ranked if card.rank == "A" and not card.is_trump(trump))
        self.bowers = self._pairs(card.code for card in ranked if card.is_joker or card.is_bower(trump))
        self.safe = self.aces | self.trumps
        """What is likely to hold a trick that a partner is winning."""
        self.follow: dict[int, int] = {}
        """By bit: the cards of its suit."""
        self.above: dict[int, int] = {}
        """By bit: the cards that beat it, once it is winning; not its own copy."""
        for place in self.place.values():
            self._rank(place)

    def _rank(self, place: int) -> None:
        suit = next(mask for mask in self.suits if mask >> place & 1)
        higher = suit >> place + 2 << place + 2
        for bit in (1 << place, 2 << place):
            self.follow[bit] = suit
            self.above[bit] = higher if suit == self.trumps else higher | self.trumps

    def _pairs(self, codes: Iterable[int]) -> int:
        return sum(0b11 << self.place[code] for code in codes)

    def mask(self, codes: Iterable[int]) -> int:
        """A hand as a mask."""
        mask = 0
        for code in codes:
            bit = 1 << self.place[code]
            mask |= bit << 1 if mask & bit else bit
        return mask


RANKINGS = tuple(map(Ranking, SUITS))
"""By the code of the trump suit."""


class Playout:
    """Plays hands out among the seats that are in the deal."""

    def __init__(self, ranking: Ranking, following: Sequence[int], side: Sequence[int], maker: int) -> None:
        self.ranking = ranking
        self.following = following
        """By seat: who plays next."""
        self.side = side
        """By seat."""
        self.maker = maker
        """The side that named trump."""
        self.width = len(set(following))

    def lead(self, hand: int, seat: int) -> int:
        """The card to lead: as maker a bower, to draw trumps; else a plain ace, else the lowest."""
        ranking = self.ranking
        top = 1 << hand.bit_length() - 1
        if self.side[seat] == self.maker and top & ranking.bowers and (hand & ranking.trumps) != top:
            return top
        aces = hand & ranking.aces
        return aces & -aces if aces else hand & -hand

    def finish(self, hands: list[int], seat: int, plays: Sequence[tuple[int, int]], tricks: list[int]) -> None:
        """Play to the end; changes `hands`, and adds to `tricks` by seat.

        `seat` is to play; `plays` holds (seat, bit) of the trick on the table.
        """
        lead, following, side = self.lead, self.following, self.side
        above, safe, aces_and_less = self.ranking.above, self.ranking.safe, ~self.ranking.trumps
        while plays or hands[seat]:
            if not plays:
                card = lead(hands[seat], seat)
                hands[seat] ^= card
                plays = ((seat, card),)
                seat = following[seat]
            follow = self.ranking.follow[plays[0][1]]
            winner, best = plays[0]
            for who, card in plays[1:]:
                if above[best] & card:
                    winner, best = who, card
            for left in range(self.width - len(plays) - 1, -1, -1):
                hand = hands[seat]
                legal = hand & follow or hand
                winners = legal & above[best]
                # A trick that is lost, or safe with the partner, gets the lowest card; others may still beat a plain card.
                if not winners or (side[winner] == side[seat] and (not left or best & safe)):
                    card = legal & -legal
                elif left and winners & aces_and_less:
                    card = 1 << winners.bit_length() - 1
                else:
                    card = winners & -winners
                hands[seat] = hand ^ card
                if above[best] & card:
                    winner, best = seat, card
                seat = following[seat]
            tricks[winner] += 1
            seat, plays = winner, ()
