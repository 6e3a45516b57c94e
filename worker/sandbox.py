"""How hosted bots are run: all that the worker knows of sandboxes."""

from __future__ import annotations

import importlib
import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ALLOW = "ARENA_ALLOW_UNSANDBOXED"
_TAIL = 16_000


class NoSandbox(RuntimeError):  # noqa: N818 - reads as what happened
    """What owners have submitted cannot be run on this machine; the message says what is missing."""


@dataclass(frozen=True)
class Ran:
    """What became of a command."""

    ok: bool
    how: str
    """How it ended, in words: `exit code 2`, `killed: not done after 300 s`."""
    output: str
    """The end of what it wrote."""
    seconds: float


def _isolate() -> Any:  # noqa: ANN401 - a module
    try:
        return importlib.import_module("referee.isolate")
    except ModuleNotFoundError:
        if os.environ.get(ALLOW) == "1":
            return None
        raise NoSandbox(f"this release cannot isolate what owners submit (to run it all the same: {ALLOW}=1)") from None


def seat(tree: Path) -> dict[str, object]:
    """What an order says of the seat of a hosted bot, beside its command. Raises NoSandbox."""
    if _isolate() is None:
        return {"cwd": str(tree)}
    return {"sandbox": {"tree": str(tree)}}


def check_options(tree: Path) -> tuple[list[str], Path | None]:
    """Options for `arena check` of a hosted bot, and the folder to run it in, None for anywhere. Raises NoSandbox."""
    if _isolate() is None:
        return [], tree
    return ["--sandbox", str(tree)], None


def build(words: Sequence[str], folder: Path, seconds: float) -> Ran:
    """Run a build in a folder, which it may change; nothing that it has started is left. Raises NoSandbox."""
    isolate = _isolate()
    if isolate is None:
        return _bare(words, folder, seconds)
    try:
        done = isolate.run(words, folder, writable=True, seconds=seconds)
    except isolate.IsolationMissing as error:
        raise NoSandbox(str(error)) from None
    how = done.reason or f"exit code {done.code}"
    notes = "".join(f"\n[{note}]" for note in done.notes)
    return Ran(done.ok, how, (done.out + done.err + notes)[-_TAIL:], done.seconds)


def _bare(words: Sequence[str], folder: Path, seconds: float) -> Ran:
    began = time.monotonic()
    try:
        done = subprocess.run(
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=seconds, check=False, start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        return Ran(
            False, f"killed: not done after {seconds:g} s", (error.stdout or b"").decode(errors="replace")[-_TAIL:], seconds
        )
    except OSError as error:
        return Ran(False, "exit code 127", str(error), time.monotonic() - began)
    output = done.stdout.decode(errors="replace")[-_TAIL:]
    return Ran(done.returncode == 0, f"exit code {done.returncode}", output, time.monotonic() - began)
