"""Quotations set otherwise than any page sets them: a value before its label, a number of a row or a speaker
of the quoter's own, figures that another sign hides.

Each is looked for in the order and with the signs that a page may have; what is found so has to be there word
by word.
"""

import re
from collections.abc import Iterator

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.page_remarks import PAGES
from citation_pipeline.core.matching.vocabulary import NEGATIONS

_ROW = re.compile(
    r"\A\W{0,3}(?P<label>row|line|item|entry|record|zeile|fila|ligne)\s*\#?\s*\d{1,4}\s*[:.)–—-]\s+(?=\S)",
    re.I,
)
_ROW_REACH = 3  # words before a place among which the page numbers its rows itself
# an amount, a date or a figure, then its label in brackets or behind a dash or a colon
_VALUE_FIRST = re.compile(
    r"\A\W{0,2}?(?P<value>[$€£]?\s?[\d(][\d.,/%()-]*(?:\s?[%€£$])?)\s*"
    r"(?:\((?P<inside>[^()\d]{2,50})\)|\s[–—-]{1,2}\s+(?P<behind>[^\d:]{2,50})|:\s+(?P<colon>[^\d:]{2,50}))\W{0,2}\Z"
)
_MASK = re.compile(r"(?<!\w)([*•●#xX])\1+(?:[-\s.]?\1{2,})*(?=[-\s.]?\d{2,}(?!\w))")
_CELL_ENDS, _LEAST_CELL_ENDS = re.compile(r"[\"']?[;|](?=\S)[\"']?"), 2
_LABEL_ENDS = re.compile(r"[：；｜](?=\S)|(?<=[^\W\d])[\"']?[:=](?=[^\s/])|(?<=\S)[;|](?=\S)|[\"'],(?=[\"'])")
_HIDING = "X*"
_NAME = r"(?:[A-Z][\w.'’-]*|[a-z]{2}|de|von|van),?"
_SPEAKER = re.compile(
    r"(?:(?<=[\"”»“])|(?<=[.!?]))\s*[–—-]{1,2}\s*"
    rf"(?P<who>(?:[Tt]he\s+)?{_NAME}(?:\s+{_NAME}){{0,5}}|(?:the\s+)?[a-z]{{3,12}})\s*\Z"
)
_TITLE = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof|Hon|Judge|Officer|Nurse|Rev|Sgt|Frau|Herr|Sr|Sra|Mme|M)\b")
_QUOTED = '"”»“'
# tried where blanks begin only: from each blank of a long run it would look through the rest of the run
_PAGE_BEHIND = re.compile(rf"(?:[,;]|(?<!\s))\s*[\[(]?{PAGES}[\])]?\s*\Z", re.I)


def with_label_first(text: str) -> str:
    """Return a value and its label in the order of a page: `Total due $412.50` of `$412.50 (Total due)`;
    empty for any other text."""
    found = _VALUE_FIRST.match(text.strip())
    if found is None:
        return ""
    label = (found["inside"] or found["behind"] or found["colon"]).strip()
    return f"{label} {found['value'].strip()}"


def without_row_number(text: str) -> tuple[str, bytes]:
    """Return a text without the number that its quoter gave to a row, and the key of what he calls a row."""
    found = _ROW.match(text)
    return (text[found.end() :], fold(found["label"])) if found else ("", b"")


def without_speaker(text: str) -> str:
    """Return a quotation without who is said to have said it, behind its end; empty where nobody is named.

    Behind quotation marks anybody may be; behind a sentence one with a title, or with a page.
    """
    paged = _PAGE_BEHIND.sub("", text)
    found = _SPEAKER.search(paged)
    if found is None or any(fold(word) in NEGATIONS for word in found["who"].split()):
        return ""
    before = paged[: found.start()]
    is_sure = before.rstrip()[-1:] in _QUOTED or paged != text or _TITLE.match(found["who"]) is not None
    return before if is_sure and fold(before) else ""


def with_cells_parted(text: str) -> str:
    """Return a row whose cells a quoter parted by semicolons or strokes only, as `14;"$2.50";Paid`, with
    blanks between them; empty for any other text."""
    return (
        _CELL_ENDS.sub(" ", text).strip("\"' ") if len(_CELL_ENDS.findall(text)) >= _LEAST_CELL_ENDS else ""
    )


def with_labels_parted(text: str) -> str:
    """Return labels and values that are written without blanks between them, `Due:18;Paid:4`, with blanks;
    empty for any other text."""
    if not any(sign in text for sign in ":=;|：；｜"):
        return ""
    other = _LABEL_ENDS.sub(r"\g<0> ", text)
    if "：" in text:
        other = other.replace("，", "， ")
    return other if other != text else ""


def with_other_masks(text: str) -> Iterator[str]:
    """Yield a text with the figures that it hides hidden by other signs: `XXX-XX-1234` as `***-**-1234`."""
    for sign in _HIDING:
        other = _MASK.sub(lambda m, sign=sign: re.sub(re.escape(m.group(1)), sign, m.group()), text)  # type: ignore[misc]
        if other != text:
            yield other


def numbers_rows(keys: list[bytes], first: int, label: bytes) -> bool:
    """Tell whether a page itself has what a quoter calls a row right before a place."""
    return label in keys[max(0, first - _ROW_REACH) : first]
