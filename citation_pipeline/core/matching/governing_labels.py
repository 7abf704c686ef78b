"""Whether a label that ends with a colon governs what is below it as the begin of a sentence would:
`Until 2019:`, `A bid is void where:`, `Faults found (all since mended):`.

The colon ends the sentence, and what it says holds all the same: when, if, in whose view, whether still.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile

from citation_pipeline.core.matching.clauses import bare
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.matching.sentence_parts import SentencePart
from citation_pipeline.core.matching.turns import Turns, is_told, stands_at, telling_words, words_of

_LEAST_ENDED = 3  # words of a label that ends with `where:` or `if:`
_LEADS = ("condition", "limit", "formerly", "prior", "source")
_ENDS = ("condition", "asked", "when")
_AROUND = 20  # words on either side that tell a label's language
_DASHES = ("-", "–", "—")


@cache
def leads() -> frozenset[bytes]:
    """Return the keys with which a label may begin that governs."""
    return frozenset(key for kind in (*_LEADS, "ended") for key in words_of(kind))


@cache
def ends() -> frozenset[bytes]:
    """Return the keys with which a label may end that governs."""
    return frozenset(key for kind in _ENDS for key in words_of(kind))


def governs(index: DocumentIndex, label: Sequence[int]) -> bool:
    """Tell whether a label turns whatever is below or behind it."""
    keys = [key for key in index.keys[label[0] : label[-1] + 1] if key]
    # of most labels no word does: what their language is takes longer to tell
    if not keys or (
        keys[0] not in leads() and keys[-1] not in ends() and words_of("astray").isdisjoint(keys)
    ):
        return False
    known = _around(index, label).turns
    if len(keys) >= _LEAST_ENDED and any(known.has(kind, keys[-1]) for kind in _ENDS):
        return True
    if tuple(keys) in known.kinds.get("ended", ()):
        return True  # `Rule out:`
    kind, length = _lead(index, known, label)
    if kind == "prior":
        return any(has_digit(key) for key in keys[length:])
    return kind == "formerly" or _is_astray(index, known, label)


def governs_clauses(index: DocumentIndex, label: Sequence[int]) -> bool:
    """Tell whether a label turns a statement: of a form's `If yes, name:` a value says what it asks for."""
    if index.keys[label[0]] not in leads():
        return False
    around = _around(index, label)
    kind, length = _lead(index, around.turns, label)
    if kind == "source":
        named = (bare(index, word) for word in label[length:])
        return not any(is_told(around.language, "document", each) for each in named)
    return kind in ("condition", "limit")


def _around(index: DocumentIndex, label: Sequence[int]) -> SentencePart:
    """Return a label with the words around it: of a few words alone nobody knows the language."""
    return SentencePart(
        index, max(0, label[0] - _AROUND), min(len(index.keys) - 1, label[-1] + _AROUND), index.keys[label[0]]
    )


def _lead(index: DocumentIndex, known: Turns, label: Sequence[int]) -> tuple[str, int]:
    """Return the kind of the phrase that begins a label, and its length."""
    for phrase, kind in known.starts.get(index.keys[label[0]], ()):
        if kind in _LEADS and stands_at(index, label[0], phrase):
            return kind, len(phrase)
    return "", 0


def _is_astray(index: DocumentIndex, known: Turns, label: Sequence[int]) -> bool:
    """Tell whether a label says that what is below is of another matter: `filed here by mistake`."""
    return any(
        kind == "astray" and stands_at(index, word, phrase) and word + len(phrase) - 1 <= label[-1]
        for word in label
        for phrase, kind in known.starts.get(index.keys[word], ())
    )


def is_made_void(index: DocumentIndex, label: Sequence[int]) -> bool:
    """Tell whether an addition says that what is below is no more: `(withdrawn in May)`, `, all mended`."""
    said = index.keys[label[0] : label[-1] + 1]
    return not _ending().isdisjoint(said) and any(_tells_end(index, each) for each in additions(index, label))


@cache
def _ending() -> frozenset[bytes]:
    return frozenset(key for kind in ("heading", "void", "undone", "ceased") for key in words_of(kind))


def additions(index: DocumentIndex, label: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the parts of a label that are in brackets, or behind a comma or a dash."""
    texts = index.words.texts
    for at, word in enumerate(label):
        if texts[word].startswith("("):
            inside = list(takewhile(lambda each: ")" not in texts[each], label[at:]))
            yield label[at : at + len(inside) + 1]
        elif at and (texts[label[at - 1]].endswith((",", ";")) or texts[label[at - 1]] in _DASHES):
            yield label[at:]


def _tells_end(index: DocumentIndex, addition: Sequence[int]) -> bool:
    """Tell whether the first word but `since` or `all` says so, and is no adjective of the next one."""
    links = words_of("links") | words_of("every")
    rest = [word for word in addition if index.keys[word]]
    while rest and index.keys[rest[0]] in links:
        rest = rest[1:]
    if not rest or index.keys[rest[0]] not in _ending():
        return False
    key = index.keys[rest[1]] if len(rest) > 1 else b""
    return not key or has_digit(key) or key in telling_words()
