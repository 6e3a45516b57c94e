"""`arena submission`: what was submitted, and what came of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, get_args

import click

from arena.check.report import FAILED, Result
from arena.cli.common import counted, opened, say, table
from arena.remote import far, remote_options
from league.model import State
from referee.box import size_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arena.remote import Json

MARKS = {"passed": "ok    ", "failed": "FAILED"}


@click.group()
def submission() -> None:
    """See what was submitted, and why something did not qualify.

    On the arena's own machine these commands see everything. With --to they ask a dashboard elsewhere, with the owner's key,
    for what that owner has submitted.
    """


@submission.command("list")
@click.option("--bot", metavar="NAME", help="Of this bot only.")
@click.option("--owner", metavar="NAME", help="Of this owner only.")
@click.option("--state", type=click.Choice(get_args(State)), help="In this state only.")
@click.option("--last", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@remote_options
def list_submissions(bot: str | None, owner: str | None, state: State | None, last: int, **where: Any) -> None:  # noqa: ANN401
    """List submissions, the newest first."""
    client = far(**where)
    if client is not None:
        rows = [one for one in client.submissions() if bot in (None, one["bot"]) and state in (None, one["state"])][:last]
    else:
        with opened() as (_, store):
            found = store.submissions(owner, bot, [state] if state else None, last)
        rows = [one.as_json() for one in found]
    cells = [
        [one["bot"], f"v{one['version']}", one["owner"], _when(one["submitted_at"]), one["state"], _why(one)] for one in rows
    ]
    click.echo(table(["bot", "version", "owner", "submitted", "state", ""], cells, left=6))


def _when(seconds: float | None) -> str:
    return "-" if seconds is None else time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))


def _why(one: Mapping[str, Any], width: int = 60) -> str:
    text: str = (one["reason"] or one["note"]).partition("\n")[0]
    return text if len(text) <= width else text[: width - 1] + "…"


@submission.command()
@click.argument("bot")
@click.argument("version", type=click.IntRange(1), required=False)
@remote_options
def show(bot: str, version: int | None, **where: Any) -> None:  # noqa: ANN401
    """Show what came of VERSION of BOT, its newest unless given, step by step."""
    click.echo("\n".join(told(_find(bot, version, where))))


@submission.command()
@click.argument("bot")
@click.argument("version", type=click.IntRange(1), required=False)
@remote_options
def log(bot: str, version: int | None, **where: Any) -> None:  # noqa: ANN401
    """Print what the build and the bot wrote while VERSION of BOT was qualified, and what passed between bot and referee."""
    found = _find(bot, version, where)
    lines = [line for step in found["report"] for line in _step_log(step)]
    click.echo("\n".join(lines) or "(nothing was written down)")


@submission.command()
@click.argument("bot")
@click.argument("version", type=click.IntRange(1), required=False)
def qualify(bot: str, version: int | None) -> None:
    """Qualify VERSION of BOT here and now, rather than by a worker of `arena up`."""
    from worker.qualify import Qualifier  # noqa: PLC0415 - numpy comes with it

    with opened() as (settings, store):
        number = store.submission(bot, version).id
        outcome = Qualifier(store, settings, lambda step: say(step_line(step))).qualify(number)
        found = store.submission_by_id(number)
    if outcome == "claimed" and found.pending:
        raise click.ClickException(f"a worker is at it: {found} is {found.state}")
    click.echo(verdict(found.as_json()))
    if found.state != "qualified":
        raise click.exceptions.Exit(1)


@submission.command()
@click.option("--days", type=click.FloatRange(0), default=30.0, show_default=True, help="Leave what ended within so many days.")
@click.option("--look", is_flag=True, help="Only say what would be removed.")
def sweep(days: float, *, look: bool) -> None:
    """Remove the files of versions that can never play: those that failed or were withdrawn, and were in no league.

    What came of them stays to be read. Submitting the same files again stores them again.
    """
    with opened() as (_, store):
        found = store.sweep_blobs(time.time() - days * 86400, only_look=look)
    size = size_text(sum(size for _, size in found)) if found else "nothing"
    click.echo(f"{counted(len(found), 'set')} of files {'would be ' if look else ''}removed, {size} before compression")


def _find(bot: str, version: int | None, where: Mapping[str, Any]) -> Json:
    client = far(**where)
    if client is not None:
        return client.find(bot, version)
    with opened() as (_, store):
        return store.submission(bot, version).as_json()


# ---- words ------------------------------------------------------------------------------------------------------------


def told(one: Mapping[str, Any]) -> Iterator[str]:
    """A submission for people, line by line."""
    yield f"{one['bot']} v{one['version']} of {one['owner']}, submitted {_when(one['submitted_at'])} UTC: {one['state']}"
    manifest = one["manifest"]
    for key in ("run", "build", "description"):
        if manifest.get(key):
            yield f"  {key:<12}{manifest[key]}"
    yield f"  {'variants':<12}{', '.join(manifest['variants'])}"
    yield f"  {'files':<12}{one['tree']}" + (f", built {one['built']}" if one["built"] not in (None, one["tree"]) else "")
    for step in one["report"]:
        yield step_line(step)
    if one["reason"] or one["note"]:
        yield verdict(one)


def step_line(step: Mapping[str, Any]) -> str:
    """A step of a report in a line."""
    detail = f": {step['detail']}" if step.get("detail") else ""
    again = f" (a first try: {step['first']})" if step.get("first") else ""
    return f"  {MARKS.get(step['status'], '-     ')} {step['title']}{detail}{again} ({step['seconds']} s)"


def verdict(one: Mapping[str, Any]) -> str:
    """What came of a submission, in a sentence."""
    name = f"{one['bot']} v{one['version']}"
    if one["state"] == "failed":
        return f"{name} failed: {one['reason']}"
    if one["state"] in ("qualified", "withdrawn"):
        return f"{name} is {one['state']}"
    return f"{name} is {one['state']}" + (f"; it could not be qualified so far: {one['note']}" if one["note"] else "")


def _step_log(step: Mapping[str, Any]) -> Iterator[str]:
    failed = [one for one in step.get("steps", ()) if one["status"] == FAILED]
    if not (step.get("output") or failed):
        return
    yield f"== {step['title']}"
    if step.get("output"):
        yield str(step["output"]).rstrip("\n")
    for one in failed:
        wanted = {key: one[key] for key in ("status", "detail", "seconds", "sent", "got", "output") if key in one}
        yield Result(one["step"], one["name"], one["title"], **wanted).text()
