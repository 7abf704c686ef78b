"""Places on a letter that speak without a label: letterhead, addressee, signature and the line below it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.names import ADDRESS, PHONE, is_firm_like, is_person_like

_CLOSING = re.compile(
    r"^(?:very\s+truly|yours|sincerely|respectfully|cordially|(?:best |warm )?regards|thank you)[\w\s]*,?$|"
    r"^(?:respectfully submitted|sincerely|very truly yours),",
    re.IGNORECASE,
)
_NO_NAME = re.compile(rf"{ADDRESS}|{PHONE}|\b(?:Suite|Ste\.|P\.?O\.? Box|Tel|Fax|Page)\b|^\d|@|www\.")


def letterhead(rows: Sequence[Row]) -> Iterator[Segment]:
    """Return the names at the head of page 1, before date, address block and title."""
    for number, row in enumerate(rows[:5]):
        if row.page != rows[0].page or row.box.top > 0.22:
            return
        if any(find_dates(segment.text) or ":" in segment.text for segment in row.segments):
            if number:
                return
            continue  # a running head or a fax's line may be above the letterhead
        for segment in row.segments:
            if not _NO_NAME.search(segment.text) and len(segment.text.split()) <= 9:
                yield segment


def signatures(rows: Sequence[Row]) -> Iterator[tuple[Segment, list[Segment]]]:
    """Return names that sign, last first, each with the lines below it."""
    found: list[tuple[Segment, list[Segment]]] = []
    last_page = rows[-1].page if rows else 1
    for number, row in enumerate(rows):
        after_closing = any(
            _CLOSING.match(other.segments[0].text) and other.page == row.page
            for other in rows[max(0, number - 4) : number]
        )
        # a last page may hold nothing but the end of a letter
        late = number >= len(rows) - 14 and (row.box.top > 0.25 or row.page == last_page > rows[0].page)
        if not (after_closing or late):
            continue
        for whole in row.segments:
            segment = _signing(whole)
            if not is_signature_like(segment.text):
                continue
            below = [
                other
                for following in rows[number + 1 : number + 4]
                if following.page == row.page and following.box.top - row.box.bottom < 4 * segment.height
                for other in following.segments
                if abs(other.box.left - segment.box.left) < 0.03
            ]
            found.append((segment, below))
    yield from reversed(found)


# `Electronically signed O. Ruiz, M.D. 04/02/2024 17:48`: what is before and behind who signs.
_SIGNED = re.compile(
    r"^(?:(?:electronically |digitally |e-?)?signed(?: and dated)?(?: by)?|authenticated by|/?s/)[:\s]\s*",
    re.IGNORECASE,
)
_TIME = re.compile(r",?\s*(?:at\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?\.?$", re.IGNORECASE)
_LONGEST_SIGNATURE = 12  # words


def _signing(segment: Segment) -> Segment:
    """Return the part of a line that is the name of who signs it, without the words for it and the day."""
    text = segment.text
    dates = find_dates(text) if len(segment.words) <= _LONGEST_SIGNATURE else []
    signed = _SIGNED.match(text)
    is_dated = len(dates) == 1 and not _TIME.sub("", text[dates[0].end :]).strip(" .,")
    if not (signed or is_dated):
        return segment
    start = signed.end() if signed else 0
    end = dates[0].start if is_dated else len(text)
    name = segment.passage.part(start, end)
    return replace(segment, words=name.words, texts=name.texts) if name.words else segment


def is_signature_like(text: str) -> bool:
    """Tell whether a line holds a person's name and nothing else but a degree."""
    plain = re.sub(r",?\s*(?:Esq\.?|Esquire)$", "", text.strip())
    return (
        is_person_like(plain)
        and not plain.isupper()
        and ":" not in plain
        and plain[:1].isupper()
        and (
            all(
                word[:1].isupper() or word in ("de", "la", "del", "van", "von", "da", "der")
                for word in plain.split()
            )
        )
    )


def addressees(rows: Sequence[Row]) -> Iterator[Segment]:
    """Return the first lines of page 1's address blocks: a street or box follows within three lines."""
    page = [row for row in rows if rows and row.page == rows[0].page][:24]
    for number, row in enumerate(page):
        if row.box.top > 0.6:
            return
        first = row.segments[0]
        if _NO_NAME.search(first.text) or not (is_person_like(first.text) or is_firm_like(first.text)):
            continue
        followed = any(
            abs(other.segments[0].box.left - first.box.left) < 0.01
            and re.search(r"^\d+\s+\S|^P\.?\s?O\.?\s+Box", other.segments[0].text)
            for other in page[number + 1 : number + 4]
        )
        if followed and number > 0:
            yield first
