"""The arena: a command line for leagues of Euchre bots and, for bot authors, `from arena import Bot, run`.

Only the command line needs the rest of the project, so nothing is imported until a name of the SDK is asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.sdk import Answer, Bot, Call, Card, Fault, Move, Phase, Result, Suit, Table, Trick, Turned, View, run

__all__ = [
    "Answer",
    "Bot",
    "Call",
    "Card",
    "Fault",
    "Move",
    "Phase",
    "Result",
    "Suit",
    "Table",
    "Trick",
    "Turned",
    "View",
    "run",
]


def __getattr__(name: str) -> object:
    """Fetch a name of the SDK when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'arena' has no attribute {name!r} (the SDK offers {', '.join(__all__)})")
    import arena.sdk  # noqa: PLC0415 - importing `arena` must cost nothing

    value: object = getattr(arena.sdk, name)
    globals()[name] = value
    return value
