"""The worked examples: truths written by hand from the clauses, each a data vector that names its clauses."""

from __future__ import annotations

import re

import pytest

from referee.rules import VARIANTS
from tests.rules import examples

EXAMPLES = examples.load()

NUMBERS = """1 2 3 4 5 6 7 8 10 11 13 14 15 16 17 18 19 20 21 23 24 25 27 28 29 30 31 32 33 36 37 39 40 41 42 43 44 47 48
49 50 51 52 53 54 55 57 58 59""".split()  # noqa: SIM905
SUBCASES = ["41a", "41b", "41c", "41d", "41e"]


def _number(example: examples.Example) -> str:
    found = re.match(r"\d+[a-e]?", example["id"])
    return found[0] if found else ""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_example(example: examples.Example) -> None:
    """What the example says happens."""
    examples.run(example)


def test_no_example_is_missing() -> None:
    """Every number of the list has a vector, sub-cases too, and no id occurs twice."""
    numbers = {_number(example) for example in EXAMPLES}
    assert sorted({*NUMBERS, *SUBCASES} - numbers) == []
    assert numbers - {*NUMBERS, *SUBCASES, ""} == set()
    assert len({example["id"] for example in EXAMPLES}) == len(EXAMPLES)


def test_every_variant_has_examples() -> None:
    """A variant without lines and scores worked out by hand fails here."""
    for variant in VARIANTS:
        kinds = {example["kind"] for example in EXAMPLES if example.get("variant") == variant.name}
        assert kinds >= {"line", "score"}, variant.name


def test_an_example_that_is_wrong_fails() -> None:
    """The runner notices a wrong winner, a wrong legal list, a wrong score and a line that it does not understand."""
    by_id = {example["id"]: example for example in EXAMPLES}
    with pytest.raises(AssertionError):
        examples.run({**by_id["2"], "tricks": [["0:AD 1:JH 2:KD", 0]]})
    with pytest.raises(AssertionError):
        examples.run({**by_id["3"], "cases": [["KS", "9S JC AH", "9S JC"]]})
    with pytest.raises(AssertionError):
        examples.run({**by_id["19"], "scores": [{"contract": "3 by 1", "tricks": [1, 3, 2], "points": [1, 3, 1]}]})
    with pytest.raises(AssertionError):
        examples.run({**by_id["16"], "line": "1 may pass 3 4 5 moon"})
    with pytest.raises(ValueError, match="what does"):
        examples.run({**by_id["16"], "line": "1 dances"})
