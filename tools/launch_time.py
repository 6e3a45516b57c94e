"""How long a bot takes from its start to its Hello, plain and in a sandbox: `python -m tools.launch_time [ROUNDS]`.

Both kinds take turns, so that whatever else the machine does weighs on both alike. Also how long a sandbox takes by itself,
with a program in it that ends at once.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from referee import isolate, launch
from referee.auth import TokenBook, digest, new_token
from referee.server import Server

RUN = "python -m sample_bots.python.lowest"
ROUNDS = 20


async def _hello(launcher: launch.Launcher, folder: Path, *, boxed: bool) -> float:
    """Seconds from the start of a bot to its Hello."""
    token = new_token()
    server = Server(TokenBook(bots={digest(token): "bot"}))
    address = await server.start(f"unix:{folder}/referee.sock")
    box = isolate.box(Path(launch.ROOT) / "sample_bots") if boxed else None
    began = time.perf_counter()
    door = None
    if box is not None:
        door = await server.door(folder / "bot.sock", digest(token))
        box, address = isolate.seated(box, f"unix:{folder}/bot.sock")
    words = launch.command(RUN)
    bot = launcher.start(words, launch.environment(words, address, token), launch.ROOT, box)
    while not any(session.greeted for session in server.hall.sessions.values()):
        await asyncio.sleep(0.001)
    taken = time.perf_counter() - began
    bot.stop()
    await bot.ended
    if door is not None:
        await door.close()
    await server.stop(0)
    return taken


async def together(bots: int) -> float:
    """Seconds from the start of so many bots at once to the last one's Hello."""
    launcher = launch.Launcher()
    await launcher.listen()
    tokens = [new_token() for _ in range(bots)]
    server = Server(TokenBook(bots={digest(token): "bot" for token in tokens}))
    words = launch.command(RUN)
    try:
        with tempfile.TemporaryDirectory(prefix="euchre-") as folder:
            address = await server.start(f"unix:{folder}/referee.sock")
            began = time.perf_counter()
            started = [launcher.start(words, launch.environment(words, address, token), launch.ROOT, None) for token in tokens]
            while sum(session.greeted for session in server.hall.sessions.values()) < bots:
                await asyncio.sleep(0.001)
            taken = time.perf_counter() - began
            for bot in started:
                bot.stop()
            await asyncio.gather(*(bot.ended for bot in started))
            await server.stop(0)
    finally:
        await launcher.close()
    return taken


async def _ended(launcher: launch.Launcher, *, boxed: bool) -> float:
    """Seconds from the start of a program that does nothing to its end."""
    box = isolate.box(Path(launch.ROOT) / "sample_bots") if boxed else None
    began = time.perf_counter()
    await launcher.start(["true"], {"PATH": "/usr/bin:/bin"}, None, box).ended
    return time.perf_counter() - began


async def _measure(rounds: int) -> None:
    isolate.choose()
    launcher = launch.Launcher()
    await launcher.listen()
    found: dict[tuple[str, bool], list[float]] = {}
    try:
        with tempfile.TemporaryDirectory(prefix="euchre-") as folder:
            for _ in range(rounds):
                for boxed in (False, True):
                    found.setdefault(("Hello", boxed), []).append(await _hello(launcher, Path(folder), boxed=boxed))
                    found.setdefault(("true", boxed), []).append(await _ended(launcher, boxed=boxed))
    finally:
        await launcher.close()
    for (what, boxed), times in sorted(found.items()):
        kind = "in a sandbox" if boxed else "plain"
        median, best = statistics.median(times) * 1000, min(times) * 1000
        print(f"{what:<6} {kind:<13} median {median:7.1f} ms, best {best:7.1f} ms, of {rounds}")


if __name__ == "__main__":
    asyncio.run(_measure(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
