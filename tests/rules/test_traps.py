"""The mistakes that published Euchre programs made, each shown not to be made here."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from referee.game import Game
from referee.rules import Rules, tricks
from tests.rules import notation as n
from tests.rules import worlds
from tests.rules.contracts import play_to
from tests.rules.games import game_of
from tests.rules.lines import Line, seen_cards
from tests.rules.stacking import stacked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.rules import Deal

COLOURS = [("C", "S"), ("S", "C"), ("D", "H"), ("H", "D")]


def deal_of(name: str, dealer: int, hands: Mapping[int, str], stock: str = "", **options: object) -> Deal:
    rules = Rules(name, options)
    cards = {seat: n.actions(hand) for seat, hand in hands.items()}
    return rules.deal(stacked(rules, dealer, random.Random(5), cards, n.actions(stock)), dealer)


def say(deal: Deal, words: str) -> None:
    for word in words.split():
        deal.apply(n.action(word))


def legal(deal: Deal) -> str:
    return n.texts(n.members(deal.legal))


@pytest.mark.parametrize(("trump", "other"), COLOURS)
def test_the_left_bower_leads_and_follows_as_trump(trump: str, other: str) -> None:
    """Led, the left bower asks for trumps; it answers trumps and never the suit printed on it (K2 K3)."""
    plain = next(suit for suit in n.SUITS if suit not in (trump, other))
    hands = {
        1: f"J{other} 9{other} T{other} Q{other} 9{plain} T{plain}",
        2: f"9{trump} K{other} A{other} J{plain} Q{plain} K{plain}",
    }
    deal = deal_of("ghost-hand", 0, hands)
    say(deal, f"3 pass pass {trump} J{other}")
    assert legal(deal) == f"9{trump}"
    hands = {1: hands[2], 2: f"J{other} 9{plain} T{plain} A{plain} A{trump} K{trump}"}
    deal = deal_of("ghost-hand", 0, hands)
    say(deal, f"3 pass pass {trump} K{other}")
    assert set(legal(deal).split()) == set(hands[2].split()), "void in the printed suit"
    deal = deal_of("ghost-hand", 0, {1: f"9{trump} {hands[1][3:]}", 2: f"J{other} 9{plain} T{plain} A{plain} T{other} Q{other}"})
    say(deal, f"3 pass pass {trump} 9{trump}")
    assert legal(deal) == f"J{other}", "the only trump"


def test_the_left_bower_does_not_keep_a_hand_from_being_void() -> None:
    """A hand whose only card of a printed suit is the left bower is void in that suit (K2)."""
    for trump, other in COLOURS:
        hand = n.mask(n.actions(f"J{other} A{trump}"))
        assert tricks.legal_plays(hand, n.action(f"A{other}"), n.SUITS.index(trump)) == hand
        hand = n.mask(n.actions(f"J{other} 9{other} A{trump}"))
        assert tricks.legal_plays(hand, n.action(f"A{other}"), n.SUITS.index(trump)) == n.mask(n.actions(f"9{other}"))


def test_a_discard_takes_no_trick() -> None:
    """When nobody follows or trumps, the card led takes the trick, however low (K4)."""
    for trump in range(4):
        for led in range(33):
            for discard in range(33):
                suits = {n.suit_of(led, trump), trump}
                if n.suit_of(discard, trump) not in suits:
                    assert tricks.trick_winner([led, discard, discard], trump) == 0


def test_the_jacks_of_the_other_colour_stay_where_they_are() -> None:
    """Jacks of the colour that is not trump stand between ten and queen, and in their own suit (K1)."""
    for trump, same in COLOURS:
        for suit in set(n.SUITS) - {trump, same}:
            named = n.SUITS.index(trump)
            ten, jack, queen = n.actions(f"T{suit} J{suit} Q{suit}")
            assert tricks.trick_winner([ten, jack], named) == 1
            assert tricks.trick_winner([jack, queen], named) == 1
            assert tricks.trick_winner([queen, jack], named) == 0
            assert tricks.effective_suit(jack, named) == n.SUITS.index(suit)


def test_bowers_change_with_the_next_deal_only() -> None:
    """A jack that was the left bower in one deal is a plain jack in the next (K1)."""
    first = deal_of("ghost-hand", 0, {1: "JD 9D TD QD KD AD", 2: "9H TH QH KH AH JH"})
    say(first, "3 pass pass H JD")
    assert legal(first) == "9H TH JH QH KH AH"
    second = deal_of("ghost-hand", 0, {1: "JD 9D TD QD KD AD", 2: "9H TH QH KH AH JH"})
    say(second, "3 pass pass S JD")
    assert len(legal(second).split()) == 6


@pytest.mark.parametrize("maker", range(4))
@pytest.mark.parametrize("dealer", range(4))
def test_the_partner_of_the_lone_player_is_skipped(maker: int, dealer: int) -> None:
    """Whoever plays alone, his own partner sits out, and nobody else; he is skipped in every trick (T3 T5 B6)."""
    deal = deal_of("turn-up", dealer, {})
    while n.PHASES[deal.phase] == "auction":
        say(deal, "order" if deal.turn() == maker else "pass")
    deal.apply(n.members(deal.legal)[0])
    say(deal, "alone")
    assert deal.view(0).out == [(maker + 2) % 4]
    movers = set()
    while deal.turn() >= 0:
        movers.add(deal.turn())
        deal.apply(n.members(deal.legal)[-1])
    assert movers == set(range(4)) - {(maker + 2) % 4}
    assert all(len(cards) == 3 for _, cards, _ in deal.view(0).tricks)
    assert len(deal.hand((maker + 2) % 4)) == 5
    moon = deal_of("bid-euchre", dealer, {})
    while n.PHASES[moon.phase] == "auction":
        say(moon, "moon" if moon.turn() == maker else "pass")
    say(moon, "C")
    assert moon.view(0).out == [(maker + 2) % 4]


def test_the_dealer_discards_before_anybody_is_alone() -> None:
    """The dealer lays away before the maker says `alone`, and is asked nothing more once he sits out (T1 T3)."""
    deal = deal_of("turn-up", 0, {0: "9C TC QC KC AC"}, "9H")
    say(deal, "pass order")
    assert (deal.turn(), n.PHASES[deal.phase]) == (0, "pick up")
    say(deal, "9C alone")
    assert deal.view(0).out == [0]
    while deal.turn() >= 0:
        assert deal.turn() != 0, "who sits out is asked nothing more"
        deal.apply(n.members(deal.legal)[0])
    assert deal.hand(0) == sorted(n.actions("TC QC KC AC 9H"))


@pytest.mark.parametrize("name", ["cutthroat", "turn-up"])
def test_the_maker_is_who_ordered(name: str) -> None:
    """Whoever orders or names is the maker, the dealer or not; points go by the maker (C2 C8 T1 T6)."""
    rules = Rules(name)
    for maker in range(rules.seats):
        for dealer in range(rules.seats):
            deal = deal_of(name, dealer, {})
            while n.PHASES[deal.phase] == "auction":
                say(deal, "order" if deal.turn() == maker else "pass")
            assert deal.view(0).maker == maker
            side = rules.side(maker)
            march = [5 if other == side else 0 for other in range(rules.sides)]
            played, _ = play_to(rules, dealer, f"maker {maker}", march)
            assert [points > 0 for points in played.points()] == [other == side for other in range(rules.sides)]


@pytest.mark.parametrize("name", ["ghost-hand", "cutthroat", "bid-euchre", "turn-up"])
def test_every_seat_can_be_the_maker(name: str) -> None:
    """Random deals make every seat the maker, seat 0 as often as the others (K5)."""
    rules = Rules(name)
    makers = [0] * rules.seats
    rng = random.Random(3)
    for number in range(400):
        pack = list(rules.pack)
        rng.shuffle(pack)
        deal = rules.deal(pack, number % rules.seats)
        while deal.turn() >= 0 and n.PHASES[deal.phase] != "play":
            deal.apply(worlds.choose(deal, rng))
        if not deal.thrown_in:
            makers[deal.view(0).maker] += 1
    assert min(makers) > sum(makers) / rules.seats * 0.7, makers


def test_one_copy_is_played_at_a_time() -> None:
    """Of two identical cards one stays in the hand, is legal again, and is followed with (B17)."""
    deal = deal_of("bid-euchre", 3, {0: "JH JH AH AH KH KH QH QH TH TH 9H 9H"}, double_deck=True)
    say(deal, "moon H JH")
    assert n.texts(deal.hand(0)).split().count("JH") == 1
    while deal.turn() != 0:
        deal.apply(n.members(deal.legal)[0])
    say(deal, "JH")
    assert "JH" not in n.texts(deal.hand(0)).split()
    assert len(deal.hand(0)) == 10


def test_hidden_discards_stay_hidden_to_the_end() -> None:
    """What the dealer laid away and what was thrown from the dummy is in nobody else's view, even when the deal is over (K9)."""
    deal = deal_of("turn-up", 0, {0: "9C TC QC KC AC"}, "9H")
    say(deal, "order 9C together")
    while deal.turn() >= 0:
        deal.apply(n.members(deal.legal)[0])
    seen = [n.action("9C") in seen_cards(deal.view(seat)) for seat in range(4)]
    assert seen == [True, False, False, False]
    deal = deal_of("cutthroat", 0, {1: "9C TC QC KC AC", -1: "9D TD QD KD AD"}, "9H")
    say(deal, "order 9H dummy 9C TC 9D TD QD together together")
    while deal.turn() >= 0:
        deal.apply(n.members(deal.legal)[0])
    for seat in range(3):
        assert bool(seen_cards(deal.view(seat)) & set(n.actions("9C TC 9D TD QD"))) == (seat == 1)


