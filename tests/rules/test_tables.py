"""What the rules look up rather than work out, against the same worked out plainly; and what they play by themselves."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from referee.rules import VARIANTS, IllegalAction, Rules, Variant
from referee.rules.cards import BIT, JOKER, bits, mask_of, pick
from referee.rules.phases import DefendersAlone, next_seats
from referee.rules.tricks import LED, effective_suit, strength
from tests.rules import notation as n
from tests.rules import settings

SETTINGS = pytest.mark.parametrize("setting", settings.ALL, ids=settings.name)
MASKS = st.integers(0, 2**64 - 1) | st.integers(0, 2**33 - 1) | st.sets(st.integers(0, 63), max_size=6).map(n.mask)


@hypothesis_settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(mask=MASKS)
def test_the_actions_of_a_mask(mask: int) -> None:
    for _ in range(2):  # the second time it is known
        assert bits(mask) == tuple(action for action in range(64) if mask >> action & 1)
    assert mask_of(bits(mask)) == mask


def test_the_mask_of_an_action() -> None:
    assert list(BIT) == [2**action for action in range(64)]


def test_what_follows_a_card_and_what_it_is_worth() -> None:
    """For every trump, none included, and every card led."""
    deck = range(JOKER + 1)
    for trump, led in product((0, 1, 2, 3, -1), deck):
        suit = effective_suit(led, trump)
        follow, worth = LED[trump][led]
        assert follow == n.mask([card for card in deck if effective_suit(card, trump) == suit])
        assert worth == tuple(strength(card, trump, suit) for card in deck)


@pytest.mark.parametrize("seats", [3, 4])
def test_the_next_seat(seats: int) -> None:
    for out in range(2**seats - 1):
        for seat, after in enumerate(next_seats(seats, out)):
            assert not out >> after & 1
            between = [(seat + step) % seats for step in range(1, (after - seat - 1) % seats + 1)]
            assert all(out >> other & 1 for other in between), "nobody who plays is passed over"


@pytest.mark.parametrize("from_maker", [False, True])
@pytest.mark.parametrize("name", ["cutthroat", "turn-up"])
def test_the_defenders(name: str, *, from_maker: bool) -> None:
    """From the maker's left, or from the dealer's."""
    terms = Rules(name).terms
    for dealer, maker in product(range(terms.seats), repeat=2):
        first, second = DefendersAlone(from_maker=from_maker).defenders(terms, dealer, maker)
        assert {first, second} == {seat for seat in range(terms.seats) if terms.side(seat) != terms.side(maker)}
        start = maker if from_maker else dealer
        assert (first - start - 1) % terms.seats < (second - start - 1) % terms.seats


@hypothesis_settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(actions=st.sets(st.integers(0, 63), min_size=2, max_size=12))
def test_picks_are_equally_likely(actions: set[int]) -> None:
    """The numbers from 0 to 1 are shared out evenly, in as many parts as there are actions."""
    count = len(actions)
    lowest = [pick(n.mask(actions), lambda part=part: part / count + 1e-9) for part in range(count)]  # type: ignore[misc]
    highest = [pick(n.mask(actions), lambda part=part: part / count - 1e-9) for part in range(1, count + 1)]  # type: ignore[misc]
    assert lowest == highest == sorted(actions)
    assert pick(n.mask(actions), lambda: 1 - 2**-53) == max(actions)


def test_what_is_forced_takes_no_chance() -> None:
    def draw() -> float:
        raise AssertionError("asked for a number")

    assert [pick(1 << action, draw) for action in range(64)] == list(range(64))


def test_every_order_of_the_pack_is_as_likely() -> None:
    """Each of the numbers drawn chooses evenly, and each choice leads to another order."""
    rules = Rules("ghost-hand")
    orders = []
    for numbers in product(range(24), range(23), range(22)):
        drawn = iter([(number + 0.5) / count for number, count in zip(numbers, (24, 23, 22), strict=True)])
        orders.append(tuple(rules.shuffled(lambda drawn=drawn: next(drawn, 0.0))))  # type: ignore[misc]
    assert len(set(orders)) == len(orders) == 24 * 23 * 22
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(rules.pack))}
    assert len({order[-3:] for order in orders}) == len(orders), "the three numbers settled three places"


@SETTINGS
def test_a_deal_is_played_out_by_legal_moves(setting: settings.Setting) -> None:
    """From any point on: the same moves and points as step by step with the same numbers; the deal that was copied stays."""
    rules = Rules(*setting)
    for number in range(8):
        chance = random.Random(number)
        stepped = rules.deal(rules.shuffled(chance.random), number % rules.seats)
        for _ in range(chance.randrange(12)):
            if stepped.seat >= 0:
                stepped.apply(chance.choice(stepped.legal_actions()))
        before, out = list(stepped.moves), stepped.copy()
        out.play_out(random.Random(number).random)
        assert stepped.moves == before
        again = random.Random(number)
        while stepped.seat >= 0:
            legal = stepped.legal_actions()
            assert legal == bits(stepped.legal)
            stepped.apply(legal[int(again.random() * len(legal))] if len(legal) > 1 else legal[0])
        assert (out.seat, out.moves, out.tricks, out.points()) == (-1, stepped.moves, stepped.tricks, stepped.points())
        assert [out.view(seat) for seat in range(rules.seats)] == [stepped.view(seat) for seat in range(rules.seats)]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_numbers_must_lie_below_one(variant: Variant) -> None:
    rules = Rules(variant.name)
    with pytest.raises(IllegalAction):
        rules.deal(rules.pack, 0).play_out(lambda: 1.0)
