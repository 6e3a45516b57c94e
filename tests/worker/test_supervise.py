"""Supervision: children are restarted, stopped together, and never left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from worker import processes, supervise
from worker.supervise import Service, Shared, Supervisor, stopping

SLEEP = (sys.executable, "-c", "import time; time.sleep(600)")
STUBBORN = (*SLEEP[:2], "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(600)")


def service(tmp_path: Path, *command: str, **more: object) -> Service:
    """A service with a log in the test's folder."""
    return Service("it", lambda: command, log=tmp_path / "log", **more)  # type: ignore[arg-type]


def until_ended(one: Service) -> None:
    """Wait for the child that runs now."""
    assert one.child is not None
    one.child.wait(120)


def test_a_killed_child_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service whose process was killed has a new one at the next look, and that is no error of the program."""
    monkeypatch.setattr(supervise, "GOOD_LIFE", 600.0)
    with Supervisor() as supervisor:
        one = service(tmp_path, *SLEEP)
        supervisor.add(one)
        supervisor.tick()
        first = one.child
        assert first is not None
        first.kill()
        until_ended(one)
        supervisor.tick()
        assert one.running
        assert one.child is not first
        assert (one.starts, one.failures, one.errors) == (2, 1, 0)


def test_a_broken_child_is_given_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that fails whenever it is started is started again after growing pauses; its errors are counted."""
    monkeypatch.setattr(supervise, "GOOD_LIFE", 600.0)
    one = service(tmp_path, sys.executable, "-c", "import sys; print('no good'); sys.exit(7)")
    for _ in range(2):
        one.tick()
        until_ended(one)
    one.tick()
    assert (one.starts, one.errors, one.last_exit, one.child) == (2, 2, 7, None)
    assert (tmp_path / "log").read_text() == "no good\n" * 2


def test_stopping_leaves_nobody(tmp_path: Path) -> None:
    """When the block ends every child is gone, the one that ignores SIGTERM as well."""
    with Supervisor() as supervisor:
        easy, stubborn = service(tmp_path, *SLEEP), service(tmp_path, *STUBBORN, grace=0.2)
        supervisor.add(easy)
        supervisor.add(stubborn)
        supervisor.tick()
        while "up" not in (tmp_path / "log").read_text():
            time.sleep(0.02)
    assert easy.child is not None
    assert stubborn.child is not None
    assert (easy.child.poll(), stubborn.child.poll()) == (-signal.SIGTERM, -signal.SIGKILL)


def test_children_die_with_a_killed_parent(tmp_path: Path) -> None:
    """A parent that is killed with -9 takes its children along."""
    code = (
        "import sys, time; from worker import processes;"
        f"child = processes.spawn({SLEEP!r}); print(child.pid, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    end = time.monotonic() + 120
    while Path(f"/proc/{child}").exists() and ") Z" not in Path(f"/proc/{child}/stat").read_text():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_only_the_main_thread_may_start_children() -> None:
    """A child started off the main thread would die with that thread: it is refused."""
    caught: list[RuntimeError] = []

    def start() -> None:
        with pytest.raises(RuntimeError, match="main thread") as error:
            processes.spawn(SLEEP)
        caught.append(error.value)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert caught


def test_ctrl_c_does_not_reach_children(tmp_path: Path) -> None:
    """A child has a process group of its own, so that Ctrl-C goes to the parent alone, which stops its children in order."""
    child = processes.spawn(SLEEP)
    try:
        stat = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        assert int(stat[2]) == child.pid
    finally:
        processes.stop(child)


def test_signals_become_a_flag() -> None:
    """Ctrl-C and SIGTERM set the flag, end its waiting, and the handlers from before are back afterwards."""
    before = signal.getsignal(signal.SIGINT)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with stopping() as stop:
            assert not stop
            signal.raise_signal(number)
            assert stop
            assert stop.wait(600)
    assert signal.getsignal(signal.SIGINT) is before


def test_one_instance_for_all(tmp_path: Path) -> None:
    """Of two shared services on one lock only the first starts its child; the lock is held by the child too."""

    def shared(command: tuple[str, ...]) -> Shared:
        return Shared("it", lambda: command, lock=tmp_path / "lock", log=tmp_path / "log")

    with Supervisor() as one, Supervisor() as two:
        first, second = shared(SLEEP), shared(SLEEP)
        one.add(first)
        two.add(second)
        one.tick()
        two.tick()
        assert first.running
        assert second.child is None
        first.release()  # as at the keeper's sudden death
        two.tick()
        assert second.child is None
        assert first.child is not None
        processes.stop(first.child)
        two.tick()
        assert second.running


def test_long_logs_are_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that has grown too long is kept once under another name, and a new one begins."""
    monkeypatch.setattr(supervise, "LOG_LIMIT", 3)
    log = tmp_path / "logs" / "it.log"
    for text in ("1234", "5678"):
        one = Service("it", lambda text=text: (sys.executable, "-c", f"print({text})"), log=log)  # type: ignore[misc]
        one.tick()
        until_ended(one)
    assert log.read_text() == "5678\n"
    assert log.with_name("it.log.1").read_text() == "1234\n"
