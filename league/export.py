"""A league as files: standings and results as CSV, standings as JSON, match records as JSON Lines.

Every file is written beside its place and moved there once whole, so nobody ever reads half of one.
"""

from __future__ import annotations

import csv
import json
import os
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from league.canonical import canonical
from league.names import OVERALL, record_name
from league.standings import league_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import TextIO

    from league.estimates import Estimate
    from league.model import League
    from league.results import GameResult
    from league.standings import Standing, Table
    from league.store import Store

_RESULT_COLUMNS = ("match", "variant", "set", "game", "bot", "place", "points", "deals", "forfeit", "faults")


def export_league(store: Store, name: str, folder: Path) -> list[Path]:
    """Write everything about a league into ``folder``, made if need be, over what an earlier export left there.

    Returns:
        ``standings.csv``, ``standings.json``, ``results.csv`` and the records of complete matches under ``records``.

    Raises:
        NotFound: There is no such league.
        OSError: The folder cannot be written.
    """
    league = store.league(name)
    folder.mkdir(parents=True, exist_ok=True)
    tables = league_tables(store.results(name), [bot.bot for bot in league.bots])
    files = [folder / "standings.csv", folder / "standings.json", folder / "results.csv"]
    write_standings_csv(files[0], tables)
    write_standings_json(files[1], league, tables)
    write_results_csv(files[2], store.results(name))
    return [*files, *write_records(store, name, folder / "records")]


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a text file that takes the place of ``path`` when the block ends, and vanishes if it fails."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


# ---- standings --------------------------------------------------------------------------------------------------------


def write_standings_csv(path: Path, tables: Mapping[str | None, Table]) -> None:
    """Write one row a bot and variant, that of all variants together as "overall"; what is unknown is empty."""
    rows = [(variant, row) for variant, table in tables.items() for row in table.rows]
    places = max((len(row.places) for _, row in rows), default=0)
    causes = sorted({cause for _, row in rows for cause in row.faults})
    with replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*_standing_columns(), *_numbered("place", places), *(f"fault_{cause}" for cause in causes)])
        for variant, row in rows:
            of_place = [*row.places, *[0] * (places - len(row.places))]
            writer.writerow([variant or OVERALL, *_cells(row), *of_place, *(row.faults.get(cause, 0) for cause in causes)])


def _standing_columns() -> list[str]:
    estimates = [f"{name}{end}" for name in ("points_per_deal", "margin_per_deal") for end in ("", "_low", "_high")]
    return ["variant", "rank", "bot", "elo", "elo_low", "elo_high", *estimates, "games", "sets", "deals", "forfeits"]


def _numbered(word: str, count: int) -> list[str]:
    return [f"{word}_{number}" for number in range(1, count + 1)]


def _cells(row: Standing) -> list[object]:
    elo = (row.elo, row.elo_low, row.elo_high)
    estimates = (*elo, *_limits(row.points), *_limits(row.margin))
    return [row.rank, row.bot, *map(_rounded, estimates), row.games, row.sets, row.deals, row.forfeits]


def _limits(estimate: Estimate | None) -> tuple[float | None, ...]:
    return (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def standings_json(league: League, tables: Mapping[str | None, Table]) -> dict[str, Any]:
    """Return a league's standings as a JSON-able value; ``variant`` is null in the table of all variants together."""
    return {
        "league": league.name,
        "commitment": league.commitment,
        "key": None if league.key is None else league.key.hex(),
        "tables": [_table(variant, table) for variant, table in tables.items()],
    }


def _table(variant: str | None, table: Table) -> dict[str, Any]:
    return {
        "variant": variant,
        "rows": [asdict(row) for row in table.rows],
        "pairs": [asdict(pair) for pair in table.pairs.values()],
    }


def write_standings_json(path: Path, league: League, tables: Mapping[str | None, Table]) -> None:
    """Write :func:`standings_json`, indented for people."""
    with replacing(path) as file:
        json.dump(standings_json(league, tables), file, indent=1, ensure_ascii=False, allow_nan=False)
        file.write("\n")


# ---- results ----------------------------------------------------------------------------------------------------------


def write_results_csv(path: Path, results: Iterable[GameResult]) -> None:
    """Write one row a game and bot; ``game`` counts the games of the set, faults read like ``LATE:2 ILLEGAL:1``."""
    with replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_RESULT_COLUMNS)
        this_set, number = None, 0
        for game in results:
            number = number + 1 if this_set == (game.match, game.set) else 0
            this_set = (game.match, game.set)
            writer.writerows(_result_rows(game, number))


def _result_rows(game: GameResult, number: int) -> Iterator[list[object]]:
    for index, bot in enumerate(game.bots):
        faults = " ".join(f"{cause}:{count}" for cause, count in game.faults[index].items())
        figures = [game.places[index], game.points[index], game.deals, int(index in game.forfeits), faults]
        yield [game.match, game.variant, game.set, number, bot, *figures]


# ---- records ----------------------------------------------------------------------------------------------------------


def write_records(store: Store, league: str, folder: Path) -> list[Path]:
    """Write the record of every complete match of a league, a file each, and return the files in the order of storing."""
    folder.mkdir(parents=True, exist_ok=True)
    return [write_record(store, match_id, folder) for match_id in _complete(store, league)]


def _complete(store: Store, league: str) -> Iterator[str]:
    page = store.matches(league, state="complete")
    while page:
        yield from (match.id for match in page)
        page = store.matches(league, state="complete", after=page[-1].cursor)


def write_record(store: Store, match_id: str, folder: Path) -> Path:
    """Write the record of one match, complete or not, and return its file; NotFound if the match is not stored."""
    path = folder / record_name(match_id)
    with replacing(path) as file:
        file.writelines(f"{canonical(line)}\n" for line in store.record_lines(match_id))
    return path
