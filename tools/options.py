"""Write docs/options.md, the options of every variant, from what the referee enforces; --check proves that it is current."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee.rules import VARIANTS, Rules
from referee.rules.options import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.rules import Variant

TARGET = Path(__file__).resolve().parent.parent / "docs" / "options.md"

_HEAD = """# Options of the variants

Made by `python -m tools.options` from the tables that the referee reads; do not edit. The rules themselves are in
[seeds/](../seeds/), clause by clause. Give options as `--option NAME=VALUE` to `arena play`; docs/running-a-league.md says how to
give them to a league. An option or a value that does not exist is an error that lists those that do."""


def lines() -> Iterator[str]:
    """The lines of the page."""
    yield _HEAD
    for variant in VARIANTS:
        yield from _variant(variant)


def _variant(variant: Variant) -> Iterator[str]:
    defaults = Rules(variant.name).options
    teams = "two teams, seats 0+2 and 1+3" if variant.teams else "three players, each alone"
    yield ""
    yield f"## {variant.title} (`{variant.name}`)"
    yield ""
    yield f"{variant.seats} seats: {teams}."
    yield ""
    yield "| option | default | values | meaning |"
    yield "| --- | --- | --- | --- |"
    for option in variant.options:
        values = ", ".join(option.values)
        yield f"| `{option.name}` | {text_of(defaults[option.name])} | {values} | {option.doc} |"


def main() -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail where the page is not current")
    text = "\n".join(lines()) + "\n"
    if not parser.parse_args().check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        print("docs/options.md is not current: run `python -m tools.options`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
