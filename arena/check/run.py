"""Runs the steps: in order, until one fails, and bounded whatever the bot does."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from arena.check.bench import ENDING, Local, opened
from arena.check.remote import Remote
from arena.check.report import FAILED, PASSED, SKIPPED, Failed, Result, Skipped
from arena.check.room import Room
from arena.check.steps import STEPS, Context
from referee.launch import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.check.bench import Bench
    from arena.check.remote import Dial
    from arena.check.steps import Step
    from referee.box import Box
    from referee.clock import Clock

LONGEST: Final = 120.0
"""Seconds that any step may take."""


@dataclass(frozen=True)
class Plan:
    """What to check, and how."""

    bot: list[str] | Dial
    """The words of the command that starts the bot, or where one that runs already dials in."""
    clock: Clock
    chosen: frozenset[int] = frozenset()
    """Numbers of steps; none for all."""
    keep_going: bool = False
    """Whether to go on after a step that failed."""
    cwd: str | None = None
    box: Box | None = None
    """The sandbox that it runs in, if any."""


def check(plan: Plan, tell: Callable[[Result], None] = lambda _result: None) -> list[Result]:
    """Check a bot; `tell` hears of each step as it is done. Raises NobodyCame, and BadAddress, of a bot that is to dial in."""
    return (
        _check_command(plan, plan.bot, tell) if isinstance(plan.bot, list) else asyncio.run(_check_remote(plan, plan.bot, tell))
    )


def _check_command(plan: Plan, words: list[str], tell: Callable[[Result], None]) -> list[Result]:
    launcher = Launcher()  # before any gRPC object

    async def run() -> list[Result]:
        await launcher.listen()
        try:
            async with opened(lambda folder: Local(words, plan.clock, launcher, folder, plan.cwd, plan.box)) as bench:
                return await _steps(plan, bench, tell)
        finally:
            await launcher.close()

    return asyncio.run(run())


async def _check_remote(plan: Plan, dial: Dial, tell: Callable[[Result], None]) -> list[Result]:
    async with opened(lambda folder: Remote(dial, plan.clock, folder)) as bench:
        await bench.arrival()
        return await _steps(plan, bench, tell)


async def _steps(plan: Plan, bench: Bench, tell: Callable[[Result], None]) -> list[Result]:
    results: list[Result] = []
    context = Context(bench, Room(bench))
    try:
        for number, step in enumerate(STEPS, 1):
            if plan.chosen and number not in plan.chosen:
                continue
            result = Result(number, step.name, step.title)
            if plan.keep_going or not any(before.status == FAILED for before in results):
                await _run(context, step, result)
            results.append(result)
            tell(result)
    finally:
        await context.room.close()
    return results


async def _run(context: Context, step: Step, result: Result) -> None:
    """Do one step."""
    began = time.monotonic()
    context.bench.begin()
    try:
        async with asyncio.timeout(LONGEST) as limit:
            result.detail = await step(context)
        result.status = PASSED
    except Skipped as skipped:
        result.status, result.detail = SKIPPED, str(skipped)
    except Failed as failure:
        result.status, result.detail, result.sent, result.got = FAILED, failure.why, failure.sent, failure.got
    except TimeoutError:
        if not limit.expired():
            raise
        result.status, result.detail = FAILED, f"the step was not done within {LONGEST:g} s"
    if result.status == FAILED:
        result.output = await context.bench.end(ENDING)
    else:
        await context.bench.end(but=context.room.guest)
    result.seconds = time.monotonic() - began
