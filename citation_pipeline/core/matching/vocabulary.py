"""Words that are known to be words: noise rarely turns one of them into another, a changed quotation does.

`words/SOURCES.md` names where each list comes from. A document's own vocabulary is beside them (see
`index.vocabulary`), so other languages are covered by their own pages.
"""

import gzip
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources

from citation_pipeline.core.matching.confusions import misreading_cost
from citation_pipeline.core.matching.folding import fold, spell

_PACKAGE = "citation_pipeline.core.matching"
_LEAST_STEM = 4  # of a word that an affix turns round
_LEAST_TELLING, _LEAST_FOREIGN = 2, 4  # letters of a word that tells its language, and words that do
_PER_COMMON = 4  # words of which one is common in any English sentence
_MOST_SLIPS = 2  # beyond them a word reads as neither of two that differ in a prefix
_LEAST_SHORT_STEM = 5  # behind a prefix of one letter: "a" begins too much


def lines_of(name: str) -> list[str]:
    """Return the lines of a list of words of the package, without its comments."""
    text = (resources.files(_PACKAGE) / "words" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _words_and_parts(name: str) -> tuple[frozenset[bytes], tuple[str, ...]]:
    words = [word for line in lines_of(name) for word in line.split()]
    keys = frozenset(fold(word) for word in words if not word.startswith("~"))
    return keys, tuple(spell(word[1:]) for word in words if word.startswith("~"))


NEGATIONS, NEGATION_PARTS = _words_and_parts("negations.txt")
"""Keys of words that deny, except or limit; texts that do so inside words of scripts without spaces."""

HEDGES, HEDGE_PARTS = _words_and_parts("hedges.txt")
"""Keys of words that hedge or bound what is said; texts that do so inside words of scripts without spaces."""


@cache
def light_words() -> frozenset[bytes]:
    """Return the keys of words whose loss leaves a statement what it was; read from the package once."""
    return frozenset(fold(word) for line in lines_of("light_words.txt") for word in line.split())


@cache
def _forms() -> dict[bytes, int]:
    """Return the number of the word that each listed form is one of."""
    lines = enumerate(lines_of("abbreviations.txt"))
    return {fold(word): number for number, line in lines for word in line.split()}


def is_other_form(ours: bytes, theirs: bytes) -> bool:
    """Tell whether two keys are a word and its abbreviation, or two abbreviations of one word."""
    forms = _forms()
    return ours in forms and forms[ours] == forms.get(theirs) != forms[b"and"]


def is_ampersand_word(key: bytes) -> bool:
    """Tell whether a key is a word that `&` stands for."""
    forms = _forms()
    return forms.get(key) == forms[b"and"]


@cache
def known_words() -> frozenset[bytes]:
    """Return the keys of common English words and of the domain's; read from the package once."""
    texts = [" ".join(lines_of(name)) for name in ("common_words.txt", "domain_words.txt")]
    return frozenset(key for text in texts for word in text.split() if (key := fold(word)))


@cache
def everyday_words() -> frozenset[bytes]:
    """Return the keys of common words and of those of everyday letters; read from the package once."""
    return known_words() | {fold(word) for line in lines_of("everyday_words.txt") for word in line.split()}


@cache
def _packed(name: str) -> frozenset[bytes]:
    return frozenset(gzip.decompress((resources.files(_PACKAGE) / "words" / name).read_bytes()).split())


def is_listed(key: bytes) -> bool:
    """Tell whether a key is an English word of the large list, or one of the domain's."""
    return key in _packed("english.txt.gz") or (len(key) > 1 and key in _domain_words())


@cache
def _rare_words() -> bytes:
    """Return the sorted rare words as lines: a third of the memory that a set of them takes."""
    return gzip.decompress((resources.files(_PACKAGE) / "words" / "rare_words.txt.gz").read_bytes())


@lru_cache(maxsize=4096)
def is_rare(key: bytes) -> bool:
    """Tell whether a key of six letters or more is a word that few texts use (anatomy, drugs, trades)."""
    lines = _rare_words()
    low, high = 0, len(lines)
    while low < high:
        begin = max(low, lines.rfind(b"\n", low, (low + high) // 2) + 1)
        end = lines.index(b"\n", begin)
        if lines[begin:end] == key:
            return True
        if lines[begin:end] < key:
            low = end + 1
        else:
            high = begin
    return False


@cache
def _words_and_names() -> bytes:
    return b"\n" + b"\n".join([*_packed("english.txt.gz"), *_packed("names.txt.gz")]) + b"\n"


def count_run(letters: bytes) -> int:
    """Return how often a few letters follow each other in listed words and names; a newline is an edge."""
    return _words_and_names().count(letters)


@lru_cache(maxsize=4096)
def is_compound(key: bytes) -> bool:
    """Tell whether a key is two listed words written as one, as names of places and firms are."""
    return any(
        is_listed(key[:at]) and is_listed(key[at:]) for at in range(_LEAST_STEM, len(key) - _LEAST_STEM + 1)
    )


@cache
def _domain_words() -> frozenset[bytes]:
    return frozenset(fold(word) for line in lines_of("domain_words.txt") for word in line.split())


def is_name(key: bytes) -> bool:
    """Tell whether a key is a listed given name or surname."""
    return key in _packed("names.txt.gz")


@cache
def _inversions() -> tuple[frozenset[bytes], tuple[frozenset[bytes], ...], tuple[frozenset[bytes], ...]]:
    """Return the prefixes that turn a word round, the prefixes and the endings that never mean the same."""
    found: dict[str, list[frozenset[bytes]]] = {"prefix": [], "swap": [], "ending": []}
    for line in lines_of("inversions.txt"):
        kind, _, words = line.partition(":")
        found[kind].append(frozenset(word.encode() for word in words.split()))
    return frozenset().union(*found["prefix"]), tuple(found["swap"]), tuple(found["ending"])


def is_inverted(ours: bytes, theirs: bytes) -> bool:
    """Tell whether an affix alone makes two keys say different things (hyper-/hypo-, in-, -otomy/-ostomy)."""
    prefixes, swaps, endings = _inversions()
    # what is left must be a word of its own, or every word that lost its first letters would be the
    # opposite of another
    short, long = sorted((ours, theirs), key=len)
    head = long[: len(long) - len(short)]
    if head in prefixes and long.endswith(short) and is_listed(short):
        least = _LEAST_STEM if len(head) > 1 else _LEAST_SHORT_STEM
        return len(short) >= least and (len(head) > 1 or is_listed(long))
    shared = _shared(ours[::-1], theirs[::-1])
    if shared >= _LEAST_STEM and _is_pair(swaps, ours, theirs, shared, at_end=False):
        return True
    shared = _shared(ours, theirs)
    return shared >= _LEAST_STEM and _is_pair(endings, ours, theirs, shared, at_end=True)


@lru_cache(maxsize=1024)
def opposites_of(key: bytes) -> tuple[bytes, ...]:
    """Return the listed words that a prefix alone sets apart from a key: `unreasonable` of `reasonable`."""
    prefixes = sorted(_inversions()[0])
    stems = [key[len(prefix) :] for prefix in prefixes if key.startswith(prefix)]
    found = [prefix + key for prefix in prefixes] + [stem for stem in stems if len(stem) >= _LEAST_STEM]
    return tuple(filter(is_listed, found))


@lru_cache(maxsize=4096)
def is_nearly_inverted(ours: bytes, theirs: bytes) -> bool:
    """Tell whether one key is a misreading of the other with or without a prefix that turns it round.

    `possicle` is nearer to `possible` than to `impossible`, so it is no misreading of the latter.
    """
    short, long = sorted((ours, theirs), key=len)
    for prefix in _inversions()[0]:
        if not long.startswith(prefix):
            continue
        stem = long[len(prefix) :]
        is_told = is_listed(stem) or (is_listed(short) and is_listed(prefix + short))
        if not is_told or len(stem) < (_LEAST_STEM if len(prefix) > 1 else _LEAST_SHORT_STEM):
            continue
        # every letter of the prefix is missing: a misread one would still cost less than a dropped one
        slips = _distance(stem, short)
        if slips <= _MOST_SLIPS and slips + len(prefix) <= _distance(long, short):
            return True
    return False


def _distance(ours: bytes, theirs: bytes) -> float:
    return min(misreading_cost(ours, theirs), misreading_cost(theirs, ours))


def are_foreign(keys: Iterable[bytes]) -> bool:
    """Tell whether a few words are hardly English.

    Few are common, and one is an article of another language or fewer than half are in any list.
    """
    told = [key for key in keys if len(key) >= _LEAST_TELLING and key.isalpha()]
    common = sum(key in known_words() for key in told)
    if len(told) < _LEAST_FOREIGN or _PER_COMMON * common >= len(told):
        return False
    if any(key in light_words() and key not in everyday_words() for key in told):
        return True  # der, los, una
    # terms and names in a row are English still: medium, disapproved, overhead
    return 2 * sum(is_listed(key) or is_name(key) for key in told) < len(told)


def _shared(ours: bytes, theirs: bytes) -> int:
    count = 0
    for a, b in zip(ours, theirs, strict=False):
        if a != b:
            break
        count += 1
    return count


def _is_pair(
    pairs: tuple[frozenset[bytes], ...], ours: bytes, theirs: bytes, shared: int, *, at_end: bool
) -> bool:
    """Look for a pair of affixes around any stem of at least _LEAST_STEM shared characters."""
    for stem in range(shared, _LEAST_STEM - 1, -1):
        a = ours[stem:] if at_end else ours[: len(ours) - stem]
        b = theirs[stem:] if at_end else theirs[: len(theirs) - stem]
        if any(a in pair and b in pair for pair in pairs):
            return True
    return False
