"""The promise to authors: a bot built against the last released protocol plays on, whatever has been added since."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import descriptor_pb2

from referee.rules import VARIANTS
from tests.bots.released_bot import IMAGE, Bot, Release
from tests.referee.matches import order, run
from tests.rules import settings

RELEASED = "python -m tests.bots.released_bot"
FIELD = descriptor_pb2.FieldDescriptorProto
SETTINGS: list[settings.Setting] = [
    *[(variant.name, {}) for variant in VARIANTS],
    ("bid-euchre", {"double_deck": "on"}),
    ("bid-euchre", {"joker": "on"}),
    ("ghost-hand", {"ace_no_face": "on"}),
]


@pytest.mark.parametrize(("variant", "options"), SETTINGS, ids=map(settings.name, SETTINGS))
def test_a_released_bot_plays_every_variant(variant: str, options: dict[str, str]) -> None:
    """Bots of the last release play every variant, by itself and with options, against bots of today, without a fault."""
    outcome = run(order(RELEASED, RELEASED, variant=variant, options=options, sets=4, fmt="deals:6"))
    assert outcome.faults() == []
    assert outcome.voids == []
    assert outcome.logs == []
    assert len(outcome.games) == 4


def test_a_released_bot_that_is_disappointed_is_seen() -> None:
    """The bot of the last release does end with an error where a promised field is missing."""
    release = Release(IMAGE.read_bytes())
    response = release.message("PlayResponse")()
    ask = response.asks.add(id=1, table=1, legal_cards=[1])
    ask.view.variant = "turn-up"
    with pytest.raises(AssertionError):
        Bot(release).answers(response)


def test_additions_are_not_noticed() -> None:
    """New fields, kinds of message and enum values reach a bot of the last release as if they were not there."""
    grown = Release(_grown(IMAGE.read_bytes()))
    response = grown.message("PlayResponse")()
    opened = response.opened.add(
        table=1, match="m", variant="turn-up", seats=4, commitment=bytes(32), format="game", faults=3, options={"new": "on"}
    )
    opened.time.seconds = opened.bank.seconds = 1
    ask = response.asks.add(id=7, table=1, legal_calls=[1, grown.value("Call", "CALL_NEW")])
    ask.time.seconds = ask.bank.seconds = 1
    for name, value in {
        "variant": "turn-up",
        "phase": grown.value("Phase", "PHASE_NEW"),
        "target": 10,
        "weather": "fine",
    }.items():
        setattr(ask.view, name, value)
    ask.view.hand.append(3)
    ask.view.taken.extend([0] * 4)
    ask.view.total.extend([0] * 2)
    ask.view.penalty.extend([0] * 2)
    response.news.add(weather="fine")

    bot = Bot(Release(IMAGE.read_bytes()))
    reply = bot.answers(bot.response.FromString(response.SerializeToString()))

    assert [(answer.ask, answer.call) for answer in reply.answers] == [(7, 1)]


def _grown(image: bytes) -> bytes:
    """The image of a release after next, with additions that `buf breaking` lets pass."""
    found = descriptor_pb2.FileDescriptorSet.FromString(image)
    files = {file.name: file for file in found.file}
    table, referee, cards = (files[f"euchre/v1/{name}.proto"] for name in ("table", "referee", "cards"))
    _named(table.message_type, "View").field.add(
        name="weather", number=99, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL, json_name="weather"
    )
    _named(table.enum_type, "Phase").value.add(name="PHASE_NEW", number=99)
    _named(cards.enum_type, "Call").value.add(name="CALL_NEW", number=99)
    _named(referee.message_type, "PlayResponse").field.add(
        name="news",
        number=99,
        type=FIELD.TYPE_MESSAGE,
        type_name=".euchre.v1.View",
        label=FIELD.LABEL_REPEATED,
        json_name="news",
    )
    return found.SerializeToString()


def _named(entries: Any, name: str) -> Any:
    return next(entry for entry in entries if entry.name == name)
