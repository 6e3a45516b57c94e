"""Counts: the tricks that a hand should take when it bids, and the cards that are still out when it plays.

A call is made for what it should be worth in points over the opponents, from chances fitted by simulation (estimate.py). A
card is chosen by playing out some guesses at the hidden hands that fit everything seen so far (worlds.py).
"""

from collections.abc import Sequence
from itertools import combinations

from arena import Answer, Bot, Call, Card, Phase, View, run
from arena.sdk.words import CODE_BY_SUIT, SUITS
from sample_bots.python.estimate import Outlook, outlook
from sample_bots.python.stakes import Stakes, march_points, rivals_of, slam_stakes
from sample_bots.python.worlds import look_ahead

BUDGET = 3000
"""Cards to be played out for one decision: two or three milliseconds' worth."""

# What it is worth not to make a call, in points over the average opponent, found by trying against `greedy` (`arena tune`). The
# measures are flat about these numbers.
PASS_BEHIND_RIVAL = {1: -0.6, 2: -0.4}
"""An opponent holds the bid; by the number of opposing sides."""
PASS_BEHIND_PARTNER = 1.0
PASS_TURNED = {4: (0.3, 0.3, 0.4, 0.0), 3: (0.3, 0.7, 0.1)}
"""The turned card is up; by the number of seats and the place after the dealer, who is 0."""
PASS_ROUND_2 = {4: (0.0, 0.0, -0.2, 0.0), 3: (0.0, 0.0, 0.0)}
SWAP_WORTH = {0: 1.4, 3: 0.3}
"""A hand not seen yet, on which one may pass or bid; by the bid to beat."""
CLAIM_BELOW = 2.5
"""Tricks that a hand must promise to be played when it may be thrown in."""


class Counter(Bot):
    """Counts cards and chances."""

    name = "counter"

    def choose(self, view: View) -> Answer:
        """Decide by the phase."""
        match view.phase:
            case Phase.PLAY:
                return look_ahead(view, Stakes(view).payoff, BUDGET)
            case Phase.AUCTION:
                return speak(view)
            case Phase.TRUMP:
                return name_trump(view)
            case Phase.ALONE:
                return alone(view)
            case Phase.CLAIM:
                return "claim" if best(view).tricks < CLAIM_BELOW else "no"
        return part_with(view) if view.legal_cards else view.legal[0]


# --- judging hands ----------------------------------------------------------------------------------------------------


def case_of(view: View, bid: str | None = None) -> str:
    """The situation of a bidder, as estimate.py names it."""
    double = "double " if view.table.is_on("double_deck") else ""
    if view.partner is None:
        return "ghost"
    if bid == "moon":
        return "double lone" if double else "ghost"
    return f"{double}ask" if bid == "ask" else double.strip() or "bid"


def judge(view: View, case: str, suit: str | None, hand: Sequence[Card] | None = None) -> Outlook:
    """What a hand (default: yours) is good for with a trump suit."""
    cards = view.hand if hand is None else hand
    pack = [card.code for card in view.table.pack]
    for card in view.put_away:
        pack.remove(card.code)
    turned = view.turned_card.code if view.turned_card and case.startswith(("order", "dummy, ")) else -1
    return outlook(case, [card.code for card in cards], CODE_BY_SUIT[suit], pack, turned)


def best(view: View, case: str | None = None) -> Outlook:
    """What your hand is good for with its best suit."""
    return max((judge(view, case or case_of(view), suit) for suit in SUITS), key=lambda each: each.tricks)


def best_sweep(view: View, case: str) -> float:
    """The chance of taking every trick with the best suit for it."""
    return max(judge(view, case, suit).sweep for suit in SUITS)


# --- calls ------------------------------------------------------------------------------------------------------------


def speak(view: View) -> Call:
    """Make the call that should be worth most."""
    return max(view.legal_calls, key=lambda call: value_of(view, call))


def value_of(view: View, call: Call) -> float:
    """What a call in the auction should be worth, in points over the average opponent."""
    if call == "pass":
        return value_of_pass(view)
    if call == "swap":
        return SWAP_WORTH.get(view.bid.bid or 0 if view.bid else 0, 0.0)
    if call == "order":
        return value_of_making(view, turned_outlook(view))
    if call.suit:
        case = "named" if view.partner is not None else "dummy named"
        return max(value_of_making(view, judge(view, case, call.suit)), value_of_lone(view, call.suit))
    if call.bid:
        return value_of_bid(best(view), call.bid, rivals_of(view))
    return value_of_slam(view, call)


