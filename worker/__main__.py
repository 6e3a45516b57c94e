"""`python -m worker`: play the matches of the queue until told to stop. Settings come from the environment (worker.settings)."""

from __future__ import annotations

import sys

from referee import logs
from worker import serving, settings


def main() -> int:
    """Run; returns the exit code: 0 after a stop, 2 where the settings make no sense, 75 to be started afresh."""
    try:
        logs.configure()
        found = settings.from_env()
    except (settings.BadSetting, logs.BadLogSetting) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    logs.dump_on_signal()
    return serving.serve(found)


if __name__ == "__main__":
    sys.exit(main())
