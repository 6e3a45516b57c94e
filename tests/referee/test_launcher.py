from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from typing import TYPE_CHECKING, TypeVar

import pytest

from referee.errors import BadOrder, LauncherGone
from referee.launch import ROOT, Bot, Launcher, command, environment
from tests.referee.processes import marked, wait_until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

T = TypeVar("T")

TAIL = 64 * 1024


def with_launcher(work: Callable[[Launcher], Awaitable[T]]) -> T:
    async def main() -> T:
        launcher = Launcher()
        await launcher.listen()
        try:
            return await asyncio.wait_for(work(launcher), 300)
        finally:
            await launcher.close()

    return asyncio.run(main())


def start(launcher: Launcher, run: str, cwd: str | None = None) -> Bot:
    words = command(run)
    return launcher.start(words, environment(words, "unix:/nowhere", "secret"), cwd)


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex


@pytest.mark.parametrize(
    ("run", "code"),
    [("sh -c 'exit 3'", 3), ("true", 0), ("sh -c 'kill -9 $$'", 137), ("no-such-program-here", 127)],
)
def test_every_end_is_told(run: str, code: int) -> None:
    """The exit code, the signal, or that it could not start, is told at once."""

    async def work(launcher: Launcher) -> int:
        return (await start(launcher, run).ended).code

    assert with_launcher(work) == code


def test_a_program_that_is_missing_is_named() -> None:
    """What could not be started is in the output that its author will read."""

    async def work(launcher: Launcher) -> str:
        return (await start(launcher, "no-such-program-here").ended).tail()

    assert "cannot start no-such-program-here" in with_launcher(work)


def test_the_environment_is_minimal_and_the_home_private(tmp_path: Path) -> None:
    """A bot finds its own few variables, an empty home that is gone afterwards, an empty stdin, and the folder asked for."""

    async def work(launcher: Launcher) -> str:
        return (await start(launcher, "sh -c 'env; ls -A $HOME; pwd; wc -c'", str(tmp_path)).ended).out

    lines = with_launcher(work).split("\n")
    found = dict(line.split("=", 1) for line in lines if "=" in line)
    assert found.keys() - {"PWD", "SHLVL", "_", "OLDPWD"} == {
        "PATH", "LANG", "EUCHRE_REFEREE", "EUCHRE_TOKEN", "HOME", "TMPDIR",
    }  # fmt: skip
    assert found["EUCHRE_TOKEN"] == "secret"
    assert found["HOME"] == found["TMPDIR"]
    assert not os.path.exists(found["HOME"])  # noqa: PTH110 - it is gone
    assert lines[-3:] == [str(tmp_path), "0", ""]


def test_python_is_this_interpreter_with_the_project_in_reach(tmp_path: Path) -> None:
    """A command that begins with python runs under our interpreter and finds the project from any folder."""

    async def work(launcher: Launcher) -> str:
        run = "python -c 'import sys, referee.rules; print(sys.executable)'"
        return (await start(launcher, run, str(tmp_path)).ended).tail()

    assert with_launcher(work) == sys.executable


@pytest.mark.parametrize("run", ["", "   ", "bot 'unclosed"])
def test_a_command_that_is_none_is_refused(run: str) -> None:
    """An empty or broken command line is refused before anything is started."""
    with pytest.raises(BadOrder, match="run command"):
        command(run)


@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_flood_of_output_neither_blocks_nor_grows(stream: str) -> None:
    """A bot that writes 50 MB goes on to its end; the last 64 KiB are kept."""

    async def work(launcher: Launcher) -> tuple[int, str, str]:
        run = f"sh -c 'head -c 50000000 /dev/zero | tr \"\\0\" x >&{stream}; echo end >&{stream}; exit 5'"
        end = await start(launcher, run).ended
        return end.code, end.out, end.err

    code, out, err = with_launcher(work)
    assert code == 5
    assert [len(text) for text in ((out, err) if stream == "1" else (err, out))] == [TAIL, 0]
    assert (out or err).endswith("xend\n")


