"""`arena show`: one deal of a record, so that a person can follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dashboard.replay import Dealt, Move, Replay, Trick, replay
from referee.record import Wrong, read, verify
from referee.rules import Rules
from referee.shuffle import shuffled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_TURNED = {"taken": "taken up by the dealer", "left": "left by the dealer", "down": "turned down"}
_SAID = {"order": "orders it", "moon": "shoots the moon", "ask": "bids six and asks", "swap": "swaps with the ghost"}


@click.command()
@click.argument("file")
@click.option("--set", "set_number", default=0, show_default=True, help="Number of the set.")
@click.option("--game", "game_number", default=0, show_default=True, help="Number of the game in the set: its seating.")
@click.option("--deal", "deal_number", default=0, show_default=True, help="Number of the deal in the game.")
def show(file: str, set_number: int, game_number: int, deal_number: int) -> None:
    """Print one deal of a verified match record."""
    try:
        lines = list(read(file))
        verify(lines)
    except (Wrong, OSError) as error:
        raise click.ClickException(f"{file}: {error}") from None
    games = _pick("set", lines[1:-1], set_number)["games"]
    game = _pick("game", games, game_number)
    _pick("deal", game["deals"], deal_number)
    click.echo("\n".join(deal_text(lines[0], lines[-1]["key"], (set_number, lines[1 + set_number]["dealer"]), game, deal_number)))


def _pick(what: str, entries: Sequence[dict[str, Any]], number: int) -> dict[str, Any]:
    if not 0 <= number < len(entries):
        raise click.UsageError(f"--{what}: there is no {what} {number} (allowed: 0 to {len(entries) - 1})")
    return entries[number]


def deal_text(head: dict[str, Any], key: str, place: tuple[int, int], game: dict[str, Any], number: int) -> Iterator[str]:
    """The lines that tell a deal. `place` is the set's number and its first dealer; the record is trusted to be right."""
    set_number, first = place
    rules = Rules(head["variant"], head["options"])
    pack = shuffled(bytes.fromhex(key), set_number, number, rules.pack)
    before = game["deals"][number - 1]["total"] if number else [0] * rules.sides
    dealt = Dealt(number, (first + number) % rules.seats, pack, tuple(before))
    told = replay(rules, dealt, game["deals"][number])
    names = [f"{seat} {head['lineup'][bot]['bot']}" for seat, bot in enumerate(game["seating"])]
    yield f"{head['match']}: {rules.name}, set {set_number}, seating {game['seating']}, deal {number}"
    yield from Teller(rules, told, names).lines(before)


class Teller:
    """Tells one deal line by line. `names` are by seat."""

    def __init__(self, rules: Rules, told: Replay, names: Sequence[str]) -> None:
        self._rules = rules
        self._told = told
        self._names = names
        self._width = max(map(len, names))

    def lines(self, before: Sequence[int]) -> Iterator[str]:
        """Every line, given the points before the deal by side."""
        yield f"before: {self._by_side(before)}"
        yield ""
        yield from self._dealt()
        yield ""
        yield from map(self._move, self._told.before)
        if self._told.thrown_in:
            yield "thrown in: no score"
            return
        yield from self._play()
        yield ""
        yield f"tricks: {', '.join(f'{name} {won}' for name, won in zip(self._names, self._told.taken, strict=True))}"
        yield f"points: {self._by_side(self._told.points)}"
        yield f"after:  {self._by_side(self._told.total)}"

    def _dealt(self) -> Iterator[str]:
        told = self._told
        for seat, hand in enumerate(told.hands):
            yield f"{self._name(seat)}  {' '.join(hand)}{'  (dealer)' if seat == told.dealer else ''}"
        if told.spare:
            yield f"{told.spare:<{self._width}}  {' '.join(told.spare_hand)}"
        if told.turned_card:
            yield f"{'turned up':<{self._width}}  {told.turned_card}"
        if told.stock:
            yield f"{'stock':<{self._width}}  {' '.join(told.stock)}"

    def _play(self) -> Iterator[str]:
        told = self._told
        suit = SUIT_NAMES.get(told.trump or "", "none")
        turned = f"; {told.turned_card} was {_TURNED[told.turned]}" if told.turned in _TURNED else ""
        out = "".join(f"; {self._names[seat]} sits out" for seat in told.out)
        yield f"trump: {suit}, maker {self._names[told.maker or 0]}{turned}{out}"
        yield ""
        for trick in told.tricks:
            yield self._trick(trick)
            yield from (line for play in trick.plays if (line := self._fault(play)))

    def _trick(self, trick: Trick) -> str:
        cards = "  ".join(f"{play.seat}:{play.action}" for play in trick.plays)
        return f"trick {trick.number:>2}  {cards}  -> {self._names[trick.winner]}"

    def _move(self, move: Move) -> str:
        words = {
            "auction": self._call(move.action),
            "trump": f"names {SUIT_NAMES.get(move.action, move.action)}",
            "joker": f"says that the joker stands for {SUIT_NAMES.get(move.action, move.action)}",
            "gift": f"gives {move.action} face down",
            "pick_up": self._pick_up(move.action),
        }
        text = words.get(move.phase, move.action if move.phase in ("alone", "claim") else f"lays {move.action} away")
        fault = self._fault(move)
        return f"{self._name(move.seat)}  {text}{fault}"

    @staticmethod
    def _call(call: str) -> str:
        if call.isdigit():
            return f"bids {call}"
        return _SAID.get(call, f"names {SUIT_NAMES[call]}" if call in SUIT_NAMES else call)

    def _pick_up(self, card: str) -> str:
        return f"leaves {card}" if card == self._told.turned_card else f"takes {self._told.turned_card}, discards {card}"

    @staticmethod
    def _fault(move: Move) -> str:
        if move.fault is None:
            return ""
        answered = f", answered {move.fault.answer}" if move.fault.answer else ""
        revoke = " (a revoke)" if move.fault.revoke else ""
        return f"   ! fault of seat {move.seat}: {move.fault.cause}{answered}{revoke}; {move.action} counts"

    def _name(self, seat: int) -> str:
        return f"{self._names[seat]:<{self._width}}"

    def _by_side(self, points: Sequence[int]) -> str:
        sides = range(self._rules.sides)
        names = [" + ".join(name for seat, name in enumerate(self._names) if self._rules.side(seat) == side) for side in sides]
        return ", ".join(f"{name} = {won}" for name, won in zip(names, points, strict=True))
