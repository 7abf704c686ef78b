"""Which code a host has: one short text that is equal where, and only where, the package's files are."""

import hashlib
from functools import cache
from pathlib import Path

import citation_pipeline


@cache
def code_version() -> str:
    """Return the fingerprint of every Python and data file of the installed package."""
    root = Path(citation_pipeline.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix not in (".pyc", ".pyo") and "__pycache__" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
