"""The rules of Euchre and its variants, as a pure function of the cards and the moves.

Nothing here reads a clock, draws a random number (who wants some hands them in), knows the protocol or does any input or output.
Time, chance, punishment and transport live outside, so that the same code referees, verifies, replays and trains.
"""

from referee import core

core.extend(__path__, "rules")

from referee.rules.deal import Deal  # noqa: E402 - found by the path that was just set
from referee.rules.errors import BadOption, IllegalAction, RulesError, UnknownVariant  # noqa: E402
from referee.rules.ruleset import Rules  # noqa: E402
from referee.rules.variant import Variant  # noqa: E402
from referee.rules.variants import VARIANTS, find_variant  # noqa: E402
from referee.rules.view import View  # noqa: E402

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
