"""The store: bots, leagues, matches and results, in a SQLite file or a PostgreSQL database.

What has been played stands here and only here; a queue is a hint. Everything goes in and comes out as the frozen
dataclasses of :mod:`league.model`; no SQL, row or connection leaves this package. Nothing here imports the referee:
whoever makes a league resolves its variants, options and clock first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from league.canonical import canonical
from league.migrate import migrate
from league.store_backup import BackupStore
from league.store_blobs import BlobStore
from league.store_bots import BotStore, token_hash
from league.store_claims import ClaimStore
from league.store_figures import FigureStore
from league.store_games import GameStore
from league.store_habits import HabitStore
from league.store_leagues import LeagueStore
from league.store_matches import MatchStore, match_key
from league.store_members import MemberStore
from league.store_owners import OwnerStore
from league.store_quarantine import QuarantineStore
from league.store_reads import ReadStore
from league.store_rounds import RoundStore
from league.store_series import SeriesStore
from league.store_submissions import SubmissionStore
from league.store_sums import SumStore
from league.store_tabulations import TabulationStore
from league.store_workers import WorkerStore

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Store", "canonical", "match_key", "token_hash"]


class Store(  # one class a subject
    BotStore,
    OwnerStore,
    SubmissionStore,
    BlobStore,
    LeagueStore,
    MemberStore,
    RoundStore,
    SeriesStore,
    MatchStore,
    ClaimStore,
    GameStore,
    FigureStore,
    ReadStore,
    SumStore,
    TabulationStore,
    HabitStore,
    WorkerStore,
    QuarantineStore,
    BackupStore,
):
    """A store at a URL: ``sqlite:///path/to/file.db`` (a local disk) or ``postgresql://user@host/database``.

    Making one does no I/O: it connects when first used, once in each process, so it may be made before a fork and be
    shared by threads. Methods that stamp or compare times take ``now`` (Unix seconds), the present by default.

    Raises:
        BadStoreUrl: The URL is of neither kind.
    """

    @classmethod
    def open(cls, url: str) -> Self:
        """Return a store whose schema exists and is this release's; several processes may do so at once.

        Raises:
            BadStoreUrl: The URL is of neither kind.
            StoreTooNew: A newer release has upgraded the database.
            StoreError: The database cannot be reached or written.
        """
        store = cls(url)
        migrate(store.url)
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
