"""Verification: whole records pass, and every alteration is caught and named."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from referee.record import Wrong, digest, dumps, read, verify
from referee.rules import VARIANTS
from tests.records.played import KEY, play_match

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Lines = list[dict[str, Any]]
NAMES = [variant.name for variant in VARIANTS]


@pytest.fixture(scope="module", params=NAMES)
def lines(request: pytest.FixtureRequest) -> Lines:
    return play_match(request.param)


def sealed(lines: Lines) -> Lines:
    """The lines with a digest that fits: as an alteration by somebody who knows how records are made."""
    return [*lines[:-1], {**lines[-1], "digest": digest(lines[:-1])}]


@pytest.mark.parametrize("variant", NAMES)
@pytest.mark.parametrize("fmt", ["game", "deals:3"])
@pytest.mark.parametrize("misbehave", [0.0, 0.03])
def test_whole_record_is_verified(variant: str, fmt: str, misbehave: float) -> None:
    """What the rules played, faults and forfeits included, verifies and is counted right."""
    lines = play_match(variant, fmt=fmt, misbehave=misbehave, seed=3)
    report = verify(lines)
    games = [game for line in lines[1:-1] for game in line["games"]]
    assert (report.sets, report.games, report.deals) == (2, len(games), sum(len(game["deals"]) for game in games))


def test_lines_survive_the_file(tmp_path: Path) -> None:
    """A record read back from a file is the same, byte for byte when written again."""
    lines = play_match("cutthroat", misbehave=0.05)
    file = tmp_path / "match.jsonl"
    file.write_text("".join(dumps(line) + "\n" for line in lines), encoding="utf-8")
    again = list(read(file))
    verify(again)
    assert "".join(dumps(line) + "\n" for line in again) == file.read_text(encoding="utf-8")


def _deal(lines: Lines) -> dict[str, Any]:
    """A deal that was not thrown in."""
    deals = [deal for line in lines[1:-1] for game in line["games"] for deal in game["deals"]]
    return next(deal for deal in deals if sum(deal["tricks"]))


def _alter_card(lines: Lines) -> None:
    moves = _deal(lines)["moves"].split()
    moves[-1], moves[-2] = moves[-2], moves[-1]
    _deal(lines)["moves"] = " ".join(moves)


def _alter_word(lines: Lines) -> None:
    _deal(lines)["moves"] = _deal(lines)["moves"].replace(" ", " 1C ", 1)


def _cut_moves(lines: Lines) -> None:
    _deal(lines)["moves"] = _deal(lines)["moves"].rsplit(" ", 1)[0]


def _add_move(lines: Lines) -> None:
    _deal(lines)["moves"] += " 9C"


def _alter_points(lines: Lines) -> None:
    _deal(lines)["points"][0] += 1


def _alter_total(lines: Lines) -> None:
    lines[1]["games"][0]["total"][0] += 1


def _alter_running_total(lines: Lines) -> None:
    _deal(lines)["total"][0] += 1


def _alter_tricks(lines: Lines) -> None:
    _deal(lines)["tricks"].reverse()
    _deal(lines)["tricks"][0] += 1


def _alter_places(lines: Lines) -> None:
    lines[1]["games"][0]["places"] = [place + 1 for place in lines[1]["games"][0]["places"]]


def _alter_end(lines: Lines) -> None:
    lines[1]["games"][0]["end"] = "won"


def _alter_forfeits(lines: Lines) -> None:
    lines[1]["games"][0]["forfeits"] = [0]


def _alter_seating(lines: Lines) -> None:
    lines[1]["games"][0]["seating"] = lines[1]["games"][1]["seating"]


def _drop_game(lines: Lines) -> None:
    del lines[1]["games"][0]


def _drop_deal(lines: Lines) -> None:
    lines[1]["games"][0]["deals"].pop()


def _alter_dealer(lines: Lines) -> None:
    lines[1]["dealer"] = (lines[1]["dealer"] + 1) % 3


def _alter_commitment(lines: Lines) -> None:
    lines[0]["commitment"] = "00" * 32


def _alter_key(lines: Lines) -> None:
    lines[-1]["key"] = bytes(reversed(KEY)).hex()


def _alter_option(lines: Lines) -> None:
    lines[0]["options"]["target"] = "many"


def _drop_option(lines: Lines) -> None:
    del lines[0]["options"]["target"]


def _alter_variant(lines: Lines) -> None:
    lines[0]["variant"] = "spades"


def _float_points(lines: Lines) -> None:
    _deal(lines)["points"] = [float(points) for points in _deal(lines)["points"]]


def _nameless_bot(lines: Lines) -> None:
    lines[0]["lineup"][0] = "bot0"


def _no_sets(lines: Lines) -> None:
    del lines[1:-1]
    lines[-1]["sets"] = 0


def _blame_for_a_legal_answer(lines: Lines) -> None:
    deal = _deal(lines)
    deal["faults"] = [{"move": 0, "seat": 0, "cause": "ILLEGAL", "answer": deal["moves"].split()[0]}]


def _blame_nobody(lines: Lines) -> None:
    _deal(lines)["faults"] = [{"move": 0, "seat": 9, "cause": "LATE"}]


def _drop_first_set(lines: Lines) -> None:
    del lines[1]


def _drop_last_set(lines: Lines) -> None:
    del lines[-2]


def _drop_end(lines: Lines) -> None:
    del lines[-1]


def _drop_header(lines: Lines) -> None:
    del lines[0]


PLACED = [_alter_card, _alter_word, _cut_moves, _add_move, _alter_points, _alter_running_total, _alter_tricks]
LOOSE = [
    _alter_total, _alter_places, _alter_end, _alter_forfeits, _alter_seating, _drop_game, _drop_deal, _alter_dealer,
    _alter_commitment, _alter_key, _alter_option, _drop_option, _alter_variant, _blame_nobody, _float_points,
    _nameless_bot, _no_sets, _blame_for_a_legal_answer, _drop_first_set, _drop_last_set,
    _drop_end, _drop_header,
]  # fmt: skip


@pytest.mark.parametrize("alter", PLACED + LOOSE)
def test_alteration_is_caught(lines: Lines, alter: Callable[[Lines], None]) -> None:
    """Whatever is altered or missing, the record is wrong."""
    altered = copy.deepcopy(lines)
    alter(altered)
    with pytest.raises(Wrong):
        verify(altered)


@pytest.mark.parametrize("alter", [change for change in PLACED + LOOSE if change not in {_drop_end, _drop_last_set}])
def test_alteration_is_caught_by_replay_alone(lines: Lines, alter: Callable[[Lines], None]) -> None:
    """The digest is not what finds an altered result: with a digest that fits, the replay still does."""
    altered = copy.deepcopy(lines)
    alter(altered)
    with pytest.raises(Wrong) as caught:
        verify(sealed(altered) if "digest" in altered[-1] else altered)
    assert "digest" not in str(caught.value)


@pytest.mark.parametrize("alter", PLACED)
def test_place_of_the_first_wrong_thing_is_named(lines: Lines, alter: Callable[[Lines], None]) -> None:
    """A wrong deal is named by set, game and deal."""
    altered = copy.deepcopy(lines)
    alter(altered)
    with pytest.raises(Wrong, match=r"^set 0, game 0, deal \d"):
        verify(altered)


def test_swapped_seatings_are_caught_by_the_digest() -> None:
    """Two games whose seatings are exchanged replay well, so only the digest tells."""
    lines = play_match("turn-up")
    first, second = lines[1]["games"]
    first["seating"], second["seating"] = second["seating"], first["seating"]
    with pytest.raises(Wrong, match="digest"):
        verify(lines)


def test_renamed_bot_is_caught() -> None:
    """The line-up is under the digest too."""
    lines = play_match("turn-up")
    lines[0]["lineup"][0]["bot"] = "somebody"
    with pytest.raises(Wrong, match="digest"):
        verify(lines)


@pytest.mark.parametrize("junk", [b"", b"[]\n", b"{\n", b'"x"\n', b"{}\n", b"\xff\n", b'{"record":"euchre-arena/1"}\n'])
def test_junk_is_wrong_and_nothing_worse(tmp_path: Path, junk: bytes) -> None:
    """A file that is no record gives Wrong, never another exception."""
    file = tmp_path / "junk.jsonl"
    file.write_bytes(junk)
    with pytest.raises(Wrong):
        verify(read(file))


def _replacements(value: Any) -> list[Any]:
    return [None, [], {}, "x", -1, 10**9, True, 1.5, [value], ["x"], [None]]


def test_any_value_of_any_kind_gives_wrong_or_ok() -> None:
    """Whatever JSON stands anywhere in a record, verification answers with a verdict, never with a crash."""
    lines = play_match("ghost-hand", sets=1, fmt="deals:1", misbehave=0.2)
    text = json.dumps(lines)

    def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [path, *(deeper for key, child in items for deeper in paths(child, (*path, key)))]

    caught = 0
    for path in paths(lines):
        if len(path) < 2:  # `read` gives dictionaries only
            continue
        for junk in _replacements(0):
            altered = json.loads(text)
            holder = altered
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = junk
            try:
                verify(altered)
            except Wrong:
                caught += 1
    assert caught > 500
