"""The commands of a league's life: precision, joining and leaving, seasons, showing, backup and restore."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from arena.cli.season import every, seconds_of
from league.schedule import planned
from referee import habits
from tests.arena.test_cli import stored
from tests.league.samples import play, play_missing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result


BASE = ("--variants", "turn-up", "--sets", "2", "--format", "deals:2")


def make(arena: Callable[..., Result], *more: str, bots: str = "random,greedy,counter") -> None:
    """Create the league "cup"."""
    made = arena("league", "create", "cup", "--bots", bots, *BASE, *more)
    assert made.exit_code == 0, made.output


def test_show_tells_everything(arena: Callable[..., Result]) -> None:
    """All options, resolved ones too, the clock, the bots with their versions, the commitment and the progress are shown."""
    make(arena, "--answer", "2.5")
    shown = arena("league", "show", "cup")
    assert shown.exit_code == 0, shown.output
    with stored() as store:
        league = store.league("cup")
    for word in ("round robin, 2 sets a match", "answer=2.5", "faults=3", league.commitment, "secret until", "0/3", "0/12"):
        assert word in shown.output
    assert "variant turn-up: turn-up, 4 seats, 2 deals a game" in shown.output
    options = next(line for line in shown.output.splitlines() if line.startswith("  options"))
    assert {word.partition("=")[0] for word in options.split()[1:]} == set(league.variants[0].options)
    assert all(f"{bot} " in shown.output for bot in ("counter", "greedy", "random"))
    missing = arena("league", "show", "cap")
    assert missing.exit_code == 1
    assert "no league 'cap' (there are: cup)" in missing.output


def test_a_precision_is_declared_and_shown(arena: Callable[..., Result]) -> None:
    """A league with a precision says so when it is made and when it is shown, with the most sets of a pairing."""
    make(arena, "--precision", "40")
    shown = arena("league", "show", "cup").output
    assert "rounds of 2 sets a pairing, at most 100 sets" in shown
    assert "± 40 Elo" in shown
    with stored() as store:
        assert (store.league("cup").precision, store.league("cup").max_sets) == (40.0, 100)


def test_habits_are_worked_out_for_what_is_complete(arena: Callable[..., Result]) -> None:
    """Complete matches of one league or of all get figures, once; others none, a damaged one is named."""
    make(arena)
    assert arena("league", "create", "cap", "--bots", "random,greedy", *BASE).exit_code == 0
    with stored() as store:
        for name in ("cup", "cap"):
            store.add_matches(planned(store.league(name)))
        first, second, third = store.matches("cup")
        for match in (first, second, *store.matches("cap")):
            play_missing(store, match.id)
        play_missing(store, third.id, 2)
    done = arena("league", "habits", "cup")
    assert (done.exit_code, done.output.splitlines()[0]) == (0, "2 matches worked out")
    assert arena("league", "habits").output.splitlines()[0] == "1 match worked out"
    assert arena("league", "habits").output.splitlines()[0] == "0 matches worked out"
    with stored() as store:
        assert store.count_habits(habits.FORMAT) == (3, 3)
        found = store.habits("cup", store.match(first.id).lineup[0], habits.FORMAT)
        assert all((one.found or {})["games"] == 4 for one in found)
        dealers = {game.set: game.dealer for game in store.games(third.id)}
        for number, seating in store.missing_games(third.id):  # games that nobody can have played with these cards
            record = {**play(first, store.match_key(first.id), number, seating)[1], "seating": list(seating)}
            store.add_game(third.id, number, seating, dealers[number], record)
    broken = arena("league", "habits", "cup")
    assert broken.exit_code == 0
    assert "0 matches worked out" in broken.output
    assert f"{third.id}: " in broken.output
    missing = arena("league", "habits", "cop")
    assert missing.exit_code == 1
    assert "no league 'cop'" in missing.output


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--precision", "2"), "2 Elo cannot be played for (allowed: 5 to 400)"),
        (("--precision", "many"), "'many' is not a valid float"),
        (("--precision", "50", "--max-sets", "1"), "from the 2 of a round to 100000, not 1"),
        (("--max-sets", "9"), "only where there is a precision"),
        (("--answer", "-1"), "answer"),
        (("--option", "turn-up.target=many"), "target"),
    ],
)
def test_bad_options_are_refused(arena: Callable[..., Result], more: tuple[str, ...], said: str) -> None:
    """What cannot be played ends with exit code 2, says what is allowed, and makes no league."""
    refused = arena("league", "create", "cup", "--bots", "random,greedy", *BASE, *more)
    assert refused.exit_code == 2
    assert said in refused.output
    with stored() as store:
        assert store.leagues() == []


def test_joining_and_leaving(arena: Callable[..., Result]) -> None:
    """A bot joins and another leaves; the command says what comes of it, and `show` tells both."""
    make(arena)
    joined = arena("league", "add-bot", "cup", "lowest")
    assert joined.output == "lowest v1 plays in league cup: +12 games to play\n"
    left = arena("league", "withdraw-bot", "cup", "random")
    assert left.output == "random is withdrawn from league cup; 3 bots play on\n"
    shown = arena("league", "show", "cup").output
    assert next(line for line in shown.splitlines() if line.startswith("random")).count("UTC") == 1
    assert next(line for line in shown.splitlines() if line.startswith("lowest")).count("UTC") == 1
    again = arena("league", "add-bot", "cup", "lowest")
    assert again.exit_code == 1
    assert "lowest v1 plays in this league already" in again.output
    arena("league", "abandon", "cup", "--yes")
    late = arena("league", "add-bot", "cup", "random")
    assert late.exit_code == 1
    assert "is finished and its key public" in late.output


def test_a_series(arena: Callable[..., Result]) -> None:
    """A series is made, shown, opened and stopped; its seasons are leagues like others."""
    made = arena("league", "season", "create", "spring", "--every", "7d", "--first", "2020-01-01", *BASE)
    assert made.exit_code == 0, made.output
    assert "a season every 1w, the first from 2020-01-01 00:00 UTC" in made.output
    opened = arena("league", "season", "open", "spring")
    assert opened.output == "season 1 of spring has begun: league spring-1, 5 bots\n"
    with stored() as store:
        store.add_matches(planned(store.league("spring-1")))
        play_missing(store, "spring-1/turn-up/0")
    arena("league", "season", "open", "spring")
    shown = arena("league", "season", "show", "spring").output
    lines = {line.split()[0]: line for line in shown.splitlines() if line.startswith("spring-")}
    assert "ended early" in lines["spring-1"]
    assert "4/40" in lines["spring-1"]
    assert "open" in lines["spring-2"]
    assert "season      2 of spring" in arena("league", "show", "spring-2").output
    assert arena("league", "standings", "spring-1").exit_code == 0
    arena("league", "season", "stop", "spring")
    assert "stopped" in arena("league", "season", "list").output
    assert arena("league", "season", "open", "spring").exit_code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--every", "soon"), "'soon' is no length of time; write a number and m, h, d or w"),
        (("--every", "7d", "--first", "tomorrow"), "'tomorrow' is no time; write YYYY-MM-DD"),
        (("--every", "500d"), "cannot be had (allowed: from 60 s"),
        (("--every", "7d", "--bots", "random"), "needs at least 2 bots"),
    ],
)
def test_bad_series_are_refused(arena: Callable[..., Result], words: tuple[str, ...], said: str) -> None:
    """A series that makes no sense ends with exit code 2 and says what is allowed."""
    refused = arena("league", "season", "create", "spring", *BASE, *words)
    assert refused.exit_code == 2
    assert said in refused.output


@pytest.mark.parametrize("text", ["1m", "90m", "12h", "6d", "2w"])
def test_lengths_of_time_read_as_written(text: str) -> None:
    """A length of time is printed as it is typed."""
    assert every(seconds_of(text)) == text


def test_backup_verify_restore(arena: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A league goes into a file that verifies, is private with a warning, and out of it into another arena, to be played on."""
    make(arena)
    with stored() as store:
        store.add_matches(planned(store.league("cup")))
        play_missing(store, "cup/turn-up/0")
        play_missing(store, "cup/turn-up/1", 1)
    file = tmp_path / "cup.zip"
    saved = arena("league", "backup", "cup", "--to", str(file))
    assert saved.exit_code == 0, saved.output
    assert f"warning: {file} holds the secret key" in saved.output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    verified = arena("verify", str(file))
    assert verified.exit_code == 0, verified.output
    said = "OK backup of league cup, 1 record of complete matches with 4 games, 2 matches not complete"
    assert verified.output == f"{file}: {said}\n"
    here = arena("league", "standings", "cup").output
    monkeypatch.setenv("ARENA_DATA", str(tmp_path / "elsewhere"))
    restored = arena("league", "restore", str(file))
    assert restored.exit_code == 0, restored.output
    assert "league cup: 5 of 12 games, 3 bots" in restored.output
    assert arena("league", "standings", "cup").output == here
    again = arena("league", "restore", str(file))
    assert again.exit_code == 1
    assert "restore it under another name" in again.output
    assert arena("league", "restore", str(file), "--as", "mug").exit_code == 0
    assert arena("league", "standings", "mug").output == here


