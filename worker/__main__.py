"""`python -m worker`: play the matches of the queue until told to stop. Settings come from the environment (worker.settings)."""

from __future__ import annotations

import logging
import sys

from worker import serving, settings


def main() -> int:
    """Run; returns the exit code: 0 after a stop, 2 where the settings make no sense, 75 to be started afresh."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
    try:
        found = settings.from_env()
    except settings.BadSetting as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return serving.serve(found)


if __name__ == "__main__":
    sys.exit(main())
