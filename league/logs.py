"""Asks and answers in words, for the owner of a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from league.model import Exchange


def exchange_text(exchange: Exchange) -> str:
    """An ask and its answer in a line: hand, what was allowed, what was said."""
    if exchange.ask is None:
        return "asked: never, the bot was not there"
    answer = exchange.answer
    return f"{ask_text(exchange.ask)} -> {answer_text(answer) if answer is not None else '(no answer)'}"


def ask_text(ask: dict[str, Any]) -> str:
    """What a bot was asked."""
    legal = " ".join(map(_word, (*ask.get("legal_calls", ()), *ask.get("legal_cards", ()))))
    hand = " ".join(map(_word, ask.get("view", {}).get("hand", ())))
    return f"asked {ask.get('id')}: hand {hand}; allowed: {legal}"


def answer_text(answer: dict[str, Any]) -> str:
    """What it answered, with its note."""
    said = [_word(answer[name]) for name in ("call", "card") if name in answer and not _unspecified(answer[name])]
    note = f" ({answer['note']})" if answer.get("note") else ""
    return (" and ".join(said) or "neither card nor call") + note


def _unspecified(value: object) -> bool:
    return str(value).endswith("_UNSPECIFIED")


def _word(name: object) -> str:
    return str(name).removeprefix("CARD_").removeprefix("CALL_")
