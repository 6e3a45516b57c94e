"""The rules of Euchre and its variants, as a pure function of the cards and the moves.

Nothing here reads a clock, draws a random number, knows the protocol or does any input or output.
Time, chance, punishment and transport live outside, so that the same code referees, verifies, replays and trains.
"""

from referee.rules.deal import Deal
from referee.rules.errors import BadOption, IllegalAction, RulesError, UnknownVariant
from referee.rules.ruleset import Rules
from referee.rules.variant import Variant
from referee.rules.variants import VARIANTS, find_variant
from referee.rules.view import View

__all__ = [
    "VARIANTS",
    "BadOption",
    "Deal",
    "IllegalAction",
    "Rules",
    "RulesError",
    "UnknownVariant",
    "Variant",
    "View",
    "find_variant",
]
