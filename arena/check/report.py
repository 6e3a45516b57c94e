"""What comes of a step, and how it is told."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.json_format import MessageToDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from google.protobuf.message import Message

PASSED: Final = "passed"
FAILED: Final = "failed"
SKIPPED: Final = "skipped"
NOT_REACHED: Final = "not reached"

WIDTH: Final = 1500
"""Characters of a message that are shown."""
SHOWN: Final = 3
"""Messages that are shown of each direction, the last ones."""
TAIL_LINES: Final = 20
"""Lines of the bot's last output that are shown."""


class Failed(Exception):  # noqa: N818 - reads as what happened
    """The bot failed a step: why, what it had been sent, and what had come back."""

    def __init__(self, why: str, sent: Sequence[Message] = (), got: Sequence[Message] = ()) -> None:
        super().__init__(why)
        self.why = why
        self.sent = [brief(message) for message in sent[-SHOWN:]]
        self.got = [brief(message) for message in got[-SHOWN:]]


class Skipped(Exception):  # noqa: N818
    """The step does not concern this bot; the text says why."""


@dataclass
class Result:
    """What came of one step."""

    number: int
    name: str
    title: str
    status: str = NOT_REACHED
    detail: str = ""
    seconds: float = 0.0
    sent: list[str] = field(default_factory=list)
    got: list[str] = field(default_factory=list)
    output: str = ""
    """The bot's last output, if the step failed."""

    def as_json(self) -> dict[str, Any]:
        """For programs; what explains a failure is there only if there is one."""
        told: dict[str, Any] = {"step": self.number, "name": self.name, "title": self.title, "status": self.status}
        told |= {"detail": self.detail, "seconds": round(self.seconds, 2)}
        if self.status == FAILED:
            told |= {"sent": self.sent, "got": self.got, "output": self.output}
        return told

    def text(self) -> str:
        """For people: one line, and below it what explains a failure."""
        mark = {PASSED: "ok    ", FAILED: "FAILED", SKIPPED: "skip  ", NOT_REACHED: "-     "}[self.status]
        # a failure is explained below, anything else beside
        beside = f": {self.detail}" if self.detail and self.status != FAILED else ""
        line = f"{self.number:>3}  {mark}  {self.title}{beside}"
        return "\n".join([line, *self._explained()]) if self.status == FAILED else line

    def _explained(self) -> list[str]:
        lines = [f"       why       {self.detail}"]
        lines += [f"       sent      {message}" for message in self.sent or ["(nothing yet)"]]
        lines += [f"       came back {message}" for message in self.got or ["(nothing)"]]
        output = self.output.rstrip().splitlines()[-TAIL_LINES:] or ["(it wrote nothing)"]
        return [*lines, "       the bot's last output:", *(f"         | {line}" for line in output)]


def brief(message: Message) -> str:
    """A message as proto JSON in one line; the middle of a long one is left out."""
    text = json.dumps(MessageToDict(message, preserving_proto_field_name=False), separators=(",", ":"), ensure_ascii=False)
    if len(text) <= WIDTH:
        return text
    half = WIDTH // 2
    return f"{text[:half]} … {len(text) - 2 * half} characters … {text[-half:]}"
