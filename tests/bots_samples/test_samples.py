"""The sample bots: legal in every game there is, the same answer to the same question, and each stronger than the last."""

from __future__ import annotations

from random import Random

import pytest

from arena.sdk import Bot, Card, Phase, View
from arena.sdk.bot import move_of
from arena.sdk.local import action_of, play_deal, table_for, view_of
from arena.tune import Series, games_margin, margins_of, play_sets, points_margin
from referee.rules import VARIANTS, Rules
from referee.shuffle import shuffled
from sample_bots.python.counter import Counter
from sample_bots.python.greedy import Greedy
from sample_bots.python.lowest import Lowest
from sample_bots.python.playout import RANKINGS
from sample_bots.python.random_bot import RandomBot
from sample_bots.python.worlds import Guesser, candidates
from tests.bots_samples.repeats import printed_twice
from tests.referee.matches import finish, order, start
from tests.rules import settings

SAMPLES: dict[str, type[Bot]] = {"random": RandomBot, "lowest": Lowest, "greedy": Greedy, "counter": Counter}
KEY = bytes(range(32))


@pytest.mark.parametrize("setting", settings.ALL, ids=settings.name)
def test_every_sample_plays_every_variant_and_option(setting: settings.Setting) -> None:
    """No sample ever answers what is not legal, whatever the variant, its options and its company."""
    rules, rng = Rules(*setting), Random("samples")
    tables = [table_for(rules, seat) for seat in range(rules.seats)]
    bots = [sample() for sample in SAMPLES.values()]
    for number in range(12):
        company = [rng.choice(bots) for _ in range(rules.seats)]
        company[number % rules.seats] = bots[number % 4]
        total = [rng.randrange(-5, rules.target) for _ in range(rules.sides)]
        deal = rules.deal(shuffled(KEY, 0, number, rules.pack), number % rules.seats, number, total)
        play_deal(deal, tables, company)
        assert deal.seat == -1
        assert len(deal.points()) == rules.sides


def test_every_phase_is_met_by_every_sample() -> None:
    """The samples are asked, and answer legally, in each phase that the rules have."""
    met: dict[str, set[Phase]] = {name: set() for name in SAMPLES}
    bots = {name: sample() for name, sample in SAMPLES.items()}
    wide = [
        ("cutthroat", {"deck": "25"}),
        ("ghost-hand", {"joker": "on", "ace_no_face": "on"}),
        ("bid-euchre", {"ace_no_face": "on"}),
        ("turn-up", {"lone_defender": "on"}),
    ]
    for variant, options in wide:
        rules, rng = Rules(variant, options), Random(variant)
        tables = [table_for(rules, seat) for seat in range(rules.seats)]
        for number in range(120):
            deal = rules.deal(shuffled(KEY, 1, number, rules.pack), number % rules.seats, number)
            while (seat := deal.seat) >= 0:
                view = view_of(deal, tables[seat])
                for name, bot in bots.items() if deal.phase != 10 or number < 4 else ():
                    assert move_of(bot.choose(view))[0] in view.legal, (name, view)
                    met[name].add(view.phase)
                deal.apply(rng.choice(deal.legal_actions()))
    assert all(phases == set(Phase) - {Phase.UNKNOWN} for phases in met.values())


MOVES = """
from tests.bots_samples.test_samples import *
for variant in VARIANTS:
    rules = Rules(variant.name, {})
    tables = [table_for(rules, seat) for seat in range(rules.seats)]
    for number in range(6):
        deal = rules.deal(shuffled(KEY, 2, number, rules.pack), 0, number)
        play_deal(deal, tables, [list(SAMPLES.values())[(number + seat) % 4]() for seat in range(rules.seats)])
        print(deal.moves)
"""


def test_the_same_view_gives_the_same_answer() -> None:
    """Two processes, whose hashes differ, and fresh bots every deal: the same deals are played the same way."""
    told = printed_twice(MOVES)
    assert told[0] == told[1]
    assert told[0].count("[") == 6 * len(VARIANTS)


