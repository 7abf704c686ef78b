"""What kind of document this is, and which schema a folder of documents calls for.

Reads the rows that `rules.layout` sees and the document kinds that lexicons describe; knows no kind itself.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from citation_pipeline.core.documents.edge_lines import is_fax_line
from citation_pipeline.core.documents.kinds import Classification, Kinds, classify, shipped_kinds
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.documents.part_documents import split_document
from citation_pipeline.core.rules.lexicons.lexicon import DocumentRules, Lexicon
from citation_pipeline.core.rules.pages.layout import Row, Segment, read_rows

# Titles are in the upper part of the first page; a head, an address and a caption may come before.
_TITLE_ROWS = 26
_LONGEST_TITLE = 8  # words before a full stop: more are a sentence
# `Chart note, 17 March 2026. Patient: Ana Quorn.`: what opens the page may share its line
_OPENING = re.compile(r"^([^.:]{6,60})\.\s+(?=[A-Z])")
_OPENING_ROWS = 6
_LONGEST_OPENING = 6  # words
# A line with a full stop inside and a verb is running text: `... is a beneficiary since 2023. The vendor`.
_TELLS = re.compile(r"\b(?:is|was|are|were|has|have|had|will|shall|we|you)\b.*\.\s|^[a-z]")
_PAYMENT = re.compile(r"^\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b.*\d\.\d\d\)?$")
_PAYMENTS = 12
_CUE = 0.17
_KNOWN = 0.3
# All cues together tell a kind whose title is missing, but lose against a title.
_CUES_ALONE = 0.4
_UNKNOWN_SCHEMA = "generic"


@dataclass(frozen=True, slots=True)
class Recognition:
    """A document's kind (empty when unknown), how sure that is in 0-1, its own date (ISO or empty)."""

    type: str
    score: float
    date: str = ""


@dataclass(frozen=True, slots=True)
class SchemaChoice:
    """The schema that a folder's documents call for, and each document's kind under its source_id.

    `by_document` names the schemas of the documents that are read by one of their own.
    """

    schema_name: str
    score: float
    types: Mapping[str, Recognition]
    by_document: Mapping[str, str] = field(default_factory=dict)


def recognize_type(
    document: ParsedDocument, rows: Sequence[Row], kinds: Mapping[str, DocumentRules]
) -> Recognition:
    """Return the kind whose title and cues fit best."""
    # a register's rows line by line, however its cells follow one another in the text
    payments = [row.text for row in rows if _is_payment(row)][:_PAYMENTS]
    text = "\n".join((document.text[:20000], *payments, ""))
    titles = _title_segments(rows)
    best, best_score, most = "", 0.0, 0
    for name, rules in kinds.items():
        score = max(
            (_title_score(segment, place, rules) for place, segment in enumerate(titles)), default=0.0
        )
        cues = sum(bool(cue.search(text)) for cue in rules.cues)
        if rules.cues and cues == len(rules.cues) >= 2:
            score = max(score, _CUES_ALONE)
        score = (score + _CUE * min(cues, 3)) * rules.weight
        # of two kinds that are as likely, more words tell of one
        if (score, cues) > (best_score, most):
            best, best_score, most = name, score, cues
    if best_score < _KNOWN:
        return Recognition("", round(best_score, 3))
    return Recognition(best, round(min(best_score, 1.0), 3))


