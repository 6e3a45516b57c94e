"""Bad bots as real programs against the real referee: who is blamed for what, and that the others' games go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from referee.rules import Rules
from tests.referee.matches import Outcome, bad, order, run, run_in_time, verify_all

if TYPE_CHECKING:
    from pathlib import Path


def quick(width: float) -> dict[str, float]:
    """A clock that does not let a test wait for long, so many times as wide."""
    return {"answer": 0.3 * width, "bank": 0.5 * width}


def all_played(outcome: Outcome) -> None:
    """No game was lost, and none came to nothing."""
    assert outcome.voids == []
    assert outcome.games
    assert all(game["end"] in ("deals", "forfeit") for game in outcome.games.values())


def words(folder: Path, first: str) -> list[list[str]]:
    """The lines of bot 0's captured output that begin with a word, without it."""
    lines = (folder / "bot0.012.seat0.log").read_text().splitlines()
    return [line.split()[1:] for line in lines if line.startswith(f"{first} ")]


def only(outcome: Outcome, cause: str, *, forfeits: bool = True) -> None:
    """Bot 0 alone is blamed, with this cause; its forfeits are as told; all games are played."""
    all_played(outcome)
    assert outcome.causes() == {(0, cause)}
    for (_, seating), game in outcome.games.items():
        losers = {seating[side] for side in game["forfeits"]}
        assert losers == ({0} if forfeits else set())
        if forfeits:
            assert game["places"][seating.index(0)] == max(game["places"])


# ---- time -------------------------------------------------------------------------------------------------------------


def test_good_bots_are_blamed_for_nothing() -> None:
    """Bots that answer legally and in time play every seating of several sets without a fault, a void or a log."""
    outcome = run(order(sets=3, seatings=6))
    all_played(outcome)
    assert len(outcome.games) == 18
    assert outcome.faults() == []
    assert outcome.logs == []


def test_silent() -> None:
    """A bot that is connected and never answers is SILENT until it forfeits."""
    outcome = run_in_time(lambda width: order(bad("silent"), clock=quick(width)))
    only(outcome, "SILENT")
    assert len(outcome.faults()) == 3


def test_silent_after_some_answers() -> None:
    """A bot that stops answering empties its bank, then is late."""
    outcome = run_in_time(
        lambda width: order(bad("silent_after", 1), clock=quick(width)),
        lambda outcome: [fault for fault in outcome.faults() if fault[0] or fault[1] == "SILENT"] == [],
    )
    all_played(outcome)
    assert outcome.faults() == [(0, "BANK_EMPTY"), (0, "LATE"), (0, "LATE")]


def test_slow_within_the_bank() -> None:
    """Answers slower than the time for one answer are fine while the bank lasts."""
    outcome = run(order(bad("slow", 0.2), clock={"answer": 0.1, "bank": 600.0}))
    all_played(outcome)
    assert outcome.faults() == []


def test_slow_beyond_the_bank() -> None:
    """Once the bank is dry an answer beyond its time is a fault, and the late answer itself is ignored."""
    outcome = run_in_time(lambda width: order(bad("slow", 0.4 * width), clock={"answer": 0.1 * width, "bank": 0.45 * width}))
    all_played(outcome)
    assert outcome.faults()[0] == (0, "BANK_EMPTY")
    assert {cause for _, cause in outcome.faults()} <= {"BANK_EMPTY", "LATE"}
    assert {index for index, _ in outcome.faults()} == {0}


# ---- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["card", "call", "other", "both", "unspecified", "unknown"])
def test_illegal(kind: str) -> None:
    """Whatever names no legal move is ILLEGAL; three forfeit."""
    outcome = run(order(bad("illegal", kind)))
    only(outcome, "ILLEGAL")
    assert len(outcome.faults()) == 3


def test_revoking() -> None:
    """A bot that revokes pays what the variant says and forfeits with the third."""
    outcome = run(order(bad("revoke"), variant="ghost-hand", fmt="deals:12"))
    only(outcome, "ILLEGAL")
    game = outcome.games[0, (0, 1, 2)]
    entries = [(deal, fault) for deal in game["deals"] for fault in deal["faults"]]
    assert len(entries) == 3
    assert all(deal["moves"].split()[fault["move"]] != fault["answer"] for deal, fault in entries)


def test_answering_twice(tmp_path: Path) -> None:
    """The second answer to an ask is stale, which the bot is told, and no fault."""
    outcome = run(order(bad("twice"), log_dir=str(tmp_path)))
    all_played(outcome)
    assert outcome.faults() == []
    assert words(tmp_path, "STALE") == [[str(outcome.events[0]["times"]["decisions"][0])]]


def test_answering_for_another_seat(tmp_path: Path) -> None:
    """An ask's number means something on its own stream only: naming others' changes nothing for anybody."""
    plain = run(order())
    outcome = run(order(bad("other_seat"), log_dir=str(tmp_path)))
    all_played(outcome)
    assert outcome.faults() == []
    assert words(tmp_path, "STALE") == [[str(3 * outcome.events[0]["times"]["decisions"][0])]]
    assert outcome.games == plain.games


