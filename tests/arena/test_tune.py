"""`arena tune`: the same games as over the wire, the same figures in any number of processes, and errors that say what to do."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from arena.cli.tune import grid
from arena.sdk.local import table_for
from arena.tune import Margins, Series, Source, difference, load, margins_of, play_sets, points_margin
from league.results import GameResult
from league.standings import paired_margin
from league.store_games import summarize
from referee.rules import Rules
from tests.referee.matches import KEY, finish, order, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

GREEDY = Source("sample_bots.python.greedy")
LOWEST = Source("sample_bots.python.lowest")

FIRST_LEGAL = """
from arena import Bot
ENOUGH = 1.5
class First(Bot):
    place = 0
    def choose(self, view):
        return view.legal[self.place]
"""


@pytest.mark.parametrize("variant", ["turn-up", "ghost-hand"])
def test_the_games_are_those_of_a_match(variant: str) -> None:
    """A set played here is, move by move, the set that the referee plays with the same key and the bots as programs."""
    rules = Rules(variant)
    modules = ["sample_bots.python.greedy", "sample_bots.python.lowest", "sample_bots.python.counter"][: rules.bots]
    matched = order(*(f"python -m {module}" for module in modules), variant=variant, options={}, fmt="deals:3", seatings=2)
    outcome = finish(start(matched))
    assert outcome.exit == 0, outcome.stderr
    series = Series(rules, bytes.fromhex(KEY), "deals:3")
    factories = [load(Source(module)) for module in modules]
    assert outcome.games
    for (number, seating), record in outcome.games.items():
        assert series.play_game(number, seating, factories, modules).record(seating) == record


def test_the_margin_is_the_one_of_standings() -> None:
    """Points a deal and their interval are what `arena play` and standings make of the same games."""
    rules, names = Rules("cutthroat"), ["greedy", "lowest", "random"]
    series = Series(rules, bytes(32), "game")
    factories = [load(Source(f"sample_bots.python.{module}")) for module in ("greedy", "lowest", "random_bot")]
    results = play_sets(series, range(6), factories, names)
    games = []
    for number in range(6):
        for seating in rules.seatings():
            game = summarize(series.play_game(number, seating, factories, names).record(seating))
            places, points = game.places, game.points
            games.append(
                GameResult("m", rules.name, number, tuple(names), places, points, game.deals, game.faults, game.forfeits)
            )
    for name, margins in margins_of(results, names).items():
        expected, found = paired_margin(games, "greedy", name), points_margin(margins)
        assert expected is not None
        assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_what_sets_have_in_common_cancels_in_differences() -> None:
    """The luck of a set is in both margins and not in their difference, so its interval is that of the rest alone."""
    chance = np.random.default_rng(1)
    luck, deals = chance.normal(0, 50, 200), np.full(200, 20.0)
    base, other = (Margins(luck + chance.normal(gain, 2, 200), deals, luck) for gain in (0.0, 4.0))
    found = difference(other, base)
    assert found.half_width is not None
    assert found.low is not None
    assert found.low < 0.2 < (found.high or 0.0)
    assert found.half_width < (points_margin(base).half_width or 0.0) / 10


def test_figures_do_not_depend_on_the_number_of_processes(arena: Callable[..., Result], tmp_path: Path) -> None:
    """One process or two, the same seed gives the same bytes, even for bots with dice and a memory; another seed gives others."""
    bot = tmp_path / "dicey.py"
    bot.write_text(
        "import random\nfrom arena import Bot\n"
        "class Dicey(Bot):\n"
        "    count = 0\n"
        "    def choose(self, view):\n"
        "        self.count += 1\n"
        "        return view.legal[(self.count + random.randrange(3)) % len(view.legal)]\n"
    )
    words = ("tune", str(bot), "--against", "lowest", "--variant", "turn-up", "--sets", "6", "--format", "deals:4", "--json")
    outputs = [arena(*words, *more) for more in (("--jobs", "1"), ("--jobs", "2"), ("--jobs", "1", "--seed", "other"))]
    assert [done.exit_code for done in outputs] == [0, 0, 0], outputs
    assert outputs[0].stdout == outputs[1].stdout
    assert outputs[0].stdout != outputs[2].stdout


def test_every_value_plays_the_same_deals(arena: Callable[..., Result]) -> None:
    """A value that is the bot's own anyway gains nothing on it, exactly; the table has a row for each of a grid."""
    rows = table_of(arena, "--vary", "NEEDED=2.5,2.50,9", "--vary", "name='greedy'")
    assert [row["settings"] for row in rows] == [{"NEEDED": needed, "name": "'greedy'"} for needed in ("2.5", "2.5", "9")]
    assert rows[0]["difference"] is None
    assert rows[1]["difference"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert rows[2]["points"]["value"] < rows[0]["points"]["value"]
    text = arena(
        "tune", "greedy", "--against", "lowest", "--variant", "turn-up", "--sets", "2", "--jobs", "1", "--vary", "NEEDED=1,2"
    )
    assert "NEEDED=2  lowest" in text.stdout
    assert "less the first's" in text.stdout
    assert "turn-up: 4/4 sets in" in text.stderr


def table_of(arena: Callable[..., Result], *words: str) -> list[dict[str, Any]]:
    done = arena("tune", "greedy", "--against", "lowest", "--variant", "turn-up", "--sets", "8", "--jobs", "1", "--json", *words)
    assert done.exit_code == 0, done.output
    rows: list[dict[str, Any]] = json.loads(done.stdout)["results"][0]["rows"]
    return rows


def test_a_bot_is_set_apart_from_its_opponent(tmp_path: Path) -> None:
    """What is set in one bot's module changes neither another of the same module nor the module that others import."""
    file = tmp_path / "first.py"
    file.write_text(FIRST_LEGAL)
    plain, changed = load(Source(str(file))), load(Source(str(file), (("ENOUGH", "2"), ("place", "-1"))))
    assert [made().place for made in (plain, changed)] == [0, -1]  # type: ignore[attr-defined]
    from sample_bots.python import greedy  # noqa: PLC0415

    bold = load(Source(GREEDY.text, (("NEEDED", "0"),)))
    assert greedy.NEEDED == 2.5
    assert not isinstance(bold(), greedy.Greedy)


def test_every_seat_of_every_game_has_a_bot_of_its_own() -> None:
    """A bot is opened once and closed once, with its result, and never sits at a second table."""
    from arena import Bot, Table, View  # noqa: PLC0415
    from arena import Result as Ending  # noqa: PLC0415

    seen: list[tuple[str, object]] = []

    class Watcher(Bot):
        def opened(self, table: Table) -> None:
            assert table.format == "deals:2"
            seen.append(("opened", self))

        def choose(self, view: View) -> str:
            return view.legal[0]

        def closed(self, result: Ending) -> None:
            assert result.end == "deals"
            seen.append(("closed", self))

    Series(Rules("turn-up"), bytes(32), "deals:2").play_set(0, [Watcher, load(LOWEST)], ["watcher", "lowest"])
    assert [what for what, _ in seen] == ["opened", "opened", "closed", "closed"] * 2
    assert len({bot for _, bot in seen}) == 4
    assert table_for(Rules("turn-up"), 0).format == "game"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nobody", "--against", "greedy"), "No module named 'nobody' (a bot is random, lowest, greedy, counter"),
        (("greedy", "--against", "no/such.py"), "there is no file no/such.py"),
        (("greedy", "--against", "sample_bots.python.greedy:None_"), "has no 'None_' (bots in it: Greedy)"),
        (("greedy", "--against", "arena.sdk"), "Write arena.sdk:NAME"),
        (("greedy", "--against", "sample_bots.python.greedy:NEEDED"), "neither a class that derives from Bot nor a function"),
        (("greedy", "--against", "greedy,lowest"), "2 bots given, turn-up has room for 1"),
        (("greedy", "--against", "lowest", "--vary", "NEDED=1"), "greedy has no NEDED (it has: NEEDED,"),
        (
            ("greedy", "--against", "lowest", "--vary", "NEEDED=much"),
            "NEEDED=much does not fit: in greedy it is 2.5, of type float",
        ),
        (("greedy", "--against", "lowest", "--vary", "NEEDED"), "'NEEDED' is not NAME=VALUE,VALUE"),
        (("greedy", "--against", "lowest", "--vary", "NEEDED=1", "--vary", "NEEDED=2"), "NEEDED is given twice"),
        (("greedy", "--against", "lowest", "--vary", "other.NEEDED=1"), "greedy uses no module other (its own: sample_bots"),
        (("greedy", "--against", "lowest", "--format", "deals"), "bad format 'deals' (allowed: game, or deals:N"),
        (("greedy", "--against", "lowest", "--option", "joker=on"), "unknown option 'joker' of turn-up"),
        (("greedy", "--against", "lowest", "--sets", "0"), "0 is not in the range"),
    ],
)
def test_mistakes_are_told(arena: Callable[..., Result], words: tuple[str, ...], told: str) -> None:
    """What is wrong on the command line ends with 2 and names what is allowed, before anything is played."""
    done = arena("tune", *words, "--variant", "turn-up", "--jobs", "1")
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert told in done.stderr


