"""Hostile bots in sandboxes: every attack comes to nothing, ends in a fault with its cause, and the match of the others goes on.

All matches run at once; each seats hostile bots beside a good one, and the tests look at what became of them.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.referee.matches import Outcome, finish, order, start
from tests.referee.processes import marked

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.needs("bubblewrap")]

HERE = Path(__file__).parent
GOOD = "python -m sample_bots.python.lowest"
CLOCK = {"answer": 6.0, "bank": 6.0, "start": 60.0, "grace": 6.0, "faults": 1}
SMALL = {"memory": "400M", "tmp": "8M", "entries": 2000}


@dataclass
class Scene:
    """What the attacks were aimed at, and what became of the matches."""

    secret: str
    mark: str
    victim: subprocess.Popen[bytes]
    ears: socket.socket
    outcomes: dict[str, Outcome]

    def log(self, match: str, index: int) -> str:
        """What a bot of a match wrote."""
        return self.outcomes[match].tail(index)

    def lines(self, match: str, index: int, word: str) -> list[str]:
        """The lines that begin with a word."""
        return [line for line in self.log(match, index).splitlines() if line.startswith(word)]


def tree(folder: Path, *files: Path, **texts: str) -> Path:
    """A bot's tree."""
    folder.mkdir(mode=0o755)
    for file in files:
        shutil.copy(file, folder)
    for name, text in texts.items():
        (folder / name).write_text(text)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    return folder


def match(attacks: list[str], bots: Path, good: Path, **rest: Any) -> dict[str, Any]:
    """An order for hostile bots, and good ones in what seats are left."""
    limits = rest.pop("limits", {})
    given = order(*(f"python hostile.py {attack}" for attack in attacks), clock=CLOCK, **rest)
    for index, entry in enumerate(given["lineup"]):
        hostile = index < len(attacks)
        entry["run"] = entry["run"] if hostile else GOOD
        entry["sandbox"] = {"tree": str(bots if hostile else good), "limits": limits if hostile else {}}
    given["lag"] = 60.0
    return given


def played(given: dict[str, Any]) -> Outcome:
    """Play a match; as a worker does, again where the machinery failed, which is no bot's doing."""
    for left in (2, 1, 0):
        outcome = finish(start(given))
        if outcome.exit == 0 or not left:
            return outcome
        print(f"the run failed with exit code {outcome.exit}: {outcome.stderr}", file=sys.stderr)
    raise AssertionError


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Play all matches."""
    folder = tmp_path_factory.mktemp("attacks")
    secret, mark = (uuid.uuid4().hex for _ in range(2))
    bots = tree(folder / "hostile", HERE / "hostile.py")
    good = tree(folder / "good", secret_txt=secret)
    store = folder / "arena.db"
    store.write_text(secret)
    sleeper = [sys.executable, "-c", f"import time; time.sleep(600); '{secret}'"]
    victim = subprocess.Popen(sleeper, env={**os.environ, "SECRET": secret})
    ears, abstract, path = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX), str(folder / "other.sock")
    abstract.bind(f"\0{secret}")
    other = socket.socket(socket.AF_UNIX)
    other.bind(path)
    for ear in (abstract, other):
        ear.listen()
    port = ears.getsockname()[1]
    orders = {
        "reading": match([f"snoop {secret} {good / 'secret_txt'} {store}", f"network {port} {path} {secret}"], bots, good),
        "processes": match(["forkbomb", f"linger {mark}"], bots, good),
        "memory": match(["memory", "disk"], bots, good, limits=SMALL),
        "output": match(["flood", "inodes"], bots, good, limits=SMALL),
        "seats": match(["thief 30", f"strike {victim.pid} {os.getpid()}"], bots, good),
        "kernel": match(["kernel"], bots, good),
    }
    os.environ["ARENA_SECRET"] = secret
    with ThreadPoolExecutor(len(orders)) as players:
        outcomes = dict(zip(orders, players.map(played, orders.values()), strict=True))
    del os.environ["ARENA_SECRET"]
    yield Scene(secret, mark, victim, ears, outcomes)
    victim.kill()
    victim.wait()
    for ear in (ears, abstract, other):
        ear.close()


def check_the_match_of_the_others_goes_on(scene: Scene) -> None:
    """Every game is played to its end and reported, and no good bot has a fault."""
    for name, outcome in scene.outcomes.items():
        assert outcome.exit == 0, (name, outcome.stderr)
        assert outcome.done, name
        assert len(outcome.games) == 1, (name, outcome.voids)
        hostile = {"kernel": {0}}.get(name, {0, 1})
        assert {index for index, _ in outcome.causes()} == hostile, (name, outcome.causes(), outcome.logs)


CAUSES = {
    "reading": ("CRASHED", "CRASHED"),
    "processes": ("SILENT", "CRASHED"),
    "memory": ("CRASHED", "CRASHED"),
    "output": ("CRASHED", "CRASHED"),
    "seats": ("CRASHED", "CRASHED"),
    "kernel": ("CRASHED",),
}


def check_each_leaves_a_fault_and_a_log(scene: Scene) -> None:
    """A fault with its cause, and the output of the bot that its owner will read."""
    for name, causes in CAUSES.items():
        assert scene.outcomes[name].causes() == set(enumerate(causes)), name
        for index in range(len(causes)):
            assert scene.log(name, index), (name, index)


def check_nothing_of_others_can_be_read(scene: Scene) -> None:
    """Neither another bot's files nor the store nor anybody's environment: the secret lies in all of them, and is not found."""
    assert scene.lines("reading", 0, "FOUND") == []
    assert "Failed: nothing found" in scene.log("reading", 0)
    assert int(scene.lines("reading", 0, "PROCESSES")[0].split()[1]) < 8


def check_nothing_can_be_reached(scene: Scene) -> None:
    """No port, no socket, no other machine; in /run there is the referee's socket and no other."""
    assert scene.lines("reading", 1, "REACHED") == []
    assert len(scene.lines("reading", 1, "refused")) == 10
    assert scene.lines("reading", 1, "SOCKETS") == ["SOCKETS ['referee.sock']"]
    scene.ears.setblocking(False)
    with pytest.raises(BlockingIOError):
        scene.ears.accept()


