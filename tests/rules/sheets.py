"""The rule sheets in seeds/, and the tests that hold them; `python -m tests.rules.sheets` rewrites their tests and tables.

A test holds the clauses that its docstring names; a worked example holds those of its `clauses`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from referee.rules import VARIANTS, Variant
from referee.rules.options import text_of
from tests.rules import examples

ROOT = Path(__file__).resolve().parents[2]
SHEETS = ROOT / "seeds"
FOLDERS = ("tests/rules", "tests/oracle")
CLAUSE = re.compile(r"\b([KGCBT]\d{1,2})\b")
HEADING = re.compile(r"^### ([KGCBT]\d{1,2}) ", re.MULTILINE)
HELD_BY = re.compile(r"^\*Held by:\*.*$", re.MULTILINE)
TABLE = re.compile(r"^\| option \|.*\n\| ---.*\n(?:\|.*\n)*", re.MULTILINE)
EXAMPLE_TEST = "tests/rules/test_examples.py::test_example"


def tests() -> dict[str, str]:
    """Every test of the rules, as file::function, with its docstring."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("test_*.py")):
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    found[f"{folder}/{path.name}::{node.name}"] = ast.get_docstring(node) or ""
    return found


def holders() -> dict[str, list[str]]:
    """By clause: the examples, then the tests, that hold it."""
    found: dict[str, list[str]] = {}
    for example in examples.load():
        for clause in example["clauses"]:
            found.setdefault(clause, []).append(f"{EXAMPLE_TEST}[{example['id']}]")
    for name, text in tests().items():
        for clause in dict.fromkeys(CLAUSE.findall(text)):
            found.setdefault(clause, []).append(name)
    return found


def held_by(names: list[str]) -> str:
    """The line that names the holders: examples together, by their ids."""
    ids = [name[len(EXAMPLE_TEST) + 1 : -1] for name in names if name.startswith(EXAMPLE_TEST + "[")]
    parts = [f"`{EXAMPLE_TEST}` [{'] ['.join(ids)}]"] if ids else []
    parts += [f"`{name}`" for name in names if "[" not in name]
    return "*Held by:* " + ", ".join(parts)


def named(sheet: str) -> set[str]:
    """Every test and example that a sheet names."""
    found: set[str] = set()
    for line in HELD_BY.findall(sheet):
        found.update(re.findall(r"`([^`]+::\w+)`", line))
        found.update(f"{EXAMPLE_TEST}[{example}]" for example in re.findall(r"\[([^\]]+)\]", line))
    return found - {EXAMPLE_TEST}


def clauses(sheet: str) -> list[str]:
    """The ids of a sheet, in order."""
    return HEADING.findall(sheet)


def table(variant: Variant) -> str:
    """The options of a variant, with what they mean and the clauses that say so."""
    rows = ["| option | values | default | meaning |", "| --- | --- | --- | --- |"]
    for option in variant.options:
        default = "see meaning" if option.default is None else f"`{text_of(option.default)}`"
        values = " · ".join(option.values)
        rows.append(f"| `{option.name}` | {values} | {default} | {option.doc} |")
    return "\n".join(rows) + "\n"


def rewritten(sheet: str, variant: Variant | None) -> str:
    """The sheet with its "Held by" lines and its table of options as they should be."""
    found = holders()
    head, *parts = re.split(r"(?=^### )", sheet, flags=re.MULTILINE)
    for index, part in enumerate(parts):
        line = held_by(found.get(clauses(part)[0], []))
        parts[index] = HELD_BY.sub(lambda _, line=line: line, part)
    text = head + "".join(parts)
    return TABLE.sub(lambda _: table(variant), text) if variant else text


def files() -> list[tuple[Path, Variant | None]]:
    """The sheets: the common one, then one a variant."""
    return [(SHEETS / "common.md", None), *((SHEETS / f"{variant.name}.md", variant) for variant in VARIANTS)]


def main() -> None:
    """Rewrite all sheets."""
    for path, variant in files():
        path.write_text(rewritten(path.read_text("utf-8"), variant), encoding="utf-8")


if __name__ == "__main__":
    main()
