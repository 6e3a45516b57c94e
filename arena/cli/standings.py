"""The standings of a league as text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from league import standings as tables

if TYPE_CHECKING:
    from league.store import Store


BROKEN = ("NOT_STARTED", "CRASHED", "GONE")
"""Causes of faults that say more of a bot's program than of its play."""


def broken_bots(store: Store, name: str) -> list[str]:
    """The bots of a league that could not start, crashed or went away, and did so in every tenth of their games or more."""
    games: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    for game in store.results(name):
        games.update(game.bots)
        failures.update(bot for bot, faults in zip(game.bots, game.faults, strict=True) if set(BROKEN) & set(faults))
    return sorted(bot for bot, number in failures.items() if 10 * number >= games[bot])


def standings_text(store: Store, name: str, label: str | None = None) -> str:
    """The standings as text: one variant's, or all together and each by itself."""
    entry = store.league(name)
    if label is not None and label not in {variant.label for variant in entry.variants}:
        known = ", ".join(variant.label for variant in entry.variants)
        raise click.UsageError(f"league {name} has no variant {label!r} (it has: {known})")
    bots = [bot.bot for bot in entry.bots]
    results = list(store.results(name, label))
    if label is not None or len(entry.variants) == 1:
        return tables.format_table(tables.standings(results, bots, label))
    parts = [("all variants", tables.standings(results, bots))]
    parts += [(one.label, tables.standings(results, bots, one.label)) for one in entry.variants]
    return "\n\n".join(f"{title}\n{tables.format_table(part)}" for title, part in parts)
