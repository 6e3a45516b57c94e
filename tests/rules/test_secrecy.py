"""Nobody learns a card that the rules do not show (K9): worlds that differ only in what a seat may not know look alike to it."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from referee import encode
from referee.rules import Deal, Rules
from tests.rules import notation as n
from tests.rules import settings, worlds

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.rules import View

DEALS = 12


def no_difference(first: worlds.World, second: worlds.World, seat: int) -> None:
    """The seat's views of the two worlds are equal field by field, and what it would be sent is so byte by byte."""
    assert worlds.differences(first, second, seat) == []
    assert ask_bytes(first, seat) == ask_bytes(second, seat)


def ask_bytes(world: worlds.World, seat: int) -> bytes:
    """The ask as it goes over the wire; without legal moves where the seat is not to move."""
    return encode.Telling(world.deal).ask(7, 3, seat, (1.0, 10.0, None))


def compare(setting: settings.Setting, deals: int = DEALS, check: Callable[..., None] = no_difference) -> Counter[str]:
    """Compare worlds in some deals; how many were compared, by phase."""
    rules = Rules(*setting)
    found: Counter[str] = Counter()
    for seed in range(deals):
        found.update(worlds.compare(rules, seed, random.Random(f"{settings.name(setting)} {seed}"), check))
    return found


PHASES = {
    ("ghost-hand", "joker"): {"lay away"},
    ("bid-euchre", "joker"): {"lay away", "gift"},
    ("ghost-hand", "ace_no_face"): set(),
    ("bid-euchre", "ace_no_face"): {"gift"},
    ("cutthroat", "deck"): {"pick up", "dummy", "alone"},
}
USUAL = {
    "ghost-hand": {"auction", "trump", "play"},
    "bid-euchre": {"auction", "trump", "gift", "play"},
    "cutthroat": {"auction", "pick up", "dummy", "alone", "play"},
    "turn-up": {"auction", "pick up", "alone", "play"},
}


@pytest.mark.parametrize("setting", settings.PLAYED_APART, ids=settings.name)
def test_two_worlds_look_alike(setting: settings.Setting) -> None:
    """At every decision, and after the last, a seat's view is the same whatever lies where it cannot see.

    Hidden are what K9 G3 C3 C5 C6 B5 B6 B15 B16 T1 T3 name.
    """
    found = compare(setting)
    wanted = USUAL[setting[0]].union(*(PHASES.get((setting[0], option), set()) for option in setting[1]))
    assert wanted <= set(found), found
    assert sum(found.values()) > 100, found


@pytest.mark.parametrize("setting", settings.together(4), ids=settings.name)
def test_two_worlds_look_alike_under_many_options(setting: settings.Setting) -> None:
    """The same with options together (K9)."""
    assert sum(compare(setting, 6).values()) > 20


def claiming(seed: int, setting: settings.Setting) -> tuple[Rules, list[int], int]:
    """A deal in which two players can claim."""
    rules = Rules(*setting)
    rng = random.Random(seed)
    while True:
        pack = list(rules.pack)
        rng.shuffle(pack)
        deal = rules.deal(pack, 0)
        asked = 0
        while n.PHASES[deal.phase] in ("claim", "lay away"):
            asked += n.PHASES[deal.phase] == "claim"
            deal.apply(n.action("no") if n.PHASES[deal.phase] == "claim" else n.members(deal.legal)[0])
        if asked:
            return rules, pack, 0


