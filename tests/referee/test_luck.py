"""What cards are worth: nothing in the mean, the same for whoever asks again, and the same to all over the seatings of a set."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from referee.playout import playout
from referee.playout.luck import luck, luck_of_games
from referee.rules import VARIANTS, Rules
from referee.shuffle import first_dealer

KEY = hashlib.sha256(b"luck").digest()
NAMES = [variant.name for variant in VARIANTS]


@pytest.mark.parametrize("name", NAMES)
def test_luck_has_mean_nothing_and_belongs_to_the_cards(name: str) -> None:
    """Over honest deals neither measure favours anybody, and other random moves with the same cards come to much the same."""
    rules = Rules(name)
    played = playout(rules, 400, rng=np.random.default_rng(3))
    assert played.packs is not None
    assert played.dealers is not None
    found, again = (luck(rules, played.packs, played.dealers, seed) for seed in (b"seed", b"other"))
    assert found.shape == (400, rules.sides, 2)
    assert np.abs(found.sum(axis=1)).max() < 1e-9
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0)) < 4.5 * error).all()
    assert 0.3 < np.corrcoef(found[:, 0, 0], again[:, 0, 0])[0, 1] < 1
    assert found[:, 0, 1].tolist() == again[:, 0, 1].tolist()
    assert found[:, 0, 1].std() > 0.1


@pytest.mark.parametrize("name", NAMES)
def test_seatings_of_a_set_share_their_luck(name: str) -> None:
    """Over all seatings of a set every bot has had the same cards: nobody was luckier. In one seating somebody was."""
    rules = Rules(name)
    games = [(0, seating, first_dealer(KEY, 0, rules.seats), 9) for seating in rules.seatings()]
    found = luck_of_games(rules, KEY, games)
    assert np.abs(found.sum(axis=0)).max() < 1e-9
    assert np.abs(found[0]).max() > 0.1


def test_luck_follows_from_the_key_and_the_deal() -> None:
    """The same game is worth the same whichever games stand beside it and however many deals follow; another key is another."""
    rules = Rules("turn-up")
    alone = luck_of_games(rules, KEY, [(4, (0, 1, 0, 1), 2, 5)])[0]
    among = luck_of_games(rules, KEY, [(1, (0, 1, 0, 1), 0, 30), (4, (1, 0, 1, 0), 2, 21), (4, (0, 1, 0, 1), 2, 5)])[2]
    assert alone.tolist() == among.tolist()
    assert luck_of_games(rules, KEY[::-1], [(4, (0, 1, 0, 1), 2, 5)])[0].tolist() != alone.tolist()
    assert luck_of_games(rules, KEY, []).shape == (0, 2, 2)
    assert luck_of_games(rules, KEY, [(4, (0, 1, 0, 1), 2, 0)]).tolist() == [[[0.0, 0.0], [0.0, 0.0]]]


def test_double_decks_and_jokers_have_luck_too() -> None:
    """Every option of the packs is known."""
    for name, options in (("bid-euchre", {"double_deck": True}), ("bid-euchre", {"joker": True}), ("cutthroat", {"deck": 25})):
        rules = Rules(name, options)
        assert np.abs(luck_of_games(rules, KEY, [(0, rules.seatings()[0], 0, 4)])).max() > 0
