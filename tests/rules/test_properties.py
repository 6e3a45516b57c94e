"""What must hold in every deal and game, whatever is dealt and played, under every option of every variant."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from euchre.v1 import table_pb2
from referee.game import Game
from referee.rules import VARIANTS, BadOption, IllegalAction, Rules, UnknownVariant, Variant, View, find_variant
from referee.shuffle import shuffled
from tests.rules import notation as n
from tests.rules import restated, settings
from tests.rules.stacking import hand_size, receivers
from tests.rules.worlds import choose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.rules import Deal

SETTINGS = pytest.mark.parametrize("setting", settings.ALL, ids=settings.name)
DEALS = st.tuples(st.integers(0, 2**32), st.integers(0, 3), st.binary(min_size=40, max_size=80))
"""A seed of the pack, a dealer, and the choices: at move i the legal action number (choice i modulo how many there are)."""


def few(examples: int) -> hypothesis_settings:
    return hypothesis_settings(max_examples=examples, deadline=None, derandomize=True, database=None)


def begin(rules: Rules, seed: int, dealer: int) -> tuple[Deal, list[int]]:
    """A deal of a random pack."""
    pack = list(rules.pack)
    random.Random(seed).shuffle(pack)
    return rules.deal(pack, dealer % rules.seats), pack


def chosen(deal: Deal, choices: bytes) -> Iterator[int]:
    """The actions of a random play of the deal; the consumer applies them."""
    move = 0
    while deal.turn() >= 0:
        legal = n.members(deal.legal)
        yield legal[choices[move % len(choices)] % len(legal)]
        move += 1


def state(rules: Rules, deal: Deal) -> tuple[object, ...]:
    """Everything that can be read of a deal."""
    views = tuple(repr(deal.view(seat)) for seat in range(rules.seats))
    hands = tuple(tuple(deal.hand(seat)) for seat in range(rules.seats))
    return deal.turn(), deal.legal, deal.phase, tuple(deal.moves), tuple(deal.tricks), deal.thrown_in, hands, views


def unseen(rules: Rules, dealer: int, pack: list[int], view: View) -> Counter[int]:
    """What lies in no hand, no trick and nobody's discards: the ghost, the dummy, the stock."""
    order = receivers(rules, dealer)
    dealt = hand_size(rules) * len(order)
    said = {call for _, call in restated.spoken(view)}
    left = Counter(pack[dealt:])
    if rules.seats == 3 and not said & {"swap", "dummy"}:
        left.update(pack[rules.seats : dealt : len(order)])
    if view.turned == n.TURNED["taken"] or n.PHASES[view.phase] == "pick up" or rules.options.get("joker"):
        left.subtract([pack[dealt]])
    return +left


def check_cards(rules: Rules, deal: Deal, dealer: int, pack: list[int]) -> None:
    views = [deal.view(seat) for seat in range(rules.seats)]
    found = unseen(rules, dealer, pack, views[0])
    found.update(card for _, cards, _ in views[0].tricks for card in cards)
    for seat, view in enumerate(views):
        found.update(deal.hand(seat))
        found.update(view.put_away)
        if view.received >= 0:  # it is among what the partner put away, too
            found.subtract([view.received])
    assert found == Counter(pack)


def check_legal(rules: Rules, deal: Deal) -> None:
    seat = deal.turn()
    assert 0 <= seat < rules.seats
    assert seat not in deal.view(seat).out or n.PHASES[deal.phase] == "gift"
    legal = n.members(deal.legal)
    assert legal
    assert {n.text(action) for action in legal} == restated.legal(rules, deal)
    cards = [action for action in legal if action < n.FIRST_CALL]
    assert set(cards) <= set(deal.hand(seat))
    assert cards in ([], legal), "cards and calls are never asked for together"


def check_illegal(rules: Rules, deal: Deal, rng: random.Random) -> None:
    before = state(rules, deal)
    for action in (
        -1,
        -64,
        -65,
        64,
        99,
        -(1 << 80),
        1 << 80,
        *rng.sample([action for action in range(64) if not deal.legal >> action & 1], 4),
    ):
        with pytest.raises(IllegalAction):
            deal.apply(action)
    assert state(rules, deal) == before


