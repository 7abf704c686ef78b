"""Files that were replaced: a document that left the claim, and a new one that says the same.

Somebody scans a bad fax again, or saves the same letter anew: its bytes differ and its words nearly agree.
Whoever signed for words of the old file signed for the same words of the new one, where the new one says the
same of them: `followed_words` finds them. Anything less is another document.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel

from citation_pipeline.core.documents.duplicates import find_similar_documents, find_similar_pages
from citation_pipeline.core.documents.parsed import ParsedDocument, Words
from citation_pipeline.core.matching.folding import fold

_FEWEST_WORDS = 5  # a cover sheet of three words resembles every other
_SHORT = 40  # words; pages below twenty are not compared by shingles
_NEARLY_SAME = 0.9  # of the words of a short document; a filled-in form of this size shares no more
_FEWEST_NUMBERS = 8  # of which nine in ten are the same: what tells two filings of one form apart
_SAME_LETTER = 0.97  # of the words of a letter with fewer; two of one template differ in day, name and place
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_MOST_PAIRS = 10_000  # of short documents: what was exchanged by the thousand is compared by pages alone


@dataclass(frozen=True, slots=True)
class Replacement:
    """A content that took another's place; `similarity` (0-1) is of their words."""

    source_id: str
    former_sha256: str
    sha256: str
    similarity: float


@dataclass(frozen=True, eq=False)
class FormerDocument:
    """The words of a document that was replaced, and the content that took its place."""

    source_id: str
    sha256: str
    followed_by: str
    words: Words


def find_replacements(former: Sequence[ParsedDocument], new: Sequence[ParsedDocument]) -> list[Replacement]:
    """Return, for each document that left, the new one that says the same: the most similar, one for one."""
    before, now = _contents(former), _contents(new)
    found = [*_by_pages(before, now), *_by_words(before, now), *_by_counts(before, now)]
    found.sort(key=lambda pair: (-pair.similarity, pair.source_id, pair.sha256))
    chosen: dict[str, Replacement] = {}
    taken: set[str] = set()
    for pair in found:
        if pair.former_sha256 not in chosen and pair.sha256 not in taken:
            chosen[pair.former_sha256] = pair
            taken.add(pair.sha256)
    return list(chosen.values())


def successor_of(sha256: str, former: Mapping[str, FormerDocument]) -> tuple[FormerDocument | None, str]:
    """Return a replaced content's words and the newest content that took its place, "" where none did."""
    first = former.get(sha256)
    at, seen = sha256, {sha256}
    while (one := former.get(at)) is not None and one.followed_by not in seen:
        at = one.followed_by
        seen.add(at)
    return first, at if first is not None else ""


def _contents(documents: Sequence[ParsedDocument]) -> list[ParsedDocument]:
    """Return the readable documents, of those with the same bytes one."""
    found: dict[str, ParsedDocument] = {}
    for document in documents:
        if document.is_readable:
            source = replace(document.source, duplicate_of=None)
            found.setdefault(source.sha256, replace(document, source=source))
    return list(found.values())


def _by_pages(before: Sequence[ParsedDocument], now: Sequence[ParsedDocument]) -> list[Replacement]:
    # by content: an old and a new version of a file bear one id
    documents = [
        replace(one, source=replace(one.source, source_id=one.source.sha256)) for one in (*before, *now)
    ]
    pages = find_similar_pages(documents, earlier=len(before))
    ids = {one.source.sha256: one.source.source_id for one in before}
    return [
        Replacement(ids[link.similar_source_id], link.similar_source_id, link.source_id, link.similarity)
        for link in find_similar_documents(documents, pages)
    ]


def _by_words(before: Sequence[ParsedDocument], now: Sequence[ParsedDocument]) -> list[Replacement]:
    short = [[(one, _keys(one)) for one in group if len(one.words) <= _SHORT] for group in (before, now)]
    if len(short[0]) * len(short[1]) > _MOST_PAIRS:
        return []
    found = []
    for old, old_keys in short[0]:
        for new, new_keys in short[1]:
            if min(len(old_keys), len(new_keys)) < _FEWEST_WORDS or _numbers(old_keys) != _numbers(new_keys):
                continue
            similarity = Indel.normalized_similarity(old_keys, new_keys)
            if similarity >= _NEARLY_SAME:
                found.append(
                    Replacement(old.source.source_id, old.source.sha256, new.source.sha256, similarity)
                )
    return found


def _by_counts(before: Sequence[ParsedDocument], now: Sequence[ParsedDocument]) -> list[Replacement]:
    """Pair longer documents that have the same words and numbers in whatever order they were read.

    Recognition reads a print of columns and dot leaders in another order than its text layer has, so no run
    of words is shared. Two filings of one form share most words and not their numbers; where there are few
    numbers, as in a letter, all of them have to be the same. Where the signed
    words are in the new one, and whether it says the same of them, is for `followed_words`.
    """
    longer = [[(one, *_counts(one)) for one in group if len(one.words) > _SHORT] for group in (before, now)]
    if len(longer[0]) * len(longer[1]) > _MOST_PAIRS:
        return []
    found = []
    for old, old_words, old_numbers in longer[0]:
        for new, new_words, new_numbers in longer[1]:
            either = (old_numbers | new_numbers).total()
            is_letter = either < _FEWEST_NUMBERS
            if (old_numbers & new_numbers).total() < _NEARLY_SAME * either:
                continue
            if is_letter and not _same_figures(old_words, new_words):
                continue
            shared = 2 * (old_words & new_words).total() / max(old_words.total() + new_words.total(), 1)
            if shared >= (_SAME_LETTER if is_letter else _NEARLY_SAME):
                found.append(Replacement(old.source.source_id, old.source.sha256, new.source.sha256, shared))
    return found


def _same_figures(old: Counter[str], new: Counter[str]) -> bool:
    """Tell whether two letters have the same numbers of whatever length, and any at all."""
    ours, theirs = (Counter({word: n for word, n in one.items() if word.isdigit()}) for one in (old, new))
    return bool(ours) and ours == theirs


def _counts(document: ParsedDocument) -> tuple[Counter[str], Counter[str]]:
    """Return how often each word of two letters or more is there, and each number of three digits or more."""
    words = Counter(found for text in document.words.texts for found in _WORD.findall(text.casefold()))
    return words, Counter({word: count for word, count in words.items() if word.isdigit() and len(word) > 2})


def _keys(document: ParsedDocument) -> list[bytes]:
    return [key for text in document.words.texts if (key := fold(text))]


def _numbers(keys: Sequence[bytes]) -> Counter[bytes]:
    return Counter(key for key in keys if any(48 <= letter <= 57 for letter in key))
