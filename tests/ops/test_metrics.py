"""Figures for Prometheus: every number against the store it came from, through a real league and a real scrape."""

from __future__ import annotations

import urllib.request
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from arena.__main__ import main
from arena.cli.metrics import page, serving
from arena.metrics import Played
from league.store import Store
from tests.league.samples import make_league, play
from tests.worker.arenas import Arena
from tests.worker.test_up import free_port
from worker.settings import from_env
from worker.tally import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from league.model import Claim


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Every sample by its name and its labels' values."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """A finished league of a good bot and one that answers illegally, and an open one."""
    arena = Arena(tmp_path_factory.mktemp("metrics") / "data")
    arena.data.mkdir()
    arena("bot", "add", "bad", "--run", "python -m tests.bots.bad illegal call")
    arena("league", "create", "done", "--variants", "turn-up", "--bots", "lowest,bad", "--sets", "2", "--format", "deals:3")
    arena("league", "run", "done", "--workers", "1")
    arena("league", "create", "open", "--variants", "turn-up", "--bots", "lowest,bad", "--sets", "2")
    return arena


def test_figures_are_the_stores(played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games, decisions, faults by cause and the histogram agree with the stored games and among themselves."""
    monkeypatch.setenv("ARENA_DATA", str(played.data))
    with Store(played.store_url) as store:
        found = samples(page(store, from_env()))
        (match,) = store.matches(league="done")
        games = store.games(match.id)
        faults = sum((Counter(causes) for game in games for causes in game.faults), Counter[str]())
        decisions = sum(sum(game.times["decisions"]) for game in games if game.times)
    assert faults["ILLEGAL"] > 0
    assert found["arena_games_total",] == len(games) == 4
    assert found["arena_decisions_total",] == decisions > 0
    assert {key[1]: value for key, value in found.items() if key[0] == "arena_faults_total"} == faults
    assert found["arena_decision_seconds_count", "bot"] == found["arena_decision_seconds_count", "referee"] == decisions
    assert found["arena_decision_seconds_sum", "bot"] > 0
    assert found["arena_attempts", "complete"] == 1
    assert (found["arena_leagues_open",], found["arena_leagues_finished",]) == (1, 1)
    assert (found["arena_matches_complete",], found["arena_leases_live",], found["arena_store_up",]) == (1, 0, 1)
    assert found["arena_queue_up",] == 0  # its server went with the run


def test_a_scrape(played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scrape over HTTP; `arena metrics --once` prints the same; an address that is taken, or none, is refused."""
    monkeypatch.setenv("ARENA_DATA", str(played.data))
    bind = f"127.0.0.1:{free_port()}"
    with Store(played.store_url) as store, serving(store, from_env(), bind):
        with urllib.request.urlopen(f"http://{bind}/metrics", timeout=30) as answer:
            scraped = answer.read().decode()
        taken = CliRunner().invoke(main, ["metrics", "--bind", bind])
    assert samples(scraped) == samples(played("metrics", "--once"))
    assert taken.exit_code == 1
    assert f"cannot serve metrics at {bind}: Address already in use" in taken.output
    bad = CliRunner().invoke(main, ["metrics", "--bind", "here"])
    assert bad.exit_code == 2
    assert "'here' is no address for metrics (allowed: HOST:PORT" in bad.output


def test_a_store_that_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are still served, with arena_store_up 0, so that an alarm can be raised on it."""
    monkeypatch.setenv("ARENA_DATA", str(tmp_path))
    with Store(f"sqlite:///{tmp_path}/none/arena.db") as store:
        assert samples(page(store, from_env()))["arena_store_up",] == 0


def test_sums_while_attempts_come_and_go(tmp_path: Path) -> None:
    """Sums stay right while attempts run, end and are added, however often they are asked for."""
    with Store.open(f"sqlite:///{tmp_path}/arena.db") as store:
        make_league(store)
        of_store = Played(store)
        first = _claim(store, now=100.0)
        _add(store, first, decisions=10)
        assert of_store.totals().attempts == {"running": 1}
        assert of_store.totals().decisions == 10
        _add(store, first, decisions=25)
        store.release(first, "interrupted", now=110.0)
        second = _claim(store, now=120.0)
        for _ in range(2):
            totals = of_store.totals()
            assert (totals.games, totals.decisions, totals.faults) == (2, 25, {"LATE": 1})
            assert totals.attempts == {"interrupted": 1, "running": 1}
            assert totals.latency["bot"] == [25, 0]
        _add(store, second, decisions=5)
        store.release(second, "interrupted", now=130.0)
        assert (of_store.totals().decisions, of_store.totals().attempts) == (30, {"interrupted": 2})
        assert [row.id for row in store.attempt_figures(first.attempt)] == [second.attempt]


def _claim(store: Store, now: float) -> Claim:
    claim = store.claim("summer/ghost-hand/0", "a", 30.0, now=now)
    assert claim is not None
    return claim


def _add(store: Store, claim: Claim, decisions: int) -> None:
    number, seating = store.missing_games(claim.match)[0]
    game = play(store.match(claim.match), store.match_key(claim.match), number, seating)
    figures = {"decisions": decisions, "faults": {"LATE": 1}, "latency": {"bot": {"counts": [decisions, 0], "sum_us": 1}}}
    if claim.attempt > 1:
        figures["faults"] = {}
    assert store.add_game(claim.match, number, seating, *game, claim=claim, figures=figures)


def test_a_game_that_another_has_stored_does_not_count() -> None:
    """`with_game` alone changes nothing that lasts; after `keep` the next game is added to it."""
    record = {"deals": [{"faults": [{"cause": "LATE"}]}, {}]}
    latency = {"bot": {"counts": [3, 1], "sum_us": 9}}
    tally = Tally()
    assert tally.with_game(record, latency) == tally.with_game(record, latency)
    tally.keep()
    assert tally.with_game(record, latency) == {
        "decisions": 8,
        "faults": {"LATE": 2},
        "latency": {"bot": {"counts": [6, 2], "sum_us": 18}},
    }