@SETTINGS
@few(12)
@given(drawn=DEALS)
def test_every_step(setting: settings.Setting, drawn: tuple[int, int, bytes]) -> None:
    """Cards are conserved, legal moves and points are those of the clauses.

    Moves: G2 G3 G5 C2 C3 C4 C5 C6 B2 B4 B5 B14 B15 B16 T1 T2 T3 T4 K3. Leads: G5 B4 C7 T5 K4.
    Points: G6 G7 G8 C8 C9 B7 B8 B17 T6.
    """
    rules = Rules(*setting)
    seed, dealer, choices = drawn
    dealer %= rules.seats
    deal, pack = begin(rules, seed, dealer)
    for action in chosen(deal, choices):
        check_cards(rules, deal, dealer, pack)
        check_legal(rules, deal)
        with pytest.raises(IllegalAction):
            deal.points()
        deal.apply(action)
    check_cards(rules, deal, dealer, pack)
    assert deal.legal == 0
    view = deal.view(0)
    assert deal.tricks == view.taken == restated.tricks(rules, view)
    assert sum(deal.tricks) == (0 if deal.thrown_in else hand_size(rules))
    assert deal.points() == restated.points(rules, view, thrown_in=deal.thrown_in)
    if view.tricks:
        assert view.tricks[0][0] == restated.leader(rules, view)
        assert [led for led, _, _ in view.tricks[1:]] == [won for _, _, won in view.tricks[:-1]], "the winner leads"


@SETTINGS
@few(4)
@given(drawn=DEALS)
def test_illegal_moves_change_nothing(setting: settings.Setting, drawn: tuple[int, int, bytes]) -> None:
    """A move that is not legal raises IllegalAction and leaves everything that can be read as it was."""
    rules = Rules(*setting)
    seed, dealer, choices = drawn
    deal, _ = begin(rules, seed, dealer)
    rng = random.Random(seed)
    for action in chosen(deal, choices):
        check_illegal(rules, deal, rng)
        deal.apply(action)
    check_illegal(rules, deal, rng)


