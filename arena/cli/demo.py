"""`arena demo`: a small league of the sample bots from nothing to standings and verified records."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from arena import spec
from arena.cli.common import SAMPLES, command_line, opened, say
from arena.cli.run import INTERRUPTED, Run
from arena.settings import ROOT, from_env
from league.errors import NotFound
from league.export import export_league
from referee import record
from referee.clock import Clock
from referee.rules import VARIANTS
from worker.supervise import stopping

if TYPE_CHECKING:
    from pathlib import Path

    from arena.settings import Settings
    from league.store import Store

BOTS = tuple(name for name in SAMPLES if name != "monte-carlo")
"""The samples that think for a millisecond or less: the demo should not take long."""
SETS = 6
DEALS = 8
"""Deals a game: a fixed number, because games of the random bot to the end can be very long."""
WORKERS = 2
CLOCK = Clock(answer=30.0, bank=60.0, start=120.0)
"""No sample is slow; the machine may be."""


@click.command()
@click.option("--name", default="demo", show_default=True, help="Name of the league; a new name plays a new one.")
def demo(name: str) -> None:
    """Play a small league of the sample bots over all variants, print the standings, and verify every record.

    Everything is kept in var/demo (or in ARENA_DATA). Run again, it goes on where it was stopped, or shows what it has.
    """
    from arena.cli.standings import standings_text  # noqa: PLC0415  (numpy: when all is played)

    began = time.monotonic()
    settings = demo_settings()
    with opened(settings) as (_, store), stopping() as stop:
        ensure(store, name)
        if not Run(settings, store, name, WORKERS, stop).play():
            say(f"stopped; nothing is lost. Go on with:\n  {command_line('demo')}")
            raise SystemExit(INTERRUPTED)
        click.echo(standings_text(store, name))
        folder = settings.data / "export" / name
        files = export_league(store, name, folder)
    games = verified(files)
    click.echo(f"\n{games} games verified from their records in {folder} ({time.monotonic() - began:.0f} s in all)")
    click.echo(f"dashboard: ARENA_DATA={settings.data} {command_line('dashboard')}   then open http://127.0.0.1:8000")


def demo_settings() -> Settings:
    """The settings of the demo: a data folder of its own, unless the environment names one."""
    given = from_env()
    here = from_env({"ARENA_DATA": str(ROOT / "var" / "demo")})
    chosen = given if given.data != from_env({}).data else here
    return replace(chosen, redis_url=given.redis_url, lease=given.lease)


def ensure(store: Store, name: str) -> None:
    """Make the demo's league unless it is there."""
    try:
        store.league(name)
    except NotFound:
        variants: list[tuple[str, spec.Options]] = [(variant.name, {}) for variant in VARIANTS]
        store.create_league(spec.league_spec(name, variants, BOTS, SETS, fmt=f"deals:{DEALS}", clock=CLOCK.as_json()))


def verified(files: list[Path]) -> int:
    """Replay every record among these files; returns how many games they hold.

    Raises:
        click.ClickException: one is wrong.
    """
    games = 0
    for path in files:
        if path.suffix == ".jsonl":
            try:
                games += record.verify(record.read(path)).games
            except record.Wrong as error:
                raise click.ClickException(f"{path}: {error}") from error
    return games
