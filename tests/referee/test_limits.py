from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

import pytest

from referee.auth import TokenBook, bearer, digest, new_token
from referee.errors import BadAddress, BadClock, BadTokens, Refusal
from referee.lag import LIMIT, Lag, Watch, limit_of
from referee.limits import Rate
from referee.server import check_address

if TYPE_CHECKING:
    from pathlib import Path


def test_a_rate_allows_so_many_in_a_window() -> None:
    """Within any window no more than the limit is allowed; refused events do not count."""
    rate = Rate(3, 10.0)
    assert [rate.allow(now) for now in (0.0, 1.0, 2.0, 3.0, 9.9)] == [True, True, True, False, False]
    assert rate.wait(9.9) == pytest.approx(0.1)
    assert [rate.allow(now) for now in (10.0, 10.5, 11.0)] == [True, False, True]


def test_lag_adds_up_and_never_shrinks() -> None:
    """Only lateness counts."""
    lag = Lag()
    for late in (0.5, -1.0, 0.25):
        lag.add(late, 0.0)
    assert lag.total(0.0) == 0.75


def test_an_overdue_pulse_counts_before_it_runs() -> None:
    """After a stall the lateness is known to whatever runs first, and is not counted twice when the pulse catches up."""
    lag = Lag()
    lag.due = 10.0
    assert lag.total(10.001) == 0.0
    assert lag.total(13.0) == lag.worst(9.0, 13.0) == 3.0
    assert lag.catch_up(13.5) == 3.5
    assert lag.total(14.0) == lag.worst(9.0, 14.0) == 3.5
    lag.due = 15.0
    assert lag.catch_up(15.001) == 0.0


def test_the_worst_lag_since_a_moment() -> None:
    """The longest single lateness is found, and what was before the moment does not count."""
    lag = Lag()
    for at, late in ((1.0, 0.3), (2.0, 0.1), (3.0, 0.2), (4.0, 0.1)):
        lag.add(late, at)
    assert [lag.worst(since, 5.0) for since in (0.0, 1.0, 1.5, 3.0, 3.5, 4.5)] == [0.3, 0.3, 0.2, 0.2, 0.1, 0.0]


def test_one_stall_is_one_slow_decision() -> None:
    """Decisions that one stall delayed all together count once; stalls one after the other count each."""
    watch = Watch(limit=0.1, least=100)
    for _ in range(90):
        watch.add(0.5, 10.0)
    for _ in range(10):
        watch.add(0.0, 10.0)
    assert not watch.lags(10.0)
    watch.add(0.5, 10.6)
    assert watch.lags(10.6)


def test_the_watch_needs_enough_decisions() -> None:
    """A few slow decisions are no percentile."""
    watch = Watch(limit=0.1, least=100)
    for number in range(99):
        watch.add(5.0, 10.0 * number)
    assert not watch.lags(0.0)
    watch.add(5.0, 1000.0)
    assert watch.lags(0.0)


@pytest.mark.parametrize(("slow", "lags"), [(20, False), (21, True)])
def test_the_watch_is_a_99th_percentile(slow: int, lags: bool) -> None:
    """More than one slow decision in a hundred of the window is too many."""
    watch = Watch(limit=0.1, window=2000)
    for number in range(5000):
        watch.add(0.2 if number >= 5000 - slow else 0.1, float(number))
    assert watch.lags(0.0) == lags


def test_the_environment_may_allow_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """ARENA_LAG_SECONDS is the watch's limit where none is given; what is no time is refused with what is allowed."""
    monkeypatch.setenv("ARENA_LAG_SECONDS", "2.5")
    assert (Watch().limit, Watch(1.0).limit) == (2.5, 1.0)
    monkeypatch.delenv("ARENA_LAG_SECONDS")
    assert Watch().limit == LIMIT
    for wrong in ("soon", "0", "-1", "nan"):
        with pytest.raises(BadClock, match=f"ARENA_LAG_SECONDS: '{wrong}' is no time"):
            limit_of({"ARENA_LAG_SECONDS": wrong})


