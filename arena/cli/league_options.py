"""The options of a league, the same for one league and for the seasons of a series."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from arena import spec
from arena.cli.clock import clock_options
from referee.rules import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Callable

_OPTIONS = (
    click.option(
        "--variants",
        required=True,
        metavar="V[:o=v;o=v],…",
        help=f"Variants to play, with options if any: {', '.join(variant.name for variant in VARIANTS)}.",
    ),
    click.option("--sets", type=click.IntRange(1), required=True, help="Duplicate sets a match."),
    click.option("--format", "fmt", default="game", show_default=True, metavar="game|deals:N", help="Whole games, or N deals."),
    click.option(
        "--option", "options", multiple=True, metavar="VARIANT.OPTION=VALUE", help="An option of a variant; repeatable."
    ),
    click.option("--remote-sets", is_flag=True, help="Duplicate sets for remote bots too, though they could remember a deal."),
    click.option(
        "--precision",
        type=float,
        metavar="ELO",
        help="Play in rounds of --sets, until a pairing's Elo difference is known to ± ELO or its order is beyond doubt.",
    ),
    click.option(
        "--max-sets",
        type=click.IntRange(1),
        help=f"With --precision: the most sets of one pairing; {spec.ROUNDS} rounds unless given.",
    ),
    clock_options,
)


def league_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add a league's options to a command, which gets them as `wanted`, a checked league without name, bots and key."""

    @wraps(command)
    def wrapped(*args: Any, variants: str, options: tuple[str, ...], clock: dict[str, float], **given: Any) -> None:  # noqa: ANN401 - click's parameters
        rest = {name: given.pop(name) for name in ("sets", "fmt", "remote_sets", "precision", "max_sets")}
        try:
            words = spec.spread(spec.variant_words(variants), options)
            wanted = spec.league_spec("", words, (), clock=clock, **rest)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        command(*args, wanted=wanted, **given)

    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
