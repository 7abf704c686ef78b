"""An extraction and its citations against the truth: values, pages, words, and what confidence is worth.

Pure: reads a truth file's content and core types, writes an `Evaluation`. How it is told is `reports`' work.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.evaluation.matching import is_right, pair_items
from citation_pipeline.core.evaluation.places import Place, is_on_page, names_of, places_of, word_box_f1
from citation_pipeline.core.evaluation.scores import Bin, Counts, auroc, calibration, harmonic_mean
from citation_pipeline.core.extraction import Confidence, ExtractedField
from citation_pipeline.core.resolution.field_confidence import SURE, confidences_of

ABSENT = "absent"
"""The type under which answers to fields that the documents do not mention are counted."""

# the place is right when at least half of its words are
_RIGHT_PLACE = 0.5
_CONFIDENCES = {Confidence.LOW: 0.2, Confidence.MEDIUM: 0.5, Confidence.HIGH: 0.8}


@dataclass(frozen=True, slots=True)
class FieldEvaluation:
    """One field: its type, its counts, whether it is right, and how well its citations lie (0-1)."""

    field_key: str
    value_type: str
    counts: Counts
    citations: int = 0
    pages_right: int = 0
    word_box_f1: float | None = None

    @property
    def is_right(self) -> bool:
        """Tell whether nothing is wrong and nothing missing."""
        return not self.counts.wrong and not self.counts.missing


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All figures of one claim; `word_box_f1` and the page figures only over fields whose value is right.

    `field_auroc` is of the fields' own confidence, `sure` counts the fields at 0.95 and above.
    `item_members` is the mean share of members right in matched list items. AUROC is None where every
    answer is right or every one is wrong.
    """

    claim_id: str
    values: Counts
    by_type: Mapping[str, Counts]
    fields: Sequence[FieldEvaluation]
    item_members: float | None
    word_box_f1: float | None
    page_precision: float | None
    page_recall: float | None
    located: int
    cited: int
    value_auroc: float | None
    field_auroc: float | None
    sure: Counts
    citation_auroc: float | None
    calibration: Sequence[Bin]

    @property
    def page_f1(self) -> float | None:
        """The harmonic mean of page precision and recall."""
        if self.page_precision is None or self.page_recall is None:
            return None
        return harmonic_mean(self.page_precision, self.page_recall)


def evaluate(
    truth: Mapping[str, Any],
    fields: Sequence[ExtractedField],
    citations: Sequence[Citation] = (),
    documents: Sequence[ParsedDocument] = (),
) -> Evaluation:
    """Compare one claim's fields and citations with the truth (a truth file's content).

    A scalar counts 1, a list its items, an expected empty list 1; a wrong value is wrong and missing; a
    value for an absent field is wrong. Citations count only where the field's value is right.
    """
    predicted = {field.field_key: field for field in fields}
    names = names_of(documents)
    by_source = {document.source.source_id: document for document in documents}
    cited: defaultdict[str, list[Citation]] = defaultdict(list)
    for citation in citations:
        one = names.get(citation.source_id, citation.source_id)
        cited[citation.field_key].append(replace(citation, source_id=one))
    rows: list[FieldEvaluation] = []
    members: list[float] = []
    located: list[tuple[float, bool]] = []
    for key, true in truth["fields"].items():
        counts, shares = _count(true["value"], true["type"], _value(predicted, key))
        members += shares
        found = [c for c in cited[key] if c.status is not CitationStatus.UNRESOLVED and c.page is not None]
        row = FieldEvaluation(key, str(true["type"]), counts)
        places = places_of(true.get("citations", ()), names)
        if row.is_right and found and places:  # a truth without places judges none
            row, judged = _judge(row, found, places, by_source)
            located += judged
        rows.append(row)
    rows += _absent(truth.get("absent_fields", ()), predicted)
    sure = {key: one.confidence for key, one in confidences_of(fields, citations).items()}
    return _sum_up(str(truth.get("claim_id", "")), rows, members, located, predicted, sure, len(citations))


def _value(predicted: Mapping[str, ExtractedField], key: str) -> Any:
    return predicted[key].value if key in predicted else None