def test_the_watch_forgets() -> None:
    """Decisions beyond the window, or too long ago, no longer count."""
    watch = Watch(limit=0.1, window=200, seconds=30.0)
    for number in range(100):
        watch.add(0.11, 0.2 * number)
    assert watch.lags(20.0)
    assert watch.lags(30.0)
    assert not watch.lags(50.0)
    for number in range(200):
        watch.add(0.11 if number < 100 else 0.0, 100.0 + number)
    assert watch.lags(100.0)
    for _ in range(100):
        watch.add(0.0, 300.0)
    assert not watch.lags(100.0)


@pytest.mark.parametrize(
    "metadata",
    [
        [("authorization", "Bearer secret")],
        [("user-agent", "x"), ("authorization", "bearer secret ")],
    ],
)
def test_a_bearer_token_is_found(metadata: list[tuple[str, str | bytes]]) -> None:
    """The word Bearer may be written in any case."""
    assert bearer(metadata) == "secret"


@pytest.mark.parametrize("metadata", [[], [("authorization", "Basic secret")], [("authorization", b"Bearer x")]])
def test_no_bearer_token_is_none(metadata: list[tuple[str, str | bytes]]) -> None:
    """Whatever else is shown is no token."""
    assert bearer(metadata) == ""


def test_only_operators_may_order() -> None:
    """An operator's token passes; a bot's, another, or none is refused as UNAUTHENTICATED."""
    operator, bot = new_token(), new_token()
    book = TokenBook(operators={digest(operator)}, bots={digest(bot): "ann"})
    book.check_operator([("authorization", f"Bearer {operator}")])
    for metadata in ([], [("authorization", f"Bearer {bot}")], [("authorization", "Bearer ")]):
        with pytest.raises(Refusal) as caught:
            book.check_operator(metadata)
        assert (caught.value.code, caught.value.reason) == ("UNAUTHENTICATED", "TOKEN_UNKNOWN")


def _write(path: Path, content: object, stamp: int) -> None:
    path.write_text(json.dumps(content))
    os.utime(path, (stamp, stamp))


def test_the_token_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    """A change is taken over, an unchanged file is not read, a broken one changes nothing."""
    path = tmp_path / "tokens.json"
    token = hashlib.sha256(b"t").hexdigest()
    _write(path, {"operators": [], "bots": {token: {"bot": "ann"}}}, 1)
    book = TokenBook.of_file(path)
    assert book.bots == {digest("t"): "ann"}
    assert not book.refresh()
    _write(path, {"operators": [token]}, 2)
    assert book.refresh()
    assert (book.operators, book.bots) == ({digest("t")}, {})
    path.write_text("{")
    with pytest.raises(BadTokens, match=r"tokens\.json"):
        book.refresh()
    assert book.operators == {digest("t")}


@pytest.mark.parametrize("content", [{"operators": ["abc"]}, {"operators": ["zz"]}, {"bots": {"00": {"bot": "x"}}}, []])
def test_a_bad_token_file_is_refused(tmp_path: Path, content: object) -> None:
    """What is no list of SHA-256 digests is refused by name."""
    path = tmp_path / "tokens.json"
    path.write_text(json.dumps(content))
    with pytest.raises(BadTokens, match=r"tokens\.json"):
        TokenBook.of_file(path)


@pytest.mark.parametrize("address", ["unix:/tmp/x.sock", "127.0.0.1:0", "localhost:5000", "[::1]:80", "127.9.9.9:1"])
def test_local_addresses_are_served(address: str) -> None:
    """Sockets and loopback need no flag."""
    assert check_address(address) == address


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("0.0.0.0:80", "not on loopback"),
        ("example.org:80", "not on loopback"),
        ("127.0.0.1", "unix:/path, or host:port"),
        ("127.0.0.1:http", "unix:/path, or host:port"),
        ("127.0.0.1:70000", "unix:/path, or host:port"),
        ("unix:", "1 to 107 bytes"),
        ("unix:/" + "x" * 107, "1 to 107 bytes"),
    ],
)
def test_other_addresses_are_refused(address: str, told: str) -> None:
    """An address beyond loopback or of no known form is refused with what is allowed."""
    with pytest.raises(BadAddress, match=told):
        check_address(address)


def test_any_address_needs_the_flag() -> None:
    """With the explicit flag every host is served."""
    assert check_address("0.0.0.0:80", anywhere=True) == "0.0.0.0:80"
