"""`arena owner`: who may submit bots."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from arena.cli.common import counted, opened, say, table
from league.store_owners import MOST_BOTS, MOST_HOURLY

if TYPE_CHECKING:
    from league.model import Owner, OwnerKey

_limits = (
    click.option("--bots", type=click.IntRange(1), help="Bots that the owner may have at a time."),
    click.option("--submissions", type=click.IntRange(1), help="Submissions of the owner within an hour."),
)


@click.group()
def owner() -> None:
    """Add owners, who may submit bots, and their keys.

    An owner shows a key to submit. What owners submit is not trusted: it runs in a sandbox, and enters leagues only once it
    is qualified.
    """


@owner.command()
@click.argument("name")
@_limits[0]
@_limits[1]
def add(name: str, bots: int | None, submissions: int | None) -> None:
    """Add the owner NAME and print the first key, this once."""
    with opened() as (_, store):
        key = store.add_owner(name, bots or MOST_BOTS, submissions or MOST_HOURLY)
        made = store.owner(name)
    say(f"owner {name}: {_limits_text(made)}")
    _print_key(key)


def _print_key(key: str) -> None:
    click.echo(key)
    say("This key is shown this once. Whoever has it can submit in the owner's name.")


def _limits_text(made: Owner) -> str:
    return f"{counted(made.most_bots, 'bot')}, {counted(made.most_hourly, 'submission')} an hour"


@owner.command("list")
@click.option("--all", "removed", is_flag=True, help="Removed owners too.")
def list_owners(removed: bool) -> None:
    """List the owners."""
    with opened() as (_, store):
        found = store.owners(removed=removed)
    rows = [[one.name + (" (removed)" if one.removed_at else ""), _limits_text(one), ", ".join(one.bots) or "-"] for one in found]
    click.echo(table(["name", "limits", "bots"], rows, left=3))


@owner.command("set")
@click.argument("name")
@_limits[0]
@_limits[1]
def set_limits(name: str, bots: int | None, submissions: int | None) -> None:
    """Change the limits of the owner NAME. What is there already stays."""
    if bots is None and submissions is None:
        raise click.UsageError("say what to change: --bots N, --submissions N")
    with opened() as (_, store):
        click.echo(f"{name}: {_limits_text(store.limit_owner(name, bots, submissions))}")


@owner.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove the owner NAME: the keys are void, the bots take part in no new league. What was played stays."""
    with opened() as (_, store):
        bots = store.remove_owner(name)
    click.echo(f"{name} removed" + (f", and with it: {', '.join(bots)}" if bots else ""))


@owner.group()
def key() -> None:
    """Add, list and revoke an owner's keys."""


@key.command("add")
@click.argument("name")
@click.option("--label", default="", metavar="TEXT", help="What the key is for.")
def add_key(name: str, label: str) -> None:
    """Make another key for the owner NAME and print it, this once."""
    with opened() as (_, store):
        made = store.add_key(name, label)
    _print_key(made)


@key.command("list")
@click.argument("name")
def list_keys(name: str) -> None:
    """List the keys of the owner NAME by how they begin."""
    with opened() as (_, store):
        found = store.keys(name)
    click.echo(table(["key", "label", "made", "last used", "state"], [_key_row(one) for one in found], left=5))


def _key_row(one: OwnerKey) -> list[str]:
    state = "good" if one.revoked_at is None else f"revoked {_day(one.revoked_at)}"
    return [f"{one.prefix}-…", one.label or "-", _day(one.created_at), _day(one.used_at) if one.used_at else "never", state]


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


@key.command("revoke")
@click.argument("name")
@click.argument("prefix")
def revoke_key(name: str, prefix: str) -> None:
    """Revoke the key of the owner NAME that begins with PREFIX, as `arena owner key list` shows it."""
    with opened() as (_, store):
        revoked = store.revoke_key(name, prefix.removesuffix("…").rstrip("-"))
        left = sum(one.revoked_at is None for one in store.keys(name))
    click.echo(f"{revoked.prefix} revoked; {name} has {counted(left, 'key')} left")
