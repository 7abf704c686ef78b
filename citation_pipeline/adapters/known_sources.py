"""What code fingerprints read of this package's sources, kept from one process to the next.

Every process that loads the assets asks for their fingerprints, and parsing 330 sources takes a second of its
start. As Python keeps bytecode, beside it, and only where Python does; by the sources' own digests, so that
a changed source is read anew.
"""

import contextlib
import hashlib
import json
import sys
from importlib.util import cache_from_source
from pathlib import Path

from citation_pipeline.adapters.whole_files import write_whole
from citation_pipeline.core import code_fingerprints
from citation_pipeline.core.code_fingerprints import KNOWN_SOURCES, Syntax

_MOST = 5_000  # an installation has some 400; a checkout that is worked on, ever new ones


def recall_sources() -> None:
    """Learn what an earlier process wrote down; nothing where it did not, or read by another rule."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        written = json.loads(_file().read_bytes())
        if written["rule"] == _rule():
            for key, (digest, imported) in written["sources"].items():
                KNOWN_SOURCES.setdefault(key, Syntax(digest, frozenset(imported)))
            _recalled.update(KNOWN_SOURCES)


def keep_sources() -> None:
    """Write down what is known, if that is more than was recalled."""
    if sys.dont_write_bytecode or len(KNOWN_SOURCES) == len(_recalled) or len(KNOWN_SOURCES) > _MOST:
        return
    sources = {key: (one.digest, sorted(one.imported)) for key, one in KNOWN_SOURCES.items()}
    with contextlib.suppress(OSError):  # where nothing may be written, every process reads the sources
        _file().parent.mkdir(exist_ok=True)
        write_whole(_file(), json.dumps({"rule": _rule(), "sources": sources}).encode(), is_durable=False)


_recalled: dict[str, Syntax] = {}


def _file() -> Path:
    """The file beside the bytecode of what reads the sources, of the same Python."""
    return Path(cache_from_source(code_fingerprints.__file__)).with_suffix(".sources.json")


def _rule() -> str:
    """The digest of the module that reads sources: another one reads them otherwise."""
    return hashlib.sha256(Path(code_fingerprints.__file__).read_bytes()).hexdigest()