@pytest.mark.parametrize("name", ["ghost-hand", "bid-euchre"])
@pytest.mark.parametrize("joker", ["on", "off"])
def test_a_no_is_not_heard(name: str, joker: str) -> None:
    """Who could have claimed and did not is known to himself alone, and is not seen to have been asked (B15 K9)."""
    compared = 0
    for seed in range(8):
        rules, pack, dealer = claiming(seed, (name, {"ace_no_face": "on", "joker": joker}))
        world = worlds.World(rules, dealer, pack)
        while n.PHASES[world.deal.phase] in ("claim", "lay away"):
            world.apply(n.action("no") if n.PHASES[world.deal.phase] == "claim" else n.members(world.deal.legal)[0])
        said_no = {event.seat for event in world.events if event.phase == "claim"}
        for seat in set(range(rules.seats)) - said_no:
            rng = random.Random(seed)
            for _ in range(10):
                other = worlds.other_world(world, seat, rng)
                if other and {event.seat for event in other.events if event.phase == "claim"} != said_no:
                    no_difference(world, other, seat)
                    compared += 1
    assert compared > 10


def test_the_dealer_names_the_jokers_suit_unseen() -> None:
    """When the dealer is asked for the joker's suit, he has been shown no card but the joker (C11)."""
    found = 0
    rules = Rules("cutthroat", {"deck": "25"})
    for seed in range(200):
        rng = random.Random(seed)
        pack = list(rules.pack)
        rng.shuffle(pack)
        at = pack.index(32)
        pack[at], pack[20] = pack[20], 32
        first = worlds.World(rules, seed % 3, pack)
        other = worlds.other_world(first, seed % 3, rng)
        assert other is not None
        assert other.pack != pack
        no_difference(first, other, seed % 3)
        assert first.deal.view(seed % 3).hand == []
        found += 1
    assert found == 200


def _leak(name: str, leak: Callable[[Deal, int, View], object]) -> Callable[[Deal, int], View]:
    real = Deal.view

    def view(deal: Deal, seat: int) -> View:
        seen = real(deal, seat)
        setattr(seen, name, leak(deal, seat, seen))
        return seen

    return view


LEAKS = {
    "the partner's or neighbour's hand": (
        "ghost-hand",
        {},
        "hand",
        lambda deal, seat, seen: seen.hand + deal.hand((seat + 1) % 3)[:1],
    ),
    "how strong a neighbour is": ("turn-up", {}, "target", lambda deal, seat, seen: sum(deal.hand((seat + 1) % 4))),
    "the dealer's discard": ("turn-up", {}, "put_away", lambda deal, _, __: [card for away in deal.put_away for card in away]),
    "the joker's discard": ("bid-euchre", {"joker": "on"}, "put_away", lambda deal, _, __: deal.put_away[deal.dealer]),
    "the ghost": ("ghost-hand", {}, "received", lambda deal, _, __: deal.extra),
    "the dummy": ("cutthroat", {}, "received", lambda deal, _, __: deal.extra),
    "the dummy's discards": ("cutthroat", {}, "put_away", lambda deal, _, __: [card for away in deal.put_away for card in away]),
    "the stock": ("turn-up", {}, "received", lambda deal, _, __: deal.stock[1]),
    "the gift on the table": (
        "bid-euchre",
        {},
        "received",
        lambda deal, _, seen: seen.received if deal.set_aside < 0 else deal.set_aside,
    ),
    "the exchange": ("bid-euchre", {}, "received", lambda deal, _, __: max(deal.received)),
    "the joker dealer's hand": ("cutthroat", {"deck": "25"}, "hand", lambda deal, seat, _: deal.hand(seat)),
    "who could claim": ("bid-euchre", {"ace_no_face": "on"}, "taken", lambda deal, _, __: deal.moves.count(n.action("no"))),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison of worlds fails for a view that gives away a hidden card (K9)."""
    name, options, field, function = LEAKS[leak]
    monkeypatch.setattr(Deal, "view", _leak(field, function))
    look: Callable[[], object] = lambda: compare((name, options), 40)  # noqa: E731
    if options.get("deck"):
        look = test_the_dealer_names_the_jokers_suit_unseen
    elif options.get("ace_no_face"):
        look = lambda: test_a_no_is_not_heard(name, "off")  # noqa: E731
    with pytest.raises(AssertionError):
        look()
