"""Which form of the rules, and of what runs a table, is used: the source, or modules made of it by mypyc (`tools.compile`).

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
BUILDS: Final = SOURCES / "_compiled"
"""Where builds lie, each in a folder of its own, unless they are told to lie elsewhere."""
MODULES: Final = (
    "rules/cards", "rules/errors", "rules/tricks", "rules/options", "rules/deal", "rules/phases", "rules/scoring",
    "rules/variant", "rules/variants/bid_euchre", "rules/variants/cutthroat", "rules/variants/ghost_hand",
    "rules/variants/turn_up",
    "game", "lag", "table", "encode",
)  # fmt: skip
"""What is compiled: what happens at every decision. The rest is source in either form: packages, `rules/ruleset`, `rules/view`
with its fields to be looked through, what waits for the wire, and sessions, from which others derive. A module here may import
a constant only from another one here: mypyc writes it in, and only these count for the digest."""
SUFFIX: Final = importlib.machinery.EXTENSION_SUFFIXES[0]
"""What names an extension module of this Python."""
_VARIABLE: Final = "ARENA_COMPILED"


def digest(sources: Path = SOURCES) -> str:
    """The name of the build of some sources, the present ones if not told, for this Python."""
    import hashlib  # noqa: PLC0415 - only where something was compiled; every bot starts by importing this

    found = hashlib.sha256(SUFFIX.encode())
    for module in MODULES:
        found.update(f"\0{module}\0".encode() + (sources / f"{module}.py").read_bytes())
    return found.hexdigest()[:20]


def compiled(build: Path, module: str) -> Path:
    """Where a build has a module: beside the library that all of them share, they lie as the sources do."""
    return build / SOURCES.name / f"{module}{SUFFIX}"


def build_in(folder: Path) -> Path | None:
    """The build of the present sources in a folder of builds, if it is there and whole."""
    if not folder.is_dir():
        return None
    build = folder / digest()
    whole = (build / "complete").exists() and all(compiled(build, module).exists() for module in MODULES)
    return build if whole else None


def chosen_build() -> Path | None:
    """The build to run, None for the source; raises ImportError where one is insisted on that is not there."""
    wish = os.environ.get(_VARIABLE, "")
    if wish == "off":
        return None
    build = build_in(Path(wish) if wish else BUILDS)
    if build is None and wish:
        raise ImportError(f"{_VARIABLE}={wish}: no build of the present sources there (allowed: off, or what tools.compile made)")
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
    """Have the modules of a package, `part` of this one, found in the build first, if one is used; `path` is its `__path__`."""
    if BUILD is not None:
        _load_library(BUILD)
        path.insert(0, str(BUILD / SOURCES.name / part))


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
