"""Whatever is killed, whenever: no set is lost, none counts twice, and the league ends as an undisturbed one does."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from league.store import Store
from tests.worker.arenas import Arena, kill, league, until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

POINTS = 20
SEED = 20
VICTIMS = ("worker", "referee", "queue", "run")


@pytest.fixture
def arenas(tmp_path: Path) -> Iterator[tuple[Arena, Arena]]:
    """Two arenas with the same league: one is left in peace, the other is not."""
    pair = Arena(tmp_path / "calm"), Arena(tmp_path / "wild", lease=3.0)
    for arena in pair:
        league(arena, variants=("turn-up", "cutthroat"), sets=6, deals=3, rest=3.0)
    yield pair
    for arena in pair:
        arena.close()


@pytest.mark.slow
def test_kill_9_at_twenty_random_points(arenas: tuple[Arena, Arena], tmp_path: Path) -> None:
    """A league of deterministic bots, killed at twenty random points, exports the very bytes of an undisturbed run."""
    calm, wild = arenas
    calm.hurry.touch()
    calm("league", "run", "cup", "--workers", "2")
    wild.hurry.unlink()
    run, killed = disturbed(wild, random.Random(SEED))
    wild.hurry.touch()
    assert run.wait(600) == 0, wild.err.read_text()[-3000:]
    until(lambda: not wild.survivors())
    assert len(killed) == POINTS
    assert set(killed) == set(VICTIMS)
    assert exported(wild, tmp_path / "wild.export") == exported(calm, tmp_path / "calm.export")
    nothing_twice_and_nobody_blamed(wild)


def disturbed(arena: Arena, dice: random.Random) -> tuple[subprocess.Popen[bytes], list[str]]:
    """Run the league and kill something every now and then; what is killed as a whole is started again as a user would."""
    victims = list(VICTIMS) * (POINTS // len(VICTIMS))
    dice.shuffle(victims)
    run = arena.start("league", "run", "cup", "--workers", "2")
    killed = []
    for victim in victims:
        wait_a_little(arena, dice, run)
        while not struck(arena, dice, victim):
            assert run.poll() is None, f"the league was over after {len(killed)} kills: make it longer"
            time.sleep(0.05)
        killed.append(victim)
        if victim == "run":
            run.wait()
            run = arena.start("league", "run", "cup", "--workers", "2")
    return run, killed


def wait_a_little(arena: Arena, dice: random.Random, run: subprocess.Popen[bytes]) -> None:
    """Wait for some time, or until another game is stored, so that every second point falls into a set half played."""
    if dice.random() < 0.5:
        done = arena.games_done()
        until(lambda: arena.games_done() > done or run.poll() is not None)
        time.sleep(dice.uniform(0.0, 0.3))
    else:
        time.sleep(dice.uniform(0.1, 1.5))


def struck(arena: Arena, dice: random.Random, kind: str) -> bool:
    """Kill one process of a kind; whether there was one."""
    arena.look()
    found = arena.find(kind)
    if found:
        with suppress(ProcessLookupError):  # it may have ended by itself meanwhile
            kill(dice.choice(found))
            return True
    return False


def exported(arena: Arena, folder: Path) -> dict[str, bytes]:
    """The league's export, every file of it; its records verify."""
    arena("league", "export", "cup", "--to", str(folder))
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    records = [str(folder / name) for name in files if name.endswith(".jsonl")]
    assert len(records) == 4
    arena("verify", *records)
    return files


def nothing_twice_and_nobody_blamed(arena: Arena) -> None:
    """Every game is stored once, and no bot has a fault for what was done to its surroundings."""
    with Store.open(arena.store_url) as store:
        for match in store.matches("cup"):
            games = [(game.set, game.seating) for game in store.games(match.id)]
            assert len(games) == len(set(games)) == match.games_total == match.games_done
            assert not any(cause for game in store.games(match.id) for cause in game.faults)
        outcomes = [attempt.outcome for match in store.matches("cup") for attempt in store.attempts(match.id)]
    assert outcomes.count("complete") == 4
    assert len(outcomes) > 4