def test_another_world_keeps_its_own_discards() -> None:
    """Worlds made for the secrecy tests do move the dealer's discard, so that those tests do look at it (K9)."""
    rules = Rules("turn-up")
    moved = 0
    for seed in range(20):
        rng = random.Random(seed)
        pack = list(rules.pack)
        rng.shuffle(pack)
        world = worlds.World(rules, 0, pack)
        world.apply(n.action("order"))
        world.apply(n.members(world.deal.legal)[0])
        other = worlds.other_world(world, 1, rng)
        moved += other is not None and other.deal.view(0).put_away != world.deal.view(0).put_away
    assert moved > 10


def test_the_target_is_not_looked_at_in_mid_deal() -> None:
    """A side that has the tricks for the target plays on to the last trick, and can be overtaken in it (K6)."""
    rules = Rules("ghost-hand")
    deal, pack = play_to(rules, 0, "3 by 0", [3, 2, 1])
    with game_of(rules, 0, [pack], random.Random(1), [31, 31, 10]) as game:
        for move in deal.moves:
            assert not game.finished
            assert game.totals == [31, 31, 10]
            game.apply(move)
        assert game.totals == [34, 33, 11]
        assert game.end == "won"
        assert sum(game.deals[0]["tricks"]) == 6


def test_totals_may_be_negative() -> None:
    """A total below nought is kept, counted on and shown to the seats as it is (K7 G8)."""
    rules = Rules("ghost-hand")
    deal, pack = play_to(rules, 0, "5 by 0", [4, 1, 1])
    with game_of(rules, 0, [pack], random.Random(1)) as game:
        for move in deal.moves:
            game.apply(move)
        assert game.totals == [-5, 1, 1]
        assert game.deal.view(2).total == [-5, 1, 1]
        assert game.places() == [3, 1, 1]


