"""Certificates made on the spot, by the openssl program."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")


@dataclass
class Pair:
    """A certificate and its key, both in PEM."""

    certificate: Path
    key: Path


class Authority:
    """One that signs certificates. `certificate` is what to trust."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._pair = self._request(name, "-x509", "-addext", "basicConstraints=critical,CA:TRUE")
        self.certificate = self._pair.certificate

    def issue(self, name: str, *hosts: str) -> Pair:
        """A certificate for hosts, each as DNS:name or IP:number."""
        names = f"subjectAltName={','.join(hosts or (f'DNS:{name}',))}"
        signer = ("-x509", "-CA", str(self._pair.certificate), "-CAkey", str(self._pair.key))
        return self._request(name, *signer, "-addext", names, "-addext", "basicConstraints=critical,CA:FALSE")

    def _request(self, name: str, *options: str) -> Pair:
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        files = ("-keyout", str(pair.key), "-out", str(pair.certificate))
        command = ["openssl", "req", *CURVE, "-subj", f"/CN={name}", *files, *options]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return pair