def _title_segments(rows: Sequence[Row]) -> list[tuple[str, float]]:
    """Return the short texts at the head of page 1 with their size beside the page's usual one."""
    head = [row for row in rows if row.page == rows[0].page] if rows else []
    heights = sorted(s.height for row in head for s in row.segments)
    usual = heights[len(heights) // 2] if heights else 1.0
    found: list[tuple[str, float]] = []
    for number, row in enumerate(head[:_TITLE_ROWS]):
        if is_fax_line(row.text) or _is_payment(row):
            continue
        for segment in row.segments:
            found.append((segment.text, segment.height / usual))
            below = _line_below(segment, head[number + 1 : number + 2])
            if below is not None:
                found.append((f"{segment.text} {below.text}", segment.height / usual))
    return found


def _is_payment(row: Row) -> bool:
    """Tell whether a row is a register's: a day first, a sum last, and what is between is no title."""
    return len(row.segments) > 1 and _PAYMENT.match(row.text) is not None


def _line_below(segment: Segment, following: Sequence[Row]) -> Segment | None:
    for row in following:
        for other in row.segments:
            near = other.box.top - segment.box.bottom < 0.8 * segment.height
            same = abs(other.height - segment.height) < 0.1 * segment.height
            overlap = min(other.box.right, segment.box.right) - max(other.box.left, segment.box.left)
            if near and same and overlap > 0:
                return other
    return None


def _title_score(entry: tuple[str, float], place: int, rules: DocumentRules) -> float:
    text, size = entry
    opening = _OPENING.match(text) if place < _OPENING_ROWS else None
    if opening is not None and len(opening[1].split()) <= _LONGEST_OPENING:
        text = opening[1]
    if len(text) > 160 or (text.endswith(".") and len(text.split()) > _LONGEST_TITLE):
        return 0.0
    if len(text.split()) > _LONGEST_TITLE and not text.isupper() and _TELLS.search(text):
        return 0.0
    best = 0.0
    for title in rules.titles:
        match = title.search(text)
        if match is None:
            continue
        coverage = (match.end() - match.start()) / max(len(text), 1)
        emphasis = 0.12 * min(max(size - 1.0, 0.0), 1.0) * 2 + (0.08 if text.isupper() else 0.0)
        # a title outright beats the same words inside a sentence
        best = max(best, 0.62 * coverage + 0.1 * min(len(match[0]) / 40, 1.0) + emphasis - 0.008 * place)
    return best if best >= 0.35 else 0.0


def choose_schema(
    documents: Sequence[ParsedDocument], available: Mapping[str, Lexicon], kinds: Kinds | None = None
) -> SchemaChoice:
    """Return the schema that a folder's documents call for, and which of them another schema reads.

    `available` are the lexicons by schema name. A case (a compensation claim) is read by one schema when its
    documents are at least as many as all others that are known. Else each document speaks for itself: one
    known document is the claim's, several are read by document, and what is unknown by `generic`.
    """
    known = kinds or shipped_kinds()
    readable = [document for document in documents if document.status is DocumentStatus.PARSED]
    found = {document.source.source_id: _classify_parts(document, known) for document in readable}
    schemas = {
        source_id: one.schema for source_id, one in found.items() if one.schema not in ("", _UNKNOWN_SCHEMA)
    }
    name, by_document = _divide(schemas, found, known.cases)
    types = {
        source_id: _type_of(document, found[source_id], by_document.get(source_id, name), available)
        for document in readable
        for source_id in (document.source.source_id,)
    }
    own = [found[source_id].confidence for source_id, schema in schemas.items() if schema == name]
    return SchemaChoice(
        schema_name=name,
        score=round(sum(own) / len(own), 3) if own else 0.0,
        types=types,
        by_document=by_document,
    )


def _classify_parts(document: ParsedDocument, kinds: Kinds) -> Classification:
    """Return what a document is; a file of many documents is what most of its parts are evidence for.

    The parts of a case's file that are of another schema stay with the case: they were filed as one.
    """
    parts = split_document(document)
    if len(parts) == 1:
        return classify(document, kinds)
    found = [classify(part, kinds) for part in parts]
    weights: dict[str, float] = {}
    for one in found:
        if one.schema not in ("", _UNKNOWN_SCHEMA):
            weights[one.schema] = weights.get(one.schema, 0.0) + one.score
    if not weights:
        return found[0]
    case = max(weights, key=lambda schema: (schema in kinds.cases, weights[schema]))
    return max((one for one in found if one.schema == case), key=lambda one: one.score)


def _divide(
    schemas: Mapping[str, str], found: Mapping[str, Classification], cases: Collection[str]
) -> tuple[str, dict[str, str]]:
    """Return the claim's schema, and the documents that others read; `schemas` are the known documents'."""
    if not schemas:
        return _UNKNOWN_SCHEMA, {}
    weights: dict[str, float] = {}
    for source_id, schema in schemas.items():
        weights[schema] = weights.get(schema, 0.0) + found[source_id].score
    counts = Counter(schemas.values())
    for case in sorted(cases, key=lambda name: -weights.get(name, 0.0)):
        if 2 * counts[case] >= len(schemas):
            return case, {source_id: schema for source_id, schema in schemas.items() if schema != case}
    name = max(weights, key=lambda schema: weights[schema])
    if len(schemas) == 1:
        return name, {}
    # the claim's own fields are those of the one document of the likeliest schema, if it is one
    own = {source_id for source_id, schema in schemas.items() if schema == name and counts[name] == 1}
    return name, {
        source_id: schemas.get(source_id, _UNKNOWN_SCHEMA) for source_id in found if source_id not in own
    }


def _type_of(
    document: ParsedDocument, classified: Classification, schema: str, available: Mapping[str, Lexicon]
) -> Recognition:
    """Return the kind that the schema's lexicon calls the document, or else what its content says."""
    if not classified.kind:
        return Recognition("", classified.confidence)
    if len(split_document(document)) > 1:  # its kind is that of none of its parts
        return Recognition("", classified.confidence)
    lexicon = available.get(schema)
    named = recognize_type(document, read_rows(document), lexicon.documents) if lexicon else None
    return named if named and named.type else Recognition(classified.kind, classified.confidence)
