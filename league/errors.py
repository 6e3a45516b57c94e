"""What can go wrong in the league's half of the project, as one tree.

::

    LeagueError
    ├── BadName           a name breaks the name rule
    ├── BadSpec           a league's specification cannot be played (also a ValueError)
    ├── BadGame           a reported game does not fit its match (also a ValueError)
    ├── BadArchive        an archive of a bot is damaged, too large, or holds what none may (also a ValueError)
    ├── BadManifest       a bot.toml cannot be understood (also a ValueError)
    ├── NotAllowed        the owner may not do this
    │   └── TooMany           not yet, or not any more: a limit of the owner's is reached
    ├── AlreadyExists     the name is taken
    ├── NotFound          no such bot, league, match or game (also a LookupError)
    ├── LeagueClosed      the league's key is public: nothing more may be played in it
    ├── LeagueOpen        the league still has games to play
    ├── Quarantined       the worker may not play
    ├── MatchDropped      the match is not played on, because a bot of it was withdrawn
    ├── BadBackup         a file is no backup of a league, or is damaged (also a ValueError)
    └── StoreError        the database itself
        ├── BadStoreUrl       not a SQLite file or a PostgreSQL URL
        ├── StoreAway         it does not answer now; it may later
        └── StoreTooNew       written by a newer release than this one
"""


class LeagueError(Exception):
    """Base of every error that this package raises on purpose; its text is fit for a user's eyes."""


class BadName(LeagueError, ValueError):  # noqa: N818 -- reads as what happened
    """A name of a bot, a league or a variant's label breaks the name rule."""


class BadSpec(LeagueError, ValueError):  # noqa: N818 -- reads as what happened
    """A bot or league as specified cannot be played."""


class BadGame(LeagueError, ValueError):  # noqa: N818 -- reads as what happened
    """A reported game does not fit the match that it names."""


class BadArchive(LeagueError, ValueError):  # noqa: N818 -- reads as what happened
    """An archive of a bot cannot be taken; the text says which part of it, and what is allowed."""


class BadManifest(LeagueError, ValueError):  # noqa: N818 -- reads as what happened
    """A bot.toml cannot be understood; the text says where, and what is allowed."""


class NotAllowed(LeagueError):  # noqa: N818 -- reads as what happened
    """The owner may not do this."""


class TooMany(NotAllowed):
    """A limit of the owner's is reached.

    Attributes:
        retry_after: Seconds until it may be tried again; None where waiting does not help.
    """

    def __init__(self, text: str, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class AlreadyExists(LeagueError):  # noqa: N818 -- reads as what happened
    """Something of this name is stored already."""


class NotFound(LeagueError, LookupError):  # noqa: N818 -- reads as what happened
    """Nothing of this name is stored."""


class LeagueClosed(LeagueError):  # noqa: N818 -- reads as what happened
    """The league has been finished and its key is public, so its deals are no secret any more."""


class LeagueOpen(LeagueError):  # noqa: N818 -- reads as what happened
    """The league still has games to play, so its key must stay secret."""


class Quarantined(LeagueError):  # noqa: N818 -- reads as what happened
    """The worker is in quarantine: it may not claim matches, and what it reports is not stored."""


class MatchDropped(LeagueError):  # noqa: N818 -- reads as what happened
    """A bot of the match was withdrawn from its league before the match was complete; it is not played on."""


class BadBackup(LeagueError, ValueError):  # noqa: N818 -- reads as what happened
    """A file is no backup of a league, or is damaged; the message names the part."""


class StoreError(LeagueError):
    """The database cannot be used."""


class BadStoreUrl(StoreError, ValueError):  # noqa: N818 -- reads as what happened
    """The store's URL names neither a SQLite file nor a PostgreSQL database."""


class StoreTooNew(StoreError):  # noqa: N818 -- reads as what happened
    """The database was written by a newer release; upgrade the program, or use another database."""


class StoreAway(StoreError):  # noqa: N818 -- reads as what happened
    """The database does not answer, or is too busy; the same call may succeed later. Nothing of it was stored."""