def value_of_pass(view: View) -> float:
    """What passing is worth: less when there are others to bid, more behind a partner's bid."""
    if view.turned_card is not None:
        values = PASS_TURNED if "order" in view.legal else PASS_ROUND_2
        return values[view.seats][(view.seat - view.dealer) % view.seats]
    if view.maker is None:
        return 0.0
    return PASS_BEHIND_PARTNER if view.maker == view.partner else PASS_BEHIND_RIVAL[rivals_of(view)]


def value_of_bid(hand: Outlook, bid: int, rivals: int) -> float:
    """A plain bid: a point a trick if it is made, minus the bid if not; the others' tricks count for them."""
    return sum(
        hand.exactly(count) * ((count if count >= bid else -bid) - (hand.size - count) / rivals) for count in range(hand.size + 1)
    )


def value_of_slam(view: View, call: Call) -> float:
    """A bid of all the tricks."""
    award, cost = slam_stakes(view.options, call, len(view.hand))
    chance = best_sweep(view, case_of(view, call))
    return chance * award - (1 - chance) * (cost + 1.5 / rivals_of(view))


def name_trump(view: View) -> Call:
    """Name the suit that gives most tricks, or the best chance of all where all are needed."""
    case = case_of(view, view.bid)
    hands = {call: judge(view, case, call.suit) for call in view.legal_calls}
    slam = view.bid is not None and view.bid.bid is None
    return max(hands, key=lambda call: hands[call].sweep if slam else hands[call].tricks)


def value_of_making(view: View, hand: Outlook, *, lone: bool = False) -> float:
    """Naming trump: a point for three tricks, more for all five, two lost for fewer than three."""
    march = march_points(view.options, rivals_of(view), alone=lone)
    made, swept = hand.at_least(3), hand.at_least(5)
    return made + (march - 1) * swept - 2 * (1 - made)


def value_of_lone(view: View, suit: str | None) -> float:
    """Naming trump and playing alone."""
    return value_of_making(view, judge(view, "lone" if view.partner is not None else "three alone", suit), lone=True)


def turned_outlook(view: View) -> Outlook:
    """What your hand is good for if the turned card is ordered."""
    kind = "order" if view.partner is not None else "dummy"
    if view.is_dealer:
        assert view.turned_card is not None
        hand = (*view.hand, view.turned_card)
        kept = [(*hand[:place], *hand[place + 1 :]) for place in range(len(view.hand))]
        return max((judge(view, f"{kind}, dealer", view.turned_suit, each) for each in kept), key=lambda each: each.tricks)
    if view.partner == view.dealer:
        return judge(view, "order, partner deals", view.turned_suit)
    left = view.seat == (view.dealer + 1) % view.seats
    return judge(view, f"{kind}, {'left' if left else 'right'} of dealer", view.turned_suit)


def alone(view: View) -> Call:
    """Play alone if that should be worth more than with help; as a defender only on a hand that cannot fail."""
    suit = view.trump
    if view.is_maker and view.maker == view.seat:
        helped = value_of_making(view, judge(view, "named" if view.partner is not None else "dummy named", suit))
        wanted = value_of_lone(view, suit) > helped
    else:
        wanted = judge(view, "lone", suit).tricks > 4.2
    return next(call for call in view.legal_calls if (call == "alone") == wanted)


# --- cards to part with -----------------------------------------------------------------------------------------------


def part_with(view: View) -> Card:
    """Lay away, throw, discard or give the card without which the hand is best."""
    if view.phase is Phase.GIFT and view.seat != view.maker:
        return view.highest()
    if view.phase is Phase.DUMMY:
        kept = best_five(view)
        return view.lowest(card for card in view.legal_cards if card not in kept)
    suits = [view.trump] if view.trump else list(SUITS)
    case = "ghost" if view.trump is None or view.bid else "three alone"
    return max(
        view.legal_cards,
        key=lambda card: max(judge(view, case, suit, without(view.hand, card)).tricks for suit in suits),
    )


def best_five(view: View) -> Sequence[Card]:
    """The five cards to keep of those in hand: trumps first, and the plain cards that go best with them."""
    trumps = view.trumps()[-5:]
    plain = [card for card in view.hand if not view.is_trump(card)]
    choices = [(*trumps, *some) for some in combinations(plain, 5 - len(trumps))]
    return max(choices, key=lambda cards: judge(view, "three alone", view.trump, cards).tricks)


def without(hand: Sequence[Card], card: Card) -> list[Card]:
    """The hand less one copy of a card."""
    rest = list(hand)
    rest.remove(card)
    return rest


if __name__ == "__main__":
    run(Counter())
