"""Sandboxes by bubblewrap.

What is in one: /usr, the Python that runs the arena and its packages, a minimal /etc, the tree as /bot, the referee's socket,
all read-only; /tmp, /dev/shm and the home, which are its own, empty, and limited; a /proc that shows its own processes and
nothing that counts what others do. Its namespaces are its own: processes, network, System V IPC, host name, control groups.

There are two ways to it. As root the mounts are made as root, and the program becomes a user that nobody else is. Otherwise
the mounts are made in a user namespace, in which no further one can be made.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee import seccomp
from referee.box import Box
from referee.isolator import Ability, Command, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.box import Limits

BOT: Final = "/bot"
HOME: Final = "/home/bot"
SOCKET: Final = "/run/referee.sock"
PACKAGES: Final = Path("/opt/arena")
"""Where the arena's own packages are, for bots that are made with its SDK."""

ROOT: Final = Path(__file__).resolve().parent.parent
EMPTY: Final = Path(__file__).resolve().parent / "py.typed"
"""A file with nothing in it."""
FIRST_USER: Final = 1 << 30
"""Users of sandboxes are this plus the number of the box: far above any that a machine gives out."""

AS_ROOT: Final = "root"
AS_USER: Final = "user"
FILTER: Final = "seccomp"
NO_MORE: Final = "disable-userns"
"""Features: how the mounts are made, and what else this bubblewrap and kernel can do."""

_OWN: Final = ("arena", "euchre", "league", "referee", "sample_bots", "worker")
_SYSTEM: Final = ("bin", "sbin", "lib", "lib32", "libx32", "lib64")
_ETC: Final = (
    "ld.so.cache",
    "alternatives",
    "ssl/certs",
    "ssl/openssl.cnf",
    "protocols",
    "services",
    "java-11-openjdk",
    "java-17-openjdk",
    "java-21-openjdk",
    "java-25-openjdk",
    "nodejs",
)
_FETCHING: Final = ("resolv.conf",)
_MASKED: Final = (
    "buddyinfo", "crypto", "diskstats", "dma", "interrupts", "iomem", "ioports", "kallsyms", "kcore", "key-users", "keys", "kmsg",
    "kpagecgroup", "kpagecount", "kpageflags", "latency_stats", "locks", "modules", "pagetypeinfo", "partitions", "sched_debug",
    "schedstat", "slabinfo", "softirqs", "swaps", "sysrq-trigger", "timer_list", "vmallocinfo", "vmstat", "zoneinfo",
)  # fmt: skip
"""Files of /proc that count what everybody does: one could whisper through them."""
_MASKED_FOLDERS: Final = ("sys/fs", "sys/kernel/pty", "pressure", "fs", "driver", "scsi", "tty", "acpi")
_PATIENCE: Final = 20.0


