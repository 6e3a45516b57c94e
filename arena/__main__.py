"""`arena`, the command line. Commands are imported when they are used, so that help comes at once."""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMANDS = {
    "play": ("arena.cli.play:play", "Play a match here and now, and print the result."),
    "tune": (
        "arena.cli.tune:tune",
        "Measure a bot in Python against others by the thousand of sets, and what changing it brings.",
    ),
    "check": ("arena.cli.check:check", "Check that a bot keeps the protocol, step by step."),
    "verify": ("arena.cli.verify:verify", "Replay records of matches and say what is wrong, if anything."),
    "show": ("arena.cli.show:show", "Print a deal of a record so that a person can follow it."),
    "logs": ("arena.cli.logs:logs", "Print what a bot wrote in a match, and what went before its faults."),
    "bot": ("arena.cli.bot:bot", "Add, list and remove bots; promote, roll back, withdraw."),
    "submit": ("arena.cli.submit:submit", "Submit a bot of yours, and wait until it is qualified."),
    "submission": ("arena.cli.submission:submission", "See what was submitted, and why something did not qualify."),
    "owner": ("arena.cli.owner:owner", "Add owners, who may submit bots, and their keys."),
    "league": ("arena.cli.league:league", "Create and run leagues; standings and export."),
    "worker": ("arena.cli.worker:worker", "Run workers that play queued matches; list them, quarantine, release."),
    "scheduler": ("arena.cli.up:scheduler", "Keep the queue filled for workers elsewhere."),
    "referee": ("arena.cli.serve:referee", "Run the long-lived referee that remote bots dial into."),
    "dashboard": ("arena.cli.serve:dashboard", "Serve the dashboard."),
    "metrics": ("arena.cli.metrics:metrics", "Serve figures for Prometheus."),
    "doctor": ("arena.cli.doctor:doctor", "Say what is installed, reachable, isolated and migrated, and what is not."),
    "up": ("arena.cli.up:up", "Run everything: queue, referee, workers, dashboard."),
    "new": ("arena.cli.new:new", "Write a starting bot, with its test, into a new folder."),
    "bridge": ("arena.cli.bridge:bridge", "Let a program without gRPC play, by lines of JSON."),
    "demo": ("arena.cli.demo:demo", "Play a small league of the sample bots and show the standings."),
}
"""Name of each command: where it is, and what it does."""


class LazyGroup(click.Group):
    """A group whose commands are imported by name, and whose help needs no import."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with; an unknown one is told which there are."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r} (there are: {', '.join(COMMANDS)})")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (as click has it)
        """Run the command; what is wrong is said in a sentence, with exit code 2 for the user's mistakes, 1 for failures."""
        with plain_errors():
            return super().invoke(ctx)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn the errors that the project raises on purpose into click's, which print one line and set the exit code."""
    try:
        yield
    except Exception as error:
        from arena.cli.errors import translated  # noqa: PLC0415  (imports what it knows only when something is wrong)

        plain = translated(error)
        if plain is None:
            raise
        raise plain from error


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="euchre-arena", prog_name="arena")
def main() -> None:
    """Leagues of Euchre bots: fair deals, provable records, standings with intervals.

    Everything is kept in the folder that ARENA_DATA names (./var by default).
    """


if __name__ == "__main__":
    sys.exit(main(prog_name="arena"))
