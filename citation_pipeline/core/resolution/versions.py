"""The version of everything that decides where a citation lies: stored beside results, compared before
reuse."""

import hashlib
from functools import cache
from importlib import metadata, resources

MATCHER_VERSION = "1"
"""Raised by hand when a change is meant to move citations; the fingerprint follows every change of the
code."""

_PACKAGES = (
    "citation_pipeline.core.matching",
    "citation_pipeline.core.resolution",
    "citation_pipeline.core.values",
)


@cache
def matcher_fingerprint() -> str:
    """Return a string that changes when results may: version, code, word lists and the aligner's release."""
    digest = hashlib.sha256(f"{MATCHER_VERSION} rapidfuzz {metadata.version('rapidfuzz')}".encode())
    for package in _PACKAGES:
        root = resources.files(package)
        for folder in (root, root / "words"):
            if not folder.is_dir():
                continue
            for entry in sorted(folder.iterdir(), key=lambda e: e.name):
                if entry.name.endswith((".py", ".txt")):
                    digest.update(entry.name.encode())
                    digest.update(entry.read_bytes())
    return f"{MATCHER_VERSION}-{digest.hexdigest()[:16]}"