def test_a_tie_at_the_target_is_played_on() -> None:
    """Equal best totals at the target or above do not end the game; three play on, and one who was behind may win (K7)."""
    rules = Rules("ghost-hand")
    first, one = play_to(rules, 0, "3 by 0", [3, 3, 0])
    second, two = play_to(rules, 1, "moon by 2", [0, 0, 6])
    with game_of(rules, 0, [one, two], random.Random(1), [29, 29, 20]) as game:
        for move in first.moves:
            game.apply(move)
        assert (game.totals, game.finished) == ([32, 32, 20], False)
        for move in second.moves:
            game.apply(move)
        assert (game.totals, game.end, game.places()) == ([32, 32, 44], "won", [2, 2, 1])


def test_the_games_of_a_set_are_played_on_the_same_deals() -> None:
    """Every seating of a set gets the same packs and the same dealers, so that it can be rated as one (K5)."""
    rules = Rules("cutthroat", {"target": 500})
    first, second = Game(rules, bytes(32), 3), Game(rules, bytes(32), 3)
    assert dealt(first, random.Random(1)) == dealt(second, random.Random(2))
    assert dealt(Game(rules, bytes(32), 3), random.Random(1)) != dealt(Game(rules, bytes(32), 4), random.Random(1))


def dealt(game: Game, rng: random.Random) -> list[tuple[int, list[list[int]]]]:
    """Dealer and hands of the first three deals of a game."""
    found = []
    for _ in range(3):
        deal = game.deal
        assert not game.finished
        found.append((deal.view(0).dealer, [deal.hand(seat) for seat in range(3)]))
        while game.deal is deal:
            game.apply(rng.choice(n.members(game.deal.legal)))
    return found


def test_a_line_knows_who_is_to_move() -> None:
    """The examples' runner refuses a move by a seat that is not to move."""
    with pytest.raises(AssertionError):
        Line(Rules("ghost-hand"), 0, {}, []).run("2 says pass")
