"""Figures of a long-lived referee for Prometheus: who is connected, what is open, how late it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from referee.clock import now
from referee.errors import BadAddress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from referee.hall import Hall


class HallCollector(Collector):
    """Reads a hall when Prometheus asks, from another thread: it only takes lengths and copies, and changes nothing."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    def collect(self) -> Iterator[Metric]:
        """The families."""
        sessions = list(self._hall.sessions.values())
        runs = list(self._hall.runs)
        connected = sum(session.stream is not None for session in sessions)
        yield GaugeMetricFamily("referee_sessions", "Bots that are known at the moment.", value=len(sessions))
        yield GaugeMetricFamily("referee_sessions_connected", "Bots that are connected.", value=connected)
        yield GaugeMetricFamily("referee_matches", "Matches that are played.", value=len(runs))
        yield GaugeMetricFamily("referee_tables_open", "Tables that are open.", value=sum(len(run.playing) for run in runs))
        asks = sum(len(session.open) for session in sessions)
        yield GaugeMetricFamily("referee_asks_open", "Questions that wait for an answer.", value=asks)
        late = self._hall.lag.total(now())
        yield CounterMetricFamily(
            "referee_late_seconds", "Time by which the event loop ran late; never charged to bots.", value=late
        )


def serve(hall: Hall, bind: str) -> None:
    """Serve a hall's figures and those of this process from a thread, as long as the process lives.

    Raises:
        BadAddress: it is not HOST:PORT, or cannot be listened on.
    """
    host, _, port = bind.rpartition(":")
    if not (host and port.isdecimal()):
        raise BadAddress(f"--metrics {bind!r} is no address (allowed: HOST:PORT)")
    registry = CollectorRegistry()
    registry.register(HallCollector(hall))
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    try:
        start_http_server(int(port), host.strip("[]"), registry)
    except (OSError, OverflowError) as error:
        raise BadAddress(f"--metrics {bind}: {error}") from None
