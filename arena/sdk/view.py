"""What a seat knows when it is asked, and what follows from it.

The facts are the fields of the protocol's View; everything else is worked out from them when it is first asked for, so a
bot pays only for what it uses.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from time import monotonic

from arena.sdk.facts import Facts
from arena.sdk.lazy import cached_property
from arena.sdk.table import Said, Table, Trick
from arena.sdk.words import CODE_BY_SUIT, SUIT_BY_CODE, SUITS, Call, Card, Move, Phase, Suit, Turned
from referee.rules.tricks import RANK, STRENGTH, SUIT_OF


class View:
    """One decision: the question, what the seat may know, and what follows from it.

    Seats are numbered from 0, clockwise; suits are "C", "D", "H" and "S"; cards and calls compare equal to their text.
    Wherever a suit is meant, the left bower and the joker count as trumps once there are trumps.
    """

    note: str | None = None
    """Set this to say why, for yourself alone: it is kept with the decision, and no other seat ever sees it."""

    def __init__(
        self,
        facts: Facts,
        table: Table,
        legal: tuple[Move, ...],
        clock: tuple[float, float, float | None] = (0.0, 0.0, None),
    ) -> None:
        self._facts = facts
        self._arrived = monotonic()
        self.table = table
        """The table, with the variant's options and a `memory` of your own."""
        self.legal = legal
        """What may be answered: cards or calls, each once, cards by suit from low to high, calls in the protocol's order."""
        self.time, self.bank, self.last = clock

    # --- the question -------------------------------------------------------------------------------------------------

    @cached_property
    def phase(self) -> Phase:
        """What is decided now: `Phase.AUCTION`, `Phase.PLAY` … (also just "auction", "play")."""
        return self._facts.phase

    @cached_property
    def legal_cards(self) -> tuple[Card, ...]:
        """`legal` where it holds cards, else empty."""
        return tuple(move for move in self.legal if isinstance(move, Card))

    @cached_property
    def legal_calls(self) -> tuple[Call, ...]:
        """`legal` where it holds calls, else empty."""
        return tuple(move for move in self.legal if isinstance(move, Call))

    @property
    def time_left(self) -> float:
        """Seconds until this answer would be a fault: what is left for the answer, and then of the bank."""
        return max(0.0, self.time + self.bank - (monotonic() - self._arrived))

    # --- seats --------------------------------------------------------------------------------------------------------

    @cached_property
    def variant(self) -> str:
        """The variant's name, such as "ghost-hand"."""
        return self._facts.variant

    @property
    def options(self) -> Mapping[str, str]:
        """Every option of the variant, resolved, as text: {"stick_dealer": "off", …}."""
        return self.table.options

    @cached_property
    def seat(self) -> int:
        """Your seat."""
        return self._facts.seat

    @property
    def seats(self) -> int:
        """How many seats the table has."""
        return self.table.seats

    @cached_property
    def partner(self) -> int | None:
        """Your partner's seat; None where everybody plays alone."""
        return (self.seat + 2) % 4 if self.seats == 4 else None

    @cached_property
    def opponents(self) -> tuple[int, ...]:
        """Your opponents' seats, from your left."""
        others = ((self.seat + step) % self.seats for step in range(1, self.seats))
        return tuple(seat for seat in others if seat != self.partner)

    @cached_property
    def active(self) -> tuple[int, ...]:
        """The seats that are in the play of this deal, from your left, you last if you are."""
        around = ((self.seat + step) % self.seats for step in range(1, self.seats + 1))
        return tuple(seat for seat in around if seat not in self.out)

    @cached_property
    def dealer(self) -> int:
        """Who deals."""
        return self._facts.dealer

    @property
    def is_dealer(self) -> bool:
        """Whether you deal."""
        return self.seat == self.dealer

    @cached_property
    def alone(self) -> tuple[int, ...]:
        """The seats that play alone."""
        return self._facts.alone

    @cached_property
    def out(self) -> tuple[int, ...]:
        """The seats that sit out."""
        return self._facts.out

    def side_of(self, seat: int) -> int:
        """The side of a seat: the seat itself with three players, else 0 for seats 0 and 2, 1 for seats 1 and 3."""
        return seat % 2 if self.seats == 4 else seat

    @property
    def side(self) -> int:
        """Your side."""
        return self.side_of(self.seat)

    # --- points -------------------------------------------------------------------------------------------------------

    @cached_property
    def deal(self) -> int:
        """The number of this deal in the game, from 0, thrown-in deals counted."""
        return self._facts.deal

    @cached_property
    def total(self) -> tuple[int, ...]:
        """Points before this deal, by side."""
        return self._facts.total

    @cached_property
    def penalty(self) -> tuple[int, ...]:
        """Penalties booked in this deal so far, by side, 0 or negative."""
        return self._facts.penalty

    @cached_property
    def points(self) -> tuple[int, ...]:
        """Points now, by side: the total before this deal and its penalties."""
        return tuple(map(sum, zip(self.total, self.penalty, strict=True)))

    @property
    def my_points(self) -> int:
        """Your side's points now."""
        return self.points[self.side]

    @cached_property
    def target(self) -> int:
        """The points that win the game."""
        return self._facts.target

    # --- the auction --------------------------------------------------------------------------------------------------

    @cached_property
    def said(self) -> tuple[Said, ...]:
        """Everything said aloud in this deal, in order, as (seat, call)."""
        return self._facts.said

    @cached_property
    def bids(self) -> Mapping[int, Call]:
        """What each seat that has spoken said last, by seat."""
        return dict(self.said)

    @cached_property
    def bid(self) -> Call | None:
        """The highest bid so far, in variants with bids."""
        return self._facts.bid

    @cached_property
    def trump(self) -> Suit | None:
        """The trump suit, once it is known."""
        return self._facts.trump

    @cached_property
    def maker(self) -> int | None:
        """Who named or ordered trump, or holds the highest bid when it is over, and must make it."""
        return self._facts.maker

    @property
    def is_maker(self) -> bool:
        """Whether your side is the one that must make it."""
        return self.maker is not None and self.side_of(self.maker) == self.side

    @cached_property
    def turned_card(self) -> Card | None:
        """The card that was turned up, in variants that turn one."""
        return self._facts.turned_card

    @cached_property
    def turned(self) -> Turned:
        """What became of it: "up", "taken", "left", "down", or "none" without one."""
        return self._facts.turned

    @cached_property
    def joker_suit(self) -> Suit | None:
        """The suit that the dealer named for a turned-up joker."""
        return self._facts.joker_suit

    @cached_property
    def turned_suit(self) -> Suit | None:
        """The suit that ordering the turned card makes trump."""
        return self.joker_suit or (self.turned_card.suit if self.turned_card else None)

    # --- cards --------------------------------------------------------------------------------------------------------

    @cached_property
    def hand(self) -> tuple[Card, ...]:
        """Your cards, each copy of an identical card listed; empty while a dealer names a joker's suit unseen."""
        return self._facts.hand

    @cached_property
    def put_away(self) -> tuple[Card, ...]:
        """What you yourself laid away, threw away, put down in a swap or gave to your partner in this deal."""
        return self._facts.put_away

    @cached_property
    def received(self) -> Card | None:
        """The card that your partner gave you."""
        return self._facts.received

    @cached_property
    def played(self) -> tuple[Card, ...]:
        """Every card played in this deal, in order."""
        return tuple(card for trick in self.tricks for _, card in trick.plays)

    @cached_property
    def unseen_counts(self) -> Counter[Card]:
        """How many copies of each card are somewhere that you cannot see: 1 or more; a card that is absent counts 0.

        Not counted: your hand, what you put away, what was played, and a turned card that is still on the table. A turned
        card that the dealer took counts, until he plays it: see `dealer_holds`.
        """
        counts = Counter(self.table.pack)
        counts.subtract(self.hand)
        counts.subtract(self.put_away)
        counts.subtract(self.played)
        if self.turned_card is not None and self.turned is not Turned.TAKEN:
            counts[self.turned_card] -= 1
        return +counts

    @cached_property
    def unseen(self) -> tuple[Card, ...]:
        """The cards of `unseen_counts`, low to high by suit, copies listed."""
        return tuple(sorted(self.unseen_counts.elements(), key=_code))

    @cached_property
    def dealer_holds(self) -> Card | None:
        """The turned card, if another dealer took it and surely holds it still: not played, nor perhaps thrown with a dummy."""
        if self.turned is not Turned.TAKEN or self.is_dealer or self.turned_card is None:
            return None
        gone = {card for trick in self.tricks for seat, card in trick.plays if seat == self.dealer}
        return None if self.turned_card in gone or (self.dealer, "dummy") in self.said else self.turned_card

    @cached_property
    def voids(self) -> Mapping[int, frozenset[Suit]]:
        """By seat (every seat but yours): the suits that the seat has shown to be out of, by not following."""
        shown: dict[int, set[Suit]] = {seat: set() for seat in range(self.seats) if seat != self.seat}
        for trick in self.tricks:
            led = trick.led(self.trump)
            for seat, card in trick.plays[1:]:
                if led is not None and seat != self.seat and self.suit(card) != led:
                    shown[seat].add(led)
        return {seat: frozenset(suits) for seat, suits in shown.items()}

    @cached_property
    def cards_left(self) -> Mapping[int, int]:
        """By seat (every seat in the play but yours): how many cards it still holds; empty outside the play."""
        if self.phase is not Phase.PLAY:
            return {}
        played = Counter(seat for trick in self.tricks for seat, _ in trick.plays)
        size = len(self.hand) + played[self.seat]
        return {seat: size - played[seat] for seat in self.active if seat != self.seat}

    # --- the trick ----------------------------------------------------------------------------------------------------

    @cached_property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks of this deal so far, the one being played last."""
        return self._facts.tricks

    @cached_property
    def taken(self) -> tuple[int, ...]:
        """Tricks taken so far in this deal, by seat."""
        return self._facts.taken

    @cached_property
    def my_tricks(self) -> int:
        """Tricks taken so far by your side."""
        return self.tricks_of(self.side)

    def tricks_of(self, side: int) -> int:
        """Tricks taken so far by a side."""
        return sum(count for seat, count in enumerate(self.taken) if self.side_of(seat) == side)

    @cached_property
    def trick(self) -> Trick | None:
        """The trick being played; None while nobody has led to it."""
        return self.tricks[-1] if self.tricks and self.tricks[-1].plays and self.tricks[-1].winner is None else None

    @property
    def is_leading(self) -> bool:
        """Whether you are to lead to a trick."""
        return self.phase is Phase.PLAY and self.trick is None

    @property
    def leader(self) -> int | None:
        """Who led to the trick being played, you if you are about to; None outside the play."""
        if self.trick is not None:
            return self.trick.leader
        return self.seat if self.is_leading else None

    @cached_property
    def led(self) -> Suit | None:
        """The suit that was led; None if you are to lead."""
        return self.trick.led(self.trump) if self.trick else None

    @cached_property
    def winning(self) -> tuple[int, Card] | None:
        """Who is winning the trick being played, and with which card; None if you are to lead."""
        if self.trick is None:
            return None
        # max keeps the first of equals, as identical cards of a double deck demand.
        return max(self.trick.plays, key=lambda play: self.strength(play[1]))

    @property
    def partner_is_winning(self) -> bool:
        """Whether your partner is winning the trick being played."""
        return self.winning is not None and self.winning[0] == self.partner

    @cached_property
    def to_follow(self) -> tuple[int, ...]:
        """The seats that play to this trick after you, in order."""
        played = {seat for seat, _ in self.trick.plays} if self.trick else set()
        return tuple(seat for seat in self.active if seat not in played and seat != self.seat)

    # --- judging cards ------------------------------------------------------------------------------------------------

    def suit(self, card: Card) -> Suit | None:
        """The suit that a card belongs to now; None for a joker while there are no trumps."""
        return SUIT_BY_CODE[SUIT_OF[self._trump_code][card.code]]

    def is_trump(self, card: Card) -> bool:
        """Whether a card is a trump now."""
        return self.trump is not None and SUIT_OF[self._trump_code][card.code] == self._trump_code

    def rank(self, card: Card) -> int:
        """How high a card stands in the suit that it belongs to now; every trump ranks above every plain card."""
        return RANK[self._trump_code][card.code]

    def strength(self, card: Card) -> int:
        """How strong a card is in this trick: higher wins, 0 cannot win. If you are to lead, as though it were led."""
        own = SUIT_OF[self._trump_code][card.code] if self.led is None else CODE_BY_SUIT[self.led]
        return STRENGTH[self._trump_code][own][card.code]

    def beats(self, card: Card) -> bool:
        """Whether a card of yours would win the trick as it stands; any card does if you are to lead."""
        return self.winning is None or self.strength(card) > self.strength(self.winning[1])

    def winners(self, cards: Iterable[Card] | None = None) -> tuple[Card, ...]:
        """Those of `cards` (default: the legal ones) that would win the trick as it stands, weakest first."""
        chosen = self.legal_cards if cards is None else cards
        return tuple(sorted(filter(self.beats, chosen), key=self._order))

    def lowest(self, cards: Iterable[Card] | None = None) -> Card:
        """The lowest of `cards` (default: the legal ones): plain suits before trumps, then the weaker rank, then C D H S.

        Raises ValueError if there are none.
        """
        return min(self.legal_cards if cards is None else cards, key=self._order)

    def highest(self, cards: Iterable[Card] | None = None) -> Card:
        """The highest of `cards` (default: the legal ones), in the order of `lowest`; ValueError if there are none."""
        return max(self.legal_cards if cards is None else cards, key=self._order)

    def trumps(self, cards: Iterable[Card] | None = None) -> tuple[Card, ...]:
        """Those of `cards` (default: your hand) that are trumps, weakest first."""
        chosen = self.hand if cards is None else cards
        return tuple(sorted(filter(self.is_trump, chosen), key=self._order))

    def by_suit(self, cards: Iterable[Card] | None = None) -> Mapping[Suit, tuple[Card, ...]]:
        """`cards` (default: your hand) by the suit that they belong to, weakest first; all four suits are there."""
        chosen = sorted(self.hand if cards is None else cards, key=self._order)
        return {suit: tuple(card for card in chosen if self.suit(card) == suit) for suit in SUITS}

    def is_high(self, card: Card) -> bool:
        """Whether no unseen card of its own suit is stronger: led, it can only be trumped (or, a trump, not be beaten)."""
        own, rank = SUIT_OF[self._trump_code], RANK[self._trump_code]
        suit, worth = own[card.code], rank[card.code]
        return not any(own[other.code] == suit and rank[other.code] > worth for other in self.unseen_counts)

    @cached_property
    def _trump_code(self) -> int:
        return CODE_BY_SUIT[self.trump]

    def _order(self, card: Card) -> tuple[bool, int, int]:
        return self.is_trump(card), self.rank(card), card.code

    def __repr__(self) -> str:
        """One line for logs: the question, not all that is known."""
        hand, legal = " ".join(self.hand), " ".join(self.legal)
        return f"<View {self.variant} deal {self.deal} seat {self.seat} {self.phase}: hand {hand}; legal {legal}>"


def _code(card: Card) -> int:
    return card.code
