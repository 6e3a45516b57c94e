"""``python -m league.migrations MESSAGE``: write a revision for what league/tables.py has and the revisions lack."""

import sys
import tempfile

from alembic import command
from sqlalchemy import make_url

from league.database import make_engine
from league.migrate import HEAD, config, migrate


def main(message: str) -> None:
    """Compare a database at the newest revision with the tables, and write the difference down."""
    with tempfile.TemporaryDirectory() as folder:
        url = make_url(f"sqlite:///{folder}/empty.db")
        migrate(url)
        settings = config()
        with make_engine(url, pooled=False).execution_options(arena_write=True).begin() as connection:
            settings.attributes["connection"] = connection
            command.revision(settings, message, autogenerate=True, rev_id=f"{int(HEAD) + 1:04}")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or sys.exit("usage: python -m league.migrations MESSAGE"))
