"""Sandboxes one by one: limits as data, what is refused, builds, and what becomes of a sandbox that cannot be made."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest

from euchre.v1 import control_pb2, control_pb2_grpc, referee_pb2, referee_pb2_grpc
from referee import bubblewrap, cgroup, isolate, isolators, seccomp
from referee.auth import TokenBook, digest
from referee.box import Box, Limits, size_text
from referee.errors import BadLimit, BadOrder, IsolationMissing
from referee.launch import ROOT
from referee.relay import Relay
from referee.server import Server
from tests.referee.matches import finish, order, start

if TYPE_CHECKING:
    from collections.abc import Iterator

boxed = pytest.mark.needs("bubblewrap")
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir(mode=0o755)
    (folder / "hello.txt").write_text("hello")
    (folder / "hello.txt").chmod(0o644)
    return folder


# ---- limits ---------------------------------------------------------------------------------------------------------


def test_limits_are_read_from_text_and_numbers() -> None:
    """Sizes with their units, numbers as they are; what is left out stays as it was."""
    assert Limits.of_text("memory=2G, processes=128") == Limits(memory=2 << 30, processes=128)
    assert Limits.of({"tmp": "512 KiB", "cpus": 1.5}) == Limits(tmp=512 << 10, cpus=1.5)
    assert Limits.of_environment({"ARENA_LIMITS": "files=99"}) == Limits(files=99)
    assert Limits.of(Limits().as_json()) == Limits()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("memory", "'memory' is not NAME=VALUE"),
        ("ram=1G", "unknown limit ram .*known: memory, processes"),
        ("memory=lots", "memory is 'lots' .allowed: 16 MiB or more"),
        ("memory=1", "memory is '1'"),
        ("processes=0", "processes is '0' .allowed: a number, 1 or more"),
        ("processes=2G", "processes is '2G'"),
        ("cpus=nan", "cpus is 'nan'"),
    ],
)
def test_limits_that_are_none_are_refused(text: str, told: str) -> None:
    """The message names what was wrong and what is allowed."""
    with pytest.raises(BadLimit, match=told):
        Limits.of_text(text)


def test_sizes_are_told_in_words() -> None:
    """As people say them."""
    assert [size_text(size) for size in (1 << 30, 64 << 20, 3 << 9, 12)] == ["1 GiB", "64 MiB", "1.5 KiB", "12 bytes"]


def test_a_box_travels_as_json(tree: Path) -> None:
    """What the launcher reads is what was sent."""
    box = Box("bubblewrap", str(tree), Limits(files=33), ("root",), "/s", hide=("var",))
    assert Box.of(json.loads(json.dumps(box.as_json()))) == box


# ---- where isolation is missing -------------------------------------------------------------------------------------


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without bubblewrap."""
    monkeypatch.setattr(bubblewrap, "_found", lambda program: "/nonexistent/bwrap" if program == "bwrap" else program)
    monkeypatch.setattr(isolate, "_ability", lambda name: isolators.ISOLATORS[name].ability())


