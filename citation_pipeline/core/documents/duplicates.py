"""Near-duplicates: pages that were scanned, faxed or filed twice, though their bytes and their words differ.

Two pages are compared by their word shingles, found through MinHash so that a claim of thousands of pages
needs no comparison of all with all. A form filled in twice shares nearly all its words too: so the numbers
must agree as well, since dates and amounts are what tells one week's note from the next.

Identical files are not found here: their hash says it (`SourceDocument.duplicate_of`).
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.documents.edge_lines import is_edge_line
from citation_pipeline.core.documents.parsed import Page, ParsedDocument

_SHINGLE = 3  # words; a wrong letter then spoils three of a page's few hundred shingles
_LEAST_WORDS = 20  # below it, pages resemble each other by chance (a cover sheet, a signature page)
_BANDS, _ROWS = 24, 3  # finds a pair of Jaccard 0.5 with 96 %, of 0.7 with 99.9 %
_SIMILAR = 0.5  # two readings of one page with 8 % wrong words still share this much
_SAME_NUMBERS = 0.7  # of the distinct tokens with digits; recognition confuses some of them
_CONFUSED = str.maketrans("oilsbz", "011582")  # what recognizers take for one another inside numbers
_LARGEST_BUCKET = 200  # pages of one boilerplate; all pairs of them would be quadratic and say nothing


@dataclass(frozen=True, slots=True)
class SimilarPage:
    """A page that says what an earlier one says; `similarity` (0-1) is the Jaccard index of shingles."""

    source_id: str
    page: int
    similar_source_id: str
    similar_page: int
    similarity: float


@dataclass(frozen=True, slots=True)
class SimilarDocument:
    """A document whose pages mostly lie in an earlier one.

    `similarity` is the mean over the matched pages, `page_share` the part of its pages with text that match.
    """

    source_id: str
    similar_source_id: str
    similarity: float
    page_share: float


@dataclass(frozen=True, eq=False)
class _PageKeys:
    document: int
    page: int
    shingles: frozenset[int]
    numbers: frozenset[str]


def find_similar_pages(
    documents: Sequence[ParsedDocument], *, earlier: int | None = None
) -> list[SimilarPage]:
    """Return each page with its most similar page of an earlier document, in the order given.

    With `earlier`, the first so many documents are compared with the rest alone. Documents that are marked
    as duplicates by their bytes, or could not be read, are left out.
    """
    pages = [keys for number, document in enumerate(documents) for keys in _keys_of(number, document)]
    best: dict[tuple[int, int], tuple[float, _PageKeys]] = {}
    for first, later in _candidates(pages):
        if earlier is not None and not first.document < earlier <= later.document:
            continue
        similarity = _jaccard(first.shingles, later.shingles)
        if similarity < _SIMILAR or not _same_numbers(first.numbers, later.numbers):
            continue
        key = (later.document, later.page)
        if key not in best or similarity > best[key][0]:
            best[key] = (similarity, first)
    return [
        SimilarPage(
            documents[number].source.source_id,
            page,
            documents[first.document].source.source_id,
            first.page,
            similarity,
        )
        for (number, page), (similarity, first) in sorted(best.items(), key=lambda item: item[0])
    ]


def find_similar_documents(
    documents: Sequence[ParsedDocument], pages: Sequence[SimilarPage]
) -> list[SimilarDocument]:
    """Return the documents of whose pages with text at least half were found in one earlier document."""
    matched: dict[tuple[str, str], list[float]] = defaultdict(list)
    for page in pages:
        matched[page.source_id, page.similar_source_id].append(page.similarity)
    counts = {
        document.source.source_id: sum(1 for _ in _keys_of(number, document))
        for number, document in enumerate(documents)
    }
    return [
        SimilarDocument(source_id, similar, sum(found) / len(found), len(found) / counts[source_id])
        for (source_id, similar), found in matched.items()
        if 2 * len(found) >= counts[source_id]
    ]


def _keys_of(number: int, document: ParsedDocument) -> Iterable[_PageKeys]:
    if not document.is_readable or document.source.duplicate_of is not None:
        return
    for page in document.pages:
        words = [key for word in _printed_words(document, page) if (key := _key(word))]
        if len(words) < _LEAST_WORDS:
            continue
        shingles = frozenset(
            _hash(" ".join(words[at : at + _SHINGLE])) for at in range(len(words) - _SHINGLE + 1)
        )
        numbers = frozenset(
            word.translate(_CONFUSED) for word in words if any(letter.isdigit() for letter in word)
        )
        yield _PageKeys(number, page.page, shingles, numbers)


def _printed_words(document: ParsedDocument, page: Page) -> Iterable[str]:
    """Yield a page's words; a fax's line of day, sender and page on the edge is no part of what it says."""
    words = document.words
    on_page = document.words_between(page.text_start, page.text_end)
    for _, line in groupby(on_page, key=lambda word: int(words.line[word])):
        ids = list(line)
        if not is_edge_line(words, ids):
            yield from (part for word in ids for part in words.texts[word].split())


def _candidates(pages: Sequence[_PageKeys]) -> Iterable[tuple[_PageKeys, _PageKeys]]:
    """Yield the pairs (earlier, later) of different documents that share a band of their MinHash."""
    buckets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for position, page in enumerate(pages):
        signature = _signature(page.shingles)
        for band in range(_BANDS):
            buckets[band, signature[band].tobytes()].append(position)
    seen: set[tuple[int, int]] = set()
    for members in buckets.values():
        if len(members) > _LARGEST_BUCKET:
            continue
        for a, b in combinations(members, 2):
            if (a, b) not in seen and pages[a].document != pages[b].document:
                seen.add((a, b))
                yield pages[a], pages[b]


def _signature(shingles: frozenset[int]) -> NDArray[np.uint64]:
    """Return (bands, rows) minima of as many hash functions over the shingles."""
    values = np.fromiter(shingles, np.uint64, len(shingles))
    factors, shifts = _hash_functions()
    mixed = values[:, None] * factors[None, :] + shifts[None, :]  # wraps modulo 2**64, as intended
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed.min(axis=0).reshape(_BANDS, _ROWS))


@lru_cache(maxsize=1)
def _hash_functions() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    random = np.random.default_rng(20170612)  # any fixed seed: signatures must agree between runs
    factors, shifts = random.integers(1, 2**63, size=(2, _BANDS * _ROWS), dtype=np.uint64)
    return factors | np.uint64(1), shifts  # odd factors lose no bit


def _same_numbers(a: frozenset[str], b: frozenset[str]) -> bool:
    return not a and not b or _jaccard(a, b) >= _SAME_NUMBERS


def _jaccard(a: frozenset[int] | frozenset[str], b: frozenset[int] | frozenset[str]) -> float:
    either = len(a | b)
    return len(a & b) / either if either else 0.0


def _key(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word).casefold()
    return re.sub(r"[\W_]+", "", folded)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")
