"""The store under several processes at once, real ones: nothing is lost, nothing is done twice."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from league.schedule import planned
from league.store import Store
from league.tables import games as games_table
from tests.league.samples import make_league, play, play_missing, record, spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection as Pipe
    from multiprocessing.synchronize import Barrier

MATCH = "summer/ghost-hand/0"
TEAMS = "summer/turn-up/0"
PROCESSES = 4
# Processes forked from one that has nothing but the modules: as good as new ones, without the seconds of importing.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([__name__])


def _enter(task: Callable[..., object], url: str, gate: Barrier, pipe: Pipe, arguments: tuple[Any, ...]) -> None:
    with Store(url) as store:
        store.leagues()
        gate.wait(300)
        try:
            pipe.send(task(store, *arguments))
        except Exception as error:  # noqa: BLE001 -- whatever it is, the parent must hear of it
            pipe.send(repr(error))


def _race(task: Callable[..., object], url: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
    """Run a task in a process for each tuple of arguments, all at the same moment, and return what they return."""
    gate = _context.Barrier(len(arguments))
    ends, processes = [], []
    for each in arguments:
        here, there = _context.Pipe(duplex=False)
        process = _context.Process(target=_enter, args=(task, url, gate, there, each))
        process.start()
        there.close()
        ends.append(here)
        processes.append(process)
    answers = [end.recv() for end in ends]
    for process in processes:
        process.join(300)
    return answers


# ---- games ------------------------------------------------------------------------------------------------------------


def _report(store: Store, match_id: str, games: list[tuple[int, tuple[int, ...]]]) -> int:
    return sum(store.add_game(match_id, number, seating, 0, record(seating)) for number, seating in games)


def test_games_of_several_processes_are_stored_once(url: str) -> None:
    """Four processes report the same games, and each some more, at the same time: every game is there, once."""
    with Store(url) as store:
        make_league(store, sets=10)
        games = store.missing_games(MATCH)
    shared, rest = games[:20], games[20:]
    parts = [(MATCH, rest[i::PROCESSES] + shared) for i in range(PROCESSES)]
    parts[::2] = [(match_id, part[::-1]) for match_id, part in parts[::2]]
    answers = _race(_report, url, parts)
    assert sum(answers) == len(games)
    with Store(url) as store:
        match = store.match(MATCH)
        assert (match.games_done, match.sets_done, match.state) == (60, 10, "complete")
        assert [(game.set, game.seating) for game in store.games(MATCH)] == sorted(games)
        assert len(list(store.results())) == 60


def test_last_games_of_a_set_may_arrive_together(url: str) -> None:
    """Each process stores one seating of every set: whoever comes last in a set completes it, and the match."""
    with Store(url) as store:
        make_league(store, sets=25, bots="abc")
        games = store.missing_games(TEAMS)
        seatings = store.match(TEAMS).seatings
    parts = [(TEAMS, [game for game in games if game[1] == seating]) for seating in seatings]
    assert _race(_report_teams, url, parts) == [25, 25]
    with Store(url) as store:
        match = store.match(TEAMS)
    assert (match.games_done, match.sets_done, match.state) == (50, 25, "complete")


def _report_teams(store: Store, match_id: str, games: list[tuple[int, tuple[int, ...]]]) -> int:
    return sum(store.add_game(match_id, number, seating, 0, record(seating, (4, 1))) for number, seating in games)


def test_threads_share_a_store(store: Store) -> None:
    """Threads that report through one store do as well as processes."""
    make_league(store, sets=10)
    games = store.missing_games(MATCH)
    counts = [0] * PROCESSES

    def report(index: int) -> None:
        counts[index] = _report(store, MATCH, games[index::2])

    threads = [threading.Thread(target=report, args=(index,)) for index in range(PROCESSES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == len(games)
    assert store.match(MATCH).state == "complete"


# ---- claims -----------------------------------------------------------------------------------------------------------


def _claim(store: Store, match_ids: list[str], worker: str, now: float) -> list[str]:
    return [match_id for match_id in match_ids if store.claim(match_id, worker, 60, now=now)]


@pytest.mark.parametrize("lapsed", [False, True])
def test_exactly_one_claim_wins(url: str, lapsed: bool) -> None:
    """Of four processes that claim a match at the same time one gets it, be it free or its lease run out."""
    with Store(url) as store:
        make_league(store)
        ids = [match.id for match in store.matches()]
        if lapsed:
            assert _claim(store, ids, "dead", 100.0) == ids
    answers = _race(_claim, url, [(ids, f"worker-{i}", 200.0) for i in range(PROCESSES)])
    won = sorted(match_id for answer in answers for match_id in answer)
    assert won == sorted(ids)
    with Store(url) as store:
        for match_id in ids:
            attempts = store.attempts(match_id)
            assert [attempt.outcome for attempt in attempts] == [None, "lost"][: 1 + lapsed]


# ---- schedule and bots ------------------------------------------------------------------------------------------------


def _schedule(store: Store, name: str) -> int:
    return store.add_matches(planned(store.league(name)))


def test_schedule_is_stored_once(url: str) -> None:
    """Processes that store the schedule of one league at the same time store each match once."""
    with Store(url) as store:
        make_league(store, name="spring", bots="abcdef")
        store.create_league(spec(bots="abcdef"))
    answers = _race(_schedule, url, [("summer",)] * PROCESSES)
    assert sum(answers) == 20 + 15
    with Store(url) as store:
        assert len(store.matches("summer", limit=1000)) == 35


def _add_bot(store: Store, run: str) -> int:
    return store.add_bot("ann", run).version


def test_versions_are_numbered_once(url: str) -> None:
    """Processes that add a version of one bot at the same time get versions 1, 2, 3 and 4."""
    answers = _race(_add_bot, url, [(f"play {i}",) for i in range(PROCESSES)])
    assert sorted(answers) == [1, 2, 3, 4]


def test_same_command_from_several_processes_is_one_version(url: str) -> None:
    """Processes that add a bot with the same command at the same time all get version 1."""
    assert _race(_add_bot, url, [("play",)] * PROCESSES) == [1] * PROCESSES


# ---- death ------------------------------------------------------------------------------------------------------------


def _die_in_transaction(url: str, match_row: int, pipe: Pipe) -> None:
    with Store(url)._write() as connection:
        row = {"match_id": match_row, "set_number": 0, "seating": 0, "dealer": 0, "points": "[]", "places": "[]"}
        row |= {"deals": 0, "end_reason": "won", "forfeits": "[]", "faults": "[]", "stored_at": 0.0}
        connection.execute(games_table.insert().values(row))
        pipe.send("in it")
        signal.pause()


def test_killed_in_a_transaction(url: str) -> None:
    """A process killed in the middle of storing a game leaves nothing behind, and nothing locked."""
    with Store(url) as store:
        make_league(store)
        here, there = _context.Pipe(duplex=False)
        process = _context.Process(target=_die_in_transaction, args=(url, store.match(TEAMS).cursor, there))
        process.start()
        assert here.recv() == "in it"
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join(300)
        assert process.exitcode == -signal.SIGKILL
        assert store.games(TEAMS) == []
        assert play_missing(store, TEAMS) == 4
        assert store.match(TEAMS).state == "complete"


def _report_forever(store_url: str, pipe: Pipe) -> None:
    with Store(store_url) as store:
        for number, seating in store.missing_games(MATCH):
            dealer, body = play(store.match(MATCH), store.match_key(MATCH), number, seating)
            store.add_game(MATCH, number, seating, dealer, body)
            pipe.send(number)


def test_killed_between_reports(url: str) -> None:
    """However often a reporter is killed, counts agree with the games that are there, and the match can be finished."""
    with Store(url) as store:
        make_league(store, sets=6)
        for reports in (1, 4, 7):
            here, there = _context.Pipe(duplex=False)
            process = _context.Process(target=_report_forever, args=(url, there))
            process.start()
            for _ in range(reports):
                here.recv()
            process.kill()
            process.join(300)
            match, there_now = store.match(MATCH), store.games(MATCH)
            assert match.games_done == len(there_now) >= reports
            assert len(store.missing_games(MATCH)) == match.games_total - match.games_done
        play_missing(store, MATCH)
        assert store.match(MATCH).state == "complete"
        assert len(list(store.results())) == 36


def test_store_survives_a_fork(url: str) -> None:
    """A store that is in use when its process forks works on in parent and child, each on connections of its own."""
    with Store(url) as store:
        make_league(store)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if play_missing(store, TEAMS) == 4 else 2
            finally:
                os._exit(status)
        play_missing(store, "summer/turn-up/1")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert [store.match(f"summer/turn-up/{n}").state for n in (0, 1)] == ["complete"] * 2