@pytest.mark.usefixtures("bare")
def test_untrusted_bots_are_refused_where_they_cannot_be_isolated(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what is missing, how to get it, and how to do without; either permission is enough."""
    monkeypatch.delenv("ARENA_ALLOW_UNSANDBOXED", raising=False)
    told = r"bwrap is not installed .*apt-get install bubblewrap.*--allow-unsandboxed or ARENA_ALLOW_UNSANDBOXED=1"
    with pytest.raises(IsolationMissing, match=told):
        isolate.box(tree)
    assert isolate.box(tree, allow_unsandboxed=True).isolator == "none"
    monkeypatch.setenv("ARENA_ALLOW_UNSANDBOXED", "1")
    assert isolate.box(tree).isolator == "none"
    assert [finding.ok for finding in isolate.probe() if finding.name in ("bwrap", "permission")] == [False, None]
    done = isolate.run(["cat", "hello.txt"], tree)
    assert (done.code, done.out) == (0, "hello")


def test_a_permission_that_is_unclear_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is 1 or 0."""
    monkeypatch.setenv("ARENA_ALLOW_UNSANDBOXED", "yes")
    with pytest.raises(BadOrder, match=r"'yes' .allowed: 1"):
        isolate.allowed_without()


@boxed
def test_a_match_is_refused_too(tree: Path, tmp_path: Path) -> None:
    """Without bubblewrap on this machine an order with a sandbox is not begun: exit code 1, and the reason."""
    given = order()
    given["lineup"][0]["sandbox"] = {"tree": str(tree)}
    programs = tmp_path / "bin"
    programs.mkdir()
    script = "import sys; from referee import bubblewrap\nbubblewrap._found = lambda program: '/nonexistent/' + program\n"
    script += "from referee.__main__ import main\nsys.argv = ['referee', 'match']\nsys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, input=json.dumps(given) + "\n", capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "cannot be isolated on this machine" in done.stderr
    assert done.stdout == ""


@boxed
def test_a_sandbox_that_breaks_is_no_bots_fault(tree: Path) -> None:
    """Where the tree is gone when the bot is to be started, the match fails and nobody has a fault."""
    given = order()
    given["lineup"][0]["sandbox"] = {"tree": str(tree), "hide": ["missing"]}  # nothing can be mounted there
    outcome = finish(start(given))
    assert outcome.exit == 1
    assert "the sandbox of bot0 could not be made: bwrap: " in outcome.stderr
    assert outcome.games == {}


@pytest.mark.parametrize(
    ("sandbox", "told"),
    [
        ({"tree": "relative"}, "'relative' is no folder"),
        ({"tree": "/nonexistent"}, "'/nonexistent' is no folder"),
        ({"tree": "/", "trees": 1}, "unknown part of the sandbox: trees"),
        ({"tree": "/", "limits": {"memory": 3}}, "memory is 3"),
    ],
)
def test_a_bad_sandbox_is_refused(sandbox: dict[str, object], told: str) -> None:
    """Before a bot is started, with exit code 2."""
    given = order()
    given["lineup"][0]["sandbox"] = sandbox
    outcome = finish(start(given))
    assert outcome.exit == 2
    assert told in outcome.stderr


# ---- running commands -----------------------------------------------------------------------------------------------


@boxed
def test_a_build_changes_its_tree_and_nothing_else(tree: Path) -> None:
    """What it writes is there afterwards, ours; all else is read-only, and its exit code and outputs are told."""
    script = "cat hello.txt; echo new > made.txt; mkdir sub; echo x > sub/y; touch /usr/x /etc/x /x; id -u >&2; exit 3"
    done = isolate.run(["sh", "-c", script], tree)
    assert done.code == 3
    assert not done.ok
    assert done.out == "hello"
    assert done.err.count("Read-only file system") == 3
    assert int(done.err.splitlines()[-1]) != 0
    assert (tree / "made.txt").read_text() == "new\n"
    assert {path.stat().st_uid for path in tree.rglob("*")} == {os.geteuid()}


@boxed
def test_a_tree_can_be_closed_to_writing(tree: Path) -> None:
    """As it is in play."""
    assert "Read-only" in isolate.run(["touch", "x"], tree, writable=False).err


@boxed
def test_a_build_that_does_not_end_is_killed(tree: Path) -> None:
    """With the reason; whatever it left in the background goes too."""
    done = isolate.run(["sh", "-c", "setsid sleep 500 & sleep 500"], tree, seconds=0.5)
    assert (done.code, done.reason) == (137, "killed: not done after 0.5 s")


@boxed
def test_a_build_that_is_not_wanted_any_more_is_killed(tree: Path) -> None:
    """As soon as there is a reason, which it is told by."""
    done = isolate.run(
        ["sh", "-c", "touch begun; sleep 500"], tree, stop=lambda: "no time" if (tree / "begun").exists() else None
    )
    assert (done.code, done.reason) == (137, "killed: no time")


@boxed
def test_a_build_that_uses_too_much_is_killed(tree: Path) -> None:
    """Memory, and what it writes to its tree."""
    grow = ["python3", "-c", "import os\nhoard = []\nwhile True: hoard.append(os.urandom(1 << 24))"]
    assert isolate.run(grow, tree, limits=Limits(memory=128 << 20)).reason == "killed: memory over 128 MiB"
    fill = ["sh", "-c", "n=0; while :; do head -c 1000000 /dev/zero > $n; n=$((n+1)); done"]
    assert isolate.run(fill, tree, limits=Limits(tree=20 << 20)).reason == "killed: the folder grew over 20 MiB"


@boxed
def test_a_command_that_is_not_there(tree: Path) -> None:
    """Exit code 127 and its name."""
    done = isolate.run(["no-such-program"], tree)
    assert done.code == 127
    assert "no-such-program" in done.err
    with pytest.raises(BadOrder, match="no command"):
        isolate.run([], tree)


@boxed
def test_a_build_has_the_network_only_if_it_may(tree: Path) -> None:
    """One interface without, all of this machine's with."""
    count = ["sh", "-c", "wc -l < /proc/net/dev"]
    alone, together = (int(isolate.run(count, tree, network=network).out) for network in (False, True))
    assert alone == 3  # two lines of heads, and the loopback
    assert together >= alone


@boxed
def test_the_environment_holds_nothing_of_ours(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is given, and what the sandbox is made of."""
    monkeypatch.setenv("ARENA_STORE", "postgresql://secret")
    names = {line.partition("=")[0] for line in isolate.run(["env"], tree, env={"CI": "1"}).out.splitlines()}
    assert names == {
        "CI", "GOMEMLIMIT", "HOME", "JDK_JAVA_OPTIONS", "LANG", "NODE_OPTIONS", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE",
        "PYTHONPATH", "PYTHONUNBUFFERED", "TMPDIR",
    }  # fmt: skip


@boxed
def test_runtimes_start_in_a_sandbox(tree: Path) -> None:
    """Python with the arena's SDK and gRPC, and node and java where they are."""
    python = isolate.run(["python3", "-c", "import grpc, arena, os; print(os.cpu_count() > 0)"], tree, writable=False)
    assert python.out == "True\n", python.err
    for program, words in (("node", ["-e", "console.log(os.cpus().length)"]), ("java", ["-version"])):
        if shutil.which(program):
            done = isolate.run([program, *words], tree, writable=False)
            assert done.ok, (program, done)


# ---- the filter -----------------------------------------------------------------------------------------------------

FOREIGN = r"""
#include <unistd.h>
#include <sys/syscall.h>
int main(int argc, char **argv) {
  if (argc > 1) { long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); return 3; }  /* i386 getpid */
  return syscall(0x40000000 + 39) < 0 ? 4 : 5;  /* getpid of the x32 table */
}
"""


@boxed
@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("gcc"), reason="needs gcc on x86_64")
def test_other_tables_of_system_calls_are_closed(tree: Path) -> None:
    """The filter reads numbers by one table; calls by another are answered with death, or as if they did not exist."""
    (tree / "foreign.c").write_text(FOREIGN)
    subprocess.run(["gcc", "-o", tree / "foreign", tree / "foreign.c"], check=True)
    assert isolate.run(["./foreign", "i386"], tree, writable=False).code == 128 + 31  # SIGSYS
    assert isolate.run(["./foreign"], tree, writable=False).code == 4


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_well_formed(machine: str) -> None:
    """Every path through it ends in a return, and no jump leads out of it."""
    program = seccomp.program(machine)
    steps = [
        tuple(int.from_bytes(program[at + i : at + j], "little") for i, j in ((0, 2), (2, 3), (3, 4), (4, 8)))
        for at in range(0, len(program), 8)
    ]
    assert len(program) % 8 == 0
    assert len(steps) < 4096
    for at, (code, yes, no, _) in enumerate(steps):
        if code & 7 == 5:
            assert at + 1 + max(yes, no) < len(steps)
    assert steps[-1][0] == 6


# ---- users ----------------------------------------------------------------------------------------------------------

AS_NOBODY = """
import sys, tempfile
sys.path.insert(0, sys.argv[1])
from referee import isolate
folder = tempfile.mkdtemp()
done = isolate.run(["sh", "-c", "id -u; ls /proc | grep -c '^[0-9]'; touch made; unshare -U true"], folder)
print(isolate.choose()[1], done)
"""


@boxed
@root_only
@pytest.mark.skipif(not os.access("/usr/bin/python3", os.X_OK), reason="needs a Python that everybody may run")
def test_somebody_who_is_not_root_can_isolate_too() -> None:
    """By user namespaces, in which no further one can be made."""
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    env = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    if subprocess.run([*nobody, "test", "-r", f"{ROOT}/referee/isolate.py"], check=False).returncode:
        pytest.skip("this folder is closed to others")
    if subprocess.run([*nobody, "unshare", "-U", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets only root make namespaces")
    done = subprocess.run(
        [*nobody, "/usr/bin/python3", "-c", AS_NOBODY, ROOT], capture_output=True, text=True, env=env, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "'user'" in done.stdout
    assert "out='1000\\n" in done.stdout
    assert "unshare failed: Operation not permitted" in done.stdout


@boxed
@root_only
def test_each_bot_is_a_user_of_its_own(tree: Path) -> None:
    """Two sandboxes never share a user, and none is root's."""
    users = {int(isolate.run(["id", "-u"], tree, writable=False).out) for _ in range(2)}
    assert len(users) == 2
    assert min(users) >= bubblewrap.FIRST_USER


# ---- control groups -------------------------------------------------------------------------------------------------


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    """A folder that looks like one of version 2; what the kernel would do is done by the tests."""
    folder = tmp_path / "cgroup" / "arena.service"
    folder.mkdir(parents=True)
    (folder / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (folder / "cgroup.subtree_control").write_text("")
    return folder


def test_a_delegated_group_is_found(groups: Path, tmp_path: Path) -> None:
    """By its name, or above our own, and its controllers are put on; not where they are missing."""
    own = tmp_path / "own"
    own.write_text("1:name=systemd:/x\n0::/arena.service/main\n")
    assert cgroup.home({"ARENA_CGROUP": str(groups)}) == groups
    assert (groups / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    assert cgroup.home({}, tmp_path / "cgroup", own) == groups
    (groups / "cgroup.controllers").write_text("cpuset\n")
    assert cgroup.home({}, tmp_path / "cgroup", own) is None
    assert cgroup.home({"ARENA_CGROUP": str(groups)}) is None


def test_a_group_holds_the_limits(groups: Path) -> None:
    """They are written as the kernel takes them, and what it says of them is told."""
    group = cgroup.Group(groups, "bot", Limits(memory=1 << 20, processes=9, cpus=1.5))
    found = {path.name: path.read_text() for path in group.path.iterdir()}
    assert found["memory.max"] == "1048576"
    assert found["pids.max"] == "11"
    assert found["cpu.max"] == "150000 100000"
    group.enter()
    assert (group.path / "cgroup.procs").read_text() == str(os.getpid())
    assert group.reason() == ""
    (group.path / "memory.events").write_text("low 0\noom 1\noom_kill 3\n")
    (group.path / "pids.events").write_text("max 4\n")
    assert group.reason() == "memory over 1 MiB"
    assert group.notes() == ["processes: no more than 9 are allowed"]


# ---- doors ----------------------------------------------------------------------------------------------------------


async def _play(address: str, token: str) -> str:
    """How a stream with a token ends, or that it is welcome."""
    hello = referee_pb2.PlayRequest(hello=referee_pb2.Hello(token=token, protocol=1))
    async with grpc.aio.insecure_channel(address) as channel:
        call = referee_pb2_grpc.RefereeServiceStub(channel).Play()
        try:
            await call.write(hello)
            response = await call.read()
        except grpc.aio.AioRpcError as error:
            return error.code().name
    return "welcome" if response is not grpc.aio.EOF and response.HasField("welcome") else "closed"


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path("/tmp") / f"euchre-doors-{os.getpid()}"
    path.mkdir(mode=0o700)
    yield path
    shutil.rmtree(path)


def test_a_door_is_for_one_bot(folder: Path) -> None:
    """Another bot's token does not count there though it is right, and operators are not served at all."""

    async def work() -> tuple[str, ...]:
        server = Server(TokenBook(operators={digest("op")}, bots={digest("ann"): "ann", digest("bea"): "bea"}))
        await server.start(f"unix:{folder}/referee.sock")
        door = await server.door(folder / "ann.sock", digest("ann"))
        address = f"unix:{folder}/ann.sock"
        try:
            seen = [await _play(address, "ann"), await _play(address, "bea"), await _play(f"unix:{folder}/referee.sock", "bea")]
            async with grpc.aio.insecure_channel(address) as channel:
                control = control_pb2_grpc.ControlServiceStub(channel)
                try:
                    await control.ListSessions(control_pb2.ListSessionsRequest(), metadata=(("authorization", "Bearer op"),))
                    seen.append("served")
                except grpc.aio.AioRpcError as error:
                    seen.append(error.code().name)
        finally:
            await door.close()
            await server.stop(0.1)
        return (*seen, str((folder / "ann.sock").exists()))

    assert asyncio.run(work()) == ("welcome", "UNAUTHENTICATED", "welcome", "UNIMPLEMENTED", "False")


def test_a_relay_leads_to_a_referee_elsewhere(folder: Path) -> None:
    """Over a port of this machine, which a sandbox could not reach."""

    async def work() -> str:
        server = Server(TokenBook(bots={digest("ann"): "ann"}))
        address = await server.start("127.0.0.1:0")
        relay = await Relay.open(folder / "ann.sock", address)
        try:
            return await _play(f"unix:{folder}/ann.sock", "ann")
        finally:
            await relay.close()
            await server.stop(0.1)

    assert asyncio.run(work()) == "welcome"
