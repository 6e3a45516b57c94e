"""The JSON against its own description: a fuzzer reads the OpenAPI document and tries what it says, and what it rules out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.dashboard.site import copy, inhabit
from tests.dashboard.test_browser import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = """
[parameters]
"path.league" = "four"
"path.variant" = "cutthroat"
"path.n" = 0
"path.set" = 0
"path.seating" = "012"
"path.deal" = 1
"path.bot" = "zoes"
"path.name" = "ann"
"path.submission" = 1
"""
"""Addresses of what is there, so that more than 404 is seen."""
UPLOADS = """
[[operations]]
include-name = "POST /api/v1/owner/submissions"
[operations.checks.positive_data_acceptance]
enabled = false
"""
"""Any bytes fit the description of an archive, and none that chance makes up is one."""


@pytest.fixture(scope="module")
def address(store_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A dashboard without limits over a played league, and an owner's key."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_RATE_ADDRESS", "off")
        patch.setenv("ARENA_RATE_KEY", "off")
        app, key = inhabit(copy(Path(store_url.removeprefix("sqlite:///")), tmp_path_factory.mktemp("fuzz") / "arena.db"))
    for url in serve(app):
        yield url, key
    app.extensions["arena-store"].close()


@pytest.mark.slow
@pytest.mark.parametrize(("there", "seed", "phases"), [(True, 1, "coverage,fuzzing"), (False, 2, "fuzzing")])
def test_the_json_is_as_it_is_described(address: tuple[str, str], tmp_path: Path, there: bool, seed: int, phases: str) -> None:
    """No answer breaks the description, no nonsense is accepted, nothing sensible refused, and nothing is an error of ours."""
    url, key = address
    config = tmp_path / "schemathesis.toml"
    config.write_text((CONFIG if there else "") + UPLOADS, encoding="utf-8")
    program = [str(Path(sys.executable).with_name("st")), "--config-file", str(config), "run", f"{url}/api/v1/openapi.json"]
    settings = [
        "--seed",
        str(seed),
        "--max-examples",
        "3",
        "--phases",
        phases,
        "--no-color",
        "--header",
        f"Authorization: Bearer {key}",
    ]
    done = subprocess.run([*program, *settings], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "22 passed" in done.stdout
