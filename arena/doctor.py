"""What an arena needs, looked at one thing after the other: installed, writable, migrated, reachable, isolated."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import sqlalchemy.exc

from arena.settings import address_file
from league import migrate
from league.database import parse_url
from league.store import Store
from referee import core, isolate
from worker import valkey
from worker.queueing import Matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import redis

    from worker.settings import Settings

OK: Final = "ok"
WARN: Final = "warn"
BAD: Final = "bad"
Verdict = Literal["ok", "warn", "bad"]

LEAST_DISK: Final = 1 << 30
"""Bytes: below so much free space in the data folder a warning is due."""
LEAST_FILES: Final = 1024
PATIENCE: Final = 5.0
"""Seconds that the referee gets to answer."""
NETWORK_FILESYSTEMS: Final = ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs")


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what it is, how it stands, and what to do where it does not stand well."""

    part: str
    verdict: Verdict
    text: str
    advice: str = ""


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at everything; a part that breaks down while it is looked at is bad, and the others are looked at all the same."""
    for part, look in PARTS.items():
        try:
            yield from look(settings)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what the operator must hear
            yield Finding(part, BAD, str(error) or type(error).__name__)


# ---- installed --------------------------------------------------------------------------------------------------------


def _python(_settings: Settings) -> Iterator[Finding]:
    version = platform.python_version()
    names = ("euchre-arena", "grpcio", "protobuf", "rq", "sqlalchemy")
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    yield Finding("python", OK, f"{version} at {sys.executable}; {packages}")
    yield _rules()
    yield _files()


def _rules() -> Finding:
    if core.BUILD is None and core.outdated():
        return Finding("rules", WARN, core.form(), "compile them anew: make compiled")
    return Finding("rules", OK, core.form())


def _files() -> Finding:
    import resource  # noqa: PLC0415 - not on every system

    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < LEAST_FILES:
        return Finding("open files", WARN, f"at most {soft}", f"raise it to {LEAST_FILES} or more: ulimit -n")
    return Finding("open files", OK, f"at most {soft}")


def _programs(_settings: Settings) -> Iterator[Finding]:
    found = [name for name in ("go", "cargo", "java", "node", "g++") if shutil.which(name)]
    yield Finding("toolchains", OK, ", ".join(found) or "none; needed only for bots in other languages")


# ---- the data folder ----------------------------------------------------------------------------------------------------


def _data(settings: Settings) -> Iterator[Finding]:
    folder = settings.data
    if not folder.exists():
        yield Finding("data folder", WARN, f"{folder} is not there yet", "the first command that needs it makes it")
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding("data folder", BAD, f"{folder} cannot be written", "change its owner, or set ARENA_DATA")
        return
    yield _disk(folder)
    kind = filesystem(folder)
    if kind in NETWORK_FILESYSTEMS and settings.store_url.startswith("sqlite"):
        yield Finding("file system", BAD, f"{folder} is on {kind}", "SQLite needs a local disk: move it, or use PostgreSQL")


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    text = f"{folder}, {free / 1e9:.1f} GB free"
    return Finding("data folder", OK, text) if free >= LEAST_DISK else Finding("data folder", WARN, text, "make room")


def filesystem(folder: Path) -> str:
    """The kind of file system that a folder is on; empty where the system does not tell."""
    best, kind = "", ""
    try:
        with open("/proc/self/mounts", encoding="utf-8") as mounts:  # noqa: PTH123 - no path of ours
            for line in mounts:
                _, point, name, *_ = line.split()
                if (f"{folder}/".startswith(f"{point.rstrip('/')}/")) and len(point) >= len(best):
                    best, kind = point, name
    except OSError:
        return ""
    return kind


# ---- the store -------------------------------------------------------------------------------------------------------------


def _store(settings: Settings) -> Iterator[Finding]:
    url = parse_url(settings.store_url)
    shown = url.render_as_string()  # its password hidden
    if url.get_backend_name() == "sqlite" and not os.path.exists(str(url.database)):  # noqa: PTH110 - text from a URL
        yield Finding("store", WARN, f"{shown} is not there yet", "the first command that needs it makes it")
        return
    try:
        revision = migrate.revision(url)
    except sqlalchemy.exc.DBAPIError as error:
        yield Finding("store", BAD, f"{shown} cannot be opened: {str(error.orig).splitlines()[0]}", "check ARENA_STORE")
        return
    if revision != migrate.HEAD:
        advice = "the next command migrates it; back it up before" if revision is None or revision < migrate.HEAD else "upgrade"
        yield Finding("store", WARN, f"{shown} is at schema {revision}, this release has {migrate.HEAD}", advice)
        return
    yield Finding("store", OK, f"{shown}, schema {revision}")
    yield from _holdings(settings)


def _holdings(settings: Settings) -> Iterator[Finding]:
    with Store(settings.store_url) as store:
        now = store.holdings()
    text = f"{now.leagues_open} open, {now.leagues_finished} finished; {now.leases_live} matches are being played"
    yield Finding("leagues", OK, text)
    if now.leases_expired:
        advice = "normal for a few seconds after a worker died; otherwise nobody plays: start workers"
        yield Finding("leases", WARN, f"{now.leases_expired} have run out", advice)


# ---- the queue and the referee ---------------------------------------------------------------------------------------------


def _queue(settings: Settings) -> Iterator[Finding]:
    where = valkey.shown(settings)
    if settings.redis_url is None:
        yield Finding("queue program", OK, f"{valkey.binary()}")
    connection = valkey.connect(settings)
    try:
        yield from _server(settings, connection, where)
    finally:
        connection.close()


def _server(settings: Settings, connection: redis.Redis, where: str) -> Iterator[Finding]:
    if not valkey.answers(connection):
        if settings.redis_url is None:
            yield Finding("queue", OK, "not running; the command that needs it starts it")
        else:
            yield Finding("queue", BAD, f"{where} does not answer", "start it, or check REDIS_URL")
        return
    jobs, workers = Matches(connection, settings).census()
    states = ", ".join(f"{count} {state}" for state, count in jobs.items())
    yield Finding("queue", OK, f"{where}: {states}; {workers} workers")
    if jobs["queued"] and not workers:
        yield Finding("workers", WARN, "matches wait and there is no worker", "start one: arena worker")


def _referee(settings: Settings) -> Iterator[Finding]:
    known = address_file(settings.data)
    address = settings.referee or (known.read_text(encoding="utf-8").strip() if known.exists() else "")
    if not address:
        yield Finding("referee", OK, "none for remote bots; `arena up` and `arena referee` run one")
        return
    if serving(address):
        yield Finding("referee", OK, f"serves at {address}")
    else:
        bad: Verdict = BAD if settings.referee else OK
        yield Finding("referee", bad, f"does not answer at {address}", "only needed for remote bots: arena referee")


def serving(address: str) -> bool:
    """Whether a referee at an address answers, within a few seconds, that it serves."""
    import grpc  # noqa: PLC0415 - a tenth of a second that other commands need not pay
    from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415 - likewise

    from referee import tls  # noqa: PLC0415 - likewise

    target, credentials = tls.dial(address)
    with grpc.secure_channel(target, credentials) if credentials else grpc.insecure_channel(target) as channel:
        try:
            reply = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        except grpc.RpcError:
            return False
    return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)


def _isolation(_settings: Settings) -> Iterator[Finding]:
    verdicts: dict[bool | None, Verdict] = {True: OK, None: OK, False: WARN}
    for found in isolate.probe():
        advice = "" if found.ok is not False else "bots that owners submit are refused here; docs/sandbox.md says what it takes"
        yield Finding(
            f"isolation: {found.name}" if found.name != "bubblewrap" else "isolation", verdicts[found.ok], found.text, advice
        )


PARTS: Final[dict[str, Callable[[Settings], Iterator[Finding]]]] = {
    "python": _python,
    "toolchains": _programs,
    "data folder": _data,
    "store": _store,
    "queue": _queue,
    "referee": _referee,
    "isolation": _isolation,
}
