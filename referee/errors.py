"""What the referee raises, apart from the rules (referee.rules.errors).

RefereeError (Exception)
├── BadClock (ValueError)      a clock that cannot be kept
├── BadOrder (ValueError)      an order that cannot be played
├── BadAddress (ValueError)    an address that cannot be served
├── BadTokens (ValueError)     a token file that cannot be read
├── BadLimit (ValueError)      a limit of a sandbox that is unknown or out of bounds
├── IsolationMissing           untrusted programs cannot be isolated here
├── LauncherGone               the process that starts the bots has ended
└── Refusal                    a stream or a call that cannot go on; carries what its status will say
"""

from __future__ import annotations

from dataclasses import dataclass, field


class RefereeError(Exception):
    """The base of what the referee raises."""


class BadClock(RefereeError, ValueError):  # noqa: N818 - reads as what happened
    """A clock setting is unknown or out of bounds; the message says what is allowed."""


class BadOrder(RefereeError, ValueError):  # noqa: N818
    """An order cannot be played; the message says which part of it and what would be allowed."""


class BadAddress(RefereeError, ValueError):  # noqa: N818
    """An address cannot be served or is not allowed; the message says what is."""


class BadCertificate(RefereeError, ValueError):  # noqa: N818
    """A certificate, a key or a list of whom to trust is of no use; the message names the file."""


class BadTokens(RefereeError, ValueError):  # noqa: N818
    """A token file cannot be read; the message says where it is wrong."""


class BadLimit(RefereeError, ValueError):  # noqa: N818
    """A limit of a sandbox is unknown or out of bounds; the message says what is allowed."""


class IsolationMissing(RefereeError):  # noqa: N818
    """Programs that are not trusted cannot be isolated here; the message says what is missing and what can be done."""


class LauncherGone(RefereeError):  # noqa: N818
    """The process that starts the bots has ended; nothing can be started any more."""


@dataclass
class Refusal(RefereeError):  # noqa: N818
    """A stream or a call cannot go on.

    `code` is the name of a gRPC status code, `reason` the UPPER_SNAKE word for programs, `text` the sentence for people,
    `metadata` what is dynamic in it, `retry_after` (seconds) when trying again makes sense.
    """

    code: str
    reason: str
    text: str
    metadata: dict[str, str] = field(default_factory=dict)
    retry_after: float | None = None

    def __str__(self) -> str:
        return f"{self.code} {self.reason}: {self.text}"
