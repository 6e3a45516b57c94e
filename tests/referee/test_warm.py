"""A bot that is forked from a nursery must not be able to tell, but by the time: most tests run a program both ways."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import arena.sdk  # noqa: F401 - what a nursery loads
from referee.launch import ROOT, Exit, Launcher, command, environment, likes_nursery
from referee.warm import POSSIBLE, fits, hides
from tests.referee.processes import marked, wait_until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from referee.launch import Bot

pytestmark = pytest.mark.skipif(not POSSIBLE, reason="forks are handed on by Linux alone")

PROBE = """
import arena
import atexit, json, os, signal, sys, threading
print(json.dumps({
    "name": __name__, "file": __file__, "argv": sys.argv, "path": sys.path[0], "cwd": os.getcwd(),
    "main": "__main__" in sys.modules,
    "env": {name: value for name, value in os.environ.items() if name not in ("HOME", "TMPDIR", "LC_CTYPE")},
    "home": os.listdir(os.environ["HOME"]), "stdin": sys.stdin.read(), "session": os.getsid(0) == os.getpid(),
    "signals": [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD)],
    "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())), "files": len(os.listdir("/proc/self/fd")),
    "threads": threading.active_count(), "limits": sys.getrecursionlimit(), "flags": str(sys.flags),
    "buffered": [sys.stdout.write_through, sys.stdout.encoding, sys.stdout.isatty(), sys.stderr.errors],
}))
atexit.register(print, "at the end")
threading.Thread(target=lambda: (threading.Event().wait(0.05), print("from a thread"))).start()
print("a complaint", file=sys.stderr)
"""
FORKED = "import arena, sys; print('arena.sdk.client' in sys.modules)"
"""Says whether more is loaded than was asked for, so far."""


def with_launcher(work: Callable[[Launcher], Awaitable[None]], *, warm: bool = True) -> None:
    async def main() -> None:
        launcher = Launcher()
        await launcher.listen()
        try:
            if warm:
                launcher.warm_up()
            await asyncio.wait_for(work(launcher), 300)
        finally:
            await launcher.close()

    asyncio.run(main())


def begin(launcher: Launcher, run: str, cwd: Path, token: str = "secret") -> Bot:
    words = command(run)
    return launcher.start(words, environment(words, "unix:/nowhere", token), str(cwd))


def ended(run: str, cwd: Path, *, warm: bool) -> Exit:
    found: list[Exit] = []

    async def work(launcher: Launcher) -> None:
        found.append(await begin(launcher, run, cwd).ended)

    with_launcher(work, warm=warm)
    return found[0]


def both_ways(run: str, cwd: Path) -> Exit:
    """How a program ends from a nursery, having seen that it does so in a fresh interpreter too."""
    forked, fresh = ended(run, cwd, warm=True), ended(run, cwd, warm=False)
    assert forked == fresh
    return forked


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex


@pytest.mark.parametrize(
    "run", ["python probe.py one two", "python ./deep/probe.py", "python -m probe -x", "python -m deep.probe"]
)
def test_a_program_finds_what_it_would_find_in_a_fresh_interpreter(tmp_path: Path, run: str) -> None:
    """Arguments, paths, environment, files, signals, threads and what runs at the end."""
    (tmp_path / "deep").mkdir()
    for folder in (tmp_path, tmp_path / "deep"):
        (folder / "probe.py").write_text(PROBE)
    forked, fresh = ended(run, tmp_path, warm=True), ended(run, tmp_path, warm=False)
    found, wanted = (json.loads(end.out.splitlines()[0]) for end in (forked, fresh))
    for one in (found, wanted):
        one["argv"][0] = Path(one["argv"][0]).resolve().name
    assert found == wanted
    assert forked.out.splitlines()[1:] == fresh.out.splitlines()[1:] == ["from a thread", "at the end"]
    assert (forked.code, forked.err) == (fresh.code, fresh.err) == (0, "a complaint\n")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("raise SystemExit(3)", 3),
        ("raise SystemExit('the reason')", 1),
        ("def choose():\n    return 1 / 0\n\nchoose()", 1),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", 139),
        ("import os\nos._exit(9)", 9),
        ("raise KeyboardInterrupt", 130),
        ("this is no Python", 1),
    ],
)
def test_every_end_is_told_as_ever(tmp_path: Path, text: str, code: int) -> None:
    """The exit code, and an error in the author's own words and lines: nothing of the nursery is in the traceback."""
    (tmp_path / "bot.py").write_text(f"import arena\n\n{text}\n")
    end = both_ways(f"python {tmp_path / 'bot.py'}", tmp_path)
    assert end.code == code
    assert "referee" not in end.err
    assert "runpy" not in end.err


