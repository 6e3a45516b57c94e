"""How numbers, times and cards are written: Jinja filters and globals."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from flask import url_for
from markupsafe import Markup, escape

from dashboard import faces

if TYPE_CHECKING:
    from flask import Flask

    from league.model import BotVersion, League, Progress

MINUS = "\N{MINUS SIGN}"
ORDINALS = {1: "st", 2: "nd", 3: "rd"}
LeagueState = Literal["waiting", "running", "paused", "complete", "final", "abandoned"]
THIN = "\N{NARROW NO-BREAK SPACE}"


def num(value: float, digits: int = 0) -> str:
    """A plain number: `1500`, `12 345`, `−0.25`."""
    grouping = "," if abs(value) >= 10_000 else ""
    return f"{value:{grouping}.{digits}f}".replace(",", THIN).replace("-", MINUS)


def signed(value: float, digits: int = 0) -> str:
    """A number with its sign: `+3`, `−2`, `0`."""
    text = num(abs(value), digits)
    if float(f"{value:.{digits}f}") == 0:
        return text
    return (MINUS if value < 0 else "+") + text


def share(done: float, total: float) -> str:
    """A part as whole per cent, rounded down, so that 100 % means all; `–` of nothing."""
    return f"{int(100 * done / total)}{THIN}%" if total else "–"


def iso(seconds: float) -> str:
    """Unix seconds as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def when(seconds: float) -> str:
    """Unix seconds for people, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%d %b %Y, %H:%M UTC").lstrip("0")


def duration(microseconds: float) -> str:
    """A time for people: `850 µs`, `1.25 ms`, `3.4 s`."""
    if microseconds < 1000:
        return f"{microseconds:.0f}{THIN}µs"
    if microseconds < 1_000_000:
        return f"{microseconds / 1000:.3g}{THIN}ms"
    return f"{microseconds / 1_000_000:.3g}{THIN}s"


def state(league: League, progress: Progress) -> LeagueState:
    """What a league is at, in one word."""
    if league.key is not None:
        return "final" if progress.complete else "abandoned"
    if progress.complete:
        return "complete"
    if any(entry.matches_running for entry in progress.variants):
        return "running"
    return "paused" if progress.games_done else "waiting"


def option(value: object) -> str:
    """An option or a figure of the clock: `on`, `off`, `12, 24`, `0.5`."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def codes(text: str) -> Markup:
    """A text whose parts in backticks are code."""
    parts = [escape(part) for part in text.split("`")]
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def place(number: int) -> str:
    """A place as an ordinal: `1st`."""
    return f"{number}{ORDINALS.get(number, 'th')}"


def cause(name: str) -> str:
    """A cause of a fault as a word: `illegal`, `bank empty`."""
    return name.replace("_", " ").lower()


def call(text: str) -> str:
    """A call of the auction, or what made a bot the maker, in words."""
    words = {"order": "ordered the turned card", "name": "named a suit", "swap": "swapped for the ghost"}
    return words.get(text, f"bid {text}" if text.isdecimal() else text)


def ending(end: str) -> str:
    """How a game ended, in words."""
    words = {"won": "won", "deals": "all deals played", "max_deals": "deal limit", "forfeit": "forfeited"}
    return words.get(end, end)


def played_to(match_format: str) -> str:
    """How long a game goes on: `to the target`, `8 deals a game`."""
    count = match_format.removeprefix("deals:")
    return "games to the target" if match_format == "game" else f"{count} {'deal' if count == '1' else 'deals'} a game"


def shown_in(bot: BotVersion, league: League) -> str:
    """The name that a version of a bot has in the standings of a league."""
    return league.shown(bot)


@cache
def _stamp(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def init_app(app: Flask) -> None:
    """Register the filters and globals that templates use."""

    def asset(filename: str) -> str:
        """URL of a static file that changes with its content."""
        return url_for("static", filename=filename, v=_stamp(Path(app.static_folder or "") / filename))

    texts = (num, signed, share, iso, when, duration, state, option, codes, place, cause, call, ending, played_to, shown_in)
    for function in texts:
        app.add_template_filter(function)
    app.add_template_global(asset, "asset")
    app.add_template_global(faces.sprite, "card_sprite")
    app.add_template_global(faces.suit_symbols, "suit_symbols")
    app.add_template_global(faces.name, "card_name")
    app.jinja_env.globals["suit_names"] = faces.SUIT_NAMES
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 365 * 24 * 3600  # asset URLs name their content
