"""`arena check`: whether a bot keeps the protocol, step by step."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.check.remote import Dial, NobodyCame
from arena.check.report import FAILED, PASSED, SKIPPED
from arena.check.run import Plan
from arena.check.run import check as run_steps
from arena.check.steps import STEPS
from arena.cli.clock import clock_options
from arena.cli.common import SAMPLES, counted, say
from arena.cli.sandbox import LIMITS, boxed
from arena.cli.serve import tls_options
from referee import launch
from referee.clock import Clock
from referee.errors import BadAddress, BadCertificate, BadOrder
from referee.rules import VARIANTS
from referee.tls import Tls
from worker.settings import ROOT

if TYPE_CHECKING:
    from arena.check.report import Result

WAIT = 300.0
"""Seconds for a bot that runs already to dial in."""
FREE_PORT = "127.0.0.1:0"


def _list(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        for number, step in enumerate(STEPS, 1):
            click.echo(f"{number:>3}  {step.name:<18} {step.title}")
        ctx.exit()


@click.command()
@click.argument("command", required=False)
@click.option("--connect", metavar="TOKEN", help="In place of COMMAND: a bot with this token runs already, and dials in.")
@click.option(
    "--listen", metavar="ADDRESS", help="Where it dials in: HOST:PORT or unix:/path.  [default: a free port of loopback]"
)
@click.option("--wait", type=click.FloatRange(min=0, min_open=True), help=f"Seconds to wait for it.  [default: {WAIT:g}]")
@click.option(
    "--insecure-any-address", is_flag=True, help="Listen beyond this machine, though the token then travels in the clear."
)
@tls_options
@click.option("--only", metavar="N[,N...]", help="Only these steps.")
@click.option("--variants", metavar="V[,V...]", help="Of the steps that play a variant, only these variants'.")
@click.option("--keep-going", is_flag=True, help="Go on after a step that failed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each step, as it is done.")
@click.option(
    "--list",
    "listing",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list,
    help="List the steps.",
)
@click.option("--sandbox", metavar="DIR", help="Run the bot in a sandbox, where it finds the files of DIR, and starts, in /bot.")
@click.option("--limit", multiple=True, metavar="NAME=VALUE", help=f"A limit of the sandbox; may be repeated ({LIMITS}).")
@clock_options
def check(  # noqa: PLR0913 - click's parameters
    only: str | None,
    variants: str | None,
    clock: dict[str, Any],
    sandbox: str | None,
    limit: tuple[str, ...],
    *,
    keep_going: bool,
    as_json: bool,
    **bot: Any,  # noqa: ANN401 - click's
) -> None:
    """Check that a bot keeps the protocol: the one that COMMAND starts, which may also name a sample, or one that dials in.

    Exit code 0 if every step passed, 1 if one failed. docs/check.md tells what each step means.
    """
    if bot["connect"] is not None and (sandbox or limit):
        raise click.UsageError("--sandbox and --limit are for a bot that is started here, not for one that dials in (--connect)")
    what, cwd = _bot(**bot)
    chosen = _chosen(only) & _about(variants) if only else _about(variants)
    plan = Plan(what, Clock.of(clock), chosen, keep_going, cwd, boxed(sandbox, limit))

    def tell(result: Result) -> None:
        click.echo(json.dumps(result.as_json()) if as_json else result.text())

    try:
        results = run_steps(plan, tell)
    except (BadAddress, BadCertificate) as error:
        raise click.UsageError(str(error)) from None
    except NobodyCame as error:
        raise click.ClickException(str(error)) from None
    if not as_json:
        _sum_up(results)
    if any(result.status == FAILED for result in results):
        raise click.exceptions.Exit(1)


def _bot(command: str | None, connect: str | None, **where: Any) -> tuple[list[str] | Dial, str | None]:  # noqa: ANN401
    """How the bot comes, and the folder in which it is started; raises click.UsageError."""
    if (command is None) == (connect is None):
        raise click.UsageError("say either COMMAND, which starts the bot, or --connect TOKEN, for one that runs already")
    if connect is not None:
        return _dial(connect, **where), None
    if any(where.values()):
        raise click.UsageError("--listen, --wait, --insecure-any-address and --tls-… go with --connect")
    assert command is not None
    try:
        words = launch.command(SAMPLES.get(command, command))
    except BadOrder as error:
        raise click.UsageError(str(error)) from None
    return words, str(ROOT) if command in SAMPLES else os.getcwd()  # noqa: PTH109 - text for the launcher


def _dial(token: str, listen: str | None, wait: float | None, tls: tuple[str, ...], *, insecure_any_address: bool) -> Dial:
    if not token or any(letter.isspace() or not letter.isascii() for letter in token):
        raise click.UsageError("--connect: a token is ASCII without white space, and not empty")
    files = dict(zip(tls[::2], map(Path, tls[1::2]), strict=True))
    pair = Tls(files["--tls-cert"], files["--tls-key"], files.get("--tls-client-ca")) if files else None

    def listening(address: str) -> None:
        # the host that a bot elsewhere dials is not known here: it may be behind a name, or 0.0.0.0
        say(f"waiting for the bot at {address}; start it with")
        say(f"  EUCHRE_REFEREE={shlex.quote(address)} EUCHRE_TOKEN={shlex.quote(token)} COMMAND")

    def refused(agent: str) -> None:
        say(f"refused: a bot with another token ({agent})")

    return Dial(token, listen or FREE_PORT, pair, insecure_any_address, wait or WAIT, listening, refused)


def _chosen(text: str | None) -> frozenset[int]:
    """The numbers that --only gives; raises click.UsageError."""
    words = [word.strip() for word in text.split(",")] if text is not None else []
    for word in words:
        if not word.isdecimal() or not 1 <= int(word) <= len(STEPS):
            raise click.UsageError(f"--only: {word!r} is no step (allowed: 1 to {len(STEPS)}, separated by commas)")
    return frozenset(map(int, words))


def _about(text: str | None) -> frozenset[int]:
    """The numbers of the steps about the variants that --variants gives, and of those about none; raises click.UsageError."""
    known = [variant.name for variant in VARIANTS]
    words = known if text is None else [word.strip() for word in text.split(",")]
    for word in words:
        if word not in known:
            raise click.UsageError(f"--variants: no variant {word!r} (allowed: {', '.join(known)}, separated by commas)")
    others = [name for name in known if name not in words]
    return frozenset(
        number
        for number, step in enumerate(STEPS, 1)
        if not any(step.name == name or step.name.startswith(f"{name}-") for name in others)
    )


def _sum_up(results: list[Result]) -> None:
    passed = sum(result.status == PASSED for result in results)
    seconds = sum(result.seconds for result in results)
    failed = [result for result in results if result.status == FAILED]
    skipped = sum(result.status == SKIPPED for result in results)
    beside = f", {skipped} skipped" if skipped else ""
    told = f"{passed} of {counted(len(results), 'step')} passed{beside} in {seconds:.1f} s"
    if failed:
        numbers = ", ".join(str(result.number) for result in failed)
        told += f"; failed: {numbers}. What it means and how to mend it: docs/check.md, step {failed[0].number}"
    click.echo(f"\n{told}")