def test_an_unknown_variant_is_told(arena: Callable[..., Result]) -> None:
    """So is a variant that there is not."""
    done = arena("tune", "greedy", "--against", "lowest", "--variant", "skat")
    assert done.exit_code == 2
    assert "unknown variant 'skat' (known: ghost-hand," in done.stderr


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("'XX'", ["answered XX, which is not legal (allowed: "]),
        ("'ZZ'", ["raised", "'ZZ' is neither a card nor a call"]),
        ("[][1]", ["raised", "IndexError: list index out of range", "bad.py", "while deciding <View turn-up deal 0"]),
    ],
)
def test_a_bot_that_fails_is_told_with_its_deal(
    arena: Callable[..., Result], tmp_path: Path, answer: str, told: list[str]
) -> None:
    """An illegal answer or an exception ends with 1 and says in which set, seating and deal, at which seat and after what."""
    (tmp_path / "bad.py").write_text(f"def choose(view):\n    return {answer}\n")
    words = ("tune", f"{tmp_path}/bad.py:choose", "--against", "lowest", "--variant", "turn-up", "--sets", "2", "--jobs")
    for jobs in ("1", "2"):
        done = arena(*words, jobs)
        assert done.exit_code == 1
        assert re.search(r"Error: set [01], seating 0 1 0 1, deal 0, seat \d, auction, hand ", done.stderr)
        for text in told:
            assert text in done.stderr


