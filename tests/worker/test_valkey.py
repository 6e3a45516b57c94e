"""The embedded queue server: found, shared, kept alive, and gone with whoever keeps it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from worker import valkey
from worker.supervise import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable

    from worker.settings import Settings

KEEP = """
import time
from worker import settings, valkey
from worker.supervise import Supervisor
found = settings.from_env()
with Supervisor() as supervisor:
    supervisor.add(valkey.keeper(found))
    valkey.wait(found, supervisor.tick)
    print(supervisor.services[0].child.pid, flush=True)
    while True:
        supervisor.tick()
        time.sleep(0.05)
"""


def until(done: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait for something that must happen."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def test_it_keeps_its_data_over_a_restart(settings: Settings) -> None:
    """What was put into the embedded server is there again when it is started anew, after a stop and after a kill."""
    for number in range(2):
        with Supervisor() as supervisor:
            supervisor.add(valkey.keeper(settings))
            connection = valkey.wait(settings, supervisor.tick)
            assert connection.incr("starts") == 2 * number + 1
            until(lambda: connection.info("persistence")["aof_buffer_length"] == 0)  # noqa: B023 - at once
            child = supervisor.services[0].child
            assert child is not None
            child.kill()
            child.wait()
            connection = valkey.wait(settings, supervisor.tick)
            assert connection.incr("starts") == 2 * number + 2
            connection.close()


def test_two_commands_share_one_server(settings: Settings) -> None:
    """The second keeper on a data folder starts nothing while the first is there, and takes over when it ends."""
    first, second = valkey.keeper(settings), valkey.keeper(settings)
    assert first is not None
    assert second is not None
    with Supervisor() as one, Supervisor() as two:
        one.add(first)
        two.add(second)
        valkey.wait(settings, one.tick).set("mark", "1")
        two.tick()
        assert (first.ours, second.ours, second.child) == (True, False, None)
        one.stop()
        connection = valkey.wait(settings, two.tick)
        assert second.ours
        assert connection.get("mark") == b"1"
        connection.close()


def test_it_dies_with_its_keeper(settings: Settings) -> None:
    """The server is gone after its keeper was killed with -9, and the next command gets a server."""
    with subprocess.Popen([sys.executable, "-c", KEEP], stdout=subprocess.PIPE, env={**os.environ, **settings.env()}) as keeper:
        assert keeper.stdout is not None
        server = int(keeper.stdout.readline())
        assert alive(server)
        keeper.send_signal(signal.SIGKILL)
    until(lambda: not alive(server))
    with Supervisor() as supervisor:
        supervisor.add(valkey.keeper(settings))
        valkey.wait(settings, supervisor.tick).close()


def test_an_unreadable_queue_is_set_aside(settings: Settings) -> None:
    """A queue whose file is damaged is moved out of the way for an empty one: the store knows what is to be done."""
    damaged = settings.data / "queue" / "appendonlydir"
    damaged.mkdir(parents=True)
    (damaged / "appendonly.aof.manifest").write_text("this is no manifest\n")
    with Supervisor() as supervisor:
        supervisor.add(valkey.keeper(settings))
        connection = valkey.wait(settings, supervisor.tick)
        assert connection.dbsize() == 0
        connection.close()
    assert (settings.data / "queue.unreadable").exists()


def test_a_long_data_folder(settings: Settings, tmp_path: Path) -> None:
    """A data folder whose path is too long for a socket gets one elsewhere, in a folder for its owner only."""
    far = tmp_path / ("d" * 90)
    far.mkdir()
    where = valkey.socket_path(far)
    assert len(os.fsencode(where)) <= valkey.LONGEST_SOCKET
    assert where.parent.stat().st_mode & 0o077 == 0
    assert where == valkey.socket_path(far)
    with Supervisor() as supervisor:
        supervisor.add(valkey.keeper(replace(settings, data=far)))
        valkey.wait(replace(settings, data=far), supervisor.tick).close()
    where.parent.chmod(0o755)
    with pytest.raises(valkey.NoQueueServer, match="open to others"):
        valkey.socket_path(far)
    where.parent.rmdir() if not any(where.parent.iterdir()) else None


def test_only_its_owner_may_connect(settings: Settings) -> None:
    """The server listens on a unix socket with mode 700 and on no port."""
    with Supervisor() as supervisor:
        supervisor.add(valkey.keeper(settings))
        connection = valkey.wait(settings, supervisor.tick)
        assert valkey.socket_path(settings.data).stat().st_mode & 0o777 == 0o700
        assert connection.config_get("port") == {"port": "0"}
        connection.close()


def test_redis_url_comes_first(settings: Settings) -> None:
    """With REDIS_URL no server is started, and one that is not there is named in the error."""
    given = replace(settings, redis_url=f"unix://{settings.data}/nobody.sock")
    assert valkey.keeper(given) is None
    with pytest.raises(valkey.NoQueueServer, match=r"nobody\.sock.*REDIS_URL"):
        valkey.wait(given, lambda: None, seconds=0.1)


def test_where_the_program_comes_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The packaged server comes first, then one on the PATH, then an error that says what to do."""
    assert valkey.binary().name == "valkey-server"
    monkeypatch.setattr(valkey, "_bundled", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(valkey.NoQueueServer, match="REDIS_URL"):
        valkey.binary()
    (tmp_path / "redis-server").write_text("#!/bin/sh\n")
    (tmp_path / "redis-server").chmod(0o755)
    assert valkey.binary() == tmp_path / "redis-server"
