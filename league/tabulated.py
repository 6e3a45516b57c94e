"""Tables of standings as bytes, so that a large one is worked out once and read by every process that shows it.

Two parts: what the rows show, which is small, and the arrays behind pairs and differences, which grow with the bots' square.
"""

from __future__ import annotations

import io
import json
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from league.canonical import canonical
from league.duels import Duels
from league.estimates import Estimate
from league.history import Earlier, Moment
from league.ratings import Ratings
from league.standings import Standing, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMAT = 2
"""Changes whenever these bytes, or what is worked out, mean something else: tables of another format are worked out again."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a page of standings needs: the rows, best first; each one's Elo above the next; the table as it was before."""

    rows: tuple[Standing, ...]
    gaps: tuple[Estimate | None, ...]
    earlier: Earlier | None


def rows_of(table: Table) -> Rows:
    """The part of a table that its rows show."""
    following = [*table.rows[1:], None]
    gaps = tuple(
        None if below is None else table.difference(row.bot, below.bot) for row, below in zip(table.rows, following, strict=True)
    )
    return Rows(table.rows, gaps, table.earlier)


def pack_rows(rows: Rows) -> bytes:
    """The rows as bytes."""
    return _pack(asdict(rows))


def unpack_rows(data: bytes) -> Rows:
    """The rows from bytes."""
    found = _unpack(data)
    earlier = found["earlier"]
    return Rows(
        tuple(_standing(row) for row in found["rows"]),
        tuple(map(_estimate, found["gaps"])),
        None if earlier is None else Earlier(**earlier),
    )


def pack_history(moments: Sequence[Moment]) -> bytes:
    """Elo over time as bytes."""
    return _pack([asdict(moment) for moment in moments])


def unpack_history(data: bytes) -> tuple[Moment, ...]:
    """Elo over time from bytes."""
    return tuple(
        Moment(one["sets"], one["at"], {bot: Estimate(**elo) for bot, elo in one["elo"].items()}) for one in _unpack(data)
    )


def pack_arrays(table: Table) -> bytes:
    """What is behind the rows of a table as bytes: pairs and ratings, the replicates to seven digits."""
    pairs, ratings = table.pairs, table.ratings
    buffer = io.BytesIO()
    np.savez(
        buffer,
        bots=np.array(table.bots, np.str_),
        code=pairs.code,
        counts=pairs.counts.astype(np.int32),
        share=pairs.share.astype(np.float32),
        margin=pairs.margin.astype(np.float32),
        elo=ratings.elo,
        sets=ratings.sets,
        group=ratings.group,
        replicates=ratings.replicates.astype(np.float32),
    )
    return zlib.compress(buffer.getvalue(), 1)


def unpack_table(variant: str | None, rows: Rows, data: bytes) -> Table:
    """The table from its rows and the bytes behind them."""
    with np.load(io.BytesIO(zlib.decompress(data)), allow_pickle=False) as arrays:
        bots = tuple(arrays["bots"].tolist())
        pairs = Duels(bots, arrays["code"], arrays["counts"], arrays["share"], arrays["margin"])
        ratings = Ratings(arrays["elo"], arrays["sets"], arrays["group"], arrays["replicates"])
    return Table(variant, rows.rows, pairs, bots, ratings, rows.earlier)


def _pack(value: object) -> bytes:
    return zlib.compress(canonical(value).encode(), 6)


def _unpack(data: bytes) -> Any:  # noqa: ANN401 -- JSON
    return json.loads(zlib.decompress(data))


def _standing(row: dict[str, Any]) -> Standing:
    estimates = {name: _estimate(row[name]) for name in ("points", "margin")}
    return Standing(**{**row, **estimates, "places": tuple(row["places"])})


def _estimate(found: dict[str, float | None] | None) -> Estimate | None:
    return None if found is None else Estimate(**found)  # type: ignore[arg-type]
