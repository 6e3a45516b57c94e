"""What the rules raise.

RulesError (ValueError)
├── UnknownVariant
├── BadOption
└── IllegalAction
"""


class RulesError(ValueError):
    """The base of all that the rules raise."""


class UnknownVariant(RulesError):  # noqa: N818 - reads as what happened
    """No variant has that name; the message lists those that there are."""


class BadOption(RulesError):  # noqa: N818
    """An option or its value does not exist; the message lists what is allowed."""


class IllegalAction(RulesError):  # noqa: N818
    """The action is not legal now; the deal is as it was."""