class Bubblewrap:
    """See the module's text."""

    name: str = "bubblewrap"
    places: tuple[str, ...] = ("/tmp", "/dev/shm", HOME)  # noqa: S108 - in the sandbox

    # ---- what works here ----------------------------------------------------------------------------------------------

    def ability(self) -> Ability:
        """Try it out, the better ways first."""
        findings = list(_programs())
        missing = [finding.text for finding in findings if not finding.ok]
        if missing:
            return Ability((), "; ".join(missing), tuple(findings))
        why = ""
        for features in _ways():
            failure = self._try(features)
            if not failure:
                return Ability(features, "", (*findings, *_told(features)))
            why = why or failure
        return Ability((), why, (*findings, Finding("namespaces", ok=False, text=why)))

    def _try(self, features: tuple[str, ...]) -> str:
        """Run `true` in a sandbox; why that did not work, or ""."""
        with tempfile.TemporaryDirectory(prefix="euchre-try-") as folder:
            made = self.command(Box(self.name, folder, features=features), ["true"], {"PATH": "/usr/bin:/bin"}, os.getpid())
            try:
                done = subprocess.run(
                    made.argv, env=made.env, pass_fds=made.fds, capture_output=True, timeout=_PATIENCE, check=False, text=True
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                return f"bwrap: {error}"
            finally:
                for fd in (*made.fds, *([] if made.status is None else [made.status])):
                    os.close(fd)
        if done.returncode == 0:
            return ""
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"bwrap ended with exit code {done.returncode}"

    def failed(self, code: int, status: bytes) -> bool:
        """Bubblewrap tells the program's exit code if it got so far as to start it."""
        return code == 1 and not any("exit-code" in json.loads(line) for line in status.splitlines() if line.endswith(b"}"))

    def inside(self, address: str) -> str:
        """The socket's address in the sandbox."""
        return f"unix:{SOCKET}" if address.startswith("unix:") else address

    def package(self, path: str) -> str:
        """The package's folder has moved, what is in it has not."""
        return str(PACKAGES / Path(path).resolve().relative_to(ROOT))

    # ---- the command --------------------------------------------------------------------------------------------------

    def command(self, box: Box, words: Sequence[str], env: Mapping[str, str], number: int) -> Command:
        """The words of bwrap; see `Isolator.command`."""
        made = _Maker(box, number)
        made.namespaces()
        made.processes()
        made.places()  # first: what is bound may lie below them
        made.system()
        made.etc()
        made.python()
        made.own()
        made.last()
        argv = (*made.words, "--", *made.inner(), *words)
        return Command(argv, environment(box.limits, env), None, tuple(made.fds), made.status, made.user)


class _Maker:
    """Puts the words of one command together."""

    def __init__(self, box: Box, number: int) -> None:
        self.box = box
        self.root = AS_ROOT in box.features
        self.user = FIRST_USER + number if self.root else None
        self.words: list[str] = [_found("bwrap")]
        self.fds: list[int] = []
        self.status: int | None = None
        self._made = {Path("/")}

    def namespaces(self) -> None:
        """Everything of its own, and no capability."""
        self.words += ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "arena"]
        if not self.box.network:
            self.words.append("--unshare-net")
        self.words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        if self.root:
            for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # which go when the user changes
                self.words += ["--cap-add", capability]
            return
        self.words += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
        if NO_MORE in self.box.features:
            self.words.append("--disable-userns")

    def system(self) -> None:
        """/usr, and what points into it."""
        self._read("/usr")
        for name in _SYSTEM:
            path = Path("/", name)
            if path.is_symlink():
                self.words += ["--symlink", str(path.readlink()), str(path)]
            elif path.is_dir():
                self._read(str(path))

    def etc(self) -> None:
        """What libraries look for, users of no consequence, and no names of this machine."""
        names = (*_ETC, *(_FETCHING if self.box.network else ()))
        for name in names:
            if Path("/etc", name).exists():
                self._read(f"/etc/{name}")
        user = self.user or 1000
        self._text("/etc/passwd", f"root:x:0:0::/:/bin/false\nbot:x:{user}:{user}::{HOME}:/bin/sh\n")
        self._text("/etc/group", f"root:x:0:\nbot:x:{user}:\n")
        self._text("/etc/hosts", "127.0.0.1 localhost arena\n::1 localhost\n")
        self._text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")

    def python(self) -> None:
        """The interpreter that runs us with what is installed for it, and the arena's packages, never the folder they lie in."""
        for folder in _prefixes():
            self._read(folder)
        for name in _OWN:
            if (ROOT / name).is_dir():
                self._read(str(ROOT / name), f"{PACKAGES}/{name}")
        for folder in self.box.read:
            if Path(folder).exists():
                self._read(folder)

    def processes(self) -> None:
        """/proc and /dev, less what counts for the whole machine."""
        self.words += ["--proc", "/proc", "--dev", "/dev"]
        for name in _MASKED:
            if Path("/proc", name).exists():
                self.words += ["--ro-bind", str(EMPTY), f"/proc/{name}"]
        for name in _MASKED_FOLDERS:
            if Path("/proc", name).is_dir():
                self.words += ["--tmpfs", f"/proc/{name}", "--remount-ro", f"/proc/{name}"]
        for path, text in _invented(self.box.limits):
            self._text(path, text)

    def places(self) -> None:
        """Where the program can write."""
        size = str(self.box.limits.tmp)
        for path in Bubblewrap.places:
            self._parents(path)
            self.words += ["--perms", "1777", "--size", size, "--tmpfs", path]

    def own(self) -> None:
        """Its tree, and the referee."""
        self.words += ["--bind" if self.box.writable else "--ro-bind", self.box.tree, BOT, "--chdir", BOT]
        for folder in self.box.hide:
            self.words += ["--tmpfs", f"{BOT}/{folder}", "--remount-ro", f"{BOT}/{folder}"]
        if self.box.socket is not None:
            self._parents(SOCKET)
            self.words += ["--bind", self.box.socket, SOCKET]

    def last(self) -> None:
        """Close what is open, and the filter."""
        self.words += ["--remount-ro", "/dev", "--remount-ro", "/"]
        if FILTER in self.box.features:
            self.words += ["--seccomp", str(self._data(seccomp.program()))]
        self.status, end = os.pipe()
        self.fds.append(end)
        self.words += ["--json-status-fd", str(end)]

    def inner(self) -> list[str]:
        """What limits itself and becomes the user, in the sandbox, before it becomes the program."""
        found = [_found("prlimit"), *_rlimits(self.box, extra=0 if self.root else 1), "--"]
        if self.user is not None:
            user = str(self.user)
            found += [
                _found("setpriv"),
                "--reuid",
                user,
                "--regid",
                user,
                "--clear-groups",
                "--inh-caps=-all",
                "--bounding-set=-all",
                "--",
            ]
        return found

    def _read(self, source: str, target: str | None = None) -> None:
        self._parents(target or source)
        self.words += ["--ro-bind", source, target or source]

    def _parents(self, path: str) -> None:
        """Make the folders that something is put into; left to itself, bubblewrap makes them for root alone."""
        for folder in reversed(Path(path).parents):
            if folder not in self._made:
                self._made.add(folder)
                self.words += ["--perms", "0755", "--dir", str(folder)]

    def _text(self, path: str, text: str) -> None:
        self._parents(path)
        self.words += ["--perms", "0444", "--ro-bind-data", str(self._data(text.encode())), path]

    def _data(self, data: bytes) -> int:
        fd = os.memfd_create("arena")
        self.fds.append(fd)
        os.write(fd, data)
        os.lseek(fd, 0, os.SEEK_SET)
        return fd


