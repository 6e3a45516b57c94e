"""Provable deals: packs, first dealers and keys against vectors worked out elsewhere, and the shuffler's fairness."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from scipy import stats

from referee import shuffle
from referee.rules import VARIANTS, Rules
from tests.rules import notation as n

VECTORS = json.loads((Path(__file__).parent / "data/deal-vectors.json").read_text("utf-8"))
KEY = bytes.fromhex(VECTORS["key"])


@pytest.mark.parametrize(
    "vector", VECTORS["packs"], ids=lambda vector: f"{vector['variant']} {vector['options']} {vector['set']} {vector['deal']}"
)
def test_packs(vector: dict[str, object]) -> None:
    """The key, the set and the deal give this pack and no other."""
    rules = Rules(vector["variant"], vector["options"])
    assert n.texts(shuffle.shuffled(KEY, vector["set"], vector["deal"], rules.pack)) == vector["shuffled"]


@pytest.mark.parametrize("seats", VECTORS["first_dealers"])
def test_first_dealers(seats: str) -> None:
    """The key gives these first dealers of sets 0, 1, 2 and so on (K5)."""
    dealers = VECTORS["first_dealers"][seats]
    assert [shuffle.first_dealer(KEY, number, int(seats)) for number in range(len(dealers))] == dealers


def test_match_key_and_commitment() -> None:
    """A league's key and a match's id give the match's key, whose hash was published."""
    vector = VECTORS["match_key"]
    assert shuffle.match_key(bytes.fromhex(vector["league_key"]), vector["match"]).hex() == vector["key"]
    assert shuffle.commitment(KEY) == VECTORS["commitment"]


def test_no_vector_is_missing() -> None:
    """The vectors are all there: every pack size, both table sizes."""
    sizes = {len(str(vector["shuffled"]).split()) for vector in VECTORS["packs"]}
    assert (len(VECTORS["packs"]), sizes) == (10, {24, 25, 32, 48})
    assert {seats: len(dealers) for seats, dealers in VECTORS["first_dealers"].items()} == {"3": 20, "4": 20}


def test_other_words_give_other_deals() -> None:
    """Key, set and deal each change the pack; the same ones give the same pack, and it is always the whole pack."""
    pack = Rules("turn-up").pack
    packs = [shuffle.shuffled(key, number, deal, pack) for key in (KEY, bytes(32)) for number in range(5) for deal in range(5)]
    assert len({tuple(cards) for cards in packs}) == 50
    assert packs[0] == shuffle.shuffled(KEY, 0, 0, pack)
    assert all(Counter(cards) == Counter(pack) for cards in packs)


def test_first_dealers_vary() -> None:
    """Every seat deals first in some sets, about equally often (K5)."""
    for seats in (3, 4):
        counts = Counter(shuffle.first_dealer(bytes(32), number, seats) for number in range(1200))
        assert sorted(counts) == list(range(seats))
        assert stats.chisquare([counts[seat] for seat in range(seats)]).pvalue > 0.001


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_every_card_comes_everywhere(variant: object) -> None:
    """Over many deals of a fixed key each card falls on each place equally often, as far as chance allows."""
    pack = Rules(variant.name).pack
    deals = 1500
    counts = [[0] * len(pack) for _ in pack]
    for deal in range(deals):
        for place, card in enumerate(shuffle.shuffled(bytes(range(32)), 0, deal, pack)):
            counts[pack.index(card)][place] += 1
    expected = deals / len(pack)
    statistic = sum((count - expected) ** 2 / expected for row in counts for count in row)
    freedom = (len(pack) - 1) ** 2
    assert 0.0005 < stats.chi2.sf(statistic, freedom) < 0.9995


def test_numbers_below_a_bound_are_uniform() -> None:
    """Small bounds, where a modulus would be biased if words were small, come out equal; each call takes fresh words."""
    words = shuffle.Words(bytes(32), "test")
    counts = Counter(words.below(6) for _ in range(6000))
    assert sorted(counts) == list(range(6))
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_words_too_high_are_thrown_away() -> None:
    """A word at or above the greatest multiple of the bound is not used, else low numbers would be favoured."""

    class Given(shuffle.Words):
        def word(self) -> int:
            return self.given.pop(0)

    words = Given(bytes(32), "test")
    words.given = [2**32 - 1, 2**32 - 4, 3 * 2**30, 5]
    assert words.below(3 * 2**30) == 5
    words.given = [2**32 - 1, 7]
    assert words.below(3) == 1
    assert words.given == []