def test_a_damaged_backup(arena: Callable[..., Result], tmp_path: Path) -> None:
    """A damaged backup neither verifies nor restores; both say what is damaged, and nothing is stored."""
    make(arena)
    file = tmp_path / "cup.zip"
    arena("league", "backup", "cup", "--to", str(file))
    raw = file.read_bytes()
    file.write_bytes(raw[: len(raw) // 2])
    for words in (("verify", str(file)), ("league", "restore", str(file), "--as", "mug")):
        failed = arena(*words)
        assert failed.exit_code == 1
        assert "no backup of a league, or cut short" in failed.output
    with stored() as store:
        assert [league.name for league in store.leagues()] == ["cup"]


def test_a_record_in_a_backup_that_lies(arena: Callable[..., Result], tmp_path: Path) -> None:
    """`verify` replays what a backup holds: games that were never played so are found though every digest is right."""
    make(arena, bots="random,greedy")
    with stored() as store:
        store.add_matches(planned(store.league("cup")))
        for number, seating in store.missing_games("cup/turn-up/0"):
            match, key = store.match("cup/turn-up/0"), bytes(32)  # another key, so other deals
            dealer, body = play(match, key, number, seating)
            store.add_game(match.id, number, seating, dealer, body)
    file = tmp_path / "cup.zip"
    arena("league", "backup", "cup", "--to", str(file))
    failed = arena("verify", str(file))
    assert failed.exit_code == 1
    assert f"{file}: WRONG records/cup+turn-up+0.jsonl: " in failed.output
