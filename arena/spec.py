"""From the words of a command line to a league that can be played: variants, options, format, clock and key, all checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from league.model import LeagueSpec, VariantSpec
from referee.clock import Clock
from referee.game import deals_of
from referee.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Options = dict[str, str]
ROUNDS = 50
"""Rounds that a pairing of a league with a precision has at most, unless told otherwise."""


class BadWord(ValueError):  # noqa: N818 - reads as what happened
    """A word of the command line cannot be understood; the message says how it is written."""


def variant_words(text: str) -> list[tuple[str, Options]]:
    """Variants with their options, written `name,name:option=value;option=value`.

    A comma within an option's value (`awards=12,24`) is fine: what follows a comma is a variant only if it is not a number.

    Raises:
        BadWord: it is not written so.
    """
    return [_variant_word(word) for word in _split(text)]


def _split(text: str) -> list[str]:
    words: list[str] = []
    for part in text.split(","):
        if words and part.strip()[:1].isdigit():
            words[-1] += f",{part}"
        else:
            words.append(part)
    return [word.strip() for word in words]


def _variant_word(word: str) -> tuple[str, Options]:
    name, _, rest = word.partition(":")
    if not name:
        raise BadWord(f"empty variant in {word!r}; write NAME or NAME:option=value;option=value, with commas between variants")
    return name, dict(option_word(part) for part in rest.split(";") if part)


def option_word(text: str) -> tuple[str, str]:
    """An option, written `name=value`.

    Raises:
        BadWord: it is not written so.
    """
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise BadWord(f"{text!r} is no option; write name=value")
    return name.strip(), value.strip()


def spread(variants: list[tuple[str, Options]], extra: Iterable[str]) -> list[tuple[str, Options]]:
    """Add options written `variant.option=value`, or `option=value` for all, to the variants that they name.

    Raises:
        BadWord: not written so, or no such variant in the league.
    """
    names = [name for name, _ in variants]
    result = [(name, dict(options)) for name, options in variants]
    for text in extra:
        path, value = option_word(text)
        variant, dot, option = path.rpartition(".")
        if dot and variant not in names:
            raise BadWord(f"option {text!r} is for {variant!r}, which is not in this league (it has: {', '.join(names)})")
        for name, options in result:
            if name == variant or not dot:
                options[option] = value
    return result


def variant_spec(name: str, options: Mapping[str, object], fmt: str) -> VariantSpec:
    """A variant of a league with all its options resolved.

    Raises:
        UnknownVariant: there is none of this name.
        BadOption: an option or its value does not exist.
        BadFormat: neither `game` nor `deals:N`; each message lists what is allowed.
    """
    deals_of(fmt)
    rules = Rules(name, options)
    return VariantSpec(rules.name, dict(rules.options), fmt, rules.seats, rules.seatings())


def key(text: str | None) -> bytes | None:
    """A league's key from 64 hex digits; None stays None (one is drawn).

    Raises:
        BadWord: not written so.
    """
    if text is None:
        return None
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raw = b""
    if len(raw) != 32:
        raise BadWord("--key must be 64 hex digits (32 bytes)")
    return raw


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def league_spec(  # noqa: PLR0913 - what a league is made of
    name: str,
    variants: list[tuple[str, Options]],
    bots: tuple[str, ...],
    sets: int,
    *,
    fmt: str = "game",
    clock: Mapping[str, object] | None = None,
    key: bytes | None = None,
    remote_sets: bool = False,
    precision: float | None = None,
    max_sets: int | None = None,
) -> LeagueSpec:
    """A league ready for the store; raises what `variant_spec` does.

    With a precision, a pairing has at most `ROUNDS` rounds unless `max_sets` is given.
    """
    return LeagueSpec(
        name=name,
        variants=tuple(variant_spec(variant, options, fmt) for variant, options in variants),
        bots=bots,
        sets=sets,
        clock=dict(Clock().as_json() if clock is None else clock),
        key=key,
        remote_sets=remote_sets,
        precision=precision,
        max_sets=ROUNDS * sets if precision is not None and max_sets is None else max_sets,
    )
