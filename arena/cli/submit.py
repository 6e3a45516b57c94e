"""`arena submit`: hand in a bot."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import command_line, opened, say
from arena.cli.submission import step_line, verdict
from arena.remote import far, needed_key, read_key, remote_options
from league import archives, manifest
from league.archives import megabytes
from referee.rules import VARIANTS
from worker.supervise import stopping

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.remote import Json
    from league.archives import Tree
    from league.manifest import Manifest
    from league.model import Owner
    from league.store import Store

LOOK = 0.5
"""Seconds between two looks at what has become of it."""
PATIENCE = 10.0
"""Seconds without a worker after which it is said that one is needed."""


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--bot", metavar="NAME", help="Name of the bot, if it is not to be that of bot.toml.")
@click.option("--hold", is_flag=True, help="Do not promote it once it is qualified: new leagues go on with the version before.")
@click.option("--no-wait", is_flag=True, help="Do not wait until it is qualified.")
@click.option("--owner", metavar="NAME", help="On the arena's own machine: whose it is, instead of showing a key.")
@remote_options
def submit(folder: Path, bot: str | None, hold: bool, no_wait: bool, owner: str | None, **where: Any) -> None:  # noqa: ANN401
    """Submit the bot in FOLDER, and wait until it is qualified.

    FOLDER has a bot.toml that says the bot's name and how it is run. The files become a version of the bot that never
    changes. Exit code 0 once it is qualified, 1 if it did not qualify. docs/submitting.md tells it all.
    """
    client = far(**where)
    if client is not None and owner is not None:
        raise click.UsageError("--owner is for the arena's own machine; --to takes your key")
    with archives.packed_folder(folder) as tree:
        made = _manifest(tree, bot)
        say(f"{made.name}: {tree.count} files, {megabytes(tree.size)}, SHA-256 {tree.sha256}")
        if client is not None:
            found = _upload(client, tree, made, bot, hold=hold)
            look: Callable[[], Json] = lambda: client.submission(found["id"])  # noqa: E731
            _follow(found, None if no_wait else look, "the arena's workers are busy, or none runs")
            return
        with opened() as (_, store):
            who = _owner(store, owner, where["key_file"])
            store.check_submission(who.name, made.as_json(), tree.sha256)
            store.add_blob(tree.sha256, tree.file)
            handed = store.submit(who.name, made.as_json(), tree.sha256, promote=not hold)
            here = f"no worker has taken it yet; run {command_line('up')}, or {command_line('submission', 'qualify', handed.bot)}"
            _follow(handed.as_json(), None if no_wait else lambda: store.submission_by_id(handed.id).as_json(), here)


def _manifest(tree: Tree, bot: str | None) -> Manifest:
    made = manifest.parse(tree.manifest, [variant.name for variant in VARIANTS])
    return made if bot is None else manifest.renamed(made, bot)


def _owner(store: Store, name: str | None, key_file: Path | None) -> Owner:
    if name is not None:
        if read_key(key_file) is not None and key_file is not None:
            raise click.UsageError("say either --owner NAME or --key-file FILE")
        return store.owner(name)
    shown = store.key_owner(needed_key(key_file))
    if shown is None:
        raise click.ClickException("this owner's key is not known here, or was revoked")
    return store.owner(shown.owner)


def _upload(client: Any, tree: Tree, made: Manifest, bot: str | None, *, hold: bool) -> Json:  # noqa: ANN401
    """Send the tree; with another name in bot.toml, the name goes along."""
    with tempfile.TemporaryFile() as body:
        with gzip.GzipFile(fileobj=body, mode="wb", mtime=0) as packed:
            shutil.copyfileobj(tree.file, packed)
        length = body.tell()
        body.seek(0)
        if length > archives.SUBMITTED.archive:
            most = megabytes(archives.SUBMITTED.archive)
            raise click.UsageError(f"the bot is {megabytes(length)} long when it is compressed (allowed: {most})")
        found: Json = client.submit(body, length, hold=hold, bot=made.name if bot is not None else None)
        return found


def _follow(found: Json, look: Callable[[], Json] | None, idle: str) -> None:
    """Say what becomes of a submission until it is settled; `look` None says only what it is at."""
    click.echo(f"{found['bot']} v{found['version']} submitted")
    if look is None:
        return
    seen, said, began = "", False, time.monotonic()
    with stopping() as stop:
        while found["pending"] and not stop:
            now = f"{found['state']} {found['note']}"
            if now != seen:
                seen, began = now, time.monotonic()
                say(f"{found['state']}{': ' + found['note'] if found['note'] else ''}")
            elif found["state"] == "submitted" and not said and time.monotonic() - began > PATIENCE:
                said = True
                say(idle)
            stop.wait(LOOK)
            found = look()
    if found["pending"]:
        say(f"not waiting any longer; see: {command_line('submission', 'show', str(found['bot']), str(found['version']))}")
        raise SystemExit(130)
    for step in found["report"]:
        say(step_line(step))
    click.echo(verdict(found))
    if found["state"] != "qualified":
        say(f"more: {command_line('submission', 'log', str(found['bot']), str(found['version']))}")
        raise click.exceptions.Exit(1)
