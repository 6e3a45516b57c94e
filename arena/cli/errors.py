"""Which errors are the user's, which are failures, and how both read."""

from __future__ import annotations

import click
import redis

from arena.tune import BadBot, BotFailed
from league.errors import BadArchive, BadManifest, BadName, BadSpec, BadStoreUrl, LeagueError
from referee.errors import BadLimit, BadOrder, RefereeError
from referee.rules import RulesError
from worker.sandbox import NoSandbox
from worker.settings import BadSetting
from worker.valkey import NoQueueServer

USAGE = (BadArchive, BadBot, BadLimit, BadManifest, BadName, BadOrder, BadSpec, BadStoreUrl, RulesError, BadSetting)
FAILURES = (BotFailed, LeagueError, NoQueueServer, NoSandbox, RefereeError)


def translated(error: Exception) -> click.ClickException | None:
    """The error as click prints it: a usage error (exit code 2) or a failure (1); None if it is a defect of ours."""
    if isinstance(error, USAGE):
        return click.UsageError(str(error))
    if isinstance(error, FAILURES):
        return click.ClickException(str(error))
    if isinstance(error, redis.RedisError):
        return click.ClickException(f"the queue server failed: {error}")
    return None
