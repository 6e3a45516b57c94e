"""Isolation of programs that are not trusted: what works on this machine, boxes for seats, and commands run in a sandbox.

box = isolate.box(tree="/data/trees/1f…")          # raises IsolationMissing where nothing here can hold it
launcher.start(words, env, box=box)

done = isolate.run(["make"], tree, writable=True, seconds=600)      # a build step: done.code, done.out, done.err, done.reason
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from referee import cgroup, launch
from referee.box import Box, Limits
from referee.errors import BadOrder, IsolationMissing, LauncherGone
from referee.isolator import Finding
from referee.isolators import CGROUP, ISOLATORS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.isolator import Ability

ALLOW: Final = "ARENA_ALLOW_UNSANDBOXED"
READ: Final = "ARENA_SANDBOX_READ"
"""More folders that sandboxes may read, separated by colons: toolchains outside /usr."""
_GRACE: Final = 10.0
"""Seconds for a launcher to kill what it started, before it is killed."""
_TICK: Final = 0.1
"""Seconds between two questions whether to go on."""


# ---- what works here ------------------------------------------------------------------------------------------------


def allowed_without(env: Mapping[str, str] = os.environ) -> bool:
    """Whether the operator lets untrusted programs run without isolation. Raises BadOrder where that is unclear."""
    value = env.get(ALLOW, "")
    if value not in ("", "0", "1"):
        raise BadOrder(f"{ALLOW} is {value!r} (allowed: 1 to run untrusted programs without isolation, 0 not to)")
    return value == "1"


def choose(*, allow_unsandboxed: bool = False) -> tuple[str, tuple[str, ...]]:
    """The name of the isolator for this machine, and the features with which it works; tried out once a process.

    Raises IsolationMissing where there is none, unless `allow_unsandboxed` or ARENA_ALLOW_UNSANDBOXED=1 permits to do without.
    """
    ability = _ability("bubblewrap")
    if ability.works:
        return "bubblewrap", ability.features
    if allow_unsandboxed or allowed_without():
        return "none", ()
    raise IsolationMissing(
        f"bots that are not trusted cannot be isolated on this machine: {ability.why}. "
        f"To run them all the same, with all that this user may do: --allow-unsandboxed or {ALLOW}=1"
    )


def _ability(name: str, known: dict[str, Ability] = {}) -> Ability:  # noqa: B006 - tried out once a process
    if name not in known:
        ability = ISOLATORS[name].ability()
        if ability.works and cgroup.home() is not None:
            ability = replace(ability, features=(*ability.features, CGROUP))
        known[name] = ability
    return known[name]


def probe() -> list[Finding]:
    """What isolation there is on this machine, one finding a part; `ok` is False where it is missing, None where less will do."""
    ability = _ability("bubblewrap")
    found = list(ability.findings)
    home = cgroup.home()
    if home is not None:
        found.append(Finding("limits", ok=True, text=f"kept by control groups (version 2) in {home}"))
    else:
        text = "no control group of version 2 to write to: kept by rlimits, and by a look ten times a second at memory"
        found.append(Finding("limits", ok=None, text=text))
    if allowed_without():
        found.append(Finding("permission", ok=None, text=f"{ALLOW}=1: where isolation is missing, bots run without it"))
    return found


# ---- boxes ----------------------------------------------------------------------------------------------------------


def box(tree: str | Path, limits: Limits | None = None, *, allow_unsandboxed: bool = False) -> Box:
    """A box for a program that plays. Raises IsolationMissing, BadOrder where the tree is no folder, BadLimit."""
    path = Path(tree)
    if not path.is_absolute() or not path.is_dir():
        raise BadOrder(f"sandbox: {str(tree)!r} is no folder (allowed: the absolute path of the folder with the bot's files)")
    if not path.stat().st_mode & 0o005 == 0o005:
        raise BadOrder(f"sandbox: the folder {path} is closed to others (allowed: mode 755; the bot runs as a user of its own)")
    name, features = choose(allow_unsandboxed=allow_unsandboxed)
    more = tuple(filter(None, os.environ.get(READ, "").split(os.pathsep)))
    return Box(name, str(path), limits or Limits.of_environment(), features, read=more)


def of_order(given: Mapping[str, Any], *, allow_unsandboxed: bool = False) -> Box:
    """The box that an order asks for: {"tree": "/folder", "limits": {...}, "hide": ["folder/in/it"]}. Raises as `box` does."""
    if unknown := given.keys() - {"tree", "limits", "hide"}:
        raise BadOrder(f"unknown part of the sandbox: {', '.join(sorted(unknown))} (known: tree, limits, hide)")
    limits = Limits.of(given.get("limits") or {}, Limits.of_environment())
    found = box(given["tree"], limits, allow_unsandboxed=allow_unsandboxed)
    return replace(found, hide=tuple(map(str, given.get("hide") or ())))


def seated(found: Box, address: str) -> tuple[Box, str]:
    """The box with the referee in reach, and the referee's address in it. Raises BadOrder where that is not on a socket."""
    if found.isolator == "none":
        return found, address
    if not address.startswith("unix:"):
        raise BadOrder(f"a sandboxed bot reaches its referee by a unix socket only, and this one is at {address}")
    return replace(found, socket=address.removeprefix("unix:")), ISOLATORS[found.isolator].inside(address)


