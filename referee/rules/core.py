"""Which form of the rules runs: the Python source, or extension modules made from it by mypyc (`python -m tools.compile`).

Compiled modules lie in a folder that is named by the digest of the sources they were made from and of the Python they were made
for. Only the folder of the present sources is looked for, so that an old build is never used.

`ARENA_COMPILED` in the environment: `off` runs the source; a folder insists on the build in it, and raises ImportError where it
has none of these sources; unset, a build beside this package is used if it is there.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import MutableSequence

SOURCES: Final = Path(__file__).resolve().parent
BUILDS: Final = SOURCES.parent / "_compiled"
"""Where builds lie, each in a folder of its own, unless they are told to lie elsewhere."""
MODULES: Final = (
    "cards", "errors", "tricks", "options", "deal", "phases", "scoring", "variant",
    "variants/bid_euchre", "variants/cutthroat", "variants/ghost_hand", "variants/turn_up",
)  # fmt: skip
"""What is compiled. The rest (packages, `ruleset`, `view` with its fields to be looked through) is source in either form."""
SUFFIX: Final = importlib.machinery.EXTENSION_SUFFIXES[0]
"""What names an extension module of this Python."""
_VARIABLE: Final = "ARENA_COMPILED"


def digest(sources: Path = SOURCES) -> str:
    """The name of the build of some sources, the present ones if not told, for this Python."""
    import hashlib  # noqa: PLC0415 - only where something was compiled; every bot starts by importing the rules

    found = hashlib.sha256(SUFFIX.encode())
    for module in MODULES:
        found.update(f"\0{module}\0".encode() + (sources / f"{module}.py").read_bytes())
    return found.hexdigest()[:20]


def build_in(folder: Path) -> Path | None:
    """The build of the present sources in a folder of builds, if it is there and whole."""
    if not folder.is_dir():
        return None
    build = folder / digest()
    whole = (build / "complete").exists() and all((build / f"{module}{SUFFIX}").exists() for module in MODULES)
    return build if whole else None


def chosen_build() -> Path | None:
    """The build to run, None for the source; raises ImportError where one is insisted on that is not there."""
    wish = os.environ.get(_VARIABLE, "")
    if wish == "off":
        return None
    build = build_in(Path(wish) if wish else BUILDS)
    if build is None and wish:
        raise ImportError(f"{_VARIABLE}={wish}: no build of the present rules there (allowed: off, or what tools.compile made)")
    return build


def _load_library(build: Path) -> None:
    """Load what the modules of a build share; they ask for it by name."""
    import importlib.util  # noqa: PLC0415 - likewise

    for file in build.glob(f"*__mypyc{SUFFIX}"):
        name = file.name.removesuffix(SUFFIX)
        if name not in sys.modules:
            loader = importlib.machinery.ExtensionFileLoader(name, str(file))
            spec = importlib.util.spec_from_loader(name, loader)
            assert spec is not None
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
            sys.modules[name] = module


BUILD: Final = chosen_build()
"""The folder of the compiled modules in use, or None."""


def extend(path: MutableSequence[str], part: str = "") -> None:
    """Have the modules of a package found in the build first, where one is in use; `path` is the package's `__path__`."""
    if BUILD is not None:
        _load_library(BUILD)
        path.insert(0, str(BUILD / part))


def outdated() -> bool:
    """Whether something was compiled, and the source runs because it has changed since, or was compiled for another Python."""
    return BUILD is None and os.environ.get(_VARIABLE) != "off" and any(BUILDS.glob("*/complete"))


def form() -> str:
    """For people: which form runs, and why."""
    if BUILD is not None:
        return f"compiled ({BUILD})"
    if os.environ.get(_VARIABLE) == "off":
        return f"Python source ({_VARIABLE}=off)"
    return "Python source; what was compiled is of other sources or another Python" if outdated() else "Python source"
