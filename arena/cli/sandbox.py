"""The options of sandboxes, the same for every command that starts bots."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import say
from arena.settings import from_env
from referee import isolate
from referee.box import Limits
from referee.errors import IsolationMissing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.box import Box


LIMITS = ", ".join(Limits.names())


@dataclass(frozen=True)
class Sandbox:
    """How bots are to be kept."""

    limits: Limits
    allow_unsandboxed: bool = False

    def entry(self, folder: str) -> dict[str, Any]:
        """What an order says of a bot that is started in a folder."""
        return {"tree": str(Path(folder).resolve()), "limits": self.limits.as_json(), "hide": hidden(folder)}


def hidden(folder: str) -> list[str]:
    """What bots must not see of a folder: the arena's data, which by default lie where one happens to be."""
    data, path = from_env().data, Path(folder).resolve()
    return [str(data.relative_to(path))] if data != path and data.is_relative_to(path) and data.is_dir() else []


def boxed(folder: str | None, limits: Sequence[str]) -> Box | None:
    """The box for a bot with its files in a folder, None without one. Raises click.UsageError, BadLimit, IsolationMissing."""
    if folder is None:
        if limits:
            raise click.UsageError("--limit goes with --sandbox")
        return None
    if not Path(folder).is_dir():
        raise click.UsageError(f"--sandbox: there is no folder {folder}")
    return isolate.of_order(Sandbox(_limits(limits)).entry(folder))


def _limits(texts: Sequence[str]) -> Limits:
    return Limits.of_text(",".join(texts), Limits.of_environment())


def _permit(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        os.environ[isolate.ALLOW] = "1"  # for the workers, and the referees that they start


def warn_without_isolation() -> None:
    """Say at the start of workers what they will not be able to do, rather than let every hosted bot wait without a word."""
    try:
        name, _ = isolate.choose()
    except IsolationMissing as error:
        say(f"hosted bots will neither be qualified nor played here, others will: {error}")
    else:
        if name == "none":
            say(f"hosted bots run without isolation here, with all that this user may do ({isolate.ALLOW}=1)")


unsandboxed_option = click.option(
    "--allow-unsandboxed",
    is_flag=True,
    expose_value=False,
    callback=_permit,
    help="Where no sandbox can be made, run hosted bots without: they may then do all that you may.",
)
"""For commands that start workers."""


def sandbox_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets them as `sandbox`, a Sandbox or None."""

    @wraps(command)
    def wrapped(*args: Any, **given: Any) -> None:  # noqa: ANN401 - click's parameters
        wanted, texts, permitted = (given.pop(name) for name in ("sandbox", "limit", "allow_unsandboxed"))
        if texts and not wanted:
            raise click.UsageError("--limit goes with --sandbox")
        limits = _limits(texts)
        if wanted:
            isolate.choose(allow_unsandboxed=permitted)
        command(*args, sandbox=Sandbox(limits, permitted) if wanted else None, **given)

    for option in (
        click.option(
            "--allow-unsandboxed",
            is_flag=True,
            help="Where no sandbox can be made, run without: bots may then do all that you may.",
        ),
        click.option(
            "--limit", multiple=True, metavar="NAME=VALUE", help=f"A limit of the sandboxes; may be repeated ({LIMITS})."
        ),
        click.option(
            "--sandbox", is_flag=True, help="Run every bot in a sandbox, where it sees no files but those of its own folder."
        ),
    ):
        wrapped = option(wrapped)
    return wrapped