def test_the_random_bot_uses_all_its_choices() -> None:
    """Over many views with the same choices, each is taken about as often."""
    rules = Rules("ghost-hand", {})
    table, bot = table_for(rules, 1), RandomBot()
    views = [view_of(rules.deal(shuffled(KEY, 3, number, rules.pack), 0, number), table) for number in range(600)]
    counts = {call: sum(bot.choose(view) == call for view in views) for call in views[0].legal}
    assert set(counts) == {"pass", "3", "4", "5", "moon", "swap"}
    assert min(counts.values()) > 60  # of 100 expected


def test_guesses_fit_what_was_seen() -> None:
    """A guessed world deals each unseen card once, the right number to each seat, and none of a suit that the seat is out of."""
    for setting in settings.PLAYED_APART:
        rules, rng = Rules(*setting), Random("guesses")
        tables = [table_for(rules, seat) for seat in range(rules.seats)]
        for number in range(4):
            deal = rules.deal(shuffled(KEY, 4, number, rules.pack), number % rules.seats, number)
            while (seat := deal.seat) >= 0:
                view = view_of(deal, tables[seat])
                if view.phase is Phase.PLAY:
                    check_guess(view)
                deal.apply(rng.choice(deal.legal_actions()))


def check_guess(view: View) -> None:
    ranking = RANKINGS["CDHS".index(view.trump or "")]
    hands = Guesser(view, ranking).deal()
    seen = [hand for seat, hand in enumerate(hands) if seat not in view.out]
    assert sum(hand.bit_count() for hand in seen) == sum(hands).bit_count(), "a card is in two hands"
    assert {seat: hands[seat].bit_count() for seat in view.cards_left} == dict(view.cards_left)
    assert hands[view.seat] == ranking.mask(card.code for card in view.hand)
    if view.dealer_holds is not None and view.dealer in view.cards_left:
        assert hands[view.dealer] >> ranking.place[view.dealer_holds.code] & 0b11
    for seat, suits in view.voids.items():
        # What nobody else can hold any more has to be somewhere; that is rare, and never the rule.
        if len(view.unseen) > sum(view.cards_left.values()) + 6:
            assert not any(hands[seat] & ranking.suits["CDHS".index(suit)] for suit in suits)


def test_candidates_differ_in_something() -> None:
    """Of cards between which no other card is out, only the lowest is looked at."""
    rules = Rules("bid-euchre", {})
    deal = rules.deal(rules.pack, 3)
    hands = {0: "9C TC JC QC AC 9D", 1: "KC TD JD QD KD AD", 2: "9H TH JH QH KH AH", 3: "9S TS JS QS KS AS"}
    for seat, hand in hands.items():
        deal.hands[seat] = sum(1 << Card(card).code for card in hand.split())
    for action in (47, 41, 41, 41, 45):  # 3, three passes, hearts
        deal.apply(action)
    view = view_of(deal, table_for(rules, 0))
    assert candidates(view) == ("9C", "9D", "AC")
    assert action_of(Counter().choose(view)) in deal.legal_actions()  # type: ignore[arg-type]


def test_a_sample_plays_a_real_match_without_a_fault() -> None:
    """The samples play through the referee as programs, and are never at fault."""
    bots = [f"python -m sample_bots.python.{name}" for name in ("counter", "greedy", "random_bot")]
    outcome = finish(start(order(*bots, variant="cutthroat", options={}, fmt="deals:6", seatings=2)))
    assert (outcome.exit, outcome.done, len(outcome.games)) == (0, True, 2), outcome.stderr
    assert outcome.faults() == []


@pytest.mark.slow
@pytest.mark.parametrize("variant", [variant.name for variant in VARIANTS])
@pytest.mark.parametrize(("strong", "weak"), [("counter", "greedy"), ("greedy", "random")])
def test_each_sample_beats_the_one_below(variant: str, strong: str, weak: str) -> None:
    """`counter` beats `greedy` beats `random` in every variant: 95 % intervals by sets, of points and of games, above zero."""
    rules = Rules(variant, {})
    names = [strong, weak, weak][: rules.bots]
    results = play_sets(Series(rules, KEY), range(40), [SAMPLES[name] for name in names], names)
    margins = margins_of(results, names)[weak]
    for margin in (points_margin(margins), games_margin(margins)):
        assert margin.low is not None
        assert margin.low > 0, margin
