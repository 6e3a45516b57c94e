"""Options of the variants: declared once, with type, default and meaning; resolved from text or from JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from referee.rules.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Value: TypeAlias = bool | int | str | list[int]
"""A resolved option, as the record's JSON has it."""

_FLAGS = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Option:
    """One option of a variant.

    `values` is what may be given, for people; `default` None means that it follows from other options.
    """

    name: str
    default: Value | None
    values: tuple[str, ...]
    doc: str

    def parse(self, given: object) -> Value:
        """The value that `given`, text or JSON, stands for; raises BadOption."""
        try:
            return self._parse(given)
        except (KeyError, ValueError):
            allowed = ", ".join(self.values)
            raise BadOption(f"option {self.name}: bad value {text_of(given)!r} (allowed: {allowed})") from None

    def _parse(self, given: object) -> Value:
        raise NotImplementedError


class Flag(Option):
    """On or off."""

    def __init__(self, name: str, doc: str) -> None:
        super().__init__(name, False, ("on", "off"), doc)

    def _parse(self, given: object) -> Value:
        return _FLAGS[str(given).lower()]


class Choice(Option):
    """One word of a few."""

    def __init__(self, name: str, values: tuple[str, ...], doc: str) -> None:
        super().__init__(name, values[0], values, doc)

    def _parse(self, given: object) -> Value:
        word = text_of(given)
        if self.name == "round2_turned_suit":  # its words are also how flags are written
            word = {"on": "yes", "off": "no"}.get(word, word)
        return self.values[self.values.index(word)]


class Number(Option):
    """A whole number of a few, or within bounds."""

    def __init__(self, name: str, default: int, allowed: range | tuple[int, ...], doc: str) -> None:
        self._allowed: range | tuple[int, ...]
        object.__setattr__(self, "_allowed", allowed)
        listed = isinstance(allowed, tuple)
        values = tuple(map(str, allowed)) if listed else (f"{allowed[0]} to {allowed[-1]}",)
        super().__init__(name, default, values, doc)

    def _parse(self, given: object) -> Value:
        number = int(str(given))
        if isinstance(given, bool) or number not in self._allowed:
            raise ValueError
        return number


class Awards(Option):
    """The flat awards of an ask and of a moon."""

    def __init__(self, doc: str) -> None:
        super().__init__("awards", None, ("ASK,MOON, two numbers from 1 to 1000, such as 12,24",), doc)

    def _parse(self, given: object) -> Value:
        parts = given if isinstance(given, list | tuple) else str(given).split(",")
        ask, moon = (int(str(part)) for part in parts)
        if not (1 <= ask <= 1000 and 1 <= moon <= 1000):
            raise ValueError
        return [ask, moon]


def text_of(value: object) -> str:
    """An option's value as text: "on", "off", "32", "12,24", "award"."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


def resolve(variant: str, declared: Sequence[Option], given: Mapping[str, object]) -> dict[str, Value | None]:
    """Every declared option with its value, in the order of declaration; raises BadOption."""
    known = {option.name: option for option in declared}
    for name in given:
        if name not in known:
            raise BadOption(f"unknown option {name!r} of {variant} (known: {', '.join(sorted(known))})")
    return {name: option.parse(given[name]) if name in given else option.default for name, option in known.items()}
