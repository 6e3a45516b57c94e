"""What is kept of faults for the owner of a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from league.errors import NotFound
from league.logs import exchange_text
from league.model import Exchange
from league.store_claims import FAULTS_KEPT
from tests.league.samples import make_league

if TYPE_CHECKING:
    from league.model import Claim
    from league.store import Store

MATCH = "summer/ghost-hand/0"
ASK = {"id": 3, "view": {"hand": ["CARD_JH", "CARD_9C"]}, "legal_calls": ["CALL_PASS", "CALL_3"], "legal_cards": []}


def fault(move: int = 0, **changed: Any) -> dict[str, Any]:
    log = {
        "seat": 1,
        "deal": 0,
        "move": move,
        "cause": "LATE",
        "detail": "no answer",
        "exchanges": [{"ask": ASK, "answer": None}],
    }
    return {**log, **changed}


@pytest.fixture
def claim(store: Store) -> Claim:
    make_league(store)
    found = store.claim(MATCH, "w", 60)
    assert found is not None
    return found


def test_faults_are_kept_in_the_order_of_the_games(store: Store, claim: Claim) -> None:
    """Whatever the order in which they come; one that comes again is kept once; the outputs are beside them."""
    bot = store.match(MATCH).lineup[0].bot
    for number, move in ((1, 5), (0, 7), (0, 2), (0, 7)):
        store.add_fault_log(claim, bot=bot, set=number, seating=(0, 1, 2), log=fault(move))
    store.add_log(claim, bot=bot, seat=1, seating=(0, 1, 2), exit=1, tail="oh")
    found = store.owner_logs(MATCH, bot)
    assert [(log.set, log.move) for log in found.faults] == [(0, 2), (0, 7), (1, 5)]
    first = found.faults[0]
    assert (first.match, first.bot, first.seat, first.cause, first.seating) == (MATCH, bot, 1, "LATE", (0, 1, 2))
    assert first.exchanges == (Exchange(ASK, None),)
    assert [log.tail for log in found.outputs] == ["oh"]


def test_no_more_than_enough_are_kept(store: Store, claim: Claim) -> None:
    """Of one bot in one attempt; others have their own share."""
    one, other = (version.bot for version in store.match(MATCH).lineup[:2])
    kept = [store.add_fault_log(claim, bot=one, set=0, seating=(0, 1, 2), log=fault(move)) for move in range(FAULTS_KEPT + 3)]
    assert kept == [True] * FAULTS_KEPT + [False] * 3
    assert store.add_fault_log(claim, bot=other, set=0, seating=(0, 1, 2), log=fault(seat=2))
    assert len(store.owner_logs(MATCH, one).faults) == FAULTS_KEPT


def test_a_bot_may_write_anything(store: Store, claim: Claim) -> None:
    """Notes with bytes that a database does not take are kept as well as can be."""
    bot = store.match(MATCH).lineup[0].bot
    answer = {"ask": 3, "call": "CALL_PASS", "card": "CARD_UNSPECIFIED", "note": "nul \0 and ✓"}
    assert store.add_fault_log(claim, bot=bot, set=0, seating=(0, 1, 2), log=fault(exchanges=[{"ask": ASK, "answer": answer}]))
    kept = store.owner_logs(MATCH, bot).faults[0].exchanges[0]
    assert kept.answer == {**answer, "note": "nul \ufffd and ✓"}
    assert exchange_text(kept) == "asked 3: hand JH 9C; allowed: PASS 3 -> PASS (nul \ufffd and ✓)"


def test_of_a_bot_that_does_not_play_there(store: Store, claim: Claim) -> None:
    """The names of those who do are told."""
    del claim
    with pytest.raises(NotFound, match="'zed' does not play in match"):
        store.owner_logs(MATCH, "zed")
    with pytest.raises(NotFound, match="no match"):
        store.owner_logs("summer/ghost-hand/99", "zed")


def test_exchanges_in_words() -> None:
    """What is missing is said."""
    assert exchange_text(Exchange(None, None)) == "asked: never, the bot was not there"
    assert exchange_text(Exchange(ASK, None)).endswith("-> (no answer)")
    nothing = {"ask": 3, "call": "CALL_UNSPECIFIED", "card": "CARD_UNSPECIFIED", "note": ""}
    assert exchange_text(Exchange(ASK, nothing)).endswith("-> neither card nor call")
