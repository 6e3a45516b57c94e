"""What a test may need beyond Python, and what happens where it is missing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

from tests.passed import pytest_configure  # noqa: F401 -- a hook

INSIST = os.environ.get("ARENA_TEST_ALL") == "1"
"""Set by `make test-all`: what is missing fails instead of being skipped, and the long proofs run."""

os.environ["ARENA_LAG_SECONDS"] = "600"  # a slow machine is no reason here to void games
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads that wait for each other, and other tests run meanwhile
hypothesis.settings.register_profile(
    "ours",
    deadline=None,  # how fast an example is depends on what else the machine does
    derandomize=True,  # the same examples every time
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("ours")

ROOT = Path(__file__).resolve().parent.parent


def _program(*names: str) -> str | None:
    found = any(shutil.which(name) for name in names)
    return None if found else f"no {' or '.join(names)} on the PATH"


def _package(name: str) -> str | None:
    return None if importlib.util.find_spec(name) else f"the Python package {name} is not installed"


def _postgresql() -> str | None:
    return None if any(Path("/usr/lib/postgresql").glob("*/bin/initdb")) else "no PostgreSQL server below /usr/lib/postgresql"


def _netns() -> str | None:
    missing = _program("ip")
    if missing:
        return missing
    space = f"probe{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", space], check=False, capture_output=True, text=True)
    if made.returncode:
        return f"no network namespaces here: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)
    return None


def _buf() -> str | None:
    return None if (Path(sys.executable).parent / "buf").exists() else "buf is not installed: tools/setup test check"


def _library(name: str, *programs: str) -> str | None:
    found = shutil.which("pkg-config") and subprocess.run(["pkg-config", "--exists", name], check=False).returncode == 0
    missing = [program for program in programs if not shutil.which(program)]
    return (f"no {' and no '.join(missing)} on the PATH" if missing else None) if found else f"pkg-config knows no {name}"


def _bubblewrap(tried: list[str] = []) -> str | None:  # noqa: B006 - tried out once
    if not tried:
        from referee.bubblewrap import Bubblewrap  # noqa: PLC0415 - only where it is needed

        tried.append(Bubblewrap().ability().why)
    return f"no sandbox can be made: {tried[0]}" if tried[0] else None


def _mypyc() -> str | None:
    from tools.compile import missing  # noqa: PLC0415 - only where it is needed

    return missing() or None


NEEDS = {
    "bubblewrap": _bubblewrap,
    "buf": _buf,
    "cargo": lambda: _program("cargo"),
    "c++ grpc": lambda: _library("grpc++", "g++", "make", "protoc", "grpc_cpp_plugin"),
    "chromium": lambda: _program("chromium", "chromium-browser"),
    "go": lambda: _program("go"),
    "ip": lambda: _program("ip"),
    "import_linter": lambda: _package("importlinter"),
    "openssl": lambda: _program("openssl"),
    "netns": _netns,
    "mypyc": _mypyc,
    "maven": lambda: _program("mvn") or _program("javac"),
    "node": lambda: _program("node") or _program("npm"),
    "open_spiel": lambda: _package("pyspiel"),
    "pettingzoo": lambda: _package("pettingzoo"),
    "postgresql": _postgresql,
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long proofs, so that none of them is what everybody waits for at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or with ARENA_TEST_ALL=1 fail, a test whose needs are not met, and say why."""
    if item.get_closest_marker("slow") and not INSIST:
        pytest.skip("a long proof: make test-all")
    for marker in item.iter_markers("needs"):
        for what in marker.args:
            reason = NEEDS[what]()
            if reason:
                (pytest.fail if INSIST else pytest.skip)(reason)


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT
