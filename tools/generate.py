"""Generate euchre/v1 from proto/, or prove with --check that what is committed is what the .proto files give."""

from __future__ import annotations

import argparse
import filecmp
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
PACKAGE = Path("euchre/v1")


def generate(target: Path) -> None:
    """Write the generated modules below `target`, in euchre/v1/."""
    sources = sorted(str(path.relative_to(PROTO)) for path in (PROTO / PACKAGE).glob("*.proto"))
    outputs = [f"--{kind}_out={target}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO}", *outputs, *sources]
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    for path in (target / PACKAGE).glob("*_pb2_grpc.py*"):
        if b"service" not in (PROTO / PACKAGE / (path.name.split("_pb2")[0] + ".proto")).read_bytes():
            path.unlink()  # a file without a service gives an empty module


def differences(fresh: Path) -> list[str]:
    """Names of the generated files that differ, are missing or are left over."""
    committed = {path.name for path in (ROOT / PACKAGE).glob("*_pb2*")}
    wanted = {path.name for path in (fresh / PACKAGE).glob("*_pb2*")}
    same = {name for name in committed & wanted if filecmp.cmp(ROOT / PACKAGE / name, fresh / PACKAGE / name, shallow=False)}
    return sorted((committed | wanted) - same)


def main() -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail where the committed code is not current")
    if not parser.parse_args().check:
        generate(ROOT)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        stale = differences(Path(folder))
    if stale:
        print(f"not current, run `make generate`: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
