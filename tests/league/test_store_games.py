"""Games, claims and attempts in the store, and what is read from them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from league.errors import BadGame, NotFound
from league.model import Void
from league.schedule import planned
from league.store import Store, canonical
from league.store_claims import TAIL_BYTES
from referee.record import dumps, verify
from tests.league.samples import add_bots, make_league, play, play_missing, record, spec, variant

if TYPE_CHECKING:
    from pathlib import Path

MATCH = "summer/ghost-hand/0"
TEAMS = "summer/turn-up/0"


# ---- games ------------------------------------------------------------------------------------------------------------


def test_repeated_report_changes_nothing(store: Store) -> None:
    """A game reported twice is stored once, as it was reported first."""
    make_league(store)
    assert store.add_game(MATCH, 0, (0, 1, 2), 1, record((0, 1, 2)), now=5.0)
    before = (store.match(MATCH), store.games(MATCH))
    assert not store.add_game(MATCH, 0, (0, 1, 2), 1, record((0, 1, 2)), now=6.0)
    assert not store.add_game(MATCH, 0, (0, 1, 2), 1, record((0, 1, 2), total=(9, 9, 9)), now=7.0)
    assert (store.match(MATCH), store.games(MATCH)) == before
    assert store.game_record(MATCH, 0, (0, 1, 2)) == record((0, 1, 2))


def test_figures_are_by_lineup_index(store: Store) -> None:
    """Points, places, forfeits and faults are turned from seats and sides into line-up indexes."""
    make_league(store)
    faults = [{"move": 0, "seat": 2, "cause": "LATE"}, {"move": 3, "seat": 2, "cause": "LATE"}]
    faults.append({"move": 4, "seat": 0, "cause": "ILLEGAL", "answer": "AH"})
    body = record((2, 0, 1), total=(7, 5, 3), forfeits=[0])
    body["deals"][0]["faults"] = faults
    store.add_game(MATCH, 1, (2, 0, 1), 1, body, times={"own_us": {"median": 80}})
    (game,) = store.games(MATCH)
    assert (game.set, game.seating, game.dealer, game.deals, game.end) == (1, (2, 0, 1), 1, 1, "deals")
    assert (game.points, game.places, game.forfeits) == ((5, 3, 7), (2, 3, 1), (2,))
    assert game.faults == ({}, {"LATE": 2}, {"ILLEGAL": 1})
    assert game.times == {"own_us": {"median": 80}}


def test_partners_share_a_line_up_index(store: Store) -> None:
    """In a team game the faults of both partners count for their bot, whichever team it is."""
    make_league(store)
    body = record((1, 0, 1, 0), total=(4, 9), forfeits=[1])
    body["deals"][0]["faults"] = [{"move": m, "seat": s, "cause": "SILENT"} for m, s in enumerate((0, 2, 3))]
    store.add_game(TEAMS, 0, (1, 0, 1, 0), 3, body)
    (game,) = store.games(TEAMS)
    assert (game.points, game.places, game.forfeits) == ((9, 4), (1, 2), (0,))
    assert game.faults == ({"SILENT": 1}, {"SILENT": 2})


def test_match_is_complete_with_its_last_game(store: Store) -> None:
    """Games and complete sets are counted as they come, in any order; the last game completes the match."""
    make_league(store)
    games = store.missing_games(TEAMS)
    counts = []
    for number, seating in games:
        assert store.match(TEAMS).completed_at is None
        store.add_game(TEAMS, number, seating, number, record(seating, (1, 0)), now=50.0)
        match = store.match(TEAMS)
        counts.append((match.games_done, match.sets_done))
    assert counts == [(1, 0), (2, 0), (3, 1), (4, 2)]
    assert (match.state, match.completed_at) == ("complete", 50.0)


@pytest.mark.parametrize(
    ("number", "seating", "change", "message"),
    [
        (2, (0, 1, 2), {}, r"no set 2 \(it has 0 to 1\)"),
        (-1, (0, 1, 2), {}, "no set -1"),
        (0, (0, 1, 3), {}, r"no seating \[0, 1, 3\]"),
        (0, (0, 1, 2), {"seating": [0, 2, 1]}, r"record's seating \[0, 2, 1\]"),
        (0, (0, 1, 2), {"total": [1, 2]}, "2 totals and 3 places for 3 bots"),
        (0, (0, 1, 2), {"note": "hello"}, "unknown 'note'"),
        (0, (0, 1, 2), {"deals": [{"moves": "pass"}]}, "lacks tricks, points, total"),
    ],
)
def test_stray_game_is_refused(store: Store, number: int, seating: tuple[int, ...], change: dict[str, Any], message: str) -> None:
    """A game that the match does not have, or whose record is not one, is refused with the reason and stored nowhere."""
    make_league(store)
    with pytest.raises(BadGame, match=message):
        store.add_game(MATCH, number, seating, 0, record((0, 1, 2)) | change)
    assert store.games(MATCH) == []
    assert store.match(MATCH).games_done == 0


def test_incomplete_record_is_refused(store: Store) -> None:
    """A record without one of its fields is refused by that field's name."""
    make_league(store)
    for name in ("seating", "deals", "total", "places", "end", "forfeits"):
        body = record((0, 1, 2))
        del body[name]
        with pytest.raises(BadGame, match=f"lacks {name}"):
            store.add_game(MATCH, 0, (0, 1, 2), 0, body)


