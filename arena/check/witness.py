"""Runs a bot and tells what is left of it: `witness.py COMMAND ...`.

It adopts whatever the bot leaves behind, waits for the bot to end and then a moment for its helpers to do so, and writes
those that did not to stdout, last, one a line that begins with LEFT. Its exit code is the bot's. The launcher above it kills
what is left.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[2])  # run by its path, so that the bot's environment stays as it is

from referee.keeper import PR_SET_CHILD_SUBREAPER, descendants, prctl  # noqa: E402

PATIENCE = 1.0
"""Seconds that helpers have to end after the bot."""
LOOK = 0.05
LEFT = "\x1eleft: "
"""No text of the bot's begins like this by chance."""


def main(command: list[str]) -> int:
    """Run the command and report; returns the command's exit code, 127 where it cannot be started."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        code = subprocess.Popen(command).wait()
    except OSError as error:
        print(f"cannot start {command[0]}: {error}", file=sys.stderr)
        return 127
    end = time.monotonic() + PATIENCE
    while (left := _left()) and time.monotonic() < end:
        time.sleep(LOOK)
    print("".join(f"\n{LEFT}{line}" for line in left), flush=True)
    return code if code >= 0 else 128 - code


def _left() -> list[str]:
    """What still runs below, as pid and command line; the dead are buried first."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    found = []
    for pid in descendants(os.getpid()):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
            if words:  # a zombie has none
                found.append(f"{pid} {words}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
