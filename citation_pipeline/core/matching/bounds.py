"""Whether a document can hold a clean hit of a snippet at all, told before anything dear is computed.

Only what rules a clean hit out counts here; finding one is `search`'s work.
"""

import re
from functools import lru_cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import LOOK_ALIKES, count_digits, look
from citation_pipeline.core.matching.snippets import prepare, undecorate

_LEAST_FIGURES, _LEAST_CODE = 2, 4  # figures and characters of a number or code that is not in any document
_JOINED = re.compile(r"[/‐‑–—-]")  # each part of a word so joined may be misread by itself
_MERGED = frozenset(b"mdwrnclv")  # letters that two others look like, or that are one of the two: rn, cl, vv


def may_hold(index: DocumentIndex, text: str) -> bool:
    """Tell whether a document has every number and code of a text, misread characters among them.

    A clean hit has all of them: no scanner makes another figure of one. At least half of the figures of each
    must be figures on the page: of letters alone nobody would tell a number.
    """
    key = index.reading.key
    return all(_prints(key, code) for code in _codes(text))


@lru_cache(maxsize=64)
def _codes(text: str) -> tuple[bytes, ...]:
    """Return the numbers and codes of a text; what may be a list's or a source's number does not count."""
    snippet = prepare(undecorate(text))
    found: dict[bytes, None] = {}
    for token in snippet.tokens[snippet.markers :]:
        for part in map(fold, _JOINED.split(token.text)):
            figures = count_digits(part)
            # a word with a figure or two read into it states no number
            if figures >= _LEAST_FIGURES and len(part) >= _LEAST_CODE and 3 * figures > len(part):
                found[part] = None
    return tuple(found)


def _prints(key: bytes, code: bytes) -> bool:
    if code in key:
        return True
    least = count_digits(code) / 2
    return any(count_digits(match.group(1)) >= least for match in _as_misread(code).finditer(key))


@lru_cache(maxsize=256)
def _as_misread(code: bytes) -> re.Pattern[bytes]:
    return re.compile(b"(?=(" + b"".join(map(_shapes_of, code)) + b"))")


@lru_cache(maxsize=128)
def _shapes_of(character: int) -> bytes:
    """Return the pattern of what one character may be read as."""
    if character in _MERGED:
        return b"[a-z0-9]{1,2}"
    own = bytes((character,))
    alike = {other for pair in LOOK_ALIKES if character in pair for other in pair}
    alike.update(
        other for other in b"abcdefghijklmnopqrstuvwxyz0123456789" if look(bytes((other,))) == look(own)
    )
    return b"[" + bytes(sorted(alike | {character})) + b"]" if own.isalnum() else re.escape(own)
