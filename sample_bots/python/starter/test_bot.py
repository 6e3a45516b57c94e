"""Plays the bot within this process, thousands of decisions a second, without a referee: `python -m unittest`."""

import unittest
from random import Random

from bot import Starter

from arena import Answer, View
from arena.sdk.local import play_deal, table_for
from referee.rules import VARIANTS, Rules

OPTIONS = [("bid-euchre", {"double_deck": "on"}), ("ghost-hand", {"joker": "on"}), ("cutthroat", {"deck": "25"})]
SETTINGS = [(variant.name, dict[str, str]()) for variant in VARIANTS] + OPTIONS


class TestBot(unittest.TestCase):
    """What a bot should always pass."""

    def test_every_answer_is_legal(self) -> None:
        """Whatever the game, the bot answers what is allowed; play_deal raises where it does not."""
        for variant, options in SETTINGS:
            with self.subTest(variant, **options):
                rules, rng = Rules(variant, options), Random(1)
                tables = [table_for(rules, seat) for seat in range(rules.seats)]
                for number in range(50):
                    deal = rules.deal(rng.sample(rules.pack, len(rules.pack)), number % rules.seats, number)
                    play_deal(deal, tables, [Starter()] * rules.seats)

    def test_it_beats_chance(self) -> None:
        """As a pair against two that answer at random, in 200 deals of turn-up."""
        rules, rng = Rules("turn-up", {}), Random(1)

        def chance(view: View) -> Answer:
            return rng.choice(view.legal)

        tables = [table_for(rules, seat) for seat in range(rules.seats)]
        mine = theirs = 0
        for number in range(200):
            deal = rules.deal(rng.sample(rules.pack, len(rules.pack)), number % rules.seats, number)
            play_deal(deal, tables, [Starter(), chance, Starter(), chance])
            mine += deal.points()[0]
            theirs += deal.points()[1]
        assert mine > theirs, f"{mine} points, {theirs} for those that answer at random"


if __name__ == "__main__":
    unittest.main()
