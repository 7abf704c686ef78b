"""Files that were replaced: a document that left the claim, and a new one that says the same.

Somebody scans a bad fax again, or saves the same letter anew: its bytes differ and its words nearly agree.
Whoever signed for words of the old file signed for the same words of the new one, if they are there, in the
same order, among the same neighbours; `follow_words` finds them. Anything less is another document.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel, Levenshtein

from citation_pipeline.core.documents.duplicates import find_similar_documents, find_similar_pages
from citation_pipeline.core.documents.parsed import ParsedDocument, Words
from citation_pipeline.core.matching.folding import fold

_FEWEST_WORDS = 5  # a cover sheet of three words resembles every other
_SHORT = 40  # words; pages below twenty are not compared by shingles
_NEARLY_SAME = 0.9  # of the words of a short document; a filled-in form of this size shares no more
_MOST_PAIRS = 10_000  # of short documents: what was exchanged by the thousand is compared by pages alone
_NEIGHBOURS = 2  # words on either side that have to agree: a lone "Yes" is at many places


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
    found = [*_by_pages(before, now), *_by_words(before, now)]
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


def follow_words(before: Words, at: Sequence[int], after: Words) -> tuple[int, ...]:
    """Return where words of a replaced document are in the new one; () unless every one is there.

    The pages are aligned word by word: a place counts when all its words and a neighbour on either side are
    the same and side by side, so that of many equal words the right one is found.
    """
    if not at:
        return ()
    pages = {int(before.page[word]) for word in at}
    if len(pages) != 1:
        return ()
    (page,) = pages
    old = np.flatnonzero(before.page == page)
    old_keys = [fold(before.texts[word]) for word in old.tolist()]
    best_page = _page_like(old_keys, after)
    if best_page is None:
        return ()
    new = np.flatnonzero(after.page == best_page)
    new_keys = [fold(after.texts[word]) for word in new.tolist()]
    same: dict[int, int] = {}
    for block in Levenshtein.opcodes(old_keys, new_keys):
        if block.tag == "equal":
            same |= {
                int(old[block.src_start + step]): int(new[block.dest_start + step])
                for step in range(block.src_end - block.src_start)
            }
    found = [same.get(word) for word in sorted(at)]
    places = tuple(word for word in found if word is not None)
    if len(places) != len(found):
        return ()
    if not all(
        _reads_alike(before.texts[a], after.texts[b]) for a, b in zip(sorted(at), places, strict=True)
    ):
        return ()
    if not _side_by_side(sorted(at), places):
        return ()
    return places if _has_neighbour(sorted(at), old, same) else ()


def _reads_alike(before: str, after: str) -> bool:
    """Tell whether a word is the same: a number to the last sign, any other word but for case and marks."""
    if before == after:
        return True
    has_digit = any(letter.isdigit() for letter in before + after)
    return not has_digit and bool(fold(before)) and fold(before) == fold(after)


def _side_by_side(at: Sequence[int], places: Sequence[int]) -> bool:
    """Tell whether the words keep their distances: nothing was put between or taken out."""
    return all(b - a == d - c for a, b, c, d in zip(at, at[1:], places, places[1:], strict=False))


def _has_neighbour(at: Sequence[int], page: NDArray[np.int64], same: Mapping[int, int]) -> bool:
    first, last = at[0], at[-1]
    ids = page.tolist()
    before = [word for word in ids if first - _NEIGHBOURS <= word < first]
    after = [word for word in ids if last < word <= last + _NEIGHBOURS]
    if not before and not after:
        return True  # the page holds nothing else
    near = [same[word] - same[first] == word - first for word in before if word in same]
    near += [same[word] - same[last] == word - last for word in after if word in same]
    return any(near)


def _page_like(keys: Sequence[bytes], words: Words) -> int | None:
    """Return the page of the new document that shares the most words with a page of the old one."""
    wanted = Counter(keys)
    shared = {
        int(page): sum(
            (
                wanted & Counter(fold(words.texts[w]) for w in np.flatnonzero(words.page == page).tolist())
            ).values()
        )
        for page in np.unique(words.page)
    }
    return max(shared, key=lambda page: (shared[page], -page)) if shared else None


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


def _keys(document: ParsedDocument) -> list[bytes]:
    return [key for text in document.words.texts if (key := fold(text))]


def _numbers(keys: Sequence[bytes]) -> Counter[bytes]:
    return Counter(key for key in keys if any(48 <= letter <= 57 for letter in key))
