"""Write a league to files: standings, games and records, the same bytes whenever the same has been played."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arena.settings import write_whole
from league.standings import league_tables
from referee import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from league.estimates import Estimate
    from league.model import League, Match
    from league.standings import Standing, Table
    from league.store import Store

GAME_COLUMNS = (
    *("match", "variant", "set", "seating", "bot", "version", "place", "points", "deals", "end", "forfeit", "faults"),
)


def export(store: Store, league: League, folder: Path) -> list[Path]:
    """Write a league to a folder.

    `league.json` (what is played, and the key once it is public), `standings.json` and `standings.csv`, `games.csv` (a row
    a game and bot), and `records/LABEL/N.jsonl`, a record of every match that has begun. Returns the files, in order.
    """
    files = {"league.json": _json(facts(league))}
    tables = league_tables(store.results(league.name), (bot.bot for bot in league.bots))
    files["standings.json"] = _json([table_facts(table) for table in tables.values()])
    files["standings.csv"] = _csv(STANDING_COLUMNS, (row for table in tables.values() for row in _standing_rows(table)))
    files["games.csv"] = _csv(GAME_COLUMNS, _game_rows(store, league))
    paths = []
    for name, text in files.items():
        write_whole(folder / name, text)
        paths.append(folder / name)
    return [*paths, *_records(store, league, folder / "records")]


def _records(store: Store, league: League, folder: Path) -> Iterator[Path]:
    for match in sorted(matches(store, league.name), key=lambda one: (one.label, int(one.id.rpartition("/")[2]))):
        if match.sets_done:
            path = folder / match.label / f"{match.id.rpartition('/')[2]}.jsonl"
            write_whole(path, "".join(record.dumps(line) + "\n" for line in record_lines(store, match.id)))
            yield path


def record_lines(store: Store, match: str) -> list[dict[str, Any]]:
    """The record of a match, its end line with the count and the digest of the lines before it."""
    lines: list[dict[str, Any]] = list(store.record_lines(match))
    if "end" in lines[-1]:
        lines[-1] = record.end_line(lines[:-1], bytes.fromhex(lines[-1]["key"]))
    return lines


def matches(store: Store, league: str) -> Iterator[Match]:
    """Every stored match of a league, in the order of their making."""
    page = store.matches(league)
    while page:
        yield from page
        page = store.matches(league, after=page[-1].cursor)


def facts(league: League) -> dict[str, Any]:
    """What is public of a league."""
    return {
        "league": league.name,
        "commitment": league.commitment,
        "key": league.key.hex() if league.key is not None else None,
        "sets": league.sets,
        "clock": league.clock,
        "remote_sets": league.remote_sets,
        "variants": [
            {"label": one.label, "variant": one.variant, "format": one.format, "options": one.options} for one in league.variants
        ],
        "bots": [{"bot": bot.bot, "version": bot.version, "remote": bot.remote} for bot in league.bots],
    }


# ---- standings --------------------------------------------------------------------------------------------------------

STANDING_COLUMNS = (
    *("variant", "rank", "bot", "elo", "elo_low", "elo_high", "points_per_deal", "points_low", "points_high"),
    *("margin_per_deal", "margin_low", "margin_high", "games", "sets", "deals", "places", "forfeits", "faults"),
)


def table_facts(table: Table) -> dict[str, Any]:
    """A table of standings as JSON; `variant` is null for all variants together."""
    return {
        "variant": table.variant,
        "standings": [asdict(row) for row in table.rows],
        "head_to_head": [asdict(pair) for pair in table.pairs.values()],
    }


def _standing_rows(table: Table) -> Iterator[list[object]]:
    for row in table.rows:
        yield [table.variant or "(all)", *_standing_cells(row)]


def _standing_cells(row: Standing) -> list[object]:
    return [
        *(row.rank, row.bot, row.elo, row.elo_low, row.elo_high),
        *_limits(row.points),
        *_limits(row.margin),
        *(row.games, row.sets, row.deals, "/".join(map(str, row.places)), row.forfeits, _faults(row.faults)),
    ]


def _limits(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)


def _faults(faults: Any) -> str:  # noqa: ANN401  (any mapping of causes to numbers)
    return " ".join(f"{cause}:{count}" for cause, count in sorted(faults.items()))


# ---- games ------------------------------------------------------------------------------------------------------------


def _game_rows(store: Store, league: League) -> Iterator[list[object]]:
    found = sorted(matches(store, league.name), key=lambda one: (one.label, int(one.id.rpartition("/")[2])))
    for match in found:
        for game in store.games(match.id):
            for index, bot in enumerate(match.lineup):
                yield [
                    *(match.id, match.label, game.set, " ".join(map(str, game.seating)), bot.bot, bot.version),
                    *(game.places[index], game.points[index], game.deals, game.end, int(index in game.forfeits)),
                    _faults(game.faults[index]),
                ]


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
