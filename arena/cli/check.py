"""`arena check`: whether a bot keeps the protocol, step by step."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from arena.check.report import FAILED, PASSED
from arena.check.run import Plan
from arena.check.run import check as run_steps
from arena.check.steps import STEPS
from arena.cli.clock import clock_options
from arena.cli.common import SAMPLES, counted
from arena.cli.sandbox import LIMITS, boxed
from referee import launch
from referee.clock import Clock
from referee.errors import BadOrder
from referee.rules import VARIANTS
from worker.settings import ROOT

if TYPE_CHECKING:
    from arena.check.report import Result


def _list(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        for number, step in enumerate(STEPS, 1):
            click.echo(f"{number:>3}  {step.name:<18} {step.title}")
        ctx.exit()


@click.command()
@click.argument("command")
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
    command: str,
    only: str | None,
    variants: str | None,
    clock: dict[str, Any],
    sandbox: str | None,
    limit: tuple[str, ...],
    *,
    keep_going: bool,
    as_json: bool,
) -> None:
    """Check that the bot which COMMAND starts keeps the protocol; COMMAND may also name a sample.

    Exit code 0 if every step passed, 1 if one failed. docs/check.md tells what each step means.
    """
    run = SAMPLES.get(command, command)
    try:
        words = launch.command(run)
    except BadOrder as error:
        raise click.UsageError(str(error)) from None
    chosen = _chosen(only) & _about(variants) if only else _about(variants)

    def tell(result: Result) -> None:
        click.echo(json.dumps(result.as_json()) if as_json else result.text())

    cwd = str(ROOT) if command in SAMPLES else os.getcwd()  # noqa: PTH109 - text for the launcher
    results = run_steps(Plan(words, Clock.of(clock), chosen, keep_going, cwd, boxed(sandbox, limit)), tell)
    if not as_json:
        _sum_up(results)
    if any(result.status == FAILED for result in results):
        raise click.exceptions.Exit(1)


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
    told = f"{passed} of {counted(len(results), 'step')} passed in {seconds:.1f} s"
    if failed:
        numbers = ", ".join(str(result.number) for result in failed)
        told += f"; failed: {numbers}. What it means and how to mend it: docs/check.md, step {failed[0].number}"
    click.echo(f"\n{told}")