@SETTINGS
@few(6)
@given(drawn=DEALS)
def test_revokes(setting: settings.Setting, drawn: tuple[int, int, bytes]) -> None:
    """Whoever revokes pays at once, and plays the card itself under `stand`, else the lowest that is legal (G9 B9 C10 K11)."""
    rules = Rules(*setting)
    seed, dealer, choices = drawn
    dealer %= rules.seats
    deal, pack = begin(rules, seed, dealer)
    penalty = [0] * rules.sides
    for action in chosen(deal, choices):
        seat = deal.turn()
        wrong = [card for card in set(deal.hand(seat)) if not deal.legal >> card & 1] if n.PHASES[deal.phase] == "play" else []
        assert [card for card in range(33) if deal.is_revoke(card)] == sorted(wrong)
        if not wrong:
            deal.apply(action)
            continue
        trump = deal.view(seat).trump
        lowest = min(
            n.members(deal.legal),
            key=lambda card: (n.suit_of(card, trump) == trump, n.power(card, trump), card // 8),
        )
        answer = wrong[action % len(wrong)]
        assert deal.revoke(answer) == (answer if rules.options["revoke"] == "stand" else lowest)
        penalty[seat if rules.sides == 3 else seat % 2] -= rules.options["revoke_points"]
        assert deal.view(0).penalty == penalty
        check_cards(rules, deal, dealer, pack)
    assert deal.points() == restated.points(rules, deal.view(0), thrown_in=deal.thrown_in)
    assert deal.view(0).penalty == penalty


@SETTINGS
@few(4)
@given(drawn=DEALS)
def test_replay(setting: settings.Setting, drawn: tuple[int, int, bytes]) -> None:
    """The same pack and the same moves give the same deal, step by step."""
    rules = Rules(*setting)
    seed, dealer, choices = drawn
    deal, pack = begin(rules, seed, dealer)
    again = Rules(*setting).deal(pack, dealer % rules.seats)
    for action in chosen(deal, choices):
        assert state(rules, deal) == state(rules, again)
        deal.apply(action)
        again.apply(action)
    assert state(rules, deal) == state(rules, again)
    assert deal.points() == again.points()


def turned(view: View, by: int, seats: int) -> dict[str, object]:
    """A view as the seat `by` places further round would have it."""
    sides = 3 if seats == 3 else 2

    def rotate(values: list[int], size: int) -> list[int]:
        return [values[(index - by) % size] for index in range(size)]

    fields = {name: getattr(view, name) for name in view.__slots__}
    for name in ("seat", "dealer", "maker"):
        fields[name] = (fields[name] + by) % seats if fields[name] >= 0 else fields[name]
    fields["said"] = [((seat + by) % seats, call) for seat, call in view.said]
    fields["alone"] = sorted((seat + by) % seats for seat in view.alone)
    fields["out"] = sorted((seat + by) % seats for seat in view.out)
    fields["tricks"] = [((led + by) % seats, cards, (won + by) % seats if won >= 0 else won) for led, cards, won in view.tricks]
    fields["taken"] = rotate(view.taken, seats)
    fields["total"] = rotate(view.total, sides)
    fields["penalty"] = rotate(view.penalty, sides)
    return fields


@SETTINGS
@few(4)
@given(drawn=DEALS, by=st.integers(1, 3))
def test_seats_are_equal(setting: settings.Setting, drawn: tuple[int, int, bytes], by: int) -> None:
    """With dealer and hands moved round the table, everything that a seat sees moves round with them (K5)."""
    rules = Rules(*setting)
    seed, dealer, choices = drawn
    first, pack = begin(rules, seed, dealer)
    totals = [7, -3, 20][: rules.sides]
    moved = [totals[(side - by) % rules.sides] for side in range(rules.sides)]
    first = rules.deal(pack, dealer % rules.seats, 4, totals)
    second = rules.deal(pack, (dealer + by) % rules.seats, 4, moved)
    for action in [*chosen_moves(rules, pack, dealer, choices), None]:
        for seat in range(rules.seats):
            there = second.view((seat + by) % rules.seats)
            here = turned(first.view(seat), by, rules.seats)
            assert here == {**turned(there, 0, rules.seats)}
        if action is not None:
            assert first.legal == second.legal
            first.apply(action)
            second.apply(action)
    assert turned(first.view(0), by, rules.seats)["taken"] == second.tricks
    points = first.points()
    assert [points[(side - by) % rules.sides] for side in range(rules.sides)] == second.points()


def chosen_moves(rules: Rules, pack: list[int], dealer: int, choices: bytes) -> list[int]:
    deal = rules.deal(pack, dealer % rules.seats)
    for action in chosen(deal, choices):
        deal.apply(action)
    return list(deal.moves)


@SETTINGS
def test_games_end(setting: settings.Setting) -> None:
    """A game of random players ends by target or `max_deals`, never in mid-deal, nor while the best is shared (K6 K7 K8)."""
    rules = Rules(*setting)
    for set_number in range(2):
        rng = random.Random(set_number)
        game = Game(rules, bytes(range(32)), set_number)
        while not game.finished:
            assert len(game.deals) < rules.max_deals
            assert not game.deals or not _over(rules, game.totals)
            game.apply(rng.choice(n.members(game.deal.legal)))
        totals = [sum(deal["points"][side] for deal in game.deals) for side in range(rules.sides)]
        assert game.totals == totals
        assert game.end == ("won" if _over(rules, totals) else "max_deals")
        assert len(game.deals) <= rules.max_deals
        assert game.end == "won" or len(game.deals) == rules.max_deals
        assert game.places() == [1 + sum(other > total for other in totals) for total in totals]
        with pytest.raises(IllegalAction):
            game.apply(n.action("pass"))


def _over(rules: Rules, totals: list[int]) -> bool:
    return max(totals) >= rules.options["target"] and totals.count(max(totals)) == 1


@SETTINGS
def test_packs(setting: settings.Setting) -> None:
    """Every setting has the pack that its clauses say, in canonical order, dealt as they say (G1 C1 C11 B1 B16 B17 T1)."""
    rules = Rules(*setting)
    low = 0 if rules.options.get("deck") == 32 else 2
    pack = [
        suit * 8 + rank
        for suit in range(4)
        for rank in range(low, 8)
        for _ in range(2 if rules.options.get("double_deck") else 1)
    ]
    joker = rules.options.get("joker") or rules.options.get("deck") == 25
    assert list(rules.pack) == pack + ([32] if joker else [])
    deal = rules.deal(shuffled(bytes(32), 0, 0, rules.pack), 1)
    sizes = [hand_size(rules)] * rules.seats
    sizes[1] += 1 if rules.options.get("joker") else 0
    assert [len(deal.hand(seat)) for seat in range(rules.seats)] == sizes
    assert (deal.view(0).turned_card >= 0) == (rules.name in ("cutthroat", "turn-up"))


def test_unknown_names_are_explained() -> None:
    """An unknown variant, option or value is an error that lists what is known."""
    with pytest.raises(UnknownVariant, match=r"'whist'.*ghost-hand, cutthroat, bid-euchre, turn-up"):
        find_variant("whist")
    with pytest.raises(UnknownVariant):
        Rules("Ghost-Hand")
    for variant in VARIANTS:
        with pytest.raises(BadOption) as caught:
            Rules(variant.name, {"jokers": "on"})
        assert "'jokers'" in str(caught.value)
        assert all(option.name in str(caught.value) for option in variant.options)
        for option in variant.options:
            for bad in ("sometimes", "", "-1", "99999", None, 1.5, [], {}):
                with pytest.raises(BadOption) as caught:
                    Rules(variant.name, {option.name: bad})
                assert option.name in str(caught.value)
                assert all(value in str(caught.value) for value in option.values)


def test_joker_and_double_deck_exclude_each_other() -> None:
    """Two packs have no joker (B17)."""
    with pytest.raises(BadOption, match="joker"):
        Rules("bid-euchre", {"joker": "on", "double_deck": "on"})
    assert Rules("bid-euchre", {"joker": "off", "double_deck": "on"}).options["awards"] == [18, 24]


def test_options_resolve_alike_from_text_and_from_json() -> None:
    """What a record holds, resolved, resolves to itself, and the text of each value means the same (K8)."""
    for setting in settings.ALL:
        rules = Rules(*setting)
        assert Rules(rules.name, rules.options).options == rules.options
        assert set(rules.options) == {option.name for option in rules.variant.options}


def test_seatings() -> None:
    """A duplicate set seats three bots in all six orders, and two bots in both."""
    assert sorted(Rules("cutthroat").seatings()) == [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    assert sorted(Rules("turn-up").seatings()) == [(0, 1, 0, 1), (1, 0, 1, 0)]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_a_view_is_a_copy(variant: Variant) -> None:
    """Whatever a reader does to a view or to a hand, the deal stays as it is."""
    rules = Rules(variant.name)
    deal, _ = begin(rules, 5, 1)
    rng = random.Random(8)
    while deal.turn() >= 0:
        before = state(rules, deal)
        for seat in range(rules.seats):
            view = deal.view(seat)
            for name in view.__slots__:
                if isinstance(value := getattr(view, name), list):
                    value.clear()
            for _, cards, _ in deal.view(seat).tricks:
                cards.clear()
            deal.hand(seat).clear()
        assert state(rules, deal) == before
        deal.apply(choose(deal, rng))


def test_a_view_has_the_fields_of_the_protocol() -> None:
    """What the rules show a seat is what the protocol carries, field by field."""
    assert list(View.__slots__) == [field.name for field in table_pb2.View.DESCRIPTOR.fields]
