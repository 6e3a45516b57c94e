"""Golden records: what was played once is played the same today, byte for byte."""

from __future__ import annotations

import pytest

from referee.game import Game
from referee.record import Header, complete, dumps, read, set_line, verify
from referee.rules import VARIANTS, Rules, Variant
from tests.rules import notation as n
from tests.rules import regenerate


def replayed(game: Game, old: dict[str, object]) -> dict[str, object]:
    """A game of a record, played again from its moves and faults."""
    for deal in old["deals"]:
        faults = {fault["move"]: fault for fault in deal["faults"]}
        for index, move in enumerate(deal["moves"].split()):
            if index in faults:
                assert n.text(game.fault(faults[index]["cause"], faults[index].get("answer"))) == move
            else:
                game.apply(n.action(move))
    assert game.finished
    return game.record(old["seating"])


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_golden_record(variant: Variant) -> None:
    """Every variant has a golden record, which verifies and gives the same bytes when its moves are made again."""
    path = regenerate.golden(variant)
    assert path.exists(), f"{variant.name} has no golden record: python -m tests.rules.regenerate"
    lines = list(read(path))
    head, sets, end = lines[0], lines[1:-1], lines[-1]
    assert verify(lines).variant == variant.name
    rules, key = Rules(variant.name, head["options"]), bytes.fromhex(end["key"])

    def game_of(line: dict[str, object]) -> Game:
        return Game(rules, key, line["set"], head["format"], head["clock"]["faults"])

    again = [
        set_line(line["set"], game_of(line).dealer, [replayed(game_of(line), game) for game in line["games"]]) for line in sets
    ]
    header = Header(head["match"], rules, head["format"], head["lineup"], key, head["clock"], league=head["league"])
    assert "".join(dumps(line) + "\n" for line in complete(header, again)) == path.read_text("utf-8")
    assert sum(bool(deal["faults"]) for game in sets[0]["games"] for deal in game["deals"]), "no revoke in it"


def test_no_golden_record_is_left_over() -> None:
    """The folder holds the records of the variants and nothing else."""
    assert sorted(regenerate.FOLDER.iterdir()) == sorted(map(regenerate.golden, VARIANTS))
