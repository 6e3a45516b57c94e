"""Encryption: what a referee listens with, and what whoever dials it trusts."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc

from referee.errors import BadCertificate

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEME: Final = "tls:"
"""What an address begins with where the stream is encrypted."""
SWITCH, TRUSTED, CERTIFICATE, KEY = "EUCHRE_TLS", "EUCHRE_TLS_CA", "EUCHRE_TLS_CERT", "EUCHRE_TLS_KEY"
VARIABLES: Final = (SWITCH, TRUSTED, CERTIFICATE, KEY)
"""What the environment may say to a client: 1 for encryption, and files: whom to trust, its own certificate and its key."""


@dataclass(frozen=True)
class Tls:
    """What a referee listens with: its certificate and key, and, where clients must show one too, who signs theirs."""

    certificate: Path
    key: Path
    client_ca: Path | None = None

    def credentials(self) -> grpc.ServerCredentials:
        """For a port. Raises BadCertificate."""
        pair = _pair(self.certificate, self.key)
        trusted = _trusted(self.client_ca) if self.client_ca else None
        return grpc.ssl_server_credentials([pair], trusted, require_client_auth=trusted is not None)


def dial(address: str, env: Mapping[str, str] = os.environ) -> tuple[str, grpc.ChannelCredentials | None]:
    """What gRPC is to connect to, and how: credentials where the address or the environment wants encryption, else None.

    Raises BadCertificate where the environment names files that are of no use, and where it contradicts itself.
    """
    if address.startswith("unix:") or not (address.startswith(SCHEME) or _wanted(env)):
        return address, None
    own = env.get(CERTIFICATE), env.get(KEY)
    if bool(own[0]) != bool(own[1]):
        raise BadCertificate(f"{CERTIFICATE} and {KEY} go together, and only {CERTIFICATE if own[0] else KEY} is set")
    trusted = _trusted(Path(env[TRUSTED])) if env.get(TRUSTED) else None
    key, chain = _pair(Path(own[0]), Path(own[1])) if own[0] and own[1] else (None, None)
    return address.removeprefix(SCHEME), grpc.ssl_channel_credentials(trusted, key, chain)


def context(address: str, env: Mapping[str, str] = os.environ) -> ssl.SSLContext | None:
    """As `dial`, for whoever carries a stream without speaking gRPC. Raises BadCertificate."""
    if dial(address, env)[1] is None:
        return None
    made = ssl.create_default_context(cafile=env.get(TRUSTED) or None)
    if env.get(CERTIFICATE):
        made.load_cert_chain(env[CERTIFICATE], env.get(KEY))
    made.set_alpn_protocols(["h2"])
    return made


def handed_down(address: str, env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that a bot of ours needs to dial an encrypted referee; empty where it is not."""
    encrypted = dial(address, env)[1] is not None
    return {name: env[name] for name in VARIABLES if name in env} if encrypted else {}


def _wanted(env: Mapping[str, str]) -> bool:
    switch = env.get(SWITCH, "")
    if switch not in ("", "0", "1"):
        raise BadCertificate(f"{SWITCH}={switch!r} (allowed: 1 for encryption, 0 for none)")
    return switch == "1" or (not switch and bool(env.get(TRUSTED)))


def _pair(certificate: Path, key: Path) -> tuple[bytes, bytes]:
    """Key and certificate as gRPC wants them, once they are known to belong together."""
    pair = _read(key), _read(certificate)
    try:
        # without a password, so that an encrypted key is an error rather than a question at the terminal
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, OSError) as error:
        raise BadCertificate(f"{certificate} with key {key}: {error} (allowed: PEM files that belong together)") from None
    return pair


def _trusted(file: Path) -> bytes:
    data = _read(file)
    try:
        ssl.create_default_context(cadata=data.decode("ascii"))
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise BadCertificate(f"{file}: {error} (allowed: certificates in PEM)") from None
    return data


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadCertificate(f"{file}: {error.strerror or error}") from None
