"""Moves in words, for titles, screen readers and the line under the card table. Plain text, no markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard import faces

if TYPE_CHECKING:
    from dashboard.games import PlayedGame
    from dashboard.replay import Fault, Move, Replay

CALLS = {
    "pass": "passes", "order": "orders it up", "swap": "swaps hands with the ghost", "ask": "bids ask", "moon": "shoots the moon",
    "alone": "plays alone", "together": "does not play alone", "dummy": "takes up the dummy",
    "claim": "claims ace, no face, and shows the hand", "no": "could claim ace, no face, and does not",
}  # fmt: skip
"""What somebody does who says this."""

PUTS = {
    "lay_away": "takes the twenty-fifth card and lays away",
    "dummy": "throws away",
    "gift": "gives the partner",
}
"""What somebody does with a card in these phases."""

BUBBLES = {"order": "Order it up", "together": "Not alone", "dummy": "The dummy"}
"""Calls that are shown on the table in other words than their own."""


def name(played: PlayedGame, seat: int) -> str:
    """Who sits there: the bot, and where partners share a name the seat too."""
    bot = played.seats[seat].bot
    return f"{bot} (seat {seat})" if played.teams else bot


def bubble(action: str) -> str:
    """A call as it is shown before the seat that says it: "Pass", "4", "Hearts"."""
    return BUBBLES.get(action) or faces.SUIT_NAMES.get(action, action).capitalize()


def _card(action: str) -> str:
    return f"the {faces.name(action)}"


def does(move: Move, deal: Replay) -> str:
    """What a move does, said of who makes it: "passes", "plays the jack of clubs"."""
    action = move.action
    if move.phase == "play":
        return f"plays {_card(action)}"
    if move.phase == "joker":
        return f"says that the joker stands for {faces.SUIT_NAMES[action]}"
    if move.phase == "pick_up":
        return _picks_up(action, str(deal.turned_card))
    if move.phase in PUTS:
        return f"{PUTS[move.phase]} {_card(action)}"
    return says(action)


def _picks_up(action: str, turned: str) -> str:
    if action == turned:
        return f"leaves {_card(turned)} on the table"
    return f"takes up {_card(turned)} and discards {_card(action)}"


def says(action: str) -> str:
    """A call as something that is done: "passes", "bids 4", "names hearts trump"."""
    if action in faces.SUIT_NAMES:
        return f"names {faces.SUIT_NAMES[action]} trump"
    return CALLS.get(action) or f"bids {action}"


def tell(move: Move, deal: Replay, played: PlayedGame) -> str:
    """A whole move: "ann plays the jack of clubs"."""
    return f"{name(played, move.seat)} {does(move, deal)}"


def _whether(fault: Fault) -> str:
    if fault.answer is None:
        return "did not answer"
    return f"answered {fault.answer}" + (", a revoke" if fault.revoke else "")


def tell_fault(move: Move, played: PlayedGame) -> str:
    """What went wrong at a move, in one sentence; empty where nothing did."""
    fault = move.fault
    if fault is None:
        return ""
    cause = fault.cause.replace("_", " ").capitalize()
    allowed = " ".join(move.legal)
    return f"{cause}. {name(played, fault.seat)} {_whether(fault)}; allowed: {allowed}. The referee made it {move.action}."
