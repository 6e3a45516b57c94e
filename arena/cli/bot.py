"""`arena bot`: which bots there are."""

from __future__ import annotations

import shlex
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import opened, say, table
from arena.remote import far, remote_options

if TYPE_CHECKING:
    from league.model import Bot, NewTokens


@click.group()
def bot() -> None:
    """Add, list and remove bots; promote, roll back, withdraw.

    A bot is a command that the arena starts, a remote program that dials in, or what its owner submits (see `arena submit`).
    It is a series of versions: a new command is a new version. A league plays the versions that were the current ones when it
    was created: the newest, or of an owner's bot the one that is promoted.
    """


@bot.command()
@click.argument("name")
@click.option("--run", "command", metavar="COMMAND", help="Command line that starts the bot.")
@click.option(
    "--cwd",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="Folder that it runs in; the current one by default.",
)
@click.option("--remote", is_flag=True, help="The bot runs elsewhere and dials in; prints its tokens, this once.")
def add(name: str, command: str | None, cwd: str | None, remote: bool) -> None:
    """Add the bot NAME, or a new version of it."""
    if remote == (command is not None):
        raise click.UsageError("say either --run COMMAND, for a bot that is started here, or --remote")
    if remote and cwd is not None:
        raise click.UsageError("--cwd goes with --run: a remote bot runs wherever it is")
    if command is None:
        _add_remote(name)
    else:
        _add_local(name, command, cwd or str(Path.cwd()))


def _add_local(name: str, command: str, cwd: str) -> None:
    program = _program(command)
    with opened() as (_, store):
        version = store.add_bot(name, command, cwd)
    ours = program in ("python", "python3", "arena")  # always this installation's
    if not ours and shutil.which(program) is None and not (Path(cwd) / program).exists():
        say(f"warning: {program} is not found here; the bot can only be started where it is")
    click.echo(f"{version}: {command}")


def _program(command: str) -> str:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.UsageError(f"--run {command!r} is not a command line: {error}") from error
    if not words:
        raise click.UsageError("--run is empty; give the command line that starts the bot")
    return words[0]


def _add_remote(name: str) -> None:
    with opened() as (_, store):
        version, tokens = store.add_remote_bot(name)
    click.echo(f"{version}: remote")
    _print_tokens(tokens)


def _print_tokens(tokens: NewTokens) -> None:
    click.echo(f"token:         {tokens.own}")
    click.echo(f"partner token: {tokens.partner}")
    say("These are shown this once. The partner token is for the second process that plays the partner's seat in team variants.")


@bot.command("list")
@click.option("--all", "removed", is_flag=True, help="Removed bots too.")
def list_bots(removed: bool) -> None:
    """List the bots."""
    with opened() as (_, store):
        bots = store.bots(removed=removed)
    click.echo(table(["name", "version", "added", "command"], [_row(entry) for entry in bots], left=4))


def _row(entry: Bot) -> list[object]:
    shown = entry.current or entry.latest
    added = time.strftime("%Y-%m-%d", time.gmtime(shown.created_at))
    what = shown.run or ("remote" if shown.tokens else "remote, tokens revoked")
    whose = f" (of {entry.owner}; {_standing(entry)})" if entry.owner is not None else ""
    return [entry.name, f"v{shown.version}", added, what + whose + (" (removed)" if entry.removed_at is not None else "")]


def _standing(entry: Bot) -> str:
    """Where an owner's bot stands: the state of its newest version, and whether an older one plays."""
    newest = f"v{entry.latest.version} {entry.latest.state}"
    if entry.current is None:
        return f"{newest}; none plays"
    return "current" if entry.current == entry.latest else f"current; {newest}"


@bot.command()
@click.argument("name")
@click.option("--last", type=click.IntRange(1), default=3, show_default=True, help="How many.")
def log(name: str, last: int) -> None:
    """Print what the bot NAME wrote when it last failed: could not start, crashed or played badly."""
    with opened() as (_, store):
        store.bot(name)
        entries = store.logs(bot=name, limit=last)
    for entry in reversed(entries):
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(entry.logged_at))
        ended = "still ran" if entry.exit is None else f"exit code {entry.exit}"
        click.echo(f"== {when} UTC, {entry.match}, seat {entry.seat}, {ended}")
        click.echo(entry.tail.rstrip("\n") or "(wrote nothing)")
    if not entries:
        say(f"{name} has not failed yet")


@bot.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove the bot NAME: it takes part in no new league, and what it has played stays."""
    with opened() as (_, store):
        store.remove_bot(name)
    click.echo(f"{name} removed")


@bot.command()
@click.argument("name")
@click.option("--renew", is_flag=True, help="Make new tokens for the latest version, and print them, this once.")
def revoke(name: str, renew: bool) -> None:
    """Revoke the tokens of the remote bot NAME: whoever plays with one is cut off."""
    with opened() as (_, store):
        tokens = store.renew_tokens(name) if renew else None
        number = 0 if renew else store.revoke_tokens(name)
    if tokens is None:
        click.echo(f"{name}: {number} tokens revoked")
    else:
        click.echo(f"{name}: old tokens revoked")
        _print_tokens(tokens)


@bot.command()
@click.argument("name")
@click.argument("version", type=click.IntRange(1))
@remote_options
def promote(name: str, version: int, **where: Any) -> None:  # noqa: ANN401
    """Let VERSION of the submitted bot NAME play in new leagues. It must be qualified; leagues that exist stay as they are."""
    client = far(**where)
    if client is not None:
        client.change(name, "promote", version)
    else:
        with opened() as (_, store):
            store.promote(name, version)
    click.echo(f"{name} v{version} plays in new leagues")


@bot.command()
@click.argument("name")
@remote_options
def rollback(name: str, **where: Any) -> None:  # noqa: ANN401
    """Let the qualified version before the current one of the submitted bot NAME play in new leagues."""
    client = far(**where)
    if client is not None:
        version = client.change(name, "rollback")["version"]
    else:
        with opened() as (_, store):
            version = store.roll_back(name).version
    click.echo(f"{name} v{version} plays in new leagues")


@bot.command()
@click.argument("name")
@click.argument("version", type=click.IntRange(1), required=False)
@remote_options
def withdraw(name: str, version: int | None, **where: Any) -> None:  # noqa: ANN401
    """Withdraw the submitted bot NAME, or one VERSION of it, for good. Matches that are scheduled are still played."""
    client = far(**where)
    if client is not None:
        answer = client.change(name, "withdraw", version)
        gone, current = answer["withdrawn"], answer["promoted"]
    else:
        with opened() as (_, store):
            gone = [one.version for one in store.withdraw(name, version)]
            current = store.bot(name).promoted
    what = ", ".join(f"v{number}" for number in gone) or "nothing (it was withdrawn before)"
    click.echo(f"{name}: withdrawn: {what}; " + (f"v{current} plays in new leagues" if current else "none plays in new leagues"))
