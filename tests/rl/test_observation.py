"""The observation is a function of the view alone, and says what the view says."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arena.rl.observation import LAYOUT, PARTS, SIZE, encode, mask
from referee.rules import Rules
from referee.rules.cards import PASS, bits
from tests.conftest import ROOT
from tests.rules import settings, worlds

if TYPE_CHECKING:
    from referee.rules import View


def same(first: worlds.World, second: worlds.World, seat: int) -> None:
    seats = first.rules.seats
    assert np.array_equal(encode(first.deal.view(seat), seats), encode(second.deal.view(seat), seats))


@pytest.mark.parametrize("setting", settings.PLAYED_APART, ids=settings.name)
def test_two_worlds_look_alike(setting: settings.Setting) -> None:
    """Worlds that differ only in what a seat may not know give it the same vector."""
    rules, compared = Rules(*setting), 0
    for seed in range(3):
        compared += sum(worlds.compare(rules, seed, random.Random(seed), same).values())
    assert compared > 0


@pytest.mark.parametrize("setting", settings.PLAYED_APART, ids=settings.name)
def test_it_says_what_the_view_says(setting: settings.Setting) -> None:
    """Hand, plays, tricks, calls and points can be read back from the vector, at every decision, for every seat."""
    rules = Rules(*setting)
    rng = random.Random(4)
    for dealer in range(rules.seats):
        pack = rng.sample(rules.pack, len(rules.pack))
        deal = rules.deal(pack, dealer, 2, [3, -4, 5][: rules.sides])
        while deal.seat >= 0:
            for seat in range(rules.seats):
                check(deal.view(seat), rules)
            deal.apply(rng.choice(bits(deal.legal)))


def check(view: View, rules: Rules) -> None:
    vector, seats = encode(view, rules.seats), rules.seats
    part = {name: vector[where] for name, where in LAYOUT.items()}
    hand = [card for card, copies in enumerate(part["hand"]) for _ in range(int(copies))]
    assert hand == view.hand
    assert [part["taken"][(seat - view.seat) % seats] for seat in range(seats)] == view.taken
    assert sorted(part["total"][: rules.sides]) == sorted(view.total)
    assert part["total"][0] == view.total[rules.side(view.seat)]
    said = part["said"].reshape(4, -1)
    for seat in range(seats):
        mine = sorted(call for who, call in view.said if who == seat)
        row = said[(seat - view.seat) % seats]
        assert [call + PASS for call, times in enumerate(row) for _ in range(int(times))] == mine
    played = np.stack([part["played"], part["played_again"]])
    for number, (leader, cards, winner) in enumerate(view.tricks):
        where = np.argwhere(played == number + 1)[:, 1] % 33
        assert sorted(where) == sorted(cards)
        assert part["leaders"].reshape(12, 4)[number].argmax() == (leader - view.seat) % seats
        assert part["trick"].sum() == (len(view.tricks[-1][1]) if view.tricks[-1][2] < 0 else 0)
        if winner >= 0:
            assert part["winners"].reshape(12, 4)[number].argmax() == (winner - view.seat) % seats


def test_every_field_counts() -> None:
    """A view that differs in any field but the variant's name gives another vector."""
    rules = Rules("bid-euchre", {"double_deck": "on"})
    deal = rules.deal(rules.pack, 0)
    view = deal.view(1)
    base = encode(view, 4)
    changes = {
        "deal": 3, "dealer": 2, "phase": 10, "hand": view.hand[1:], "turned_card": 3, "turned": 2, "joker_suit": 1,
        "said": [(2, PASS)], "trump": 3, "maker": 2, "bid": 50, "alone": [1], "out": [3], "tricks": [(1, [2], -1)],
        "taken": [0, 1, 0, 0], "total": [1, 0], "penalty": [0, -2], "target": 9, "put_away": [4], "received": 5,
    }  # fmt: skip
    assert {"seat", "variant", *changes} == set(view.__slots__)
    for name, value in changes.items():
        assert not np.array_equal(encode(replace(view, **{name: value}), 4), base), name


def test_layout() -> None:
    """The parts lie one after another, fill the vector and are documented so; the mask has a bit for every action."""
    assert [name for name, _, _ in PARTS] == list(LAYOUT)
    assert np.concatenate([np.arange(SIZE)[where] for where in LAYOUT.values()]).tolist() == list(range(SIZE))
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    for name, length, meaning in PARTS:
        assert f"| {name} | {LAYOUT[name].start} | {length} | {meaning} |" in page
    legal = 1 << 63 | 1 << 32 | 1
    assert np.flatnonzero(mask(legal)).tolist() == [0, 32, 63]
    assert mask(0).shape == (64,)