def inside(found: Box | None, path: str) -> str:
    """Where a program in a box, or in none, finds a file of one of the arena's packages."""
    return ISOLATORS[found.isolator].package(path) if found is not None else path


# ---- running a command ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ran:
    """What became of a command."""

    code: int
    """Its exit code, 128 + n after signal n, 127 where it could not be started."""
    out: str
    err: str
    """The ends of its two outputs, 64 KiB of each."""
    reason: str
    """Why it was killed, or empty: `killed: memory over 1 GiB`, `killed: not done after 600 s`."""
    notes: tuple[str, ...]
    """Limits that it met."""
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it did well."""
        return self.code == 0 and not self.reason


def run(  # noqa: PLR0913 - each has a default
    words: Sequence[str],
    tree: str | Path,
    *,
    writable: bool = True,
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    seconds: float = 300.0,
    network: bool = False,
    allow_unsandboxed: bool = False,
    stop: Callable[[], str | None] = lambda: None,
) -> Ran:
    """Run a command in a sandbox and wait for it; whatever it started is dead when this returns, also if this process is killed.

    Args:
        words: program and arguments; the program is looked for on the sandbox's PATH.
        tree: folder, seen as /bot, in which it starts. It stays as the command leaves it; give it a copy.
        writable: whether the command may change the tree.
        env: variables on top of the sandbox's own.
        limits: what it may use; the organiser's unless given.
        seconds: after which it is killed.
        network: whether it has this machine's network.
        allow_unsandboxed: run it without a sandbox where none can be made.
        stop: asked a few times a second; once it gives a reason, the command is killed.

    Raises:
        IsolationMissing: no sandbox can be made here, or this one could not.
        BadOrder: the tree is no folder, or there are no words.
        LauncherGone: the process that ran it was killed.
    """
    if not words:
        raise BadOrder("no command to run (allowed: a program and its arguments)")
    if writable:
        Path(tree).chmod(0o755)
    found = replace(box(Path(tree).resolve(), limits, allow_unsandboxed=allow_unsandboxed), writable=writable, network=network)
    variables = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **(env or {})}
    began = time.monotonic()
    deadline = began + seconds

    def why() -> str | None:
        return stop() or (f"not done after {seconds:g} s" if time.monotonic() > deadline else None)

    event, killed = _alone({"start": 1, "argv": list(words), "env": variables, "cwd": None, "box": found.as_json()}, why)
    if event.get("broken"):
        raise IsolationMissing(f"the sandbox could not be made: {event['err'].strip()}")
    reason = event.get("reason", "") or (f"killed: {killed}" if killed else "")
    notes = tuple(event.get("notes", ()))
    return Ran(event["code"], event["out"], event["err"], reason, notes, time.monotonic() - began)


def _alone(command: dict[str, Any], why: Callable[[], str | None]) -> tuple[dict[str, Any], str | None]:
    """Start one program by a launcher of its own; how it ended, and why it was killed, if it was."""
    path = os.pathsep.join(filter(None, (launch.ROOT, os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(
        launch.PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, start_new_session=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            _tell(child.stdin, command)
            killed = _wait(child.stdout, why)
            if killed is not None:
                _tell(child.stdin, {"stop": 1})
            line = child.stdout.readline()
        finally:
            with contextlib.suppress(OSError):
                child.stdin.close()
            _end(child)
    if not line:
        raise LauncherGone("the launcher has ended")
    event: dict[str, Any] = json.loads(line)
    return event, killed


def _tell(pipe: IO[bytes], command: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # it has ended at this very moment, which its output tells
        pipe.write(json.dumps(command).encode() + b"\n")
        pipe.flush()


def _wait(output: IO[bytes], why: Callable[[], str | None]) -> str | None:
    """Wait until there is something to read; or else, why no longer."""
    while not select.select([output], [], [], _TICK)[0]:
        reason = why()
        if reason is not None:
            return reason
    return None


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(_GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