def test_stopping_kills_the_whole_tree(mark: str) -> None:
    """A bot's children, those in sessions of their own and those whose parents have gone die with it."""
    daemons = " ".join(f'{setsid} sh -c "sleep 99; : {mark}" &' for setsid in ("setsid", "setsid setsid"))
    run = f"sh -c '{daemons} trap \"\" TERM INT; sleep 97; : {mark}'"

    async def work(launcher: Launcher) -> int:
        bot = start(launcher, run)
        assert await asyncio.to_thread(wait_until, lambda: len(marked(mark)) >= 3)
        bot.stop()
        code = (await bot.ended).code
        assert marked(mark) == []
        return code

    assert with_launcher(work) == 137


def test_a_bot_that_ends_takes_its_daemons_along(mark: str) -> None:
    """When a bot's own process ends, what it left behind is killed and does not hold up the news."""

    async def work(launcher: Launcher) -> int:
        code = (await start(launcher, f"sh -c 'setsid sh -c \"sleep 99; : {mark}\" & exit 4'").ended).code
        assert marked(mark) == []
        return code

    assert with_launcher(work) == 4


def test_one_bot_is_stopped_and_others_live(mark: str) -> None:
    """Stopping one bot touches no other."""

    async def work(launcher: Launcher) -> None:
        one, other = (start(launcher, f"sh -c 'sleep 99; : {mark} {name}'") for name in ("one", "other"))
        assert await asyncio.to_thread(wait_until, lambda: len(marked(mark)) >= 2)
        one.stop()
        await one.ended
        assert not marked(f"{mark} one")
        assert marked(f"{mark} other")
        assert not other.ended.done()

    with_launcher(work)
    assert marked(mark) == []


@pytest.mark.parametrize("victim", ["keeper", "launcher"])
def test_killing_what_is_in_between_leaves_nobody(mark: str, victim: str) -> None:
    """When a keeper or the launcher itself is killed outright, the bots below it and their daemons still die."""

    async def work(launcher: Launcher) -> None:
        bot = start(launcher, f"sh -c 'setsid sh -c \"sleep 99; : {mark}\" & sleep 98; : {mark}'")
        assert await asyncio.to_thread(wait_until, lambda: len(marked(mark)) >= 2)
        keeper = _children(launcher.pid)[0]
        os.kill(keeper if victim == "keeper" else launcher.pid, signal.SIGKILL)
        if victim == "keeper":
            assert (await bot.ended).code == 137
        else:
            with pytest.raises(LauncherGone):
                await bot.ended
        assert await asyncio.to_thread(wait_until, lambda: not marked(mark))

    with_launcher(work)


def _children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in listed.split()]


def test_killing_the_parent_leaves_nobody(mark: str) -> None:
    """A kill -9 of the process that holds the launcher kills every bot, daemons too."""
    program = f"""
import asyncio, sys
from referee.launch import Launcher, command, environment
async def main():
    launcher = Launcher()
    await launcher.listen()
    words = command("sh -c 'setsid sh -c \\"sleep 99; : {mark}\\" & sleep 98; : {mark}'")
    launcher.start(words, environment(words, "", ""))
    await asyncio.sleep(60)
asyncio.run(main())
"""
    holder = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)
    try:
        assert wait_until(lambda: len(set(marked(mark)) - {holder.pid}) >= 2)
    finally:
        holder.kill()
        holder.wait()
    assert wait_until(lambda: not marked(mark))


def test_what_is_forked_while_a_tree_is_killed_is_killed_too() -> None:
    """A process that appears after the look at the tree is found in the next look; nothing waits for it to end by itself."""
    program = (
        "import os, time\n"
        "from referee import keeper as launcher\n"
        "looks, real = [], launcher.descendants\n"
        "launcher.descendants = lambda root: looks.append(root) or (real(root) if looks[1:] else [])\n"
        "if not os.fork():\n"
        "    time.sleep(600)\n"
        "launcher.kill_below()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, timeout=300)


def test_python_and_arena_are_those_that_run_the_referee() -> None:
    """A bot needs neither on the PATH: both mean this interpreter."""
    assert command("python3 bot.py") == [sys.executable, "bot.py"]
    assert command("arena bridge -- awk -f bot.awk") == [sys.executable, "-m", "arena", "bridge", "--", "awk", "-f", "bot.awk"]
    assert environment(command("arena bridge -- true"), "unix:/s", "t")["PYTHONPATH"] == ROOT