def test_set_has_one_first_dealer(store: Store) -> None:
    """A game with another first dealer than its set's is refused and not counted."""
    make_league(store)
    store.add_game(MATCH, 0, (0, 1, 2), 1, record((0, 1, 2)))
    with pytest.raises(BadGame, match="first dealer"):
        store.add_game(MATCH, 0, (0, 2, 1), 2, record((0, 2, 1)))
    assert store.match(MATCH).games_done == 1


def test_single_set_has_one_seating(store: Store) -> None:
    """Where sets are played in one seating each, a game in another is refused."""
    store.add_remote_bot("rem")
    make_league(store, bots=("a", "b", "rem"))
    with pytest.raises(BadGame, match=r"seating \[0, 2, 1\] only"):
        store.add_game(MATCH, 1, (0, 1, 2), 0, record((0, 1, 2)))


def test_record_of_an_unplayed_game_is_not_found(store: Store) -> None:
    """A game that is not stored, or that its match cannot have, is not found."""
    make_league(store)
    for seating in ((0, 1, 2), (5, 5, 5)):
        with pytest.raises(NotFound, match="no stored game of set 0"):
            store.game_record(MATCH, 0, seating)


# ---- records ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ghost-hand", "cutthroat", "bid-euchre", "turn-up"])
def test_stored_match_verifies(store: Store, name: str) -> None:
    """A match put back together from the store replays from nothing but the rules and its key, in every variant."""
    make_league(store, variants=(variant(name),), bots="abc")
    match_id = f"summer/{name}/0"
    for number, seating in reversed(store.missing_games(match_id)):
        match, key = store.match(match_id), store.match_key(match_id)
        store.add_game(match_id, number, seating, *play(match, key, number, seating))
    lines = list(store.record_lines(match_id))
    report = verify(lines)
    assert (report.match, report.sets, report.games) == (match_id, 2, store.match(match_id).games_total)
    assert lines[0]["league"] == "summer"
    assert [canonical(line) for line in lines] == [dumps(line) for line in lines]


def test_match_of_single_sets_verifies(store: Store) -> None:
    """So does a match with a remote bot, whose sets have one seating each."""
    store.add_remote_bot("rem")
    make_league(store, bots=("a", "b", "rem"))
    play_missing(store, MATCH)
    assert verify(store.record_lines(MATCH)).games == 12


def test_record_of_an_unfinished_match_keeps_its_key(store: Store) -> None:
    """Until its last game is in, a match's record has its complete sets only, and no end line."""
    make_league(store)
    assert [set(line) & {"record", "set", "end"} for line in store.record_lines(MATCH)] == [{"record"}]
    games = store.missing_games(MATCH)
    match, key = store.match(MATCH), store.match_key(MATCH)
    for number, seating in [*(game for game in games if game[0] == 1), games[0]]:
        store.add_game(MATCH, number, seating, *play(match, key, number, seating))
    lines = list(store.record_lines(MATCH))
    assert [line.get("set") for line in lines] == [None, 1]
    assert key.hex() not in "".join(map(canonical, lines))
    play_missing(store, MATCH)
    assert list(store.record_lines(MATCH))[-1]["key"] == key.hex()


def test_order_of_reports_changes_nothing(store: Store, tmp_path: Path) -> None:
    """The same games in another order, with the keys of their reports in another order, on another database: the same."""
    texts, results = [], []
    with Store.open(f"sqlite:///{tmp_path}/other.db") as other:
        for here, step in ((store, 1), (other, -1)):
            make_league(here)
            match, key = here.match(TEAMS), here.match_key(TEAMS)
            for number, seating in here.missing_games(TEAMS)[::step]:
                dealer, body = play(match, key, number, seating)
                here.add_game(TEAMS, number, seating, dealer, dict(list(body.items())[::step]))
            texts.append([canonical(line) for line in here.record_lines(TEAMS)])
            results.append(list(here.results()))
    assert texts[0] == texts[1]
    assert results[0] == results[1]
    assert len(results[0]) == 4
    assert '{"seating":[0,1,0,1],"deals":[{"moves":"' in texts[0][1]


