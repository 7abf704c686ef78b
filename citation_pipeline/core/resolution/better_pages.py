"""Pages that were filed twice, as a fax or a second scan, and which of them is the better to look at.

A quotation found on the worse one is shown on the better one, if it stands there word by word; the place on
the copy stays a candidate. Two good pages are left alone: there the document that was named is meant. So are
versions (`documents/page_versions`): what a signed scan says is shown on the signed scan, however poor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from citation_pipeline.core.documents.duplicates import SimilarPage
from citation_pipeline.core.documents.page_versions import are_versions
from citation_pipeline.core.documents.parsed import ParsedDocument

PageKey = tuple[str, int]
"""A source id and a 1-based page."""

# recognition is sure of a noisy fax too (0.986 in the mean): no scan is as good as what was never on paper
_TEXT_LAYER = 2.0
_CLEARLY_BETTER = 0.02  # of the mean confidence of a page's words: two scans of one scanner differ by less


@dataclass(frozen=True)
class PageCopies:
    """Groups of pages that say the same: `better` names, for a page, the one to show instead of it."""

    better: Mapping[PageKey, PageKey]
    groups: Mapping[PageKey, Sequence[PageKey]]


NO_COPIES = PageCopies({}, {})


def find_copies(documents: Sequence[ParsedDocument], similar: Sequence[SimilarPage]) -> PageCopies:
    """Return the groups of pages that `similar` links, and the better page where a group has one."""
    by_id = {document.source.source_id: document for document in documents}
    group_of: dict[PageKey, list[PageKey]] = {}
    for link in similar:
        if _are_versions(by_id, (link.similar_source_id, link.similar_page), (link.source_id, link.page)):
            continue
        first = group_of.setdefault((link.similar_source_id, link.similar_page), [])
        second = group_of.setdefault((link.source_id, link.page), [])
        if first is second and first:
            continue
        joined = list(
            dict.fromkeys(
                [*first, (link.similar_source_id, link.similar_page), *second, (link.source_id, link.page)]
            )
        )
        for page in joined:
            group_of[page] = joined
    known: dict[PageKey, float] = {}
    for page in group_of:
        if page[0] in by_id:
            known[page] = _legibility(by_id[page[0]], page[1])
    better = {}
    for page, group in group_of.items():
        there = [one for one in group if one in known]
        if page in known and there:
            best = max(there, key=lambda one: (known[one], one[0] == page[0]))
            # a group hangs together by its links: its ends may be versions of each other
            if known[best] >= known[page] + _CLEARLY_BETTER and not _are_versions(by_id, page, best):
                better[page] = best
    return PageCopies(better, group_of)


def _are_versions(by_id: Mapping[str, ParsedDocument], one: PageKey, other: PageKey) -> bool:
    first, second = by_id.get(one[0]), by_id.get(other[0])
    return first is not None and second is not None and are_versions(first, one[1], second, other[1])


def _legibility(document: ParsedDocument, page: int) -> float:
    """Return how well a page's words can be read: 2 with a text layer, else their mean confidence (0-1)."""
    on_page = document.words.confidence[document.words.page == page]
    if not len(on_page):
        return 0.0
    if any(shape.page == page and shape.words_from == "text" for shape in document.pages):
        return _TEXT_LAYER
    return float(np.mean(np.nan_to_num(on_page.astype(np.float64), nan=1.0)))
