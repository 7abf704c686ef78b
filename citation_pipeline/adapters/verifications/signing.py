"""Ed25519 signatures of audit links: the private key of a deployment, and the public keys that check it."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from citation_pipeline.core.failures import PipelineError


class SigningKeyError(PipelineError, ValueError):
    """A key file that cannot be used; names the file and what it should hold."""

    def __init__(self, path: Path, wanted: str) -> None:
        super().__init__(
            f"{path} holds no {wanted} Ed25519 key in PEM: make one with `openssl genpkey -algorithm ed25519 "
            f"-out audit.pem`, its public half with `openssl pkey -in audit.pem -pubout -out audit.pub.pem`"
        )


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs digests with a private key."""

    key: Ed25519PrivateKey
    key_id: str

    def sign(self, digest: str) -> str:
        """Return the signature of a digest, hexadecimal."""
        return self.key.sign(digest.encode()).hex()


@dataclass(frozen=True, slots=True)
class PublicKeys:
    """Checks signatures by the keys that it knows."""

    keys: Mapping[str, Ed25519PublicKey]

    def verify(self, key_id: str, digest: str, signature: str) -> bool | None:
        """Tell whether a signature holds; None where the key is not known.

        With any key at hand, a signature by another one is refused: whoever changes a chain could sign it
        with a key of their own.
        """
        if not self.keys:
            return None
        key = self.keys.get(key_id)
        if key is None:
            return False
        try:
            key.verify(bytes.fromhex(signature), digest.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


def read_signer(path: Path | None) -> Signer | None:
    """Return the signer of a private key's PEM file, None without one. Raises SigningKeyError."""
    if path is None:
        return None
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm):
        raise SigningKeyError(path, "private") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningKeyError(path, "private")
    return Signer(key, key_id_of(key.public_key()))


def read_public_keys(paths: Iterable[Path], *, signer: Signer | None = None) -> PublicKeys:
    """Return the public keys of PEM files, and the signer's own. Raises SigningKeyError."""
    keys = {signer.key_id: signer.key.public_key()} if signer else {}
    for path in paths:
        try:
            key = load_pem_public_key(path.read_bytes())
        except (OSError, ValueError, UnsupportedAlgorithm):
            raise SigningKeyError(path, "public") from None
        if not isinstance(key, Ed25519PublicKey):
            raise SigningKeyError(path, "public")
        keys[key_id_of(key)] = key
    return PublicKeys(keys)


def key_id_of(key: Ed25519PublicKey) -> str:
    """Return the short name of a public key, part of every link that it signed."""
    return hashlib.sha256(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:16]