def check_a_fork_bomb_is_stopped(scene: Scene) -> None:
    """It gets its 64 processes and no more, and its owner is told."""
    assert "REFUSED to fork" in scene.log("processes", 0)
    assert "[sandbox] processes: no more than 64 are allowed" in scene.log("processes", 0)


def check_nothing_outlives_the_match(scene: Scene) -> None:
    """Daemons die with the bot that left them."""
    assert "DAEMONS up" in scene.log("processes", 1)
    assert marked(scene.mark) == []


def check_memory_is_limited(scene: Scene) -> None:
    """The bot is killed, and its owner reads why."""
    assert "[sandbox] killed: memory over 400 MiB" in scene.log("memory", 0)


def check_disk_is_limited(scene: Scene) -> None:
    """What can be written to holds 8 MiB each, all else nothing."""
    lines = scene.lines("memory", 1, "STOPPED")
    written = {folder: int(size) for _, folder, size, *_ in (line.split() for line in lines)}
    assert {folder for folder, size in written.items() if size} == {"/tmp", "/dev/shm", "/home/bot"}
    assert max(written.values()) <= 8
    assert len(written) == 11
    assert "all full" in scene.log("memory", 1)  # that a disk is full the owner is told too, if a look comes in time


def check_files_are_counted(scene: Scene) -> None:
    """Empty files take memory too."""
    assert "[sandbox] killed: more than 2000 files in /tmp" in scene.log("output", 1)


def check_output_is_capped(scene: Scene) -> None:
    """Of 120 MB the end is kept, and what the sandbox had to say."""
    text = scene.log("output", 0)
    assert "Failed: all written" in text
    assert len(text) < 140_000


def check_no_other_seat_can_be_had(scene: Scene) -> None:
    """No guess is let in, the operator's service is not there, and streams that say nothing crowd out nobody."""
    assert scene.lines("seats", 0, "SEATED") == []
    assert scene.lines("seats", 0, "SERVED") == []
    refused = set(scene.lines("seats", 0, "refused token"))  # on a busy machine some guesses are not even looked at
    assert "refused token UNAUTHENTICATED" in refused
    assert refused <= {f"refused token {code}" for code in ("UNAUTHENTICATED", "DEADLINE_EXCEEDED", "UNAVAILABLE")}
    assert scene.lines("seats", 0, "refused C") == ["refused CancelMatch UNIMPLEMENTED"]
    assert scene.lines("seats", 0, "refused L") == ["refused ListSessions UNIMPLEMENTED"]
    assert int(scene.lines("seats", 0, "IDLE")[0].split()[1]) > 0


