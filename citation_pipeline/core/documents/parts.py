"""The documents inside one file: a scan of a whole medical file is many of them, one after another.

Each page is compared with the one before: page numbers, running lines, titles, openings and endings of
letters, sizes of paper and print, words in common, tables and sentences that go on. What a page says is a
number; their weighted sum decides.
The weights are fitted to bundles composed of other files (`benchmarks/bundles.py`).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from citation_pipeline.core.documents.dates import date_of
from citation_pipeline.core.documents.kinds import classify_text, shipped_kinds
from citation_pipeline.core.documents.page_ranges import document_of_pages
from citation_pipeline.core.documents.page_traces import (
    PageTrace,
    blocks_by_page,
    text_of_page,
    title_of,
    trace_pages,
)
from citation_pipeline.core.documents.parsed import Block, ParsedDocument

_ENDED = re.compile(r"[.!?:;)\]\"”]\s*$")
_ANSWER = 0.0  # the sum from which a page begins a part
WEIGHTS: tuple[float, ...] = (
    -2.26, 1.85, -0.64, 2.06, -3.81, 0.72, 1.39, 1.24, 1.2, 1.98, 3.13, -0.05, -1.36, -0.08, 0.34, 0.0,
    -1.98, -5.1, 0.75, 1.03,
)  # fmt: skip
"""Of the numbers of `boundary_evidence`, in their order."""
_OF_KIND = 7  # among them: another kind of document, which speaks for a beginning and never against one


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """One document of a file: first and last page (1-based), kind (or ""), date (ISO or None), title.

    The only part of a file has no kind and no date: the document itself is asked for these.
    """

    first_page: int
    last_page: int
    kind: str
    date: str | None
    title: str


_FOUND: "WeakKeyDictionary[ParsedDocument, tuple[DocumentPart, ...]]" = WeakKeyDictionary()
# several readers of one document ask, and a page costs some milliseconds


def find_document_parts(document: ParsedDocument) -> Sequence[DocumentPart]:
    """Return the documents of a file in page order; a file of one document has one part.

    They begin where a person said, and where the pages say where nobody did.
    """
    found = _FOUND.get(document)
    if found is None:
        found = _FOUND[document] = tuple(_parts(document))
    return found


def _parts(document: ParsedDocument) -> list[DocumentPart]:
    count = len(document.pages)
    if not count:
        return []
    begins = {0}
    if document.part_starts:
        begins |= {page - document.pages[0].page for page in document.part_starts}
    elif count > 1:
        traces = trace_pages(document)
        begins |= {at for at in range(1, count) if _begins(traces[at - 1], traces[at])}
    starts = sorted(at for at in begins if 0 <= at < count)
    ends = [*(start - 1 for start in starts[1:]), count - 1]
    only = len(starts) == 1
    blocks = blocks_by_page(document)
    return [_part(document, blocks, start, end, only=only) for start, end in zip(starts, ends, strict=True)]


def boundary_score(before: PageTrace, page: PageTrace, *, with_kinds: bool = True) -> float:
    """Return how much speaks for a page beginning another document than the one before; above 0 it does."""
    evidence = boundary_evidence(before, page, with_kinds=with_kinds)
    return sum(weight * value for weight, value in zip(WEIGHTS, evidence, strict=True))


def _begins(before: PageTrace, page: PageTrace) -> bool:
    """Tell whether a page begins another document; the pages' kinds are read only where they decide it."""
    others = boundary_score(before, page, with_kinds=False)
    if others > _ANSWER or others + WEIGHTS[_OF_KIND] <= _ANSWER:
        return others > _ANSWER
    return boundary_score(before, page) > _ANSWER


def boundary_evidence(before: PageTrace, page: PageTrace, *, with_kinds: bool = True) -> tuple[float, ...]:
    """Return the numbers that the weights belong to; without the pages' kinds that of them is 0."""
    follows = page.number is not None and before.number is not None and page.number == before.number + 1
    return (
        1.0,
        float(page.number == 1),
        float(page.number is not None and page.number > 1 and not follows),
        float(before.number is not None and before.number == before.count),
        float(follows),
        float(bool(page.title)),
        float(page.opens),
        float(with_kinds and bool(page.kind) and page.kind != before.kind),
        float(bool(page.top) and page.top == before.top),
        float(bool(before.top) and page.top != before.top),
        float(before.closes),
        float(page.continues_table),
        float(_runs_on(before, page)),
        float(before.filled < 0.6),
        float(page.size != before.size),
        float(page.words_from != before.words_from),
        float(bool(page.bottom) and page.bottom == before.bottom),
        len(page.telling & before.telling) / max(1, min(len(page.telling), len(before.telling))),
        min(3.0, abs(math.log(max(page.print_size, 1.0) / max(before.print_size, 1.0))) * 10),
        float(abs(page.margin - before.margin) > 0.02),
    )


def _runs_on(before: PageTrace, page: PageTrace) -> bool:
    """Tell whether a sentence goes on over the page's end."""
    begins = page.first_words.lstrip()
    return (
        bool(begins)
        and begins[0].islower()
        and bool(before.last_words)
        and not _ENDED.search(before.last_words)
    )


def _part(
    document: ParsedDocument, blocks: Mapping[int, Sequence[Block]], start: int, end: int, *, only: bool
) -> DocumentPart:
    kind, date = "", None
    if not only:
        text = "\n\n".join(text_of_page(document, at) for at in range(start, min(end, start + 3) + 1))
        kind = classify_text(text, shipped_kinds()).kind
        date = date_of(document_of_pages(document, document.pages[start].page, document.pages[end].page))
    title = title_of(blocks.get(document.pages[start].page, ()))
    title = title or next((line for line in text_of_page(document, start).split("\n") if line.strip()), "")
    return DocumentPart(start + 1, end + 1, kind, date, title[:120])
