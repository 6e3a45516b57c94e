"""A bot by the name of its module or file, loaded apart from all others, with some of its numbers changed."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from arena.sdk.bot import Bot, as_bot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

Factory: TypeAlias = "Callable[[], Bot]"
Setting: TypeAlias = tuple[str, str]
"""The name of something in a bot, and the value that it is to have, as Python writes it; any other text stands for itself."""

_SHARED = frozenset({"__main__", "__mp_main__", "arena", "dashboard", "euchre", "league", "referee", "worker"})
"""What is never loaded a second time: bots and the arena must mean the same classes."""


class BadBot(ValueError):  # noqa: N818 - reads as what happened
    """There is no such bot, or it has nothing of this name to be set; the message says what there is."""


@dataclass(frozen=True)
class Source:
    """Where a bot is found: `module`, `module:Name`, `file.py` or `file.py:Name`, and what is set in it once it is loaded."""

    text: str
    settings: tuple[Setting, ...] = ()
    name: str = ""
    """What to call it; the text unless given."""

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return self.name or self.text


def load(source: Source) -> Factory:
    """What makes a bot of this kind, each time another.

    Its modules (the package that it is in, or the folder of its file) are loaded anew, so that what is set in it changes no other
    bot. One bot is made to see whether that works. Raises BadBot.
    """
    where, _, attribute = source.text.partition(":")
    try:
        with _apart(_own_of(where)):
            module = _imported(where)
            made = _chosen(source, module, attribute)
            for setting in source.settings:
                _set(source, module, made, *setting)
    except BadBot:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise BadBot(f"cannot load {source.label}: {type(error).__name__}: {error}") from error
    return _factory(source, made)


def _own_of(where: str) -> Callable[[str, ModuleType], bool]:
    """Tells the modules that belong to a bot, by name and module."""
    if _is_file(where):
        folder = Path(where).resolve().parent
        return lambda name, module: _top(name) not in _SHARED and _lies_in(module, folder)
    return lambda name, _module: _top(name) == _top(where) and _top(name) not in _SHARED


def _is_file(where: str) -> bool:
    return where.endswith(".py") or "/" in where


def _top(name: str) -> str:
    return name.partition(".")[0]


def _lies_in(module: ModuleType, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and "site-packages" not in file and Path(file).is_relative_to(folder)


@contextmanager
def _apart(own: Callable[[str, ModuleType], bool]) -> Iterator[None]:
    """Have the modules that are `own` imported anew within, and as they were before again outside."""

    def taken_out() -> dict[str, ModuleType]:
        found = {name: module for name, module in sys.modules.items() if own(name, module)}
        for name in found:
            del sys.modules[name]
        return found

    before = taken_out()
    try:
        yield
    finally:
        taken_out()
        sys.modules.update(before)


def _imported(where: str) -> ModuleType:
    """The module of a file or of a name, with what lies beside it within reach."""
    if not _is_file(where):
        _reach(Path.cwd())
        return importlib.import_module(where)
    file = Path(where).resolve()
    if not file.is_file():
        raise BadBot(f"there is no file {where}")
    _reach(file.parent)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise BadBot(f"{where} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def _reach(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _chosen(source: Source, module: ModuleType, attribute: str) -> object:
    """The class or function meant: the one named, or the only bot of the module."""
    bots = [name for name, each in vars(module).items() if _is_bot(each) and each.__module__ == module.__name__]
    if not attribute and len(bots) != 1:
        there = f"choose one: {', '.join(bots)}" if bots else "no class in it derives from Bot; a function is named likewise"
        raise BadBot(f"which bot of {source.label}? Write {source.text}:NAME ({there})")
    found = getattr(module, attribute or bots[0], None)
    if found is None:
        raise BadBot(f"{module.__name__} has no {attribute!r} (bots in it: {', '.join(bots) or 'none'})")
    if not _is_bot(found) and (isinstance(found, type) or not callable(found)):
        raise BadBot(f"{source.label} is neither a class that derives from Bot nor a function of a view")
    return found


def _is_bot(thing: object) -> TypeGuard[type[Bot]]:
    return isinstance(thing, type) and issubclass(thing, Bot) and thing is not Bot


def _factory(source: Source, made: object) -> Factory:
    if not _is_bot(made):
        return lambda: as_bot(made)  # type: ignore[arg-type]  # _chosen has seen that it is callable
    try:
        made()
    except Exception as error:
        raise BadBot(f"cannot make a {source.label}: {type(error).__name__}: {error}") from error
    return made


# ---- setting --------------------------------------------------------------------------------------------------------


def _set(source: Source, module: ModuleType, made: object, name: str, text: str) -> None:
    """Set something in the class, else in the module; `other.NAME` means that module, of the bot's own."""
    value = _value(text)
    where, _, last = name.rpartition(".")
    holders: list[object] = [_own_module(source, module, where)] if where else [made, module]
    holder = next((each for each in holders if hasattr(each, last)), None)
    if holder is None:
        raise BadBot(f"{source.label} has no {name} (it has: {', '.join(_settable(holders)) or 'nothing that could be set'})")
    before = getattr(holder, last)
    if not _fits(value, before):
        raise BadBot(f"{name}={text} does not fit: in {source.label} it is {before!r}, of type {type(before).__name__}")
    setattr(holder, last, value)


def _value(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def _own_module(source: Source, module: ModuleType, name: str) -> ModuleType:
    own = _own_of(source.text.partition(":")[0])
    known = {each: found for each, found in sys.modules.items() if own(each, found)}
    for each, found in known.items():
        if each == name or each.endswith(f".{name}"):
            return found
    raise BadBot(f"{source.label} uses no module {name} (its own: {', '.join(sorted(known)) or module.__name__})")


def _fits(value: object, before: object) -> bool:
    """Whether a value may stand where another is: of its type; a whole number for any number; anything for None."""
    if before is None or type(value) is type(before):
        return True
    return isinstance(before, float) and isinstance(value, int) and not isinstance(value, bool)


def _settable(holders: list[object]) -> list[str]:
    kinds = (int, float, str, tuple, list, dict, frozenset, set)
    found = (name for holder in holders for name in dir(holder) if not name.startswith("_"))
    return sorted({name for name in found if any(isinstance(getattr(holder, name, None), kinds) for holder in holders)})
