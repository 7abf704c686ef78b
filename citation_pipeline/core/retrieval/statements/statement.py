"""A statement: the smallest piece of a document that answers something, and the words that say it.

How documents are cut into statements belongs to `reading`, which of them answers a question `evidence`'s.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from citation_pipeline.core.retrieval.party_names import find_firms, is_firm
from citation_pipeline.core.retrieval.subjects import body_parts_of, procedures_of, proceedings_of, sides_of
from citation_pipeline.core.retrieval.terms import term_set, terms_of, words_of
from citation_pipeline.core.values.dates import MONTHS

# no part of an address: "l.achterberg@" prints a name small
_OF_LAWYERS = frozenset(["law", "attorneys", "attorney", "apc", "llp", "counsel", "esq"])
LABELLED = ("pair", "exchange", "cell", "sum")
"""Kinds of statement whose label says what their text is about."""

_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SHORT_YEARS = re.compile(r"\b\d{1,2}[/.-]\d{1,2}[/.-](\d\d)\b")
_MONTHS = re.compile(rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b")
_NUMBERED_MONTHS = re.compile(r"\b(?:(?:19|20)\d\d-(\d\d)-\d\d|(\d{1,2})[/.-]\d{1,2}[/.-](?:\d\d){1,2})\b")
_LOWER = re.compile(r"(?<![\w@.-])[a-z]{3,}(?![\w@-]|\.\w)")


@dataclass(frozen=True)
class Statement:
    """A piece of one source document on one page.

    `kind` is "pair" (a label and its value), "exchange" (a question put to somebody and the answer),
    "sentence", "cell" (a table's cell under its row's and column's heads), "row" (a table's row or a line of
    cells), "signature" (the name of who signed), "sum" (computed from
    rows of a table) or "field" (an extracted value). `words` are all its word
    ids, `value_words` those of the value alone; `label` and `text` are what it says, `context` what is around
    it: headings, the head of the table. `dated` is the ISO date that its heading or its first cell gives,
    `recency` 1 for the newest of the claim, 0 for the oldest and where nothing is dated. A field's `value` is
    its value as JSON, of the schema's `value_type`. `pages` are those of its document, 0 where not known.
    `written` is the day on which it was written as far as is known: its own date, or its document's.
    `is_laid_out` tells that the page's layout joined the label and the value: a form's field, a table's cell.
    """

    source_id: str
    page: int
    kind: str
    words: tuple[int, ...]
    value_words: tuple[int, ...]
    label: str
    text: str
    context: str = ""
    title: str = ""
    dated: str = ""
    recency: float = 0.0
    value: Any = None
    value_type: str = ""
    pages: int = 0
    is_laid_out: bool = False
    written: str = ""

    @cached_property
    def label_terms(self) -> frozenset[str]:
        """The label's terms."""
        return term_set(self.label)

    @cached_property
    def text_terms(self) -> frozenset[str]:
        """The terms of what is stated."""
        return term_set(self.text)

    @cached_property
    def context_terms(self) -> frozenset[str]:
        """The terms around it."""
        return term_set(self.context)

    @cached_property
    def title_terms(self) -> frozenset[str]:
        """The terms of the document's name and title."""
        return term_set(self.title)

    @cached_property
    def own_words(self) -> frozenset[str]:
        """The folded words of label and text, hyphenated names in their parts."""
        return frozenset(words_of(f"{self.label} {self.text}"))

    @cached_property
    def lower_words(self) -> frozenset[str]:
        """The words that it prints in lower case."""
        return frozenset(word for word in _LOWER.findall(f"{self.label} {self.text}"))

    @cached_property
    def near_words(self) -> frozenset[str]:
        """The folded words of what stands around it and of the document's title."""
        return frozenset(words_of(f"{self.context} {self.title}"))

    @cached_property
    def firm_beginnings(self) -> frozenset[str]:
        """The first two words of each firm that the text names: a place's, mostly, and no person's."""
        found = set()
        for run in find_firms(self.text):
            words = words_of(run.text)
            if is_firm(run.text) and len(words) > 2 and not _OF_LAWYERS & set(words):
                found.add(" ".join(words[:2]))
        return frozenset(found)

    @cached_property
    def years(self) -> frozenset[str]:
        """The years that it prints, around it and in the document's title too."""
        text = f"{self.label} {self.text} {self.context} {self.title} {self.dated}"
        long_ones = set(_YEARS.findall(text))
        return frozenset(long_ones | {f"20{short}" for short in _SHORT_YEARS.findall(text)})

    @cached_property
    def months(self) -> frozenset[str]:
        """The months in which it was written or that it prints, around it too, as two figures."""
        text = f"{self.label} {self.text} {self.context} {self.title} {self.dated} {self.written}"
        named = (f"{MONTHS[name]:02}" for name in _MONTHS.findall(text.lower()))
        return frozenset(named) | {(a or b).zfill(2) for a, b in _NUMBERED_MONTHS.findall(text)}

    @cached_property
    def own_parts(self) -> tuple[frozenset[str], frozenset[str]]:
        """The parts of the body and the sides that it names itself."""
        text = f"{self.label} {self.text}"
        return body_parts_of(text), sides_of(text)

    @cached_property
    def procedures(self) -> frozenset[str]:
        """The operations and tests that it names, and those around it and in the title."""
        return procedures_of(f"{self.label} {self.text} {self.context} {self.title}")

    @cached_property
    def proceedings(self) -> frozenset[str]:
        """The proceedings that it names, and those around it and in the title."""
        return proceedings_of(f"{self.label} {self.text} {self.context} {self.title}")

    @cached_property
    def near_parts(self) -> tuple[frozenset[str], frozenset[str]]:
        """The parts of the body and the sides around it and in the title."""
        text = f"{self.context} {self.title}"
        return body_parts_of(text), sides_of(text)

    def says_more_than(self, terms: Sequence[str]) -> bool:
        """Tell whether the text holds anything beside these terms."""
        return bool(set(terms_of(self.text)) - set(terms))

    @property
    def quote(self) -> str:
        """The label and the text as one line."""
        return f"{self.label} {self.text}".strip() if self.kind in LABELLED else self.text


def order_by_date(statements: Iterable[Statement], dates: Mapping[str, str]) -> list[Statement]:
    """Give every statement its recency, from its own date or its document's (`dates` by source id)."""
    listed = list(statements)
    own = [s.dated or dates.get(s.source_id, "") for s in listed]
    days = sorted({date for date in own if date})
    place = {date: number / max(1, len(days) - 1) for number, date in enumerate(days)}
    return [
        replace(s, recency=place.get(date, 0.0), written=date) for s, date in zip(listed, own, strict=True)
    ]
