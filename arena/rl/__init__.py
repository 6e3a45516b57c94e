"""The rules as something to train on: `env` for PettingZoo, `selfplay` for whoever wants only speed (docs/training.md).

`env` needs the extra `euchre-arena[rl]`; `arena.rl.observation` and `arena.rl.selfplay` do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.rl.aec import Environment

__all__ = ["env"]


def env(
    variant: str,
    options: Mapping[str, object] | None = None,
    fmt: str = "deals:1",
    render_mode: str | None = None,
    illegal_reward: float = -1.0,
) -> Environment:
    """A PettingZoo AEC environment of a variant, in the usual wrappers: an illegal action ends the episode at `illegal_reward`.

    `fmt` is "game" or "deals:N". Raises UnknownVariant, BadOption or BadFormat, and ImportError where the extra is missing.
    """
    try:
        from arena.rl.aec import wrapped  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise ImportError(f"{error}; arena.rl.env needs the extra: pip install 'euchre-arena[rl]'") from error
    return wrapped(variant, options or {}, fmt, render_mode, illegal_reward)
