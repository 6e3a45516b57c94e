"""A test double of `python -m referee match`: real games by the rules, played by their fallback, and misbehaviour on demand.

Its arguments are a comma-separated script, a word a run, the last one for ever after, and a file in which it counts its runs:

    ok           play what is ordered
    some:N       play N games, then exit with code 3
    hang:N       play N games, then sleep
    void         report every game void by the infrastructure
    noise        write a line that is no event
    nodone       play all, and leave without saying so
    stubborn     play one game, then sleep through SIGTERM
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from referee.game import Game
from referee.rules import Rules


def say(**event: object) -> None:
    """One event."""
    print(json.dumps(event), flush=True)


def main() -> None:
    """Act one run of the script; without an order there is none."""
    line = sys.stdin.readline()
    if not line:
        return
    script, counter = sys.argv[1].split(","), Path(sys.argv[2])
    run = int(counter.read_text()) if counter.exists() else 0
    counter.write_text(str(run + 1))
    counter.with_suffix(".pid").write_text(str(os.getpid()))
    word, _, number = script[min(run, len(script) - 1)].partition(":")
    act(word, int(number or 0), json.loads(line))


def act(word: str, number: int, order: dict) -> None:
    """One run."""
    if word == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    games = order["games"] if word in {"ok", "nodone"} else order["games"][: 1 if word == "stubborn" else number]
    rules = Rules(order["variant"], order["options"])
    for number_of_set, seating in games:
        game = Game(rules, bytes.fromhex(order["key"]), number_of_set, order["format"])
        while game.settle():
            game.apply(game.deal.fallback())
        say(event="game", set=number_of_set, seating=seating, record=game.record(seating), times={"decisions": [1] * rules.seats})
    end(word, order)


def end(word: str, order: dict) -> None:
    """What comes after the games."""
    if word in {"hang", "stubborn"}:
        time.sleep(600)
    if word == "some":
        print("it is all too much", file=sys.stderr)
        sys.exit(3)
    if word == "noise":
        print("hello there", flush=True)
        time.sleep(600)
    if word == "void":
        for number_of_set, seating in order["games"]:
            say(event="void", set=number_of_set, seating=seating, cause="INFRASTRUCTURE", detail="the machine was too slow")
        say(event="log", bot=order["lineup"][0]["bot"], seat=0, seating=order["games"][0][1], exit=1, tail="oh dear")
    if word != "nodone":
        say(event="done")


if __name__ == "__main__":
    main()
