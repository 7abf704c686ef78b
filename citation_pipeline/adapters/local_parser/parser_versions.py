"""What the local parser is, for fingerprints: its name, its version, and that of everything below it.

The code itself is part of the fingerprint: a changed layout rule must not meet an old cache entry, and nobody
remembers to raise a number. That costs CPU after an upgrade, never money.
"""

import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

import citation_pipeline

PARSER_NAME = "local"
PARSER_VERSION = "1"  # raise it when stored parses of the last release should read as another parser's

_PACKAGES = (
    "pypdfium2",
    "rapidocr",
    "onnxruntime",
    "opencv-python-headless",
    "pillow",
    "lxml",
    "numpy",
)
_FILES = ("core/boxes.py", "core/documents/parsed.py", "adapters/file_types.py")
_FOLDERS = ("core/layout", "adapters/pdfium", "adapters/ocr", "adapters/office", "adapters/local_parser")
_NOT_PARSING = (  # they move parses about
    "cache.py",
    "worker_pool.py",
    "frames.py",
    "parser.py",
    "worker.py",
    "worker_processes.py",
)


def parser_fingerprint(*, ocr: bool) -> str:
    """Return versions, code and options that decide what a parse looks like, as one line.

    Passwords and limits are not part of it: what they decide (encrypted, oversized) is never cached.
    """
    packages = " ".join(f"{name}={_version(name)}" for name in _PACKAGES)
    return f"{PARSER_NAME}={PARSER_VERSION} code={_code_digest()} ocr={'on' if ocr else 'off'} {packages}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


@cache
def _code_digest() -> str:
    root = Path(citation_pipeline.__file__).resolve().parent
    digest = hashlib.sha256()
    files = [root / name for name in _FILES]
    for folder in _FOLDERS:
        files.extend(path for path in (root / folder).rglob("*.py") if path.name not in _NOT_PARSING)
    for path in sorted(files):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
