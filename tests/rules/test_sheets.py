"""The rule sheets in seeds/: each clause has its source and is held by a test, and no sheet names a test that does not exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from referee.rules import VARIANTS, Variant
from tests.rules import examples, sheets

if TYPE_CHECKING:
    from pathlib import Path

FILES = pytest.mark.parametrize(("path", "variant"), sheets.files(), ids=lambda value: getattr(value, "stem", ""))

IDS = {
    "common": [f"K{number}" for number in range(1, 12)],
    "ghost-hand": [f"G{number}" for number in range(1, 10)],
    "cutthroat": [f"C{number}" for number in range(1, 12)],
    "bid-euchre": [f"B{number}" for number in (*range(1, 10), *range(14, 18))],
    "turn-up": [f"T{number}" for number in range(1, 8)],
}
EVERY = {clause for clauses in IDS.values() for clause in clauses}


@FILES
def test_sheet_is_whole(path: Path, variant: Variant | None) -> None:
    """A sheet has every clause, each with its source, and its lines on tests and options are current."""
    text = path.read_text("utf-8")
    assert sheets.clauses(text) == IDS[path.stem]
    for part in re.split(r"(?=^### )", text, flags=re.MULTILINE)[1:]:
        source = re.search(r"^\*Source:\* (.+)$", part, re.MULTILINE)
        assert source is not None, part
        assert re.search(r"seed 00[013], |default chosen here", source[1]), part
    assert text == sheets.rewritten(text, variant), "stale: python -m tests.rules.sheets"


def test_every_variant_has_a_sheet() -> None:
    """A variant without a rule sheet fails here."""
    assert {path.stem for path in sheets.SHEETS.glob("*.md")} == {"common", *(variant.name for variant in VARIANTS)}


def test_every_clause_is_held() -> None:
    """Each clause of the sheets is named by a test or an example, and each clause that they name exists."""
    holders = sheets.holders()
    assert sorted(EVERY - set(holders)) == []
    assert sorted(set(holders) - EVERY) == []


@FILES
def test_named_tests_exist(path: Path, variant: Variant | None) -> None:
    """Whatever test or example a sheet names exists."""
    known = {*sheets.tests(), *(f"{sheets.EXAMPLE_TEST}[{example['id']}]" for example in examples.load())}
    named = sheets.named(path.read_text("utf-8"))
    assert named
    assert sorted(named - known) == []


def test_options_name_clauses_that_exist() -> None:
    """The meaning of each option names the clause that it belongs to."""
    for variant in VARIANTS:
        for option in variant.options:
            clauses = sheets.CLAUSE.findall(option.doc)
            assert clauses, option.name
            assert set(clauses) <= EVERY
