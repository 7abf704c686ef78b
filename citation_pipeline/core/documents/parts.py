"""The documents inside one file: a scan of a whole medical file is many of them, one after another.

Each page is compared with the one before: page numbers, running lines, titles, openings and endings of
letters, sizes of paper and print, words in common, tables and sentences that go on. What a page says is a
number; their weighted sum decides.
The weights are fitted to bundles composed of other files (`benchmarks/bundles.py`).
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from citation_pipeline.core.documents.dates import date_of
from citation_pipeline.core.documents.kinds import classify_text, shipped_kinds
from citation_pipeline.core.documents.page_ranges import document_of_pages
from citation_pipeline.core.documents.parsed import Block, ParsedDocument

_TOP, _BOTTOM = 0.14, 0.88  # shares of the height where running lines are
_OPENING = 0.45  # share of the height where a letter's date and salutation are
_PAGE_OF = re.compile(
    r"\b(?:page|pg\.?|p\.|seite|página|pagina)\s*(\d{1,4})\s*(?:of|/|von|de)\s*(\d{1,4})\b", re.I
)
_BARE_OF = re.compile(r"^\W*(\d{1,4})\s*(?:of|/)\s*(\d{1,4})\W*$", re.I)
_PAGE = re.compile(r"\b(?:page|pg\.?|seite|página)\s*:?\s*(\d{1,4})\b|^\W*(\d{1,3})\W*$", re.I)
_SALUTATION = re.compile(
    r"^\s*(?:dear\b|to whom it may concern|gentlemen\b|estimad[oa]\b|re\s*:|subject\s*:)", re.I | re.M
)
_CLOSING = re.compile(
    r"^\s*(?:sincerely|(?:very truly )?yours|respectfully|(?:best )?regards|cordially|atentamente)\b"
    r"|^\s*(?:cc|enclosures?|encl)\s*:|\bunder penalty of perjury\b|\belectronically signed\b",
    re.I | re.M,
)
_ENDED = re.compile(r"[.!?:;)\]\"”]\s*$")
_TELLING = re.compile(r"[^\W\d_]{5,}|\d[\d/.,-]{5,}")
_TITLED = ("Title", "Section Header")
_RUNNING = ("Header", "Footer", "Page Number")
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


@dataclass(frozen=True)
class PageTrace:
    """What is looked at of one page."""

    number: int | None  # the page number that it prints, and of how many
    count: int | None
    top: str  # its running lines, digits blanked
    bottom: str
    title: str
    text: str
    opens: bool  # a salutation or a date where letters begin
    closes: bool
    first_words: str
    last_words: str
    filled: float  # where the last line of its body ends, as a share of the height
    continues_table: bool
    size: tuple[float, float]
    words_from: str
    telling: frozenset[str]  # its longer words, which pages of one document share
    print_size: float  # the median height of its words, in points
    margin: float  # where most of its lines begin, as a share of the width

    @cached_property
    def kind(self) -> str:
        """What the page is by itself; read when asked, for it costs more than all else together."""
        return classify_text(self.text, shipped_kinds()).kind


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
    traces = trace_pages(document)
    if not traces:
        return []
    begins = {0}
    if document.part_starts:
        begins |= {page - document.pages[0].page for page in document.part_starts}
    else:
        begins |= {at for at in range(1, len(traces)) if _begins(traces[at - 1], traces[at])}
    starts = sorted(at for at in begins if 0 <= at < len(traces))
    ends = [*(start - 1 for start in starts[1:]), len(traces) - 1]
    only = len(starts) == 1
    return [_part(document, traces, start, end, only=only) for start, end in zip(starts, ends, strict=True)]


def trace_pages(document: ParsedDocument) -> list[PageTrace]:
    """Return what is looked at of every page."""
    blocks: dict[int, list[Block]] = {}
    for block in document.blocks:
        blocks.setdefault(block.page, []).append(block)
    return [_trace(document, blocks.get(page.page, []), at) for at, page in enumerate(document.pages)]


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


def _trace(document: ParsedDocument, blocks: Sequence[Block], at: int) -> PageTrace:
    page = document.pages[at]
    text, words = document.text[page.text_start : page.text_end], document.words
    first, last = (int(words.page.searchsorted(page.page, side)) for side in ("left", "right"))
    body = [block for block in blocks if block.type not in _RUNNING]
    margins = [block for block in blocks if block.box.bottom < _TOP or block.box.top > _BOTTOM]
    number, count = _page_number([block.text for block in (*margins, *blocks) if block.text])
    title = next(
        (
            " ".join(block.text.split())
            for block in body
            if block.type in _TITLED and block.box.top < _OPENING and len(block.text.split()) <= 14
        ),
        "",
    )
    opening = "\n".join(block.text for block in body if block.box.top < _OPENING)
    return PageTrace(
        number=number,
        count=count,
        top=_blanked(block.text for block in blocks if block.box.bottom < _TOP),
        bottom=_blanked(block.text for block in blocks if block.box.top > _BOTTOM),
        title=title,
        text=text,
        opens=bool(_SALUTATION.search(opening)),
        closes=bool(_CLOSING.search(text)) or any(block.type == "Signature" for block in body),
        first_words=body[0].text[:40] if body else "",
        last_words=body[-1].text[-40:] if body else "",
        filled=max((block.box.bottom for block in body), default=0.0),
        continues_table=any("<table data-continued" in block.content for block in body[:4]),
        size=(round(page.width_pt / 10), round(page.height_pt / 10)),
        words_from=page.words_from,
        telling=frozenset(_TELLING.findall(text.lower())),
        print_size=float(np.median(words.boxes[first:last, 3])) * page.height_pt if last > first else 0.0,
        margin=float(np.percentile(words.boxes[first:last, 0], 5)) if last > first else 0.0,
    )


def _page_number(texts: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the number that a page prints and of how many; what says both is believed first."""
    for text in texts:
        for line in text.split("\n"):
            match = _PAGE_OF.search(line) or _BARE_OF.match(line)
            if match and 0 < int(match[1]) <= int(match[2]):
                return int(match[1]), int(match[2])
    for text in texts[:12]:
        for line in text.split("\n"):
            match = _PAGE.search(line) if len(line) < 60 else None
            if match:
                return int(match[1] or match[2]), None
    return None, None


def _blanked(texts: Iterable[str]) -> str:
    return re.sub(r"\d+", "#", " ".join(" ".join(texts).split())).lower()


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
    document: ParsedDocument, traces: Sequence[PageTrace], start: int, end: int, *, only: bool
) -> DocumentPart:
    first = traces[start]
    text = "\n\n".join(trace.text for trace in traces[start : min(end, start + 3) + 1])
    kind, date = "", None
    if not only:
        kind = classify_text(text, shipped_kinds()).kind
        date = date_of(document_of_pages(document, document.pages[start].page, document.pages[end].page))
    title = first.title or next((line for line in first.text.split("\n") if line.strip()), "")
    return DocumentPart(start + 1, end + 1, kind, date, title[:120])
