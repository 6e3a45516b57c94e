"""Two worlds: the same deal as one seat knows it, with other cards in the places that the seat cannot see.

An event is what happened at a move. What others laid away, threw away or gave, and the `no` of one who could have claimed, is
hidden; everything else is public. Another world is made by permuting the cards that the seat does not know among the places in
the pack where they were dealt, and is kept if every public event can happen there too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee.rules import IllegalAction
from tests.rules import notation as n
from tests.rules.stacking import hand_size, receivers

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from referee.rules import Deal, Rules

HIDDEN = {"lay away", "pick up", "dummy", "gift"}
"""The phases whose answers others do not see; of a pick-up they see whether the turned card was taken."""


@dataclass
class Event:
    """A move: who, in which phase, what, and the card answered if it was a revoke."""

    seat: int
    phase: str
    action: int
    revoked: int | None = None


@dataclass
class World:
    """A deal with what is needed to deal it again. What a seat knows is worked out from the events, never from its view."""

    rules: Rules
    dealer: int
    pack: list[int]
    number: int = 0
    total: list[int] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.deal: Deal = self.rules.deal(self.pack, self.dealer, self.number, self.total)

    def apply(self, action: int, *, revoke: bool = False) -> None:
        """Make a move and keep it."""
        deal = self.deal
        event = Event(deal.turn(), n.PHASES[deal.phase], action, action if revoke else None)
        if revoke:
            event.action = deal.revoke(action)
        else:
            deal.apply(action)
        self.events.append(event)

    @property
    def dealt(self) -> int:
        """How many cards are dealt to hands: the place of the first card of the stock."""
        return hand_size(self.rules) * len(receivers(self.rules, self.dealer))

    def gifts(self, seat: int) -> tuple[int, int]:
        """What the seat has given and, once both have given, received; -1 for nothing."""
        gifts = {event.seat: event.action for event in self.events if event.phase == "gift"}
        other = gifts.get((seat + 2) % 4, -1)
        return gifts.get(seat, -1), other if len(gifts) == 2 else -1


def known_places(world: World, seat: int) -> set[int]:
    """The places of the pack whose cards the seat knows by now, but for what was played or given to it."""
    rules, order = world.rules, receivers(world.rules, world.dealer)
    places: set[int] = set()
    if not (n.PHASES[world.deal.phase] == "joker" and seat == world.dealer):
        places.update(range(order.index(seat), world.dealt, len(order)))
    if any(event.seat == seat and n.text(event.action) in ("swap", "dummy") for event in world.events):
        places.update(range(order.index(-1), world.dealt, len(order)))
    if rules.name in ("cutthroat", "turn-up") or (rules.options.get("joker") and seat == world.dealer):
        places.add(world.dealt)
    return places


def hidden_places(world: World, seat: int) -> list[int]:
    """The places of the pack whose cards the seat does not know."""
    seen = [event.action for event in world.events if event.phase == "play"]
    seen += [card for card in world.gifts(seat)[1:] if card >= 0 and card not in seen]
    known = known_places(world, seat)
    for place in known:  # a card that the seat held and played is not seen twice
        if world.pack[place] in seen:
            seen.remove(world.pack[place])
    hidden = [place for place in range(len(world.pack)) if place not in known]
    for card in seen:
        place = next((place for place in hidden if world.pack[place] == card), None)
        if place is not None:
            hidden.remove(place)
    return hidden


def other_world(world: World, seat: int, rng: random.Random, tries: int = 12) -> World | None:
    """A world that the seat cannot tell from this one, or None if none was found."""
    hidden = hidden_places(world, seat)
    if len(hidden) < 2:
        return None
    for attempt in range(tries):
        mixed = list(hidden)
        if attempt < tries // 3:
            rng.shuffle(mixed)
        else:  # far into a deal only small changes are possible
            one, two = rng.sample(range(len(mixed)), 2)
            mixed[one], mixed[two] = mixed[two], mixed[one]
        pack = list(world.pack)
        for place, other in zip(hidden, mixed, strict=True):
            pack[place] = world.pack[other]
        if pack != world.pack:
            mapped = {world.pack[place]: pack[place] for place in hidden}
            made = _relive(world, seat, pack, mapped, rng)
            if made is not None:
                return made
    return None


def _relive(world: World, seat: int, pack: list[int], mapped: dict[int, int], rng: random.Random) -> World | None:
    """Let the same public events happen with another pack; None where they cannot."""
    made = World(world.rules, world.dealer, pack, world.number, world.total)
    received = world.gifts(seat)[1] >= 0
    for event in world.events:
        if event.phase == "claim" and event.seat != seat and n.text(event.action) == "no":
            continue
        _others_say_no(made, seat)
        if (made.deal.turn(), n.PHASES[made.deal.phase]) != (event.seat, event.phase):
            return None
        try:
            _happen(made, event, seat, mapped, rng, seen=received and event.seat == (seat + 2) % 4)
        except (IllegalAction, LookupError):
            return None
    _others_say_no(made, seat)
    return made if _same_question(world, made, seat) else None


def _others_say_no(made: World, seat: int) -> None:
    while n.PHASES[made.deal.phase] == "claim" and made.deal.turn() != seat:
        made.apply(n.action("no"))


def _same_question(world: World, made: World, seat: int) -> bool:
    """Who is to move is public, but for the question whether one can claim."""
    if n.PHASES[world.deal.phase] == "claim" and world.deal.turn() != seat:
        return False
    return made.deal.turn() == world.deal.turn() and made.deal.phase == world.deal.phase


def _happen(made: World, event: Event, seat: int, mapped: dict[int, int], rng: random.Random, *, seen: bool) -> None:
    """One event; `seen` if the seat saw the card of a gift. Raises IllegalAction or LookupError where it cannot happen."""
    deal = made.deal
    turned = made.pack[made.dealt] if event.phase == "pick up" else -1
    if event.revoked is not None:
        wrong = [card for card in range(33) if deal.is_revoke(card)]
        stands = made.rules.options["revoke"] == "stand"
        made.apply(event.revoked if stands or event.seat == seat else rng.choice(wrong), revoke=True)
        if made.events[-1].action != event.action:
            raise LookupError
    elif event.seat == seat or event.phase not in HIDDEN or event.action == turned or (event.phase == "gift" and seen):
        made.apply(event.action)
    else:
        legal = [card for card in n.members(deal.legal) if card != turned]
        wanted = mapped.get(event.action, event.action)
        made.apply(wanted if wanted in legal and rng.random() < 0.7 else rng.choice(legal))


def choose(deal: Deal, rng: random.Random) -> int:
    """A random move that gets deals played: seldom a claim, seldom nothing but passes."""
    legal = n.members(deal.legal)
    words = {n.text(action): action for action in legal}
    if "claim" in words and rng.random() < 0.8:
        return words["no"]
    if "pass" in words and "swap" in words and rng.random() < 0.2:
        return words["swap"]
    if "ask" in words and rng.random() < 0.3:
        return words["ask"]
    if "order" in words and rng.random() < 0.3:
        return words["order"]
    return rng.choice(legal)


def differences(first: World, second: World, seat: int) -> list[str]:
    """The fields of the seat's view that differ between two worlds."""
    here, there = first.deal.view(seat), second.deal.view(seat)
    fields = [name for name in here.__slots__ if getattr(here, name) != getattr(there, name)]
    if first.deal.turn() == seat and first.deal.legal != second.deal.legal:
        fields.append("legal")
    return fields


def compare(rules: Rules, seed: int, rng: random.Random, check: Callable[[World, World, int], None]) -> dict[str, int]:
    """Play a random deal; at each decision hand `check` another world for a seat. Returns how many were made, by phase."""
    pack = list(rules.pack)
    rng.shuffle(pack)
    dealer = seed % rules.seats
    totals = [rng.randrange(-5, 9) for _ in range(rules.sides)]
    world = World(rules, dealer, pack, seed, totals)
    found: dict[str, int] = {}
    while True:
        phase, mover = n.PHASES[world.deal.phase], world.deal.turn()
        seats = [mover] if mover >= 0 else []
        seats += [rng.randrange(rules.seats)]
        for seat in seats:
            other = other_world(world, seat, rng)
            if other is not None:
                found[phase] = found.get(phase, 0) + 1
                check(world, other, seat)
        if mover < 0:
            return found
        wrong = [card for card in range(33) if world.deal.is_revoke(card)]
        if wrong and rng.random() < 0.1:
            world.apply(rng.choice(wrong), revoke=True)
        else:
            world.apply(choose(world.deal, rng))
