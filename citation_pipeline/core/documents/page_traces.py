"""What is looked at of a page to tell where a document begins: number, running lines, title, opening, end.

Every page of a claim is looked at whenever it is matched anew, so each look is a cheap one. What the numbers
of two pages say together is `parts`' decision.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.documents.kinds import classify_text, shipped_kinds
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
_TELLING = re.compile(r"[^\W\d_]{5,}|\d[\d/.,-]{5,}")
_LEAST_TELLING = 5  # characters
_DIGIT = re.compile(r"\d")
# every match of _CLOSING holds one of these, or is a line of copies
_CLOSING_WORDS = (
    *("sincerely", "yours", "respectfully", "regards", "cordially", "atentamente", "enclosure", "encl"),
    *("under penalty of perjury", "electronically signed"),
)
_COPIES = re.compile(r"cc\s*:")
_MOST_TITLE_WORDS = 14
_TITLED = ("Title", "Section Header")
_RUNNING = ("Header", "Footer", "Page Number")


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


def blocks_by_page(document: ParsedDocument) -> dict[int, list[Block]]:
    """Return the blocks of each page."""
    blocks: dict[int, list[Block]] = {}
    for block in document.blocks:
        blocks.setdefault(block.page, []).append(block)
    return blocks


def trace_pages(document: ParsedDocument) -> list[PageTrace]:
    """Return what is looked at of every page."""
    blocks = blocks_by_page(document)
    return [_trace(document, blocks.get(page.page, []), at) for at, page in enumerate(document.pages)]


def _trace(document: ParsedDocument, blocks: Sequence[Block], at: int) -> PageTrace:
    page, words = document.pages[at], document.words
    text = text_of_page(document, at)
    first, last = (int(words.page.searchsorted(page.page, side)) for side in ("left", "right"))
    body = [block for block in blocks if block.type not in _RUNNING]
    margins = [block for block in blocks if block.box.bottom < _TOP or block.box.top > _BOTTOM]
    number, count = _page_number([block.text for block in (*margins, *blocks) if block.text])
    opening = "\n".join(block.text for block in body if block.box.top < _OPENING)
    lowered = text.lower()
    return PageTrace(
        number=number,
        count=count,
        top=_blanked(block.text for block in blocks if block.box.bottom < _TOP),
        bottom=_blanked(block.text for block in blocks if block.box.top > _BOTTOM),
        title=title_of(body),
        text=text,
        opens=bool(_SALUTATION.search(opening)),
        closes=_closes(text, lowered) or any(block.type == "Signature" for block in body),
        first_words=body[0].text[:40] if body else "",
        last_words=body[-1].text[-40:] if body else "",
        filled=max((block.box.bottom for block in body), default=0.0),
        continues_table=any("<table data-continued" in block.content for block in body[:4]),
        size=(round(page.width_pt / 10), round(page.height_pt / 10)),
        words_from=page.words_from,
        telling=_telling_words(lowered),
        print_size=_percentile(words.boxes[first:last, 3], 0.5) * page.height_pt,
        margin=_percentile(words.boxes[first:last, 0], 0.05),
    )


def text_of_page(document: ParsedDocument, at: int) -> str:
    """Return the text of a page by its position."""
    page = document.pages[at]
    return document.text[page.text_start : page.text_end]


def title_of(blocks: Iterable[Block]) -> str:
    """Return the first title in the upper part of a page, "" where there is none."""
    for block in blocks:
        if block.type in _TITLED and block.type not in _RUNNING and block.box.top < _OPENING:
            words = block.text.split()
            if len(words) <= _MOST_TITLE_WORDS:
                return " ".join(words)
    return ""


def _closes(text: str, lowered: str) -> bool:
    """Tell whether a page has what letters end with."""
    # most pages have none of the words that every match holds, which is sooner said than searched for
    if not any(word in lowered for word in _CLOSING_WORDS) and not _COPIES.search(lowered):
        return False
    return bool(_CLOSING.search(text))


def _telling_words(lowered: str) -> frozenset[str]:
    """Return the longer words and numbers of a text; none is longer than what stands between two blanks."""
    found: set[str] = set()
    others: list[str] = []
    for piece in set(lowered.split()):
        if len(piece) < _LEAST_TELLING:
            continue
        if piece.isalpha():
            found.add(piece)
        else:
            others.append(piece)
    found.update(_TELLING.findall(" ".join(others)))
    return frozenset(found)


def _percentile(values: NDArray[np.float64], share: float) -> float:
    """Return what numpy's percentile does, linear between two values, of a few hundred; 0 of none."""
    if not len(values):
        return 0.0
    ordered = np.sort(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    below, above = float(ordered[low]), float(ordered[min(low + 1, len(ordered) - 1)])
    part, step = at - low, above - below
    # from the nearer of the two, as numpy does: the last digits are the same
    return above - step * (1 - part) if part >= 0.5 else below + step * part


def _page_number(texts: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the number that a page prints and of how many; what says both is believed first."""
    numbered = [text for text in texts if _DIGIT.search(text)]  # most lines of a page hold none
    for text in numbered:
        for line in text.split("\n"):
            match = _PAGE_OF.search(line) or _BARE_OF.match(line)
            if match and 0 < int(match[1]) <= int(match[2]):
                return int(match[1]), int(match[2])
    for text in filter(_DIGIT.search, texts[:12]):
        for line in text.split("\n"):
            match = _PAGE.search(line) if len(line) < 60 else None
            if match:
                return int(match[1] or match[2]), None
    return None, None


def _blanked(texts: Iterable[str]) -> str:
    return re.sub(r"\d+", "#", " ".join(" ".join(texts).split())).lower()
