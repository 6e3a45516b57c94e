"""A little data centre of network namespaces: PostgreSQL, Redis, a scheduler and four worker hosts, each on a link of its own.

Nothing of it touches the machine's own network: the bridge that joins them is in a namespace too.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from league.errors import StoreAway
from league.store import Store
from worker import valkey
from worker.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

SUBNET = "10.214.77"
LEASE = 6.0
WORKERS = ("w1", "w2", "w3", "w4")
HOSTS = ("s", *WORKERS)
"""The scheduler's host, and those of workers."""
COMMANDS = {"s": ("scheduler",), **dict.fromkeys(WORKERS, ("worker", "--workers", "1"))}
FORGOTTEN = ("ARENA_QUEUE", "ARENA_MATCH_SECONDS", "ARENA_REFEREE", "ARENA_OPERATOR_TOKEN")


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


class Network:
    """A bridge in a namespace, and namespaces on it, one a host; taken down by the stack."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._numbers = itertools.count(1)
        self._near: dict[str, str] = {}
        self.address: dict[str, str] = {}
        self._hub = self._space("hub")
        ip("-n", self._hub, "link", "add", "br0", "type", "bridge")
        ip("-n", self._hub, "link", "set", "br0", "up")

    def space(self, name: str) -> str:
        """The namespace of a host."""
        return f"eu{os.getpid()}{name}"

    def _space(self, name: str) -> str:
        ip("netns", "add", self.space(name))
        self._stack.callback(ip, "netns", "del", self.space(name))
        ip("-n", self.space(name), "link", "set", "lo", "up")
        return self.space(name)

    def add(self, name: str) -> None:
        """A host with an address, linked to the bridge."""
        number, space = next(self._numbers), self._space(name)
        near, self.address[name] = f"p{number}", f"{SUBNET}.{number}"
        self._near[name] = near
        ip("-n", self._hub, "link", "add", near, "type", "veth", "peer", "name", "eth0", "netns", space)
        ip("-n", self._hub, "link", "set", near, "master", "br0", "up")
        ip("-n", space, "addr", "add", f"{self.address[name]}/24", "dev", "eth0")
        ip("-n", space, "link", "set", "eth0", "up")

    def cut(self, name: str) -> None:
        """Take a host's link down at the bridge's end: nothing gets through, and nobody is told."""
        ip("-n", self._hub, "link", "set", self._near[name], "nomaster")

    def heal(self, name: str) -> None:
        """Bring the link up again."""
        ip("-n", self._hub, "link", "set", self._near[name], "master", "br0")

    def start(self, name: str, command: Sequence[str | Path], log: Path, **more: Any) -> subprocess.Popen[bytes]:
        """Start a program on a host."""
        words = ["ip", "netns", "exec", self.space(name), *map(str, command)]
        with log.open("ab") as out:
            return subprocess.Popen(words, stdout=out, stderr=out, stdin=subprocess.DEVNULL, process_group=0, **more)

    def pids(self, name: str) -> list[int]:
        """Every process on a host."""
        return [int(pid) for pid in ip("netns", "pids", self.space(name)).split()]

    def kill(self, name: str) -> None:
        """Kill every process on a host with -9, as when its power goes."""
        while pids := self.pids(name):
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)


class Centre:
    """The hosts and what runs on them, in a `with` block. The league's store can be read from outside, by a socket."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stack = ExitStack()
        # Short, and not below the folder: the server must not run as root, and a socket's path has a limit.
        self._database = Path(tempfile.mkdtemp(prefix="arena-pg-"))
        self._bin = max(Path("/usr/lib/postgresql").glob("*/bin"))
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self._stack.callback(shutil.rmtree, self._database)
        self.network = Network(self._stack)
        for name in ("db", "redis", *HOSTS):
            self.network.add(name)
        self._stack.callback(self._kill_all)  # before the namespaces go
        self._make_database()
        self.start_database()
        self.start_redis()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _kill_all(self) -> None:
        for name in ("db", "redis", *HOSTS):
            self.network.kill(name)
        for process in self.running.values():
            process.wait()

    # ---- PostgreSQL ---------------------------------------------------------------------------------------------------

    @property
    def store_url(self) -> str:
        """The store as seen from outside the namespaces."""
        return f"postgresql://postgres@/postgres?host={self._database}"

    def _make_database(self) -> None:
        shutil.chown(self._database, "postgres", "postgres")
        making = [
            self._bin / "initdb",
            "-D",
            f"{self._database}/data",
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ]
        who: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []}
        subprocess.run(making, check=True, capture_output=True, cwd=self._database, **who)
        with (self._database / "data" / "pg_hba.conf").open("a") as file:
            file.write(f"host all all {SUBNET}.0/24 trust\n")

    def start_database(self) -> None:
        """Start PostgreSQL, on what it left."""
        listen = f"listen_addresses={self.network.address['db']}"
        settings = [listen, f"unix_socket_directories={self._database}", "fsync=off", "max_connections=60"]
        options = itertools.chain.from_iterable(("-c", setting) for setting in settings)
        as_postgres = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
        command = (*as_postgres, self._bin / "postgres", "-D", self._database / "data", *options)
        self.running["db"] = self.network.start("db", command, self.folder / "db.log", cwd=self._database)

    def stop_database(self, how: signal.Signals) -> None:
        """Stop PostgreSQL: SIGINT breaks off what is under way (fast), SIGQUIT drops everything (immediate)."""
        self.running["db"].send_signal(how)
        self.running["db"].wait()

    # ---- Redis --------------------------------------------------------------------------------------------------------

    def start_redis(self) -> None:
        """Start an empty queue server."""
        where = ("--bind", self.network.address["redis"], "--protected-mode", "no")
        forgetful = ("--save", "", "--appendonly", "no", "--dir", str(self.folder))
        self.running["redis"] = self.network.start("redis", (valkey.binary(), *where, *forgetful), self.folder / "redis.log")

    def kill_redis(self) -> None:
        """Kill the queue server and all it knew."""
        self.network.kill("redis")
        self.running["redis"].wait()

    # ---- the arena's hosts --------------------------------------------------------------------------------------------

    def start_host(self, name: str) -> None:
        """Start what runs on a host, in a data folder of its own."""
        kept = {variable: value for variable, value in os.environ.items() if variable not in FORGOTTEN}
        env = {
            **kept,
            "ARENA_DATA": str(self.folder / name),
            "ARENA_STORE": f"postgresql://postgres@{self.network.address['db']}/postgres",
            "REDIS_URL": f"redis://{self.network.address['redis']}:6379/0",
            "ARENA_LEASE_SECONDS": str(LEASE),
            "ARENA_LAG_SECONDS": "60",  # nobody's time is short here, and a busy machine is no trouble of the kind that is meant
            "PYTHONPATH": str(ROOT),
        }
        command = (sys.executable, "-m", "arena", *COMMANDS[name])
        self.running[name] = self.network.start(name, command, self.folder / f"{name}.log", env=env, cwd=self.folder)

    def kill_host(self, name: str) -> None:
        """Kill everything on a host."""
        self.network.kill(name)
        self.running[name].wait()

    def games_done(self, league: str) -> int | None:
        """Games stored; None while the database does not answer."""
        try:
            with Store(self.store_url) as store:
                return store.progress(league).games_done
        except StoreAway:
            return None

    def finished(self, league: str) -> bool:
        """Whether the league is finished, as far as can be seen now."""
        try:
            with Store(self.store_url) as store:
                return store.league(league).revealed_at is not None
        except StoreAway:
            return False
