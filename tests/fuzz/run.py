"""Fuzz for as long as wanted: python -m tests.fuzz.run --minutes 10 --seed 1.

Rounds of attacks drawn from the seed go on until the time is over, all against one referee. Ends with 1 where an invariant did
not hold, and prints the attack, shrunk.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz import attacks, play
from tests.fuzz.arena import opened, resident

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fuzz.arena import Arena

KINDS: dict[str, tuple[Any, Any]] = {
    "streams": (attacks.scripts, play.stream),
    "sockets": (attacks.noises, play.noise),
    "operators": (attacks.operators, play.operate),
}
SHARES = {"streams": 60, "sockets": 15, "operators": 25}
"""Attacks of each kind in a round."""
GROWTH = 96 * 1024 * 1024
"""Bytes of memory by which a long run may grow after its first rounds."""


def attack(arena: Arena, kind: str, number: int, count: int, stop: Callable[[], bool] = lambda: False) -> int:
    """Carry out `count` attacks of a kind, drawn from a seed; how many there were. Raises what the first bad one raised."""
    strategy, act = KINDS[kind]
    made = 0

    @settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck), print_blob=False,
    )  # fmt: skip
    @seed(number)
    @given(strategy)
    def one(script: Any) -> None:
        nonlocal made
        if stop():
            return
        made += 1
        arena.run(act(arena, script))
        arena.check()

    one()
    return made


def fuzz(arena: Arena, minutes: float, first: int) -> tuple[dict[str, int], list[str], list[int]]:
    """Rounds until the time is over: attacks made by kind, findings, and memory after each round."""
    deadline = time.monotonic() + minutes * 60
    made, findings, memory, number = dict.fromkeys(KINDS, 0), list[str](), list[int](), first
    while time.monotonic() < deadline:
        for kind, count in SHARES.items():
            try:
                made[kind] += attack(arena, kind, number, count, lambda: time.monotonic() > deadline)
            except Exception as error:  # noqa: BLE001 - whatever an attack brings about is a finding
                findings.append(f"seed {number}, {kind}: {told(error)}")
                print(findings[-1], flush=True)
        number += 1
        memory.append(resident())
        print(f"{made}, {arena.inputs} inputs, {arena.healthy_matches} healthy matches, {memory[-1] >> 20} MiB", flush=True)
    return made, findings, memory


def told(error: BaseException) -> str:
    """What went wrong, and the attack that hypothesis shrank, in not too many words."""
    inner = [told(one) for one in error.exceptions] if isinstance(error, BaseExceptionGroup) else []
    notes = "\n".join(getattr(error, "__notes__", []))
    return "\n".join([f"{type(error).__name__}: {error}"[:4000], notes[:4000], *inner])


def main() -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (10)")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; the next have the numbers after it (1)")
    given_ = parser.parse_args()
    warnings.filterwarnings("ignore", message="Generating overly large repr")
    with opened() as arena:
        _, findings, memory = fuzz(arena, given_.minutes, given_.seed)
        steady = memory[min(len(memory) - 1, 2)]
        if memory[-1] - steady > GROWTH:
            findings.append(f"memory grew from {steady >> 20} to {memory[-1] >> 20} MiB")
    print(f"calls ended: {dict(sorted(arena.statuses.items()))}")
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
