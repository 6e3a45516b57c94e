"""Sums that are kept come to the same as all games read anew, whatever happens to the games in between."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from league.schedule import planned
from league.sheets import read_sheet
from league.standings import table_of
from league.sums import joined, unpack
from league.tallies import sheet_of
from tests.league.samples import make_league, record, same_sheet, spec, variant

if TYPE_CHECKING:
    from league.model import Claim, Match
    from league.store import Store

VARIANTS = (variant("turn-up"), variant("ghost-hand"))
EVENTS = ("play", "play", "play", "aside", "restore", "withdraw", "version", "join")
_numbers = itertools.count()


def setting(store: Store, number: int) -> str:
    """A league, none of it played, between four new bots; a worker of the same name."""
    name = f"league{number}"
    store.sum_range = 4  # so that a league has several
    for letter in "abcd":
        store.add_bot(f"{letter}{number}", "play")
    bots = tuple(f"{letter}{number}" for letter in "abcd")
    store.add_matches(planned(store.create_league(spec(name, bots, 2, variants=VARIANTS))))
    store.register_process(name, worker=name, host=name, pid=1)
    return name


def report(store: Store, match: Match, worker: str, chance: random.Random) -> None:
    """Play a few of a match's missing games, with made-up results, now and then a fault or a forfeit."""
    claim: Claim | None = store.claim(match.id, worker, 1000.0)
    if claim is None:
        return
    for number, seating in store.missing_games(match.id)[: chance.randrange(1, 14)]:
        faults = [{"move": 0, "seat": chance.randrange(3), "cause": "LATE"}] if chance.random() < 0.3 else []
        total = [chance.randrange(6) for _ in range(max(seating) + 1)]
        deal = {"moves": "", "faults": faults, "tricks": [], "points": total, "total": total}
        lost = [0] if chance.random() < 0.1 else []
        body = record(seating, total, deals=[deal] * chance.randrange(1, 4), forfeits=lost)
        store.add_game(match.id, number, seating, 0, body, claim=claim, now=float(chance.randrange(5)))
    store.release(claim, "complete" if store.match(match.id).state == "complete" else "interrupted")


def happen(store: Store, name: str, what: str, chance: random.Random) -> None:
    """Let something happen to a league."""
    if what == "play":
        waiting = store.matches(name, state="waiting")
        for match in chance.sample(waiting, min(3, len(waiting))):
            report(store, match, name, chance)
    elif what == "aside":
        store.quarantine(name, "for a test", chance.choice(["late", "all"]))
        store.release_worker(name)
    elif what == "restore":
        store.restore_games(name)
    elif what == "withdraw" and len(store.league(name).bots) > 3:
        store.withdraw_league_bot(name, chance.choice(store.league(name).bots).bot)
    elif what == "version":
        bot = chance.choice(store.league(name).bots).bot
        store.add_bot(bot, f"play {chance.random()}")
        store.add_league_bot(name, bot, replace=True)
        store.add_matches(planned(store.league(name)))
    elif what == "join" and len(store.league(name).bots) < 5:
        newcomer = f"n{next(_numbers)}"
        store.add_bot(newcomer, "play")
        store.add_league_bot(name, newcomer)
        store.add_matches(planned(store.league(name)))


@settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 2**32), events=st.lists(st.sampled_from(EVENTS), min_size=4, max_size=9))
def test_kept_sums_are_those_of_all_games(store: Store, seed: int, events: list[str]) -> None:
    """After whatever has happened, the sheet from kept sums is that of every result, to the last bit; so is the table."""
    chance = random.Random(seed)
    name = setting(store, next(_numbers))
    for what in events:
        happen(store, name, what, chance)
        label = chance.choice([None, "turn-up", "ghost-hand"])
        names = [bot.bot for bot in store.league(name).bots]
        kept = read_sheet(store, name, label, names, keep=True)
        same_sheet(kept, read_sheet(store, name, label, names))
        played = [store.league(name).shown(entry.bot) for entry in store.league(name).entries]
        same_sheet(read_sheet(store, name, label, played, keep=True), sheet_of(store.results(name, label), played))
    assert table_of(read_sheet(store, name, keep=True)).rows == table_of(read_sheet(store, name)).rows


def test_only_what_has_changed_is_read(store: Store) -> None:
    """With nothing new no game is read; a new set has only its neighbours' games read, and the kept rest is used."""
    store.sum_range = 4
    league = make_league(store, sets=1)
    chance = random.Random(1)
    store.register_process("w", worker="w", host="w", pid=1)
    matches = store.matches(league.name)
    for match in matches[:-1]:
        while store.missing_games(match.id):
            report(store, match, "w", chance)
    read: list[tuple[int, int]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: object, *_others: object) -> None:
        if "FROM games" in statement:
            read.append((statement.count("games"), len(str(parameters))))

    with store._read() as connection:
        event.listen(connection.engine, "before_cursor_execute", note)
    first = read_sheet(store, league.name, keep=True)
    ranges = len(read)
    assert ranges > 2
    same_sheet(read_sheet(store, league.name, keep=True), first)
    assert len(read) == ranges
    report(store, matches[-1], "w", chance)
    while store.missing_games(matches[-1].id):
        report(store, matches[-1], "w", chance)
    read.clear()
    same_sheet(read_sheet(store, league.name, keep=True), sheet_of(store.results(league.name)))
    assert len([one for one in read if one[0]]) == 2  # the range of the new set, and `results`


def test_sums_as_bytes(store: Store) -> None:
    """Sums come back from their bytes as they were."""
    league = make_league(store, sets=1)
    store.register_process("w", worker="w", host="w", pid=1)
    for match in store.matches(league.name):
        report(store, match, "w", random.Random(match.id))
    sums = store.league_sums(league.name).sums
    back = joined([unpack(sums.pack())])
    assert back.causes == sums.causes
    assert back.faults.tolist() == sums.faults.tolist()
    for size, rows in sums.matches.items():
        assert back.matches[size].tobytes() == rows.tobytes()
        assert back.sets[size].tobytes() == sums.sets[size].tobytes()


@pytest.mark.parametrize("keep", [False, True])
def test_no_sums_of_a_league_without_matches(store: Store, keep: bool) -> None:
    """A league of which nothing is stored yet has no sums, kept or not."""
    for name in "abcd":
        store.add_bot(name, "play")
    store.create_league(spec("new"))
    assert read_sheet(store, "new", keep=keep).sets == 0
