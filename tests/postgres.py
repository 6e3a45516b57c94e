"""A PostgreSQL server of the tests' own."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from league.tables import metadata

SHARED = "arena"


class Postgres:
    """A PostgreSQL server of the tests' own: a temporary folder, a Unix socket, no durability."""

    def __init__(self) -> None:
        self._bin = max(Path("/usr/lib/postgresql").glob("*/bin"))
        # Short, and not below pytest's own folder: the server must not run as root, and the socket's path has a limit.
        self._folder = tempfile.mkdtemp(prefix="arena-pg-")
        self._user: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        if self._user:
            shutil.chown(self._folder, "postgres", "postgres")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        data = f"{self._folder}/data"
        making: list[Path | str] = [self._bin / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(making, check=True, capture_output=True, cwd=self._folder, **self._user)
        self.serve()

    def serve(self) -> None:
        """Start the server on the data that it has, and wait until it takes connections."""
        data = f"{self._folder}/data"
        settings = ["listen_addresses=", f"unix_socket_directories={self._folder}", "fsync=off", "max_connections=40"]
        options = itertools.chain.from_iterable(("-c", setting) for setting in settings)
        command: list[Path | str] = [self._bin / "postgres", "-D", data, *options]
        with Path(self._folder, "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder, **self._user)
        self._wait()

    def _wait(self) -> None:
        assert self.process is not None
        give_up = time.monotonic() + 300
        ready: list[Path | str] = [self._bin / "pg_isready", "-q", "-h", self._folder]
        while subprocess.run(ready, check=False, cwd=self._folder).returncode != 0:
            log = Path(self._folder, "log").read_text()
            assert self.process.poll() is None, log
            assert time.monotonic() < give_up, log
            time.sleep(0.05)

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
            self.process.wait(300)
        shutil.rmtree(self._folder)

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def create(self, database: str) -> str:
        """Create a database without anything in it and return its URL."""
        self._run("postgres", f"CREATE DATABASE {database}")
        return self.url(database)

    def emptied(self) -> str:
        """Return the URL of the database that all tests share in turn, migrated and without a row."""
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        tables = ", ".join(metadata.tables)
        self._run(SHARED, f"SELECT pg_terminate_backend(pid) {others}", f"TRUNCATE {tables} RESTART IDENTITY")
        return self.url(SHARED)

    def _run(self, database: str, *statements: str) -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)
