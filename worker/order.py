"""The order of a match: what the referee's process is told on its standard input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.model import BotVersion, Match
    from worker.settings import Settings

Order = dict[str, object]
Missing = tuple[int, tuple[int, ...]]
"""A game that is to be played: its set, and its seating."""


class NoReferee(RuntimeError):  # noqa: N818 - reads as what happened
    """A match has remote bots and there is no long-lived referee to play it on."""


def make(match: Match, key: bytes, missing: Sequence[Missing], settings: Settings) -> Order:
    """The order for some games of a match.

    Raises:
        NoReferee: it has remote bots, and no referee is known.
    """
    lag = {} if settings.lag is None else {"lag": settings.lag}
    return {
        "match": match.id,
        "variant": match.variant,
        "format": match.format,
        "options": match.options,
        "lineup": [_seat(bot) for bot in match.lineup],
        "key": key.hex(),
        "clock": match.clock,
        "games": [[number, list(seating)] for number, seating in missing],
        "referee": referee(settings) if any(bot.remote for bot in match.lineup) else None,
        "log_dir": None,
        **lag,
    }


def _seat(bot: BotVersion) -> dict[str, object]:
    entry: dict[str, object] = {"bot": bot.bot, "version": bot.version}
    if bot.run is None:
        entry["tokens"] = list(bot.tokens)
    else:
        entry["run"] = bot.run
    if bot.cwd is not None:
        entry["cwd"] = bot.cwd
    return entry


def referee(settings: Settings) -> dict[str, str]:
    """Address and operator token of the long-lived referee.

    Raises:
        NoReferee: none is known.
    """
    address = settings.referee or _read(address_file(settings.data))
    token = settings.operator_token or _read(token_file(settings.data))
    if not address or not token:
        raise NoReferee(
            "a match with remote bots needs a long-lived referee: start `arena referee` on this data folder, "
            "or set ARENA_REFEREE and ARENA_OPERATOR_TOKEN"
        )
    return {"address": address, "token": token}


def address_file(data: Path) -> Path:
    """Where `arena referee` leaves its address."""
    return data / "referee.address"


def token_file(data: Path) -> Path:
    """Where the operator's token is kept."""
    return data / "operator.token"


def _read(path: Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