def _count(true: Any, value_type: str, predicted: Any) -> tuple[Counts, list[float]]:
    if value_type == "array":
        return _count_items(true, predicted)
    if predicted is None or predicted == "":
        return Counts(missing=1), []
    return (Counts(right=1) if is_right(true, predicted, value_type) else Counts(wrong=1, missing=1)), []


def _count_items(true: Sequence[Any], predicted: Any) -> tuple[Counts, list[float]]:
    if predicted is not None and not isinstance(predicted, list):
        predicted = [predicted]
    if not true:
        if predicted == []:
            return Counts(right=1), []
        return Counts(wrong=len(predicted or ()), missing=1), []
    if predicted is None:
        return Counts(missing=len(true)), []
    pairs = pair_items(true, predicted)
    counts = Counts(len(pairs), len(predicted) - len(pairs), len(true) - len(pairs))
    return counts, [score for _, _, score in pairs]


def _absent(keys: Sequence[str], predicted: Mapping[str, ExtractedField]) -> Iterator[FieldEvaluation]:
    for key in keys:
        value = _value(predicted, key)
        if value not in (None, "", []):
            wrong = len(value) if isinstance(value, list) else 1
            yield FieldEvaluation(key, ABSENT, Counts(wrong=wrong))


def _judge(
    row: FieldEvaluation,
    found: Sequence[Citation],
    places: Sequence[Place],
    documents: Mapping[str, ParsedDocument],
) -> tuple[FieldEvaluation, list[tuple[float, bool]]]:
    has_boxes = any(place.boxes for place in places)
    scores = [word_box_f1(citation, places, documents) for citation in found] if has_boxes else []
    judged = FieldEvaluation(
        field_key=row.field_key,
        value_type=row.value_type,
        counts=row.counts,
        citations=len(found),
        pages_right=sum(is_on_page(citation, places) for citation in found),
        word_box_f1=sum(scores) / len(scores) if scores else None,
    )
    pairs = [(c.confidence, score >= _RIGHT_PLACE) for c, score in zip(found, scores, strict=False)]
    return judged, pairs


def _sum_up(
    claim_id: str,
    rows: Sequence[FieldEvaluation],
    members: Sequence[float],
    located: Sequence[tuple[float, bool]],
    predicted: Mapping[str, ExtractedField],
    confidences: Mapping[str, float],
    cited: int,
) -> Evaluation:
    by_type: defaultdict[str, Counts] = defaultdict(Counts)
    for row in rows:
        by_type[row.value_type] += row.counts
    with_citations = [row for row in rows if row.citations]
    count = sum(row.citations for row in with_citations)
    pages = sum(row.pages_right for row in with_citations)
    boxed = [(row.word_box_f1, row.citations) for row in with_citations if row.word_box_f1 is not None]
    boxes = sum(citations for _, citations in boxed)
    words = sum(f1 * citations for f1, citations in boxed)
    scores, are_right = [score for score, _ in located], [good for _, good in located]
    sure = [
        (_CONFIDENCES[confidence], row.is_right)
        for row in rows
        if row.field_key in predicted and (confidence := predicted[row.field_key].confidence) is not None
    ]
    judged = [(confidences[row.field_key], row.is_right) for row in rows if row.field_key in confidences]
    sure_ones = [one for one in judged if one[0] >= SURE]
    return Evaluation(
        claim_id=claim_id,
        values=sum((row.counts for row in rows), Counts()),
        by_type=dict(sorted(by_type.items())),
        fields=tuple(rows),
        item_members=sum(members) / len(members) if members else None,
        word_box_f1=words / boxes if boxes else None,
        page_precision=pages / count if count else None,
        page_recall=_share_with_page(with_citations),
        located=count,
        cited=cited,
        field_auroc=auroc([one for one, _ in judged], [good for _, good in judged]),
        sure=Counts(sum(good for _, good in sure_ones), sum(not good for _, good in sure_ones)),
        value_auroc=auroc([score for score, _ in sure], [good for _, good in sure]),
        citation_auroc=auroc(scores, are_right),
        calibration=tuple(calibration(scores, are_right)),
    )


def _share_with_page(rows: Sequence[FieldEvaluation]) -> float | None:
    return sum(row.pages_right > 0 for row in rows) / len(rows) if rows else None
