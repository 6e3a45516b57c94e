"""How to write a first bot, language by language: the commands that `arena new` prints, from the same table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Blueprint, abort, render_template, request

from league.languages import LANGUAGES
from referee.rules import VARIANTS

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from league.languages import Language

bp = Blueprint("start", __name__, url_prefix="/start")

ANYTHING = "anything"
"""Stands for any language at all: a program that speaks lines of JSON, with awk as its example."""
SLUGS = {name: name for name in LANGUAGES if name != "awk"} | {ANYTHING: "awk"}
FOLDER = "mybot"


@dataclass(frozen=True)
class Step:
    """One thing to do: why, and the commands, a line each; `file` is the name of a file whose lines they are instead."""

    title: str
    lines: tuple[str, ...]
    note: str = ""
    file: str = ""


def title(slug: str) -> str:
    """What a start page calls its language."""
    return "anything else" if slug == ANYTHING else LANGUAGES[SLUGS[slug]].title


def steps(slug: str, address: str) -> tuple[Step, ...]:
    """What to do from nothing to a submitted bot; `address` is this dashboard's."""
    name = SLUGS[slug]
    language = LANGUAGES[name]
    build = (" && ".join(map(_here, language.build)),) if language.build else ()
    return (
        Step("Get the arena, once", ("make demo", 'export PATH="$PWD/.venv/bin:$PATH"'), "In a checkout of the project."),
        Step("Write the bot", (f"arena new {name} {FOLDER}", f"cd {FOLDER}"), "A folder with a bot that plays, and its test."),
        Step("Build and test it" if build else "Test it", (*build, _here(language.test)), language.needs),
        Step("Check it", (f'arena check "{language.run}"',), "Step by step: would the referee fault it for anything?"),
        Step("Play it", (_play(language),), "Against a sample bot. `arena show` replays a match that `--record FILE` has kept."),
        Step("Say what it is", _manifest(language), "Choose a name of your own.", file="out/bot.toml"),
        Step("Submit it", ("export ARENA_KEY=arena-…", f"arena submit out --to {address}"), "With your key from the organiser."),
    )


def _play(language: Language) -> str:
    return f'arena play --variant turn-up --bots "mine={language.run}",greedy --sets 4'


def _manifest(language: Language) -> tuple[str, ...]:
    return (f'name = "{FOLDER}"', f'run = "{language.hosted}"', f'variants = ["{VARIANTS[-1].name}"]')


def _here(command: str) -> str:
    """A command of the table, for who has put the arena's programs on the path."""
    return command.replace('PATH="{bin}:$PATH" ', "").format(python="python")


@bp.get("", strict_slashes=False)
def index() -> ResponseReturnValue:
    """All languages."""
    return render_template("start.html", titles={slug: title(slug) for slug in SLUGS})


@bp.get("/<language>")
def show(language: str) -> ResponseReturnValue:
    """One language, step by step; 404 for one without a starting bot."""
    if language not in SLUGS:
        abort(
            404,
            f"There is no starting bot in {language!r} (there are: {', '.join(SLUGS)}). Any program can play: see {ANYTHING!r}.",
        )
    found = steps(language, request.host_url.rstrip("/"))
    titles = {slug: title(slug) for slug in SLUGS}
    ships = LANGUAGES[SLUGS[language]].ships
    return render_template("start_language.html", slug=language, titles=titles, steps=found, ships=ships)