def environment(limits: Limits, env: Mapping[str, str]) -> dict[str, str]:
    """What the program finds in its environment; common runtimes are told there how much memory they have."""
    heap = limits.memory * 3 // 4
    return {
        "GOMEMLIMIT": str(heap),
        "NODE_OPTIONS": f"--max-old-space-size={heap >> 20}",
        "JDK_JAVA_OPTIONS": f"-XX:MaxRAM={limits.memory}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        **env,
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin")),
        "PYTHONPATH": str(PACKAGES),
        "HOME": HOME,
        "TMPDIR": "/tmp",  # noqa: S108 - in the sandbox
    }


def _rlimits(box: Box, extra: int) -> Iterator[str]:
    """Options of prlimit, never above what this process has itself.

    Processes are counted by user; in a user namespace, from Linux 5.14 on, within it, where bubblewrap's first process counts
    too (`extra`). Where they would be counted with everybody's, they are left to whoever watches.
    """
    limits = box.limits
    wanted = {"core": 0, "nofile": limits.files, "msgqueue": 0, "fsize": limits.tree if box.writable else limits.tmp}
    if AS_ROOT in box.features or _kernel() >= (5, 14):
        wanted["nproc"] = limits.processes + extra
    if "cgroup" not in box.features:
        wanted["data"] = 2 * limits.memory + (512 << 20)
    for name, value in wanted.items():
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        yield f"--{name}={most}:{most}"


def _invented(limits: Limits) -> Iterator[tuple[str, str]]:
    """Files of /proc that programs read to learn how big the machine is: it is as big as the limits."""
    cores = math.ceil(limits.cpus)
    lines = ["cpu  1 0 1 1 0 0 0 0 0 0", *(f"cpu{core} 1 0 1 1 0 0 0 0 0 0" for core in range(cores))]
    yield "/proc/stat", "\n".join([*lines, "btime 0", "processes 1", "procs_running 1", "procs_blocked 0\n"])
    yield "/proc/loadavg", "0.00 0.00 0.00 1/1 1\n"
    memory = limits.memory >> 10
    sizes = {"MemTotal": memory, "MemFree": memory, "MemAvailable": memory}
    names = ("Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree", "Shmem", "SReclaimable")
    sizes |= dict.fromkeys(names, 0)
    yield "/proc/meminfo", "".join(f"{name}: {size:>15} kB\n" for name, size in sizes.items())


# ---- what is where --------------------------------------------------------------------------------------------------


def _prefixes() -> list[str]:
    """The folders of this Python that are not in /usr, outer ones first."""
    real = Path(sys.executable).resolve()
    found = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, str(real.parent.parent)}
    inner = [path for path in map(Path, found) if len(path.parts) > 2 and not path.is_relative_to("/usr")]
    return [str(path) for path in sorted(inner, key=lambda path: len(path.parts))]


def _found(program: str) -> str:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/local/bin:/usr/bin:/bin") or program


def _programs() -> Iterator[Finding]:
    if not sys.platform.startswith("linux"):
        yield Finding("bubblewrap", ok=False, text=f"bubblewrap needs Linux, and this is {sys.platform}")
        return
    for program, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux"), ("setpriv", "util-linux")):
        path = shutil.which(_found(program))
        if path is None:
            yield Finding(program, ok=False, text=f"{program} is not installed (on Debian: apt-get install {package})")
        elif program == "bwrap":
            yield Finding(program, ok=True, text=f"{_output(path, '--version') or 'of unknown version'} at {path}")


def _ways() -> list[tuple[str, ...]]:
    """What to try, the best first."""
    ways: list[tuple[str, ...]] = []
    more = (NO_MORE,) if f"--{NO_MORE}" in _output(_found("bwrap"), "--help") else ()
    if os.geteuid() == 0 and _maps_users():
        ways.append((AS_ROOT,))
    ways.append((AS_USER, *more))
    filtered = [(*way, FILTER) for way in ways] if seccomp.supported() else []
    return filtered + ways


def _told(features: tuple[str, ...]) -> Iterator[Finding]:
    how = "made as root, each program a user of its own" if AS_ROOT in features else "made in user namespaces"
    yield Finding("namespaces", ok=True, text=how)
    text = "system calls are filtered" if FILTER in features else f"not loaded (machine {platform.machine()})"
    yield Finding("seccomp", ok=True if FILTER in features else None, text=text)


def _maps_users() -> bool:
    """Whether the users of sandboxes exist here: they do not in a container with few users."""
    try:
        rows = [list(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    except OSError:
        return False
    return any(first <= FIRST_USER and first + count >= FIRST_USER + (1 << 22) for first, _, count in rows)


def _output(*words: str) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _kernel() -> tuple[int, ...]:
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return (int(found[1]), int(found[2])) if found else (0, 0)
