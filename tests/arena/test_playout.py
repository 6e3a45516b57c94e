"""Deals in batches: the rules, move by move, agree with every deal of every batch, and chance is fair."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from arena.playout import playout, rollout
from referee.rules import VARIANTS, BadOption, Rules
from referee.rules.deal import PHASE_PLAY
from tests.rules import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.playout import Played
    from referee.rules import Deal, Variant

SETTINGS = pytest.mark.parametrize("setting", settings.ALL, ids=settings.name)


def some_options(variant: Variant) -> st.SearchStrategy[settings.Setting]:
    """A variant with any of its options, each with any value that is tried elsewhere."""
    values = {name: st.sampled_from(choices) for name, choices in settings.values(variant).items()}
    return st.fixed_dictionaries({}, optional=values).map(lambda options: (variant.name, options))


SOME_SETTING = st.sampled_from(VARIANTS).flatmap(some_options)


def replay(deal: Deal, played: Played, row: int) -> None:
    """Make the moves of one deal of a batch by the rules: seat and legal moves must agree at each, points at last."""
    record = played.record
    assert record is not None
    for move in range(played.moves[row]):
        assert record.seats[row, move] == deal.seat
        assert int(record.legal[row, move]) == deal.legal
        deal.apply(int(record.actions[row, move]))
    assert deal.seat == -1
    assert (record.actions[row, played.moves[row] :] == -1).all()
    assert played.points[row].tolist() == deal.points()


def replay_all(rules: Rules, played: Played) -> None:
    assert played.packs is not None
    assert played.dealers is not None
    for row, (pack, dealer) in enumerate(zip(played.packs.tolist(), played.dealers.tolist(), strict=True)):
        assert sorted(pack) == sorted(rules.pack)
        replay(rules.deal(pack, dealer), played, row)


def begun(rules: Rules, count: int, seed: int) -> list[Deal]:
    """Deals of which some moves were made, from none to all, a revoke now and then among them."""
    chance, deals = random.Random(seed), []
    for number in range(count):
        pack = list(rules.pack)
        chance.shuffle(pack)
        deal = rules.deal(pack, number % rules.seats)
        for _ in range(chance.randrange(len(pack))):
            if deal.seat < 0:
                break
            wrong = [card for card in range(33) if deal.is_revoke(card)]
            if wrong and chance.random() < 0.2:
                deal.revoke(wrong[0])
            else:
                deal.apply(chance.choice(deal.legal_actions()))
        deals.append(deal)
    return deals


@SETTINGS
def test_every_move_is_by_the_rules(setting: settings.Setting) -> None:
    rules = Rules(*setting)
    played = playout(rules, 24, rng=np.random.default_rng(7), record=True, chunk=17)
    assert played.points.shape == (24, rules.sides)
    replay_all(rules, played)


@SETTINGS
def test_begun_deals_are_played_on_by_the_rules(setting: settings.Setting) -> None:
    rules = Rules(*setting)
    deals = begun(rules, 14, seed=3)
    before = [list(deal.moves) for deal in deals]
    played = rollout(rules, deals, rng=np.random.default_rng(3), times=2, record=True, chunk=10)
    assert [deal.moves for deal in deals] == before, "the deals given are left as they were"
    for row in range(28):
        replay(deals[row // 2].copy(), played, row)


@hypothesis_settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(setting=SOME_SETTING, seed=st.integers(0, 2**32), size=st.integers(0, 12), chunk=st.integers(1, 13))
def test_any_options(setting: settings.Setting, seed: int, size: int, chunk: int) -> None:
    try:
        rules = Rules(*setting)
    except BadOption:  # joker and double_deck
        return
    replay_all(rules, playout(rules, size, rng=np.random.default_rng(seed), record=True, chunk=chunk)) if size else None
    played = rollout(rules, deals := begun(rules, size, seed), rng=np.random.default_rng(seed), record=True, chunk=chunk)
    for row, deal in enumerate(deals):
        replay(deal.copy(), played, row)


def test_given_packs_and_dealers() -> None:
    """Packs and dealers that are given are the ones played."""
    rules = Rules("turn-up")
    packs = np.stack([np.random.default_rng(seed).permutation(rules.pack) for seed in range(30)])
    played = playout(rules, packs=packs, dealers=[3] * 30, rng=np.random.default_rng(1), record=True, chunk=8)
    assert (played.packs == packs).all()
    assert (played.dealers == 3).all()
    replay_all(rules, played)


def test_the_same_seed_gives_the_same_deals() -> None:
    rules = Rules("bid-euchre", {"double_deck": "on"})
    first, again, other = (playout(rules, 200, rng=np.random.default_rng(seed), record=True) for seed in (5, 5, 6))
    assert first.record is not None
    assert again.record is not None
    assert (first.record.actions == again.record.actions).all()
    assert (first.points == again.points).all()
    assert (first.packs != other.packs).any()


def test_nothing_to_play() -> None:
    rules = Rules("cutthroat")
    assert playout(rules, 0, rng=np.random.default_rng(1)).points.shape == (0, 3)
    assert rollout(rules, [], rng=np.random.default_rng(1)).decisions == 0


# ---- chance -----------------------------------------------------------------------------------------------------------


def places(played: Played) -> dict[int, list[int]]:
    """By how many moves were legal: how often the lowest, the next … was made."""
    record = played.record
    assert record is not None
    made = record.actions >= 0
    legal, actions = record.legal[made], record.actions[made].astype(np.uint64)
    below = np.bitwise_count(legal & ((np.uint64(1) << actions) - np.uint64(1)))
    count = np.bitwise_count(legal)
    return {int(many): np.bincount(below[count == many], minlength=many).tolist() for many in np.unique(count) if many > 1}


def assert_even(counts: Sequence[int]) -> None:
    """Counts that even chances give: the seeds are fixed, so that this either always holds or never."""
    assert chisquare(counts).pvalue > 1e-4, counts


@pytest.mark.parametrize("setting", [(v.name, {}) for v in VARIANTS] + [("bid-euchre", {"double_deck": "on"})], ids=settings.name)
def test_every_legal_move_is_as_likely(setting: settings.Setting) -> None:
    """Of any number of legal moves each is made equally often."""
    found = places(playout(Rules(*setting), 6000, rng=np.random.default_rng(11), record=True))
    assert {2, 3, 4, 5} <= set(found)
    for counts in found.values():
        if sum(counts) >= 10 * len(counts):
            assert_even(counts)


def test_shuffles_are_fair() -> None:
    """Each card lies in each place equally often, the first two cards make each pair equally often, whole short orders too."""
    rules = Rules("turn-up")
    packs = playout(rules, 24_000, rng=np.random.default_rng(12)).packs
    assert packs is not None
    number = {card: index for index, card in enumerate(rules.pack)}
    ordinal: np.ndarray[Any, np.dtype[np.int64]] = np.vectorize(number.__getitem__)(packs[:, :21])
    for place in range(21):
        assert_even(np.bincount(ordinal[:, place], minlength=24).tolist())
    pairs = np.bincount(ordinal[:, 0] * 24 + ordinal[:, 20], minlength=576).reshape(24, 24)
    assert np.diagonal(pairs).sum() == 0
    assert_even(pairs[~np.eye(24, dtype=bool)].tolist())


def test_rollouts_estimate_the_value() -> None:
    """The mean over many rollouts of one deal is that of playing it on step by step."""
    rules = Rules("turn-up")
    deal = next(deal for deal in begun(rules, 50, seed=1) if deal.phase == PHASE_PLAY and len(deal.winners) == 1)
    many = rollout(rules, [deal], rng=np.random.default_rng(1), times=8000).points[:, 0]
    chance, steps = random.Random(1), []
    for _ in range(1500):
        one = deal.copy()
        while one.seat >= 0:
            one.apply(chance.choice(one.legal_actions()))
        steps.append(one.points()[0])
    error = (many.var() / many.size + np.var(steps) / len(steps)) ** 0.5
    assert abs(many.mean() - np.mean(steps)) <= 4 * error + 1e-9


# ---- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({}, r"deals None and no packs \(allowed"),
        ({"deals": -1}, r"deals -1 and no packs"),
        ({"deals": 5, "packs": [list(Rules("turn-up").pack)]}, r"deals 5 and 1 packs"),
        ({"packs": [1, 2, 3]}, r"packs of shape \(3,\), int64 \(allowed: \[deals, 24\]"),
        ({"packs": [[2] * 24]}, r"pack 0 is not the pack of turn-up"),
        ({"deals": 2, "dealers": [0, 4]}, r"dealers of shape \(2,\) \(allowed: a seat from 0 to 3 for each of 2 deals\)"),
        ({"deals": 2, "chunk": 0}, r"chunk 0 \(allowed: 1 and more\)"),
    ],
)
def test_refusals(given_: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        playout(Rules("turn-up"), **given_, rng=np.random.default_rng(1))


def test_deals_of_other_rules_are_refused() -> None:
    deal = Rules("turn-up").deal(Rules("turn-up").pack, 0)
    with pytest.raises(ValueError, match=r"a deal of other rules \(allowed: deals that the given rules made\)"):
        rollout(Rules("cutthroat"), [deal], rng=np.random.default_rng(1))
