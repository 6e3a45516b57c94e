"""The rule sheets of seeds/, clause by clause, as HTML for readers; their options come from what the referee enforces instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup

from referee.rules import VARIANTS, Rules, Variant
from referee.rules.options import text_of

SHEETS = Path(__file__).resolve().parent.parent / "seeds"
COMMON = "common"
_CLAUSE = re.compile(r"^### ([A-Z]\d+) (.*)$", re.MULTILINE)
_CITED = re.compile(r"\b([A-Z]\d+)\b")
_HELD = re.compile(r"^\*Held by:\*.*?(?=^$)", re.MULTILINE | re.DOTALL)
_ABOUT_HELD = re.compile(r"\*Held by\* lists.*?lines\.\s", re.DOTALL)
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class Option:
    """An option as the referee has it."""

    name: str
    default: str
    values: tuple[str, ...]
    meaning: Markup
    """With links to the clauses that it changes."""


@cache
def names() -> tuple[str, ...]:
    """The sheets that there are, the one of what all variants share first."""
    return (COMMON, *(variant.name for variant in VARIANTS))


@cache
def html(name: str) -> Markup | None:
    """A sheet without its heading and its options; None where the sheets are not at hand, as in an installed package."""
    text = _source(name)
    if text is None:
        return None
    text = _ABOUT_HELD.sub("", _HELD.sub("", f"{text}\n\n")).partition("\n## Options\n")[0]
    text = re.sub(r"^# .*\n", "", text)
    text = re.sub(r"\[[^\]]*\]\((\w[\w-]*)\.md\)", lambda found: f"[{_title(found[1])}](/rules/{found[1]})", text)
    return Markup(_anchored(_MARKDOWN.render(text)))  # noqa: S704 -- our own sheets, rendered with HTML escaped


def _title(name: str) -> str:
    return next((variant.title for variant in VARIANTS if variant.name == name), "what all variants share")


def _source(name: str) -> str | None:
    path = SHEETS / f"{name}.md"
    return path.read_text(encoding="utf-8") if path.exists() else None


def _anchored(text: str) -> str:
    """Give each clause the address of its id."""
    return re.sub(r"<h3>([A-Z]\d+) ", r'<h3 id="\1"><a href="#\1">\1</a> ', text)


@cache
def clauses() -> dict[str, str]:
    """On which sheet each clause stands, by its id."""
    return {found[1]: name for name in names() for found in _CLAUSE.finditer(_source(name) or "")}


def options(variant: Variant) -> list[Option]:
    """The options of a variant, from the table that the referee reads."""
    defaults = Rules(variant.name).options
    return [Option(one.name, text_of(defaults[one.name]), one.values, _linked(one.doc)) for one in variant.options]


def _linked(text: str) -> Markup:
    """A text with a link from each clause that it cites."""
    parts = _CITED.split(text)
    known = clauses()
    made = Markup("")
    for at, part in enumerate(parts):
        cited = at % 2 == 1 and part in known
        made += Markup('<a href="/rules/{0}#{1}">{1}</a>').format(known[part], part) if cited else part
    return made
