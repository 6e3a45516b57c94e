"""`arena up`: everything at once."""

from __future__ import annotations

import click

from arena import services
from arena.cli.common import opened, say
from arena.cli.run import TICK, brief, default_workers, reconcile
from arena.cli.serve import DASHBOARD
from worker import valkey
from worker.scheduler import Reconciler
from worker.supervise import Supervisor, stopping


@click.command()
@click.option("--workers", type=click.IntRange(0), help="Workers to start; one a processor unless given.")
@click.option("--bind", default=DASHBOARD, show_default=True, metavar="HOST:PORT", help="Where the dashboard is served.")
@click.option("--listen", metavar="ADDRESS", help="Where the referee listens; a socket in the data folder unless given.")
def up(workers: int | None, bind: str, listen: str | None) -> None:
    """Run everything until Ctrl-C: queue, referee, workers, dashboard. Leagues that are not finished are played."""
    number = default_workers() if workers is None else workers
    with opened() as (settings, store), stopping() as stop, Supervisor() as supervisor:
        supervisor.add(services.queue(settings))
        services.wait_for_queue(settings, supervisor)
        referee = services.Referee(settings, store, listen)
        supervisor.add(referee)
        for worker in services.workers(settings, number):
            supervisor.add(worker)
        supervisor.add(services.dashboard(settings, bind))
        reconciler = Reconciler(store, valkey.connect(settings), settings, number)
        say(f"dashboard at http://{bind}, referee at {referee.address}, {number} workers; logs in {settings.logs}")
        said: set[str] = set()
        while not stop:
            supervisor.tick()
            services.check(supervisor)
            for league in store.leagues():
                if league.revealed_at is None and reconcile(reconciler, league.name):
                    say(f"league {league.name} is finished")
            for match in set(reconciler.stuck) - said:
                said.add(match)
                say(f"{match} is left alone: {brief(reconciler.stuck[match].detail)}")
            stop.wait(TICK)
    say("all stopped")
