"""Match records: JSON Lines that anybody can replay from nothing but the rules and the key (docs/records.md).

The first line is the header, then comes a line a set, then the end line with the key. A record without an end line is an
interrupted match, whose key is still secret.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from referee.game import FAULTS, BadFormat, Game, deals_of
from referee.rules import Rules, RulesError
from referee.rules.cards import action_text, parse_action, texts
from referee.shuffle import KEY_BYTES, commitment, first_dealer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FORMAT: Final = "euchre-arena/1"

Json = dict[str, Any]


class Wrong(ValueError):  # noqa: N818 - reads as what happened
    """The first thing that is wrong with a record: `where` (set, game, deal, move) and `what`."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


@dataclass(frozen=True)
class Report:
    """What a verified record holds."""

    match: str
    variant: str
    sets: int
    games: int
    deals: int


# ---- writing ----------------------------------------------------------------------------------------------------------


def dumps(line: Mapping[str, Any]) -> str:
    """A line of a record, without its newline: the one way to write it, so that equal matches are equal bytes."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Header:
    """What the first line says. `lineup` holds {"bot", "version"}; without `duplicate` a set is one seating (remote play)."""

    match: str
    rules: Rules
    format: str
    lineup: Sequence[Mapping[str, Any]]
    key: bytes
    clock: Mapping[str, Any]
    league: str | None = None
    duplicate: bool = True

    def line(self) -> Json:
        """The first line of the record."""
        line: Json = {
            "record": FORMAT,
            "match": self.match,
            "league": self.league,
            "variant": self.rules.name,
            "format": self.format,
            "options": self.rules.options,
            "lineup": [{"bot": entry["bot"], "version": entry["version"]} for entry in self.lineup],
            "commitment": commitment(self.key),
            "clock": dict(self.clock),
        }
        return line if self.duplicate else {**line, "duplicate": False}


def set_line(number: int, dealer: int, games: Iterable[Json]) -> Json:
    """The line of a set: its first dealer and its games in the order of their seatings."""
    return {"set": number, "dealer": dealer, "games": sorted(games, key=lambda game: game["seating"])}


def end_line(before: Iterable[Json], key: bytes) -> Json:
    """The last line of a complete match, after the lines `before` it.

    `sets` and `digest` show that no line is missing or altered, which the replay alone cannot: some discards decide nothing.
    """
    lines = list(before)
    return {"end": "complete", "sets": len(lines) - 1, "digest": digest(lines), "key": key.hex()}


def digest(lines: Iterable[Json]) -> str:
    """SHA-256, in hex, of the lines as they are written, newlines included."""
    text = "".join(dumps(line) + "\n" for line in lines)
    return hashlib.sha256(text.encode()).hexdigest()


def complete(header: Header, sets: Iterable[Json]) -> list[Json]:
    """Every line of a complete match, from its header and its set lines."""
    lines = [header.line(), *sets]
    return [*lines, end_line(lines, header.key)]


# ---- reading ----------------------------------------------------------------------------------------------------------


def read(path: str | Path) -> Iterator[Json]:
    """The lines of a record file; raises Wrong where one is no JSON object, OSError where there is no file."""
    with Path(path).open("rb") as file:
        for number, raw in enumerate(file, 1):
            yield _parse_line(raw, number)


def _parse_line(raw: bytes, number: int) -> Json:
    try:
        line = json.loads(raw)
    except ValueError as error:
        raise Wrong(f"line {number}", f"no JSON ({error})") from None
    if not isinstance(line, dict):
        raise Wrong(f"line {number}", "not a JSON object")
    return line


# ---- verifying --------------------------------------------------------------------------------------------------------


def verify(lines: Iterable[Json]) -> Report:
    """Replay a whole record; raises Wrong at the first discrepancy."""
    rows = list(lines)
    if not rows:
        raise Wrong("record", "empty")
    head, sets, end = rows[0], rows[1:-1], rows[-1]
    rules = _header(head)
    if len(rows) == 1 or "end" not in end:
        raise Wrong("end", "no end line: the match was interrupted, and its key is still secret")
    match = _Match(head, rules, _key(end, head))
    _set_numbers(sets, end)
    deals = sum(match.verify_set(line) for line in sets)
    if end.get("digest", digest(rows[:-1])) != digest(rows[:-1]):
        raise Wrong("end", f"digest is {end['digest']!r}, the lines before give {digest(rows[:-1])!r}")
    return Report(head["match"], head["variant"], len(sets), sum(len(line["games"]) for line in sets), deals)


def _same(found: object, expected: object) -> bool:
    """Equality of JSON texts: 1.0 and true are not 1."""
    return json.dumps(found) == json.dumps(expected)


def _field(line: Json, name: str, kind: type | tuple[type, ...], where: str) -> Any:  # noqa: ANN401 - JSON
    value = line.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        found = "missing" if name not in line else f"{value!r}"
        raise Wrong(where, f"field {name!r} is {found}")
    return value


_HEADER_FIELDS: Final = {
    "match": str,
    "variant": str,
    "format": str,
    "options": dict,
    "lineup": list,
    "commitment": str,
    "clock": dict,
}


def _header(line: Json) -> Rules:
    """Check the header; returns the rules that it names."""
    where = "header"
    if line.get("record") != FORMAT:
        raise Wrong(where, f"record is {line.get('record')!r}, not {FORMAT!r}")
    for name, kind in _HEADER_FIELDS.items():
        _field(line, name, kind, where)
    try:
        rules = Rules(line["variant"], line["options"])
        deals_of(line["format"])
    except (RulesError, BadFormat) as error:
        raise Wrong(where, str(error)) from None
    if not _same(rules.options, {name: line["options"].get(name) for name in rules.options}):
        raise Wrong(where, f"options are not all resolved: {dumps(rules.options)} expected")
    if len(line["lineup"]) != rules.bots:
        raise Wrong(where, f"{len(line['lineup'])} bots in the line-up, {rules.name} takes {rules.bots}")
    for index, entry in enumerate(line["lineup"]):
        if not isinstance(entry, dict):
            raise Wrong(f"{where}, lineup {index}", "not a JSON object")
        _field(entry, "bot", str, f"{where}, lineup {index}")
        _field(entry, "version", int, f"{where}, lineup {index}")
    return rules


def _key(end: Json, head: Json) -> bytes:
    """The key of the end line, which must be what the commitment committed to."""
    if end["end"] != "complete":
        raise Wrong("end", f"end is {end['end']!r}, not 'complete'")
    try:
        key = bytes.fromhex(_field(end, "key", str, "end"))
    except ValueError:
        raise Wrong("end", "key is not hexadecimal") from None
    if len(key) != KEY_BYTES:
        raise Wrong("end", f"key has {len(key)} bytes, not {KEY_BYTES}")
    if commitment(key) != head["commitment"]:
        raise Wrong("end", f"SHA-256 of the key is {commitment(key)}, the commitment is {head['commitment']}")
    return key


def _set_numbers(sets: Sequence[Json], end: Json) -> None:
    if not sets:
        raise Wrong("record", "no sets")
    for expected, line in enumerate(sets):
        number = _field(line, "set", int, f"line {expected + 2}")
        if number != expected:
            raise Wrong(f"line {expected + 2}", f"set {number} stands where set {expected} should")
    declared = end.get("sets", len(sets))
    if declared != len(sets):
        raise Wrong("end", f"{declared} sets were played, the record holds {len(sets)}")


class _Match:
    """A match being verified."""

    def __init__(self, head: Json, rules: Rules, key: bytes) -> None:
        self._rules = rules
        self._fmt = head["format"]
        self._key = key
        self._limit = _field(head["clock"], "faults", int, "header: clock") if "faults" in head["clock"] else 3
        self._duplicate = head.get("duplicate", True)

    def verify_set(self, line: Json) -> int:
        """Verify one set; returns its number of deals."""
        number = line["set"]
        where = f"set {number}"
        dealer = first_dealer(self._key, number, self._rules.seats)
        if _field(line, "dealer", int, where) != dealer:
            raise Wrong(where, f"first dealer is {line['dealer']}, the key gives {dealer}")
        games = _field(line, "games", list, where)
        self._seatings(games, number, where)
        return sum(self._verify_game(game, number, f"{where}, game {index}") for index, game in enumerate(games))

    def _seatings(self, games: list[Any], number: int, where: str) -> None:
        for index, game in enumerate(games):
            if not isinstance(game, dict):
                raise Wrong(f"{where}, game {index}", "not a JSON object")
        found = [_field(game, "seating", list, f"{where}, game {index}") for index, game in enumerate(games)]
        seatings = sorted(map(list, self._rules.seatings()))
        expected = seatings if self._duplicate else [seatings[number % len(seatings)]]
        if sorted(found, key=str) != sorted(expected, key=str):
            raise Wrong(where, f"seatings are {found}, not {expected}")

    def _verify_game(self, line: Json, number: int, where: str) -> int:
        game = Game(self._rules, self._key, number, self._fmt, self._limit)
        deals = _field(line, "deals", list, where)
        for index, deal in enumerate(deals):
            _Replay(game, deal, f"{where}, deal {index}").run()
        if not game.finished:
            raise Wrong(where, f"the game is not over after {len(deals)} deals")
        wanted = game.record(line["seating"])
        for name in ("total", "places", "end", "forfeits"):
            if not _same(line.get(name), wanted[name]):
                raise Wrong(where, f"{name} is {line.get(name)!r}, the deals give {wanted[name]!r}")
        return len(deals)


class _Replay:
    """One deal of a record being replayed through the game that it belongs to."""

    def __init__(self, game: Game, line: Any, where: str) -> None:  # noqa: ANN401 - JSON
        if not isinstance(line, dict):
            raise Wrong(where, "not a JSON object")
        if game.finished:
            raise Wrong(where, f"the game was over ({game.end})")
        self._game = game
        self._line = line
        self._where = where
        self._faults = self._fault_map()

    def _fault_map(self) -> dict[int, Json]:
        faults = _field(self._line, "faults", list, self._where)
        if not all(isinstance(fault, dict) for fault in faults):
            raise Wrong(self._where, "a fault is not a JSON object")
        return {_field(fault, "move", int, f"{self._where}, fault"): fault for fault in faults}

    def run(self) -> None:
        """Make every move and compare what the deal came to."""
        moves = _field(self._line, "moves", str, self._where).split()
        number = self._game.deal.number
        for index, move in enumerate(moves):
            if self._closed(number):
                raise Wrong(self._where, f"the deal is over after {index} moves, {len(moves) - index} more follow")
            self._make(index, move)
        if not self._closed(number):
            raise Wrong(self._where, f"the moves end before the deal does, seat {self._game.deal.seat} is to move")
        played = self._game.deals[number]
        for name in ("faults", "tricks", "points", "total"):
            if not _same(self._line.get(name), played[name]):
                raise Wrong(self._where, f"{name} is {self._line.get(name)!r}, the moves give {played[name]!r}")

    def _closed(self, number: int) -> bool:
        return len(self._game.deals) > number

    def _make(self, index: int, move: str) -> None:
        game, where = self._game, f"{self._where}, move {index}"
        fault = self._faults.get(index)
        automatic = game.automatic()
        if fault is not None and automatic is None:
            made = self._fault(fault, where)
        elif automatic is not None:
            made = automatic
            game.apply(made)
        else:
            made = _apply(game, move, where)
        if action_text(made) != move:
            raise Wrong(where, f"{move} stands where only {action_text(made)} could")

    def _fault(self, fault: Json, where: str) -> int:
        seat = self._game.deal.seat
        if fault.get("seat") != seat:
            raise Wrong(where, f"the fault blames seat {fault.get('seat')}, seat {seat} was to move")
        answer = fault.get("answer")
        if answer is not None and not isinstance(answer, str):
            raise Wrong(where, f"the fault's answer is {answer!r}, no text")
        cause = _field(fault, "cause", str, where)
        if cause not in FAULTS:
            raise Wrong(where, f"cause is {cause!r} (allowed: {', '.join(sorted(FAULTS))})")
        if answer in texts(self._game.deal.legal):
            raise Wrong(where, f"the fault's answer {answer} was legal")
        return self._game.fault(cause, answer)


def _apply(game: Game, move: str, where: str) -> int:
    try:
        action = parse_action(move)
        game.apply(action)
    except (RulesError, ValueError) as error:
        raise Wrong(where, str(error)) from None
    return action