def test_flooding_with_stray_answers() -> None:
    """Too many answers that name no open ask end the stream with RESOURCE_EXHAUSTED; the others play on."""
    outcome = run(order(bad("flood")))
    all_played(outcome)
    assert outcome.causes() == {(0, "CRASHED")}  # the program ends when its stream does
    assert "STATUS RESOURCE_EXHAUSTED" in outcome.tail()
    assert "DETAIL STRAY_ANSWERS euchre.v1" in outcome.tail()


def test_notes_are_kept_for_their_owner() -> None:
    """A long note is cut, reported with its seat, and is no part of the record."""
    outcome = run(order(bad("notes", 1500)))
    all_played(outcome)
    notes = [note for event in outcome.events if event["event"] == "game" for note in event["notes"]]
    assert notes
    assert {(note["seat"], len(note["text"]), note["cut"]) for note in notes} == {(0, 1024, 476)}
    assert "note" not in str(outcome.games)


@pytest.mark.parametrize("variant", ["ghost-hand", "turn-up"])
@pytest.mark.parametrize(
    ("bot", "revoke"), [(bad("revoke"), "stand"), (bad("illegal", "card"), "replace"), (bad("exits", 10), "replace")]
)
def test_records_with_faults_verify(bot: str, revoke: str, variant: str) -> None:
    """Whatever a bot does, the games in all seatings make a record that replays from the rules and the key."""
    given = order(bot, variant=variant, seatings=6, sets=2, fmt="deals:6", options={"stick_dealer": "on", "revoke": revoke})
    outcome = run(given)
    all_played(outcome)
    assert {index for index, _ in outcome.faults()} == {0}
    verify_all(given, outcome)


# ---- processes --------------------------------------------------------------------------------------------------------


def test_exit_before_connecting() -> None:
    """A bot that ends before its Hello has not started: seen at once, with its exit code and output."""
    outcome = run(order(bad("exits", "start")))
    only(outcome, "NOT_STARTED")
    assert outcome.logs[0]["exit"] == 3
    assert "cannot find my brain" in outcome.tail()


def test_a_command_that_does_not_exist() -> None:
    """A bot whose program is missing has not started, and its log says why."""
    outcome = run(order("./no-such-bot"))
    only(outcome, "NOT_STARTED")
    assert outcome.logs[0]["exit"] == 127
    assert "cannot start ./no-such-bot" in outcome.tail()


def test_never_connecting() -> None:
    """A bot that does not come within the start-up time has not started."""
    only(run_in_time(lambda width: order(bad("never_connects"), clock={"start": 3.0 * width})), "NOT_STARTED")


def test_exit_after_hello() -> None:
    """A bot that ends after its Hello has crashed, and nobody waits for the grace period."""
    outcome = run(order(bad("exits", "hello"), clock={"grace": 600.0, "answer": 600.0}))
    only(outcome, "CRASHED")
    assert outcome.logs[0]["exit"] == 3


PHASES = [
    (1, "cutthroat", {"deck": 25, "stick_dealer": "on"}),
    (2, "ghost-hand", {"joker": "on", "stick_dealer": "on"}),
    (3, "bid-euchre", {"ace_no_face": "on"}),
    (4, "turn-up", {}),
    (5, "ghost-hand", {"stick_dealer": "on"}),
    (6, "cutthroat", {}),
    (7, "turn-up", {"lone_defender": "on"}),
    (8, "cutthroat", {"stick_dealer": "on"}),
    (9, "bid-euchre", {"stick_dealer": "on"}),
    (10, "bid-euchre", {"stick_dealer": "on"}),
]


@pytest.mark.parametrize(("phase", "variant", "options"), PHASES)
def test_crash_in_each_phase(phase: int, variant: str, options: dict[str, object]) -> None:
    """A crash in any phase is CRASHED, at once, and every other game and seat goes on."""
    lots = [bad("lot")] * (Rules(variant, options).sides - 1)
    given = order(
        bad("exits", phase), *lots, variant=variant, options=options, fmt="deals:10" if phase == 1 else "deals:3", sets=40
    )
    outcome = run({**given, "clock": {**given["clock"], "grace": 600.0}})
    all_played(outcome)
    assert outcome.causes() == {(0, "CRASHED")}
    assert len(outcome.games) == 40
    assert "at PHASE_" in outcome.tail()


def test_everybody_failing_is_nobodys_fault() -> None:
    """When every side fails to start the games are void, INFRASTRUCTURE, and nobody is blamed."""
    outcome = run(order(*[bad("exits", "start")] * 3, sets=2))
    assert outcome.games == {}
    assert {void["cause"] for void in outcome.voids} == {"INFRASTRUCTURE"}
    assert len(outcome.voids) == 2
    assert all("nobody is to blame" in void["detail"] for void in outcome.voids)