def test_a_bot_that_takes_its_process_with_it_is_told(arena: Callable[..., Result], tmp_path: Path) -> None:
    """Where a process ends without a word, that is said."""
    (tmp_path / "exits.py").write_text("import os\n\ndef choose(view):\n    os._exit(3)\n")
    done = arena(
        "tune", f"{tmp_path}/exits.py:choose", "--against", "lowest", "--variant", "turn-up", "--sets", "2", "--jobs", "2"
    )
    assert done.exit_code == 1
    assert "a bot ended the process that it played in" in done.stderr


def test_values_are_split_as_python_writes_them() -> None:
    """Commas within brackets or quotes separate nothing; what is no Python is split at every comma."""
    assert grid(["A={1: (2, 3)}, 'x,y',-1"]) == [(("A", "{1: (2, 3)}"),), (("A", "'x,y'"),), (("A", "-1"),)]
    assert grid(["A=a b, c d", "B=1,2"])[1] == (("A", "a b"), ("B", "2"))
    assert grid([]) == [()]


def test_the_seed_is_a_text(arena: Callable[..., Result]) -> None:
    """The deals are those of the key that is the seed's SHA-256, so anybody can deal them again."""
    done = arena(
        "tune", "greedy", "--against", "lowest", "--variant", "turn-up", "--sets", "3", "--seed", "ä", "--jobs", "1", "--json"
    )
    results = play_sets(
        Series(Rules("turn-up"), hashlib.sha256("ä".encode()).digest()), range(3), [load(GREEDY), load(LOWEST)], ["a", "b"]
    )
    row = json.loads(done.stdout)["results"][0]["rows"][0]
    assert row["deals"] == sum(result.deals for result in results)
    assert row["points"]["value"] == pytest.approx(points_margin(margins_of(results, ["a", "b"])["b"]).value)
