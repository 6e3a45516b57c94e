"""What one seat may know when it is asked (K9). Built up from what is public and its own, never by deleting secrets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class View:
    """Field by field what the protocol's View carries, in ints: cards and calls as actions, suits 0..3, -1 for none."""

    seat: int
    variant: str
    deal: int
    dealer: int
    phase: int
    hand: list[int]
    """Ascending; each copy of an identical card listed."""
    turned_card: int
    turned: int
    joker_suit: int
    said: list[tuple[int, int]]
    """(seat, call) in order."""
    trump: int
    maker: int
    bid: int
    alone: list[int]
    out: list[int]
    tricks: list[tuple[int, list[int], int]]
    """(leader, cards in order of play, winner or -1), the one being played last."""
    taken: list[int]
    total: list[int]
    penalty: list[int]
    target: int
    put_away: list[int]
    received: int
