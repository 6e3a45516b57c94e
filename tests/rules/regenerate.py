"""Golden records: `python -m tests.rules.regenerate` plays them afresh. Look at the difference before you commit it.

They show drift, not truth: a record changes when the rules, the shuffle or the format of records do. Truth is in examples/.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.game import Game
from referee.record import Header, complete, dumps, set_line
from referee.rules import VARIANTS, Rules
from tests.rules import notation as n
from tests.rules.worlds import choose

if TYPE_CHECKING:
    from referee.rules import Variant

FOLDER = Path(__file__).parent / "records"
KEY = bytes(range(100, 132))
FORMAT = "deals:5"
CLOCK = {"answer": 1.0, "bank": 10.0, "start": 20.0, "grace": 5.0, "faults": 3}


def golden(variant: Variant) -> Path:
    """Where the variant's record is."""
    return FOLDER / f"{variant.name}.jsonl"


def play(game: Game, rng: random.Random) -> None:
    """Play a game with random moves, and a revoke now and then."""
    while game.settle():
        wrong = [card for card in range(33) if game.deal.is_revoke(card)]
        if wrong and rng.random() < 0.2:
            game.fault("ILLEGAL", n.text(rng.choice(wrong)))
        else:
            game.apply(choose(game.deal, rng))


def record(variant: Variant) -> list[dict[str, Any]]:
    """A record of one set, under the default options."""
    rules, rng = Rules(variant.name), random.Random(variant.name)
    lineup = [{"bot": name, "version": 1} for name in ("ann", "bea", "cid")[: rules.bots]]
    games = []
    for seating in rules.seatings():
        game = Game(rules, KEY, 0, FORMAT, CLOCK["faults"])
        first = game.dealer
        play(game, rng)
        games.append(game.record(seating))
    header = Header(f"golden/{variant.name}", rules, FORMAT, lineup, KEY, CLOCK)
    return complete(header, [set_line(0, first, games)])


def main() -> None:
    """Write the records of all variants."""
    for variant in VARIANTS:
        golden(variant).write_text("".join(dumps(line) + "\n" for line in record(variant)), encoding="utf-8")


if __name__ == "__main__":
    main()