# ---- claims -----------------------------------------------------------------------------------------------------------


def test_live_lease_keeps_others_out(store: Store) -> None:
    """While a lease is live nobody else gets the match; when it has run out anybody does, and the old attempt is lost."""
    make_league(store)
    first = store.claim(MATCH, "worker-1", 60, host="here", now=100.0)
    assert first is not None
    assert store.claim(MATCH, "worker-2", 60, now=159.9) is None
    second = store.claim(MATCH, "worker-2", 60, now=160.0)
    assert second is not None
    newest, oldest = store.attempts(MATCH)
    assert (oldest.id, oldest.worker, oldest.host, oldest.outcome, oldest.ended_at) == (
        first.attempt,
        "worker-1",
        "here",
        "lost",
        160.0,
    )
    assert (newest.id, newest.worker, newest.outcome, newest.ended_at) == (second.attempt, "worker-2", None, None)


def test_heartbeat_keeps_the_lease(store: Store) -> None:
    """A heartbeat moves the end of the lease, even a late one if nobody took over; a lost claim's tells so."""
    make_league(store)
    claim = store.claim(MATCH, "w", 60, now=100.0)
    assert claim is not None
    assert store.heartbeat(claim, 60, now=150.0)
    assert store.claim(MATCH, "v", 60, now=200.0) is None
    assert store.heartbeat(claim, 60, now=300.0)
    taken = store.claim(MATCH, "v", 60, now=400.0)
    assert taken is not None
    assert not store.heartbeat(claim, 60, now=401.0)
    assert store.heartbeat(taken, 60, now=401.0)


def test_released_match_is_free_at_once(store: Store) -> None:
    """A claim given back ends its attempt with an outcome, once; who lost it changes nothing any more."""
    make_league(store)
    claim = store.claim(MATCH, "w", 60, now=100.0)
    assert claim is not None
    assert store.release(claim, "interrupted", "stopped by SIGTERM", now=110.0)
    assert not store.release(claim, "complete", now=111.0)
    other = store.claim(MATCH, "v", 60, now=112.0)
    assert other is not None
    assert not store.release(claim, "partial", now=113.0)
    assert store.match(MATCH, now=114.0).state == "running"
    attempt = store.attempts(MATCH)[1]
    assert (attempt.outcome, attempt.detail, attempt.ended_at) == ("interrupted", "stopped by SIGTERM", 110.0)
    with pytest.raises(ValueError, match="known: complete, partial, infrastructure, interrupted"):
        store.release(other, "lost")


def test_complete_match_cannot_be_claimed(store: Store) -> None:
    """There is nothing to claim in a match whose games are all stored."""
    make_league(store)
    play_missing(store, TEAMS)
    assert store.claim(TEAMS, "w", 60) is None


def test_attempt_counts_its_own_progress(store: Store) -> None:
    """An attempt shows how many new games it brought and when the last came; repeats are no progress."""
    make_league(store)
    claim = store.claim(MATCH, "w", 60, now=100.0)
    for now, seating in ((101.0, (0, 1, 2)), (102.0, (0, 2, 1)), (103.0, (0, 1, 2))):
        store.add_game(MATCH, 0, seating, 1, record(seating), claim=claim, now=now)
    (attempt,) = store.attempts(MATCH)
    assert (attempt.games, attempt.progress_at) == (2, 102.0)


def test_game_of_a_lost_attempt_stands(store: Store) -> None:
    """A game counts though its reporter's lease had run out: it was played, and nobody plays it again."""
    make_league(store)
    claim = store.claim(MATCH, "w", 60, now=100.0)
    store.claim(MATCH, "v", 60, now=200.0)
    assert store.add_game(MATCH, 0, (0, 1, 2), 1, record((0, 1, 2)), claim=claim, now=201.0)
    assert (0, (0, 1, 2)) not in store.missing_games(MATCH)


def test_void_games_are_no_results(store: Store) -> None:
    """Games that failed by the arena's fault are counted with their attempt, by cause, and stay to be played."""
    make_league(store)
    claim = store.claim(MATCH, "w", 60)
    assert claim is not None
    store.add_void(claim, "INFRASTRUCTURE", "p99 was 130 ms")
    store.add_void(claim, "INFRASTRUCTURE", "p99 was 210 ms", count=3)
    store.add_void(claim, "INTERRUPTED", "x" * 5_000)
    infrastructure, interrupted = store.attempts(MATCH)[0].voids
    assert infrastructure == Void("INFRASTRUCTURE", 4, "p99 was 210 ms")
    assert (interrupted.count, len(interrupted.detail)) == (1, 2_000)
    assert len(store.missing_games(MATCH)) == 12
    assert list(store.results()) == []
    with pytest.raises(ValueError, match="known: INFRASTRUCTURE, INTERRUPTED"):
        store.add_void(claim, "LATE")  # type: ignore[arg-type]


