"""What the local parser is, for fingerprints: its name and version, its code, and the models for scans.

The code itself is part of the fingerprint: a changed layout rule must not meet an old cache entry, and nobody
remembers to raise a number. That costs CPU after an upgrade, never money.
"""

import hashlib
import importlib.util
from functools import cache
from importlib import metadata
from pathlib import Path

from citation_pipeline.core.code_fingerprints import code_fingerprint

PARSER_NAME = "local"
PARSER_VERSION = "1"  # shown with each parse; what decides about reuse is the fingerprint

_MODELS = "rapidocr"  # the package that carries the networks; it is looked into and never imported


def parser_fingerprint(*, ocr: bool) -> str:
    """Return the code, models and options that decide what a parse looks like, as one line.

    Passwords and limits are not part of it: what they decide (encrypted, oversized) is never cached.
    """
    models = _models_digest() if ocr else "off"
    return f"{PARSER_NAME}={PARSER_VERSION} code={code_fingerprint('parser')} ocr={models}"


@cache
def _models_digest() -> str:
    found = importlib.util.find_spec(_MODELS)
    if found is None or found.origin is None:
        return "none"
    digest = hashlib.sha256(metadata.version(_MODELS).encode())
    own = Path(__file__).parent.parent / "ocr"  # the network that redraws faxes
    for path in (*sorted((Path(found.origin).parent / "models").glob("*.onnx")), *sorted(own.glob("*.npz"))):
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