@pytest.mark.parametrize("run", ["python missing.py", "python -m missing", "python -m missing.deep", "python -m json"])
def test_what_is_not_there_is_said_as_ever(tmp_path: Path, run: str) -> None:
    """Python's own words for a file or module that it cannot find or run."""
    assert both_ways(run, tmp_path).code != 0


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The order's folder has gone."""
    end = both_ways("python bot.py", tmp_path / "gone")
    assert end.code == 127
    assert "No such file or directory" in end.err


def test_bots_are_forked_unless_their_folder_hides_what_is_loaded(tmp_path: Path) -> None:
    """A folder with a module named as one of the nursery's gets a fresh interpreter, and so its own module."""
    (tmp_path / "bot.py").write_text(FORKED + "\nimport logging\nprint(getattr(logging, 'OWN', False))")
    assert ended("python bot.py", tmp_path, warm=True).out == "True\nFalse\n"
    (tmp_path / "logging.py").write_text("OWN = True")
    assert ended("python bot.py", tmp_path, warm=True).out == "False\nTrue\n"
    assert ended("python -m bot", tmp_path, warm=True).out == "False\nTrue\n"


def test_a_bot_without_the_sdk_starts_afresh(tmp_path: Path) -> None:
    """It may have messages of another release, which would not go together with those that are loaded."""
    (tmp_path / "bot.py").write_text("import sys\nprint('arena' in sys.modules)\n")
    assert ended("python bot.py", tmp_path, warm=True).out == ended("python -m bot", tmp_path, warm=True).out == "False\n"


@pytest.mark.parametrize("run", ["python bot.py", "python3 -m bot", "python -m bot.deep one", "python /a/b/bot.py -x"])
def test_what_a_nursery_can_start(run: str) -> None:
    """A module or a file, with arguments of its own."""
    assert fits(command(run))
    assert likes_nursery({"lineup": [{"bot": "a", "run": "./bot"}, {"bot": "b", "run": run}]})
    assert not likes_nursery({"lineup": [{"bot": "b", "run": run, "sandbox": {"tree": "/"}}]})


@pytest.mark.parametrize(
    "run", ["./bot.py", "python", "python -m", "python -B bot.py", "python -c pass", "python bot", "sh bot.py"]
)
def test_what_it_cannot(run: str) -> None:
    """Options for Python itself, other interpreters, other programs."""
    assert not fits(command(run))


@pytest.mark.parametrize(
    "order", [None, 7, {}, {"lineup": 7}, {"lineup": [7]}, {"lineup": [{"run": "'"}]}, {"lineup": [{"run": 7}]}]
)
def test_of_what_is_no_order_nothing_is_said(order: object) -> None:
    """It is refused elsewhere, with the reason."""
    assert not likes_nursery(order)


def test_no_bot_finds_the_token_of_another(tmp_path: Path) -> None:
    """Memory is searched for the tokens of bots that began before and after: only the bot's own is there."""
    tokens = [uuid.uuid4().hex for _ in range(3)]
    halves = [(token[:16], token[16:]) for token in tokens]
    (tmp_path / "bot.py").write_text(f"""
import os, sys, time
{FORKED}
while not os.path.exists("all-are-there"):
    time.sleep(0.01)
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    ranges = [line.split()[0].split("-") for line in maps if line.split()[1][0] == "r" and "[v" not in line]
    held = []
    for low, high in ranges:
        memory.seek(int(low, 16))
        try:
            held.append(memory.read(int(high, 16) - int(low, 16)))
        except OSError:
            pass
print([any((one + other).encode() in part for part in held) for one, other in {halves!r}])
""")
    # the halves in the program's text are joined in this very search alone, after the memory was read

    async def work(launcher: Launcher) -> None:
        bots = [begin(launcher, "python bot.py", tmp_path, token) for token in tokens]
        (tmp_path / "all-are-there").touch()
        for number, bot in enumerate(bots):
            end = await bot.ended
            assert end.out == f"True\n{[place == number for place in range(3)]}\n", end.err

    with_launcher(work)


