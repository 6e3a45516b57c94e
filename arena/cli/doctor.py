"""`arena doctor`: what is installed, reachable, isolated and migrated, and what is not."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from arena.doctor import BAD, WARN, Finding, examine
from arena.settings import from_env

MARKS = {"ok": "ok  ", "warn": "warn", "bad": "BAD "}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each finding.")
def doctor(*, as_json: bool) -> None:
    """Look at everything that this arena needs, change nothing, and say what stands in its way.

    Exit code 1 if something is bad; what is only worth a look is marked "warn".
    """
    findings = []
    for finding in examine(from_env()):
        findings.append(finding)
        click.echo(json.dumps(asdict(finding)) if as_json else _line(finding))
    bad, warn = (sum(finding.verdict == verdict for finding in findings) for verdict in (BAD, WARN))
    if not as_json:
        click.echo(f"\n{_sum(bad, warn)}")
    if bad:
        raise click.exceptions.Exit(1)


def _line(finding: Finding) -> str:
    advice = f"\n{'':21}→ {finding.advice}" if finding.advice else ""
    return f"{MARKS[finding.verdict]}  {finding.part:<15}{finding.text}{advice}"


def _sum(bad: int, warn: int) -> str:
    if not bad and not warn:
        return "all is well"
    return f"{bad} bad, {warn} worth a look"
