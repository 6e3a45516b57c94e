"""`arena logs`: what a bot wrote in a match, and what it was asked and answered around each fault."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import counted, opened
from league.logs import exchange_text

if TYPE_CHECKING:
    from league.model import BotLog, FaultLog, OwnerLogs


@click.command()
@click.argument("match")
@click.argument("bot")
@click.option("--fault", "number", type=click.IntRange(1), metavar="N", help="Only the fault of this number, in full.")
@click.option("--json", "as_json", is_flag=True, help="Faults as JSON, one a line, with the asks as the line protocol has them.")
def logs(match: str, bot: str, number: int | None, *, as_json: bool) -> None:
    """Print what BOT wrote in MATCH, and what it was asked and answered around each of its faults.

    MATCH is the match's name, LEAGUE/VARIANT/NUMBER. This reads the store, as whoever runs the arena may; owners of hosted bots
    find the same on the dashboard.
    """
    with opened() as (_, store):
        found = store.owner_logs(match, bot)
    if number is not None and number > len(found.faults):
        raise click.UsageError(f"--fault: {number} (the log has {counted(len(found.faults), 'fault')} of {bot} in {match})")
    chosen = [(at, fault) for at, fault in enumerate(found.faults, 1) if number in (None, at)]
    if as_json:
        for at, fault in chosen:
            click.echo(json.dumps(fault_json(at, fault), separators=(",", ":")))
        return
    if number is None:
        for output in reversed(found.outputs):
            click.echo(output_text(output))
    for at, fault in chosen:
        click.echo(fault_text(at, fault, whole=number is not None))
    click.echo(_sum(found))


def output_text(log: BotLog) -> str:
    """The end of what one process wrote."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(log.logged_at))
    ended = "ended by the referee" if log.exit is None else f"exit code {log.exit}"
    text = log.tail.rstrip("\n") or "(wrote nothing)"
    return f"== output, seating {_digits(log.seating)}, seat {log.seat}, {when} UTC, {ended}\n{text}\n"


def fault_text(number: int, fault: FaultLog, *, whole: bool) -> str:
    """One fault: where, why, and the exchanges before it; the ask of the fault in full if `whole`."""
    where = f"set {fault.set}, seating {_digits(fault.seating)}, deal {fault.deal}, move {fault.move}, seat {fault.seat}"
    lines = [f"== fault {number}: {fault.cause}, {where}"]
    if fault.detail:
        lines.append(f"   {fault.detail}")
    lines += [f"   {exchange_text(exchange)}" for exchange in fault.exchanges]
    if whole and fault.exchanges and fault.exchanges[-1].ask is not None:
        lines.append(json.dumps(fault.exchanges[-1].ask, indent=2))
    return "\n".join(lines) + "\n"


def fault_json(number: int, fault: FaultLog) -> dict[str, Any]:
    """One fault, all of it."""
    return {
        "fault": number,
        "match": fault.match,
        "bot": fault.bot,
        "set": fault.set,
        "seating": list(fault.seating),
        "deal": fault.deal,
        "move": fault.move,
        "seat": fault.seat,
        "cause": fault.cause,
        "detail": fault.detail,
        "exchanges": [{"ask": exchange.ask, "answer": exchange.answer} for exchange in fault.exchanges],
    }


def _digits(seating: tuple[int, ...]) -> str:
    return "".join(map(str, seating))


def _sum(found: OwnerLogs) -> str:
    return f"{found.bot} in {found.match}: {counted(len(found.outputs), 'output')}, {counted(len(found.faults), 'fault')}"