def test_dice_and_names_differ_from_bot_to_bot(tmp_path: Path) -> None:
    """A fork has its own random numbers."""
    dice = "import random, tempfile, uuid\nprint(random.random(), uuid.uuid4(), tempfile.mkdtemp())"
    (tmp_path / "bot.py").write_text(f"{FORKED}\n{dice}")
    found: list[str] = []

    async def work(launcher: Launcher) -> None:
        bots = [begin(launcher, "python bot.py", tmp_path) for _ in range(4)]
        for bot in bots:
            forked, rest = (await bot.ended).out.splitlines()
            assert forked == "True"
            found.extend(rest.split())

    with_launcher(work)
    assert len(set(found)) == len(found) == 12


@pytest.mark.parametrize("victim", ["nobody", "keeper", "launcher", "parent"])
def test_nothing_is_left_of_a_bot_that_is_stopped(tmp_path: Path, mark: str, victim: str) -> None:
    """Its children die with it, those in sessions of their own too, whoever is killed: the bot, its keeper or all above."""
    (tmp_path / "bot.py").write_text(
        f"import subprocess, time\nfor new in (True, False):\n"
        f"    subprocess.Popen(['sh', '-c', 'sleep 99; : {mark}'], start_new_session=new)\ntime.sleep(600)"
    )

    async def work(launcher: Launcher) -> None:
        bot = begin(launcher, "python bot.py", tmp_path)
        assert await asyncio.to_thread(wait_until, lambda: len(marked(mark)) >= 2)
        if victim == "nobody":
            bot.stop()
        elif victim == "keeper":
            os.kill(_parent(_parent(marked(mark)[0])), signal.SIGKILL)
        elif victim == "launcher":
            os.kill(launcher.pid, signal.SIGKILL)
        if victim in ("nobody", "keeper"):
            assert (await bot.ended).code == 137
            assert await asyncio.to_thread(wait_until, lambda: not marked(mark))

    with_launcher(work)
    assert wait_until(lambda: not marked(mark))


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _nursery(launcher: Launcher) -> int | None:
    """The one child of the launcher that is no keeper yet, by its command line."""
    children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
    return next((int(pid) for pid in children if b"arena.sdk" in Path(f"/proc/{pid}/cmdline").read_bytes()), None)


@pytest.mark.parametrize("late", [False, True])
def test_a_nursery_that_dies_costs_no_bot(tmp_path: Path, late: bool) -> None:
    """Killed before it is ready or after it has forked: whoever is to start then starts afresh, and who plays plays on."""
    (tmp_path / "bot.py").write_text(FORKED + "\nimport time\nwhile not __import__('os').path.exists('go'): time.sleep(0.01)")

    async def work(launcher: Launcher) -> None:
        before = [begin(launcher, "python bot.py", tmp_path)] if late else []
        if late:
            assert await asyncio.to_thread(wait_until, lambda: _bots(tmp_path) == 1)
        assert await asyncio.to_thread(wait_until, lambda: _nursery(launcher))
        os.kill(_nursery(launcher) or 0, signal.SIGKILL)
        after = begin(launcher, "python bot.py", tmp_path)
        assert await asyncio.to_thread(wait_until, lambda: _bots(tmp_path) == 1 + late)
        (tmp_path / "go").touch()
        assert (await after.ended).out == "False\n"
        for bot in before:
            assert (await bot.ended).out == "True\n"
        launcher.warm_up()
        assert (await begin(launcher, "python bot.py", tmp_path).ended).out == "True\n", "there is another nursery"

    with_launcher(work)


def _bots(folder: Path) -> int:
    """How many processes have a folder as their working folder."""
    found = 0
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            found += entry.name.isdigit() and (entry / "cwd").readlink() == folder
    return found


def test_a_bot_can_be_stopped_before_the_nursery_is_ready(tmp_path: Path) -> None:
    """It ends as if it had been killed, and nothing of it ever runs."""
    (tmp_path / "bot.py").write_text("open('ran', 'w')")

    async def work(launcher: Launcher) -> None:
        bots = [begin(launcher, "python bot.py", tmp_path) for _ in range(2)]
        for bot in bots:
            bot.stop()
        assert [(await bot.ended).code for bot in bots] == [137, 137]
        assert (await begin(launcher, "python -m json.tool --help", tmp_path).ended).code == 0

    with_launcher(work)
    assert not (tmp_path / "ran").exists()


def test_the_project_folder_hides_nothing_of_the_project(tmp_path: Path) -> None:
    """The packages in it are those that are loaded; packages of the same names elsewhere are others."""
    assert "arena" in sys.modules
    assert not hides(ROOT)
    (tmp_path / "arena").mkdir()
    assert hides(str(tmp_path))