def test_end_of_a_failed_bots_output_is_kept(store: Store) -> None:
    """Of what a failed bot wrote the last 16 KB are kept, whatever bytes they are, and found by match and by bot."""
    make_league(store)
    claim = store.claim(MATCH, "w", 60)
    assert claim is not None
    cases = {"a": "Traceback\nValueError: 7", "b": "x" * 50_000 + "ende", "c": "nul \0 and ✓" + "ü" * TAIL_BYTES}
    for seat, (bot, tail) in enumerate(cases.items()):
        store.add_log(claim, bot=bot, seat=seat, seating=(0, 1, 2), exit=seat or None, tail=tail, now=9.0)
    newest, middle, oldest = store.logs(MATCH)
    assert (oldest.bot, oldest.seat, oldest.seating, oldest.exit, oldest.tail) == ("a", 0, (0, 1, 2), None, cases["a"])
    assert (oldest.match, oldest.attempt, oldest.logged_at) == (MATCH, claim.attempt, 9.0)
    assert middle.tail == ("x" * 50_000 + "ende")[-TAIL_BYTES:]
    assert len(newest.tail.encode()) <= TAIL_BYTES
    assert set(newest.tail) == {"ü"}
    assert [log.bot for log in store.logs(bot="b")] == ["b"]
    assert store.logs("summer/turn-up/0") == []
    assert len(store.logs(limit=2)) == 2


# ---- wide reads -------------------------------------------------------------------------------------------------------


def test_progress_counts_what_is_planned(store: Store) -> None:
    """Progress is measured against the whole schedule, stored or not, with live leases only as running."""
    add_bots(store)
    league = store.create_league(spec())
    empty = store.progress("summer")
    assert [entry.matches_total for entry in empty.variants] == [4, 6]
    assert (empty.games_done, empty.games_total, empty.complete) == (0, 4 * 12 + 6 * 4, False)
    store.add_matches(itertools.islice(planned(league), 4))
    play_missing(store, TEAMS)
    play_missing(store, MATCH, 7)
    store.claim(MATCH, "w", 60, now=100.0)
    store.claim("summer/turn-up/1", "w", 1, now=100.0)
    ghost, turn = store.progress("summer", now=110.0).variants
    assert (ghost.matches_complete, ghost.matches_running, ghost.matches_waiting) == (0, 1, 3)
    assert (ghost.games_done, ghost.games_total, ghost.sets_done, ghost.sets_total) == (7, 48, 0, 8)
    assert (turn.matches_complete, turn.matches_running, turn.matches_waiting) == (1, 0, 5)
    assert (turn.games_done, turn.sets_done) == (4, 2)
    store.add_matches(planned(league))
    for match in store.matches(state="open"):
        play_missing(store, match.id)
    assert store.progress("summer").complete


def test_results_are_complete_sets_only(store: Store) -> None:
    """Results hold every game of complete sets and none of the others, by line-up index, of the league asked for."""
    make_league(store)
    make_league(store, name="autumn", bots="abc")
    play_missing(store, "autumn/turn-up/0")
    games = store.missing_games(MATCH)
    for number, seating in [game for game in games if game[0] == 0] + [games[1]]:
        body = record(seating, (5, 3, 1), forfeits=[1])
        body["deals"][0]["faults"] = [{"move": 0, "seat": 1, "cause": "GONE"}]
        store.add_game(MATCH, number, seating, 1, body)
    results = list(store.results("summer"))
    assert [(game.match, game.variant, game.set) for game in results] == [(MATCH, "ghost-hand", 0)] * 6
    assert {game.bots for game in results} == {("a", "b", "c")}
    by_seating = {game.points: game for game in results}
    turned = by_seating[1, 5, 3]  # seating (1, 2, 0)
    assert (turned.places, turned.deals, turned.forfeits) == ((3, 1, 2), 1, (2,))
    assert turned.faults == ({}, {}, {"GONE": 1})
    assert len(list(store.results())) == 6 + 4
    assert len(list(store.results("autumn", "turn-up"))) == 4
    assert list(store.results("autumn", "ghost-hand")) == []


def test_results_can_be_read_while_games_come_in(store: Store) -> None:
    """A reader half way through the results sees them as they stood when it began, and holds no writer up."""
    make_league(store)
    play_missing(store, TEAMS)
    reading = store.results()
    first = next(reading)
    play_missing(store, "summer/turn-up/1")
    assert [first.match, *(game.match for game in reading)] == [TEAMS] * 4
    assert len(list(store.results())) == 8