def test_two_failing_leave_the_third_to_play() -> None:
    """When two of three crash, the third plays its game against the house."""
    outcome = run(order(bad("exits", "start"), bad("exits", "hello")))
    all_played(outcome)
    game = outcome.games[0, (0, 1, 2)]
    assert game["forfeits"] == [0, 1]
    assert game["places"][2] == 1


def test_daemons_die_with_the_match() -> None:
    """A bot that starts a daemon plays on, and the daemon is gone with it."""
    outcome = run(order(bad("daemon", "left-behind")))
    all_played(outcome)
    assert outcome.faults() == []


def test_noisy() -> None:
    """A bot that writes without end is neither blocked nor blamed."""
    outcome = run(order(bad("noisy")))
    all_played(outcome)
    assert outcome.faults() == []


# ---- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bot", "status", "detail"),
    [
        (bad("garbage", "first"), "INVALID_ARGUMENT", "GARBAGE euchre.v1"),
        (bad("garbage", "later"), "INVALID_ARGUMENT", "GARBAGE euchre.v1"),
        (bad("oversized"), "RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE euchre.v1"),
        (bad("two_hellos"), "INVALID_ARGUMENT", "HELLO_TWICE euchre.v1 {}"),
        (bad("no_hello"), "INVALID_ARGUMENT", "HELLO_MISSING euchre.v1 {}"),
        (bad("protocol", 0), "FAILED_PRECONDITION", "PROTOCOL_VERSION euchre.v1 {"),
        (bad("protocol", 2), "FAILED_PRECONDITION", "PROTOCOL_VERSION euchre.v1 {"),
        (bad("wrong_token"), "UNAUTHENTICATED", "TOKEN_UNKNOWN euchre.v1 {}"),
        (bad("many_streams"), "RESOURCE_EXHAUSTED", "TOO_MANY_STREAMS euchre.v1"),
    ],
)
def test_a_stream_that_cannot_go_on(bot: str, status: str, detail: str) -> None:
    """A broken stream ends with its own status and details; the bot is out, and the others play on."""
    outcome = run(order(bot))
    all_played(outcome)
    assert {index for index, _ in outcome.faults()} == {0}
    assert {cause for _, cause in outcome.faults()} <= {"CRASHED", "NOT_STARTED"}  # the programs end with their stream
    assert f"STATUS {status}" in outcome.tail()
    assert f"DETAIL {detail}" in outcome.tail()


def test_refusals_tell_versions_and_delays() -> None:
    """A version that is refused is told which are supported, and a limiter tells when to come back."""
    outcome = run(order(bad("protocol", 7), bad("many_streams")))
    assert "'min': '1'" in outcome.tail(0)
    assert "'max': '1'" in outcome.tail(0)
    delays = [int(line.split()[-1]) for line in outcome.tail(1).splitlines() if line.startswith("DETAIL   ")]
    assert len(delays) == 1
    assert 0 < delays[0] <= 10_000


def test_a_bot_that_does_not_play_the_variant() -> None:
    """A bot that says it plays other variants only cannot start here."""
    only(run(order(bad("other_variant"))), "NOT_STARTED")


def test_coming_back_in_time(tmp_path: Path) -> None:
    """A lost stream that is restored within the grace period gets its tables and open asks again, and nothing is lost."""
    plain = run(order(sets=5))
    given = order(bad("comes_back", 3, 0.2), sets=5, log_dir=str(tmp_path))
    outcome = run(given)
    all_played(outcome)
    assert outcome.faults() == []
    [[again, _, asked, _, tables]] = words(tmp_path, "AGAIN")
    assert int(again) == int(asked) > 0
    assert int(tables) >= int(asked)
    assert outcome.games == plain.games


def test_coming_back_too_late() -> None:
    """A stream that is lost for longer than the grace period is GONE, and forfeits."""
    outcome = run(order(bad("comes_back", 3, 300), clock={"grace": 0.3}))
    only(outcome, "GONE")


def test_a_new_stream_replaces_the_old(tmp_path: Path) -> None:
    """A second stream with the same token takes over; the first ends with ABORTED and the reason."""
    outcome = run(order(bad("replaces_itself"), log_dir=str(tmp_path)))
    all_played(outcome)
    assert outcome.faults() == []
    assert words(tmp_path, "STATUS")[0][0] == "ABORTED"
    assert words(tmp_path, "DETAIL") == [["REPLACED", "euchre.v1", "{}"]]


def test_never_reading() -> None:
    """A bot that reads nothing loses on time like any other, and its asks do not pile up."""
    outcome = run_in_time(lambda width: order(bad("never_reads"), sets=30, clock=quick(width)))
    only(outcome, "SILENT")
    assert len(outcome.games) == 30


def test_sitting_at_one_table_at_a_time(tmp_path: Path) -> None:
    """A bot that wants one table at a time gets the sets one after the other."""
    outcome = run(order(bad("one_table"), sets=3, log_dir=str(tmp_path)))
    all_played(outcome)
    assert outcome.faults() == []
    assert len(outcome.games) == 3
    assert {int(count) for [count] in words(tmp_path, "TABLES")} == {0, 1}
