"""Where things are: the data folder, the store, the queue, and how long to wait.

Everything comes from the environment, so that a process handed these settings hands them on by `Settings.env()`:

| variable | default | what |
| --- | --- | --- |
| `ARENA_DATA` | `./var` | folder of the store, the queue, logs, sockets and tokens |
| `ARENA_STORE` | `sqlite:///$ARENA_DATA/arena.db` | SQLAlchemy URL of the store |
| `REDIS_URL` | an embedded server in `ARENA_DATA` | queue server |
| `ARENA_QUEUE` | `matches` | name of the queue, for arenas that share one server |
| `ARENA_LEASE_SECONDS` | 30 | how long a worker's claim on a match outlives its last sign of life |
| `ARENA_MATCH_SECONDS` | 14400 | how long one job may work on a match before it gives the rest back |
| `ARENA_DRAIN_SECONDS` | 60 | how long a worker that is asked to stop (SIGTERM) may go on with the games in hand |
| `ARENA_WORKER_MATCHES` | 200 | matches after which a worker's process makes way for a fresh one |
| `ARENA_WORKER_HOURS` | 12 | hours after which it does, as soon as it has played the match in hand |
| `ARENA_LAG_SECONDS` | the referee's 0.1 | lag of the referee itself above which games are void and played again |
| `ARENA_REFEREE` | what `arena referee` wrote | address of the long-lived referee, for matches with remote bots |
| `ARENA_OPERATOR_TOKEN` | kept in `ARENA_DATA/operator.token` | what the workers show to that referee |
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parent.parent
"""Folder that holds the packages; child processes run there, so that `python -m referee` is found from anywhere."""
RECYCLE = 75
"""Exit code of a worker's process that has done its share and wants a fresh one in its place (EX_TEMPFAIL)."""


class BadSetting(ValueError):  # noqa: N818 - reads as what happened
    """An environment variable holds something that cannot be used; the message names it and what is allowed."""


@dataclass(frozen=True)
class Settings:
    """The resolved settings of one process; paths are absolute, times in seconds."""

    data: Path
    store_url: str
    redis_url: str | None
    """None: the embedded server of the data folder."""
    queue: str = "matches"
    lease: float = 30.0
    match_seconds: float = 14400.0
    drain: float = 60.0
    worker_matches: int = 200
    worker_hours: float = 12.0
    lag: float | None = None
    referee: str | None = None
    operator_token: str | None = None

    @property
    def logs(self) -> Path:
        """Folder of the children's output and the bots' captured output."""
        return self.data / "log"

    def env(self) -> dict[str, str]:
        """The variables that give a child process these same settings."""
        given = {
            "ARENA_DATA": str(self.data),
            "ARENA_STORE": self.store_url,
            "REDIS_URL": self.redis_url,
            "ARENA_QUEUE": self.queue,
            "ARENA_LEASE_SECONDS": str(self.lease),
            "ARENA_MATCH_SECONDS": str(self.match_seconds),
            "ARENA_DRAIN_SECONDS": str(self.drain),
            "ARENA_WORKER_MATCHES": str(self.worker_matches),
            "ARENA_WORKER_HOURS": str(self.worker_hours),
            "ARENA_LAG_SECONDS": None if self.lag is None else str(self.lag),
            "ARENA_REFEREE": self.referee,
            "ARENA_OPERATOR_TOKEN": self.operator_token,
        }
        return {name: value for name, value in given.items() if value is not None}


def from_env(env: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings.

    Raises:
        BadSetting: a time or a number is not positive.
    """
    data = Path(env.get("ARENA_DATA") or "var").expanduser().resolve()
    return Settings(
        data=data,
        store_url=_anywhere(env.get("ARENA_STORE") or f"sqlite:///{data / 'arena.db'}"),
        redis_url=env.get("REDIS_URL") or None,
        queue=env.get("ARENA_QUEUE") or "matches",
        lease=_seconds(env, "ARENA_LEASE_SECONDS", 30.0),
        match_seconds=_seconds(env, "ARENA_MATCH_SECONDS", 14400.0),
        drain=_seconds(env, "ARENA_DRAIN_SECONDS", 60.0),
        worker_matches=_count(env, "ARENA_WORKER_MATCHES", 200),
        worker_hours=_seconds(env, "ARENA_WORKER_HOURS", 12.0, "hours"),
        lag=_seconds(env, "ARENA_LAG_SECONDS", 0.1) if env.get("ARENA_LAG_SECONDS") else None,
        referee=env.get("ARENA_REFEREE") or None,
        operator_token=env.get("ARENA_OPERATOR_TOKEN") or None,
    )


def _anywhere(url: str) -> str:
    """A store's URL that means the same file whatever folder a process runs in."""
    start = "sqlite:///"
    path = url.removeprefix(start)
    return f"{start}{Path(path).resolve()}" if url.startswith(start) and path and path != ":memory:" else url


def _count(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name)
    if not text:
        return default
    if not text.isdecimal() or int(text) < 1:
        raise BadSetting(f"{name} is {text!r}; it must be a whole number above 0")
    return int(text)


def _seconds(env: Mapping[str, str], name: str, default: float, unit: str = "seconds") -> float:
    text = env.get(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise BadSetting(f"{name} is {text!r}; it must be a number of {unit} above 0")
    return value
