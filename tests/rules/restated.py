"""The clauses once more, read slowly: what is legal, and what a deal scores, from what lies on the table alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.rules import notation as n

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.rules import Deal, Rules, View


def winner(cards: Sequence[int], trump: int) -> int:
    """The index of the card that takes the trick (K4): trumps first, then the suit led, the earlier of equals."""
    suits = [n.suit_of(card, trump) for card in cards]
    best = trump if trump in suits else suits[0]
    candidates = [index for index, suit in enumerate(suits) if suit == best]
    return max(candidates, key=lambda index: (n.power(cards[index], trump), -index))


def follows(hand: Sequence[int], led: int, trump: int) -> set[int]:
    """What may be played on a card (K3)."""
    same = {card for card in hand if n.suit_of(card, trump) == n.suit_of(led, trump)}
    return same or set(hand)


def spoken(view: View) -> list[tuple[int, str]]:
    """What was said, in words."""
    return [(seat, n.text(call)) for seat, call in view.said]


def ladder(rules: Rules) -> list[str]:
    """The bids from the lowest (G2, B2, B17)."""
    top = 11 if rules.options.get("double_deck") else 5
    return [*(str(bid) for bid in range(3, top + 1)), *(["ask"] if rules.name == "bid-euchre" else []), "moon"]


def legal(rules: Rules, deal: Deal) -> set[str]:
    """Every legal move of the seat to move."""
    seat = deal.turn()
    view = deal.view(seat)
    hand = deal.hand(seat)
    phase = n.PHASES[deal.phase]
    if phase == "play":
        trick = view.tricks[-1][1] if view.tricks and view.tricks[-1][2] < 0 else []
        return set(map(n.text, follows(hand, trick[0], view.trump) if trick else hand))
    if phase in ("lay away", "dummy", "gift", "pick up"):
        return set(map(n.text, _discards(rules, view, hand, phase)))
    if phase == "alone":
        return {"alone", "dummy" if seat == view.maker and rules.name == "cutthroat" else "together"}
    if phase in ("joker", "trump"):
        return {"C", "D", "H", "S"}
    if phase == "claim":
        assert any(n.text(card)[0] == "A" for card in hand)
        assert not any(n.text(card)[0] in "JQKX" for card in hand)
        return {"claim", "no"}
    return _auction(rules, view)


def _discards(rules: Rules, view: View, hand: list[int], phase: str) -> set[int]:
    if phase == "gift" and view.seat != view.maker:
        trumps = [card for card in hand if n.suit_of(card, view.trump) == view.trump]
        return {max(trumps, key=lambda card: n.power(card, view.trump))} if trumps else set(hand)
    if phase == "pick up" and (rules.name == "turn-up" or view.maker == view.seat or rules.options["dealer_pickup"] == "must"):
        return set(hand) - {view.turned_card}
    return set(hand)


def _auction(rules: Rules, view: View) -> set[str]:
    calls = [call for _, call in spoken(view)]
    last = view.seat == view.dealer
    if rules.name in ("cutthroat", "turn-up"):
        if calls.count("pass") < rules.seats:
            return {"pass", "order"}
        turned = n.text(view.turned_card)[1] if view.turned_card != 32 else n.SUITS[view.joker_suit]
        stuck = bool(rules.options["stick_dealer"]) and last
        how = rules.options["round2_turned_suit"]
        barred = set() if how == "yes" or (how == "stuck_only" and stuck) else {turned}
        return ({*n.SUITS} - barred) | (set() if stuck else {"pass"})
    bids = [call for call in calls if call in ladder(rules)]
    higher = set(ladder(rules)[ladder(rules).index(bids[-1]) + 1 :] if bids else ladder(rules))
    stuck = bool(rules.options["stick_dealer"]) and last and not bids
    swap = {"swap"} if rules.name == "ghost-hand" and "swap" not in calls else set()
    return higher | swap | (set() if stuck else {"pass"})


def leader(rules: Rules, view: View) -> int:
    """Who leads to the first trick (G5 B4 C7 T5)."""
    words = spoken(view)
    lone = [seat for seat, call in words if call == "alone"]
    if rules.name in ("ghost-hand", "bid-euchre"):
        return [seat for seat, call in words if call in ladder(rules)][-1]
    if rules.name == "turn-up":
        out = {(seat + 2) % 4 for seat in lone}
        return next(seat % 4 for seat in range(view.dealer + 1, view.dealer + 5) if seat % 4 not in out)
    start = view.dealer if not lone else view.maker if view.maker in lone else lone[0]
    defenders = [seat for seat in lone if seat != view.maker]
    out = {3 - view.maker - defenders[0]} if defenders else set()
    return next(seat % 3 for seat in range(start + 1, start + 4) if seat % 3 not in out)


def tricks(rules: Rules, view: View) -> list[int]:
    """Tricks by seat, counted again from the cards."""
    taken = [0] * rules.seats
    for leader, cards, _ in view.tricks:
        seats = [seat % rules.seats for seat in range(leader, leader + rules.seats) if seat % rules.seats not in view.out]
        taken[seats[winner(cards, view.trump)]] += 1
    return taken


def points(rules: Rules, view: View, *, thrown_in: bool) -> list[int]:
    """What a finished deal scores (G6-G8, C8, C9, B7, B8, B17, T6), with the penalties."""
    won = [0] * rules.sides
    if not thrown_in:
        taken = [0] * rules.sides
        for seat, count in enumerate(tricks(rules, view)):
            taken[seat if rules.sides == 3 else seat % 2] += count
        won = _bid(rules, view, taken) if rules.name in ("ghost-hand", "bid-euchre") else _made(rules, view, taken)
    return [score + lost for score, lost in zip(won, view.penalty, strict=True)]


def _bid(rules: Rules, view: View, taken: list[int]) -> list[int]:
    seat, bid = [(seat, call) for seat, call in spoken(view) if call in ladder(rules)][-1]
    side = seat if rules.sides == 3 else seat % 2
    every = 12 if rules.options.get("double_deck") else 6
    asked = int(bid) if bid.isdigit() else every
    awards = dict(zip(("ask", "moon"), rules.options.get("awards") or (0, 24), strict=True))
    result = list(taken)
    if taken[side] >= asked:
        result[side] = awards.get(bid, taken[side])
    else:
        result[side] = -(awards[bid] if bid in awards and rules.options.get(f"{bid}_fail") == "award" else asked)
    return result


def _made(rules: Rules, view: View, taken: list[int]) -> list[int]:
    named = [seat for seat, call in spoken(view) if call in ("order", *n.SUITS) and seat >= 0]
    maker = named[-1] if view.joker_suit < 0 or len(named) > 1 else named[0]
    side = maker if rules.sides == 3 else maker % 2
    lone = [seat for seat, call in spoken(view) if call == "alone"]
    result = [0] * rules.sides
    others = [other for other in range(rules.sides) if other != side]
    if taken[side] >= 3:
        march = (
            (4 if maker in lone else 2) if rules.name == "turn-up" else int(rules.options["lone_march"]) if maker in lone else 3
        )
        result[side] = march if taken[side] == 5 else 1
        return result
    defenders = [seat for seat in lone if seat != maker]
    swept = bool(defenders) and (rules.name == "turn-up" or taken[defenders[0]] == 5)
    for other in others:
        result[other] = 4 if swept else 2
    return result
