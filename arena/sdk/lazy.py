"""Properties that are worked out once."""

import sys

if sys.version_info >= (3, 12):
    from functools import cached_property
else:
    from collections.abc import Callable
    from typing import Any, Generic, TypeVar, overload

    T = TypeVar("T")

    class cached_property(Generic[T]):  # noqa: N801 - stands for functools.cached_property
        """As in functools, without the lock that it takes before Python 3.12: for a bot's views that was a third of the time."""

        def __init__(self, work_out: Callable[[Any], T]) -> None:
            self._work_out = work_out
            self.__doc__ = work_out.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        @overload
        def __get__(self, holder: None, owner: type) -> "cached_property[T]": ...

        @overload
        def __get__(self, holder: object, owner: type) -> T: ...

        def __get__(self, holder: object, owner: type) -> "T | cached_property[T]":
            if holder is None:
                return self
            value = self._work_out(holder)
            holder.__dict__[self._name] = value  # found before this descriptor from now on
            return value


__all__ = ["cached_property"]