def check_nobody_else_can_be_killed(scene: Scene) -> None:
    """A bot sees its own processes only, and the victim outside still runs."""
    seen = json.loads(scene.lines("seats", 1, "SEEN")[0].removeprefix("SEEN "))
    assert len(seen) < 40  # its own threads' processes
    assert scene.victim.poll() is None


def check_the_kernel_is_out_of_reach(scene: Scene) -> None:
    """Each call is refused by the filter, before the kernel looks at its arguments."""
    lines = scene.lines("kernel", 0, "CALL")
    results = {words[1]: " ".join(words[3:]) for words in map(str.split, lines)}
    assert len(results) == 22
    assert set(results.values()) <= {"Operation not permitted", "Function not implemented"}, results


def test_attacks(scene: Scene, subtests: pytest.Subtests) -> None:
    """All that must hold, looked at in one test, since the matches take long."""
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            with subtests.test(name):
                check(scene)


# ---- partners, and seatings -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gossips(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """A match of bots that whisper and remember, in sandboxes and, as a control, without."""
    folder = tree(tmp_path_factory.mktemp("gossip") / "tree", HERE / "gossip.py")
    logs = tmp_path_factory.mktemp("logs")
    keys = {name: uuid.uuid4().hex[:7] for name in ("sandboxed", "free")}
    running = {}
    for name, key in keys.items():
        run = f"python -B gossip.py {key}"  # with an option, so that it is not forked and all see each other's command lines
        given = order(run, run, variant="turn-up", seatings=2, clock=CLOCK)
        given |= {"lag": 60.0, "log_dir": str(logs / name)}
        for entry in given["lineup"]:
            entry["cwd"] = str(folder)
            if name == "sandboxed":
                entry["sandbox"] = {"tree": str(folder)}
        running[name] = start(given)
    outcomes = {name: finish(process, 300) for name, process in running.items()}
    for name, key in keys.items():
        outcomes[name].logs = [{"tail": file.read_text()} for file in (logs / name).iterdir()]
        _sweep(key)
    return outcomes


def _sweep(key: str) -> None:
    """Remove what the gossips that were free have left on this machine."""
    subprocess.run(["ipcrm", "-M", str(int(key, 16) & 0x7FFFFFFF)], check=False, capture_output=True)
    for place in ("/tmp", "/dev/shm", "/var/tmp", "/run"):
        shutil.rmtree(Path(place, f"gossip-{key}"), ignore_errors=True)


def _told(outcome: Outcome, word: str) -> set[str]:
    return {line for log in outcome.logs for line in log["tail"].splitlines() if line.startswith(word)}


def gossip_partners_cannot_whisper(gossips: dict[str, Outcome]) -> None:
    """Through no file, lock, watch, socket, port, queue or count do two seats hear of each other; they look in every seat."""
    outcome = gossips["sandboxed"]
    assert len(outcome.games) == 2
    assert outcome.causes() == set()
    assert len(outcome.logs) == 8
    assert all("LOOKED 10" in log["tail"] for log in outcome.logs)
    assert _told(outcome, "HEARD") == set()


def gossip_seatings_cannot_be_remembered(gossips: dict[str, Outcome]) -> None:
    """Nothing that a process leaves is there for the next."""
    assert _told(gossips["sandboxed"], "REMEMBERED") == set()


def gossip_they_would_without_a_sandbox(gossips: dict[str, Outcome]) -> None:
    """The same bots hear and remember a good deal where nothing keeps them apart: the checks above can fail."""
    heard = _told(gossips["free"], "HEARD")
    assert {"HEARD file /tmp", "HEARD flock", "HEARD port", "HEARD abstract socket", "HEARD /proc"} <= heard
    assert "REMEMBERED file /tmp" in _told(gossips["free"], "REMEMBERED")


def test_gossip(gossips: dict[str, Outcome], subtests: pytest.Subtests) -> None:
    """Likewise."""
    for check in (gossip_partners_cannot_whisper, gossip_seatings_cannot_be_remembered, gossip_they_would_without_a_sandbox):
        with subtests.test(check.__name__):
            check(gossips)
