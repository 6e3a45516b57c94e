"""Compile the rules, and what runs a table by them, with mypyc: `python -m tools.compile` (`make compiled`).

It wants a C compiler; without one the source runs. The modules go into a folder named by the digest of their sources (see
`referee.core`); builds of other sources are removed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from referee import core

ROOT = Path(__file__).resolve().parent.parent

_SETUP = """
from mypyc.build import mypycify
from setuptools import setup

setup(name="referee", packages=[], ext_modules=mypycify(["--strict", *{files!r}], opt_level="{opt}"))
"""


def missing() -> str:
    """What is wanting for a build, for people; empty where nothing is."""
    compiler = (os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")).split()[0]
    if shutil.which(compiler) is None:
        return f"no C compiler ({compiler}); on Debian: apt-get install gcc python3-dev"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return f"no Python.h in {sysconfig.get_path('include')}; on Debian: apt-get install python3-dev"
    if importlib.util.find_spec("mypyc") is None or importlib.util.find_spec("setuptools") is None:
        return "mypy and setuptools are needed (tools/setup check)"
    return ""


def build(folder: Path, opt: str = "3") -> Path:
    """Compile the present sources into a folder of builds; returns the build. Raises CalledProcessError, its output with it."""
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        files = _copy_sources(work)
        name = core.digest(work / "referee")  # of what is compiled, whatever is written meanwhile
        (work / "setup.py").write_text(_SETUP.format(files=files, opt=opt), encoding="utf-8")
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        subprocess.run(command, cwd=work, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        _keep(work, folder / name)
    for other in folder.iterdir():
        if other.name != name:
            shutil.rmtree(other)
    return folder / name


def _copy_sources(work: Path) -> list[str]:
    """The package, and the messages that it knows, in a folder of their own; returns the files to compile."""
    for package in ("referee", "euchre"):
        shutil.copytree(ROOT / package, work / package, ignore=shutil.ignore_patterns("__pycache__", core.BUILDS.name))
    return [f"referee/{module}.py" for module in core.MODULES]


def _keep(work: Path, target: Path) -> None:
    """Put what was built in its place: first the modules, last the mark that all are there."""
    shutil.rmtree(target, ignore_errors=True)
    for module in core.MODULES:
        kept = core.compiled(target, module)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(work / "referee" / f"{module}{core.SUFFIX}", kept)
    for library in work.glob(f"*__mypyc{core.SUFFIX}"):
        shutil.copy2(library, target)
    (target / "complete").touch()


def main() -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=core.BUILDS, help="the folder of builds (in referee/)")
    parser.add_argument("--force", action="store_true", help="compile even what is compiled already")
    given = parser.parse_args()
    if not given.force and (done := core.build_in(given.into)):
        print(f"compiled already: {done}")
        return 0
    if wanting := missing():
        print(f"cannot compile: {wanting}. The Python source runs, as before.", file=sys.stderr)
        return 1
    try:
        print(f"compiled: {build(given.into)}")
    except subprocess.CalledProcessError as error:
        print(f"cannot compile; the Python source runs, as before.\n{error.stdout}{error.stderr}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
