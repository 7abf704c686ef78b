"""Who signed a document: the name in its signature, as a statement of the document's title.

"Who read the MRI" is answered by the radiologist below the report, where no sentence says so.
"""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.retrieval.party_names import find_persons, is_plainly_worded, is_titled
from citation_pipeline.core.retrieval.statements.printed_documents import PrintedDocument
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.passages import Passage

_CLOSING = re.compile(
    r"(?i)^\W*(?:(?:electronically |digitally )?signed(?: by)?|/s/|sincerely|respectfully|regards|very truly|"
    r"yours|dictated by|interpreted by|read by|reviewed by|prepared by|reported by|submitted by|by:|dated)\b"
)
_ROLE = re.compile(
    r"(?i)\b(?:radiologist|reviewer|judge|examiner|adjuster|investigator|therapist|evaluator|physician|surgeon|"
    r"nurse|attorney|supervisor|manager|specialist|representative|director|counsel|psychologist)\b"
)
_WITHIN = 6  # rows below a closing in which its name stands
_NAME_WORDS = 9  # a longer segment is a sentence
# how people ask for whoever signed; "read" where the title tells of pictures
_WROTE = "signed by, signature, wrote, written, prepared, author, issued, report by, signed off"
_READ = "read, interpreted, reading, radiologist"
_PICTURES = re.compile(r"(?i)\b(?:mri|x-?ray|ct|imaging|radiolog\w*|ultrasound|scan|emg|ncs|nerve)\b")
_REVIEWED = re.compile(r"(?i)\b(?:utilization|review|ur|imr|determination)\b")


def read_signature_statements(printed: PrintedDocument) -> Iterator[Statement]:
    """Return each name of a signature with its role, the document's title being its context."""
    for at, row in enumerate(printed.rows):
        below = printed.rows[at + 1] if at + 1 < len(printed.rows) else None
        role = below.text if below is not None and below.page == row.page and _is_role(below) else ""
        for segment in row.segments:
            name = _signing(printed.rows, at, segment, role)
            if name is not None:
                context = f"{_verbs(printed.title)} {role}"
                yield printed.state("signature", page=row.page, value=name, context=context)


def _is_role(row: Row) -> bool:
    return bool(_ROLE.search(row.text)) and len(row.text.split()) <= _NAME_WORDS


def _verbs(title: str) -> str:
    """Return what whoever signed a document with this title did."""
    verbs = [_WROTE]
    if _PICTURES.search(title):
        verbs.append(_READ)
    if _REVIEWED.search(title):
        verbs.append("reviewed, reviewer, decided")
    return f"{', '.join(verbs)}; {title}"


def _signing(rows: Sequence[Row], at: int, segment: Segment, role: str) -> Passage | None:
    """Return the name in a segment if it signs: behind or below a closing, or above its role."""
    text = segment.text.strip()
    is_signed = bool(_CLOSING.search(text))
    if len(segment.texts) > (2 * _NAME_WORDS if is_signed else _NAME_WORDS) or text.endswith((":", "?")):
        return None
    names = find_persons(segment.text)
    if len(names) != 1 or is_plainly_worded(names[0].text):
        return None
    name = names[0]
    if is_signed:
        return segment.passage.part(name.start, name.end)
    share = len(name.text) / len(text)
    above = [row for row in rows[max(0, at - _WITHIN) : at] if row.page == segment.page]
    is_closed = any(_CLOSING.search(part.text) for row in above for part in row.segments)
    has_role = bool(role) or bool(_ROLE.search(text))
    if (is_closed and share > 0.3) or (has_role and (is_titled(name.text) or share > 0.8)):
        return segment.passage
    return None
